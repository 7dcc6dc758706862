//! Shared parts of decoders apart from framing. Independent of any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `sequence` | 8-bit sequence numbers, and the totals that settle their gaps |
//! | `drops` | what the target reports that it dropped, and the gaps in which that is |
//! | `plan` | values of a record, plans for records of fixed length |
//! | `posts` | posts and gets of events, paired |
//! | `rows` | rows other than records: notes, skipped bytes; configurations reported so far |
//! | `pattern` | fields by name, line patterns parsed at compile time; activities of records, as columns of their table |
//! | `value` | numbers and texts of a record |
//! | `number` | numbers and bytes as text |

mod drops;
pub mod number;
pub mod pattern;
mod plan;
mod posts;
mod rows;
mod sequence;
pub mod value;

pub use drops::{DROPS, DropField, DropRecord, has_wrapped};
pub use pattern::Meaning;
pub use plan::{BlockPlans, Plan, Values, Word};
pub use posts::{Fill, Posts};
pub use rows::{ConfigRegistry, RowBuilder, RowContext};
pub use sequence::Sequence;
