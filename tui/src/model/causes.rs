//! Cause and effect of a row: going there, and the lines of the details about them.

use std::sync::Arc;

use spytui_engine::{
    analysis::{Cause, Entities, Why},
    present::{
        Role, sanitise,
        words::{key_word, tag_of},
    },
    store::{Names, Shape, View},
    trace::list::{Direction, RowList, find_shape},
    trace::session::decoding::CauseRange,
};
use spytui_plugin_api::{Activity, NONE, Verb as V, render::Lookup};

use super::{Model, jump};

/// Effects named in a line.
const NAMED: usize = 4;

/// Goes to the row from which the row under the cursor follows; forward to the one that follows from it.
pub fn go(model: &mut Model, direction: Direction) {
    let loss = model.list.cursor_entry().filter(|entry| entry.line.role == Role::Loss);
    if let Some(rows) = loss.map(|entry| (entry.first, entry.last)) {
        return beside_loss(model, rows, direction);
    }
    let target = Here::of(&model.list.rows, model.list.page.cursor).and_then(|here| here.target(direction));
    let Some((row, sure)) = target else {
        return model.say(match direction {
            Direction::Backward => "no known cause",
            Direction::Forward => "no known effect",
        });
    };
    if jump::to_row(model, row) && !sure {
        model.say("~ uncertain: records were lost in between");
    }
}

/// What led to a loss and what followed are lost with it: goes to the last record before it, or the first one after it.
fn beside_loss(model: &mut Model, (first, last): (u64, u64), direction: Direction) {
    let (from, said) = match direction {
        Direction::Forward => (last, "the first record after the loss"),
        Direction::Backward => (first, "the last record before it"),
    };
    let record = find_shape(&model.list.rows, Some(from), direction, |shape: &Shape| shape.row().is_record());
    let Some(row) = record else { return model.say("no record there") };
    if jump::to_row(model, row) {
        model.say(said);
    }
}

/// The lines on cause and effect of a row: their names, and what they say.
pub fn lines(rows: &RowList, row: u64) -> Vec<(&'static str, String)> {
    let Some(here) = Here::of(rows, row) else { return Vec::new() };
    let mut lines = Vec::new();
    if let Some(cause) = here.range.causes.cause(here.index) {
        lines.extend(here.why(cause).map(|text| ("why", text)));
    }
    if let Some(text) = here.range.causes.meaning(here.index).and_then(|own| here.ignored(own)) {
        lines.push(("what", text));
    }
    let effects = here.range.causes.main_effects(here.index).take(NAMED);
    let effects: Vec<String> = effects.filter_map(|effect| here.then(effect)).collect();
    if !effects.is_empty() {
        lines.push(("then", effects.join(" · ")));
    }
    lines
}

/// A row among the causes and effects around it.
struct Here<'a> {
    rows: &'a RowList,
    source: usize,
    range: Arc<CauseRange>,
    index: usize,
}

