//! Activities of events, as defined in the table of events.

use spytui_plugin_api::{Activity, ActivityFlags, Output, Verb};

use crate::{
    layout::{Operand, space::TASKS},
    record::Record,
};

/// Adds the activity of an event; `task` = the task running on the core.
pub(crate) fn of_record(record: &Record<'_>, core: u16, task: Option<u64>, out: &mut Output<'_>) {
    let Some(meaning) = &record.layout.meaning else { return };
    let [first, second] = record.numbers;
    let mut activity = with(Activity { core, ..meaning.fixed }, meaning.first, record.layout.first_space(), first);
    activity = with(activity, meaning.second, 0, second);
    if let Some(task) = task {
        activity = with(activity, meaning.task, TASKS, task);
    }
    out.activity(activity);
}

fn with(activity: Activity, operand: Operand, space: u16, value: u64) -> Activity {
    match operand {
        Operand::Nothing => activity,
        Operand::Sub => activity.sub(space, value),
        Operand::Obj => activity.obj(space, value),
        Operand::Val => activity.val(value),
        Operand::Second => activity.second(value),
    }
}

/// Adds the activity of bad frames, if there are any.
pub(crate) fn of_bad_frames(frames: u64, core: u16, out: &mut Output<'_>) {
    if frames > 0 {
        out.activity(Activity { core, ..Activity::new(Verb::INFO).val(frames).with(ActivityFlags::FAILED) });
    }
}
