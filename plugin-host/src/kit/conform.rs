//! Rules for every decoder: its description, and rows against it: in order, in range, declared.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use spytui_plugin_api::{
    AttachmentId, ByteRange, DecoderRef, Dict, Fault, Field, Info, NO_GROUP, NONE, Rendered, RenderedRow, Row,
    RowFlags, RowIn, RowKind, StreamEvent, StreamEventKind, Want,
    batch::{AttrId, DictOp},
    chunk::MAX_CHUNK,
    guard::{guard, install_hook},
    info::{DropTotals, space},
    render::{FieldFlags, Tag},
};

use super::{
    commands,
    host::{Host, Names, Sample, end_event, opt_vals, start_event},
    prints,
    random::Random,
};

/// Checks the rules of the plugin API on samples, on damaged copies of them and on random bytes; the encoder is checked
/// with random commands.
///
/// # Panics
/// A rule is broken; the message names the rule and the input.
pub fn conform(decoder: DecoderRef, samples: &[Sample<'_>]) {
    install_hook();
    if prints::are_looked_for(|| samples.iter().for_each(|sample| call_entries(decoder, sample))) {
        return;
    }
    info_is_sound(&decoder.info().unwrap_or_else(|fault| panic!("info: {fault}")));
    for sample in samples {
        noise_is_done_with_soon(decoder, sample);
        let whole = checked(decoder, sample);
        commands::commands_are_encoded(sample, &whole);
        guesses_are_sound(decoder, sample);
        let mut random = Random::new(sample.bytes.len() as u64);
        for edits in [1, 5, 25] {
            let bytes = random.damage(sample.bytes, edits);
            let name = format!("{} with {edits} edits", sample.name);
            checked(decoder, &Sample { name: &name, opts: sample.opts.clone(), bytes: &bytes });
        }
        let noise = random.bytes(20_000);
        checked(decoder, &Sample { name: "noise", opts: sample.opts.clone(), bytes: &noise });
    }
}

/// Calls the entries used for every row.
fn call_entries(decoder: DecoderRef, sample: &Sample<'_>) {
    if let Ok(host) = Host::open(decoder, &sample.opts).and_then(|host| host.stream(sample.bytes, 4096)) {
        let _ = host.render(sample.bytes, Want::all(), |_, _| ());
    }
}

/// Checks a sample. If a rule is broken, looks for a smaller input that also breaks it.
fn checked(decoder: DecoderRef, sample: &Sample<'_>) -> Host {
    let broken = |bytes: &[u8]| guard(|| Ok(check(decoder, &Sample { bytes, ..sample.clone() }))).into_result();
    let found = match broken(sample.bytes) {
        Ok(host) => return host,
        Err(found) => found,
    };
    let small = smaller(sample.bytes, |bytes| broken(bytes).is_err_and(|other| rule(&other) == rule(&found)));
    let found = broken(&small).err().unwrap_or(found);
    let text = found.text.split_once(": ").map_or(found.text.as_str(), |(_, text)| text);
    let dump = small.iter().take(64).map(|byte| format!(" {byte:02x}")).collect::<String>();
    let more = if small.len() > 64 { " …" } else { "" };
    panic!("{text}\nfound with {} of {} bytes:{dump}{more}", small.len(), sample.bytes.len())
}

/// Identifies a broken rule: place and wording of its check, without numbers.
fn rule(fault: &Fault) -> String {
    fault.text.chars().filter(|c| !c.is_ascii_digit()).take(160).collect()
}

impl Sample<'_> {
    /// What went well, or else a panic that names the sample.
    fn good<T>(&self, what: &str, result: Result<T, Fault>) -> T {
        result.unwrap_or_else(|fault| panic!("{}: {what}: {fault}", self.name))
    }
}

const TRIES: usize = 200;

