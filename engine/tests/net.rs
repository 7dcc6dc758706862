//! TCP and UDP links on the loopback.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{bytes, events, note, once, open, until};
use spytui_engine::io::link::{FrameTest, Link, LinkEvent, LinkOptions, LinkSpec, LinkState};
use spytui_engine::io::log::kind::{DATAGRAM, END, LINK_DOWN, LINK_UP, START};

fn local(link: &Link) -> SocketAddr {
    link.facts().local.unwrap()
}

#[test]
fn tcp_connects_sends_and_comes_back() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut link = open(&format!("tcp:{}", server.local_addr().unwrap()), LinkOptions::default());
    let (mut peer, _) = server.accept().unwrap();
    peer.write_all(b"one").unwrap();
    let log = link.sources()[0].log.clone();
    until("bytes", || log.len() == 3);
    link.sender(0).unwrap().write(b"cmd").unwrap();
    let mut command = [0; 3];
    peer.read_exact(&mut command).unwrap();
    assert_eq!(&command, b"cmd");
    drop(peer);
    note(&link, "the other side closed the connection");
    let (mut peer, _) = server.accept().unwrap();
    peer.write_all(b"two").unwrap();
    until("more bytes", || log.len() == 6);
    link.stop();
    assert_eq!(bytes(&log), b"onetwo");
    assert_eq!(events(&log), [(START, 0), (LINK_UP, 0), (LINK_DOWN, 3), (LINK_UP, 3), (END, 6)]);
}

#[test]
fn a_refused_connection_says_so_and_is_tried_again() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    drop(server);
    let link = open(&format!("tcp:{address}"), LinkOptions::default());
    let text = note(&link, "refused");
    assert_eq!(text, format!("tcp {address}: connection refused; is the target listening? Trying again."));
    until("retry", || matches!(link.state(), LinkState::NoLink { retry, .. } if retry >= 2));
    let server = TcpListener::bind(address).unwrap();
    server.accept().unwrap();
    until("connected", || link.counters().connects == 1);

    drop(server);
    let link = open(&format!("tcp:{address}"), once());
    until("failure", || matches!(link.state(), LinkState::Failed(_)));
}

#[test]
fn a_server_that_closes_at_once_keeps_nobody_busy() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let link = open(&format!("tcp:{}", server.local_addr().unwrap()), LinkOptions::default());
    server.set_nonblocking(true).unwrap();
    for _ in 0..500 {
        drop(server.accept());
        std::thread::sleep(Duration::from_millis(1));
    }
    let connects = link.counters().connects;
    assert!((1..20).contains(&connects), "{connects} connections in half a second");
}

#[test]
fn a_server_that_sends_something_and_closes_is_no_failure() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let link = open(&format!("tcp:{}", server.local_addr().unwrap()), LinkOptions::default());
    for _ in 0..4 {
        let (mut peer, _) = server.accept().unwrap();
        peer.write_all(&[7; 700]).unwrap();
    }
    let log = link.sources()[0].log.clone();
    until("bytes", || log.len() == 4 * 700);
    drop(server);
    let refused = || {
        link.events.try_iter().find_map(|event| match event {
            LinkEvent::State(LinkState::NoLink { retry, text }) if text.contains("refused") => Some(retry),
            _ => None,
        })
    };
    let mut retry = None;
    until("a refusal", || {
        retry = retry.or_else(refused);
        retry.is_some()
    });
    assert_eq!(retry, Some(2), "the pause behind the last connection was the first one");
}

#[test]
fn listen_names_its_port_takes_one_client_and_the_next_after_it() {
    let mut link = open("listen:0", LinkOptions::default());
    let address = local(&link);
    assert!(address.ip().is_loopback() && address.port() != 0);
    until("waiting", || matches!(link.state(), LinkState::Waiting(text) if text.contains("nobody yet")));
    assert!(link.hint().unwrap().contains(&format!("for boards --listen 0.0.0.0:{}.", address.port())));
    let mut first = TcpStream::connect(address).unwrap();
    first.write_all(b"first").unwrap();
    let log = link.sources()[0].log.clone();
    until("bytes", || log.len() == 5);

    let mut second = TcpStream::connect(address).unwrap();
    note(&link, "was refused");
    assert_eq!(second.read(&mut [0]).unwrap(), 0, "the second client sees an orderly end");
    for _ in 0..30 {
        drop(TcpStream::connect(address).unwrap());
    }
    until("the count", || link.counters().refused == 31);
    let said: Vec<LinkEvent> = link.events.try_iter().collect();
    assert!(!said.iter().any(|event| matches!(event, LinkEvent::Note(_))), "one note is enough: {said:?}");
    first.write_all(b"+").unwrap();
    until("the first goes on", || log.len() == 6);

    drop(first);
    until("down", || !matches!(link.state(), LinkState::Live));
    note(&link, ": 31 clients were turned away meanwhile.");
    let mut third = TcpStream::connect(address).unwrap();
    third.write_all(b"third").unwrap();
    until("more bytes", || log.len() == 11);
    link.stop();
    assert_eq!(bytes(&log), b"first+third");
    assert_eq!(events(&log), [(START, 0), (LINK_UP, 0), (LINK_DOWN, 6), (LINK_UP, 6), (END, 11)]);
}

#[test]
fn a_taken_port_names_the_way_out() {
    let link = open("listen:0", LinkOptions::default());
    let port = local(&link).port();
    let again =
        Link::open(LinkSpec::of_scheme("listen", &port.to_string()).unwrap(), LinkOptions::default()).unwrap_err();
    assert_eq!(again.to_string(), format!("Port {port} is in use here; --listen 0 picks one."));
}

