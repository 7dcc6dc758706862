//! Native rows and text.

use crate::common::{CAPTURES, decode, file, notes, rows};
use spytui_decoder_harness::encode::tband::{Stream, signed};
use spytui_decoder_harness::{Options, lines, lost};
use spytui_plugin_api::{
    Batch, Chunk, NONE, Row, Source,
    row::{RowFlags, RowKind},
};
use spytui_plugin_host::kit::{Host, end_event, start_event};

fn texts(stream: &Stream) -> Vec<String> {
    rows(&stream.bytes, &vec![]).into_iter().map(|r| r.1).collect()
}

#[test]
fn texts_are_the_what_of_their_rows() {
    let mut s = Stream::default();
    s.core(0, 1).resolution(25).meta(0x03, &[7], b"adc").meta(0x06, &[1], b"phase").meta(0x0A, &[2], b"rpm");
    s.event(0x04, 1, &[7], b"").event(0x07, 2, &[1], b"go").event(0x08, 2, &[1], b"").event(0x09, 3, &[1], b"");
    s.event(0x0B, 4, &[2, signed(-77)], b"").dropped(4, 0);
    let expected = [
        "core 1",
        "25 ns a tick",
        "isr 7 = adc",
        "marker 1 = phase",
        "value 2 = rpm",
        "",
        "go",
        "",
        "",
        "-77",
        "total 0",
    ];
    assert_eq!(texts(&s), expected);
    // As specified in the header.
    let mut s = Stream::default();
    s.resolution(25_000).resolution(1_000_000_000);
    assert_eq!(texts(&s)[0], "25 us a tick");
}

#[test]
fn texts_of_tasks_and_queues() {
    let mut s = Stream::default();
    s.meta(0x5F, &[1], b"Mash").meta(0x60, &[3, 0], b"").meta(0x61, &[4], b"").meta(0x65, &[2, 4], b"");
    s.meta(0x64, &[1], b"inbox").run(1, 1).event(0x59, 2, &[1], b"").event(0x5A, 3, &[15], b"");
    s.event(0x5B, 4, &[1, 3], b"").event(0x66, 5, &[1, 2], b"").event(0x67, 5, &[1, 3], b"");
    s.event(0x6C, 6, &[1], b"").event(0x6F, 7, &[9, u32::MAX.into()], b"").event(0x6D, 8, &[1, 4], b"");
    s.meta(0x7A, &[1, 0], b"step").event(0x7B, 9, &[1], b"hi").event(0x7F, 9, &[5, signed(8)], b"");
    let expected = [
        "task 1 = Mash",
        "idle task of core 0",
        "timer service task",
        "Recursive Mutex",
        "queue 1 = inbox",
        "",
        "for 1 tick",
        "until tick 15",
        "priority 3",
        "inbox  fill 2",
        "fill 3",
        "inbox  emptied",
        "queue 9  no timeout",
        "inbox  for 4 ticks",
        "marker 1 = step",
        "step  hi",
        "value 5 = 8",
    ];
    assert_eq!(texts(&s), expected);
}

#[test]
fn rows_are_about_what_their_kind_says() {
    let mut s = Stream::default();
    s.event(0x59, 0, &[4], b"").run(1, 6).event(0x59, 2, &[4], b"").event(0x66, 5, &[8, 2], b"");
    s.event(0x67, 5, &[8, 3], b"").event(0x7B, 6, &[1], b"x").event(0x07, 7, &[1], b"x").meta(0x7E, &[2, 5], b"load");
    let rows = rows(&s.bytes, &vec![]);
    let has = RowFlags::HAS_OBJECT | RowFlags::HAS_ITEM;
    let keys: Vec<_> = rows.iter().map(|(r, _)| (r.obj, r.item, r.flags & has)).collect();
    let (none, obj, both) = (RowFlags::empty(), RowFlags::HAS_OBJECT, has);
    let local = 1 | 1 << 32;
    let expected = [
        (0, 0, none),
        (6, 0, obj),
        (6, 0, obj),
        (6, 8, both),
        (8, 0, obj),
        (6, local, both),
        (1, 1, both),
        (5, 2, both),
    ];
    assert_eq!(keys, expected);
    let app: Vec<_> = rows.iter().map(|(r, _)| r.flags.intersects(RowFlags::APPLICATION)).collect();
    assert_eq!(app, [false, false, false, false, false, true, true, false]);
    assert_eq!(
        rows[7].0.flags & (RowFlags::NAMING | RowFlags::TIME_OWN | RowFlags::TIME_INHERITED),
        RowFlags::NAMING | RowFlags::TIME_INHERITED
    );
}

