//! A decoder that panics in mid-stream only ends itself: its rows stay, every byte is accounted for, an earlier fork
//! continues, and the session accepts another decoder.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    decode::instance_host::InstanceHost,
    export::{Jsonl, NativeRows},
    io::log::{LogEvent, LogOptions, RawLog, kind},
    open::{Decoder, Options},
    store::Counters,
    trace::session::{Session, SessionOptions},
};
use spytui_plugin_api::{
    Batch, Rendered, Row, Source, Want,
    batch::AttachmentId,
    row::{RowFlags, RowKind},
};
use spytui_testing_decoder::stream::{Writer, mixed};

use super::common::{decoder, first, library, stream};

fn panics(at: &str) -> (Arc<Decoder>, Options) {
    let decoder = decoder(library("panics"));
    let options = Options::parse(&decoder.info, &[format!("at={at}")]).unwrap();
    (decoder, options)
}

fn instance(at: &str) -> InstanceHost {
    let (decoder, options) = panics(at);
    InstanceHost::new(decoder.table.open(&options.vals(), &Source::default()).unwrap(), &decoder.info, 0)
}

/// Feeds bytes and adds up the counters.
fn feed(instance: &mut InstanceHost, counters: &mut Counters, pos: u64, bytes: &[u8], events: &[LogEvent]) -> Batch {
    let mut batch = Batch::default();
    instance.feed(pos, bytes, events, &mut batch);
    counters.add(&batch, bytes.len() as u64, instance.pending());
    assert!(counters.adds_up(), "{counters:?}");
    batch
}

#[test]
fn a_panic_in_mid_stream_becomes_a_row_and_the_sum_is_right() {
    let (mut instance, mut counters) = (instance("bytes"), Counters::default());
    feed(&mut instance, &mut counters, 0, b"abc", &[]);
    let mut fork = instance.fork().unwrap();
    let mut fork_counters = counters.clone();

    let batch = feed(&mut instance, &mut counters, 3, b"de!fg", &[]);
    let kinds: Vec<RowKind> = batch.rows.iter().map(|r| r.kind).collect();
    assert_eq!(kinds, [RowKind(0), RowKind(0), RowKind::FAULT], "the rows before the panic stand");
    assert_eq!((batch.rows[2].pos, batch.rows[2].len), (5, 3));
    assert_eq!(
        batch.attachments.iter().filter(|e| e.id == AttachmentId(64)).count(),
        2,
        "nothing of the row that never came"
    );
    assert!(instance.fault().unwrap().text.contains("asked to panic in bytes"));
    assert!(instance.fork().is_err());

    let batch = feed(&mut instance, &mut counters, 8, b"hij", &[]);
    assert_eq!((batch.rows.len(), batch.rows[0].kind, batch.rows[0].len), (1, RowKind::FAULT, 3));
    assert_eq!((counters.rows.records, counters.rows.skipped_bytes), (5, 6));

    let batch = feed(&mut fork, &mut fork_counters, 3, b"klm", &[]);
    assert_eq!((batch.rows.len(), fork.fault()), (3, None), "the fork taken before is good");
}

#[test]
fn a_panic_at_a_mark_keeps_what_came_before_it() {
    let (mut instance, mut counters) = (instance("event"), Counters::default());
    let error = LogEvent { pos: 2, host_ns: 0, kind: kind::LINE_ERROR, arg: 1, text: Vec::new() };
    let batch = feed(&mut instance, &mut counters, 0, b"abcd", &[error]);
    let kinds: Vec<RowKind> = batch.rows.iter().map(|r| r.kind).collect();
    assert_eq!((kinds, batch.rows[2].len), (vec![RowKind(0), RowKind(0), RowKind::FAULT], 2));
}

#[test]
fn link_rows_go_on_after_a_fault() {
    let (mut instance, mut counters) = (instance("bytes"), Counters::default());
    feed(&mut instance, &mut counters, 0, b"a!b", &[]);
    let down = LogEvent { pos: 5, host_ns: 0, kind: kind::LINK_DOWN, arg: 0, text: Vec::new() };
    let batch = feed(&mut instance, &mut counters, 3, b"xyz1", &[down]);
    let kinds: Vec<RowKind> = batch.rows.iter().map(|r| r.kind).collect();
    assert_eq!(kinds, [RowKind::FAULT, RowKind::LINK, RowKind::FAULT]);
}

