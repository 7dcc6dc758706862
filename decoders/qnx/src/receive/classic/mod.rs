//! The classic trace logs. `receiver` takes bytes, `search` says where records lie, `record` makes rows of them.

mod receiver;
mod record;
mod search;

pub(crate) use receiver::ClassicLog;
