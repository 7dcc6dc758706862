//! What led to a failure: who waited for whom, what ran instead, which queues and pools changed, what is missing. Works on
//! the states that objects report, for every protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | [`reader`] | the objects, with the changes of the last seconds; remembers them where an incident begins |
//! | `chain` | who waits for whom, and what follows from that |
//! | [`page`] | an incident in lines |

mod chain;
pub mod page;
pub mod reader;

pub use page::{Incident, IncidentLine, IncidentPart};
pub use reader::{IncidentReader, LOOK_BACK};
