//! A console beside the trace: its lines are rows, and what is typed reaches it.

use std::{
    io::{Read, Write},
    net::TcpListener,
};

use crate::{
    port::Port,
    rig::{bytes_of, folder, spytui},
};

#[test]
fn a_console_beside_the_trace_shows_lines_and_gets_what_is_typed() {
    let folder = folder();
    let (trace, shell) = (folder.path().join("ttyTRACE"), folder.path().join("ttySHELL"));
    let (mut board, mut console) = (Port::plug(&trace), Port::plug(&shell));
    let with_rate = format!("{}:57600", shell.display());
    let mut stage = spytui(["--proto", "qs", "--port", trace.to_str().unwrap(), "--console", &with_rate]).start();
    stage.shows("live");
    board.send(&bytes_of("oven-734.bin"));
    stage.shows(" rec");
    stage.types(")");
    stage.shows("source 2 of 2, #1: ttySHELL");
    stage.shows("57600 8N1");
    console.send(b"boot\r\nlong wait\x07\r");
    stage.shows("boot");
    stage.has_never_shown("long wait");
    console.send(b"\nsh> ");
    stage.shows(r"long wait\x07");
    stage.shows("received");
    stage.command("send led\\ton");
    assert_eq!(console.receives(7), b"led\ton\r");
    stage.shows(r"sent to ttySHELL: led\ton\r");
    console.send(b"led on\r\n");
    stage.shows("sh> led on");
    // The kernel takes a break on a pseudo-terminal, which has no modem lines.
    stage.command("break 5ms");
    stage.shows("ttySHELL: break for 5 ms");
    stage.command("pulse dtr 5ms");
    stage.shows("has no modem lines; DTR stays as it is.");
    stage.command("pulse rts 3s");
    stage.shows("3s: write a time of at most 2s, as 250ms");
    stage.types("\x1b");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn a_console_opened_later_is_not_asked_for_a_decoder_and_a_file_takes_nothing() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let file = crate::rig::capture("oven-734.bin");
    let mut stage = spytui([file]).start();
    stage.shows(" rec");
    stage.command("send x");
    stage.shows("oven-734.bin is only read: it takes no bytes;");
    stage.types("\x1b");
    stage.command(&format!("console tcp:{}", server.local_addr().unwrap()));
    let (mut shell, _) = server.accept().unwrap();
    stage.shows("CONSOLE");
    // Even bytes of a trace are a console's.
    shell.write_all(&bytes_of("oven-734.bin")).unwrap();
    shell.write_all(b"\r\nready\r\n").unwrap();
    stage.shows("LINE               ready");
    stage.command("break");
    stage.shows("has no break and no DTR or RTS");
    stage.types("\x1b");
    stage.command(r"send reboot\n");
    let mut got = [0; 7];
    shell.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"reboot\n");
    stage.shows("CONSOLE");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}
