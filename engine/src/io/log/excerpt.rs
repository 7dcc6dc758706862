//! Pieces of a log as a log of its own: bytes in a file, with the stream events of the pieces.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    ops::Range,
    path::Path,
    sync::Arc,
};

use super::{
    event::{LogEvent, kind},
    meta::{MetaHead, head_line, mark_line},
    raw::RawLog,
};

/// Replaces the content of `file` by pieces of a log, in their order, and reads it as a log that has ended. Options that
/// held before a piece hold in it; before the last one, a stream event says how much is left out.
///
/// # Errors
/// If bytes can't be read or written.
pub fn excerpt(log: &RawLog, pieces: &[Range<u64>], file: &mut File, path: &Path) -> io::Result<Arc<RawLog>> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    let mut len = 0;
    for piece in pieces {
        if log.copy_to(piece.clone(), file)? < piece.end - piece.start {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        len += piece.end - piece.start;
    }
    let own = RawLog::in_file(file.try_clone()?, path, len);
    let (mut next, mut at) = (0, 0);
    for piece in pieces {
        let mut events = Vec::new();
        next = log.all_events_from(next, piece.end.saturating_sub(1), &mut events);
        // Not every protocol numbers its records.
        let left_out = piece.start.saturating_sub(at);
        if left_out > 0 && Some(piece) == pieces.last() {
            let arg = u32::try_from(left_out).unwrap_or(u32::MAX);
            let text = b"(left out by the cut)".to_vec();
            own.take_over(LogEvent { pos: at, host_ns: 0, kind: kind::HOST_LOSS, arg, text });
        }
        let before = events.iter().rposition(|event| event.kind == kind::OPTIONS && event.pos < piece.start);
        let time = LogEvent { kind: kind::TIME, ..LogEvent::default() };
        let time = log.host_time_at(piece.start).map(|host_ns| LogEvent { host_ns, ..time });
        let in_force = before.and_then(|at| events.get(at).cloned()).into_iter().chain(time);
        let inside = events.iter().filter(|event| event.pos >= piece.start && !is_end(event)).cloned();
        for event in in_force.chain(inside) {
            own.take_over(LogEvent { pos: at + event.pos.saturating_sub(piece.start), ..event });
        }
        at += piece.end - piece.start;
    }
    own.end(0);
    Ok(own)
}

/// Each log has these two of its own.
fn is_end(event: &LogEvent) -> bool {
    matches!(event.kind, kind::START | kind::END)
}

/// Writes the `.meta` file of a log, which begins with its first byte.
///
/// # Errors
/// If writing fails.
pub fn write_meta(log: &RawLog, head: &MetaHead, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let start_ns = log.host_time_at(0).unwrap_or_default();
    out.write_all(&head_line(&MetaHead { start_ns, ..head.clone() }))?;
    let mut events = Vec::new();
    log.all_events_from(0, u64::MAX, &mut events);
    events.iter().filter(|event| !is_end(event)).try_for_each(|event| out.write_all(&mark_line(event, event.pos)))?;
    out.flush()
}
