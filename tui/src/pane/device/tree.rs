//! The filter of the target as a tree: tables, their groups, and what is in a group.

use spytui_engine::{
    device::{
        command::table_word,
        filter_word::{switch_name, switch_word},
        switches::{Switch, SwitchCounts, Switches, command_of, kind_of, seen},
    },
    io::link::LinkState,
    present::words::{key_number, kind_name},
    store::dictionary::newest,
    trace::session::{KindSums, decoding::DecodingState},
};
use spytui_plugin_api::{
    Info, NONE,
    info::{CommandInfo, FilterGroup, FilterTable, GroupInfo},
};

use super::{
    facts,
    folds::Folds,
    line::{Figures, Line, Place, SwitchLine, What},
    offers,
    staged::Staged,
};
use crate::{
    model::{Model, links::Source},
    term::Role,
};

/// Switches that are not counted any more.
const MANY: u64 = 10_000;

/// What lines are made from.
struct Tree<'a> {
    info: &'a Info,
    source: &'a Source,
    state: &'a DecodingState,
    staged: &'a Staged,
    /// Records and bytes of each kind so far, and a second.
    sums: KindSums,
    rates: Option<KindSums>,
}

/// All lines of the pane.
pub(super) fn lines(model: &Model, folds: &mut Folds, staged: &Staged) -> Vec<Line> {
    let source = model.links.first();
    let decoding = source.decoding();
    let info = &decoding.decoder.info;
    let seen = seen(decoding, &source.status.target);
    let rates = (source.status.state == LinkState::Live).then(|| source.traffic.rates());
    let state = &*decoding.read();
    let sums = state.kind_sums();
    let sizes = facts::sizes(state);
    let mut lines = Vec::new();
    if !sizes.is_empty() {
        lines.push(Line::note(&sizes, Role::Plain));
    }
    if info.commands.is_empty() {
        let text = format!("{} has no commands to the target; :filter hides rows here", info.title);
        lines.push(Line::Note(text, Role::Help));
        return lines;
    }
    lines.extend(offers::lines(info, source, &state.dictionary));
    let tree = Tree { info, source, state, staged, sums, rates };
    for (index, table) in (0..).zip(&info.filters) {
        // A table may only be there to be named in commands.
        if let Some(command) = command_of(info, table).filter(|_| table.min <= table.max) {
            let switches = Switches::new(info, table, &source.status.target.filter, &seen);
            tree.table(index, command, &switches, folds, &mut lines);
        }
    }
    lines
}