/// Removes parts of an input as long as `still` holds.
fn smaller(bytes: &[u8], still: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let (mut bytes, mut tries) = (bytes.to_vec(), 0);
    let mut part = bytes.len() / 2;
    while part > 0 {
        let mut at = 0;
        while at < bytes.len() && tries < TRIES {
            tries += 1;
            let end = (at + part).min(bytes.len());
            let without = [&bytes[..at], &bytes[end..]].concat();
            if still(&without) {
                bytes = without;
            } else {
                at = end;
            }
        }
        part /= 2;
    }
    bytes
}

fn check(decoder: DecoderRef, sample: &Sample<'_>) -> Host {
    let open = || sample.good("open", Host::open(decoder, &sample.opts));
    let run = |size| sample.good("feed", open().stream(sample.bytes, size));
    let whole = run(usize::MAX);
    everything_is_in_range(sample, &whole);
    everything_is_declared(sample, &whole);
    rows_are_sound(sample, &whole);
    times_go_on(sample, &whole);
    chunking_changes_nothing(sample, &whole, [run(1), run(7), run(64), run(1000)]);
    events_may_lie_anywhere_in_a_chunk(sample, open);
    want_changes_only_activities(sample, &whole, open());
    a_fork_goes_on_alike(sample, &whole, open());
    instances_do_not_disturb_each_other(sample, &whole, open(), open());
    rendering_is_total_and_pure(sample, &whole);
    a_block_renders_as_its_rows(sample, &whole);
    whole
}

/// Bytes of noise in [`noise_is_done_with_soon`], and the time limit: a hundred times the usual in a debug build, so
/// that only sleeping or quadratic decoders exceed it.
const NOISE: usize = 50_000;
const LONG: Duration = Duration::from_secs(5);

fn noise_is_done_with_soon(decoder: DecoderRef, sample: &Sample<'_>) {
    let noise = Random::new(11).bytes(NOISE);
    let host = sample.good("open", Host::open(decoder, &sample.opts));
    let begun = Instant::now();
    // Other checks report what is wrong with its rows.
    let _ = host.stream(&noise, 4096);
    let took = begun.elapsed();
    assert!(took < LONG, "{}: {NOISE} bytes of noise take {took:.1?}: does it sleep?", sample.name);
}

fn chunking_changes_nothing(sample: &Sample<'_>, whole: &Host, others: [Host; 4]) {
    for other in others {
        assert!(whole.run.rows == other.run.rows, "{}: rows depend on chunking", sample.name);
        assert!(whole.run == other.run, "{}: what is emitted beside rows depends on chunking", sample.name);
    }
}

/// Feeds stream events of every kind in long chunks, in short chunks, and each in an empty chunk.
fn events_may_lie_anywhere_in_a_chunk(sample: &Sample<'_>, open: impl Fn() -> Host) {
    let events = some_events(sample.bytes.len() as u64);
    let run = |size: usize, alone: bool| {
        let mut host = open();
        let mut feed = |bytes: &[u8], events: &[StreamEvent]| sample.good("feed", host.feed(bytes, events));
        let (mut at, mut next) = (0, 0);
        while next < events.len() || at < sample.bytes.len() {
            if alone && next < events.len() && events[next].pos == at as u64 {
                feed(b"", &events[next..=next]);
                next += 1;
                continue;
            }
            let limit = events.get(next).filter(|_| alone).map_or(usize::MAX, |m| m.pos as usize);
            let end = (at + size).min(sample.bytes.len()).min(limit);
            let mine = if alone { 0 } else { events[next..].partition_point(|m| m.pos <= end as u64) };
            feed(&sample.bytes[at..end], &events[next..next + mine]);
            (at, next) = (end, next + mine);
        }
        host
    };
    let whole = run(MAX_CHUNK, false);
    for other in [run(37, false), run(1000, true), run(1, false)] {
        assert!(
            whole.run == other.run,
            "{}: what is emitted depends on where stream events lie in chunks",
            sample.name
        );
    }
}

