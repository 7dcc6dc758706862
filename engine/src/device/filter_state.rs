//! What the filter of a target keeps back, in a few words.

use spytui_plugin_api::{
    FilterState, Info,
    info::{FilterGroup, FilterRange, FilterTable},
};

use super::{
    command::{is_in, table_word},
    control::TargetStatus,
    switches::{FILTER, Switch, Switches, command_of, is_doubtful, kind_of, seen},
};
use crate::{
    present::{sanitise, words::tag_of},
    store::{Dictionary, dictionary::newest},
    trace::session::{Decoding, KindSums},
};

/// What the filter of a target does, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Masked {
    /// There is none, or no way to it.
    NoFilter,
    /// As at the start: nothing that came before is off.
    Inferred,
    /// Nothing is off.
    Nothing,
    Off(Vec<String>),
    /// It may be anything.
    Unknown,
    /// The same since a reset; the one before can be sent again.
    Lost,
}

impl Masked {
    /// As of now; `is_two_way`: there is a way to the target, up or down.
    pub fn of(decoding: &Decoding, status: &TargetStatus, is_two_way: bool) -> Masked {
        let info = &decoding.decoder.info;
        if info.filters.is_empty() {
            return Masked::NoFilter;
        }
        if status.filter.iter().any(|state| state.is_known) {
            return of_states(info, decoding, status);
        }
        if !is_two_way {
            return Masked::NoFilter;
        }
        if !status.forgotten.is_empty() {
            return Masked::Lost;
        }
        let was_reset = decoding.read().dictionary.epochs() > 1;
        if was_reset || is_doubtful(info, status) { Masked::Unknown } else { Masked::Inferred }
    }
}

fn of_states(info: &Info, decoding: &Decoding, status: &TargetStatus) -> Masked {
    let seen = seen(decoding, status);
    let states: &[FilterState] = &status.filter;
    let tables: Vec<Switches<'_>> =
        info.filters.iter().map(|table| Switches::new(info, table, states, &seen)).collect();
    let state = decoding.read();
    let sums = state.kind_sums();
    let words = tables.iter().flat_map(|switches| words(info, switches, &sums, &state.dictionary));
    let words: Vec<String> = words.collect();
    let is_known = tables.iter().filter(|switches| switches.table.is_kinds).all(Switches::is_any_known);
    let is_any_off = tables.iter().any(|switches| switches.off().next().is_some());
    match (words.is_empty(), is_any_off) {
        (false, _) => Masked::Off(words),
        // What never came is no loss.
        (true, true) => Masked::Inferred,
        (true, false) if !is_known => Masked::Inferred,
        (true, false) => Masked::Nothing,
    }
}

/// What is off in a table: groups and single kinds of what came before, then groups of which nothing came, then how many
/// kinds of a group that never came while others did.
fn words(info: &Info, switches: &Switches<'_>, sums: &KindSums, dictionary: &Dictionary) -> Vec<String> {
    let table = switches.table;
    if !table.is_kinds {
        return others(info, switches, dictionary);
    }
    let all = table.groups.iter().max_by_key(|group| switches.kinds_of(group).map_or(0, |kinds| kinds.len()));
    let came = |switch: &u64| switches.sums_at(*switch, sums).0 > 0;
    let is_off = |switch: &u64| switches.at(*switch) == Switch::Off;
    let kinds = all.and_then(|all| switches.kinds_of(all)).unwrap_or_default();
    let mut left: Vec<u64> = kinds.into_iter().filter(|switch| is_off(switch) && came(switch)).collect();
    let mut groups: Vec<_> = table.groups.iter().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(switches.kinds_of(group).map_or(0, |kinds| kinds.len())));
    let is_whole = |group: &&&FilterGroup| {
        let own = switches.kinds_of(group).unwrap_or_default();
        own.iter().any(is_off) && own.iter().all(|s| matches!(switches.at(*s), Switch::Off | Switch::Always))
    };
    let whole: Vec<&&FilterGroup> = groups.iter().filter(is_whole).collect();
    let (mut words, mut named) = (Vec::new(), Vec::new());
    for group in &whole {
        if left.iter().any(|switch| is_in(&group.ranges, *switch)) {
            left.retain(|switch| !is_in(&group.ranges, *switch));
            words.push(group.name.to_string());
            named.extend(group.ranges.iter().copied());
        }
    }
    let kind = |switch: u64| kind_of(info, switch, sums).map_or_else(|| switch.to_string(), |kind| tag_of(info, kind));
    words.extend(left.into_iter().map(kind));
    let is_silent = |group: &&&FilterGroup| {
        let own = switches.kinds_of(group).unwrap_or_default();
        own.iter().any(is_off) && !own.iter().any(came)
    };
    for group in groups.iter().filter(is_silent) {
        if !group.ranges.iter().any(|range| is_in(&named, range.first)) {
            words.push(group.name.to_string());
            named.extend(group.ranges.iter().copied());
        }
    }
    let is_rare = |switch: &u64| is_off(switch) && !came(switch);
    for group in groups.iter().rev() {
        let own = switches.kinds_of(group).unwrap_or_default();
        let rare: Vec<u64> = own.into_iter().filter(|s| is_rare(s) && !is_in(&named, *s)).collect();
        if !rare.is_empty() {
            words.push(format!("{} of {}", rare.len(), group.name));
            named.extend(rare.into_iter().map(|switch| FilterRange { first: switch, last: switch }));
        }
    }
    words
}

/// What is off in a table of objects and the like.
fn others(info: &Info, switches: &Switches<'_>, dictionary: &Dictionary) -> Vec<String> {
    let table = switches.table;
    let counted = table.groups.iter().map(|group| (group, switches.count(group)));
    let mut whole: Vec<_> = counted.filter(|(_, counts)| counts.off > 0 && counts.off == counts.changeable()).collect();
    whole.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.off));
    let (mut words, mut named) = (Vec::new(), Vec::new());
    for (group, _) in whole {
        if !group.ranges.iter().all(|range| is_in(&named, range.first) && is_in(&named, range.last)) {
            named.extend(group.ranges.iter().copied());
            words.push(prefixed(info, table, &group.name));
        }
    }
    if words.is_empty() {
        words = names_off(switches, dictionary);
    }
    let off: u64 = switches.off().map(|(first, last)| (last - first).saturating_add(1)).fold(0, u64::saturating_add);
    if words.is_empty() && off > 0 {
        words.push(format!("{off} of {}", table.title));
    }
    words
}

/// Names of single switches that are off. A target may know an object by its number, too, which has no name.
fn names_off(switches: &Switches<'_>, dictionary: &Dictionary) -> Vec<String> {
    let off: Vec<u64> = switches.off().filter(|(first, last)| first == last).map(|(first, _)| first).collect();
    let space = switches.table.space;
    let own = dictionary.of_space(space).filter(|(key, ..)| off.contains(key));
    let named = own.filter_map(|(_, _, names)| newest(names));
    let mut names: Vec<String> = named.map(|named| sanitise(dictionary.short(space, named))).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A word of a table, with its command unless plain words are for that.
fn prefixed(info: &Info, table: &FilterTable, word: &str) -> String {
    match command_of(info, table) {
        Some(command) if table.word.is_empty() && command.name != FILTER => format!("{} {word}", command.name),
        _ => table_word(table, word),
    }
}
