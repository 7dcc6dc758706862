//! Repeats the events of a `.kev` file after a single header, with continuous buffer numbers and clocks, and writes
//! them to standard output: `repeat FILE BYTES`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(size)) = (args.next(), args.next().and_then(|size| size.parse().ok())) else {
        return Err(io::Error::other("repeat FILE BYTES"));
    };
    let trace = spytui_decoder_harness::encode::qnx::repeated(&std::fs::read(file)?, size);
    io::stdout().lock().write_all(&trace.ok_or_else(|| io::Error::other("it has no header"))?)
}
