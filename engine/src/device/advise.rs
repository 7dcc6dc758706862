//! Which records a target should omit when its link is too slow for all: proposes a filter with reasons.

use spytui_plugin_api::{
    FilterState, Info, RowKind,
    info::{FilterGroup, KindInfo, Worth},
    row::Severity,
};

use crate::{
    device::{
        command::is_in,
        switches::{FILTER, SwitchState, SwitchStates, switch_of, switch_word},
        traffic::{KindCount, Window},
    },
    io::log::format::size_text,
    present::words::group_tag,
    store::Dictionary,
};

/// Percentage of the link's capacity that a trace may use.
const MARGIN: u64 = 85;
/// Another word of the filter must save more than 1/SLACK of the bytes to be saved.
const SLACK: u64 = 32;
/// Percentage of the link's capacity that still counts as fitting.
const MOST: u64 = 90;

#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub info: &'a Info,
    pub dictionary: &'a Dictionary,
    pub known: &'a [FilterState],
    pub window: &'a Window,
    /// Bytes per second, if known.
    pub capacity: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// Nothing to do; with the reason.
    Nothing(String),
    /// Unknown; with what is missing.
    Missing(String),
    Filter(Proposal),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub words: Vec<AdvisedWord>,
    /// Bytes per second produced by the target.
    pub made: u64,
    /// Bytes per second that remain.
    pub left: u64,
    /// Bytes per second that the link can carry.
    pub capacity: u64,
    /// Frames damaged by the line, which no filter prevents.
    pub damaged: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvisedWord {
    /// The word with its sign.
    pub word: String,
    pub title: String,
    /// Bytes per second.
    pub saves: u64,
}

impl Proposal {
    /// The command line, without `target`.
    pub fn line(&self) -> String {
        let words = self.words.iter().map(|word| word.word.as_str());
        std::iter::once(FILTER).chain(words).collect::<Vec<_>>().join(" ")
    }

    pub fn fits(&self) -> bool {
        self.left <= part_of(self.capacity, MOST)
    }

    pub fn text(&self) -> String {
        let saved = rate(self.made - self.left);
        let share = percent(self.left, self.capacity);
        let stays = format!("saves {saved} of {}, uses {share} % of the line", rate(self.made));
        let stays = if self.fits() { stays } else { format!("{stays}: still too much") };
        if self.damaged == 0 { stays } else { format!("{stays}; {}", damage_text(self.damaged)) }
    }
}

impl AdvisedWord {
    pub fn meaning(&self) -> String {
        match self.saves {
            0 => self.title.clone(),
            saves => format!("{}: saves {}", self.title, rate(saves)),
        }
    }
}

/// The filter that makes a trace fit and loses least.
pub fn advise(question: &Question<'_>) -> Advice {
    let Question { info, window, .. } = *question;
    let Some(switches) = SwitchStates::of_filter(info, question.known) else {
        return Advice::Missing(format!("targets of {} have no filter", info.title));
    };
    if window.span.is_zero() {
        return Advice::Missing("nothing is measured yet: ask again in a few seconds".to_owned());
    }
    if window.bytes() == 0 {
        return Advice::Missing("nothing arrived in the last seconds: there is nothing to measure".to_owned());
    }
    let counts = made(window, |kind| switches.sent(kind));
    let rate_made = window.per_second(bytes(&counts));
    let Some(capacity) = capacity(question) else {
        let lost = match window.damaged {
            0 => format!("nothing was lost in {} s", window.span.as_secs().max(1)),
            damaged => damage_text(damaged),
        };
        return Advice::Missing(format!(
            "{} arrive, {lost}; link speed unknown: give it in B/s, target advise RATE",
            rate(rate_made)
        ));
    };
    if rate_made <= part_of(capacity, MARGIN) {
        return Advice::Nothing(fits(window, rate_made, capacity));
    }
    Advice::Filter(propose(&switches, question, &counts, capacity))
}

/// Bytes per second that the link can carry: given, or the highest rate received while records were lost.
fn capacity(question: &Question<'_>) -> Option<u64> {
    let measured = (question.window.lost > 0).then_some(question.window.busiest);
    let measured = measured.or(Some(question.window.measured));
    question.capacity.or(measured).filter(|capacity| *capacity > 0)
}

