//! The tracer: one `static` of the program, used by all of its tasks and interrupts.

use core::{
    cell::RefCell,
    panic::PanicInfo,
    sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
};

use critical_section::Mutex;

use crate::{
    Clock, Element, Fun, Group, Obj, Output, Target, UserRecord,
    element::{Raw, Text},
    ring::{Ring, TIMED, UNTIMED, URGENT, Writer},
    rtt::ControlBlock,
    target::Info,
};

/// Bytes that [`Tracer::serve`] copies at a time.
const PIECE: usize = 32;

/// Writes records into a [`Ring`]. It never waits: what does not fit is dropped as a whole, counted, and reported to the host.
///
/// Every function may be called from all tasks and interrupts that [`critical_section`] masks.
pub struct Tracer<C = fn() -> u32> {
    rtt: ControlBlock,
    writer: Mutex<RefCell<Writer>>,
    on: [AtomicU32; 4],
    refused: AtomicU32,
    is_serving: AtomicBool,
    target: Target,
    clock: C,
    second: u32,
}

impl<C> Tracer<C> {
    /// A tracer with all records on; a ring has one tracer. `second` is a second in units of the clock; 0 disables what is sent
    /// once a second.
    pub const fn new<const N: usize>(ring: &'static Ring<N>, target: Target, clock: C, second: u32) -> Self {
        Tracer {
            rtt: ControlBlock::new(&ring.0),
            writer: Mutex::new(RefCell::new(Writer::new())),
            on: [const { AtomicU32::new(u32::MAX) }; 4],
            refused: AtomicU32::new(0),
            is_serving: AtomicBool::new(false),
            target,
            clock,
            second,
        }
    }

    /// Switches records on or off. One that is off costs some instructions.
    pub fn filter(&self, group: Group, on: bool) {
        critical_section::with(|_| {
            for (word, at) in self.on.iter().zip([0, 32, 64, 96]) {
                let bits = (group.0 >> at) as u32;
                let before = word.load(Relaxed);
                word.store(if on { before | bits } else { before & !bits }, Relaxed);
            }
        });
    }

    /// Is a user record on?
    #[inline]
    pub fn is_on(&self, record: UserRecord) -> bool {
        self.is_id_on(record.0)
    }

    #[inline]
    pub(crate) fn is_id_on(&self, id: u8) -> bool {
        self.on.get(usize::from(id >> 5)).is_some_and(|word| word.load(Relaxed) >> (id & 31) & 1 != 0)
    }

    /// Lets debug probes find the trace in memory: RTT, channel 0. [`Tracer::serve`] is not needed then. With a data cache, tracer
    /// and ring must lie in memory that is not cached.
    pub fn start_rtt(&'static self) {
        self.rtt.show();
        // The compiler must not take for unused what only the probe reads.
        core::hint::black_box(self);
    }

    /// Number of records dropped since the start.
    pub fn drops(&self) -> u32 {
        self.with_writer(|writer| writer.drops()).unwrap_or_default()
    }

    /// Runs with the lock held. `None` inside another record.
    fn with_writer<R>(&self, run: impl FnOnce(&mut Writer) -> R) -> Option<R> {
        critical_section::with(|lock| self.writer.borrow(lock).try_borrow_mut().ok().map(|mut writer| run(&mut writer)))
    }
}

impl<C: Clock> Tracer<C> {
    /// Sends the first records: target info with the reset mark, and the name of the drop total. First of all, once.
    pub fn start(&self) {
        self.send(0, UNTIMED | URGENT, &());
        self.send_info(true);
        self.name_record(UserRecord::DROPS, "STY_DROPS");
    }

    /// After [`Tracer::start`]: why the target has started, for example "watchdog".
    pub fn reset_cause(&self, cause: &str) {
        self.name_record(UserRecord::RESET, "STY_RESET");
        self.send(UserRecord::RESET.0, TIMED | URGENT, &cause);
    }

    /// Sends the target info again, for a host that connects later. Names are to be sent again as well.
    pub fn info(&self) {
        self.send_info(false);
    }

    fn send_info(&self, reset: bool) {
        self.send(64, UNTIMED | URGENT, &Info { target: &self.target, reset });
    }

