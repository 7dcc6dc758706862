//! The target's filter as a tree of tables, their groups, and members of groups; above it the target's own information,
//! obstacles to a change, and commands that could be sent now.

use spytui_engine::{
    device::{
        command::table_word,
        switches::{SwitchCounts, SwitchState, SwitchStates, command_of, kind_of, seen, switch_name, switch_word},
    },
    io::link::LinkState,
    present::{
        sanitise,
        words::{key_number, kind_name},
    },
    store::dictionary::newest,
    trace::session::{KindSums, decoding::DecodingState},
};
use spytui_plugin_api::{
    NONE,
    batch::AttrId,
    info::{CommandInfo, FilterGroup, FilterTable, GroupInfo, Info, prop, space},
};

use super::{
    Folds, Staged,
    lines::{SwitchLine, TrafficFigures, TreeItem, TreeLine, TreePlace, offers},
};
use crate::{
    model::{
        Model,
        links::{Source, WayBack},
    },
    term::Role,
};

/// Above this number, switches are no longer counted.
const MANY: u64 = 10_000;

struct Tree<'a> {
    info: &'a Info,
    source: &'a Source,
    state: &'a DecodingState,
    staged: &'a Staged,
    /// Records and bytes of each kind, in total and per second.
    sums: KindSums,
    rates: Option<KindSums>,
}