/// Row, number of lost records and total of each drop note; line of the next record.
fn drops(bytes: &[u8]) -> Vec<(u64, u64, u64)> {
    let host = decode(bytes, &vec![], 4096);
    let texts = lines(&host, bytes);
    let rows = &host.run.rows;
    let notes = (0..rows.len()).filter(|i| rows[*i].kind.0 == RowKind::DROP.0);
    notes
        .map(|i| {
            assert_eq!((rows[i].len, rows[i].core, rows[i + 1].kind.0), (0, NONE, 1), "{}", texts[i]);
            let total = texts[i + 1].strip_prefix("total ").unwrap().parse().unwrap();
            (rows[i + 1].time, lost(&host, i).unwrap().0, total)
        })
        .collect()
}

#[test]
fn drops_stand_where_they_happened() {
    let expected = vec![(709, 44, 44), (1205, 25, 69), (1284, 1, 70), (1395, 13, 83), (1489, 14, 97)];
    assert_eq!(drops(&file("boiler_drops.bin")), expected);
    assert_eq!(drops(&file("damaged_boiler_noise.bin")), expected);
    let host = decode(&file("boiler_drops.bin"), &vec![], 4096);
    assert_eq!(host.run.counters().dropped, 97);
    let note = notes(&file("boiler_drops.bin"), &vec![]).remove(0);
    assert_eq!(
        note,
        (RowKind::DROP.0, "44 events dropped by the target (total 44), between 0.009 and 0.018 ms".to_owned())
    );
}

#[test]
fn the_span_of_a_loss_is_in_ticks_until_the_target_reports_the_rate() {
    let mut s = Stream::default();
    s.dropped(5, 1).dropped(7, 2).resolution(1_000).dropped(1_234_567, 3).resolution(u64::MAX).dropped(u64::MAX, 4);
    let said: Vec<String> =
        notes(&s.bytes, &vec![]).into_iter().filter(|n| n.0 == RowKind::DROP.0).map(|n| n.1).collect();
    let spans: Vec<&str> = said.iter().map(|text| text.split("), ").nth(1).unwrap_or_default()).collect();
    assert_eq!(spans[..2], ["", "between ticks 5 and 7"]);
    assert_eq!(spans[2], "between 0.007 and 1 234.567 ms");
    assert!(spans[3].ends_with(" and 18 446 744 073 709 551.615 ms"), "{}", spans[3]);
}

#[test]
fn counts_that_are_no_news_say_so() {
    let counts = |bytes: &[u8], flag| {
        let rows = rows(bytes, &vec![]).into_iter().filter(|(row, _)| row.has(flag));
        rows.inspect(|(row, _)| assert_eq!((row.kind.0, row.is_record()), (0x01, true))).count()
    };
    let capture = file("boiler_drops.bin");
    assert_eq!((counts(&capture, RowFlags::UNCHANGED), counts(&capture, RowFlags::REPORTED)), (148, 5));
    let mut s = Stream::default();
    s.dropped(1, 0).dropped(2, 3).dropped(3, 3).dropped(4, 1).dropped(5, 1);
    let says: Vec<RowFlags> = rows(&s.bytes, &vec![])
        .iter()
        .map(|r| r.0)
        .filter(Row::is_record)
        .map(|r| r.flags & RowFlags::REDUNDANT)
        .collect();
    assert_eq!(
        says,
        [RowFlags::UNCHANGED, RowFlags::REPORTED, RowFlags::UNCHANGED, RowFlags::empty(), RowFlags::UNCHANGED]
    );
}

