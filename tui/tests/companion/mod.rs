//! Commands of the companion against the target of `firmware/`, as C code in this process: the frames of a line go to it, its
//! trace is decoded, its answers are judged. Where the target could not be built, there is nothing to test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod answers;
mod lines;
mod rkh;
mod session;
mod tband;
