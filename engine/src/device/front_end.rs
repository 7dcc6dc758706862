//! Serves a front end of another host over UDP, such as a test tool, beside the screen. Knows no protocol: the decoder's
//! extension `frontend/1` turns packets into commands, and rows in its reference style into packets.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};
use spytui_plugin_api::{Info, Severity, Source, Want, guard::guard};
use spytui_plugin_layer::{FrontEnd, FrontEndOutput};

use crate::{
    device::control::Control,
    io::log::{RawLog, host_now, kind},
    open::{Options, REFERENCE_TEXT},
    row::RowView,
    trace::{
        session::Decoding,
        stream::{STOP_CHECK, Sink, TargetFlow, Targets, follow},
    },
};

/// Address and port of front ends.
pub type FrontEndAddress = SocketAddr;

/// Where they expect to be served, reached from this machine only.
pub const USUAL: &str = "127.0.0.1:7701";

/// Maximum number of notes that become rows, per second.
const MOST_NOTES: u32 = 1000;
/// Longest wait of a packet for rows before it, twice.
const BARRIER: Duration = Duration::from_millis(20);
/// Longest packet; longer ones can't arrive.
const LONGEST: usize = 65_536;

/// Where front ends are served: `ADDR:PORT`, or a port of this machine only. Errors: it is neither.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let local = || Some(SocketAddr::from((Ipv4Addr::LOCALHOST, text.parse().ok()?)));
    text.parse().ok().or_else(local).ok_or_else(|| format!("{text}: give ADDR:PORT, as {USUAL}"))
}

/// A kind of file to start or to end; `None` = the other of both.
pub type FileSwitch = (&'static str, Option<bool>);

/// What is known of a front end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontEndStatus {
    /// Where it is served.
    pub address: SocketAddr,
    /// The front end served, or the last one.
    pub peer: Option<SocketAddr>,
    pub is_attached: bool,
    pub received: u64,
    pub sent: u64,
    /// Packets that could not be sent.
    pub unsent: u64,
    /// Packets of other addresses while one is attached.
    pub refused: u64,
    /// Notes that did not become rows, as there were too many at once.
    pub left_out: u64,
    /// It asked the host to end.
    pub ends_host: bool,
    /// Why it is no longer served.
    pub fault: Option<String>,
}

impl FrontEndStatus {
    /// `127.0.0.1:7701: 127.0.0.1:51203 attached, 12 packets in, 40 out`.
    pub fn text(&self) -> String {
        let who = match (self.peer, &self.fault) {
            (_, Some(fault)) => format!("failed: {fault}"),
            (Some(peer), _) if self.is_attached => format!("{peer} attached"),
            (Some(peer), _) => format!("{peer}, not attached"),
            (None, _) => "nobody attached".to_owned(),
        };
        let mut text = format!("{}: {who}, {} packets in, {} out", self.address, self.received, self.sent);
        let counts = [(self.refused, "refused"), (self.unsent, "not sent"), (self.left_out, "notes left out")];
        counts.iter().filter(|(count, _)| *count > 0).for_each(|(count, what)| text += &format!(", {count} {what}"));
        text
    }
}

/// Serves one front end at a time; dropping it ends that.
pub struct FrontEndServer {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl FrontEndServer {
    /// Serves front ends with the target of a decoding. Errors: there are none for its protocol; the address is taken.
    pub fn start(address: SocketAddr, decoding: &Decoding, control: &Arc<Control>) -> Result<FrontEndServer, String> {
        let (decoder, log, control) = (decoding.decoder.clone(), decoding.log.clone(), control.clone());
        let (options, source) = (decoding.options.clone(), Source { index: 0, core: decoding.core });
        let open = decoder.front_end.ok_or_else(|| format!("{} has no front ends; QS has", decoder.info.id))?;
        let front_end = open(&options.vals()).map_err(|fault| fault.to_string())?;
        let options = options.in_reference_form(&decoder.info, REFERENCE_TEXT)?;
        let next = "end what serves there, or choose another ADDR:PORT";
        let refusal = |error| format!("can't serve front ends at udp {address}: {error}; {next}");
        let socket = UdpSocket::bind(address).map_err(refusal)?;
        socket.set_read_timeout(Some(STOP_CHECK)).map_err(refusal)?;
        let address = socket.local_addr().unwrap_or(address);
        let status = FrontEndStatus {
            address,
            peer: None,
            is_attached: false,
            received: 0,
            sent: 0,
            unsent: 0,
            refused: 0,
            left_out: 0,
            ends_host: false,
            fault: None,
        };
        let served = Mutex::new(Served { front_end, status, files: Vec::new(), noted: (Instant::now(), 0) });
        let (stop, rows) = (AtomicBool::new(false), log.clone());
        let shared =
            Arc::new(Shared { socket, log, control, served, option: Mutex::default(), idle: Default::default(), stop });
        let mut server = FrontEndServer { shared, threads: Vec::new() };
        server.spawn("front-end", Shared::receive)?;
        server.spawn("front-end-rows", move |shared| {
            let flow = |options: &Options| {
                let flow = TargetFlow::new(&decoder, options, "", &[source], std::slice::from_ref(&rows), true);
                flow.map_err(io::Error::other)
            };
            if let Err(error) = shared.pass_rows(options, &decoder.info, flow) {
                shared.served.lock().status.fault = Some(error.to_string());
            }
        })?;
        Ok(server)
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce(&Shared) + Send + 'static) -> Result<(), String> {
        let shared = self.shared.clone();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(&shared));
        self.threads.push(thread.map_err(|error| format!("can't start a thread for the front end: {error}"))?);
        Ok(())
    }

