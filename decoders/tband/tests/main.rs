//! All tests of the decoder in one program, to link the decoder only once.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod answers;
mod common;
mod conform;
mod corpus;
mod damage;
mod fuzzing;
mod meaning;
mod native;
mod probe;
mod properties;
mod protocol;
mod reference;
mod varied;
