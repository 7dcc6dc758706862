//! Parts shared by decoders, except framing. Independent of any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `sequence` | 8-bit sequence numbers, and the drop totals that settle their gaps |
//! | `drops` | finds reported drop totals, and applies them to gaps |
//! | `plan` | values of a record, plans for fixed-length records |
//! | `posts` | pairs posts and gets of events |
//! | `rows` | rows other than records: notes, skipped bytes; reported configurations |
//! | `pattern` | fields by name, line patterns parsed at compile time; activities in record tables |
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