    pub fn status(&self) -> FrontEndStatus {
        self.shared.served.lock().status.clone()
    }

    /// The files that it wants started or ended, since the last call.
    pub fn take_files(&self) -> Vec<FileSwitch> {
        std::mem::take(&mut self.shared.served.lock().files)
    }
}

impl Drop for FrontEndServer {
    fn drop(&mut self) {
        let shared = &self.shared;
        shared.pass(|front_end, out| front_end.end(out));
        shared.stop.store(true, Ordering::Relaxed);
        shared.log.wake();
        self.threads.drain(..).for_each(|thread| _ = thread.join());
    }
}

struct Shared {
    socket: UdpSocket,
    log: Arc<RawLog>,
    control: Arc<Control>,
    served: Mutex<Served>,
    /// An option under which the rows must be read again.
    option: Mutex<Option<String>>,
    /// Number of times at which all rows had been passed.
    idle: (Mutex<u64>, Condvar),
    stop: AtomicBool,
}

struct Served {
    front_end: Box<dyn FrontEnd>,
    status: FrontEndStatus,
    files: Vec<FileSwitch>,
    /// Start of the current second, and notes since.
    noted: (Instant, u32),
}

impl Served {
    /// Whether a note becomes a row; a flood of packets must not fill the memory.
    fn admits_note(&mut self) -> bool {
        if self.noted.0.elapsed() >= Duration::from_secs(1) {
            self.noted = (Instant::now(), 0);
        }
        self.noted.1 += 1;
        let is_admitted = self.noted.1 <= MOST_NOTES;
        self.status.left_out += u64::from(!is_admitted);
        is_admitted
    }
}

impl Shared {
    fn receive(&self) {
        let mut packet = vec![0; LONGEST];
        let mut passed = 0;
        while !self.stop.load(Ordering::Relaxed) {
            // An error belongs to an earlier packet, whose receiver is gone, or it is time to look for a stop.
            let Ok((len, from)) = self.socket.recv_from(&mut packet) else { continue };
            if !self.stop.load(Ordering::Relaxed) && self.admits(from) {
                let received = self.log.len();
                if received != std::mem::replace(&mut passed, received) {
                    self.wait_for_rows();
                }
                self.pass(|front_end, out| front_end.packet(&packet[..len], out));
            }
        }
    }

    /// Waits until the rows received so far are passed, or for a while if more come all the time.
    fn wait_for_rows(&self) {
        let (idle, passed) = &self.idle;
        // The first may have begun before the last of them.
        for _ in 0..2 {
            let mut times = idle.lock();
            let before = *times;
            self.log.wake();
            passed.wait_while_for(&mut times, |times| *times == before, BARRIER);
        }
    }

    /// Passes all rows, again under each option that the front end needs. Errors: the decoder failed, or refused the option.
    fn pass_rows(
        &self,
        mut options: Options,
        info: &Info,
        flow: impl Fn(&Options) -> io::Result<TargetFlow>,
    ) -> io::Result<()> {
        loop {
            let mut targets = Targets::default();
            targets.add(flow(&options)?);
            let result = follow(&mut targets, &mut PacketSink(self), &self.stop);
            let Some(option) = self.option.lock().take() else { return result };
            options.set_text(info, &option).map_err(io::Error::other)?;
        }
    }

    /// Whether a packet of this address is taken: while a front end is attached, only its own are.
    fn admits(&self, from: SocketAddr) -> bool {
        let served = &mut *self.served.lock();
        let status = &mut served.status;
        let is_other = status.peer.is_some_and(|peer| peer != from);
        if !status.is_attached || !is_other {
            status.peer = Some(from);
            status.received += 1;
            return true;
        }
        status.refused += 1;
        if let (Some(peer), 1) = (status.peer, status.refused) {
            let text = format!("refused a second front end, {from}: {peer} is attached");
            self.note(served, Severity::WARNING, &text);
        }
        false
    }

