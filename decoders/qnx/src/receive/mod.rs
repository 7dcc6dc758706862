//! Bytes to rows: `stream` keeps bytes that are not in a row yet and finds out the profile, `kev` reads the events of
//! the instrumented kernel, `classic` the records of the other two. `search` is the state of a search in
//! either, `counts` counts, `companion` is for records of ours.

mod classic;
mod companion;
mod counts;
mod kev;
mod search;
mod stream;

pub(crate) use stream::Stream;

use spytui_plugin_api::RowKind;

/// How a stream ends, for now or for good: kind of the row of what is left over. `None` = more may follow.
type Ending = Option<RowKind>;