fn fits(window: &Window, made: u64, capacity: u64) -> String {
    let share = format!("{} are {} % of the line", rate(made), percent(made, capacity));
    match (window.lost, window.damaged) {
        (0, 0) => format!("nothing to do: {share}"),
        (0, damaged) => format!("{share}; {}", damage_text(damaged)),
        (_, 0) => format!("a filter would not help: {share}; what is lost is lost elsewhere"),
        (_, damaged) => format!("{share}; {}, and other records are lost elsewhere", damage_text(damaged)),
    }
}

/// A filter does not repair a line.
fn damage_text(frames: u64) -> String {
    format!("{frames} damaged on the line: a filter will not help; check cable and baud rate")
}

fn propose(switches: &SwitchStates<'_>, question: &Question<'_>, counts: &[KindCount], capacity: u64) -> Proposal {
    let window = question.window;
    let units = switches.units(counts);
    let made = bytes(counts);
    let fits = u128::from(part_of(capacity, MARGIN)) * window.span.as_millis() / 1000;
    let need = made.saturating_sub(u64::try_from(fits).unwrap_or(u64::MAX));
    let choices = choose(&units, need - need / SLACK);
    let words = choices.iter().flat_map(|choice| words(switches, question.dictionary, &units[choice.unit], choice));
    let words = words.map(|word| AdvisedWord { saves: window.per_second(word.saves), ..word }).collect();
    let saves: u64 = choices.iter().map(|choice| choice.saves).sum();
    let left = window.per_second(made.saturating_sub(saves));
    Proposal { words, made: window.per_second(made), left, capacity, damaged: window.damaged }
}

fn words<'a>(
    switches: &'a SwitchStates<'_>,
    dictionary: &'a Dictionary,
    unit: &'a Unit<'_>,
    choice: &'a Choice,
) -> impl Iterator<Item = AdvisedWord> + 'a {
    let name = |switch: &u64| switch_word(switches.info, dictionary, switches.table, *switch);
    let bytes = |switch: &u64| unit.kinds.iter().find(|kind| kind.0 == *switch).map_or(0, |kind| kind.1);
    let of_unit = |word: String, title: String, saves: u64| AdvisedWord { word, title, saves };
    let whole = choice.kinds.is_empty();
    let group = whole.then(|| of_unit(format!("-{}", unit.word), unit.title.to_owned(), choice.saves));
    let reports = unit.reports.iter().filter(move |_| whole);
    let stays = reports.map(move |switch| of_unit(format!("+{}", name(switch)), "reports errors: stays".to_owned(), 0));
    let part = format!("of {}: {}", unit.word, unit.title);
    let kinds = choice.kinds.iter();
    let kinds = kinds.map(move |switch| of_unit(format!("-{}", name(switch)), part.clone(), bytes(switch)));
    group.into_iter().chain(stays).chain(kinds)
}

fn part_of(whole: u64, percent: u64) -> u64 {
    u64::try_from(u128::from(whole) * u128::from(percent) / 100).unwrap_or(u64::MAX)
}

fn percent(part: u64, of: u64) -> u64 {
    u64::try_from((u128::from(part) * 100).div_ceil(of.max(1).into())).unwrap_or(u64::MAX)
}

/// `4.1 kB/s`
fn rate(bytes: u64) -> String {
    format!("{}/s", size_text(bytes))
}

/// Maximum number of units tried in all combinations; those with fewer bytes save next to nothing.
const MOST_UNITS: usize = 10;
/// Percentage of a group's bytes from which on the whole group is switched off.
const NEARLY_ALL: u64 = 90;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    unit: usize,
    /// The switches to turn off; empty = all.
    kinds: Vec<u64>,
    saves: u64,
}

