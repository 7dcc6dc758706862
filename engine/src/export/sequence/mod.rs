//! Sequence diagrams of a whole capture, or of the rows that pass a filter: for any protocol, from activities alone.
//!
//! Who is in the diagram is known at its end only, so its lines go to a temporary file until then. Memory use grows with the
//! number of names, not with the length of the capture.
//!
//! | module | what is in it |
//! |---|---|
//! | [`run`] | both passes, from logs to a file |
//! | `wanted` | what is asked of a diagram |
//! | `diagram` | converts rows to lines of the diagram |
//! | `lines` | the lines that wait for the head of the diagram |
//! | [`form`] | the forms that there are, by the ending of a file |
//! | `mermaid` | Mermaid |
//! | `plantuml` | PlantUML |

mod diagram;
pub mod form;
mod lines;
mod mermaid;
mod plantuml;
pub mod run;
mod wanted;

pub use form::Form;
pub use run::{Exported, export, export_file};
pub use wanted::Wanted;