impl Here<'_> {
    fn of(rows: &RowList, row: u64) -> Option<Here<'_>> {
        let (source, own) = rows.locate(row)?;
        let range = rows.source(source).causes(own)?;
        let index = usize::try_from(own.checked_sub(range.first)?).ok()?;
        Some(Here { rows, source, range, index })
    }

    /// The row in the list that this one follows from, or forward the one that follows from it; and whether that is sure.
    fn target(&self, direction: Direction) -> Option<(u64, bool)> {
        let causes = &self.range.causes;
        let (to, sure) = match direction {
            Direction::Backward => causes.cause(self.index).map(|cause| (cause.row as usize, cause.sure))?,
            Direction::Forward => {
                let effect = causes.main_effects(self.index).next()?;
                (effect, causes.cause(effect).is_some_and(|cause| cause.sure))
            }
        };
        Some((self.listed(to)?, sure))
    }

    /// The row in the list.
    fn listed(&self, index: usize) -> Option<u64> {
        self.rows.place(self.source, self.range.first + index as u64)
    }

    /// `#409`, with a mark if the connection is uncertain.
    fn number(&self, index: usize, sure: bool) -> Option<String> {
        let row = self.listed(index)?;
        self.rows.ensure_loaded(row);
        let number = self.rows.number(row)?;
        Some(if sure { number } else { format!("~{number}") })
    }

    /// Time from one row to another; empty if one has no time stamp.
    fn between(&self, from: usize, to: usize) -> Option<String> {
        let time = |index: usize| {
            let row = self.listed(index)?;
            self.rows.ensure_loaded(row);
            self.rows.row(row).filter(|row| row.has_time()).map(|row| row.time)
        };
        let text = self.rows.clock().delta_text(time(from)?, time(to)?);
        Some(text.trim_start_matches('+').to_owned())
    }

    /// Name of a key, else the key.
    fn name(&self, activity: &Activity, space: u16, key: u64) -> String {
        let info = &self.rows.source(self.source).decoder.info;
        let scope = Entities::new(info, 0).named(activity, space, key).scope;
        let states = self.rows.read_all();
        let others: Vec<_> =
            states.iter().enumerate().filter(|(i, _)| *i != self.source).map(|(_, state)| &*state.dictionary).collect();
        let Some(own) = states.get(self.source) else { return String::new() };
        let row = self.range.first + self.index as u64;
        let names =
            Names { dictionary: &own.dictionary, others: &others, row, rows: &[], view: View::Effective, short: true };
        match names.get(0, space, key, scope) {
            Some(name) => sanitise(name),
            None => key_word(info.space(space), key),
        }
    }

    fn subject(&self, activity: &Activity) -> Option<String> {
        (activity.sub_space != NONE).then(|| self.name(activity, activity.sub_space, activity.sub))
    }

    /// What led to this row.
    fn why(&self, cause: Cause) -> Option<String> {
        let at = cause.row as usize;
        let number = self.number(at, cause.sure)?;
        let who = self.range.causes.meaning(at).and_then(|meaning| self.subject(meaning));
        let what = match (cause.why, who) {
            (Why::Posted, Some(who)) => format!("{who} posted it"),
            (Why::Posted, None) => "posted".to_owned(),
            (Why::Step, Some(who)) => format!("{who}'s step,"),
            (Why::Step, None) => "step,".to_owned(),
            (Why::Expired, Some(who)) => format!("{who} expired"),
            (Why::Expired, None) => "expired".to_owned(),
            (Why::Armed, _) => "armed".to_owned(),
            (Why::Ready, _) => "made ready".to_owned(),
            (Why::Began, _) => "began".to_owned(),
        };
        Some(match self.between(at, self.index) {
            Some(time) => format!("{number}: {what} {time} ago"),
            None => format!("{number}: {}", what.trim_end_matches(',')),
        })
    }

    /// What followed from this row.
    fn then(&self, effect: usize) -> Option<String> {
        let causes = &self.range.causes;
        let number = self.number(effect, causes.cause(effect)?.sure)?;
        let meaning = causes.meaning(effect)?;
        let word = self.word(effect, meaning)?;
        let waited = (meaning.verb == V::GET).then(|| self.between(self.index, effect)).flatten();
        Some(match (waited, self.ignored(meaning)) {
            (Some(time), _) => format!("{number} {word}, waited {time}"),
            (None, Some(why)) => format!("{number} {word}: {why}"),
            (None, None) => format!("{number} {word}"),
        })
    }

    fn word(&self, index: usize, meaning: &Activity) -> Option<String> {
        Some(match meaning.verb {
            V::GET => "Get".to_owned(),
            V::POST => "Post".to_owned(),
            V::DISPATCH => "Disp".to_owned(),
            V::TRAN => "Tran".to_owned(),
            V::INTERNAL => "Intern".to_owned(),
            V::IGNORED => "Ignored".to_owned(),
            V::UNHANDLED => "Unhandled".to_owned(),
            _ => {
                let info = &self.rows.source(self.source).decoder.info;
                tag_of(info, self.rows.row(self.listed(index)?)?.kind)
            }
        })
    }

    /// Why an event was ignored.
    fn ignored(&self, meaning: &Activity) -> Option<String> {
        let ignored = matches!(meaning.verb, V::IGNORED | V::UNHANDLED) && meaning.item_space != NONE;
        ignored.then(|| {
            let signal = self.name(meaning, meaning.item_space, meaning.item);
            match meaning.obj_space {
                NONE => format!("no handler for {signal}"),
                space => format!("{} has no handler for {signal}", self.name(meaning, space, meaning.obj)),
            }
        })
    }
}
