//! Turns frames into rows.

use spytui_plugin_api::{
    Activity, ClockEvent, NONE, Output, Row, Verb,
    batch::AttachmentId,
    info::{Guess, prop, space},
    row::{RowFlags, RowKind, Severity},
};

use crate::{
    counts::PARTS,
    frame::{Frame, hex},
    info::{OBJECTS, SINCE, TRACKS, kind},
    parts::Stretch,
    toy::Toy,
};

/// Decodes a valid frame.
pub fn frame(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    if frame.letter == b'Z' {
        reset(toy, frame, at, out);
        return;
    }
    sequence(toy, frame, at, out);
    match frame.letter {
        b'S' => state(toy, frame, at, out),
        b'N' => name(toy, frame, at, out),
        b'F' => forget(toy, frame, at, out),
        b'B' | b'P' | b'E' => part(toy, frame, at, out),
        b'M' => several(toy, frame, at, out),
        b'O' => learned(toy, frame, at, out),
        b'A' => answer(toy, frame, at, out),
        b'L' => log(toy, frame, at, out),
        b'K' => clock(toy, frame, at, out),
        b'D' => dropped(toy, frame, at, out),
        b'<' | b'>' => span(toy, frame, at, out),
        letter => {
            let kind = RowKind(kind::UNKNOWN.0 + u16::from(letter));
            record(toy, frame, kind, at, RowFlags::UNKNOWN, out);
        }
    }
}

/// A row with the frame's time and core.
fn row(toy: &Toy, frame: &Frame<'_>, kind: RowKind, (pos, len): Stretch, flags: RowFlags) -> Row {
    let time = toy.cores[usize::from(frame.core)].time;
    let group = crate::info::group_of(kind);
    let (core, cfg) = (u16::from(frame.core), toy.cfg);
    Row { pos, len, kind, group, core, cfg, flags, time: time.unwrap_or(0), ..Row::default() }
}

fn record(toy: &mut Toy, frame: &Frame<'_>, kind: RowKind, at: Stretch, flags: RowFlags, out: &mut Output<'_>) {
    out.row(row(toy, frame, kind, at, flags));
}

fn malformed(toy: &mut Toy, frame: &Frame<'_>, kind: RowKind, at: Stretch, out: &mut Output<'_>) {
    record(toy, frame, kind, at, RowFlags::MALFORMED, out);
}

/// Adds a row for a gap in the core's sequence numbers. This ends the core's open part, because more of it may be lost
/// and a row on both sides of the gap would begin before the gap's row.
fn sequence(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let core = &mut toy.cores[usize::from(frame.core)];
    let expected = core.seq.map_or(frame.seq, |seq| (seq + 1) & 15);
    core.seq = Some(frame.seq);
    let lost = u64::from(frame.seq.wrapping_sub(expected) & 15);
    if lost == 0 {
        return;
    }
    out.attachment(AttachmentId::LOST, lost, 0);
    out.attachment(AttachmentId::EXPECTED, u64::from(expected), u64::from(frame.seq));
    let gap = row(toy, frame, RowKind::GAP, (at.0, 0), RowFlags::empty());
    out.row(Row { severity: Severity::WARNING, ..gap });
    if let Some(open) = toy.parts.take(frame.core) {
        toy.give_up(&[open], at.0, out);
    }
}

/// `S ticks object level`: ticks have 16 bits and are extended to the nearest time.
fn state(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let (Some(ticks), Some(obj), Some(level)) = (frame.number(0), frame.number(1), frame.number(2)) else {
        return malformed(toy, frame, kind::STATE, at, out);
    };
    let core = &mut toy.cores[usize::from(frame.core)];
    let last = core.time;
    let time = extend(last, ticks as u16);
    core.time = Some(time);
    let flags = RowFlags::TIME_OWN | RowFlags::HAS_OBJECT;
    if let Some(last) = last.filter(|last| time < *last) {
        out.attachment(AttachmentId::SPAN, last, time);
        let note = row(toy, frame, RowKind::TIME_BACK, (at.0, 0), RowFlags::empty());
        out.row(Row { time: last, severity: Severity::WARNING, ..note });
    }
    if let Some(last) = last {
        out.attachment(SINCE, time.wrapping_sub(last), 0);
    }
    if out.wants_activities() {
        out.activity(Activity {
            core: u16::from(frame.core),
            ..Activity::new(Verb::LEVEL).obj(OBJECTS, obj).val(level)
        });
    }
    out.row(Row { obj, ..row(toy, frame, kind::STATE, at, flags) });
}