#[test]
fn a_tcp_source_is_held_back_by_its_decoder() {
    let options = LinkOptions { throttle: Some(100_000), ..LinkOptions::default() };
    let link = open("listen:0", options);
    let mut client = TcpStream::connect(local(&link)).unwrap();
    let sender = std::thread::spawn(move || client.write_all(&vec![7; 20_000_000]));
    let log = link.sources()[0].log.clone();
    until("the window to fill", || log.len() > 100_000);
    std::thread::sleep(Duration::from_millis(50));
    assert!(log.len() <= 100_000 + (64 << 10), "{} bytes came without a decoder", log.len());
    while log.len() < 20_000_000 {
        log.consumed(log.len());
        std::thread::yield_now();
    }
    sender.join().unwrap().unwrap();
    assert_eq!(log.lost(), 0);
}

#[test]
fn udp_has_a_stream_for_each_sender() {
    let mut link = open("udp:0", LinkOptions { peers: 2, ..LinkOptions::default() });
    until("waiting", || matches!(link.state(), LinkState::Waiting(text) if text.contains("nothing yet")));
    let senders: Vec<UdpSocket> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    let send = |n: usize, text: &[u8]| assert_eq!(senders[n].send_to(text, local(&link)).unwrap(), text.len());
    send(0, b"a1");
    until("a", || link.counters().datagrams == 1);
    send(1, b"b1");
    until("b", || link.counters().datagrams == 2);
    send(0, b"a2");
    send(2, b"c1");
    until("c is refused", || link.counters().refused == 1 && link.counters().datagrams == 3);
    note(&link, "one sender too many");

    let sources = link.sources();
    assert_eq!(sources.len(), 2);
    assert_eq!(sources[0].name, format!("udp {}", senders[0].local_addr().unwrap()));
    assert_eq!((bytes(&sources[0].log), bytes(&sources[1].log)), (b"a1a2".to_vec(), b"b1".to_vec()));
    link.sender(1).unwrap().write(b"reply").unwrap();
    let mut reply = [0; 9];
    assert_eq!(senders[1].recv(&mut reply).unwrap(), 5);
    link.stop();
    assert_eq!(events(&sources[0].log), [(START, 0), (LINK_UP, 0), (DATAGRAM, 0), (DATAGRAM, 2), (END, 4)]);
    assert!(link.counters().kernel_drops.is_none_or(|drops| drops == 0));
}

#[test]
fn a_silent_udp_sender_makes_room_and_noise_takes_none() {
    let options = LinkOptions {
        peers: 2,
        makes_room_after: Duration::from_millis(50),
        frames: Some(FrameTest(Arc::new(|bytes: &[u8]| bytes.contains(&b'~')))),
        ..LinkOptions::default()
    };
    let mut link = open("udp:0", options);
    let senders: Vec<UdpSocket> = (0..4).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    let send = |n: usize, text: &[u8]| assert_eq!(senders[n].send_to(text, local(&link)).unwrap(), text.len());
    send(3, b"who is there?");
    until("noise", || link.counters().frameless == 1);
    assert!(link.hint().unwrap().contains("contain no frame; counted, not shown"), "{:?}", link.hint());
    for (n, text) in [(0, b"a1~"), (1, b"b1~")] {
        send(n, text);
        until("a place", || link.counters().datagrams == n as u64 + 1);
    }
    std::thread::sleep(Duration::from_millis(60));
    send(1, b"b2 ");
    until("b", || link.sources()[1].log.len() == 6);
    send(2, b"c1~");
    until("c has the place of a", || link.sources().len() == 3);
    let sources = link.sources();
    let first = sources[0].log.clone();
    assert!(first.ended() && !sources[1].log.ended() && !sources[2].log.ended());
    assert_eq!(events(&first), [(START, 0), (LINK_UP, 0), (DATAGRAM, 0), (LINK_DOWN, 3), (END, 3)]);
    let received: Vec<Vec<u8>> = sources.iter().map(|source| bytes(&source.log)).collect();
    assert_eq!(received, [b"a1~".to_vec(), b"b1~b2 ".to_vec(), b"c1~".to_vec()]);
    assert_eq!((link.counters().frameless, link.counters().datagrams), (1, 4));
    link.stop();
}

#[test]
fn a_unix_socket_is_connected_to_again_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("serial");
    let mut link = open(&format!("unix:{}", path.display()), LinkOptions::default());
    note(&link, "no such socket; QEMU makes it: -serial unix:PATH,server=on. Waiting for it.");
    let log = link.sources()[0].log.clone();
    for (n, text) in (1..).zip(["one", "two"]) {
        let server = UnixListener::bind(&path).unwrap();
        let (mut guest, _) = server.accept().unwrap();
        guest.write_all(text.as_bytes()).unwrap();
        until("bytes", || log.len() == 3 * n);
        until("live", || matches!(link.state(), LinkState::Live));
        assert_eq!(link.sender(0).unwrap().write(b"command"), Ok(()));
        let mut command = [0; 7];
        guest.read_exact(&mut command).unwrap();
        assert_eq!(&command, b"command");
        std::fs::remove_file(&path).unwrap();
        drop((guest, server));
        note(&link, "the other side closed the connection");
    }
    link.stop();
    assert_eq!((bytes(&log), link.counters().connects), (b"onetwo".to_vec(), 2));
    let _server = UnixListener::bind(&path).unwrap();
    let error = Link::open(LinkSpec::path(&path), LinkOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), format!("{0} is a socket; unix:{0} connects to it.", path.display()));
}
