//! What is measured.

use spytui_plugin_api::nearest::nearest;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Records and their bytes.
    Rate,
    /// From the post of an event to its taking from the queue.
    Wait,
    /// From the post of an event to its dispatch.
    Latency,
    /// A run-to-completion step: from the dispatch of an event to its end.
    Step,
    /// From the post of an event to the end of its step.
    Response,
    /// From the sending of a message to its receipt.
    Receive,
    /// From the sending of a message to the reply.
    Reply,
    /// A task is ready, until it runs.
    Ready,
    /// A task runs, until it does not.
    Run,
    /// A task waits, until it does not.
    Blocked,
    /// From a task's becoming ready until it waits again.
    Activation,
    /// An interrupt handler, from entry to exit.
    Interrupt,
    /// Interrupts disabled.
    Critical,
    /// Scheduler locked.
    Locked,
    /// A lock, from taken to given.
    Held,
    /// A span, from begin to end: a marker, a kernel call.
    Span,
    /// What a core does, without interrupts in between.
    Cpu,
    /// Free elements of a queue or pool.
    Free,
    /// Used elements of a queue or pool.
    Used,
}

/// All of them, in the order of lists.
pub const ALL: [Measure; 19] = [
    Measure::Rate,
    Measure::Wait,
    Measure::Latency,
    Measure::Step,
    Measure::Response,
    Measure::Receive,
    Measure::Reply,
    Measure::Ready,
    Measure::Run,
    Measure::Blocked,
    Measure::Activation,
    Measure::Interrupt,
    Measure::Critical,
    Measure::Locked,
    Measure::Held,
    Measure::Span,
    Measure::Cpu,
    Measure::Free,
    Measure::Used,
];

/// In what something is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Bytes of a record.
    Bytes,
    Time,
    /// Elements of a queue or pool.
    Elements,
}

/// The words for a measure: its own, what it is, and what ends it, as a title has it.
type Words = (&'static str, &'static str, &'static str);

impl Measure {
    /// Its word, for commands and exports.
    pub fn word(self) -> &'static str {
        self.words().0
    }

    pub fn title(self) -> &'static str {
        self.words().1
    }

    /// What records must say for it to be known.
    pub fn needs(self) -> &'static str {
        self.words().2
    }

    fn words(self) -> Words {
        match self {
            Measure::Rate => ("rate", "records and bytes", "no records yet"),
            Measure::Wait => ("wait", "post to get", "no record shows an event posted and taken from its queue"),
            Measure::Latency => ("latency", "post to dispatch", "no record shows an event posted and dispatched"),
            Measure::Step => ("step", "run to completion", "no record shows a step that begins and ends"),
            Measure::Response => {
                ("response", "post to end of step", "no record shows an event posted and its step ended")
            }
            Measure::Receive => ("receive", "send to receive", "no record shows a message sent and received"),
            Measure::Reply => ("reply", "send to reply", "no record shows a message sent and replied to"),
            Measure::Ready => ("ready", "ready to running", "no record shows a task ready, then running"),
            Measure::Run => ("run", "running", "no record shows a task running, then stopped"),
            Measure::Blocked => ("blocked", "time blocked", "no record shows a task blocked, then released"),
            Measure::Activation => ("activation", "task response", "no record shows a task ready, then blocked"),
            Measure::Interrupt => ("interrupt", "interrupt handlers", "no record shows an interrupt entered and left"),
            Measure::Critical => ("critical", "interrupts disabled", "no record shows a critical section"),
            Measure::Locked => ("locked", "scheduler locked", "no record shows the scheduler locked and unlocked"),
            Measure::Held => ("held", "locks held", "no record shows a lock taken and given"),
            Measure::Span => ("span", "spans and calls", "no record shows a span or call that begins and ends"),
            Measure::Cpu => ("cpu", "processor time", "no record shows what a core does"),
            Measure::Free => ("free", "free elements", "no record shows the free elements of a queue or pool"),
            Measure::Used => ("used", "used elements", "no record shows the used elements of a queue or pool"),
        }
    }

    pub fn of_word(word: &str) -> Option<Measure> {
        ALL.into_iter().find(|measure| measure.word() == word)
    }

    /// The same; otherwise the nearest word.
    ///
    /// # Errors
    /// There is no such measure.
    pub fn named(word: &str) -> Result<Measure, String> {
        Measure::of_word(word).ok_or_else(|| {
            let near = nearest(word, ALL.map(Measure::word));
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            format!("unknown measure `{word}`{near}")
        })
    }

    /// In what it is measured.
    pub fn quantity(self) -> Quantity {
        match self {
            Measure::Rate => Quantity::Bytes,
            Measure::Free | Measure::Used => Quantity::Elements,
            _ => Quantity::Time,
        }
    }

    /// The least value is the one to look at, not the greatest.
    pub fn is_low_worse(self) -> bool {
        self == Measure::Free
    }

    /// Its values have a sum.
    pub fn has_total(self) -> bool {
        self.quantity() != Quantity::Elements
    }

    /// The sum has a share of all.
    pub fn has_share(self) -> bool {
        matches!(self, Measure::Rate | Measure::Cpu)
    }
}