/// Units or parts of them that save `need` bytes for the least worth, then words, then bytes; or all units.
fn choose(units: &[Unit<'_>], need: u64) -> Vec<Choice> {
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

/// Worth lost, words, bytes.
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

/// Any number of units of lower worth costs less than one of higher worth.
fn worth(worth: Worth) -> u64 {
    u64::from(MOST_UNITS as u32).pow(u32::from(worth.0.min(6)))
}

/// These units, or single kinds where enough, from the highest worth on. `None` if all are not enough.
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

/// The fewest kinds that save enough; among those, the ones with the fewest bytes.
fn few_kinds(kinds: &[(u64, u64)], must: u64) -> Option<(Vec<u64>, u64)> {
    let one = kinds.iter().map(|kind| (vec![kind.0], kind.1));
    let least = |sets: &mut dyn Iterator<Item = (Vec<u64>, u64)>| {
        sets.filter(|(_, saves)| *saves >= must).min_by_key(|(_, saves)| *saves)
    };
    let pairs = kinds.iter().enumerate().flat_map(|(at, a)| kinds[at + 1..].iter().map(move |b| (a, b)));
    let mut two = pairs.filter(|(a, b)| a.1 + b.1 >= must).map(|(a, b)| (vec![a.0, b.0], a.1 + b.1));
    least(&mut one.into_iter()).or_else(|| least(&mut two))
}

/// Minimum number of records before a rate is trusted.
const ENOUGH: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// Always sent, such as names at the start of the target.
    Always,
    Now,
    NoMore,
}

/// The kinds that a target produced. Lost records are distributed like those received, if possible without losses.
fn made(window: &Window, sent: impl Fn(RowKind) -> Sent) -> Vec<KindCount> {
    let of = |kinds: &[KindCount], wanted: Sent| -> Vec<KindCount> {
        kinds.iter().copied().filter(|count| sent(count.kind) == wanted).collect()
    };
    let records = |kinds: &[KindCount]| kinds.iter().map(|count| count.records).sum::<u64>();
    let (mut made, came, clean) =
        (of(&window.kinds, Sent::Always), of(&window.kinds, Sent::Now), of(&window.clean, Sent::Now));
    if window.lost == 0 {
        made.extend(came);
        return made;
    }
    let model = if records(&clean) >= ENOUGH { &clean } else { &came };
    let (whole, of_model) = (records(&came) + window.lost, records(model).max(1));
    let share = |n: u64| u64::try_from(u128::from(n) * u128::from(whole) / u128::from(of_model)).unwrap_or(u64::MAX);
    made.extend(model.iter().map(|count| KindCount {
        records: share(count.records),
        bytes: share(count.bytes),
        ..*count
    }));
    made
}

fn bytes(kinds: &[KindCount]) -> u64 {
    kinds.iter().map(|kind| kind.bytes).sum()
}

/// Costs of the groups, highest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices {
    pub groups: Vec<Price>,
    /// Bytes per second of all groups; more than received if records are lost.
    pub made: u64,
    /// Bytes per second, if known.
    pub capacity: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The filter's word if it can be switched off, otherwise its name.
    pub name: String,
    /// The command that switches the group off, without `target`; `None` if it is always sent.
    pub line: Option<String>,
    /// Bytes per second.
    pub bytes: u64,
    /// The group's kinds with their bytes per second, highest first.
    pub kinds: Vec<(RowKind, u64)>,
}

impl Prices {
    /// Percentage of the link's capacity used without `bytes` bytes per second.
    pub fn share_without(&self, bytes: u64) -> Option<u64> {
        let left = self.made.saturating_sub(bytes);
        self.capacity.filter(|capacity| *capacity > 0).map(|capacity| left.saturating_mul(100).div_ceil(capacity))
    }
}

/// The cost of each group, whether or not the target's filter can switch it.
pub fn prices(question: &Question<'_>) -> Prices {
    let Question { info, window, .. } = *question;
    let switches = SwitchStates::of_filter(info, question.known);
    let counts = made(window, |kind| switches.as_ref().map_or(Sent::Now, |switches| switches.sent(kind)));
    let mut groups: Vec<Price> = Vec::new();
    for KindCount { kind, bytes, .. } in &counts {
        let word = switches.as_ref().and_then(|switches| switches.group_of(*kind)).map(|group| group.name.as_str());
        let line = word.map(|word| format!("{FILTER} -{word}"));
        let group = info.kind(*kind).map_or("", |kind| group_tag(info, kind.group));
        let name = word.unwrap_or(group);
        let bytes = window.per_second(*bytes);
        match groups.iter_mut().find(|price| price.name == name && price.line == line) {
            Some(price) => {
                price.bytes += bytes;
                price.kinds.push((*kind, bytes));
            }
            None => groups.push(Price { name: name.to_owned(), line, bytes, kinds: vec![(*kind, bytes)] }),
        }
    }
    for group in &mut groups {
        group.kinds.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    }
    groups.sort_by_key(|price| std::cmp::Reverse(price.bytes));
    Prices { groups, made: window.per_second(bytes(&counts)), capacity: capacity(question) }
}