    /// Names an object. The name ends at a NUL; an ampersand at its begin is dropped, as in all names.
    pub fn name_object(&self, object: Obj, name: &str) {
        self.name(61, &Raw(&object.to_le_bytes()), name);
    }

    /// Names a function or state.
    pub fn name_function(&self, function: Fun, name: &str) {
        self.name(62, &Raw(&function.to_le_bytes()), name);
    }

    /// Names a signal of an object, or of all objects with [`Obj::NONE`].
    pub fn name_signal(&self, sig: u16, object: Obj, name: &str) {
        self.name(60, &(Raw(&sig.to_le_bytes()), Raw(&object.to_le_bytes())), name);
    }

    /// Names a user record.
    pub fn name_record(&self, record: UserRecord, name: &str) {
        self.name(63, &Raw(&[record.0]), name);
    }

    /// Names a value of the enumeration `group`, 0 to 7.
    pub fn name_value(&self, group: u8, value: u8, name: &str) {
        self.name(54, &Raw(&[value, group]), name);
    }

    fn name(&self, id: u8, key: &dyn Element, name: &str) {
        self.send(id, UNTIMED, &(key, Text(name.strip_prefix('&').unwrap_or(name))));
    }

    /// Sends a user record, on or not; [`crate::record!`] looks first.
    pub fn record(&self, record: UserRecord, elements: &dyn Element) {
        self.send(record.0, TIMED, elements);
    }

    /// The event loop or scheduler starts.
    pub fn run(&self) {
        self.send(70, UNTIMED, &());
    }

    /// An assertion failed. Passes every filter.
    pub fn assert_failed(&self, module: &str, location: u16) {
        self.send(69, TIMED | URGENT, &(Raw(&location.to_le_bytes()), Text(module)));
    }

    /// For the panic handler: an assertion that failed, with file and line. A panic while a record is written, as in an own
    /// [`Element`], is not sent.
    pub fn panicked(&self, info: &PanicInfo<'_>) {
        let (file, line) = info.location().map_or(("", 0), |at| (at.file(), at.line()));
        self.assert_failed(file, u16::try_from(line).unwrap_or(u16::MAX));
    }

    /// Sends what waits as far as the output takes it; returns how many bytes that were. In the idle loop, or wherever the link is
    /// served. One caller at a time; others return at once.
    pub fn serve(&self, output: &mut impl Output) -> usize {
        let was_serving = critical_section::with(|_| {
            let was_serving = self.is_serving.load(Relaxed);
            self.is_serving.store(true, Relaxed);
            was_serving
        });
        if was_serving {
            return 0;
        }
        let mut piece = [0; PIECE];
        let mut sent = 0;
        loop {
            let count = self.rtt.up.copy(&mut piece);
            let bytes = piece.get(..count).unwrap_or_default();
            let taken = if count == 0 { 0 } else { output.write(bytes).min(count) };
            self.rtt.up.skip(taken);
            sent += taken;
            if taken < PIECE {
                break;
            }
        }
        self.is_serving.store(false, Relaxed);
        self.poll();
        sent
    }

    /// Sends a drop total if one is due. Records do that, too; with RTT call it now and then, in case no record follows.
    pub fn poll(&self) {
        self.with_writer(|writer| self.report(writer));
    }

    /// Takes the lock and writes a record.
    #[inline(never)]
    pub(crate) fn send(&self, id: u8, how: u8, payload: &dyn Element) {
        let sent = self.with_writer(|writer| {
            writer.write(&self.rtt.up, id, how, &self.clock, payload);
            writer.refuse(self.refused.load(Relaxed));
            self.refused.store(0, Relaxed);
            self.report(writer);
        });
        if sent.is_none() {
            self.refused.store(self.refused.load(Relaxed).wrapping_add(1), Relaxed);
        }
    }

    fn report(&self, writer: &mut Writer) {
        if let Some(total) = writer.due_total(&self.rtt.up, &self.clock, self.second) {
            writer.write(&self.rtt.up, UserRecord::DROPS.0, TIMED | URGENT, &self.clock, &total);
        }
    }
}
