//! Each CPU: its time, and the thread that runs on it.

use spytui_plugin_api::batch::{ClockEvent, ClockFlags};

use crate::{config::MOST_CPUS, frame::near, names::Moment, record::Event};

/// The low half falls by more than this when it wraps.
const WRAP: u32 = 1 << 31;

const NS_PER_SEC: u64 = 1_000_000_000;

/// Resolution of times in lists.
const SHOWN_NS: u32 = 10;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cpu {
    /// Upper half of its time, if known.
    pub(super) high: Option<u32>,
    /// Low half of its last event.
    low: Option<u32>,
    /// Time of its last event that came in one part.
    time: Option<u64>,
    /// Its last TIME was before the one before that.
    pub(super) went_back: bool,
    /// Key of the thread that was switched in last; `None` = unknown, as from a loss until the next switch.
    running: Option<u64>,
    /// Number of switches and losses so far: while it stays, one thread runs.
    switches: u32,
    /// Number of its last buffer, where each CPU has buffers of its own.
    pub(super) buffer: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Cpus {
    all: Box<[Cpu; MOST_CPUS as usize]>,
    /// Cycles per second; 0 = unknown.
    pub(super) rate: u64,
    /// Time of the first event of the run that has one.
    pub(super) first: Option<u64>,
    /// Number of losses so far.
    losses: u32,
    /// CPUs whose running thread is unknown since a loss, a bit each.
    unknown: u64,
}

impl Default for Cpus {
    fn default() -> Cpus {
        Cpus { all: Box::new([Cpu::default(); MOST_CPUS as usize]), rate: 0, first: None, losses: 0, unknown: 0 }
    }
}

impl Cpus {
    #[inline(always)]
    pub(super) fn of(&mut self, cpu: u8) -> &mut Cpu {
        // The array has an element for every number of six bits.
        &mut self.all[usize::from(cpu % MOST_CPUS)]
    }

    /// Whether an event is close in time to the last one of its CPU.
    #[inline]
    pub(super) fn is_near(&self, event: &Event) -> bool {
        self.all[usize::from(event.cpu() % MOST_CPUS)].low.is_some_and(|low| near(event.low, low))
    }

    /// Takes the stamp of an event; returns its time, if known.
    #[inline(always)]
    pub(super) fn advance(&mut self, event: &Event) -> Option<u64> {
        let cpu = self.of(event.cpu());
        if let (Some(high), Some(low)) = (cpu.high, cpu.low)
            && event.low < low
            && low - event.low > WRAP
        {
            cpu.high = Some(high.wrapping_add(1));
        }
        cpu.low = Some(event.low);
        cpu.high.map(|high| u64::from(high) << 32 | u64::from(event.low))
    }

    /// Takes the time of an event of a CPU that came in one part; returns the time of the one before, if that is later.
    #[inline]
    pub(super) fn steps_back(&mut self, cpu: u8, time: u64) -> Option<u64> {
        self.of(cpu).time.replace(time).filter(|before| time < *before)
    }

    /// Nanoseconds between two times.
    #[inline]
    pub(super) fn nanoseconds(&self, from: u64, to: u64) -> Option<u64> {
        let cycles = to.checked_sub(from).filter(|_| self.rate > 0)?;
        match cycles.checked_mul(NS_PER_SEC) {
            Some(scaled) => Some(scaled / self.rate),
            None => u64::try_from(u128::from(cycles) * u128::from(NS_PER_SEC) / u128::from(self.rate)).ok(),
        }
    }

    /// The clock as the host gets it.
    pub(super) fn clock(&self) -> ClockEvent {
        let num = if self.rate == 0 { 0 } else { NS_PER_SEC };
        let flags = if self.first.is_some() { ClockFlags::FIRST } else { ClockFlags::empty() };
        let first = self.first.unwrap_or(0);
        ClockEvent { num, den: self.rate.max(1), res_ns: SHOWN_NS, flags, first, ..ClockEvent::default() }
    }

    /// Forgets times and buffers, as a new run of the target begins.
    pub(super) fn restart(&mut self) {
        *self = Cpus { rate: self.rate, losses: self.losses.wrapping_add(1), ..Cpus::default() };
    }

    /// The thread that runs on a CPU, if known.
    #[inline]
    pub(super) fn running(&self, cpu: u8) -> Option<u64> {
        self.all[usize::from(cpu % MOST_CPUS)].running
    }

    /// Whether it is known again, after losses, who runs on each CPU: otherwise, a thread that enters a call may do so
    /// elsewhere, too.
    #[inline]
    pub(super) fn are_known(&self) -> bool {
        self.unknown == 0
    }

    #[inline]
    pub(super) fn switch(&mut self, cpu: u8, thread: Option<u64>) {
        self.unknown &= !(1 << (cpu % MOST_CPUS));
        self.run(cpu, thread);
    }

    /// Another thread runs on a CPU, or one that is not known.
    #[inline]
    fn run(&mut self, cpu: u8, thread: Option<u64>) {
        let cpu = self.of(cpu);
        cpu.running = thread;
        cpu.switches = cpu.switches.wrapping_add(1);
    }

    /// Events are lost here, of one CPU or of all: who runs there is unknown.
    #[cold]
    pub(super) fn lose(&mut self, cpu: Option<u8>) {
        self.losses = self.losses.wrapping_add(1);
        let lost = cpu.map_or(0..MOST_CPUS, |cpu| cpu..cpu + 1);
        for cpu in lost {
            self.unknown |= u64::from(self.of(cpu).low.is_some()) << (cpu % MOST_CPUS);
            self.run(cpu, None);
        }
    }

    /// The present moment on a CPU.
    #[inline]
    pub(super) fn moment(&self, cpu: u8) -> Moment {
        let switches = self.all[usize::from(cpu % MOST_CPUS)].switches;
        Moment { losses: self.losses, cpu, switches, all_known: self.are_known() }
    }

    /// A thread is gone.
    pub(super) fn forget(&mut self, thread: u64) {
        for cpu in self.all.iter_mut().filter(|cpu| cpu.running == Some(thread)) {
            cpu.running = None;
        }
    }
}
