//! The units without which the trace fits and loses least.

use spytui_plugin_api::info::Worth;

use super::units::Unit;

/// Units that are tried in all combinations; those with fewer bytes save next to nothing.
const MOST_UNITS: usize = 10;
/// Per cent of the bytes of a group from which on the whole group goes.
const NEARLY_ALL: u64 = 90;

/// What is switched off of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    /// Index of the unit.
    pub(super) unit: usize,
    /// Only these switches of it; empty = all.
    pub(super) kinds: Vec<u64>,
    /// Bytes saved.
    pub(super) saves: u64,
}

/// The units, or parts of units, that save at least `need` bytes: first as little of worth as can be, then as few words,
/// then as few bytes. All units if even that is too little.
pub(super) fn choose(units: &[Unit<'_>], need: u64) -> Vec<Choice> {
    let mut largest: Vec<usize> = (0..units.len()).collect();
    largest.sort_by_key(|unit| std::cmp::Reverse(units[*unit].bytes));
    largest.truncate(MOST_UNITS);
    let enough = (0..1u32 << largest.len()).filter_map(|set| {
        let of_set = largest.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
        with_parts(units, of_set.map(|(_, unit)| *unit), need)
    });
    let best = enough.min_by_key(|choices| cost(units, choices));
    let mut choices = best.unwrap_or_else(|| whole(units, 0..units.len()));
    choices.sort_by_key(|choice| choice.unit);
    choices
}

fn whole(units: &[Unit<'_>], chosen: impl IntoIterator<Item = usize>) -> Vec<Choice> {
    chosen.into_iter().map(|unit| Choice { unit, kinds: Vec::new(), saves: units[unit].bytes }).collect()
}

/// What is lost, words, bytes.
fn cost(units: &[Unit<'_>], choices: &[Choice]) -> (u64, usize, u64) {
    let loss = |choice: &Choice| {
        let unit = &units[choice.unit];
        worth(unit.worth) * choice.saves * 100 / unit.bytes.max(1)
    };
    let words = |choice: &Choice| match choice.kinds.len() {
        0 => 1 + units[choice.unit].reports.len(),
        kinds => kinds,
    };
    (choices.iter().map(loss).sum(), choices.iter().map(words).sum(), choices.iter().map(|choice| choice.saves).sum())
}

/// No number of units of less worth is as bad as one of more.
fn worth(worth: Worth) -> u64 {
    u64::from(MOST_UNITS as u32).pow(u32::from(worth.0.min(6)))
}

/// These units, or single kinds of them where they are enough, first in those of most worth. `None` if all of them are
/// not enough.
fn with_parts(units: &[Unit<'_>], chosen: impl Iterator<Item = usize>, need: u64) -> Option<Vec<Choice>> {
    let mut choices = whole(units, chosen);
    let mut saved: u64 = choices.iter().map(|choice| choice.saves).sum();
    if saved < need {
        return None;
    }
    choices.sort_by_key(|choice| std::cmp::Reverse((units[choice.unit].worth, choice.saves)));
    for choice in &mut choices {
        let unit = &units[choice.unit];
        let must = need.saturating_sub(saved - choice.saves);
        if let Some((kinds, saves)) = few_kinds(&unit.kinds, must)
            && saves * 100 < unit.bytes * NEARLY_ALL
        {
            saved -= choice.saves - saves;
            *choice = Choice { kinds, saves, ..*choice };
        }
    }
    Some(choices)
}

/// The fewest kinds, and of those the ones with the fewest bytes, that save enough.
fn few_kinds(kinds: &[(u64, u64)], must: u64) -> Option<(Vec<u64>, u64)> {
    let one = kinds.iter().map(|kind| (vec![kind.0], kind.1));
    let least = |sets: &mut dyn Iterator<Item = (Vec<u64>, u64)>| {
        sets.filter(|(_, saves)| *saves >= must).min_by_key(|(_, saves)| *saves)
    };
    let pairs = kinds.iter().enumerate().flat_map(|(at, a)| kinds[at + 1..].iter().map(move |b| (a, b)));
    let mut two = pairs.filter(|(a, b)| a.1 + b.1 >= must).map(|(a, b)| (vec![a.0, b.0], a.1 + b.1));
    least(&mut one.into_iter()).or_else(|| least(&mut two))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(word: &str, worth: Worth, bytes: &[u64]) -> Unit<'static> {
        let kinds = (0..).zip(bytes.iter().copied()).collect();
        Unit { word: word.into(), title: "", worth, kinds, bytes: bytes.iter().sum(), reports: Vec::new() }
    }

    fn chosen(units: &[Unit<'_>], need: u64) -> Vec<(String, Vec<u64>)> {
        choose(units, need).into_iter().map(|choice| (units[choice.unit].word.clone(), choice.kinds)).collect()
    }

    fn whole(word: &str) -> (String, Vec<u64>) {
        (word.to_owned(), Vec::new())
    }

    #[test]
    fn what_says_little_goes_first() {
        let units = [
            unit("states", Worth::STATES, &[400]),
            unit("noise", Worth::NOISE, &[60, 40]),
            unit("more noise", Worth::NOISE, &[50]),
            unit("detail", Worth::DETAIL, &[100]),
            unit("own", Worth::APPLICATION, &[900]),
        ];
        assert_eq!(chosen(&units, 100), [whole("noise")]);
        assert_eq!(chosen(&units, 120), [whole("noise"), whole("more noise")]);
        assert_eq!(chosen(&units, 160), [("noise".to_owned(), vec![0]), whole("detail")]);
        assert_eq!(chosen(&units, 390), [whole("states")]);
        assert_eq!(chosen(&units, 640), [whole("states"), whole("noise"), whole("more noise"), whole("detail")]);
        assert_eq!(chosen(&units, 5000).len(), 5);
    }

    #[test]
    fn a_part_of_a_group_goes_where_it_is_enough() {
        let units = [unit("noise", Worth::NOISE, &[60, 50, 40, 5])];
        assert_eq!(chosen(&units, 45), [("noise".to_owned(), vec![1])]);
        assert_eq!(chosen(&units, 95), [("noise".to_owned(), vec![0, 2])]);
        assert_eq!(chosen(&units, 120), [whole("noise")]);
        // One kind that is nearly all of a group is the group.
        assert_eq!(chosen(&[unit("noise", Worth::NOISE, &[95, 5])], 90), [whole("noise")]);
        // A group without switches for its kinds.
        let undivided = Unit { kinds: Vec::new(), ..unit("noise", Worth::NOISE, &[60, 50]) };
        assert_eq!(chosen(&[undivided], 10), [whole("noise")]);
    }
}
