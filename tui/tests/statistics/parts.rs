//! Streams and the pane produce the same figures, which include format files and decoders on a page.

use std::{path::Path, sync::Arc};

use serde_json::Value;
use spytui_engine::{
    analysis::statistics::{Measure, Sort, StatisticsTables, SubjectColumns},
    export::{
        replay_sink::{StatisticsSink, in_words},
        statistics::{NamedStatistics, StatisticsRequest},
    },
    io::log::{LogEvent, LogOptions, RawLog, kind},
    open::{Decoder, Options, Origin, Registry},
    store::rows::BUDGET,
    trace::list::{RowList, StatisticsWalk, Walking},
    trace::session::{Decoding, thread::DecodeLoop},
    trace::stream::Pipeline,
};
use spytui_plugin_api::{LibraryRef, Source};
use spytui_plugin_host::kit::Random;
use spytui_plugin_layer::{Check, decoder as page};

use super::{BREW, KERNEL, OVEN, kind_of, records, run, time};
use crate::pipeline::decode;

/// The decoder of a protocol.
fn decoder(proto: &str) -> Arc<Decoder> {
    let plugins: [fn() -> LibraryRef; 4] = [
        spytui_decoder_qs::plugin,
        spytui_decoder_rkh::plugin,
        spytui_decoder_tband::plugin,
        spytui_decoder_qnx::plugin,
    ];
    let mut registry = Registry::new();
    for plugin in plugins {
        registry.add(plugin(), &Origin::BuiltIn).unwrap();
    }
    registry.find(proto).unwrap()
}

/// The pane adds rows as they arrive, in pieces of any size; `spytui stats` reads a stream. Both get the same figures.
#[test]
fn the_pane_finds_live_what_a_stream_finds() {
    let mut random = Random::new(5);
    for [proto, capture] in [OVEN, ["rkh", "rkh-trazer/tests/captures/gh340-default-flip.bin"], BREW, KERNEL] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(capture);
        let (decoder, bytes) = (decoder(proto), std::fs::read(file).unwrap().repeat(3));
        let log = RawLog::new(&LogOptions::default());
        let decoding = Arc::new(Decoding::new(decoder.clone(), Options::default(), log.clone(), 0, 0, BUDGET));
        let mut decode = DecodeLoop::open(decoding.clone()).unwrap();
        let list = RowList::new(vec![decoding]);
        let mut walk = StatisticsWalk::new(&list);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, others) = rest.split_at((1 + random.below(bytes.len() / 20)).min(rest.len()));
            rest = others;
            log.append(piece, 1);
            while decode.step().unwrap() {}
            while random.below(3) > 0 && walk.work(&list) {}
        }
        while walk.work(&list) {}
        assert_eq!((walk.failure(), walk.walked()), (None, list.len()), "{capture}");
        let mut sink = StatisticsSink::new(&decoder.info);
        let mut pipeline = Pipeline::open(&decoder, &Options::default(), &[Source::default()]).unwrap();
        let sent = |kind| LogEvent { pos: 0, host_ns: 0, kind, arg: 0, text: Vec::new() };
        pipeline.feed(0, 0, b"", &[sent(kind::START)], &mut sink);
        for (at, piece) in bytes.chunks(1 << 16).enumerate() {
            pipeline.feed(0, (at << 16) as u64, piece, &[], &mut sink);
            pipeline.advance(&mut sink, |_| true).unwrap();
        }
        let mut compared = 0;
        for measure in Measure::all() {
            for by in [SubjectColumns::usual(measure), SubjectColumns::parse("kind,group,object,signal,core").unwrap()]
            {
                let wanted =
                    StatisticsRequest { measures: vec![measure], by: Some(by), ..StatisticsRequest::default() };
                let named = in_words(&decoder, pipeline.dictionary(), |wording| {
                    let all = StatisticsTables { statistics: &sink.replay, wording: *wording, clock: sink.clock() };
                    NamedStatistics::new(&all, &wanted)
                });
                let expected = named.tables.into_iter().next().unwrap();
                let mut found = walk.tables(&list, false, |all| all.table(measure, by));
                found.sort(Sort::usual(measure), false);
                assert_eq!(found, expected, "{capture} {measure:?}");
                compared += found.rows.len();
            }
        }
        assert!(compared > 50, "{capture}: {compared}");
    }
}

/// Includes spans declared by a format file, and records of a decoder on a page.
#[test]
fn format_files_and_decoders_on_a_page_take_part() {
    let folder = tempfile::tempdir().unwrap();
    let formats = folder.path().join("own.fmt");
    std::fs::write(&formats, "record qs TELEM all:bytes span(begin,own)\nrecord qs USER+9 all:bytes span(end,own)\n")
        .unwrap();
    let more = ["--fmt", formats.to_str().unwrap(), "--measure", "span"];
    let printed: Value = serde_json::from_str(&run("stats", "json", OVEN, &more)).unwrap();
    let spans = &printed["measures"][0]["rows"];
    // Spans may be nested in themselves.
    let (mut began, mut expected) = (Vec::new(), Vec::new());
    for record in records(OVEN) {
        match kind_of(&record) {
            "USER+0" => began.push(time(&record)),
            "USER+9" => expected.extend(began.pop().map(|began| time(&record) - began)),
            _ => {}
        }
    }
    assert!(!expected.is_empty());
    assert_eq!((&spans[0]["object"], &spans[0]["count"]), (&"own".into(), &expected.len().into()));
    assert_eq!(spans[0]["max"], *expected.iter().max().unwrap());

    let mut registry = Registry::new();
    registry.add(spytui_plugin_api::library!("a5", decoders: [page::<a5::A5>()]), &Origin::BuiltIn).unwrap();
    let decoder = registry.find("a5").unwrap();
    let frame = |kind: u8, sequence: u8, payload: &[u8]| {
        let content = [&[10, 0, 0, 0], payload].concat();
        let mut frame = [&[0xA5, content.len() as u8, kind, sequence][..], &content].concat();
        frame.push(Check::CRC8.of(&frame[1..]) as u8);
        frame
    };
    let bytes = [frame(3, 0, &[7, 1, 2]), frame(2, 1, &[1, 0xFE, 0xFF]), frame(2, 2, &[1, 3, 0])].concat();
    let mut sink = StatisticsSink::new(&decoder.info);
    decode(&decoder, &Options::default(), &bytes, 64, &mut sink);
    let counts: Vec<u64> = sink.replay.tally.sums(Measure::Rate).map(|(_, sum)| sum.values.count).collect();
    assert_eq!(counts, [1, 2]);
}
