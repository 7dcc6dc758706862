//! All tests of the decoder in one program, to link the decoder only once.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod conform;
mod corpus;
mod damage;
mod drop_totals;
mod files;
mod front_end;
mod fuzzing;
mod meaning;
mod native;
mod order;
mod probe;
mod properties;
mod protocol;
mod reference;
mod sessions;
mod varied;
mod waiting;