/// The time nearest to the last one with these low 16 bits.
fn extend(last: Option<u64>, ticks: u16) -> u64 {
    let Some(last) = last else { return u64::from(ticks) };
    let step = ticks.wrapping_sub(last as u16) as i16;
    last.checked_add_signed(i64::from(step)).unwrap_or(last.wrapping_add(u64::from(step as u16)))
}

fn known_space(space: u64) -> Option<u16> {
    u16::try_from(space).ok().filter(|s| [OBJECTS, TRACKS].contains(s))
}

/// `N space key name`: adds a name, valid from this row on.
fn name(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let mut words = frame.args.splitn(4, |&b| b == b' ').skip(1);
    let space = words.next().and_then(hex).and_then(known_space);
    let (key, text) = (words.next().and_then(hex), words.next());
    let (Some(space), Some(key), Some(text)) = (space, key, text) else {
        return malformed(toy, frame, kind::NAME, at, out);
    };
    out.name(space, key, 0, text);
    let flags = RowFlags::NAMING | if space == OBJECTS { RowFlags::HAS_OBJECT } else { RowFlags::empty() };
    let obj = if space == OBJECTS { key } else { 0 };
    out.row(Row { obj, ..row(toy, frame, kind::NAME, at, flags) });
}

/// `F space key` removes a name, `F space` clears the space, after this row.
fn forget(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let Some(space) = frame.number(0).and_then(known_space) else {
        return malformed(toy, frame, kind::FORGET, at, out);
    };
    record(toy, frame, kind::FORGET, at, RowFlags::NAMING, out);
    match frame.number(1) {
        Some(key) => out.remove(space, key, 0),
        None => out.clear(space),
    }
}

/// `B size hex`, `P hex`, `E hex`: a record in pieces, which may interleave with those of other cores.
fn part(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    toy.counts.add(PARTS, 1);
    if frame.letter == b'B'
        && let Some(old) = toy.parts.take(frame.core)
    {
        toy.give_up(&[old], at.0, out);
    }
    let open = toy.parts.core(frame.core);
    if open.is_none() && frame.letter != b'B' {
        let orphan = row(toy, frame, RowKind::ORPHANS, at, RowFlags::SKIPPED);
        return out.row(Row { severity: Severity::WARNING, ..orphan });
    }
    open.get_or_insert_default().add(at);
    if frame.letter == b'E' {
        let Some(open) = toy.parts.take(frame.core) else { return };
        let (last, pieces) = open.complete(out);
        record(toy, frame, kind::BLOB, last, if pieces { RowFlags::FRAGMENTED } else { RowFlags::empty() }, out);
    }
    while let Some(oldest) = toy.parts.take_excess() {
        toy.give_up(&[oldest], at.0 + u64::from(at.1), out);
    }
}

/// `M object…`: a row for each object; the first contains the bytes.
fn several(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let objects: Vec<u64> = frame.words().filter_map(hex).collect();
    if objects.is_empty() {
        return malformed(toy, frame, kind::SEVERAL, at, out);
    }
    for (i, &obj) in objects.iter().enumerate() {
        let flags = RowFlags::HAS_OBJECT | if i > 0 { RowFlags::SHARED } else { RowFlags::empty() };
        out.row(Row { obj, ..row(toy, frame, kind::SEVERAL, at, flags) });
    }
}