pub(super) fn lines(model: &Model, folds: &mut Folds, staged: &Staged) -> Vec<TreeLine> {
    let source = model.links.addressed();
    let decoding = source.decoding();
    let info = &decoding.decoder.info;
    let seen = seen(decoding, &source.status.target);
    let rates = (source.status.state == LinkState::Live).then(|| source.traffic.rates());
    let state = &*decoding.read();
    let sums = state.kind_sums();
    let reported = sizes(state);
    let mut lines = Vec::new();
    if !reported.is_empty() {
        lines.push(TreeLine::note(&reported, Role::Plain));
    }
    if let Some(front_end) = &source.status.front_end {
        let role = if front_end.fault.is_some() { Role::Error } else { Role::Plain };
        lines.push(TreeLine::Note(format!("front end at udp {}", front_end.text()), role));
    }
    if info.commands.is_empty() {
        let text = format!("{} has no commands to the target; :filter hides rows here", info.title);
        lines.push(TreeLine::Note(text, Role::Help));
        return lines;
    }
    lines.extend(offers(info, source, &state.dictionary));
    let tree = Tree { info, source, state, staged, sums, rates };
    for (index, table) in (0..).zip(&info.filters) {
        // A table may only exist for use in commands.
        if let Some(command) = command_of(info, table).filter(|_| table.min <= table.max) {
            let switches = SwitchStates::new(info, table, &source.status.target.filter, &seen);
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
        switches: &SwitchStates<'_>,
        folds: &mut Folds,
        lines: &mut Vec<TreeLine>,
    ) {
        let table = switches.table;
        let place = TreePlace { table: index, command: table.command, what: TreeItem::Table, parent: None };
        // A table is open when it is first seen.
        if !table.groups.is_empty() && folds.met.insert(place) {
            folds.open.insert(place);
        }
        let names = self.names(table);
        let title = match names.len() {
            0 => table.title.to_string(),
            1 => format!("{}, 1 name", table.title),
            n => format!("{}, {n} names", table.title),
        };
        let has_figures = table.groups.iter().any(|group| switches.sums_of(group, &self.sums).is_some());
        lines.push(TreeLine::Table { place, title, note: self.note(switches), has_figures });
        if !folds.open.contains(&place) {
            return;
        }
        for (at, group) in (0..).zip(&table.groups) {
            let own = TreePlace { what: TreeItem::Group(at), ..place };
            lines.push(TreeLine::Switch(self.group(own, command, switches, group)));
            let is_open = folds.open.contains(&own);
            for switch in switches.kinds_of(group).filter(|_| is_open).unwrap_or_default() {
                let own = TreePlace { what: TreeItem::Switch(switch), parent: Some(at), ..place };
                lines.push(TreeLine::Switch(self.switch(own, command, switches, switch)));
            }
        }
        for switch in names {
            let own = TreePlace { what: TreeItem::Switch(switch), ..place };
            lines.push(TreeLine::Switch(self.switch(own, command, switches, switch)));
        }
    }

    /// The keys named by the target, for a table other than kinds.
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

    /// How the states of a table can be found out, unless known.
    fn note(&self, switches: &SwitchStates<'_>) -> String {
        let states = &self.source.status.target.filter;
        let word = match states.iter().any(|state| state.table == switches.table.id) {
            _ if switches.is_any_known() => return String::new(),
            true => "assumed",
            false => "unknown",
        };
        match switches.table.reads_back {
            _ if self.source.status.way_back == WayBack::Never => word.to_owned(),
            true => format!("{word}: :target info reads it"),
            false => format!("{word}: {} can't report this", self.info.id.to_uppercase()),
        }
    }

    fn group(
        &self,
        place: TreePlace,
        command: &CommandInfo,
        switches: &SwitchStates<'_>,
        group: &FilterGroup,
    ) -> SwitchLine {
        let table = switches.table;
        let mut counts = switches.count(group);
        if counts.unknown == counts.changeable() && switches.is_seen(group) {
            // A group that sends records is on.
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

    fn switch(&self, place: TreePlace, command: &CommandInfo, switches: &SwitchStates<'_>, switch: u64) -> SwitchLine {
        let table = switches.table;
        let mut counts = SwitchCounts::default();
        counts.add(switches.at(switch), 1);
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

    /// Objects of a group that are off by another table of the same command, which switches them by name; their numbers
    /// in this table are unknown to the host.
    fn off_by_name(&self, table: &FilterTable, group: &FilterGroup) -> usize {
        let is_of_group = |of: &&GroupInfo| of.tag == group.name;
        let Some(of) = self.info.groups.iter().find(is_of_group).filter(|_| !table.is_kinds) else { return 0 };
        let others = self.info.filters.iter().filter(|other| other.command == table.command && other.id != table.id);
        let others: Vec<u16> =
            others.filter(|other| other.has_objects_of(of.id) == Some(true)).map(|other| other.id).collect();
        let states = self.source.status.target.filter.iter().filter(|state| others.contains(&state.table));
        states.filter(|state| state.is_known && !state.is_on).count()
    }

    /// Whether a group contains a switch that is off although its records arrived before. Only known in tables of
    /// kinds.
    fn masks(&self, switches: &SwitchStates<'_>, group: &FilterGroup) -> bool {
        let came = |switch: &u64| switches.sums_at(*switch, &self.sums).0 > 0;
        let is_off = |switch: &u64| matches!(switches.at(*switch), SwitchState::Off | SwitchState::AssumedOff);
        switches.kinds_of(group).is_none_or(|kinds| kinds.iter().any(|switch| is_off(switch) && came(switch)))
    }

    /// `all` = records and bytes so far; `rate` = per second.
    fn figures(&self, (records, bytes): (u64, u64), rate: Option<(u64, u64)>) -> TrafficFigures {
        let (bytes, whole) = match rate {
            Some((_, bytes)) => (bytes, self.source.status.facts.line_rate.map_or(0, u64::from)),
            None => (bytes, self.sums.values().map(|(_, bytes)| bytes).sum()),
        };
        let share = (whole > 0).then(|| bytes.saturating_mul(1000) / whole);
        TrafficFigures { records, bytes, share }
    }
}

/// Mark and text for switches in these states; `masks` = something is off that arrived before.
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
        // Received records show that the group is on.
        ("[x]", "assumed on".to_owned())
    } else if counts.unknown > 0 {
        ("[-]", format!("{is_on} on, {} unknown", counts.unknown))
    } else {
        (if masks { "[-]" } else { "[x]" }, format!("{is_on} of {all} on"))
    };
    (mark, state)
}

/// The sensible changes for switches in these states, most likely first.
fn changes(counts: &SwitchCounts) -> Vec<bool> {
    match counts.changeable() {
        0 => Vec::new(),
        all if counts.off == all => vec![true],
        all if counts.on == all => vec![false],
        _ => vec![false, true],
    }
}

/// Option names of sizes that targets report.
const SIZES: [(u64, &str); 5] = [
    (prop::SIGNAL, "sig"),
    (prop::EVENT_SIZE, "evt"),
    (prop::OBJ_PTR, "obj"),
    (prop::FUN_PTR, "fun"),
    (prop::STAMP, "time"),
];

/// `QS 7.3.3, build 261120_100946, epoch 1`
pub(super) fn title(info: &Info, state: &DecodingState) -> String {
    let text = |key| state.dictionary.attr(space::PROPS, key, 0, AttrId::VALUE).map(|attr| sanitise(&attr.text));
    let version = text(prop::VERSION).or_else(|| text(prop::SYSTEM)).unwrap_or_default();
    let name = format!("{} {version}", info.id.to_uppercase());
    let build = text(prop::BUILD_ID).filter(|build| !build.is_empty());
    let build = build.map_or_else(String::new, |build| format!(", build {build}"));
    format!("{}{build}, epoch {}", name.trim_end(), state.dictionary.epochs())
}

/// `sizes  sig 2  evt 2  obj 8  fun 8  time 4`; empty if it reported none.
fn sizes(state: &DecodingState) -> String {
    let size = |key| state.dictionary.attr(space::PROPS, key, 0, AttrId::VALUE).map(|attr| attr.val);
    let reported = SIZES.iter().filter_map(|(key, word)| Some(format!("  {word} {}", size(*key)?)));
    let reported: String = reported.collect();
    if reported.is_empty() { reported } else { format!("sizes{reported}") }
}