#[test]
fn a_row_that_cannot_be_rendered_costs_one_row() {
    let (decoder, _) = panics("nowhere");
    let text = |at: &str, single: bool| {
        let mut out = Vec::new();
        let opts = [format!("at={at}")];
        let opts: Vec<&str> = opts.iter().map(String::as_str).collect();
        if single {
            stream(&decoder, &opts, b"a!b", 10, &mut Jsonl::new(&mut out));
        } else {
            stream(&decoder, &opts, b"a!b", 10, &mut NativeRows::new(&mut out));
        }
        String::from_utf8(out).unwrap()
    };
    for single in [false, true] {
        let (good, bad) = (text("nowhere", single), text("render", single));
        // Jsonl begins with a version line.
        let rows = |text: &'_ str| text.lines().skip(usize::from(single)).map(str::to_owned).collect::<Vec<_>>();
        let (good, bad) = (rows(&good), rows(&bad));
        assert_eq!((bad.len(), &bad[0], &bad[2]), (3, &good[0], &good[2]));
        assert!(bad[1].contains("not rendered") && bad[1].contains("asked to panic in render"), "{}", bad[1]);
        assert!(!bad[1].contains("half"), "{}", bad[1]);
    }
}

/// Rows of a block are passed on together if only text is wanted.
#[test]
fn in_a_block_the_rows_around_a_bad_one_are_rendered() {
    use spytui_engine::trace::stream::Sink;
    #[derive(Default)]
    struct Lines(Vec<String>);
    impl Sink for Lines {
        fn want(&self) -> Want {
            spytui_plugin_api::render::Want::TEXT
        }
        fn block(&mut self, rows: &[Row], rendered: &Rendered) -> std::io::Result<()> {
            let texts = (0..rows.len()).map(|row| String::from_utf8_lossy(rendered.row(row).text).into_owned());
            self.0.extend(texts);
            Ok(())
        }
    }
    let (decoder, _) = panics("nowhere");
    let mut lines = Lines::default();
    stream(&decoder, &["at=render"], b"a!!b!", 10, &mut lines);
    let good: Vec<bool> = lines.0.iter().map(|l| l.starts_with("half a byte")).collect();
    assert_eq!(good, [true, false, false, true, false], "{:?}", lines.0);
}

#[test]
fn open_parts_are_accounted_for_when_the_decoder_fails() {
    let (mut instance, mut counters) = (instance("bytes"), Counters::default());
    let batch = feed(&mut instance, &mut counters, 0, b"a(b)c(d", &[]);
    assert_eq!((batch.rows.len(), counters.pending_bytes, instance.oldest_pending()), (5, 1, 5));
    let batch = feed(&mut instance, &mut counters, 7, b"e!fg", &[]);
    let fault = batch.rows.last().unwrap();
    assert_eq!((fault.kind, fault.pos, fault.len, fault.has(RowFlags::FRAGMENTED)), (RowKind::FAULT, 8, 3, true));
    let pieces: Vec<_> =
        batch.attachments.iter().filter(|e| e.id == AttachmentId::FRAGMENT).map(|e| (e.at, e.a, e.b)).collect();
    assert_eq!(pieces, [(1, 5, 1)], "the open part is in the fault's row");
    assert_eq!((counters.pending_bytes, counters.rows.skipped_bytes), (0, 4));
}

#[test]
fn a_feed_that_breaks_the_contract_is_refused_as_a_whole() {
    let (mut instance, mut counters) = (instance("nowhere"), Counters::default());
    feed(&mut instance, &mut counters, 0, b"ab", &[]);
    let batch = feed(&mut instance, &mut counters, 2, b"cd<e", &[]);
    assert_eq!((batch.rows.len(), batch.rows[0].kind, batch.rows[0].len), (1, RowKind::FAULT, 4));
    assert_eq!(batch.attachments.len(), 1, "only the text of the fault's row");
    let text = batch.attachments[0].bytes(&batch.bytes);
    let text = std::str::from_utf8(text).unwrap();
    assert!(text.contains("broke the contract: a row at 0 after one at 3"), "{text}");
    let batch = feed(&mut instance, &mut counters, 6, b"xy", &[]);
    assert_eq!((batch.rows.len(), batch.rows[0].len), (1, 2));
}

