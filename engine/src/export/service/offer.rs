//! Serves a trace to the Perfetto web page: one file over HTTP, on this machine only, readable by that page only.

use std::{
    fs::File,
    io,
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::answer::{Asked, PAGE, TRACE, answer};

/// The port that the page's content security policy allows.
pub const PORT: u16 = 9001;
/// How often a wait checks for a stop.
const LOOK: Duration = Duration::from_millis(20);
/// Maximum number of concurrent requests.
const AT_A_TIME: usize = 16;

/// The trace can't be served.
#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    /// Another program uses the port.
    #[error("port {0} is in use on this machine, and the web page reads from no other; end what uses it")]
    Busy(u16),
    /// Any other error.
    #[error("127.0.0.1:{0}: {1}")]
    Port(u16, io::Error),
}

/// A bound port.
#[derive(Debug)]
pub struct Offer {
    listener: TcpListener,
    address: SocketAddr,
}

impl Offer {
    /// Binds a port; the page reads from [`PORT`], 0 = any.
    ///
    /// # Errors
    /// If the port is in use or can't be bound.
    pub fn open(port: u16) -> Result<Offer, OfferError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AddrInUse => OfferError::Busy(port),
            _ => OfferError::Port(port, error),
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Offer { listener, address })
    }

    /// The listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL to open in a browser.
    pub fn link(&self) -> String {
        format!("{PAGE}/#!/?url=http://{}{TRACE}", self.address)
    }

    /// Serves requests for `trace` until `stop` is set or, with `once`, until the trace was fetched. The file may have no
    /// name any more.
    ///
    /// # Errors
    /// If the port fails.
    pub fn serve(&self, trace: File, once: bool, stop: &AtomicBool) -> io::Result<()> {
        let (trace, fetched) = (Arc::new(trace), Arc::new(AtomicBool::new(false)));
        let mut clients: Vec<Client> = Vec::new();
        while !(stop.load(Ordering::Relaxed) || once && fetched.load(Ordering::Relaxed)) {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    make_room(&mut clients);
                    // A client that can't be served now asks again.
                    clients.extend(self.begin(stream, &trace, &fetched).ok());
                }
                Err(error) if is_passing(&error) => std::thread::sleep(LOOK),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn begin(&self, stream: TcpStream, trace: &Arc<File>, fetched: &Arc<AtomicBool>) -> io::Result<Client> {
        let client = Client { stream: stream.try_clone()?, state: Arc::default() };
        let (state, trace, fetched, port) = (client.state.clone(), trace.clone(), fetched.clone(), self.address.port());
        let run = move || {
            // A browser that disconnects is no error.
            if let Ok(true) = answer(stream, &trace, port, &state.asked) {
                fetched.store(true, Ordering::Relaxed);
            }
            state.done.store(true, Ordering::Relaxed);
        };
        std::thread::Builder::new().name("offer".into()).spawn(run)?;
        Ok(client)
    }
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(error.kind(), K::WouldBlock | K::Interrupted | K::ConnectionAborted | K::ConnectionReset)
}

/// A connection.
struct Client {
    stream: TcpStream,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// Its request is complete.
    asked: Asked,
    done: AtomicBool,
}

/// Forgets clients that are served. If there are still too many, the one that has not asked for the longest time goes, so
/// that slow clients don't keep others out; if all have asked, the oldest.
fn make_room(clients: &mut Vec<Client>) {
    clients.retain(|client| !client.state.done.load(Ordering::Relaxed));
    if clients.len() < AT_A_TIME {
        return;
    }
    let slow = clients.iter().position(|client| !client.state.asked.load(Ordering::Relaxed)).unwrap_or(0);
    // Its thread sees the end and stops.
    let _ = clients.remove(slow).stream.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn the_page_gets_the_trace_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("t.pftrace");
        std::fs::write(&trace, b"the trace").expect("written");
        let offer = Offer::open(0).expect("a port");
        let address = offer.address();
        assert_eq!(offer.link(), format!("https://ui.perfetto.dev/#!/?url=http://{address}/trace.proto"));
        std::thread::scope(|scope| {
            let stop = AtomicBool::new(false);
            let trace = File::open(&trace).expect("there");
            let server = scope.spawn(move || offer.serve(trace, true, &stop));
            let first = |request: &str| ask(address, request).lines().next().unwrap_or_default().to_owned();
            assert_eq!(first("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 404 Not Found");
            assert_eq!(first("POST /status HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"), "HTTP/1.1 200 OK");
            assert_eq!(first("GET /status HTTP/1.1\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed");
            assert!(ask(address, "OPTIONS /trace.proto HTTP/1.1\r\n\r\n").contains("Private-Network: true"));
            for host in ["evil.example", "evil.example:9001", "127.0.0.1:1", "127.0.0.1.evil.example", ""] {
                let request = format!("GET /trace.proto HTTP/1.1\r\nhost: {host}\r\n\r\n");
                assert_eq!(first(&request), "HTTP/1.1 403 Forbidden", "{host}");
            }
            let request = format!("GET /trace.proto HTTP/1.1\r\nHost: {address}\r\n\r\n");
            let answer = ask(address, &request);
            let (heads, body) = answer.split_once("\r\n\r\n").expect("heads");
            assert_eq!(body, "the trace");
            for head in
                ["200 OK", "octet-stream", "Content-Length: 9", "ETag: ", "Allow-Origin: https://ui.perfetto.dev"]
            {
                assert!(heads.contains(head), "{head} in {heads}");
            }
            server.join().expect("no panic").expect("served");
        });
    }

    #[test]
    fn slow_clients_keep_nobody_out() {
        let mut trace = tempfile::tempfile().expect("a file");
        trace.write_all(b"the trace").expect("written");
        let offer = Offer::open(0).expect("a port");
        let address = offer.address();
        std::thread::scope(|scope| {
            let stop = AtomicBool::new(false);
            let server = scope.spawn(move || offer.serve(trace, true, &stop));
            let slow: Vec<TcpStream> = (0..3 * AT_A_TIME)
                .map(|_| {
                    let mut stream = TcpStream::connect(address).expect("it listens");
                    stream.write_all(b"GET /tr").expect("it reads");
                    stream
                })
                .collect();
            let request = format!("GET /trace.proto HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", address.port());
            assert!(ask(address, &request).ends_with("\r\n\r\nthe trace"));
            server.join().expect("no panic").expect("served");
            drop(slow);
        });
    }

    #[test]
    fn a_port_in_use_is_said() {
        let first = Offer::open(0).expect("a port");
        let error = Offer::open(first.address().port()).expect_err("in use");
        assert!(error.to_string().contains("in use"), "{error}");
    }
}
