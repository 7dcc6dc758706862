//! The Objects pane: what every object was doing at the row under the list's cursor.

use std::cmp::Reverse;

use spytui_engine::{
    analysis::{
        Key,
        objects::{Moment, ObjectKind, ObjectLine, ObjectTable},
    },
    export::objects::{changes, table},
    trace::list::{Direction, ObjectChange, ObjectHistory, Walking, row_list::number_text, walk::worded},
};
use spytui_plugin_api::{Row, info::space};

use super::{
    live::{self, Live, LivePane},
    table::{Body, TableCursor, TableSort},
};
use crate::{
    input::{Action, Hint, OBJECTS as ID, PaneAction, PaneKeys, RECORDS, quoted},
    model::{Model, filter, jump, line_search, list::words::without_prefix},
    term::Role,
};

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "objects",
    tab: Some("Obj"),
    actions: &[CHANGE_NEXT, CHANGE_PREVIOUS, SORT_NEXT, SORT_REVERSE],
    hints: &[
        Hint(&[Action::OfPane(ID, CHANGE_PREVIOUS), Action::OfPane(ID, CHANGE_NEXT)], "its changes"),
        Hint(&[Action::Open], "only its rows"),
        Hint(&[Action::Search], "find"),
        Hint(&[Action::OfPane(ID, SORT_NEXT)], "sort"),
    ],
    signs: "~: perhaps outdated: records were lost since; –: no record has said; \
            !: the record was a warning or an error; \
            1/8, peak 2: elements in use of the size, and the most so far; \
            free 7, min 5: elements free, and the fewest so far: the size is unknown",
};

const CHANGE_NEXT: PaneAction = PaneAction::new("change-next", "its next change of state", "object-previous");
const CHANGE_PREVIOUS: PaneAction =
    PaneAction::new("change-previous", "its previous change of state", "object-previous");
const SORT_NEXT: PaneAction = PaneAction::new("order-next", "sort by the next column", "source-previous");
const SORT_REVERSE: PaneAction = PaneAction::new("order-reverse", "sort the other way round", "source-previous");

pub(super) type ObjectsPane = LivePane<ShownObjects>;

/// For each column, the sort order it selects.
const SORT: [usize; 8] = [1, 2, 3, 3, 4, 5, 6, 0];
const ROLES: [Role; 8] =
    [Role::Object, Role::Plain, Role::Plain, Role::Help, Role::Signal, Role::Plain, Role::Plain, Role::Plain];

/// The lines of the pane, and their sort order.
#[derive(Debug, Default)]
pub(super) struct ShownObjects {
    lines: Vec<ObjectLine>,
    sort: TableSort,
    /// The row for which the lines were made.
    as_of: Option<Moment>,
}

impl Live for ShownObjects {
    type Walk = ObjectHistory;
    type Subject = Key;
    /// Sort order, whether names are short, the row, whether there is one, and the row that it is compared with; while
    /// following, it is the newest row.
    type Asked = (TableSort, bool, Option<u64>, bool, Option<u64>);

    const KEYS: &'static PaneKeys = &KEYS;
    const STAYS_BESIDE: bool = true;
    const MAY_WAIT: bool = false;

    fn len(&self) -> usize {
        self.lines.len()
    }

    fn subject(&self, line: usize) -> Option<Key> {
        self.lines.get(line).map(|line| line.key)
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        self.lines.iter().map(text_of).collect()
    }

    fn asked(&self, walk: &ObjectHistory, model: &Model) -> Self::Asked {
        let row = row_shown(walk, model).ok();
        (self.sort, model.list.page.short, row.filter(|_| !live::is_live(model)), row.is_some(), compared(model))
    }

    fn make(&mut self, walk: &mut ObjectHistory, model: &Model, _cursor: &mut TableCursor) {
        let rows = &model.list.rows;
        let row = row_shown(walk, model).ok();
        let short = model.list.page.short;
        let mut lines = |row| {
            let mut lines = walk.lines(rows, row, short).unwrap_or_default();
            for line in lines.iter_mut().filter(|_| short) {
                line.state = without_prefix(&line.state, &line.name).to_owned();
            }
            lines
        };
        self.lines = row.map(&mut lines).unwrap_or_default();
        if let Some(before) = compared(model) {
            self.lines = ObjectLine::changed(&lines(before), std::mem::take(&mut self.lines));
        }
        self.as_of = row.and_then(|row| walk.at(rows, row)).map(ObjectTable::last);
        sort_lines(&mut self.lines, self.sort);
    }