/// START, random events at random positions, END.
fn some_events(len: u64) -> Vec<StreamEvent> {
    let mut random = Random::new(len ^ 77);
    let kinds = [
        StreamEventKind::TIME,
        StreamEventKind::DATAGRAM,
        StreamEventKind::LINK_DOWN,
        StreamEventKind::LINK_UP,
        StreamEventKind::HOST_LOSS,
        StreamEventKind::LINE_ERROR,
        StreamEventKind::TIME,
    ];
    let mut places: Vec<u64> = (0..3 * kinds.len()).map(|_| random.below(len as usize + 1) as u64).collect();
    places.sort_unstable();
    let mut events = vec![StreamEvent { host_ns: 1_000_000_000, ..start_event() }];
    for (i, (&pos, &kind)) in places.iter().zip(kinds.iter().cycle()).enumerate() {
        let host_ns = 1_000_000_000 + (i as u64 + 1) * 40_000_000;
        events.push(StreamEvent { pos, kind, host_ns, arg: 1 + (i as u32 & 3), ..StreamEvent::default() });
    }
    events.push(StreamEvent { host_ns: 9_000_000_000, ..end_event(len as usize) });
    events
}

fn want_changes_only_activities(sample: &Sample<'_>, whole: &Host, mut host: Host) {
    host.wants_activities = false;
    let mut host = sample.good("feed", host.stream(sample.bytes, 4096));
    assert!(host.run.activities.is_empty(), "{}: activities that nobody wanted", sample.name);
    host.run.activities.clone_from(&whole.run.activities);
    assert!(whole.run == host.run, "{}: more than activities depends on want", sample.name);
}

fn a_fork_goes_on_alike(sample: &Sample<'_>, whole: &Host, mut host: Host) {
    let go = |host: &mut Host, bytes: &[u8]| sample.good("feed", host.feed(bytes, &[]));
    let end = |mut host: Host, rest: &[u8]| {
        rest.chunks(997).for_each(|c| go(&mut host, c));
        sample.good("feed", host.feed(b"", &[end_event(sample.bytes.len())]));
        assert!(host.run == whole.run, "{}: a fork, or what it was taken from, goes on differently", sample.name);
    };
    sample.good("feed", host.feed(b"", &[start_event()]));
    let mut random = Random::new(sample.bytes.len() as u64 + 3);
    let mut places: Vec<usize> = (0..4).map(|_| random.below(sample.bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut at = 0;
    for place in places {
        sample.bytes[at..place].chunks(4096).for_each(|c| go(&mut host, c));
        at = place;
        end(sample.good("fork", host.fork()), &sample.bytes[at..]);
    }
    end(host, &sample.bytes[at..]);
}

fn instances_do_not_disturb_each_other(sample: &Sample<'_>, whole: &Host, mut a: Host, mut b: Host) {
    let mut noise = Random::new(7);
    for host in [&mut a, &mut b] {
        sample.good("feed", host.feed(b"", &[start_event()]));
    }
    for chunk in sample.bytes.chunks(513) {
        sample.good("feed", a.feed(chunk, &[]));
        sample.good("feed", b.feed(&noise.bytes(300), &[]));
    }
    sample.good("feed", a.feed(b"", &[end_event(sample.bytes.len())]));
    assert!(a.run == whole.run, "{}: two instances disturb each other", sample.name);
}

/// Renders every row forwards and backwards, twice, from four threads, without names: the results must be equal.
fn rendering_is_total_and_pure(sample: &Sample<'_>, host: &Host) {
    let all = Want::TEXT | Want::FIELDS | Want::PAYLOAD;
    let names = Names::new(&host.info);
    let (run, info, renderer) = (&host.run, &host.info, &host.renderer);
    let one = |i: usize| {
        let mut out = Rendered::default();
        sample.good(&format!("render of row {i}"), run.render_one(renderer, i, sample.bytes, &names, all, &mut out));
        fields_are_in_range(sample, info, i, &out);
        if !renderer.is_reference {
            fields_are_declared(sample, info, &run.rows[i], &out);
            let raw = run.raw(i, sample.bytes);
            rendered_is_sound(sample, i, &run.row_in(i, &raw), &out);
        }
        out
    };
    let rows = host.run.rows.len();
    let first: Vec<Rendered> = (0..rows).map(one).collect();
    if !renderer.is_reference {
        numbers_go_on(sample, host, &first);
    }
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (first, one) = (&first, &one);
            scope.spawn(move || {
                for i in (0..rows).rev().filter(|i| i % 4 == thread) {
                    let same = content(one(i).row(0)) == content(first[i].row(0));
                    assert!(same, "{}: row {i} renders differently", sample.name);
                }
            });
        }
    });
}

