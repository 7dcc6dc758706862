//! Frames to rows.

use spytui_plugin_api::{
    Act, ClockEvent, NONE, Out, Row, Verb,
    batch::{count, extra},
    info::{Guess, prop, space},
    row::{flag, note, severity},
};

use crate::{
    counts::PARTS,
    decode::Toy,
    frame::{Frame, hex},
    info::{OBJECTS, SINCE, TRACKS, kind},
    parts::Stretch,
};

/// Decodes one good frame.
pub fn frame(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
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
        b'O' => learnt(toy, frame, at, out),
        b'A' => answer(toy, frame, at, out),
        b'L' => log(toy, frame, at, out),
        b'K' => clock(toy, frame, at, out),
        b'D' => dropped(toy, frame, at, out),
        b'<' | b'>' => span(toy, frame, at, out),
        letter => {
            toy.counts.add(count::UNKNOWN, 1);
            record(toy, frame, kind::UNKNOWN + u16::from(letter), at, 0, out);
        }
    }
}

/// A row with time and lane of its frame.
fn row(toy: &Toy, frame: &Frame<'_>, kind: u16, (pos, len): Stretch, flags: u32) -> Row {
    let time = toy.lanes[usize::from(frame.lane)].time;
    let known = if time.is_some() { flag::TIME_KNOWN } else { 0 };
    let group = crate::info::group_of(kind);
    let (lane, cfg, flags) = (u16::from(frame.lane), toy.cfg, flags | known);
    Row { pos, len, kind, group, lane, cfg, flags, time: time.unwrap_or(0), ..Row::default() }
}

fn record(toy: &mut Toy, frame: &Frame<'_>, kind: u16, at: Stretch, flags: u32, out: &mut Out<'_>) {
    toy.counts.add(count::RECORDS, 1);
    out.row(row(toy, frame, kind, at, flags));
}

fn malformed(toy: &mut Toy, frame: &Frame<'_>, kind: u16, at: Stretch, out: &mut Out<'_>) {
    toy.counts.add(count::PAYLOAD, 1);
    record(toy, frame, kind, at, flag::MALFORMED, out);
}

/// A jump of the lane's numbering becomes a row of its own.
fn sequence(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let lane = &mut toy.lanes[usize::from(frame.lane)];
    let expected = lane.seq.map_or(frame.seq, |seq| (seq + 1) & 15);
    lane.seq = Some(frame.seq);
    let lost = u64::from(frame.seq.wrapping_sub(expected) & 15);
    if lost == 0 {
        return;
    }
    toy.counts.add(count::GAPS, 1);
    toy.counts.add(count::LOST, lost);
    out.extra(extra::LOST, lost, 0);
    out.extra(extra::EXPECTED, u64::from(expected), u64::from(frame.seq));
    let gap = row(toy, frame, note::GAP, (at.0, 0), flag::NOTE | flag::LOSS_BEFORE);
    out.row(Row { severity: severity::WARNING, ..gap });
}

/// `S ticks object level`: ticks are 16 bits and extended to the nearest time.
fn state(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let (Some(ticks), Some(obj), Some(level)) = (frame.number(0), frame.number(1), frame.number(2)) else {
        return malformed(toy, frame, kind::STATE, at, out);
    };
    let lane = &mut toy.lanes[usize::from(frame.lane)];
    let last = lane.time;
    let time = extend(last, ticks as u16);
    lane.time = Some(time);
    let mut flags = flag::TIME_OWN | flag::HAS_OBJ;
    if let Some(last) = last {
        flags |= if time < last { flag::TIME_BACK } else { 0 };
        out.extra(SINCE, time.wrapping_sub(last), 0);
    }
    if out.wants_acts() {
        out.act(Act { lane: u16::from(frame.lane), ..Act::new(Verb::LEVEL).obj(OBJECTS, obj).val(level) });
    }
    toy.counts.add(count::RECORDS, 1);
    out.row(Row { obj, ..row(toy, frame, kind::STATE, at, flags) });
}

/// The time nearest to the last one that ends in these 16 bits.
fn extend(last: Option<u64>, ticks: u16) -> u64 {
    let Some(last) = last else { return u64::from(ticks) };
    let step = ticks.wrapping_sub(last as u16) as i16;
    last.checked_add_signed(i64::from(step)).unwrap_or(last.wrapping_add(u64::from(step as u16)))
}

fn known_space(space: u64) -> Option<u16> {
    u16::try_from(space).ok().filter(|s| [OBJECTS, TRACKS].contains(s))
}

/// `N space key name`: names also its own row.
fn name(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let mut words = frame.args.splitn(4, |&b| b == b' ').skip(1);
    let space = words.next().and_then(hex).and_then(known_space);
    let (key, text) = (words.next().and_then(hex), words.next());
    let (Some(space), Some(key), Some(text)) = (space, key, text) else {
        return malformed(toy, frame, kind::NAME, at, out);
    };
    out.name(space, key, 0, text);
    toy.counts.add(count::RECORDS, 1);
    let flags = flag::NAMING | if space == OBJECTS { flag::HAS_OBJ } else { 0 };
    let obj = if space == OBJECTS { key } else { 0 };
    out.row(Row { obj, ..row(toy, frame, kind::NAME, at, flags) });
}

/// `F space key` removes a name, `F space` clears the space; its own row still has it.
fn forget(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let Some(space) = frame.number(0).and_then(known_space) else {
        return malformed(toy, frame, kind::FORGET, at, out);
    };
    record(toy, frame, kind::FORGET, at, flag::NAMING, out);
    match frame.number(1) {
        Some(key) => out.remove(space, key, 0),
        None => out.clear(space),
    }
}

