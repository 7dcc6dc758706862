//! Valid and invalid lines and their frames.

use spytui_demo_target::Proto;
use spytui_plugin_api::info::AnswerStage;

use super::session::Session;

#[test]
fn a_preview_changes_nothing() {
    for proto in [Proto::Rkh, Proto::Tband] {
        let Some(mut session) = Session::new(proto) else { return };
        for begun in [false, true] {
            let lines =
                ["info", "filter =ALL", "filter -0..200", "reset", "user 1 2", "ping", "raw 3 0102030405", "filter +x"];
            let before: Vec<_> = lines.iter().map(|line| session.preview(line).map(|f| f.bytes.to_vec())).collect();
            let states = session.filter();
            for (line, before) in lines.iter().zip(&before).rev() {
                assert_eq!(session.preview(line).map(|f| f.bytes.to_vec()), *before, "{line}");
            }
            assert_eq!(session.filter(), states);
            if !begun {
                session.done("ping");
            }
        }
    }
}

#[test]
fn wrong_lines_are_refused_with_their_column() {
    let Some(rkh) = Session::new(Proto::Rkh) else { return };
    for (line, refusal) in [
        ("filter -RQX", "7: no \"RQX\" in the events: MP QUE SMA SM TMR FWK USR UT ALL N N..N"),
        ("filter -obj:burnr", "7: no \"burnr\" in the active objects; nearest: burner"),
        ("filter +SM -signal:NOTHING", "11: no \"NOTHING\" in the signals"),
        ("filter -obj:0x20009000", "7: no record reported the priority of 0x20009000 yet: give the priority, as obj:3"),
        ("filter -obj:log_timer", "7: no record reported the priority of 0x20001100 yet: give the priority, as obj:3"),
        ("filter 250", "7: the target has no event 250"),
        ("filter 256", "7: 256: numbers go from 0 to 255"),
        ("filter -signal:0..256", "7: 0..256: at most 256 at once"),
        (
            "fault flp 3",
            "6: \"flp\": flip loss noise dup burst link-rate garbage seed door flame-out incident calm; nearest: flip",
        ),
        ("user 256", "5: ID is a number from 0 to 255"),
        ("user 1 4294967296", "7: VALUE is a number from 0 to 4294967295"),
        ("raw 32", "4: OP is a number from 0 to 31"),
        ("ping 1", "5: too many arguments"),
        ("local +AO", "0: the target has no command \"local\""),
    ] {
        let error = rkh.preview(line).map(|frames| frames.frames.len()).unwrap_err();
        assert!(error.starts_with(refusal), "{line}: {error}");
    }
    let long = format!("raw 8 {}", "00".repeat(65));
    assert_eq!(rkh.preview(&long).unwrap_err(), "6: at most 64 bytes");
    let Some(tband) = Session::new(Proto::Tband) else { return };
    for (line, refusal) in [
        ("filter -tasks", "7: no \"tasks\" in the events: task isr queue marker value local ALL N N..N; nearest: task"),
        ("filter -task_name", "7: event 0x5f does not exist or is always sent"),
        ("filter -marker:nothing", "7: no \"nothing\" in the event markers"),
        ("filter 128", "7: 128: numbers go from 0 to 127"),
    ] {
        let error = tband.preview(line).map(|frames| frames.frames.len()).unwrap_err();
        assert!(error.starts_with(refusal), "{line}: {error}");
    }
}

#[test]
fn frames_are_those_of_the_description() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    let bytes = |session: &Session, line: &str| session.preview(line).unwrap().bytes.to_vec();
    assert_eq!(session.preview("ping").unwrap().frames.len(), 1, "the first ping has number 0");
    assert_eq!(session.done("ping").reason(), "version 1");
    assert_eq!(bytes(&session, "ping"), [0x7E, 0x20, 0x01, 0xC8, 0x0B, 0x7E]);
    assert_eq!(bytes(&session, "filter -SMA"), [0x7E, 0x21, 0x01, 0x02, 0x00, 0x68, 0x94, 0x7E]);
    assert_eq!(bytes(&session, "raw 1 0200"), bytes(&session, "filter -SMA"));
    assert_eq!(bytes(&session, "reset")[..7], [0x7E, 0x27, 0x01, 0x52, 0x53, 0x54, 0x21]);
    let frames = session.preview("info").unwrap();
    let frame = frames.frames[0];
    assert_eq!((frame.timeout_ms, frame.behind, frame.awaited), (200, 4096, AnswerStage::DATA.bit()));
    // Numbers count to 255, then restart at 1.
    for _ in 0..255 {
        session.done("ping");
    }
    assert_eq!(session.preview("ping").unwrap().bytes[2], 1);
}
