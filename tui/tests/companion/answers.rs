//! Answers: refusals, repeats, resets, time-outs.

use spytui_demo_target::Proto;
use spytui_plugin_api::{EncoderEventKind, info::AnswerStage};

use super::session::{ASSUMED, EVENTS, OBJECTS, OFF, ON, SECOND, SMA, Session, TRN};

#[test]
fn refusals_say_why() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    for (line, reason) in [
        ("filter -obj:200", "no such id"),
        ("filter -signal:300", "no such id"),
        ("user 200", "no such id"),
        ("raw 31", "unknown command"),
        ("raw 7 00", "bad length"),
        ("raw 1 02", "bad length"),
    ] {
        let sent = session.send(line);
        assert_eq!(sent.verdicts.last().map(|verdict| verdict.stage), Some(AnswerStage::REFUSED), "{line}");
        assert_eq!(sent.reason(), reason, "{line}");
    }
    assert!(session.answer_texts().contains(&"object seq 1: no such id".to_owned()));
    assert_eq!(session.switch(OBJECTS, 200), ASSUMED, "what was refused changed nothing");
}

#[test]
fn a_number_that_comes_again_is_answered_and_not_executed() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("ping");
    let other = session.preview("filter +SMA").unwrap();
    session.done("filter -SMA");
    let frame = other.frames[0];
    session.target.feed(frame.bytes.of(&other.bytes));
    let from = session.host.run.attachments.len();
    session.run(5);
    let answers = session.answers(from);
    assert_eq!(answers.iter().map(|a| (a.token, a.item)).collect::<Vec<_>>(), [(frame.token, 0)]);
    assert_eq!(session.counts(SMA).0, 0);
}

#[test]
fn states_that_come_late_complete_a_question() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("ping");
    let mut encoder = session.encoder.fork().unwrap();
    let frames = session.encode(&mut encoder, "info").unwrap();
    session.encoder = encoder;
    let from = session.host.run.attachments.len();
    session.target.feed(&frames.bytes);
    session.run(3);
    let answers = session.answers(from);
    assert_eq!(answers.len(), 10);
    // Some are lost on the line; the question is repeated.
    let stages: Vec<AnswerStage> =
        answers.iter().skip(1).step_by(2).map(|answer| session.encoder.answer(answer).unwrap().stage).collect();
    assert!(stages.iter().all(|stage| *stage == AnswerStage::PROGRESS));
    assert!(!session.filter().iter().any(|state| state.is_known));
    let stages: Vec<AnswerStage> = answers.iter().map(|answer| session.encoder.answer(answer).unwrap().stage).collect();
    assert_eq!(stages.iter().filter(|stage| **stage == AnswerStage::DATA).count(), 1);
    assert_eq!(session.switch(EVENTS, 67), ON);
}

#[test]
fn a_reset_is_sent_once_and_all_begins_anew() {
    for proto in [Proto::Rkh, Proto::Tband] {
        let Some(mut session) = Session::new(proto) else { return };
        session.done(if proto == Proto::Rkh { "filter -SMA" } else { "filter -queue" });
        let frames = session.preview("reset").unwrap();
        assert_eq!((frames.frames.len(), frames.frames[0].retries), (1, 0));
        assert_eq!(session.preview("info").unwrap().frames[0].retries, 3);
        session.done("reset");
        assert!(!session.filter().iter().any(|state| state.is_known && state.last != 0x7F00), "{:?}", session.filter());
        session.run(SECOND);
        assert_eq!(session.target.totals().resets, 1, "{proto:?}");
        let sent = session.done("info");
        assert_eq!(sent.stages(), [AnswerStage::DATA; 2], "a ping begins the numbers anew");
    }
}

#[test]
fn names_come_again() {
    for proto in [Proto::Rkh, Proto::Tband] {
        let Some(mut session) = Session::new(proto) else { return };
        session.done("ping");
        let named = session.named;
        session.done("dict");
        session.run(2);
        assert!(session.named > named + 5, "{proto:?}");
    }
}

#[test]
fn faults_of_the_demo_target_have_names() {
    for proto in [Proto::Rkh, Proto::Tband] {
        let Some(mut session) = Session::new(proto) else { return };
        session.done("fault burst 7");
        session.run(SECOND);
        session.done("fault garbage 50");
        session.run(SECOND);
        assert_eq!(session.target.totals().garbage, 50);
        session.done("fault door 1");
        assert_eq!(session.preview("fault seed 9").unwrap().bytes, session.preview("user 9 9").unwrap().bytes);
    }
}

#[test]
fn after_a_time_out_nothing_that_was_sent_is_known() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("filter -SM");
    let mut encoder = session.encoder.fork().unwrap();
    let frames = session.encode(&mut encoder, "filter -SMA").unwrap();
    session.encoder = encoder;
    session.encoder.event(EncoderEventKind::TIMED_OUT, frames.frames[0].token).unwrap();
    assert_eq!((session.switch(EVENTS, 67), session.switch(EVENTS, TRN)), (None, OFF));
    assert_eq!(session.preview("filter +SMA").unwrap().frames.len(), 2, "the numbers begin anew");
    session.encoder.event(EncoderEventKind::CONNECTED, 0).unwrap();
    assert_eq!((session.switch(EVENTS, 67), session.switch(EVENTS, TRN)), (ASSUMED, ASSUMED));
}