/// Renders rows of one configuration as a block: the result must equal that of single rows.
fn a_block_renders_as_its_rows(sample: &Sample<'_>, host: &Host) {
    let names = Names::new(&host.info);
    let (run, decoder) = (&host.run, host.decoder);
    let raws: Vec<Vec<u8>> = (0..run.rows.len()).map(|i| run.raw(i, sample.bytes)).collect();
    let inputs: Vec<RowIn<'_>> = (0..run.rows.len()).map(|i| run.row_in(i, &raws[i])).collect();
    let none = Vec::new();
    for want in [Want::TEXT, Want::FIELDS, Want::TEXT | Want::FIELDS | Want::PAYLOAD] {
        let render = |rows: &[RowIn<'_>]| {
            let cfg = run.cfgs.get(&rows[0].row.cfg).unwrap_or(&none);
            let mut out = Rendered::default();
            sample.good("render of a block", decoder.render(cfg, rows, &Dict::new(&names), want, &mut out));
            out
        };
        for block in inputs.chunk_by(|a, b| a.row.cfg == b.row.cfg) {
            let together = render(block);
            for (i, row) in block.iter().enumerate() {
                let alone = render(&[*row]);
                let (alone, together) = (content(alone.row(0)), content(together.row(i)));
                assert!(alone == together, "{}: in a block a row is rendered differently: {row:?}", sample.name);
            }
        }
    }
}

