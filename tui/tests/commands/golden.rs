//! Command lines to frames, byte for byte as the reference host frames the packets of its front ends.

use serde_json::Value;
use spytui_plugin_api::{Answer, Dict, EncoderEventKind, Frames, RowKind, info::AnswerStage};

use super::target::{Target, unhex};

pub(crate) const GOLDEN: &str = include_str!("../../../decoders/qs/tests/captures/rx-golden.json");

/// A target that sent these dictionaries; the next frame has number `seq`.
pub(crate) fn target_at(dictionaries: &[u8], seq: u8) -> Target {
    let mut target = Target::of("qs", dictionaries);
    (1..seq).for_each(|_| assert_eq!(target.send("info").unwrap().frames.len(), 1));
    target
}

/// The line for each step of the golden run; text after `;` is sent first in the same session.
pub(crate) const LINES: &[(usize, &str)] = &[
    (1, "info"),
    (2, "command 3 10 20 126"),
    (3, "tick 0"),
    (4, "peek 16 2 8"),
    (5, "poke 4 2 0x1234 0xabcd"),
    (6, "fill 0 1 16 0x5a"),
    (7, "test setup"),
    (8, "test teardown"),
    (9, "test probe 0x08000148 42"),
    (10, "test probe Motor_on 7"),
    (11, "test probe nobody 7"),
    (12, "filter =SM"),
    (13, "filter =ALL"),
    (14, "filter =SM -ALL"),
    (15, "local =AO"),
    (16, "local +obj:0x20001000"),
    (17, "local -obj:0x20001040"),
    (18, "local +obj:AO_Door"),
    (19, "local -obj:AO_Motor"),
    (20, "local +obj:AO_Ghost"),
    (21, "current ap 0x20001100"),
    (22, "current sm AO_Motor"),
    (23, "current ao AO_Door"),
    (24, "current ap AO_Motor"),
    (25, "current sm+ao AO_Door"),
    (26, "current 9 AO_Door"),
    (27, "current ao nothing"),
    (28, "test continue"),
    (29, "query ao"),
    (30, "event 2 6 1 0x7e 3"),
    (31, "event publish 5"),
    (32, "event dispatch SIG_5"),
    (33, "event init SIG_4 hex:7d7e0001"),
    (34, "event current SIG_BIG 0xaa 0xbb; current sm+ao AO_Door"),
    (35, "event publish SIG_ESC"),
    (36, "event current SIG_7_motor; current sm+ao AO_Door"),
    (37, "event publish SIG_NONE"),
    (39, "command CMD_NEW 1 2 3"),
    (40, "command CMD_OLD 1 2 3"),
    (41, "raw 17 0102"),
    (42, "raw 100 010203"),
    (46, "info"),
    (49, "info"),
    (50, "tick 0"),
    (51, "tick 1"),
    (52, "reset"),
    (53, "reset"),
    (54, "info"),
    (55, "local +obj:AO_Door"),
    (57, "info"),
];

/// From here on the reference host has no dictionaries.
const AFTER_RESET: usize = 54;

/// Steps whose packets the reference host sends although they name something unknown, something of another object, or
/// no kind of object; refused here.
pub(crate) const REFUSED_HERE: [usize; 3] = [26, 36, 37];
/// Steps for the reference host itself, or with a truncated packet.
const NOT_FOR_THE_TARGET: [usize; 8] = [0, 38, 43, 44, 45, 47, 48, 56];

#[test]
fn every_golden_frame_is_made() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let dictionaries = unhex(golden["stream_sent_to_host_hex"].as_str().unwrap());
    let steps = golden["steps"].as_array().unwrap();
    assert_eq!(LINES.len() + NOT_FOR_THE_TARGET.len(), steps.len());
    for (step, lines) in LINES {
        let reported = &steps[*step];
        let expected = reported["target_frame_hex"].as_str().unwrap();
        let (line, before) = lines.split_once("; ").unwrap_or((lines, ""));
        let seq = if expected.is_empty() { 1 } else { unhex(&expected[..2])[0] };
        let dictionaries = if *step < AFTER_RESET { dictionaries.as_slice() } else { &[] };
        let mut target = target_at(dictionaries, seq - u8::from(!before.is_empty()));
        if !before.is_empty() {
            target.send(before).unwrap();
        }
        let sent = target.send(line);
        let name = format!("step {step}, {}: {line}", reported["command"]);
        if expected.is_empty() || REFUSED_HERE.contains(step) {
            assert!(sent.is_err(), "{name}: {sent:?}");
            continue;
        }
        let sent = sent.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(sent.bytes.as_slice(), unhex(expected), "{name}");
        assert_eq!(sent.frames.len(), 1, "{name}");
    }
}