    /// Calls the front end and carries out what follows. Packets leave in the order of the calls.
    fn pass(&self, call: impl FnOnce(&mut dyn FrontEnd, &mut FrontEndOutput)) {
        let mut served = self.served.lock();
        if served.status.fault.is_some() {
            return;
        }
        let mut out = FrontEndOutput { is_attached: served.status.is_attached, ..FrontEndOutput::default() };
        let called = guard(|| {
            call(&mut *served.front_end, &mut out);
            Ok(())
        });
        if let Err(fault) = called.into_result() {
            return served.status.fault = Some(fault.to_string());
        }
        if !out.option.is_empty() {
            *self.option.lock() = Some(out.option);
            return;
        }
        let commands = std::mem::take(&mut out.commands);
        self.send(&mut served, out);
        for line in commands {
            let Err(len) = self.command(&mut served, &line) else { continue };
            let mut out = FrontEndOutput { is_attached: served.status.is_attached, ..FrontEndOutput::default() };
            served.front_end.unsent(len, &mut out);
            self.send(&mut served, out);
        }
    }

    fn send(&self, served: &mut Served, out: FrontEndOutput) {
        let status = &mut served.status;
        for packet in &out.packets {
            let is_sent = status.peer.is_some_and(|peer| self.socket.send_to(packet, peer).is_ok());
            *(if is_sent { &mut status.sent } else { &mut status.unsent }) += 1;
        }
        (status.is_attached, status.ends_host) = (out.is_attached, status.ends_host || out.ends_host);
        // As many as there are kinds, so that a flood can't fill the memory.
        served.files.retain(|(kind, _)| out.files.iter().all(|(other, _)| kind != other));
        served.files.extend(out.files);
        out.notes.iter().for_each(|(severity, text)| self.note(served, *severity, text));
    }

    /// Sends a command without waiting for its answer. Errors: the number of its bytes, if it could not be sent.
    fn command(&self, served: &mut Served, line: &str) -> Result<(), usize> {
        let origin = served.status.peer.map_or_else(String::new, |peer| format!("front end {peer}"));
        let (len, why) = match self.control.prepare(line) {
            Ok(mut prepared) => {
                prepared.command.is_relayed = true;
                (prepared.bytes.len(), self.control.send(prepared, &origin).err())
            }
            Err(error) => (0, Some(error.message)),
        };
        let Some(why) = why else { return Ok(()) };
        self.note(served, Severity::WARNING, &format!("not sent for the {origin}: {line}: {why}"));
        Err(len)
    }

    fn note(&self, served: &mut Served, severity: Severity, text: &str) {
        for line in text.lines().filter(|line| !line.is_empty()) {
            if served.admits_note() {
                self.log.add_event(kind::FRONT_END, severity.0.into(), line.as_bytes(), host_now());
            }
        }
    }
}

/// Passes rows on.
struct PacketSink<'a>(&'a Shared);

impl Sink for PacketSink<'_> {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn single(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        if !view.row.kind.is_of_host() {
            self.0.pass(|front_end, out| front_end.row(view.cfg, &view.row_in(), view.rendered.text, out));
        }
        // The rows are read again.
        if self.0.option.lock().is_some() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        *self.0.idle.0.lock() += 1;
        self.0.idle.1.notify_one();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Silent;

    impl FrontEnd for Silent {
        fn packet(&mut self, _: &[u8], _: &mut FrontEndOutput) {}
        fn row(&mut self, _: &[u8], _: &spytui_plugin_api::RowIn<'_>, _: &[u8], _: &mut FrontEndOutput) {}
        fn unsent(&mut self, _: usize, _: &mut FrontEndOutput) {}
        fn end(&mut self, _: &mut FrontEndOutput) {}
    }

    #[test]
    fn a_flood_of_notes_makes_a_bounded_number_of_rows() {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        // A second that begins later does not end in this test.
        let noted = (Instant::now() + Duration::from_secs(3600), 0);
        let status = FrontEndStatus {
            address,
            peer: None,
            is_attached: false,
            received: 0,
            sent: 0,
            unsent: 0,
            refused: 0,
            left_out: 0,
            ends_host: false,
            fault: None,
        };
        let mut served = Served { front_end: Box::new(Silent), status, files: Vec::new(), noted };
        let admitted = (0..5000).filter(|_| served.admits_note()).count();
        assert_eq!((admitted, served.status.left_out), (MOST_NOTES as usize, 4000));
        assert!(served.status.text().ends_with("nobody attached, 0 packets in, 0 out, 4000 notes left out"));
    }
}