/// The content of a rendered row, independent of arena offsets.
fn content(row: RenderedRow<'_>) -> impl PartialEq + use<'_> {
    let cut = |field: &Field| {
        let plain = Field { name: ByteRange::default(), text: ByteRange::default(), ..*field };
        (field.name.of(row.blob), field.text.of(row.blob), plain)
    };
    (row.kind_word, row.text, row.payload, row.fields.iter().map(cut).collect::<Vec<_>>())
}

/// Names are unique and typeable.
fn info_is_sound(info: &Info) {
    assert!(Info::is_id(&info.id), "the id {:?} is none: {}", info.id, Info::ID_GRAMMAR);
    unique("group", info.groups.iter().map(|group| group.id));
    unique("space", info.spaces.iter().map(|space| space.id));
    unique("option", info.options.iter().map(|option| option.key.as_str()));
    // A range may contain kinds declared before it.
    unique("kind", info.kinds.iter().map(|kind| (kind.first, kind.last)));
    for kind in info.kinds.iter().filter(|kind| !kind.first.is_note()) {
        let group = kind.group == NO_GROUP || info.group(kind.group).is_some();
        assert!(group, "kind {}: group {} is not declared", kind.name, kind.group);
        for space in [kind.obj_space, kind.item_space] {
            let known = space == NONE || space < self::space::OWN || info.space(space).is_some();
            assert!(known, "kind {}: space {space} is not declared", kind.name);
        }
    }
}

fn unique<T: std::hash::Hash + Eq + std::fmt::Debug>(what: &str, all: impl Iterator<Item = T>) {
    let mut seen = HashSet::new();
    for one in all {
        let text = format!("{one:?}");
        assert!(seen.insert(one), "{what} {text} is declared twice");
    }
}

/// A guess explains no more bytes than there are.
fn guesses_are_sound(decoder: DecoderRef, sample: &Sample<'_>) {
    let noise = Random::new(5).bytes(5_000);
    for bytes in [sample.bytes, &noise, b""] {
        let guesses = sample.good("probe", decoder.probe(bytes, &opt_vals(&sample.opts)));
        let most = guesses.iter().map(|guess| guess.explained).max().unwrap_or(0);
        assert!(most <= 1000, "{}: a guess explains {most} of 1000", sample.name);
    }
}

/// Rows match the description, and notes have the attachments that their text needs.
fn rows_are_sound(sample: &Sample<'_>, host: &Host) {
    for (i, row) in host.run.rows.iter().enumerate() {
        row_is_sound(sample, host, i, row);
    }
    let has_times = host.run.rows.iter().any(|row| row.has(RowFlags::TIME_OWN));
    assert!(!has_times || !host.run.clocks.is_empty(), "{}: rows have times, and there is no clock", sample.name);
    for activity in &host.run.activities {
        let known = !format!("{:?}", activity.verb).starts_with("Verb(");
        assert!(known, "{}: row {}: verb {:?} is not known", sample.name, activity.at, activity.verb);
    }
}

fn row_is_sound(sample: &Sample<'_>, host: &Host, i: usize, row: &Row) {
    let (info, attachments) = (&host.info, host.run.attachments_of(i));
    let attachment = |id| attachments.iter().find(|attachment| attachment.id == id);
    let rule = |holds: bool, what: String| assert!(holds, "{}: row {i} at {}: {what}: {row:?}", sample.name, row.pos);
    let has_group = !row.is_record() || row.group == NO_GROUP || info.group(row.group).is_some();
    rule(has_group, format!("group {} is not declared", row.group));
    if let Some(kind) = info.kind(row.kind).filter(|kind| row.is_record() && kind.first == kind.last) {
        rule(row.group == kind.group, format!("group {}, and that of its kind is {}", row.group, kind.group));
    }
    rule(info.has_cores || matches!(row.core, 0 | NONE), format!("core {}, but no cores are declared", row.core));
    if let Some(kind) = info.kind(row.kind).filter(|_| row.is_record() && !host.renderer.is_reference) {
        let is_of_space = !row.has(RowFlags::HAS_OBJECT) || kind.obj_space != NONE;
        rule(is_of_space, "an object, and its kind has none".to_owned());
    }
    let has_lost = row.kind != RowKind::GAP || attachment(AttachmentId::LOST).is_some();
    rule(has_lost, "a gap that does not say how many are lost".to_owned());
    if let Some(expected) = attachment(AttachmentId::EXPECTED) {
        let greatest = u64::MAX.checked_shr(64 - u32::from(info.sequence_bits.min(64))).unwrap_or(0);
        let fits = expected.a.max(expected.b) <= greatest;
        rule(fits, format!("numbers {} and {} beyond {} bits", expected.a, expected.b, info.sequence_bits));
    }
    let reports = attachment(AttachmentId::DROP_TOTAL).is_none() || info.drop_totals != DropTotals::NONE;
    rule(reports, "a total of drops, and it reports none".to_owned());
}

/// Before a record earlier than the previous one of its core, there must be a note. Reference hosts write none.
fn times_go_on(sample: &Sample<'_>, host: &Host) {
    if host.renderer.is_reference {
        return;
    }
    let elsewhere = RowFlags::FRAGMENTED | RowFlags::OUT_OF_ORDER;
    let mut last: HashMap<u16, u64> = HashMap::new();
    for (i, row) in host.run.rows.iter().enumerate() {
        if !row.is_record() || row.has(RowFlags::EPOCH) {
            last.clear();
        }
        // A fragmented record is placed at its end, but has the time of its start.
        if !row.is_record() || !row.has(RowFlags::TIME_OWN) || row.flags.intersects(elsewhere) {
            continue;
        }
        let (name, time, before) = (sample.name, row.time, last.insert(row.core, row.time).unwrap_or_default());
        let goes_on = before <= time;
        assert!(goes_on, "{name}: row {i} at {}: time {time} after {before}, and no note between: {row:?}", row.pos);
    }
}

/// Between records with non-consecutive sequence numbers, there must be a note. Cores may have separate numbers.
fn numbers_go_on(sample: &Sample<'_>, host: &Host, rendered: &[Rendered]) {
    let info = &host.info;
    let bits = u32::from(info.sequence_bits);
    let mask = u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0);
    let name = if info.sequence.is_empty() { "seq" } else { &info.sequence };
    // Core and number of the last record of each core since the last note, newest last; and as of that note, as the
    // record that it announces may be late.
    let (mut last, mut before) = (Vec::<(u16, u64)>::new(), Vec::new());
    for (i, (row, out)) in host.run.rows.iter().zip(rendered).enumerate() {
        if row.has(RowFlags::OUT_OF_ORDER) {
            continue;
        }
        if !row.is_record() || row.has(RowFlags::EPOCH) || bits == 0 {
            before = std::mem::take(&mut last);
            continue;
        }
        let own = out.fields.iter().find(|field| field.name.of(&out.blob) == name.as_bytes());
        let Some(number) = own.map(|field| field.num) else { continue };
        let follows = |last: u64| number & mask == last.wrapping_add(1) & mask;
        let of_core = last.iter().find(|last| last.0 == row.core);
        let of_any = last.last().into_iter().chain(&before);
        let is_fine = of_core.is_none() || of_core.into_iter().chain(of_any).any(|last| follows(last.1));
        let (name, last_number) = (sample.name, of_core.map_or(0, |last| last.1));
        assert!(is_fine, "{name}: row {i} at {}: number {number} after {last_number}, and no note between", row.pos);
        last.retain(|last| last.0 != row.core);
        last.push((row.core, number));
    }
}

