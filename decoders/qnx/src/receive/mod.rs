//! Bytes to rows: `stream` keeps bytes that are not in a row yet and finds out the profile, `kev` reads the events of
//! the instrumented kernel, `classic` the records of the other two. `search` is the state of a search in
//! either, `counts` counts, `ending` says how a stream ends, `companion` is for records of ours.

mod classic;
mod companion;
mod counts;
mod ending;
mod kev;
mod search;
mod stream;

pub(crate) use stream::Stream;
