//! What is measured, and the columns that figures are grouped by.

use spytui_plugin_api::nearest::nearest;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Records and their bytes.
    Rate,
    /// From an event's post to its removal from the queue.
    Wait,
    /// From the post of an event to its dispatch.
    Latency,
    /// A run-to-completion step, from dispatch to end.
    Step,
    /// From an event's post to the end of its step.
    Response,
    /// From sending a message to its receipt.
    Receive,
    /// From sending a message to the reply.
    Reply,
    /// A task is ready but not running.
    Ready,
    Run,
    Blocked,
    /// From becoming ready until the task blocks again.
    Activation,
    /// An interrupt handler, from entry to exit.
    Interrupt,
    Critical,
    Locked,
    /// A lock, from taking to giving.
    Held,
    /// A span: a marker or kernel call.
    Span,
    /// What a core does, excluding interrupts.
    Cpu,
    /// What a machine, or a field that is a state, is in.
    State,
    Free,
    Used,
    /// Numbers that the target reports.
    Value,
}

/// Each measure with its name, its description, and what is missing if it has no values; in display order.
const MEASURES: [(Measure, &str, &str, &str); 21] = [
    (Measure::Rate, "rate", "records and bytes", "no records yet"),
    (Measure::Wait, "wait", "post to get", "no record shows an event posted and taken from its queue"),
    (Measure::Latency, "latency", "post to dispatch", "no record shows an event posted and dispatched"),
    (Measure::Step, "step", "run to completion", "no record shows a step that begins and ends"),
    (Measure::Response, "response", "post to end of step", "no record shows an event posted and its step ended"),
    (Measure::Receive, "receive", "send to receive", "no record shows a message sent and received"),
    (Measure::Reply, "reply", "send to reply", "no record shows a message sent and replied to"),
    (Measure::Ready, "ready", "ready to running", "no record shows a task ready, then running"),
    (Measure::Run, "run", "running", "no record shows a task running, then stopped"),
    (Measure::Blocked, "blocked", "time blocked", "no record shows a task blocked, then released"),
    (Measure::Activation, "activation", "task response", "no record shows a task ready, then blocked"),
    (Measure::Interrupt, "interrupt", "interrupt handlers", "no record shows an interrupt entered and left"),
    (Measure::Critical, "critical", "interrupts disabled", "no record shows a critical section"),
    (Measure::Locked, "locked", "scheduler locked", "no record shows the scheduler locked and unlocked"),
    (Measure::Held, "held", "locks held", "no record shows a lock taken and given"),
    (Measure::Span, "span", "spans and calls", "no record shows a span or call that begins and ends"),
    (Measure::Cpu, "cpu", "processor time", "no record shows what a core does"),
    (Measure::State, "state", "time in states", "no record shows a state entered and left"),
    (Measure::Free, "free", "free elements", "no record shows the free elements of a queue or pool"),
    (Measure::Used, "used", "used elements", "no record shows the used elements of a queue or pool"),
    (Measure::Value, "value", "values", "no record has a field or marker that is a value"),
];

impl Measure {
    pub const COUNT: usize = MEASURES.len();

    /// In display order.
    pub fn all() -> impl Iterator<Item = Measure> {
        MEASURES.iter().map(|(measure, ..)| *measure)
    }

    /// Name used in commands and exports.
    pub fn word(self) -> &'static str {
        MEASURES[self as usize].1
    }

    pub fn title(self) -> &'static str {
        MEASURES[self as usize].2
    }

    /// Records that it requires.
    pub fn needs(self) -> &'static str {
        MEASURES[self as usize].3
    }

    pub fn of_word(word: &str) -> Option<Measure> {
        Measure::all().find(|measure| measure.word() == word)
    }

    /// Finds a measure by name; the error names the most similar one.
    pub fn named(word: &str) -> Result<Measure, String> {
        Measure::of_word(word)
            .ok_or_else(|| format!("unknown measure `{word}`{}", hint(word, Measure::all().map(Measure::word))))
    }

    pub fn is_time(self) -> bool {
        self != Measure::Rate && self.has_total()
    }

    /// The least value is the interesting one.
    pub fn is_low_worse(self) -> bool {
        self == Measure::Free
    }

    /// Numbers of elements and values have no meaningful sum.
    pub fn has_total(self) -> bool {
        !matches!(self, Measure::Free | Measure::Used | Measure::Value)
    }

    pub fn has_share(self) -> bool {
        matches!(self, Measure::Rate | Measure::Cpu | Measure::State)
    }
}

