//! What an answer says.

use spytui_plugin_api::{Verdict, info::AnswerStage};

use super::{
    filters::name_of,
    kernel::{Kernel, QUERY_EVENTS, class},
};
use crate::text::errno;

/// What a line asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A state of the companion.
    State(State),
    /// A command of the kernel.
    Kernel(Kernel),
    /// A fault, or a command of the application.
    Fault,
    /// A mark or a kernel profile.
    Other,
}

/// States of the companion, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Version = 0,
    Drops = 1,
    Peak = 2,
    Classes = 3,
}

impl State {
    pub(super) const ALL: [State; 4] = [State::Version, State::Drops, State::Peak, State::Classes];
}

/// What a result means for what was asked.
pub(super) fn verdict(asked: &Asked, result: u32) -> Verdict {
    let said = |stage: AnswerStage, reason: String| Verdict { stage, reason: reason.into() };
    match asked {
        // The number of an error has bits of classes that cannot be switched.
        Asked::State(State::Classes) if result & !class::SWITCHED != 0 => {
            said(AnswerStage::REFUSED, format!("{}: it has no classes", error(result)))
        }
        Asked::State(state) => said(AnswerStage::DATA, reported(*state, result)),
        Asked::Kernel(Kernel { number: QUERY_EVENTS, .. }) => said(AnswerStage::ACCEPTED, format!("result {result}")),
        _ if result == 0 => said(AnswerStage::ACCEPTED, String::new()),
        _ => said(AnswerStage::REFUSED, format!("{}: {}", error(result), why(asked, result))),
    }
}

fn error(result: u32) -> String {
    errno::name(result).map_or_else(|| format!("errno {result}"), str::to_owned)
}

fn why(asked: &Asked, result: u32) -> &'static str {
    const ENOMEM: u32 = 12;
    const EINVAL: u32 = 22;
    match (result, asked) {
        (EINVAL, Asked::Kernel(kernel)) if !kernel.words.is_empty() => {
            "this target has no such command, class or event"
        }
        (EINVAL, Asked::Fault) => "this target has no such fault or command",
        (EINVAL, _) => "not a command of this target",
        (ENOMEM, _) => "no room for one more filter of an event",
        _ => "the target could not do it",
    }
}

fn reported(state: State, value: u32) -> String {
    match state {
        State::Version => format!("companion version {value}"),
        State::Drops => format!("dropped so far: {value}"),
        State::Peak => format!("peak of the ring: {value} bytes"),
        State::Classes => format!("classes on: {}", classes(value)),
    }
}

/// Classes by name, several by the word for them.
fn classes(on: u32) -> String {
    if on == class::SWITCHED {
        return "all".to_owned();
    }
    if on == 0 {
        return "none".to_owned();
    }
    let mut names = Vec::new();
    let mut left = on;
    for several in [class::CALLS, class::INTERRUPTS] {
        if on & class::bits(several) == class::bits(several) {
            names.extend(name_of(several));
            left &= !class::bits(several);
        }
    }
    names.extend((0..=class::PMU).filter(|class| left >> class & 1 == 1).filter_map(name_of));
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(asked: &Asked, result: u32) -> String {
        let verdict = verdict(asked, result);
        format!("{} {}", verdict.stage.0, verdict.reason)
    }

    #[test]
    fn states_are_data() {
        assert_eq!(text(&Asked::State(State::Version), 1), "3 companion version 1");
        assert_eq!(text(&Asked::State(State::Drops), 22), "3 dropped so far: 22");
        assert_eq!(text(&Asked::State(State::Classes), class::SWITCHED), "3 classes on: all");
        assert_eq!(text(&Asked::State(State::Classes), 0), "3 classes on: none");
        assert_eq!(text(&Asked::State(State::Classes), 0b11_1000 | 1 << 7), "3 classes on: CALL INT_ENTR");
        assert_eq!(text(&Asked::State(State::Classes), 22), "4 EINVAL: it has no classes");
    }

    #[test]
    fn results_are_accepted_or_errors() {
        let kernel = |number, words: &[u32]| Asked::Kernel(Kernel::new(number, words));
        assert_eq!(text(&kernel(4, &[2]), 0), "1 ");
        assert_eq!(text(&kernel(4, &[2]), 22), "4 EINVAL: this target has no such command, class or event");
        assert_eq!(text(&kernel(10, &[]), 22), "4 EINVAL: not a command of this target");
        assert_eq!(text(&kernel(15, &[]), 3), "1 result 3");
        assert_eq!(text(&kernel(24, &[3, 4, 5]), 12), "4 ENOMEM: no room for one more filter of an event");
        assert_eq!(text(&Asked::Fault, 22), "4 EINVAL: this target has no such fault or command");
        assert_eq!(text(&Asked::Other, 260), "4 errno 260: the target could not do it");
    }
}