/// Fields lie within the frame.
fn rendered_is_sound(sample: &Sample<'_>, i: usize, input: &RowIn<'_>, out: &Rendered) {
    let outside = |field: &&Field| u64::from(field.byte_off) + u64::from(field.byte_len) > input.raw.len() as u64;
    let field = out.fields.iter().find(outside);
    let (pos, raw) = (input.row.pos, input.raw.as_slice());
    assert!(field.is_none(), "{}: row {i} at {pos}: a field outside of {raw:02x?}: {field:?}", sample.name);
}

/// Indices refer to rows and do not decrease; byte ranges are within the arena.
fn everything_is_in_range(sample: &Sample<'_>, host: &Host) {
    let (run, name) = (&host.run, sample.name);
    let rows = run.rows.len() as u32;
    let in_order = |list: &str, ats: Vec<u32>, end: u32| {
        assert!(ats.is_sorted(), "{name}: {list} go back");
        assert!(ats.last().is_none_or(|&at| at < end), "{name}: {list} without a row");
    };
    in_order("extras", run.attachments.iter().map(|e| e.at).collect(), rows);
    in_order("activities", run.activities.iter().map(|a| a.at).collect(), rows);
    in_order("names", run.dict.iter().map(|e| e.at).collect(), rows + 1);
    in_order("clocks", run.clocks.iter().map(|c| c.at).collect(), rows + 1);
    for event in &run.dict {
        assert!(inside(event.text, &run.bytes), "{name}: a name outside of the arena");
    }
    for e in run.attachments.iter().filter(|e| e.is_bytes) {
        let end = e.a.checked_add(e.b);
        assert!(end.is_some_and(|end| end <= run.bytes.len() as u64), "{name}: an attachment outside of the arena");
    }
    for row in &run.rows {
        assert!(run.cfgs.contains_key(&row.cfg) || row.cfg == 0, "{name}: no configuration {}", row.cfg);
    }
}

fn inside(cut: ByteRange, arena: &[u8]) -> bool {
    cut.off as usize + cut.len as usize <= arena.len()
}

