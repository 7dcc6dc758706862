//! Rules for every decoder.

use std::time::{Duration, Instant};

use spytui_plugin_api::{
    batch::ByteRange,
    chunk::{MAX_CHUNK, StreamEvent, StreamEventKind},
    guard::{Fault, guard, install_hook},
    render::{Dict, Field, Rendered, RenderedRow, RowIn, Want},
    table::DecoderRef,
};

use super::{
    commands,
    host::{Host, Names, Sample, end_event, start_event},
    prints,
    random::Random,
    rules,
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
    rules::info_is_sound(&decoder.info().unwrap_or_else(|fault| panic!("info: {fault}")));
    for sample in samples {
        noise_is_done_with_soon(decoder, sample);
        let whole = checked(decoder, sample);
        commands::commands_are_encoded(sample, &whole);
        rules::guesses_are_sound(decoder, sample);
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

/// Maximum number of attempts to shrink an input.
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
    let open = || Host::open(decoder, &sample.opts).unwrap_or_else(|e| panic!("{}: open: {e}", sample.name));
    let run = |size| open().stream(sample.bytes, size).unwrap_or_else(|e| panic!("{}: feed: {e}", sample.name));
    let whole = run(usize::MAX);
    ends_with_nothing_pending(sample, &whole);
    rules::everything_is_in_range(sample, &whole);
    rules::everything_is_declared(sample, &whole);
    rules::rows_are_sound(sample, &whole);
    rules::times_go_on(sample, &whole);
    chunking_changes_nothing(sample, &whole, [run(1), run(7), run(64), run(1000)]);
    events_may_lie_anywhere_in_a_chunk(sample, open);
    want_changes_only_activities(sample, &whole, open());
    accounting_holds_after_each_feed(sample, open());
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
    let host = Host::open(decoder, &sample.opts).unwrap_or_else(|e| panic!("{}: open: {e}", sample.name));
    let begun = Instant::now();
    // Other checks report what is wrong with its rows.
    let _ = host.stream(&noise, 4096);
    let took = begun.elapsed();
    assert!(took < LONG, "{}: {NOISE} bytes of noise take {took:.1?}: does it sleep?", sample.name);
}

fn ends_with_nothing_pending(sample: &Sample<'_>, host: &Host) {
    assert_eq!(host.run.pending, 0, "{}: bytes pending after END", sample.name);
    assert_eq!(host.run.counters().bytes(), sample.bytes.len() as u64, "{}: bytes in rows", sample.name);
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
        let mut feed = |bytes: &[u8], events: &[StreamEvent]| {
            host.feed(bytes, events).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        };
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
    ends_with_nothing_pending(sample, &whole);
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

fn want_changes_only_activities(sample: &Sample<'_>, whole: &Host, host: Host) {
    let mut host =
        host.without_activities().stream(sample.bytes, 4096).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
    assert!(host.run.activities.is_empty(), "{}: activities that nobody wanted", sample.name);
    host.run.activities.clone_from(&whole.run.activities);
    assert!(whole.run == host.run, "{}: more than activities depends on want", sample.name);
}

fn accounting_holds_after_each_feed(sample: &Sample<'_>, mut host: Host) {
    let feed = |host: &mut Host, bytes: &[u8], events: &[_]| {
        host.feed(bytes, events).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        let used = host.run.counters().bytes();
        assert_eq!(used + host.run.pending, host.fed(), "{}: {used} in rows + pending", sample.name);
        let max = if host.info.max_pending == 0 { 1 << 20 } else { host.info.max_pending };
        assert!(host.run.pending <= max, "{}: {} bytes pending", sample.name, host.run.pending);
    };
    feed(&mut host, b"", &[start_event()]);
    for chunk in sample.bytes.chunks(1021) {
        feed(&mut host, chunk, &[]);
    }
    feed(&mut host, b"", &[end_event(sample.bytes.len())]);
}

/// Forks instances at random positions.
fn a_fork_goes_on_alike(sample: &Sample<'_>, whole: &Host, mut host: Host) {
    let go = |host: &mut Host, bytes: &[u8]| host.feed(bytes, &[]).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
    let end = |mut host: Host, rest: &[u8]| {
        rest.chunks(997).for_each(|c| go(&mut host, c));
        host.feed(b"", &[end_event(sample.bytes.len())]).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        assert!(host.run == whole.run, "{}: a fork, or what it was taken from, goes on differently", sample.name);
    };
    host.feed(b"", &[start_event()]).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
    let mut random = Random::new(sample.bytes.len() as u64 + 3);
    let mut places: Vec<usize> = (0..4).map(|_| random.below(sample.bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut at = 0;
    for place in places {
        sample.bytes[at..place].chunks(4096).for_each(|c| go(&mut host, c));
        at = place;
        end(host.fork().unwrap_or_else(|e| panic!("{}: fork: {e}", sample.name)), &sample.bytes[at..]);
    }
    end(host, &sample.bytes[at..]);
}

fn instances_do_not_disturb_each_other(sample: &Sample<'_>, whole: &Host, mut a: Host, mut b: Host) {
    let mut noise = Random::new(7);
    for host in [&mut a, &mut b] {
        host.feed(b"", &[start_event()]).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
    }
    for chunk in sample.bytes.chunks(513) {
        a.feed(chunk, &[]).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        b.feed(&noise.bytes(300), &[]).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
    }
    a.feed(b"", &[end_event(sample.bytes.len())]).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
    assert!(a.run == whole.run, "{}: two instances disturb each other", sample.name);
}

/// Renders every row forwards and backwards, twice, from four threads, without names: the results must be equal.
fn rendering_is_total_and_pure(sample: &Sample<'_>, host: &Host) {
    let all = Want::TEXT | Want::FIELDS | Want::PAYLOAD;
    let names = Names::new(&host.info);
    let (run, info, renderer) = (&host.run, &host.info, &host.renderer);
    let one = |i: usize| {
        let mut out = Rendered::default();
        run.render_one(renderer, i, sample.bytes, &names, all, &mut out)
            .unwrap_or_else(|e| panic!("{}: render of row {i}: {e}", sample.name));
        rules::fields_are_in_range(sample, info, i, &out);
        if !renderer.is_reference() {
            rules::fields_are_declared(sample, info, &run.rows[i], &out);
            let raw = run.raw(i, sample.bytes);
            rules::rendered_is_sound(sample, i, &run.row_in(i, &raw), &out);
        }
        out
    };
    let content = |out: Rendered| (out.text.to_vec(), out.fields.to_vec(), out.blob.to_vec(), out.payload.to_vec());
    let rows = host.run.rows.len();
    let mut numbers = rules::Numbers::new(sample, host);
    let numbered = |i: usize| {
        let out = one(i);
        if !renderer.is_reference() {
            numbers.row(i, &out);
        }
        content(out)
    };
    let first: Vec<_> = (0..rows).map(numbered).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (first, one) = (&first, &one);
            scope.spawn(move || {
                for i in (0..rows).rev().filter(|i| i % 4 == thread) {
                    assert!(content(one(i)) == first[i], "{}: row {i} renders differently", sample.name);
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
            let answer = decoder.render(cfg, rows, &Dict::new(&names), want, &mut out);
            answer.unwrap_or_else(|e| panic!("{}: render of a block: {e}", sample.name));
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
