//! States of switches to the words of a filter that make exactly them, as `=SM +AO 14`.

use std::collections::BTreeSet;

use spytui_plugin_api::{
    FilterState, Info,
    info::{CommandInfo, FilterRange, FilterTable},
};

/// Switches of a table that is written by groups.
const MOST: u64 = 4096;

/// The words of a command that bring its tables into these states; `None` if no word is needed. What has no state may
/// become anything.
pub fn spec(info: &Info, command: &CommandInfo, states: &[FilterState]) -> Option<String> {
    let mut words = Vec::new();
    for table in info.filters.iter().filter(|table| table.command == command.id) {
        let own: Vec<&FilterState> = states.iter().filter(|state| state.table == table.id).collect();
        if own.is_empty() {
            continue;
        }
        let is_small = own.iter().map(|state| (state.last - state.first).saturating_add(1)).sum::<u64>() <= MOST;
        if words.is_empty() && is_small && !table.groups.is_empty() {
            words = whole(table, &own);
        } else {
            // Only the first word of a filter can switch all others off.
            let off = own.iter().filter(|state| !state.is_on);
            words.extend(off.map(|state| format!("-{}", range_word(table, (state.first, state.last)))));
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// How consecutive switches of a table are written, without a sign.
pub fn range_word(table: &FilterTable, (first, last): (u64, u64)) -> String {
    let range = if first == last { first.to_string() } else { format!("{first}..{last}") };
    table_word(table, &range)
}

/// A word of a table: behind the table's own, if it has one.
pub fn table_word(table: &FilterTable, word: &str) -> String {
    if table.word.is_empty() { word.to_owned() } else { format!("{}:{word}", table.word) }
}

/// The whole table: what is on, or everything but what is off, whichever is shorter.
fn whole(table: &FilterTable, states: &[&FilterState]) -> Vec<String> {
    let those = |on: bool| {
        let those = states.iter().filter(move |state| state.is_on == on);
        those.flat_map(|state| state.first..=state.last).collect::<BTreeSet<u64>>()
    };
    let (on, off) = (those(true), those(false));
    let first = |mut words: Vec<String>, sign: &str, rest: &str| {
        for (at, word) in words.iter_mut().enumerate() {
            word.insert_str(0, if at == 0 { sign } else { rest });
        }
        words
    };
    let only = first(cover(table, &on, &off), "=", "+");
    let all = table.groups.iter().find(|group| on.union(&off).all(|switch| is_in(&group.ranges, *switch)));
    let but = all.map(|all| {
        let mut words = vec![format!("={}", table_word(table, &all.name))];
        words.extend(first(cover(table, &off, &on), "-", "-"));
        words
    });
    let len = |words: &Vec<String>| words.iter().map(|word| word.len() + 1).sum::<usize>();
    but.filter(|but| only.is_empty() || len(but) < len(&only)).unwrap_or(only)
}

/// Groups and ranges that have all switches of one set and none of another.
fn cover(table: &FilterTable, wanted: &BTreeSet<u64>, unwanted: &BTreeSet<u64>) -> Vec<String> {
    let mut left = wanted.clone();
    let mut words = Vec::new();
    let mut groups: Vec<_> = table.groups.iter().collect();
    groups
        .sort_by_key(|group| std::cmp::Reverse(wanted.iter().filter(|switch| is_in(&group.ranges, **switch)).count()));
    for group in groups {
        let has_new = left.iter().any(|switch| is_in(&group.ranges, *switch));
        if has_new && !unwanted.iter().any(|switch| is_in(&group.ranges, *switch)) {
            left.retain(|switch| !is_in(&group.ranges, *switch));
            words.push(table_word(table, &group.name));
        }
    }
    words.extend(runs(&left).into_iter().map(|run| range_word(table, run)));
    words
}

/// Whether a switch is in a group.
pub fn is_in(ranges: &[FilterRange], switch: u64) -> bool {
    ranges.iter().any(|range| (range.first..=range.last).contains(&switch))
}

/// Consecutive numbers.
fn runs(numbers: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut().filter(|run| run.1.checked_add(1) == Some(number)) {
            Some(run) => run.1 = number,
            None => runs.push((number, number)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spytui_plugin_api::{
        FilterOpKind, NONE,
        info::{ArgInfo, FilterGroup},
    };

    use super::{super::parse, *};
    use crate::store::Dictionary;

    fn info() -> Info {
        let groups = [
            FilterGroup::new("SM", "", &[(1, 9), (55, 57)]),
            FilterGroup::new("AO", "", &[(10, 18)]),
            FilterGroup::new("ALL", "", &[(0, 63)]),
        ];
        let table =
            |id, word: &str| FilterTable { id, word: word.into(), max: 63, space: NONE, ..FilterTable::default() };
        Info {
            commands: [CommandInfo::new(0, "filter", "").with([ArgInfo::filter("SPEC")])].into_iter().collect(),
            filters: [FilterTable { groups: groups.into_iter().collect(), ..table(0, "") }, table(1, "obj")]
                .into_iter()
                .collect(),
            ..Info::default()
        }
    }

    fn states(table: u16, on: u64) -> Vec<FilterState> {
        let each =
            (0..64).map(|bit| FilterState { table, is_on: on >> bit & 1 == 1, is_known: true, first: bit, last: bit });
        each.collect()
    }

    fn written(states: &[FilterState]) -> Option<String> {
        let info = info();
        spec(&info, &info.commands[0], states)
    }

    #[test]
    fn whole_groups_are_named_and_the_shorter_form_is_taken() {
        let sm = (1..=9).chain(55..=57).fold(0, |mask, bit| mask | 1_u64 << bit);
        assert_eq!(written(&states(0, sm)).unwrap(), "=SM");
        assert_eq!(written(&states(0, !sm)).unwrap(), "=ALL -SM");
        assert_eq!(written(&states(0, sm | 7 << 20)).unwrap(), "=SM +20..22");
        assert_eq!(written(&states(0, u64::MAX)).unwrap(), "=ALL");
        assert_eq!(written(&states(0, 0)).unwrap(), "=ALL -ALL");
        assert_eq!(written(&[]), None);
        let object = FilterState { table: 1, is_known: true, first: 3, last: 3, ..FilterState::default() };
        assert_eq!(written(&[object]).unwrap(), "-obj:3");
    }

    proptest! {
        #[test]
        fn the_words_make_the_same_states(mask: u64, objects: u64) {
            let info = info();
            let all = [states(0, mask), states(1, objects)].concat();
            let line = format!("filter {}", written(&all).unwrap());
            let parsed = parse(&line, &info, &Dictionary::default()).unwrap();
            let mut made = [0_u64, u64::MAX];
            for op in parsed.filter() {
                let table = usize::from(op.table);
                let ranges: Vec<(u64, u64)> = match info.filters[table].groups.get(usize::from(op.group)) {
                    Some(group) => group.ranges.iter().map(|range| (range.first, range.last)).collect(),
                    None => vec![(op.first, op.last)],
                };
                for bit in ranges.into_iter().flat_map(|(first, last)| first..=last) {
                    match op.kind {
                        FilterOpKind::ON => made[table] |= 1 << bit,
                        FilterOpKind::OFF => made[table] &= !(1 << bit),
                        _ => {}
                    }
                }
                if op.kind == FilterOpKind::CLEAR {
                    made[table] = 0;
                }
            }
            prop_assert_eq!(made, [mask, objects], "{}", line);
        }
    }
}
