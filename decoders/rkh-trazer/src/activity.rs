//! Activities of records, as defined in the table of events. Dictionary, configuration and unit-test records have none.

use spytui_plugin_api::{Activity, ActivityFlags, Output, Row, RowFlags, Verb, info::space::KINDS};

use crate::layout::{Layout, Meaning, NO_FIELD, Operand, Values};

/// Adds the activity of a user event, before its row.
pub(crate) fn user(row: Row, out: &mut Output<'_>) {
    if out.wants_activities() && row.flags.contains(RowFlags::APPLICATION) {
        out.activity(Activity { core: row.core, ..Activity::new(Verb::INSTANT).sub(KINDS, row.kind.0.into()) });
    }
}

/// Adds the activities of an event whose arguments fit, before its row.
#[inline(never)]
pub(crate) fn record(layout: &Layout, values: &Values<'_>, row: Row, out: &mut Output<'_>) {
    let Some(meaning) = &layout.meaning else { return };
    let mut activity = of_meaning(meaning, values, row.core);
    let has_level = meaning.level != NO_FIELD;
    if !has_level {
        activity = with_low(activity, meaning, values);
    }
    out.activity(activity);
    if has_level {
        let level = Activity { core: row.core, ..Activity::new(Verb::LEVEL) };
        let level = level.obj(activity.obj_space, activity.obj).val(values.number(meaning.level));
        out.activity(with_low(level, meaning, values));
    }
}

fn of_meaning(meaning: &Meaning<u8>, values: &Values<'_>, core: u16) -> Activity {
    let second = values.number(meaning.second);
    let verb = meaning.verb_without_second.filter(|_| second == 0).unwrap_or(meaning.verb);
    let mut activity = Activity { core, flags: meaning.flags, ..Activity::new(verb) };
    activity = activity.val(values.number(meaning.val)).second(second);
    if let Some(key) = key(&meaning.sub, values) {
        activity = activity.sub(meaning.sub.space, key);
    }
    if let Some(key) = key(&meaning.obj, values) {
        activity = activity.obj(meaning.obj.space, key);
    }
    if let Some(key) = key(&meaning.item, values) {
        activity = activity.item(meaning.item.space, key);
    }
    activity
}

/// With the low watermark, where the record has one.
fn with_low(activity: Activity, meaning: &Meaning<u8>, values: &Values<'_>) -> Activity {
    match meaning.low {
        NO_FIELD => activity,
        field => activity.second(values.number(field)).with(ActivityFlags::MARKED),
    }
}

fn key(operand: &Operand<u8>, values: &Values<'_>) -> Option<u64> {
    if operand.field == NO_FIELD {
        return None;
    }
    let key = values.number(operand.field) + operand.plus;
    (key != 0 || !operand.zero_is_none).then_some(key)
}