/// `O width=4`: the target's key width; either learned, or in conflict with the option.
fn learned(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let width = frame.words().next().and_then(|w| w.strip_prefix(b"width=")).and_then(hex);
    let Some(width) = width.and_then(|w| u8::try_from(w).ok()) else {
        return malformed(toy, frame, RowKind(kind::UNKNOWN.0 + u16::from(b'O')), at, out);
    };
    if toy.width_set.is_some_and(|set| set != width) {
        let conflict = row(toy, frame, RowKind::CONFLICT, at, RowFlags::empty());
        return out.row(Row { severity: Severity::WARNING, ..conflict });
    }
    out.attachment_bytes(AttachmentId::OPTIONS, format!("width={width}\n").as_bytes());
    out.prop(prop::OBJ_PTR, u64::from(width), b"");
    toy.configure(width, out);
    out.row(row(toy, frame, RowKind::CONFIG, at, RowFlags::empty()));
}

/// `A stage token status`: an answer to a command.
fn answer(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    if frame.number(0).is_none() || frame.number(2).is_none() {
        return malformed(toy, frame, kind::ANSWER, at, out);
    }
    record(toy, frame, kind::ANSWER, at, RowFlags::empty(), out);
}

/// `L code hex`: an application record.
fn log(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let Some(code) = frame.number(0) else { return malformed(toy, frame, kind::LOG, at, out) };
    out.row(Row { item: code, ..row(toy, frame, kind::LOG, at, RowFlags::APPLICATION | RowFlags::HAS_ITEM) });
}

/// `K num den`: conversion of ticks to ns.
fn clock(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let (Some(num), Some(den)) = (frame.number(0), frame.number(1).filter(|&d| d > 0)) else {
        return malformed(toy, frame, kind::CLOCK, at, out);
    };
    out.clock(ClockEvent { num, den, ..ClockEvent::default() });
    record(toy, frame, kind::CLOCK, at, RowFlags::NAMING, out);
}

/// `D n`: the target dropped records.
fn dropped(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let n = frame.number(0).unwrap_or(0);
    out.attachment(AttachmentId::LOST, n, 1);
    out.attachment(AttachmentId::CAUSE, 1, 0);
    let drop = row(toy, frame, RowKind::DROP, at, RowFlags::empty());
    out.row(Row { severity: Severity::WARNING, ..drop });
}

/// `< track` and `> track`: a span begins and ends.
fn span(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let Some(track) = frame.number(0) else { return malformed(toy, frame, kind::SPAN, at, out) };
    if out.wants_activities() {
        let core = u16::from(frame.core);
        let verb = if frame.letter == b'<' { Verb::BEGIN } else { Verb::END };
        out.activity(Activity { core, ..Activity::new(verb).sub(TRACKS, track).obj(space::CORES, u64::from(core)) });
    }
    out.row(Row { item: track, ..row(toy, frame, kind::SPAN, at, RowFlags::HAS_ITEM) });
}

/// `Z`: the target restarts; open parts are discarded.
fn reset(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Output<'_>) {
    let parts = toy.parts.take_all();
    toy.give_up(&parts, at.0, out);
    toy.cores = Default::default();
    toy.cores[usize::from(frame.core)].seq = Some(frame.seq);
    if out.wants_activities() {
        out.activity(Activity { core: NONE, ..Activity::new(Verb::RESET) });
    }
    let all = row(toy, frame, kind::RESET, at, RowFlags::EPOCH);
    out.row(Row { core: NONE, severity: Severity::INFO, ..all });
}

/// Guesses whether a sample is this protocol: every valid checksum is eight bits of evidence.
pub fn guess(sample: &[u8]) -> Option<Guess> {
    let lines = sample.split_inclusive(|&b| b == b'\n');
    let good: Vec<&[u8]> = lines.filter(|l| l.first() == Some(&b'$') && Frame::parse(l).is_ok()).collect();
    let bytes: usize = good.iter().map(|l| l.len()).sum();
    let width = good.iter().filter_map(|l| Frame::parse(l).ok()).rfind(|f| f.letter == b'O');
    let options = width.map_or(String::new(), |f| format!("{}\n", String::from_utf8_lossy(f.args).trim()));
    (!good.is_empty()).then(|| Guess {
        evidence_bits: 8 * good.len() as u32,
        explained: (bytes * 1000 / sample.len().max(1)) as u16,
        options: options.into(),
        why: format!("{} lines with a right check", good.len()).into(),
    })
}
