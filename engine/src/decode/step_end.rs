//! What ends a run-to-completion step: the record that handles its event, or a record of its own.

use spytui_plugin_api::Info;

/// What ends a step of a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StepEnd {
    /// The transition, or whatever else handles the event.
    #[default]
    Handled,
    /// A record of its own, says the decoder; none came yet, and the target may leave them out.
    Promised,
    /// A record of its own.
    Reported,
}

impl StepEnd {
    /// As the decoder says, before any record.
    pub fn new(info: &Info) -> StepEnd {
        if info.reports_step_end { StepEnd::Promised } else { StepEnd::Handled }
    }

    /// Whether a step goes on after its event was handled.
    pub fn is_apart(self) -> bool {
        self != StepEnd::Handled
    }

    /// A record reported the end of a step.
    pub fn came(&mut self) {
        *self = StepEnd::Reported;
    }

    /// The next step began, and no record reported the end of one whose event was handled.
    pub fn is_missing(&mut self) {
        if *self == StepEnd::Promised {
            *self = StepEnd::Handled;
        }
    }
}