    fn forget(&mut self) {
        self.lines.clear();
    }

    fn act(&mut self, action: Action, line: usize, walk: &mut ObjectHistory, model: &mut Model) {
        match action {
            Action::OfPane(_, SORT_NEXT) => self.sort.column = (self.sort.column + 1) % SORTS.len(),
            Action::OfPane(_, SORT_REVERSE) => self.sort.reverse = !self.sort.reverse,
            Action::OfPane(_, CHANGE_NEXT) => self.go_to_change(line, walk, model, Direction::Forward),
            Action::OfPane(_, CHANGE_PREVIOUS) => self.go_to_change(line, walk, model, Direction::Backward),
            _ => self.filter_by_object(line, model),
        }
    }

    fn sort_by(&mut self, column: usize) {
        self.sort.click(SORT[column]);
    }

    fn body(&self, model: &Model, _width: u16) -> Body {
        let several = model.list.rows.sources() > 1;
        if compared(model).is_some() {
            return Body::new(&changes(&self.lines, several), &self.lines, &ROLES[..4]);
        }
        let now = self.as_of.and_then(|last| last.time).filter(|_| !several);
        let table = table(&self.lines, several, now.map(|now| (now, model.list.rows.clock())));
        Body::new(&table, &self.lines, &ROLES)
    }

    fn why_empty(&self, walk: &ObjectHistory, model: &Model) -> String {
        match row_shown(walk, model) {
            Err(why) => why,
            _ if model.list.rows.is_empty() => "no records yet".to_owned(),
            _ if compared(model).is_some() => "no object has changed; Esc shows all of them".to_owned(),
            _ => {
                let later = if walk.newest().objects().next().is_some() { "; there is some later" } else { "" };
                format!("no activity yet{later}")
            }
        }
    }

    fn title(&self, walk: &ObjectHistory, model: &Model, width: u16) -> (String, String) {
        if let Some(before) = compared(model) {
            return (changes_since(before, model), self.as_of(walk, model, width));
        }
        let is_short = width < 70 || (width < 100 && line_search::of_pane(model, ID).is_some());
        let title = if is_short { "Objects".to_owned() } else { self.sort.title("Objects", &SORTS) };
        (title, self.as_of(walk, model, width))
    }
}

impl ShownObjects {
    /// `as of #744, 329 191 177`
    fn as_of(&self, walk: &ObjectHistory, model: &Model, room: u16) -> String {
        let rows = &model.list.rows;
        let Some(last) = self.as_of.filter(|_| row_shown(walk, model).is_ok()) else { return String::new() };
        let several = (rows.sources() > 1).then_some(last.source);
        let number = format!("as of {}", number_text(several, last.n));
        let time = last.time.filter(|_| room >= 56 && several.is_none()).map(|time| rows.clock().time_text(time));
        time.map_or(number.clone(), |time| format!("{number}, {}", time.trim()))
    }

    /// Moves the list's cursor to where the object's next or previous state begins.
    fn go_to_change(&self, line: usize, walk: &mut ObjectHistory, model: &mut Model, direction: Direction) {
        let Some(ObjectLine { key, name, .. }) = self.lines.get(line) else { return };
        match walk.change(&model.list.rows, model.list.row_here(), *key, direction) {
            ObjectChange::At(row) => _ = jump::to_row(model, row),
            ObjectChange::NotRead => model.say("not yet: the records before this one are being read"),
            ObjectChange::None if direction == Direction::Forward => {
                model.say(format!("{name}: no later change of its state"))
            }
            ObjectChange::None => model.say(format!("{name}: no earlier change of its state is known")),
        }
    }

    /// Shows only rows about the object under the cursor.
    fn filter_by_object(&self, line: usize, model: &mut Model) {
        let Some(line) = self.lines.get(line) else { return };
        // Only this object has the full name.
        let word = worded(&model.list.rows, model.list.row_here(), false, |wording| wording.bare_name(line.key));
        let text = filter_of(line, &word);
        model.panes.show(RECORDS);
        filter::set_text(model, &text);
    }
}

/// The row that the row shown is compared with.
fn compared(model: &Model) -> Option<u64> {
    model.list.row_at(model.list.compared?)
}

