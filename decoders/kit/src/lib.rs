//! Shared parts of decoders apart from framing. Independent of any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `configs` | configurations reported so far, with their ids |
//! | `sequence` | 8-bit sequence numbers, and the totals that settle their gaps |
//! | `drop_record` `drop_totals` | what the target reports that it dropped, and the gaps in which that is |
//! | `plan` | values of a record, plans for records of fixed length |
//! | `posts` | posts and gets of events, paired |
//! | `rows` | rows other than records: notes, skipped bytes |
//! | `pattern` | fields by name, line patterns parsed at compile time |
//! | `meaning` | activities of records, as columns of their table |
//! | `value` | numbers and texts of a record |
//! | `number` | numbers as text |
//! | `memory` | hex dumps |

mod configs;
mod drop_record;
mod drop_totals;
mod meaning;
pub mod memory;
pub mod number;
pub mod pattern;
mod plan;
mod posts;
mod rows;
mod sequence;
pub mod value;

pub use configs::ConfigRegistry;
pub use drop_record::{DROPS, DropField, DropRecord};
pub use meaning::Meaning;
pub use plan::{BlockPlans, Plan, Values, Word};
pub use posts::{Fill, Posts};
pub use rows::{RowBuilder, RowContext};
pub use sequence::Sequence;
