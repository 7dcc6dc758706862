//! Filters of RKH.

use spytui_demo_target::Proto;
use spytui_plugin_api::{FilterState, Row, info::AnswerStage};

use super::session::{ASSUMED, EVENTS, OBJECTS, OFF, ON, SIGNALS, SM, SMA, Session, TRN};

#[test]
fn a_group_of_rkh_goes_and_comes() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    assert_eq!(session.switch(EVENTS, 67), ASSUMED);
    let sent = session.done("filter -SMA");
    assert_eq!(sent.stages(), [AnswerStage::DATA, AnswerStage::ACCEPTED], "a ping comes first");
    assert_eq!(sent.verdicts[0].reason, "", "the line is about something else");
    let (sma, others) = session.counts(SMA);
    assert!(sma == 0 && others > 100, "{sma} {others}");
    assert_eq!((session.switch(EVENTS, 67), session.switch(EVENTS, TRN)), (OFF, ASSUMED));
    let sent = session.done("filter +SMA");
    assert_eq!(sent.verdicts.len(), 1);
    assert!(session.counts(SMA).0 > 20);
    assert_eq!(session.switch(EVENTS, 67), ON);
}

#[test]
fn one_event_of_a_group_that_is_off_comes_alone() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("filter -SM");
    session.done("filter +SM.TRN");
    let kinds: Vec<u16> = session.records(5).iter().map(|row| row.kind.0).filter(|kind| SM.contains(kind)).collect();
    assert!(kinds.len() > 5 && kinds.iter().all(|kind| u64::from(*kind) == TRN), "{kinds:?}");
    session.done("filter +SM -SM.TRN");
    let kinds: Vec<u16> = session.records(5).iter().map(|row| row.kind.0).collect();
    assert!(kinds.contains(&101) && !kinds.contains(&98));
}

#[test]
fn a_whole_filter_of_rkh_switches_the_rest_off() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("filter =SM");
    let (sm, others) = session.counts(SM);
    assert!(sm > 50 && others == 0, "{sm} {others}");
    assert_eq!((session.switch(EVENTS, TRN), session.switch(EVENTS, 67)), (ON, OFF));
    session.done("filter =ALL");
    let (sm, others) = session.counts(SM);
    assert!(sm > 50 && others > 50, "{sm} {others}");
    session.done("filter =BOILER +193");
    let kinds: Vec<u16> = session.records(20).iter().map(|row| row.kind.0).collect();
    assert!(kinds.len() > 3 && kinds.iter().all(|kind| [192, 193].contains(kind)), "{kinds:?}");
}

#[test]
fn objects_are_named_and_switched_by_priority() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    let burner = 0x2000_1080;
    assert_eq!(session.switch(OBJECTS, burner), ASSUMED);
    let before = session.records(14).iter().filter(|row| SM.contains(&row.kind.0) && row.obj == burner).count();
    session.done("filter -obj:burner");
    let of_burner = |rows: Vec<Row>| {
        let sm = rows.into_iter().filter(|row| SM.contains(&row.kind.0));
        sm.fold((0, 0), |(own, others), row| if row.obj == burner { (own + 1, others) } else { (own, others + 1) })
    };
    let (own, others) = of_burner(session.records(14));
    assert!(before > 0 && own == 0 && others > 0, "{before} {own} {others}");
    assert_eq!(session.switch(OBJECTS, burner), OFF);
    assert_eq!(session.switch(OBJECTS, 0x2000_1000), ASSUMED);
    session.done("filter +obj:burner");
    assert!(of_burner(session.records(14)).0 > 0);
    // No command switches all objects.
    assert_eq!(session.done("filter =obj:burner").verdicts.len(), 64);
    let (own, others) = of_burner(session.records(14));
    assert!(own > 0 && others == 0, "{own} {others}");
}

#[test]
fn signals_are_switched_by_name_and_number() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    let with = |rows: &[Row], signal: u64| rows.iter().filter(|row| row.kind.0 == 67 && row.item == signal).count();
    let frames = session.preview("filter -signal:TEMPERATURE").unwrap();
    let signal = u64::from(frames.bytes[9]);
    let before = session.records(16);
    session.done("filter -signal:TEMPERATURE");
    let after = session.records(16);
    assert!(with(&before, signal) > 3 && with(&after, signal) == 0);
    assert_eq!(session.switch(SIGNALS, signal), OFF);
    session.done(&format!("filter +signal:{signal}"));
    assert!(with(&session.records(16), signal) > 3);
}

#[test]
fn what_is_read_back_is_what_was_set() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("filter -SMA -SM.TRN -BOILER -obj:pump");
    let before = session.filter();
    let sent = session.done("info");
    assert_eq!(sent.stages(), [AnswerStage::DATA]);
    assert!(sent.reason().starts_with("version 1, 0 records dropped, ring peak "), "{}", sent.reason());
    let after = session.filter();
    let events = |states: &[FilterState]| {
        let switches = states.iter().filter(|state| state.table == EVENTS);
        switches.flat_map(|s| (s.first..=s.last).map(|id| (id, s.is_on))).collect::<Vec<_>>()
    };
    assert_eq!(events(&before), events(&after));
    assert!(after.iter().filter(|state| state.table == EVENTS).all(|state| state.is_known));
    assert_eq!((session.switch(EVENTS, 67), session.switch(EVENTS, 192)), (OFF, OFF));
    // Objects can't be read back.
    assert_eq!(session.switch(OBJECTS, 0x2000_1040), OFF);
    let texts = session.answer_texts();
    assert_eq!(texts[..3], ["ping seq 0: 1 state follows", "ping seq 0: version 1", "group seq 1: done"]);
    let last: Vec<&str> = texts.iter().rev().take(10).rev().map(String::as_str).collect();
    assert_eq!(last[..2], ["info seq 5: 9 states follow", "info seq 5: version 1"]);
    assert_eq!(last[4], "info seq 5: groups 0xFB");
}
