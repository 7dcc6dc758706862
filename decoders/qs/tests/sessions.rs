//! Recorded sessions: what the reference host displayed and sent to its front end.

use crate::common::{decode, file, text};
use serde_json::Value;
use spytui_decoder_harness::{Options, same};
use spytui_plugin_api::{Rendered, render::Want};
use spytui_plugin_host::kit::Names;

const V7: (&str, &[u8]) = ("reference", b"qspy-7.3.4");

fn session(name: &str) -> Value {
    serde_json::from_slice(&file(name)).unwrap()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// All events in one direction, as separate byte strings.
fn sent(session: &Value, direction: &str) -> Vec<Vec<u8>> {
    let events = session["events"].as_array().unwrap().iter();
    events.filter(|e| e["dir"] == direction).filter_map(|e| Some(hex(e["hex"].as_str()?))).collect()
}

#[test]
fn what_the_host_showed_on_its_screen() {
    let session = session("be-session-qview.json");
    let bytes = sent(&session, "target->be").concat();
    let screen = session["host_screen"].as_str().unwrap();
    let of_records =
        |line: &&str| !line.starts_with("   <F-END>") && !line.starts_with("   <COMMS>") && !line.is_empty();
    let expected: String = screen.lines().filter(of_records).flat_map(|l| [l, "\n"]).collect();
    same("screen", &text(&bytes, &vec![V7], 4096), expected.as_bytes());
}

#[test]
fn what_the_host_sent_to_its_front_end() {
    let session = session("be-session.json");
    let bytes = sent(&session, "target->be").concat();
    // Text packets: number, 0, record, text.
    let packets: Vec<Vec<u8>> = sent(&session, "be->fe").into_iter().filter(|p| p[1] == 0).collect();
    let expected: Vec<(u8, Vec<u8>)> = packets.iter().map(|p| (p[2], p[3..].to_vec())).collect();
    let host = decode(&bytes, &vec![V7], 4096);
    let mut got = Vec::new();
    host.render(&bytes, Want::TEXT, |i, out| {
        let kind = host.run.rows[i].kind.0 as u8;
        let quiet = matches!(kind, 0 | 54 | 60..=64);
        let lines = out.text.strip_suffix(b"\n").into_iter().flat_map(|t| t.split(|&b| b == b'\n'));
        got.extend(lines.filter(|_| !quiet).map(|l| (kind, l.to_vec())));
    })
    .unwrap();
    assert_eq!(got.len(), expected.len());
    for ((kind, line), (record, packet)) in got.iter().zip(&expected) {
        assert_eq!((kind, String::from_utf8_lossy(line)), (record, String::from_utf8_lossy(packet)));
    }
}

#[test]
fn names_that_the_host_knew() {
    let golden = session("rx-golden.json");
    let bytes = hex(golden["stream_sent_to_host_hex"].as_str().unwrap());
    for opts in [vec![], vec![V7]] as [Options<'_>; 2] {
        let host = decode(&bytes, &opts, 4096);
        let mut names = Names::new(&host.info);
        host.run.dict.iter().for_each(|e| names.apply(e, e.text.of(&host.run.bytes)));
        assert_eq!((names.len(16), names.len(17), names.len(19)), (5, 5, 10));
        let mut out = Rendered::default();
        host.run.render_one(&host.renderer, 1, &bytes, &names, Want::TEXT, &mut out).unwrap();
        assert!(!out.text.is_empty());
    }
}