#[test]
fn a_drop_count_that_falls_is_a_reset_or_another_target() {
    let mut s = Stream::default();
    s.dropped(10, 5).dropped(20, 5).dropped(30, 2).dropped(40, 3).dropped(1, 2).dropped(2, 2).dropped(3, 1_000);
    let expected = [
        (RowKind::DROP.0, "5 events dropped by the target (total 5)"),
        (RowKind::RESTART.0, "drop count fell from 5 to 2: target reset, or another target"),
        (RowKind::DROP.0, "1 event dropped by the target (total 3), between ticks 30 and 40"),
        (RowKind::TIME_BACK.0, "time went back from tick 40 to 1, drop count from 3 to 2"),
        (RowKind::DROP.0, "2 events dropped by the target (total 2, 3 before the reset), between ticks 1 and 1"),
        (RowKind::DROP.0, "998 events dropped by the target (total 1 000), between ticks 2 and 3"),
    ];
    assert_eq!(notes(&s.bytes, &vec![]), expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn a_wrapped_drop_count_goes_on() {
    let mut s = Stream::default();
    s.dropped(1, u32::MAX.into()).dropped(2, 1);
    assert_eq!(drops(&s.bytes), [(1, u32::MAX.into(), u32::MAX.into()), (2, 2, 1)]);
}

#[test]
fn time_that_goes_back_begins_an_epoch() {
    let mut s = Stream::default();
    s.core(0, 0).event(0x04, 100, &[1], b"").event(0x04, 100, &[2], b"");
    s.core(0, 0).meta(0x03, &[1], b"new").event(0x04, 7, &[1], b"");
    let rows = rows(&s.bytes, &vec![]);
    let epochs: Vec<_> = rows.iter().filter(|r| r.0.flags.intersects(RowFlags::EPOCH)).collect();
    assert_eq!(epochs.len(), 1);
    assert_eq!((epochs[0].0.kind.0, epochs[0].1.as_str()), (RowKind::TIME_BACK.0, "time went back from tick 100 to 7"));
    assert_eq!(rows.iter().filter(|r| r.0.is_record()).count(), 6);
    let times: Vec<u64> = rows.iter().map(|r| r.0.time).collect();
    assert_eq!(times, [0, 100, 100, 0, 0, 0, 7]);
}

#[test]
fn each_core_has_its_own_time() {
    let mut s = Stream::default();
    s.core(0, 0).event(0x04, 100, &[1], b"").core(90, 1).event(0x04, 95, &[1], b"").core(101, 0);
    s.event(0x04, 102, &[1], b"").core(96, 1).event(0x04, 94, &[1], b"").core(1, 0);
    let rows = rows(&s.bytes, &vec![]);
    let cores: Vec<u16> = rows.iter().map(|r| r.0.core).collect();
    assert_eq!(cores, [0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0]);
    let back: Vec<&str> = rows.iter().filter(|r| r.0.kind.0 == RowKind::TIME_BACK.0).map(|r| r.1.as_str()).collect();
    assert_eq!(back, ["time goes back by 2 ticks", "time went back from tick 102 to 1"]);
    let epochs = rows.iter().filter(|row| row.0.has(RowFlags::EPOCH)).count();
    assert_eq!(epochs, 1);
}

/// Only a time or drop count that starts over, or names, mean a restart.
#[test]
fn a_small_step_back_is_no_restart() {
    let back = |add: &dyn Fn(&mut Stream)| -> Vec<(bool, String)> {
        let mut s = Stream::default();
        s.core(0, 0).dropped(90, 5).event(0x04, 100, &[1], b"");
        add(&mut s);
        let rows = rows(&s.bytes, &vec![]);
        let notes = rows.iter().filter(|r| r.0.kind.is_note() && r.0.kind != RowKind::DROP);
        notes.map(|r| (r.0.has(RowFlags::EPOCH), r.1.clone())).collect()
    };
    let one = |epoch: bool, text: &str| vec![(epoch, text.to_owned())];
    let event = |stamp| {
        move |s: &mut Stream| {
            s.event(0x04, stamp, &[2], b"").event(0x04, stamp + 1, &[2], b"");
        }
    };
    assert_eq!(back(&event(97)), one(false, "time goes back by 3 ticks"));
    assert_eq!(back(&event(99)), one(false, "time goes back by 1 tick"));
    assert_eq!(back(&event(50)), one(false, "time goes back by 50 ticks"));
    assert_eq!(back(&event(49)), one(true, "time went back from tick 100 to 49"));
    // A core switch alone does not start a recording.
    assert_eq!(back(&|s| event(97)(s.core(0, 0))), one(false, "time goes back by 3 ticks"));
    let named = back(&|s| event(97)(s.core(0, 0).meta(0x03, &[1], b"adc")));
    assert_eq!(named, one(true, "time went back from tick 100 to 97"));
    let counted = back(&|s| event(98)(s.dropped(97, 0)));
    assert_eq!(counted, one(true, "time went back from tick 100 to 97, drop count from 5 to 0"));
    assert_eq!(back(&|s| event(98)(s.dropped(97, 6))), one(false, "time goes back by 3 ticks"));
}

/// Notes and times of records after a series of regular events up to `last`.
fn after(last: u64, options: &Options<'_>, add: impl Fn(&mut Stream)) -> (Vec<String>, Vec<u64>) {
    let mut s = Stream::default();
    for n in 0..20 {
        s.event(0x04, last - 400 * (19 - n), &[1], b"");
    }
    add(&mut s);
    let rows = rows(&s.bytes, options);
    let notes = rows.iter().filter(|row| row.0.kind.is_note() && row.0.kind != RowKind::DROP);
    let events = rows.iter().filter(|row| row.0.has(RowFlags::TIME_OWN) && row.0.is_record());
    (notes.map(|row| row.1.clone()).collect(), events.skip(20).map(|row| row.0.time).collect())
}

fn events(stamps: &[u64]) -> impl Fn(&mut Stream) {
    move |s: &mut Stream| {
        for stamp in stamps {
            s.event(0x04, *stamp, &[1], b"");
        }
    }
}

const GUESS: &str = "counter wrapped close to 2^32; time continues: a guess, \
                     -o counter-bits=32 confirms it, counter-bits=64 denies it";

#[test]
fn a_counter_that_wraps_is_no_reset() {
    let (last, range) = (u64::from(u32::MAX) - 100, 1_u64 << 32);
    let goes_on = vec![last + 401, last + 801, range + 90_000];
    let stamps = [300, 700, 90_000];
    let found = |options: &Options<'_>| after(last, options, events(&stamps));
    assert_eq!(found(&vec![]), (vec![GUESS.to_owned()], goes_on.clone()));
    let given = "32-bit counter wrapped; time continues".to_owned();
    assert_eq!(found(&vec![("counter-bits", b"32")]), (vec![given], goes_on));
    let reset = "time went back from tick 4 294 967 195 to 300".to_owned();
    assert_eq!(found(&vec![("counter-bits", b"64")]), (vec![reset], stamps.to_vec()));
}

#[test]
fn a_reset_stays_one_where_the_counter_may_wrap() {
    let last = u64::from(u32::MAX) - 100;
    let names: &dyn Fn(&mut Stream) = &|s| events(&[300])(s.core(0, 0).meta(0x03, &[1], b"adc"));
    let count: &dyn Fn(&mut Stream) = &|s| {
        s.dropped(last, 9).dropped(300, 2);
    };
    for options in [vec![], vec![("counter-bits", b"32".as_slice())]] {
        let reset = |text: &str, notes: Vec<String>| assert_eq!(notes, [text], "{options:?}");
        reset("time went back from tick 4 294 967 195 to 300", after(last, &options, names).0);
        reset("time went back from tick 4 294 967 195 to 300, drop count from 9 to 2", after(last, &options, count).0);
        reset("time went back from tick 2 500 000 000 to 300", after(2_500_000_000, &options, events(&[300])).0);
        reset("time went back from tick 70 000 to 300", after(70_000, &options, events(&[300])).0);
        reset("time goes back by 20 ticks", after(70_000, &options, events(&[69_980])).0);
    }
    // Also after a wrap.
    let (notes, times) = after(last, &vec![], events(&[300, 700, 200_000, 200_400, 100, 500]));
    assert_eq!(notes, [GUESS, "time went back from tick 4 295 167 696 to 100"]);
    assert_eq!(times[3..], [4_295_167_696, 100, 500]);
}

#[test]
fn a_read_race_of_the_counter_is_no_step() {
    let (last, range) = (0x1_FFFF_FFA0, 1 << 32);
    let stamps: [u64; 3] = [0x2_0000_0130, 0x2_0000_02C0, 0x2_0000_0450];
    let raced = |by: i64| [stamps[0], stamps[1].wrapping_add_signed(by), stamps[2]];
    let (notes, times) = after(last, &vec![], events(&raced(-range)));
    let text = "time stamp 4 294 968 000 lacks 2^32, read before the carry of its counter: corrected; \
                -o counter-bits=32 reads the counter alone";
    assert_eq!((notes, times), (vec![text.to_owned()], stamps.to_vec()));
    let (notes, times) = after(last, &vec![], events(&raced(range)));
    let text = "time stamp 12 884 902 592 may be 2^32 too far, read at a wrap of its counter: not used; \
                -o counter-bits=32 reads the counter alone";
    assert_eq!((notes, times), (vec![text.to_owned()], vec![stamps[0], stamps[2]]));
    let given = after(last, &vec![("counter-bits", b"32")], events(&raced(range)));
    assert_eq!(given, (vec!["32-bit counter wrapped; time continues".to_owned()], stamps.to_vec()));
}

/// A core that is silent while the counter wraps, and one that appears later, have the same time as the others.
#[test]
fn all_cores_read_the_same_counter() {
    let (last, range) = (65_000, 1_u64 << 16);
    let (notes, times) = after(last, &vec![], |s| {
        s.core(last, 1).core(last, 0);
        for n in 1..400 {
            s.event(0x04, (last + n * 400) % range, &[1], b"");
        }
        s.core((last + 159_650) % range, 1).core((last + 159_650) % range, 2);
    });
    assert_eq!(notes.len(), 1);
    assert_eq!(times[times.len() - 3..], [last + 159_600, last + 159_650, last + 159_650]);
}

#[test]
fn printed_text_costs_no_record_after_a_wrap() {
    let (_, times) = after(u64::from(u32::MAX) - 100, &vec![], |s| {
        events(&[300])(s);
        s.raw(b"adc=12 ").event(0x05, 700, &[1], b"");
    });
    assert_eq!(times.len(), 2);
}

/// Core, time, and whether the time is its own, of each row.
fn times(bytes: &[u8]) -> Vec<(u16, u64, bool)> {
    rows(bytes, &vec![]).iter().map(|(row, _)| (row.core, row.time, row.has(RowFlags::TIME_OWN))).collect()
}

#[test]
fn a_core_that_is_reported_without_a_time_goes_on_with_its_own() {
    let mut s = Stream::default();
    s.core(0, 0).event(0x04, 100, &[1], b"").core(0, 1).meta(0x03, &[1], b"adc").event(0x04, 50, &[1], b"");
    s.frame(&[0x0C]).core(0, 0).raw(&[0]).event(0x04, 100, &[2], b"").core(0, 1).core(0, 0).core(0, 1);
    s.event(0x04, 50, &[2], b"").core(0, 0);
    let expected = [
        (0, 0, true),
        (0, 100, true),
        (1, 0, true),
        (1, 0, false),
        (1, 50, true),
        (1, 50, false),
        (0, 100, false),
        (0, 100, false),
        (0, 100, true),
        (1, 50, false),
        (0, 100, false),
        (1, 50, false),
        (1, 50, true),
        (0, 100, false),
    ];
    assert_eq!(times(&s.bytes), expected);
    assert!(rows(&s.bytes, &vec![]).iter().all(|(row, _)| !row.flags.intersects(RowFlags::EPOCH)));
}

/// Two lives of a dual-core target, the second with other names and another clock, up to and including its first event.
fn lives(first_core: u64, stamp: u64) -> Stream {
    let mut s = Stream::default();
    s.core(0, 0).resolution(10).meta(0x03, &[1], b"adc").core(0, 1).meta(0x03, &[1], b"dac").core(0, 0);
    s.event(0x04, 100, &[1], b"").core(90, 1).event(0x04, 90, &[1], b"").core(101, 0);
    s.core(0, 0).resolution(20).meta(0x03, &[1], b"spi").core(0, 1).meta(0x03, &[1], b"i2c").core(0, first_core);
    s.event(0x04, stamp, &[1], b"");
    s
}

#[test]
fn a_start_of_recording_belongs_to_the_epoch_of_its_events() {
    for (core, stamp, back) in [(0, 7, Some(101)), (1, 89, Some(90)), (0, 101, None), (1, 90, None)] {
        let s = lives(core, stamp);
        let all = rows(&s.bytes, &vec![]);
        let epochs: Vec<_> = (0..all.len()).filter(|i| all[*i].0.flags.intersects(RowFlags::EPOCH)).collect();
        let host = decode(&s.bytes, &vec![], 4096);
        let renamed = host.run.dict.iter().rev().find(|e| e.space == 16).map_or(0, |e| e.at as usize);
        let conflicts = all.iter().filter(|r| r.0.kind.0 == RowKind::CONFLICT.0).count();
        let Some(from) = back else {
            assert_eq!((epochs.len(), conflicts), (0, 1));
            continue;
        };
        // Before everything, not just before the event that shows it.
        assert_eq!((epochs.as_slice(), conflicts), (&[10][..], 0));
        let (row, text) = &all[10];
        assert_eq!((row.kind.0, row.core, row.time), (RowKind::TIME_BACK.0, core as u16, 0));
        assert_eq!(*text, format!("time went back from tick {from} to {stamp}"));
        assert!(renamed > 10 && host.run.clocks.iter().any(|c| c.num == 20 && c.at > 10));
        let later: Vec<u64> = all[11..].iter().map(|r| r.0.time).collect();
        assert_eq!(later, [0, 0, 0, 0, 0, 0, stamp]);
    }
}

#[test]
fn a_start_of_recording_waits_for_its_first_event() {
    let s = lives(0, 7);
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    let event = s.bytes.len() - 5;
    let held: usize = s.bytes.split_inclusive(|b| *b == 0).take(10).map(<[u8]>::len).sum();
    host.feed(&s.bytes[..event], &[start_event()]).unwrap();
    assert_eq!((host.run.rows.len(), host.run.pending as usize), (10, event - held));
    let mut other = Host::open(crate::common::decoder(), &[]).unwrap();
    other.feed(&s.bytes[..event], &[start_event(), end_event(event)]).unwrap();
    assert_eq!((other.run.rows.len(), other.run.pending), (17, 0));
    // Anything but names, or more names than a target keeps, ends the waiting: the epoch begins at the event.
    let mut s = Stream::default();
    s.core(0, 0).event(0x04, 100, &[1], b"").core(0, 0).raw(&[0]).meta(0x03, &[1], b"adc").event(0x04, 7, &[1], b"");
    let kinds: Vec<u16> = rows(&s.bytes, &vec![]).iter().map(|r| r.0.kind.0).collect();
    assert_eq!(kinds, [0, 4, 0, RowKind::BAD_FRAME.0, 3, RowKind::TIME_BACK.0, 4]);
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    let mut s = Stream::default();
    s.event(0x04, 100, &[1], b"").core(0, 0);
    for id in 0..50_000 {
        s.meta(0x06, &[id], b"many");
    }
    for chunk in s.bytes.chunks(1000) {
        host.feed(chunk, &[]).unwrap();
        assert!(host.run.pending < 70_000);
    }
    assert!(host.run.rows.len() > 40_000);
}

#[test]
fn drops_of_cores_that_come_one_after_the_other_are_counted_once() {
    let mut s = Stream::default();
    s.core(0, 0).dropped(10, 0).dropped(100, 5).core(0, 1).dropped(20, 0).dropped(90, 5).dropped(120, 7);
    let expected = [
        (RowKind::DROP.0, "5 events dropped by the target (total 5), between ticks 10 and 100"),
        (RowKind::DROP.0, "2 events dropped by the target (total 7), between ticks 90 and 120"),
    ];
    assert_eq!(notes(&s.bytes, &vec![]), expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn the_core_is_that_of_the_source_until_the_stream_reports() {
    let cores = |bytes: &[u8], core: u16| {
        let mut instance = crate::common::decoder().open(&[], &Source { core, ..Source::default() }).unwrap();
        let mut batch = Batch::default();
        let marks = [start_event(), end_event(bytes.len())];
        let chunk = Chunk {
            pos: 0,
            bytes: bytes.into(),
            events: marks.as_slice().into(),
            texts: [][..].into(),
            wants_activities: false,
        };
        instance.feed(&chunk, &mut batch).unwrap();
        let mut cores: Vec<u16> = batch.rows.iter().map(|r| r.core).collect();
        cores.dedup();
        cores
    };
    assert_eq!(cores(&file("boiler_two_core.c1.bin"), 1), [1]);
    assert_eq!(cores(&file("boiler_two_core.c1.bin"), NONE), [0]);
    assert_eq!(cores(&file("boiler_two_core.c0.bin"), 0), [0, 1, 0]);
    let mut large = Stream::default();
    large.event(0x04, 1, &[1], b"").core(2, 70_000).core(3, 5);
    assert_eq!(cores(&large.bytes, 3), [3, 0xFFFE, 5]);
}

#[test]
fn names_of_interrupts_are_those_of_their_core() {
    let host = decode(&file("boiler_two_core.c0.bin"), &vec![], 4096);
    let names: Vec<_> = host.run.dict.iter().filter(|e| e.space == 16).map(|e| (e.key, e.scope)).collect();
    assert_eq!(names, [(17, 0), (3, 0), (17, 1), (3, 1)]);
}

#[test]
fn the_clock_is_what_the_target_reports() {
    let clocks = |s: &Stream, opts: &Options<'_>| {
        let clocks = decode(&s.bytes, opts, 4096).run.clocks;
        clocks.iter().map(|c| (c.num, c.den, c.res_ns)).collect::<Vec<_>>()
    };
    let mut s = Stream::default();
    s.resolution(0).resolution(25).resolution(25).resolution(40).core(9, 0).core(1, 0).resolution(10);
    let reported = [(0, 1, 0), (25, 1, 25), (25, 1, 25), (40, 1, 40), (10, 1, 10)];
    assert_eq!(clocks(&s, &vec![]), reported);
    let texts = ["a resolution of 0 ns is ignored", "resolution is 40 ns per tick, was 25 ns"];
    let said = |kind: u16, text: &str| (kind, text.to_owned());
    let back = said(RowKind::TIME_BACK.0, "time went back from tick 9 to 1");
    assert_eq!(
        notes(&s.bytes, &vec![]),
        [said(RowKind::CONFLICT.0, texts[0]), said(RowKind::CONFLICT.0, texts[1]), back]
    );
    let mut s = Stream::default();
    s.core(9, 0);
    assert_eq!(clocks(&s, &vec![("resolution", b"5")]), [(5, 1, 5)]);
}

#[test]
fn damaged_captures_report_every_bad_frame() {
    for (name, mode) in CAPTURES {
        let bytes = file(&format!("{name}.bin"));
        let opts: Options<'_> = vec![("mode", mode.as_bytes())];
        let host = decode(&bytes, &opts, 4096);
        let expected = String::from_utf8(file(&format!("{name}.txt"))).unwrap();
        let bad: Vec<&str> = expected.lines().filter(|l| l.contains("Invalid\"")).collect();
        let texts = bad.iter().filter(|l| l.contains("utf-8")).count() as u64;
        let counters = host.run.counters();
        assert_eq!(counters.bad_frame + counters.payload_errors, bad.len() as u64, "{name}");
        assert_eq!(counters.payload_errors, texts, "{name}");
        assert_eq!(counters.records, (expected.lines().count() - bad.len()) as u64 + texts, "{name}");
    }
}

#[test]
fn a_text_that_is_no_utf_8_costs_no_event() {
    let mut s = Stream::default();
    s.event(0x07, 1, &[1], b"ab\xFF").meta(0x03, &[1], b"x\xC3");
    let host = decode(&s.bytes, &vec![], 4096);
    let broken = |row: &Row| row.is_record() && row.has(RowFlags::MALFORMED);
    assert_eq!(host.run.rows.iter().map(broken).collect::<Vec<_>>(), [true; 2]);
    assert_eq!(host.run.dict.iter().filter(|e| e.space == 16).count(), 1);
}

#[test]
fn a_link_that_breaks_gives_up_half_a_frame() {
    let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
    host.feed(&[3, 0x02, 0x0A, 0, 9, 9, 9], &[start_event()]).unwrap();
    let mark = |kind| spytui_plugin_api::StreamEvent { kind, pos: 7, ..Default::default() };
    host.feed(b"", &[mark(spytui_plugin_api::StreamEventKind::LINK_DOWN)]).unwrap();
    host.feed(&[9, 9, 0, 9, 0], &[]).unwrap();
    let kinds: Vec<u16> = host.run.rows.iter().map(|r| r.kind.0).collect();
    assert_eq!(kinds, [2, RowKind::CUT_OFF.0, RowKind::BAD_FRAME.0, RowKind::BAD_FRAME.0]);
    let all = [&[3, 0x02, 0x0A, 0, 9, 9, 9][..], &[9, 9, 0, 9, 0]].concat();
    let texts = lines(&host, &all);
    assert_eq!(texts[1], "frame cut off by the disconnect · 3 B");
    assert!(texts[2].starts_with("damaged frame, or the stream begins in the middle of one"), "{}", texts[2]);
    assert!(texts[3].starts_with("damaged frame, a code byte points past its end"), "{}", texts[3]);
}

#[test]
fn printed_text_costs_no_record() {
    let printed: [&[u8]; 3] = [b"valve open: 42 %\r\n", "größer\n".as_bytes(), b"pump 7 on\n"];
    for name in ["boiler_basic.bin", "brew_stream.bin"] {
        let bytes = file(name);
        let options = if name.starts_with("brew") { vec![] } else { vec![("mode", b"bare-metal".as_slice())] };
        let records = |bytes: &[u8]| -> Vec<(u16, u64, String)> {
            let rows = rows(bytes, &options);
            assert!(rows.iter().all(|r| r.0.kind != RowKind::BAD_FRAME), "{name}");
            let console = rows.iter().filter(|r| r.0.kind == RowKind::CONSOLE);
            assert!(console.clone().all(|r| !r.1.is_empty() && !r.1.ends_with('\n')), "{name}");
            rows.iter().filter(|r| r.0.is_record()).map(|r| (r.0.kind.0, r.0.time, r.1.clone())).collect()
        };
        let mut mixed = Vec::new();
        for (i, frame) in bytes.split_inclusive(|b| *b == 0).enumerate() {
            if i % 5 == 4 {
                mixed.extend_from_slice(printed[i % 3]);
            }
            mixed.extend_from_slice(frame);
        }
        assert_eq!(records(&mixed), records(&bytes), "{name}");
    }
    let mut s = Stream::default();
    s.event(0x04, 100, &[7], b"").raw(b"adc=12 ").event(0x05, 110, &[7], b"").raw(b"all stopped\n\0");
    assert_eq!(texts(&s), ["", "adc=12", "", "all stopped"]);
}