/// `Objects · changed since #300 in 1.25s`
fn changes_since(before: u64, model: &Model) -> String {
    let rows = &model.list.rows;
    let time = |row| rows.row(row).filter(Row::has_time).map(|row| row.time);
    let times = time(before).zip(time(model.list.row_here()));
    let lasted = times.map(|(from, to)| format!(" in {}", rows.clock().lasted_text(from, to)));
    let number = rows.number(before).unwrap_or_default();
    format!("Objects · changed since {number}{}", lasted.unwrap_or_default())
}

/// Number of new rows that may be unread without a notice.
const NEWEST: u64 = 10_000;

const SORTS: [&str; 7] = ["by kind", "by name", "by state", "by change", "by last event", "by free room", "by share"];

/// The row to show: the list's cursor row, or the last one read if only newest ones are missing; otherwise why there is
/// none.
fn row_shown(history: &ObjectHistory, model: &Model) -> Result<u64, String> {
    let (walked, rows, cursor) = (history.walked(), model.list.rows.len(), model.list.row_here());
    match history.failure() {
        _ if walked > cursor => Ok(cursor),
        Some(failure) => Err(format!("what the objects were doing can't be found: {failure}")),
        None if walked > 0 && cursor < rows && cursor - walked < NEWEST && rows > 2 * NEWEST => Ok(walked - 1),
        None => Err(format!("reading the records before this one: {} %", walked * 100 / (cursor + 1).max(1))),
    }
}

fn sort_lines(lines: &mut [ObjectLine], sort: TableSort) {
    let last = |line: &ObjectLine| line.last.as_ref().map(|last| last.at.row);
    match sort.column {
        1 => lines.sort_by(|a, b| a.name.cmp(&b.name)),
        2 => lines.sort_by(|a, b| a.state.cmp(&b.state)),
        3 => lines.sort_by_key(|line| Reverse(line.since.map(|since| since.row))),
        4 => lines.sort_by_key(|line| Reverse(last(line))),
        5 => lines.sort_by_key(|line| line.fullness),
        6 => lines.sort_by_key(|line| Reverse(line.permille)),
        _ => {}
    }
    if sort.reverse {
        lines.reverse();
    }
}

/// A line as text, for a search.
fn text_of(line: &ObjectLine) -> String {
    let last = line.last.as_ref().map_or_else(String::new, |last| format!("{} {}", last.kind, last.item));
    format!("{} {} {} {last} {}", line.kind.word(), line.name, line.state, line.level)
}

/// The display filter for rows about an object with this full name.
fn filter_of(line: &ObjectLine, name: &str) -> String {
    match line.key.space {
        space::CORES => format!("core:{}", line.key.key),
        space::KINDS => format!("kind:{}", quoted(name)),
        _ if line.kind == ObjectKind::Core => format!("core:{}", line.key.key),
        _ => format!("obj:{}", quoted(name)),
    }
}

#[cfg(test)]
mod tests {
    use spytui_engine::analysis::{Key, objects::Moment};

    use super::*;

    fn line(name: &str, since: u64, fullness: u64) -> ObjectLine {
        ObjectLine {
            key: Key { space: 16, key: since, scope: 0 },
            kind: ObjectKind::Machine,
            name: name.to_owned(),
            state: format!("{name}_idle"),
            is_unsure: false,
            since: Some(Moment { row: since, ..Moment::default() }),
            last: None,
            level: String::new(),
            level_numbers: None,
            is_level_unsure: false,
            fullness,
            permille: None,
            events: 1,
        }
    }

    #[test]
    fn lines_are_sorted_by_each_column() {
        let lines = [line("motor", 7, 3), line("door", 9, 5), line("super", 2, 1)];
        let sorted = |column, reverse| {
            let mut lines = lines.clone();
            sort_lines(&mut lines, TableSort { column, reverse });
            lines.map(|line| line.name).join(" ")
        };
        assert_eq!([sorted(0, false), sorted(1, false)], ["motor door super", "door motor super"]);
        assert_eq!([sorted(3, false), sorted(3, true)], ["door motor super", "super motor door"]);
        assert_eq!(sorted(5, false), "super motor door");
    }

    #[test]
    fn an_object_is_found_by_its_name_and_a_core_by_its_number() {
        assert_eq!(filter_of(&line("", 1, 0), "Tmr Svc"), "obj:\"Tmr Svc\"");
        let core = Key { space: space::CORES, key: 1, scope: 0 };
        assert_eq!(filter_of(&ObjectLine { key: core, ..line("", 1, 0) }, "core 1"), "core:1");
    }
}