/// `B size hex`, `P hex`, `E hex`: one record in pieces, those of other lanes between them.
fn part(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    toy.counts.add(PARTS, 1);
    if frame.letter == b'B'
        && let Some(old) = toy.parts.take(frame.lane)
    {
        toy.give_up(&[old], at.0, out);
    }
    let open = toy.parts.lane(frame.lane);
    if open.is_none() && frame.letter != b'B' {
        toy.counts.add(count::ORPHANS, 1);
        let orphan = row(toy, frame, note::ORPHANS, at, flag::NOTE | flag::SKIPPED | flag::LOSS_BEFORE);
        return out.row(Row { severity: severity::WARNING, ..orphan });
    }
    open.get_or_insert_default().add(at);
    if frame.letter == b'E' {
        let Some(open) = toy.parts.take(frame.lane) else { return };
        let (last, pieces) = open.complete(out);
        record(toy, frame, kind::BLOB, last, if pieces { flag::PIECES } else { 0 }, out);
    }
    while let Some(oldest) = toy.parts.take_excess() {
        toy.give_up(&[oldest], at.0 + u64::from(at.1), out);
    }
}

/// `M object…`: a row for each object; the first has the bytes.
fn several(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let objects: Vec<u64> = frame.words().filter_map(hex).collect();
    if objects.is_empty() {
        return malformed(toy, frame, kind::SEVERAL, at, out);
    }
    for (i, &obj) in objects.iter().enumerate() {
        let flags = flag::HAS_OBJ | if i > 0 { flag::SHARED } else { 0 };
        toy.counts.add(count::RECORDS, 1);
        out.row(Row { obj, ..row(toy, frame, kind::SEVERAL, at, flags) });
    }
}

/// `O width=4`: what the target says its keys are; contradicts what the user set, or is learnt.
fn learnt(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let width = frame.words().next().and_then(|w| w.strip_prefix(b"width=")).and_then(hex);
    let Some(width) = width.and_then(|w| u8::try_from(w).ok()) else {
        return malformed(toy, frame, kind::UNKNOWN + u16::from(b'O'), at, out);
    };
    if toy.width_set.is_some_and(|set| set != width) {
        let conflict = row(toy, frame, note::CONFLICT, at, flag::NOTE);
        return out.row(Row { severity: severity::WARNING, ..conflict });
    }
    out.extra_bytes(extra::OPTIONS, format!("width={width}\n").as_bytes());
    out.prop(prop::OBJ_PTR, u64::from(width), b"");
    toy.configure(width, out);
    out.row(row(toy, frame, note::CONFIG, at, flag::NOTE));
}

/// `A stage token status`; a token of `-` is for the oldest command waiting.
fn answer(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    if frame.number(0).is_none() || frame.number(2).is_none() {
        return malformed(toy, frame, kind::ANSWER, at, out);
    }
    record(toy, frame, kind::ANSWER, at, 0, out);
}

/// `L code hex`: an application record.
fn log(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let Some(code) = frame.number(0) else { return malformed(toy, frame, kind::LOG, at, out) };
    toy.counts.add(count::RECORDS, 1);
    out.row(Row { aux: code, ..row(toy, frame, kind::LOG, at, flag::APP | flag::HAS_AUX) });
}

/// `K num den`: ticks to ns.
fn clock(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let (Some(num), Some(den)) = (frame.number(0), frame.number(1).filter(|&d| d > 0)) else {
        return malformed(toy, frame, kind::CLOCK, at, out);
    };
    out.clock(ClockEvent { num, den, bits: 16, ..ClockEvent::default() });
    record(toy, frame, kind::CLOCK, at, flag::NAMING, out);
}

/// `D n`: the target dropped records.
fn dropped(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let n = frame.number(0).unwrap_or(0);
    toy.counts.add(count::DROPPED, n);
    out.extra(extra::LOST, n, 1);
    out.extra(extra::CAUSE, 1, 0);
    let drop = row(toy, frame, note::DROP, at, flag::NOTE | flag::LOSS_BEFORE);
    out.row(Row { severity: severity::WARNING, ..drop });
}

/// `< track` and `> track`: a span begins and ends.
fn span(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let Some(track) = frame.number(0) else { return malformed(toy, frame, kind::SPAN, at, out) };
    if out.wants_acts() {
        let lane = u16::from(frame.lane);
        let verb = if frame.letter == b'<' { Verb::BEGIN } else { Verb::END };
        out.act(Act { lane, ..Act::new(verb).sub(TRACKS, track).obj(space::LANES, u64::from(lane)) });
    }
    toy.counts.add(count::RECORDS, 1);
    out.row(Row { aux: track, ..row(toy, frame, kind::SPAN, at, flag::HAS_AUX) });
}

/// `Z`: the target starts again; open parts are given up.
fn reset(toy: &mut Toy, frame: &Frame<'_>, at: Stretch, out: &mut Out<'_>) {
    let parts = toy.parts.take_all();
    toy.give_up(&parts, at.0, out);
    toy.lanes = Default::default();
    toy.lanes[usize::from(frame.lane)].seq = Some(frame.seq);
    toy.counts.add(count::EPOCHS, 1);
    toy.counts.add(count::RECORDS, 1);
    if out.wants_acts() {
        out.act(Act { lane: NONE, ..Act::new(Verb::RESET) });
    }
    let all = row(toy, frame, kind::RESET, at, flag::EPOCH);
    out.row(Row { lane: NONE, severity: severity::INFO, ..all });
}

/// Whether a sample is this protocol: every good check is eight bits of evidence.
#[must_use]
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
