//! State of each CPU: its time and running thread.

use spytui_plugin_api::batch::{ClockEvent, ClockFlags};

use crate::{config::MOST_CPUS, frame::near, names::CpuMoment, record::Event};

/// The low half has wrapped if it falls by more than this.
const WRAP: u32 = 1 << 31;

const NS_PER_SEC: u64 = 1_000_000_000;

/// Resolution of times in lists, in ns.
const SHOWN_NS: u32 = 10;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cpu {
    /// Upper half of its time, if known.
    pub(super) high: Option<u32>,
    low: Option<u32>,
    /// Time of its last single-part event.
    time: Option<u64>,
    /// Its last TIME was earlier than the previous one.
    pub(super) went_back: bool,
    /// Key of the running thread; `None` = unknown, for example from a loss until the next switch.
    running: Option<u64>,
    /// Number of switches and losses so far; while unchanged, the same thread runs.
    switches: u32,
    /// Number of its last buffer, if CPUs have separate buffers.
    pub(super) buffer: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Cpus {
    all: Box<[Cpu; MOST_CPUS as usize]>,
    /// Cycles per second; 0 = unknown.
    pub(super) rate: u64,
    /// Time of the run's first event with a time.
    pub(super) first: Option<u64>,
    losses: u32,
    /// Bit mask of the CPUs whose running thread is unknown since a loss.
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
        // The array has an element for each six-bit number.
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

    /// Takes the time of a CPU's single-part event; returns the previous time if that is later.
    #[inline]
    pub(super) fn steps_back(&mut self, cpu: u8, time: u64) -> Option<u64> {
        self.of(cpu).time.replace(time).filter(|before| time < *before)
    }

    #[inline]
    pub(super) fn nanoseconds(&self, from: u64, to: u64) -> Option<u64> {
        let cycles = to.checked_sub(from).filter(|_| self.rate > 0)?;
        match cycles.checked_mul(NS_PER_SEC) {
            Some(scaled) => Some(scaled / self.rate),
            None => u64::try_from(u128::from(cycles) * u128::from(NS_PER_SEC) / u128::from(self.rate)).ok(),
        }
    }

    pub(super) fn clock(&self) -> ClockEvent {
        let num = if self.rate == 0 { 0 } else { NS_PER_SEC };
        let flags = if self.first.is_some() { ClockFlags::FIRST } else { ClockFlags::empty() };
        let first = self.first.unwrap_or(0);
        ClockEvent { num, den: self.rate.max(1), res_ns: SHOWN_NS, flags, first, ..ClockEvent::default() }
    }

    /// Forgets times and buffers, because a new run begins.
    pub(super) fn restart(&mut self) {
        *self = Cpus { rate: self.rate, losses: self.losses.wrapping_add(1), ..Cpus::default() };
    }

    #[inline]
    pub(super) fn running(&self, cpu: u8) -> Option<u64> {
        self.all[usize::from(cpu % MOST_CPUS)].running
    }

    /// Whether the running thread of every CPU is known again after losses; otherwise, a thread that enters a call may
    /// run elsewhere, too.
    #[inline]
    pub(super) fn are_known(&self) -> bool {
        self.unknown == 0
    }

    #[inline]
    pub(super) fn switch(&mut self, cpu: u8, thread: Option<u64>) {
        self.unknown &= !(1 << (cpu % MOST_CPUS));
        self.run(cpu, thread);
    }

    /// Sets the thread running on a CPU, `None` = unknown.
    #[inline]
    fn run(&mut self, cpu: u8, thread: Option<u64>) {
        let cpu = self.of(cpu);
        cpu.running = thread;
        cpu.switches = cpu.switches.wrapping_add(1);
    }

    /// Notes a loss of events of one CPU or of all, after which the running thread is unknown.
    #[cold]
    pub(super) fn lose(&mut self, cpu: Option<u8>) {
        self.losses = self.losses.wrapping_add(1);
        let lost = cpu.map_or(0..MOST_CPUS, |cpu| cpu..cpu + 1);
        for cpu in lost {
            self.unknown |= u64::from(self.of(cpu).low.is_some()) << (cpu % MOST_CPUS);
            self.run(cpu, None);
        }
    }

    #[inline]
    pub(super) fn moment(&self, cpu: u8) -> CpuMoment {
        let switches = self.all[usize::from(cpu % MOST_CPUS)].switches;
        CpuMoment { losses: self.losses, cpu, switches, all_known: self.are_known() }
    }

    pub(super) fn forget(&mut self, thread: u64) {
        for cpu in self.all.iter_mut().filter(|cpu| cpu.running == Some(thread)) {
            cpu.running = None;
        }
    }
}
