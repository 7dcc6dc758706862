//! Front ends: packets that become command lines, rows that become packets. The recorded sessions are replayed against the
//! program (`tui/tests/e2e/front_end.rs`).

use spytui_plugin_api::render::Want;
use spytui_plugin_host::kit::opt_vals;
use spytui_plugin_layer::{FrontEnd, FrontEndOutput};

use crate::common::{Stream, decode, info};

const V7: (&str, &[u8]) = ("reference", b"qspy-7.3.4");
const V8: (&str, &[u8]) = ("reference", b"qspy-8.1.3");
const ATTACH: u8 = 128;

fn open(opts: &[(&str, &[u8])]) -> Box<dyn FrontEnd> {
    spytui_decoder_qs::QsFrontEnd::open(&opt_vals(opts)).unwrap()
}

/// Packets and command lines for a packet.
fn send(front_end: &mut Box<dyn FrontEnd>, packet: &[u8]) -> (Vec<Vec<u8>>, Vec<String>) {
    let mut out = FrontEndOutput::default();
    front_end.packet(packet, &mut out);
    (out.packets, out.commands)
}

/// Packets for the rows of a stream, and the option that it asks for.
fn feed(front_end: &mut Box<dyn FrontEnd>, bytes: &[u8], style: (&str, &[u8])) -> (Vec<Vec<u8>>, String) {
    let host = decode(bytes, &vec![style], 4096);
    let mut texts = Vec::new();
    host.render(bytes, Want::TEXT, |_, out| texts.push(out.text.to_vec())).unwrap();
    let mut out = FrontEndOutput::default();
    for (row, text) in texts.iter().enumerate() {
        let raw = host.run.raw(row, bytes);
        let cfg = &host.run.cfgs[&host.run.rows[row].cfg];
        front_end.row(cfg, &host.run.row_in(row, &raw), text, &mut out);
    }
    (out.packets, out.option)
}

fn attached(opts: &[(&str, &[u8])], channels: u8) -> Box<dyn FrontEnd> {
    let mut front_end = open(opts);
    assert_eq!(send(&mut front_end, &[0, ATTACH, channels]), (vec![vec![1, ATTACH]], vec![]));
    front_end
}

/// Target info in the layout since 8: version 815 of 26-01-01, in C, sent at a reset.
fn info_8() -> Vec<u8> {
    let word = !2_601_010_815_u32;
    [&[0b0100_0110][..], &word.to_le_bytes(), &info(0xFF, 0, 4)[3..]].concat()
}

#[test]
fn front_ends_get_the_target_info_in_the_form_that_they_read() {
    let of_target = |payload: &[u8]| Stream::empty().add(64, payload).bytes.clone();
    for (payload, style) in [(info(0xFF, 734, 4), V7), (info_8(), V8)] {
        let expected = [&[1, 64], payload.as_slice()].concat();
        assert_eq!(feed(&mut attached(&[style], 2), &of_target(&payload), style).0, [expected]);
    }
    // The one of QP 8 for a front end of 7.x, and the other way round.
    let older = feed(&mut attached(&[V8, ("front-end-info", b"7")], 1), &of_target(&info_8()), V8).0;
    assert_eq!(older, [[&[1, 64], info(0xFF, 815, 4).as_slice()].concat()]);
    let newer = feed(&mut attached(&[V7, ("front-end-info", b"8")], 1), &of_target(&info(0, 734, 4)), V7).0;
    assert_eq!(newer[0][2..7], [&[0b0110][..], &(!734_u32).to_le_bytes()].concat());
    assert_eq!(newer[0].len(), 20);
}

#[test]
fn a_target_of_8_is_read_as_by_the_newer_host_unless_one_was_chosen() {
    let bytes = Stream::empty().add(64, &info_8()).bytes.clone();
    assert_eq!(feed(&mut open(&[]), &bytes, V7).1, "reference=qspy-8.1.3");
    assert_eq!(feed(&mut open(&[V7]), &bytes, V7).1, "");
    // Not when rows were sent already as by the older host.
    let mut stream = Stream::start();
    stream.stamp(5).add(64, &info_8());
    assert_eq!(feed(&mut open(&[]), &stream.bytes, V7).1, "");
}

#[test]
fn names_are_those_of_the_target_until_it_restarts() {
    let mut front_end = attached(&[V7], 2);
    let mut stream = Stream::start();
    stream.add(61, b"\x40\x10\0\x20AO_Door\0").add(54, b"\x09\x07CMD_NEW\0").add(60, b"\x05\0\0\0\0\0SIG_5\0");
    feed(&mut front_end, &stream.bytes, V7);
    let by_name = [&[1, 136, 1, 0, 0, 0, 0][..], b"AO_Door\0"].concat();
    assert_eq!(send(&mut front_end, &by_name).1, ["raw 12 0140100020"]);
    let command = [&[2, 138, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0][..], b"CMD_NEW\0"].concat();
    assert_eq!(send(&mut front_end, &command).1, ["raw 1 09010000000200000003000000"]);
    let event = [&[3, 135, 255, 0, 0, 2, 0, 0xAA, 0xBB][..], b"SIG_5\0"].concat();
    assert_eq!(send(&mut front_end, &event).1, ["raw 16 ff05000200aabb"]);
    feed(&mut front_end, &Stream::start().bytes, V7);
    let (packets, commands) = send(&mut front_end, &by_name);
    let text = String::from_utf8_lossy(&packets[0]).into_owned();
    assert!(text.ends_with("   <F-END> ERROR    Object Dictionary not found for Name=AO_Door"), "{text}");
    // The number was wrong, too, but nothing is said right after a target info.
    assert_eq!((packets.len(), commands.len()), (1, 0));
}