#[test]
fn wrong_lines_are_refused_with_their_column() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let mut target = target_at(&unhex(golden["stream_sent_to_host_hex"].as_str().unwrap()), 1);
    for (line, refusal) in [
        ("", "0: a command is missing: "),
        ("infos", "0: the target has no command \"infos\"; nearest: info"),
        ("info 1", "5: too many arguments"),
        ("tick 256", "5: RATE is a number from 0 to 255"),
        ("peek 0 3 1", "7: \"3\": 1 2 4"),
        ("peek 0 2", "8: COUNT is missing: a number from 1 to 255"),
        ("poke 0 1 256", "9: at most 0xff: the target has 1 bytes for it"),
        ("poke 0 1", "8: VALUES is missing: a number from 0 to 4294967295"),
        ("test probe nobody 1", "11: no name \"nobody\" in the dictionary: "),
        (
            "current ao AO_Dor",
            "11: no name \"AO_Dor\" in the dictionary: a name of objects, or a number; nearest: AO_Door",
        ),
        ("event AO_Door SIG_7_motor", "14: the signal belongs to another object"),
        ("event current SIG_BIG", "14: the signal belongs to an object: name it, or set it with current sm+ao NAME"),
        ("event publish 5 300", "16: \"300\": bytes are 0 to 255"),
        ("event publish 70000", "14: at most 0xffff: the target has 2 bytes for it"),
        ("filter", "6: give what to change: +WORD on, -WORD off, =WORD this alone"),
        ("filter +SMM", "7: no \"SMM\" in the global filter: "),
        ("filter -", "7: \"-\": a word of the global filter is missing: SM AO "),
        ("local -obj:", "6: \"-obj:\": a word of the active objects is missing"),
        ("local -AO_Door", "6: no \"AO_Door\" in the local filter: AO EP EQ AP ALL N N..N; nearest: obj:AO_Door"),
        (
            "filter -kind:Tran",
            "7: no \"kind:Tran\" in the global filter: SM AO EQ MP QF TE SC SEM MTX U0 U1 U2 U3 U4 UA ALL N N..N; \
             nearest: Tran",
        ),
        ("filter +SM AO", "11: \"AO\": begin it with + (on) or - (off)"),
        ("filter +SM =AO", "11: = is for the first word"),
        ("filter 200", "7: 200: numbers go from 0 to 124"),
        ("local =obj:AO_Door", "6: objects can be added and removed only"),
        ("event publish \"SIG", "14: the closing quote is missing"),
        ("raw 1 0", "6: BYTES are two hexadecimal digits each"),
    ] {
        let error = target.send(line).unwrap_err();
        assert!(error.starts_with(refusal), "{line}: {error}");
    }
    assert_eq!(target.send("info").unwrap().bytes[0], 1, "a refused line has no number");
}

/// The filter lines in the table of `docs/commands.md`, with objects of this target.
#[test]
fn the_lines_of_the_description_are_taken() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let stream = unhex(golden["stream_sent_to_host_hex"].as_str().unwrap());
    let of = |line: &str| target_at(&stream, 1).send(line).map(|frames| frames.bytes.to_vec());
    let doc = include_str!("../../../docs/commands.md");
    let mut count = 0;
    for row in doc.lines().filter(|row| row.contains("`:target filter ") || row.contains("`:target local ")) {
        let mut command = "";
        for span in row.split('`').skip(1).step_by(2) {
            let words = match span.strip_prefix(":target ").and_then(|line| line.split_once(' ')) {
                Some((of, words)) => {
                    command = of;
                    words
                }
                None if span.starts_with(['+', '-', '=']) && span.len() > 1 && !command.is_empty() => span,
                None => continue,
            };
            let line = format!("{command} {}", words.replace("NAME", "AO_Door"));
            assert!(of(&line).is_ok(), "{line}: {:?}", of(&line));
            count += 1;
        }
    }
    assert!(count >= 7, "{count} lines");
    assert_eq!(of("filter =SM AO"), of("filter =SM +AO"));
    assert_ne!(of("filter =SM AO"), of("filter =SM"));
}

