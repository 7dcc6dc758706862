//! `:on`: the triggers of this run, and what their hits do to the screen.

use spytui_engine::{
    present::{clock::grouped, words::counted},
    query::Expr,
};

use super::{
    Effect, Model, filter, jump,
    list::{LogPosition, rows_before},
    prompt::PromptQuestion,
};
use crate::{
    app_log::LogLevel,
    input::LOG,
    trigger::{TriggerAction, TriggerNews, TriggerRule},
};

#[derive(Debug, Default)]
pub struct Triggers {
    list: Vec<Trigger>,
    /// Number of the next one.
    next: u64,
    /// Rows that are marked or held at once they are decoded.
    waiting: Vec<WaitingRow>,
}

#[derive(Debug)]
struct WaitingRow {
    source: usize,
    pos: u64,
    rule: TriggerRule,
}

#[derive(Debug)]
struct Trigger {
    id: u64,
    rule: TriggerRule,
    hits: u64,
    skipped: u64,
}

/// Runs `:on`: lists the triggers, removes some, or adds one. One that runs a program is confirmed first.
pub fn command(model: &mut Model, text: Option<&str>) {
    let mut words = text.unwrap_or_default().split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (None, ..) => return list(model),
        (Some("off"), number, None) => return remove(model, number),
        _ => {}
    }
    let rule = match TriggerRule::parse(text.unwrap_or_default()) {
        Ok(rule) => rule,
        Err(why) => return model.fail(why),
    };
    let expr = match filter::read(model, &rule.expr) {
        Ok(expr) => expr,
        Err(why) => return model.fail(why),
    };
    if let TriggerAction::Run(program) = &rule.action {
        let text = format!("run `{program}`?");
        let mut question = PromptQuestion::new(text, "y yes · n no", false);
        question.confirms = Some((rule, expr));
        model.prompt.question = Some(question);
        return;
    }
    set(model, rule, expr, false);
}

/// Adds a trigger for rows from now on, or for all that came.
pub fn set(model: &mut Model, rule: TriggerRule, expr: Expr, all: bool) {
    let triggers = &mut model.triggers;
    triggers.next += 1;
    let id = triggers.next;
    triggers.list.push(Trigger { id, rule: rule.clone(), hits: 0, skipped: 0 });
    model.ask_for(Effect::SetTrigger { id, rule: rule.clone(), expr, all });
    model.say(format!("trigger {id}: {rule}; :on off {id} removes it"));
}

fn list(model: &mut Model) {
    if model.triggers.list.is_empty() {
        return model.say("no trigger is set; as in :on kind:Ignored mark");
    }
    let line = |one: &Trigger| {
        let skipped =
            if one.skipped > 0 { format!(", {} while it was busy", grouped(one.skipped)) } else { String::new() };
        format!("{}: {}: {}{skipped}", one.id, one.rule, counted(one.hits, "hit"))
    };
    let lines: Vec<String> = model.triggers.list.iter().map(line).collect();
    if let [only] = lines.as_slice() {
        return model.say(format!("trigger {only}"));
    }
    lines.iter().for_each(|line| model.log(LogLevel::Info, "on", line.clone()));
    model.panes.show(LOG);
    model.say(format!("{} triggers in the log", lines.len()));
}

fn remove(model: &mut Model, number: Option<&str>) {
    let is_meant = |one: &Trigger| number.is_none_or(|number| number == one.id.to_string());
    let gone: Vec<Trigger> = model.triggers.list.extract_if(.., |one| is_meant(one)).collect();
    match (gone.as_slice(), number) {
        ([], Some(number)) => model.fail(format!("{number}: no such trigger; :on lists them")),
        ([], None) => model.say("no trigger is set"),
        (gone, _) => {
            gone.iter().for_each(|one| model.ask_for(Effect::RemoveTrigger(one.id)));
            model.say(format!("{} removed", counted(gone.len() as u64, "trigger")));
        }
    }
}

/// What happened at a trigger on a source since the last message.
pub fn take(model: &mut Model, id: u64, source: usize, news: TriggerNews) {
    let Some(trigger) = model.triggers.list.iter_mut().find(|trigger| trigger.id == id) else { return };
    trigger.hits += news.hits;
    let was_skipped = trigger.skipped > 0;
    trigger.skipped += news.skipped;
    let (rule, skipped) = (trigger.rule.clone(), trigger.skipped);
    match rule.action {
        TriggerAction::Bell if news.hits > 0 => model.ask_for(Effect::Bell),
        TriggerAction::Hold | TriggerAction::Mark => {
            let row = |pos: &u64| WaitingRow { source, pos: *pos, rule: rule.clone() };
            model.triggers.waiting.extend(news.at.iter().map(row));
            follow(model);
        }
        _ => {}
    }
    for (failed, text) in news.said {
        if failed { model.fail(text) } else { model.say(text) }
    }
    if skipped > 0 && !was_skipped {
        model.say(format!("{rule}: a row came while it was busy: counted, not queued"));
    }
}

/// Marks rows that are decoded by now; those of a source that is not shown are only counted.
pub fn follow(model: &mut Model) {
    let mut waiting = std::mem::take(&mut model.triggers.waiting);
    let is_there = |row: &mut WaitingRow| {
        model.links.sources.get(row.source).is_none_or(|source| source.decoding().pos() > row.pos)
    };
    let there: Vec<WaitingRow> = waiting.extract_if(.., is_there).collect();
    model.triggers.waiting = waiting;
    for WaitingRow { source, pos, rule } in there {
        let Some(source) = model.links.scope.iter().position(|shown| *shown == source) else { continue };
        let Some(decoding) = model.list.rows.parts.get(source) else { continue };
        let (first, behind) = (rows_before(decoding, |at| at < pos), rows_before(decoding, |at| at <= pos));
        let nth = (behind - first).saturating_sub(1);
        let position = LogPosition { source, pos, nth };
        if rule.action == TriggerAction::Hold {
            hold(model, position, &rule);
        } else if model.list.mark_at(position).is_none() {
            let note = rule.expr;
            let name = model.list.mark(None, position, note.clone());
            // Its sign is enough: a message would displace others.
            model.log(LogLevel::Info, "on", format!("mark {name}: {note}"));
        }
    }
}

/// Holds a list that follows, at a row.
fn hold(model: &mut Model, position: LogPosition, rule: &TriggerRule) {
    if !model.list.page.follow {
        return;
    }
    model.list.page.hold(&model.list.rows);
    model.say(format!("held: {}; G follows again", rule.expr));
    if let Some(row) = model.list.row_at(position) {
        jump::to_row(model, row);
    }
}
