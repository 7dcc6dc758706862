//! Bytes to rows: `stream` keeps bytes that are not in a row yet and finds out the profile, `kev` reads the events of
//! the instrumented kernel.

mod ending;
mod kev;
mod stream;

pub(crate) use stream::Stream;
