//! What a target is told to keep to itself, in a few words for the header.

use spytui_engine::{
    control::CommandState,
    present::{sanitise, words::tag_of},
    store::{Dictionary, dictionary::newest},
};
use spytui_plugin_api::{
    FilterState, Info,
    info::{FilterGroup, FilterRange, FilterTable},
};

use super::{
    links::{KindSums, Source, WayBack, kind_sums},
    switches::{Switch, Switches, is_in, kind_of, seen},
};
use crate::term::width;

/// What the filter of a target does, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Masked {
    /// There is none, or no way to it.
    NoFilter,
    /// The target was not told anything, or to send what it sent before.
    AsSeen,
    /// Nothing is off.
    Nothing,
    /// These are off.
    Off(Vec<String>),
    /// It may be anything.
    Unknown,
    /// The same since a reset; the one before can be sent again.
    Lost,
}

/// Words listed.
const LISTED: usize = 3;

impl Masked {
    /// As of now.
    #[must_use]
    pub fn of(source: &Source) -> Masked {
        let info = &source.decoding().decoder.info;
        let target = &source.status.target;
        if info.filters.is_empty() {
            return Masked::NoFilter;
        }
        let states = &target.filter;
        if states.iter().any(|state| state.is_known) {
            return of_states(info, states, source);
        }
        if source.status.way_back == WayBack::Never {
            return Masked::NoFilter;
        }
        let was_reset = source.decoding().read().dictionary.epochs() > 1;
        if !target.forgotten.is_empty() {
            return Masked::Lost;
        }
        if was_reset || is_doubtful(source) { Masked::Unknown } else { Masked::AsSeen }
    }

    /// In words, and in fewer for so many cells; empty if there is nothing to say.
    #[must_use]
    pub fn words(&self, room: usize) -> [String; 2] {
        let both = |text: &str| [format!("target filter: {text}"), format!("filter: {text}")];
        match self {
            Masked::NoFilter => [String::new(), String::new()],
            Masked::AsSeen => both("as seen"),
            Masked::Nothing => both("all on"),
            Masked::Lost => ["filter lost: 6 Enter restores".to_owned(), "filter lost: 6".to_owned()],
            Masked::Unknown => ["filter: unknown".to_owned(), "filter: ?".to_owned()],
            Masked::Off(words) => {
                let shown = words.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(" ");
                let more = words.len().saturating_sub(LISTED);
                let more = if more > 0 { format!(" +{more}") } else { String::new() };
                let off = format!("{shown}{more} off");
                let long = format!("target filter: {off}");
                let fewer = if width(&off) <= room { off } else { "masked".to_owned() };
                [long, fewer]
            }
        }
    }
}

/// Whether the last change of the filter may have been made or not.
fn is_doubtful(source: &Source) -> bool {
    let info = &source.decoding().decoder.info;
    let changes = |id: u16| info.filters.iter().any(|table| table.command == id);
    let names: Vec<&str> = info.commands.iter().filter(|c| changes(c.id)).map(|c| c.name.as_str()).collect();
    let last = source.status.target.commands.iter().rev().find(|command| names.contains(&command.name.as_str()));
    last.is_some_and(|last| matches!(last.state, CommandState::TimedOut(_)))
}

fn of_states(info: &Info, states: &[FilterState], source: &Source) -> Masked {
    let (seen, sums) = (seen(source), kind_sums(source.decoding()));
    let tables: Vec<Switches<'_>> =
        info.filters.iter().map(|table| Switches::new(info, table, states, &seen)).collect();
    let state = source.decoding().read();
    let words = tables.iter().flat_map(|switches| words(info, switches, &sums, &state.dictionary));
    let words: Vec<String> = words.collect();
    let is_known = tables.iter().filter(|switches| switches.table.is_kinds).all(Switches::is_any_known);
    let is_any_off = tables.iter().any(|switches| switches.off().next().is_some());
    match (words.is_empty(), is_any_off) {
        (false, _) => Masked::Off(words),
        // What never came is no loss.
        (true, true) => Masked::AsSeen,
        (true, false) if !is_known => Masked::AsSeen,
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
    let before = prefix(info, table);
    let (mut words, mut named) = (Vec::new(), Vec::new());
    for (group, _) in whole {
        if !group.ranges.iter().all(|range| is_in(&named, range.first) && is_in(&named, range.last)) {
            named.extend(group.ranges.iter().copied());
            words.push(format!("{before}{}", group.name));
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

/// What stands before the words of a table: nothing for the table that `filter` means by plain words.
fn prefix(info: &Info, table: &FilterTable) -> String {
    let command = info.commands.iter().find(|command| command.id == table.command);
    match command {
        _ if !table.word.is_empty() => format!("{}:", table.word),
        Some(command) if command.name != "filter" => format!("{} ", command.name),
        _ => String::new(),
    }
}