#[test]
fn bytes_lost_here_are_not_waited_for() {
    let mut writer = Writer::new(1);
    writer.frame(1, "B 4 0102").frame(2, "B 4 aabb").frame(0, "S 1 2 3").frame(1, "P 03").frame(0, "S 2 2 4");
    let mut bytes = writer.bytes.clone();
    bytes.extend_from_slice(b"$00S");
    let toy = first(library("plugin"));
    let mut instance = InstanceHost::new(toy.open(&[], &Source::default()).unwrap(), &toy.info().unwrap(), 0);
    let mut counters = Counters::default();
    feed(&mut instance, &mut counters, 0, &bytes, &[]);
    assert_eq!(instance.oldest_pending(), 0, "the oldest open part is needed");
    let loss = LogEvent { pos: 5000, host_ns: 0, kind: kind::HOST_LOSS, arg: 0, text: Vec::new() };
    feed(&mut instance, &mut counters, 5000, b"", &[loss]);
    let end = LogEvent { pos: 5000, host_ns: 0, kind: kind::END, arg: 0, text: Vec::new() };
    feed(&mut instance, &mut counters, 5000, b"", &[end]);
    assert_eq!((counters.pending_bytes, instance.fault()), (0, None));
    assert_eq!(instance.oldest_pending(), 5000);
}