#[derive(Debug)]
struct Unit<'a> {
    word: String,
    title: &'a str,
    worth: Worth,
    /// Switches with bytes, most bytes first; empty if there are no switches for single kinds.
    kinds: Vec<(u64, u64)>,
    bytes: u64,
    /// Switches of the group that report problems; they stay on.
    reports: Vec<u64>,
}

impl<'a> SwitchStates<'a> {
    fn units(&self, counts: &[KindCount]) -> Vec<Unit<'a>> {
        let table = self.table;
        let mut units = Vec::new();
        let is_report = |kind| self.info.kind(kind).is_some_and(|kind| kind.severity >= Severity::WARNING);
        for group in &table.groups {
            let is_own = |kind: RowKind| self.group_of(kind).is_some_and(|of| of.name == group.name);
            let own = counts.iter().filter(|count| is_own(count.kind) && !is_report(count.kind));
            let mut kinds: Vec<(u64, u64)> = own.map(|count| (switch_of(self.info, count.kind), count.bytes)).collect();
            let bytes = kinds.iter().map(|(_, bytes)| bytes).sum();
            if bytes == 0 {
                continue;
            }
            kinds.sort_unstable_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
            units.push(Unit {
                word: group.name.to_string(),
                title: &group.title,
                worth: group.worth,
                kinds: if table.is_kinds { kinds } else { Vec::new() },
                bytes,
                reports: self.reports(group),
            });
        }
        units
    }

    fn sent(&self, kind: RowKind) -> Sent {
        let Some(group) = self.group_of(kind) else { return Sent::Always };
        let first = group.ranges.first().map(|range| range.first);
        let switch = if self.table.is_kinds { Some(switch_of(self.info, kind)) } else { first };
        if switch.is_some_and(|switch| self.at(switch) == SwitchState::Off) { Sent::NoMore } else { Sent::Now }
    }

    /// Switches of a group that report problems and can be on.
    fn reports(&self, group: &FilterGroup) -> Vec<u64> {
        let is_report = |kind: &&KindInfo| kind.severity >= Severity::WARNING && kind.first == kind.last;
        let kinds = self.info.kinds.iter().filter(|_| self.table.is_kinds).filter(is_report);
        let mut switches: Vec<u64> = kinds.map(|kind| kind.wire_id.into()).collect();
        switches.retain(|switch| {
            is_in(&group.ranges, *switch) && !matches!(self.at(*switch), SwitchState::Always | SwitchState::Off)
        });
        switches.sort_unstable();
        switches.dedup();
        switches
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use spytui_plugin_api::{
        RowKind,
        info::{ArgForms, ArgInfo, CommandInfo, FilterGroup, FilterTable, GroupInfo, KindInfo, Worth, filter_ranges},
        row::Severity,
    };

    use super::{prices, *};

    /// Simulates the key that requests advice while nothing is being lost.
    #[test]
    fn what_a_link_carried_when_it_lost_records_is_remembered() {
        let window = Window { busiest: 900, measured: 450, ..Window::default() };
        let of = |window: &Window, given: Option<u64>| {
            let (info, dictionary) = (Info::default(), Dictionary::default());
            capacity(&Question { info: &info, dictionary: &dictionary, known: &[], window, capacity: given })
        };
        assert_eq!((of(&window, None), of(&window, Some(11_520))), (Some(450), Some(11_520)));
        assert_eq!(of(&Window { lost: 3, ..window.clone() }, None), Some(900));
        assert_eq!(of(&Window::default(), None), None);
    }

    /// Kinds 0 (names), 1 and 2 (noise, 2 is a warning), 3 and 4 (states), 5 (the application's).
    fn info() -> Info {
        let kind = |id: u16, name: &str, group| KindInfo::new(RowKind(id), name, group);
        let warning = KindInfo { severity: Severity::WARNING, ..kind(2, "full", 1) };
        let kinds =
            [kind(0, "name", 0), kind(1, "get", 1), warning, kind(3, "run", 2), kind(4, "get", 2), kind(5, "user", 3)];
        let table = FilterTable {
            max: 9,
            is_kinds: true,
            space: spytui_plugin_api::NONE,
            groups: [
                FilterGroup { worth: Worth::NOISE, ..FilterGroup::new("MP", "pools", &[(1, 2)]) },
                FilterGroup { worth: Worth::STATES, ..FilterGroup::new("T", "tasks", &[(3, 4)]) },
                FilterGroup { worth: Worth::APPLICATION, ..FilterGroup::new("U", "user", &[(5, 9)]) },
                FilterGroup::new("ALL", "everything", &[(0, 9)]),
            ]
            .into_iter()
            .collect(),
            always_on: filter_ranges(&[(0, 0)]),
            ..FilterTable::default()
        };
        Info {
            title: "Test".into(),
            kinds: kinds.into_iter().collect(),
            groups: (0..4).zip(["NAM", "MP", "T", "U"]).map(|(id, name)| GroupInfo::new(id, name, "")).collect(),
            commands: [CommandInfo::new(0, FILTER, "").with([ArgInfo::new("SPEC", ArgForms::FILTER)])]
                .into_iter()
                .collect(),
            filters: [table].into_iter().collect(),
            ..Info::default()
        }
    }

    /// Ten seconds with these bytes per second of kinds 0 to 5, in records of 10 bytes.
    fn window(bytes: [u64; 6], lost: u64) -> Window {
        let count = |(kind, bytes): (u16, u64)| KindCount { kind: RowKind(kind), records: bytes, bytes: bytes * 10 };
        let kinds = (0..).zip(bytes).map(count).filter(|count| count.bytes > 0).collect();
        let busiest = bytes.iter().sum();
        Window { span: Duration::from_secs(10), kinds, lost, busiest, ..Window::default() }
    }

    fn ask(window: &Window, capacity: Option<u64>, known: &[FilterState]) -> Advice {
        let info = info();
        let dictionary = Dictionary::new(&info, true);
        advise(&Question { info: &info, dictionary: &dictionary, known, window, capacity })
    }

    fn proposal(window: &Window, capacity: Option<u64>, known: &[FilterState]) -> Proposal {
        match ask(window, capacity, known) {
            Advice::Filter(proposal) => proposal,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_at_97_per_cent_gets_a_filter_of_what_says_least() {
        let proposal = proposal(&window([0, 300, 10, 360, 100, 200], 0), Some(1000), &[]);
        assert_eq!(proposal.line(), "filter -MP +full");
        assert_eq!((proposal.made, proposal.left, proposal.fits()), (970, 670, true));
        assert_eq!(proposal.text(), "saves 300 B/s of 970 B/s, uses 67 % of the line");
        let words: Vec<String> = proposal.words.iter().map(AdvisedWord::meaning).collect();
        assert_eq!(words, ["pools: saves 300 B/s", "reports errors: stays"]);
    }

    #[test]
    fn a_kind_goes_by_its_number_where_its_name_is_of_several() {
        let proposal = proposal(&window([0, 100, 0, 400, 300, 200], 0), Some(1000), &[]);
        assert_eq!(proposal.line(), "filter -4");
        assert_eq!(proposal.words[0].meaning(), "of T: tasks: saves 300 B/s");
    }

    #[test]
    fn a_target_that_drops_makes_more_than_the_link_carries() {
        // Half of the records are lost; names are always sent.
        let window = window([20, 300, 0, 360, 100, 200], 980);
        let proposal = proposal(&window, None, &[]);
        assert_eq!((proposal.made, proposal.capacity), (1959, 980));
        assert_eq!(proposal.line(), "filter -MP +full -run");
        assert!(proposal.fits());
    }

    #[test]
    fn what_is_off_already_saves_nothing() {
        let off = FilterState { table: 0, is_on: false, is_known: true, first: 1, last: 1 };
        let proposal = proposal(&window([0, 300, 0, 600, 100, 200], 0), Some(1000), &[off]);
        assert_eq!((proposal.made, proposal.line().as_str()), (900, "filter -4"));
    }

    #[test]
    fn what_does_not_fit_without_anything_is_said_so() {
        let proposal = proposal(&window([920, 10, 0, 60, 10, 20], 0), Some(1000), &[]);
        assert_eq!(proposal.line(), "filter -MP +full -T -U");
        assert!(!proposal.fits());
        assert_eq!(proposal.text(), "saves 100 B/s of 1 kB/s, uses 92 % of the line: still too much");
    }

    #[test]
    fn groups_have_their_prices() {
        let (info, window) = (info(), window([20, 300, 0, 360, 100, 200], 0));
        let dictionary = Dictionary::new(&info, true);
        let question =
            Question { info: &info, dictionary: &dictionary, known: &[], window: &window, capacity: Some(1000) };
        let prices = prices(&question);
        let reported: Vec<(&str, u64, Option<&str>)> =
            prices.groups.iter().map(|price| (price.name.as_str(), price.bytes, price.line.as_deref())).collect();
        let expected = [
            ("T", 460, Some("filter -T")),
            ("MP", 300, Some("filter -MP")),
            ("U", 200, Some("filter -U")),
            ("NAM", 20, None),
        ];
        assert_eq!(reported, expected);
        assert_eq!(prices.groups[0].kinds, [(RowKind(3), 360), (RowKind(4), 100)]);
        assert_eq!((prices.made, prices.share_without(460)), (980, Some(52)));
    }

    #[test]
    fn a_filter_does_not_help_against_damage() {
        let damaged = Window { damaged: 5, ..window([0, 300, 0, 360, 100, 200], 0) };
        let help = "5 damaged on the line: a filter will not help; check cable and baud rate";
        let says = |capacity| match ask(&damaged, capacity, &[]) {
            Advice::Nothing(text) | Advice::Missing(text) => text,
            Advice::Filter(proposal) => proposal.text(),
        };
        assert_eq!(says(Some(2000)), format!("960 B/s are 48 % of the line; {help}"));
        assert!(says(None).starts_with(&format!("960 B/s arrive, {help}; link speed unknown")));
        assert!(says(Some(900)).ends_with(&format!(" % of the line; {help}")), "{}", says(Some(900)));
    }

    #[test]
    fn nothing_to_do_and_what_is_missing_are_reported() {
        let some = window([0, 300, 0, 360, 100, 200], 0);
        assert_eq!(
            ask(&some, Some(2000), &[]),
            Advice::Nothing("nothing to do: 960 B/s are 48 % of the line".to_owned())
        );
        let Advice::Missing(text) = ask(&some, None, &[]) else { panic!() };
        assert!(text.contains("link speed unknown: give it in B/s, target advise RATE"), "{text}");
        assert!(text.contains("arrive, nothing was lost in 10 s; "), "{text}");
        let Advice::Nothing(text) = ask(&Window { lost: 10, ..some.clone() }, Some(2000), &[]) else { panic!() };
        assert!(text.contains("lost elsewhere"), "{text}");
        assert!(matches!(ask(&Window::default(), Some(1), &[]), Advice::Missing(_)));
        let plain = Info { title: "Plain".into(), ..Info::default() };
        let dictionary = Dictionary::new(&plain, true);
        let question = Question { info: &plain, dictionary: &dictionary, known: &[], window: &some, capacity: None };
        assert_eq!(advise(&question), Advice::Missing("targets of Plain have no filter".to_owned()));
    }

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
        // A kind that is nearly all of a group stands for the group.
        assert_eq!(chosen(&[unit("noise", Worth::NOISE, &[95, 5])], 90), [whole("noise")]);
        // A group without switches for its kinds.
        let undivided = Unit { kinds: Vec::new(), ..unit("noise", Worth::NOISE, &[60, 50]) };
        assert_eq!(chosen(&[undivided], 10), [whole("noise")]);
    }

    fn count(kind: u16, records: u64, bytes: u64) -> KindCount {
        KindCount { kind: RowKind(kind), records, bytes }
    }

    #[test]
    fn what_was_lost_is_as_what_came_without_losses() {
        let short = count(1, 150, 1500);
        let long = count(2, 50, 2000);
        let window = Window { kinds: vec![short, long], lost: 200, ..Window::default() };
        assert_eq!(made(&window, |_| Sent::Now), [count(1, 300, 3000), count(2, 100, 4000)]);
        let first = |sent| move |kind| if kind == RowKind(1) { sent } else { Sent::Now };
        assert_eq!(made(&window, first(Sent::NoMore)), [count(2, 250, 10_000)]);
        assert_eq!(made(&window, first(Sent::Always)), [short, count(2, 250, 10_000)]);
        let clean = vec![count(1, 50, 500), count(2, 50, 2000)];
        let window = Window { clean, ..window };
        assert_eq!(made(&window, |_| Sent::Now), [count(1, 200, 2000), count(2, 200, 8000)]);
        assert_eq!(made(&Window { lost: 0, ..window }, |_| Sent::Now), [short, long]);
    }
}