fn hint(word: &str, known: impl IntoIterator<Item = &'static str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubjectColumn {
    /// Kind of the record; for times, of the record at the end.
    Kind,
    Group,
    /// The object, task, queue … concerned.
    Object,
    /// Signal, or another second key.
    Signal,
    Core,
}

/// In table order.
pub const COLUMNS: [SubjectColumn; 5] =
    [SubjectColumn::Kind, SubjectColumn::Group, SubjectColumn::Object, SubjectColumn::Signal, SubjectColumn::Core];

impl SubjectColumn {
    pub fn word(self) -> &'static str {
        match self {
            SubjectColumn::Kind => "kind",
            SubjectColumn::Group => "group",
            SubjectColumn::Object => "object",
            SubjectColumn::Signal => "signal",
            SubjectColumn::Core => "core",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubjectColumns(u8);

impl SubjectColumns {
    pub fn of(columns: &[SubjectColumn]) -> SubjectColumns {
        SubjectColumns(columns.iter().fold(0, |bits, column| bits | 1 << *column as u8))
    }

    pub fn usual(measure: Measure) -> SubjectColumns {
        match measure {
            Measure::Rate => SubjectColumns::of(&[SubjectColumn::Kind, SubjectColumn::Group]),
            Measure::Cpu => SubjectColumns::of(&[SubjectColumn::Object, SubjectColumn::Core]),
            Measure::Critical | Measure::Locked => SubjectColumns::of(&[SubjectColumn::Core]),
            Measure::Wait | Measure::Latency | Measure::Step | Measure::Response | Measure::Span | Measure::State => {
                SubjectColumns::of(&[SubjectColumn::Object, SubjectColumn::Signal])
            }
            _ => SubjectColumns::of(&[SubjectColumn::Object]),
        }
    }

    pub fn has(self, column: SubjectColumn) -> bool {
        self.0 & 1 << column as u8 != 0
    }

    /// Adds or removes a column.
    pub fn with(self, column: SubjectColumn, is_there: bool) -> SubjectColumns {
        let bit = 1 << column as u8;
        SubjectColumns(if is_there { self.0 | bit } else { self.0 & !bit })
    }

    /// In table order.
    pub fn iter(self) -> impl Iterator<Item = SubjectColumn> {
        COLUMNS.into_iter().filter(move |column| self.has(*column))
    }

    /// Names of a subject: `supervisor TEMPERATURE`, `task 7 core 0`.
    pub fn words(self, names: &[String]) -> String {
        let word = |(column, name): (SubjectColumn, &String)| match column {
            SubjectColumn::Core => format!("core {name}"),
            _ => name.clone(),
        };
        self.iter().zip(names).map(word).collect::<Vec<_>>().join(" ")
    }

    /// `object, signal`; `all` without columns.
    pub fn text(self) -> String {
        let words: Vec<&str> = self.iter().map(SubjectColumn::word).collect();
        if words.is_empty() { "all".to_owned() } else { words.join(", ") }
    }

    /// Parses `object,signal`; `all` means no columns, that is a single row. The error lists the valid columns.
    pub fn parse(text: &str) -> Result<SubjectColumns, String> {
        let mut columns = SubjectColumns::default();
        for word in text.split(',').map(str::trim).filter(|word| *word != "all") {
            let found = COLUMNS.into_iter().find(|column| column.word() == word);
            let near = hint(word, COLUMNS.map(SubjectColumn::word));
            let unknown = || format!("unknown column `{word}`: use kind, group, object, signal, core or all{near}");
            columns = columns.with(found.ok_or_else(unknown)?, true);
        }
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_in_any_order() {
        assert_eq!(
            SubjectColumns::parse("signal, object"),
            Ok(SubjectColumns::of(&[SubjectColumn::Object, SubjectColumn::Signal]))
        );
        assert_eq!(SubjectColumns::parse("signal,object").unwrap().text(), "object, signal");
        assert_eq!(
            (SubjectColumns::parse("all").unwrap(), SubjectColumns::default().text().as_str()),
            (SubjectColumns::default(), "all")
        );
        assert!(SubjectColumns::parse("sgnal").unwrap_err().contains("signal"));
    }
}
