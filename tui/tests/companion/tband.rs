//! Filters of Tonbandgerät.

use std::ops::RangeInclusive;

use spytui_demo_target::Proto;
use spytui_plugin_api::Row;

use super::session::{ASSUMED, EVENTS, MARKERS, OFF, ON, Session, VALUES};

const QUEUE: RangeInclusive<u16> = 0x66..=0x70;
const TASK: RangeInclusive<u16> = 0x54..=0x5E;
const CLASSES: [(&str, RangeInclusive<u16>); 5] =
    [("task", TASK), ("isr", 4..=5), ("queue", QUEUE), ("marker", 7..=9), ("value", 0x0B..=0x0B)];

#[test]
fn each_class_of_tband_goes_and_comes() {
    for (class, ids) in CLASSES {
        let Some(mut session) = Session::new(Proto::Tband) else { return };
        session.done(&format!("filter -{class}"));
        let (own, others) = session.counts(ids.clone());
        assert!(own == 0 && others > 50, "-{class}: {own} {others}");
        assert_eq!(session.done(&format!("filter +{class}")).verdicts.len(), 1);
        let (own, _) = session.counts(ids.clone());
        assert!(own > 0, "+{class}");
        assert_eq!(session.switch(EVENTS, (*ids.start()).into()), ASSUMED, "events of a class are not known");
    }
}

#[test]
fn a_whole_filter_of_tband_switches_the_rest_off() {
    let Some(mut session) = Session::new(Proto::Tband) else { return };
    session.done("filter =queue");
    let records = session.records(5);
    let mut kinds: Vec<u16> = records.iter().map(|row| row.kind.0).collect();
    kinds.sort_unstable();
    kinds.dedup();
    // Cores and drop counts are always sent.
    assert_eq!(kinds, [0, 1, 0x66, 0x67, 0x6A, 0x6F]);
    assert_eq!((session.switch(EVENTS, 0x66), session.switch(EVENTS, 0x54)), (ON, OFF));
    session.done("filter +task_switched_in");
    let kinds: Vec<u16> = session.records(5).iter().map(|row| row.kind.0).filter(|id| TASK.contains(id)).collect();
    assert!(kinds.len() > 5 && kinds.iter().all(|kind| *kind == 0x54), "{kinds:?}");
    let sent = session.done("filter =ALL");
    assert_eq!((sent.verdicts.len(), sent.remarks.len()), (1, 1));
    assert!(session.counts(TASK).1 > 50);
    session.done("filter -queue");
    session.done("filter +queue_receive");
    let kinds: Vec<u16> = session.records(15).iter().map(|row| row.kind.0).filter(|id| QUEUE.contains(id)).collect();
    assert!(kinds.len() > 5 && kinds.iter().all(|kind| *kind == 0x6A), "one event of a class that is off: {kinds:?}");
}

#[test]
fn markers_and_values_are_switched_by_name() {
    let Some(mut session) = Session::new(Proto::Tband) else { return };
    let of = |rows: &[Row], kind: u16, key: u64| rows.iter().filter(|row| row.kind.0 == kind && row.obj == key).count();
    let before = session.records(15);
    session.done("filter -marker:timer -value:\"free events\"");
    let after = session.records(15);
    let values = |rows: &[Row]| (of(rows, 0x0B, 3), of(rows, 0x0B, 0));
    assert!(values(&before).0 > 5 && values(&after).0 == 0 && values(&after).1 > 0, "{:?}", values(&after));
    assert_eq!((of(&before, 7, 6) > 0, of(&after, 7, 6)), (true, 0));
    assert_eq!((session.switch(MARKERS, 6), session.switch(VALUES, 3)), (OFF, OFF));
    session.done("filter +value:3");
    assert!(values(&session.records(15)).0 > 5);
    assert_eq!(session.send("filter -marker:64").reason(), "no such id");
    let sent = session.done("info");
    assert!(sent.reason().starts_with("version 1, 0 records dropped"), "{}", sent.reason());
    assert_eq!(session.answer_texts().last().map(String::as_str), Some("info seq 5: classes 0x3F"));
}
