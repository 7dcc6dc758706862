//! Parts shared by decoders, except framing. Independent of any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `sequence` | 8-bit sequence numbers, and the drop totals that settle their gaps; the record that reports them |
//! | `plan` | values of a record, plans for fixed-length records |
//! | `posts` | pairs posts and gets of events |
//! | `rows` | rows other than records: notes, skipped bytes; reported configurations |
//! | `pattern` | fields by name, line patterns parsed at compile time; activities in record tables |
//! | `element` | elements of application records |
//! | `value` | numbers and texts of a record |
//! | `number` | numbers and bytes as text |

mod element;
pub mod number;
pub mod pattern;
mod plan;
mod posts;
mod rows;
mod sequence;
pub mod value;

pub use element::{Element, ElementFormat, ElementSpaces, Elements, Value, bytes_at};
pub use pattern::ActivityMeaning;
pub use plan::{BlockPlans, Plan, PlanTable, PlanWord, Read, Values};
pub use posts::{Fill, Posts};
pub use rows::{ConfigRegistry, RowBuilder, size_properties};
pub use sequence::{DROPS, DropField, DropRecord, StreamSequence, has_wrapped};
