//! Commands of the companion with the target of `firmware/` as C code in this process: it receives the frames of a
//! line, its trace is decoded, its answers are judged. If the target could not be built, there is nothing to test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod answers;
mod lines;
mod rkh;
mod session;
mod tband;