/// The local filter is the one for objects.
#[test]
fn objects_behind_the_global_filter_go_to_the_local_one() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let stream = unhex(golden["stream_sent_to_host_hex"].as_str().unwrap());
    let of = |line: &str| target_at(&stream, 1).send(line).unwrap().bytes.to_vec();
    assert_eq!(of("filter -obj:AO_Door"), of("local -obj:AO_Door"));
    let parsed = target_at(&stream, 1).parse("filter -obj:AO_Door").unwrap();
    assert_eq!(parsed.remark, "sent as target local");
    assert_eq!(target_at(&stream, 1).parse("local -obj:AO_Door").unwrap().remark, "");
    // Both at once are invalid.
    assert!(target_at(&stream, 1).send("filter -SM -obj:AO_Door").unwrap_err().contains("in the global filter"));
}

#[test]
fn a_named_object_gets_an_event_as_the_current_one() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let mut target = target_at(&unhex(golden["stream_sent_to_host_hex"].as_str().unwrap()), 1);
    let frames = target.send("event AO_Door SIG_BIG").unwrap();
    let each: Vec<&[u8]> = frames.frames.iter().map(|frame| frame.bytes.of(&frames.bytes)).collect();
    assert_eq!(each.len(), 2);
    assert_eq!(each[0][..7], [1, 13, 1, 0x40, 0x10, 0x00, 0x20]);
    assert_eq!(each[1][..7], [2, 16, 253, 0x22, 0x11, 0, 0]);
}

/// The mask of a filter frame.
fn mask(frames: &Frames) -> u128 {
    let bytes: Vec<u8> = frames.bytes[3..19].to_vec();
    u128::from_le_bytes(bytes.try_into().unwrap())
}

#[test]
fn changes_of_a_filter_need_something_to_begin_with() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let mut target = target_at(&unhex(golden["stream_sent_to_host_hex"].as_str().unwrap()), 1);
    let seen = [RowKind(14), RowKind(16)];
    let parsed = target.parse("filter +SEM").unwrap();
    let mut frames = Frames::default();
    target.encoder.encode(&parsed.command(&[], &seen), &Dict::new(&()), &mut frames).unwrap();
    // The group seen, what is named, and application records; of the others only failure reports.
    let expected = mask(&frames);
    let has = |bit: u64| expected >> bit & 1 == 1;
    assert!((10..=18).chain([45, 47]).chain(71..=74).chain(100..=124).all(has), "{expected:x}");
    assert!(![1, 19, 25, 26, 32, 48, 75].into_iter().any(has), "{expected:x}");
    assert!(frames.remarks.iter().any(|text| text.contains(": SM, EQ, MP, QF, ") || text.contains(" of SM, ")));
    assert!(frames.remarks.iter().any(|text| text.contains("unknown")), "{:?}", frames.remarks);
    // Nothing is known before the target has acknowledged it.
    assert!(target.encoder.filter().unwrap().is_empty());
    let answer = Answer { token: 10, stage: AnswerStage::ACCEPTED, ..Answer::default() };
    target.encoder.answer(&answer).unwrap();
    let states = target.encoder.filter().unwrap();
    let is_on = |bit: u64| states.iter().any(|state| state.is_on && (state.first..=state.last).contains(&bit));
    assert!(is_on(14) && is_on(71) && is_on(15) && !is_on(26) && is_on(124));
    let next = target.send("filter -SEM").unwrap();
    assert_eq!(mask(&next), expected & !(0b1111 << 71));
    // A reset forgets everything.
    target.encoder.event(EncoderEventKind::RESET, 0).unwrap();
    assert!(target.encoder.filter().unwrap().is_empty());
    assert_eq!(target.send("info").unwrap().bytes[0], 1);
}