/// Kinds, spaces, attachments, counters and attributes are declared, or part of the plugin API.
fn everything_is_declared(sample: &Sample<'_>, host: &Host) {
    let (info, name) = (&host.info, sample.name);
    let spaces = spaces(info);
    let named = host.run.dict.iter().filter(|e| e.op == DictOp::SET && e.space == space::KINDS);
    let named: HashSet<u64> = named.map(|e| e.key).collect();
    for row in &host.run.rows {
        let known = row.kind.is_note() || info.kind(row.kind).is_some() || named.contains(&row.kind.0.into());
        assert!(known, "{name}: kind {} is neither declared nor named", row.kind.0);
    }
    for event in &host.run.dict {
        assert!(spaces.contains(&event.space), "{name}: space {}", event.space);
        let known = event.attr <= AttrId::SIZE;
        assert!(known, "{name}: attribute {:?} is not declared", event.attr);
    }
    for activity in &host.run.activities {
        for space in [activity.sub_space, activity.obj_space, activity.item_space, activity.second_space] {
            assert!(space == NONE || spaces.contains(&space), "{name}: space {space} is not declared");
        }
    }
    for e in &host.run.attachments {
        let known = !e.id.is_own() || info.attachments.iter().any(|spec| spec.id == e.id);
        assert!(known, "{name}: attachment {} is not declared", e.id.0);
        let space = if e.id == AttachmentId::NAME_HINT { e.a as u16 } else { NONE };
        assert!(space == NONE || spaces.contains(&space), "{name}: space {space} is not declared");
    }
    for &id in host.run.counts.keys() {
        let known = info.counters.iter().any(|spec| spec.id == id);
        assert!(known, "{name}: counter {} is not declared", id.0);
    }
}

fn spaces(info: &Info) -> HashSet<u16> {
    info.spaces.iter().map(|s| s.id).chain(0..space::OWN).collect()
}

/// Fields of a rendered row have names and texts in the arena, and keys of declared spaces.
fn fields_are_in_range(sample: &Sample<'_>, info: &Info, row: usize, out: &Rendered) {
    let spaces = spaces(info);
    for field in &out.fields {
        let good = inside(field.name, &out.blob) && inside(field.text, &out.blob);
        assert!(good, "{}: a field of row {row} outside of the arena", sample.name);
        let key = [Tag::KEY, Tag::ENUM].contains(&field.tag);
        assert!(!key || spaces.contains(&field.space), "{}: field of row {row} has space {}", sample.name, field.space);
    }
}

/// Well-formed native records only have fields declared by their kind: filters rely on it.
fn fields_are_declared(sample: &Sample<'_>, info: &Info, row: &Row, out: &Rendered) {
    let Some(kind) = info.kind(row.kind).filter(|_| row.is_record() && !row.has(RowFlags::MALFORMED)) else { return };
    for field in &out.fields {
        let name = String::from_utf8_lossy(field.name.of(&out.blob));
        let known =
            field.flags.contains(FieldFlags::ELEMENT) || name == "seq" || kind.fields.iter().any(|own| *own == *name);
        assert!(known, "{}: {} does not declare its field {name}", sample.name, kind.name);
        let is_object = row.has(RowFlags::HAS_OBJECT) && (field.space, field.num) == (kind.obj_space, row.obj);
        let is_item =
            row.has(RowFlags::HAS_ITEM) && (field.space, field.num, field.scope) == (kind.item_space, row.item, 0);
        let known = field.space == NONE || is_object || is_item || kind.spaces.contains(&field.space);
        let space = info.space(field.space).map_or_else(|| field.space.to_string(), |own| own.name.to_string());
        let next = "add it with Kind::spaces, or to KindInfo::spaces";
        assert!(known, "{}: {} does not declare space {space} of its field {name}: {next}", sample.name, kind.name);
        let scope = info.space(field.space).map_or(NONE, |own| own.scope_space);
        let is_own = scope == space::CORES || matches!(field.scope, 0) || field.scope == row.obj;
        let known = scope == NONE || is_own || kind.spaces.contains(&scope);
        assert!(known, "{}: {} does not declare space {scope}, to which {name} belongs", sample.name, kind.name);
    }
}