fn wait_for(session: &Session) -> Arc<spytui_engine::trace::session::Decoding> {
    let begun = Instant::now();
    loop {
        let decoded = session.current();
        if decoded.pos() == session.log().len() && !decoded.is_empty() {
            return decoded;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "decoding does not end");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_session_outlives_its_decoder() {
    let log = RawLog::new(&LogOptions::default());
    log.append(b"abc!def", 1);
    let (wake, _news) = crossbeam_channel::bounded(1);
    let (decoder_a, options) = panics("bytes");
    let session = Session::start(log.clone(), decoder_a, options, SessionOptions::default(), wake).unwrap();
    let decoded = wait_for(&session);
    {
        let state = decoded.read();
        assert!(state.fault.as_ref().unwrap().text.contains("asked to panic in bytes"));
        assert!(state.counters.adds_up(), "{:?}", state.counters);
        assert_eq!((state.rows.len(), state.rows.row(3).unwrap().kind), (4, RowKind::FAULT));
    }
    log.append(b"more", 2);
    let decoded = wait_for(&session);
    assert!(decoded.read().counters.adds_up());

    let bytes = decoder(library("plugin-two"));
    session.switch(bytes, Options::default()).unwrap();
    assert!(!Arc::ptr_eq(&session.current(), &decoded), "it is there at once");
    let begun = Instant::now();
    while session.current().len() != 11 {
        assert!(begun.elapsed() < Duration::from_secs(20), "no switch");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(session.current().read().fault.is_none());
}

#[test]
fn a_session_that_cannot_fork_its_decoder_still_decodes() {
    let log = RawLog::new(&LogOptions::default());
    log.append(&[b'x'; 200_000], 1);
    let (wake, _news) = crossbeam_channel::bounded(1);
    let (decoder, options) = panics("fork");
    let session = Session::start(log.clone(), decoder, options, SessionOptions::default(), wake).unwrap();
    let decoded = wait_for(&session);
    assert_eq!((decoded.len(), decoded.read().fault.as_ref()), (200_000, None));
    assert!(decoded.ensure_loaded(0) && decoded.ensure_loaded(199_999));
}

#[test]
fn a_session_decodes_dropped_rows_again_through_the_library() {
    let log = RawLog::new(&LogOptions::default());
    let bytes = mixed(7, 120_000);
    log.append(&bytes, 1);
    let (wake, _news) = crossbeam_channel::bounded(1);
    let toy = decoder(library("plugin"));
    let settings = SessionOptions { memory: 1, ..SessionOptions::default() };
    let session = Session::start(log.clone(), toy.clone(), Options::default(), settings, wake).unwrap();
    let decoded = wait_for(&session);
    let whole = {
        let mut host = spytui_plugin_host::kit::Host::open(toy.table, &[]).unwrap();
        host.feed(b"", &[spytui_plugin_host::kit::start_event()]).unwrap();
        bytes.chunks(65_536).for_each(|c| host.feed(c, &[]).unwrap());
        host.run.rows
    };
    assert_eq!(decoded.len(), whole.len() as u64);
    for n in (0..whole.len()).step_by(997) {
        assert!(decoded.ensure_loaded(n as u64), "row {n} can't be decoded again");
        assert_eq!(decoded.read().rows.row(n as u64), Some(whole[n]), "row {n}");
    }
}

#[test]
fn a_session_says_what_was_gone_before_it_began() {
    let log = RawLog::new(&LogOptions { memory: 1 << 20, spool: None });
    let bytes = mixed(7, 3 << 20);
    log.append(&bytes, 1);
    let begun = Instant::now();
    while log.first() < 1 << 20 {
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing goes");
        std::thread::sleep(Duration::from_millis(2));
    }
    let (wake, _news) = crossbeam_channel::bounded(1);
    let toy = decoder(library("plugin"));
    let settings = SessionOptions { memory: 1, ..SessionOptions::default() };
    let session = Session::start(log.clone(), toy, Options::default(), settings, wake).unwrap();
    let decoded = wait_for(&session);
    let loss = |n: u64| decoded.read().rows.row(n).is_some_and(|row| row.kind == RowKind::HOST_LOSS);
    assert!(decoded.ensure_loaded(0));
    assert!((0..3).any(loss), "{:?}", decoded.read().rows.row(0));
    assert!(decoded.read().counters.adds_up(), "{:?}", decoded.read().counters);
    assert!(decoded.ensure_loaded(decoded.len() - 1));
}

/// Contract §4, "Learned options": late reports apply from the beginning of their epoch.
#[test]
fn what_the_target_reports_late_holds_from_the_beginning() {
    use spytui_engine::trace::list::{RenderRequest, RowList, RowRenderer};
    let decoder = decoder(library("plugin"));
    let mut stream = Writer::new(1);
    stream.frame(0, "S 10 7 1").frame(0, "O width=6").frame(0, "S 12 7 1");
    let log = RawLog::new(&LogOptions::default());
    log.append(&stream.bytes, 1);
    log.end(2);
    let (wake, news) = crossbeam_channel::bounded(1);
    let start =
        |options| Session::start(log.clone(), decoder.clone(), options, SessionOptions::default(), wake.clone());
    let objects = |session: &Session| {
        let patience = Instant::now() + Duration::from_secs(10);
        while session.current().pos() < log.len() && Instant::now() < patience {
            let _ = news.recv_timeout(Duration::from_millis(20));
        }
        let (current, mut objects) = (session.current(), Vec::new());
        let ask =
            RenderRequest { want: Want::TEXT, view: spytui_engine::store::View::AsOf, short: false, before: None };
        let list = RowList::new(vec![current]);
        RowRenderer::default().views(&list, 0..list.len(), ask, |_, item| {
            objects.push(String::from_utf8_lossy(item.rendered.text).into_owned());
            true
        });
        objects
    };
    let session = start(Options::default()).unwrap();
    let patience = Instant::now() + Duration::from_secs(10);
    while session.current().learned.is_empty() && Instant::now() < patience {
        let _ = news.recv_timeout(Duration::from_millis(20));
    }
    let learned = objects(&session);
    assert!(learned[0].contains("000007") && learned[2].contains("000007"), "{learned:?}");
    assert_eq!(session.current().learned.len(), 1);

    let reported = start(Options::parse(&decoder.info, &["width=4"]).unwrap()).unwrap();
    let set = objects(&reported);
    assert!(set[0].contains("0007") && !set[0].contains("000007"), "what the user set stays: {set:?}");
    assert!(reported.current().learned.is_empty());
}