impl Tree<'_> {
    fn table(
        &self,
        index: u16,
        command: &CommandInfo,
        switches: &Switches<'_>,
        folds: &mut Folds,
        lines: &mut Vec<Line>,
    ) {
        let table = switches.table;
        let place = Place { table: index, command: table.command, what: What::Table, parent: None };
        if !table.groups.is_empty() {
            folds.open_at_first(place);
        }
        let names = self.names(table);
        let title = match names.len() {
            0 => table.title.to_string(),
            1 => format!("{}, 1 name", table.title),
            n => format!("{}, {n} names", table.title),
        };
        let has_figures = table.groups.iter().any(|group| switches.sums_of(group, &self.sums).is_some());
        lines.push(Line::Table { place, title, note: self.note(switches), has_figures });
        if !folds.is_open(place) {
            return;
        }
        for (at, group) in (0..).zip(&table.groups) {
            let own = Place { what: What::Group(at), ..place };
            lines.push(Line::Switch(self.group(own, command, switches, group)));
            let is_open = folds.is_open(own);
            for switch in switches.kinds_of(group).filter(|_| is_open).unwrap_or_default() {
                let own = Place { what: What::Switch(switch), parent: Some(at), ..place };
                lines.push(Line::Switch(self.switch(own, command, switches, switch)));
            }
        }
        for switch in names {
            let own = Place { what: What::Switch(switch), ..place };
            lines.push(Line::Switch(self.switch(own, command, switches, switch)));
        }
    }

    /// The keys that the target named, of a table that is not one of kinds.
    fn names(&self, table: &FilterTable) -> Vec<u64> {
        if table.is_kinds || table.space == NONE {
            return Vec::new();
        }
        let all = self.state.dictionary.of_space(table.space);
        let mut keys: Vec<u64> = all.filter(|(.., names)| newest(names).is_some()).map(|(key, ..)| key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// How the states of a table can be known, unless they are.
    fn note(&self, switches: &Switches<'_>) -> String {
        let states = &self.source.status.target.filter;
        let word = match states.iter().any(|state| state.table == switches.table.id) {
            _ if switches.is_any_known() => return String::new(),
            true => "assumed",
            false => "unknown",
        };
        match switches.table.reads_back {
            true => format!("{word}: :target info reads it"),
            false => format!("{word}: {} can't report this", self.info.id.to_uppercase()),
        }
    }

    fn group(&self, place: Place, command: &CommandInfo, switches: &Switches<'_>, group: &FilterGroup) -> SwitchLine {
        let table = switches.table;
        let mut counts = switches.count(group);
        if counts.unknown == counts.changeable() && switches.is_seen(group) {
            // What comes is on.
            counts = SwitchCounts { assumed_on: counts.unknown, unknown: 0, ..counts };
        }
        let size = counts.changeable().saturating_add(counts.always);
        let mut ids = match size {
            1 => ", 1 id".to_owned(),
            n if n < MANY => format!(", {n} ids"),
            _ => String::new(),
        };
        if counts.always > 0 && counts.changeable() > 0 {
            ids.push_str(&format!(", {} always on", counts.always));
        }
        let (mark, state) = match self.off_by_name(table, group) {
            off if off > 0 && counts.unknown > 0 => ("[-]", format!("{off} off, rest unknown")),
            _ => words(&counts, self.masks(switches, group)),
        };
        let sums = |sums: &KindSums| switches.sums_of(group, sums);
        SwitchLine {
            place,
            depth: 0,
            name: group.name.to_string(),
            title: group.title.to_string(),
            ids,
            mark,
            is_off: counts.off > 0 && counts.off == counts.changeable(),
            state,
            staged: self.staged.at(place.alone()),
            figures: sums(&self.sums).map(|all| self.figures(all, self.rates.as_ref().and_then(sums))),
            word: table_word(table, &group.name),
            command: command.name.to_string(),
            size,
            changes: changes(&counts),
        }
    }

    fn switch(&self, place: Place, command: &CommandInfo, switches: &Switches<'_>, switch: u64) -> SwitchLine {
        let table = switches.table;
        let counts = SwitchCounts::one(switches.at(switch));
        let kind = kind_of(self.info, switch, &self.sums).filter(|_| table.is_kinds);
        let number = key_number(self.info.space(table.space).filter(|_| !table.is_kinds), switch);
        let title = kind.map_or(number.clone(), |kind| format!("{number} {}", kind_name(self.info, kind)));
        let name = switch_name(self.info, &self.state.dictionary, table, switch);
        let (mark, state) = words(&counts, counts.off > 0);
        let sums = |sums: &KindSums| switches.sums_at(switch, sums);
        SwitchLine {
            place,
            depth: 1,
            name: name.unwrap_or(number),
            title,
            ids: String::new(),
            mark,
            is_off: counts.off > 0,
            state,
            staged: self.staged.at(place.alone()),
            figures: kind.map(|_| self.figures(sums(&self.sums), self.rates.as_ref().map(sums))),
            word: switch_word(self.info, &self.state.dictionary, table, switch),
            command: command.name.to_string(),
            size: 1,
            changes: changes(&counts),
        }
    }

    /// Objects of a group that are off by another table of the same command, which switches them by their names: under
    /// which number of this table, the host does not know.
    fn off_by_name(&self, table: &FilterTable, group: &FilterGroup) -> usize {
        let is_of_group = |of: &&GroupInfo| of.tag == group.name;
        let Some(of) = self.info.groups.iter().find(is_of_group).filter(|_| !table.is_kinds) else { return 0 };
        let others = self.info.filters.iter().filter(|other| other.command == table.command && other.id != table.id);
        let others: Vec<u16> =
            others.filter(|other| other.has_objects_of(of.id) == Some(true)).map(|other| other.id).collect();
        let states = self.source.status.target.filter.iter().filter(|state| others.contains(&state.table));
        states.filter(|state| state.is_known && !state.is_on).count()
    }

    /// Whether a switch of a group is off of which records came before. In tables that are not of kinds that can't be
    /// reported.
    fn masks(&self, switches: &Switches<'_>, group: &FilterGroup) -> bool {
        let came = |switch: &u64| switches.sums_at(*switch, &self.sums).0 > 0;
        let is_off = |switch: &u64| matches!(switches.at(*switch), Switch::Off | Switch::AssumedOff);
        switches.kinds_of(group).is_none_or(|kinds| kinds.iter().any(|switch| is_off(switch) && came(switch)))
    }

    /// `all`: records and bytes so far; `rate`: a second.
    fn figures(&self, (records, bytes): (u64, u64), rate: Option<(u64, u64)>) -> Figures {
        let share = |bytes: u64, whole: u64| (whole > 0).then(|| bytes.saturating_mul(1000) / whole);
        match rate {
            Some((_, bytes)) => {
                let line = self.source.status.facts.line_rate.map_or(0, u64::from);
                Figures { records, bytes, share: share(bytes, line) }
            }
            None => {
                let whole = self.sums.values().map(|(_, bytes)| bytes).sum();
                Figures { records, bytes, share: share(bytes, whole) }
            }
        }
    }
}

/// The mark of switches in these states, and what is known of them; `masks`: something is off that came before.
fn words(counts: &SwitchCounts, masks: bool) -> (&'static str, String) {
    let all = counts.changeable();
    let is_on = counts.on + counts.assumed_on;
    let (mark, state) = if all == 0 {
        return ("[x]", "always on".to_owned());
    } else if counts.on == all {
        ("[x]", "on".to_owned())
    } else if counts.off == all {
        ("[ ]", "off".to_owned())
    } else if counts.assumed_off == all {
        ("[ ]", "assumed off".to_owned())
    } else if counts.unknown == all {
        ("[?]", "unknown".to_owned())
    } else if is_on == all || counts.assumed_on + counts.unknown == all {
        // What came of a group reports the group.
        ("[x]", "assumed on".to_owned())
    } else if counts.unknown > 0 {
        ("[-]", format!("{is_on} on, {} unknown", counts.unknown))
    } else {
        (if masks { "[-]" } else { "[x]" }, format!("{is_on} of {all} on"))
    };
    (mark, state)
}

/// The changes that make sense for switches in these states, the likeliest first.
fn changes(counts: &SwitchCounts) -> Vec<bool> {
    match counts.changeable() {
        0 => Vec::new(),
        all if counts.off == all => vec![true],
        all if counts.on == all => vec![false],
        _ => vec![false, true],
    }
}
