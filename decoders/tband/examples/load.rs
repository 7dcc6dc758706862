//! Writes a stream of so many events to standard output: `load EVENTS`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    let events = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(2_000_000);
    io::stdout().lock().write_all(&spytui_decoder_tband::encode::load(events))
}
