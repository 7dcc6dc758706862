//! Lifelines of a sequence diagram: all, most used first, or those that the user chose.

use rustc_hash::FxHashMap;

use crate::replay::Id;

/// The lifelines to show, in this order, as patterns: `*` matches any characters, `?` is all others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChosenLifelines {
    names: Vec<String>,
}

/// Name of the lifeline for all unknown or unchosen parties.
pub const OTHERS: &str = "?";

impl ChosenLifelines {
    /// Parses comma-separated names; `None` if there are none.
    pub fn parse(text: &str) -> Option<ChosenLifelines> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<String> = names.map(str::to_owned).collect();
        (!names.is_empty()).then_some(ChosenLifelines { names })
    }

    /// Index of the first pattern that matches one of these names.
    pub fn place(&self, names: &[&str]) -> Option<usize> {
        self.names.iter().position(|chosen| names.iter().any(|name| fits(chosen, name)))
    }
}

/// Whether a name matches a pattern; ignores case.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let (parts, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in parts.split('*') {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LifelineNames {
    pub name: String,
    /// An alternative name to choose it by; may be empty.
    pub other: String,
    /// Its class, which distinguishes it from namesakes; may be empty.
    pub class: String,
}

impl LifelineNames {
    /// `burner (queue)`
    fn with_class(&self) -> String {
        format!("{} ({})", self.name, self.class)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifeline {
    /// `None` = all unknown or unchosen parties.
    pub id: Option<Id>,
    called: LifelineNames,
    /// Another lifeline has the same name.
    is_double: bool,
    /// Number of its messages and marks.
    pub uses: u64,
    /// Index among the chosen ones.
    place: usize,
}

impl Lifeline {
    /// Its name, with its class if the name is not unique.
    pub fn name(&self) -> String {
        if self.is_double { self.called.with_class() } else { self.called.name.clone() }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Lifelines {
    chosen: Option<ChosenLifelines>,
    pub all: Vec<Lifeline>,
    /// Index of each lifeline; `None` if not shown.
    known: FxHashMap<Option<Id>, Option<usize>>,
    /// The first lifeline of each name.
    by_name: FxHashMap<String, usize>,
}

impl Lifelines {
    /// `None` = all.
    pub fn new(chosen: Option<ChosenLifelines>) -> Lifelines {
        Lifelines { chosen, ..Lifelines::default() }
    }

    /// The lifelines of a message, which is added to their uses; `None` if not shown.
    pub fn message(
        &mut self,
        (from, to): (Option<Id>, Option<Id>),
        mut names: impl FnMut(Id) -> LifelineNames,
    ) -> Option<(usize, usize)> {
        let (from, to) = (self.line(from, &mut names)?, self.line(to, &mut names)?);
        if from == to && self.all.get(from)?.id.is_none() {
            return None;
        }
        self.count(from);
        if from != to {
            self.count(to);
        }
        Some((from, to))
    }

    /// The lifeline of a mark, which is added to its uses; `None` if not shown. On the lifeline of the unchosen, only
    /// marks that concern `all` are shown.
    pub fn mark(&mut self, on: Option<Id>, all: bool, mut names: impl FnMut(Id) -> LifelineNames) -> Option<usize> {
        let line = self.line(on, &mut names)?;
        if !all && self.all.get(line)?.id.is_none() {
            return None;
        }
        self.count(line);
        Some(line)
    }

    fn count(&mut self, line: usize) {
        if let Some(line) = self.all.get_mut(line) {
            line.uses += 1;
        }
    }

    /// The index of a lifeline; added if new.
    fn line(&mut self, id: Option<Id>, names: &mut impl FnMut(Id) -> LifelineNames) -> Option<usize> {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let others = || LifelineNames { name: OTHERS.to_owned(), ..LifelineNames::default() };
        let called = id.map_or_else(others, &mut *names);
        let chosen_by = [&*called.name, &*called.other, &*called.with_class()].map(str::to_owned);
        let place = self.chosen.as_ref().map_or(Some(0), |chosen| chosen.place(&chosen_by.each_ref().map(|n| &**n)));
        let line = match place {
            Some(place) => {
                let first = *self.by_name.entry(called.name.clone()).or_insert(self.all.len());
                let namesake = self.all.get_mut(first);
                let is_double = namesake.is_some();
                namesake.into_iter().for_each(|other| other.is_double = true);
                self.all.push(Lifeline { id, called, is_double, uses: 0, place });
                Some(self.all.len() - 1)
            }
            None if id.is_some() => self.line(None, names),
            None => None,
        };
        self.known.insert(id, line);
        line
    }

    /// Indices of the used lifelines: as chosen, otherwise most used first; unknown parties last.
    pub fn order(&self) -> Vec<usize> {
        let used = self.all.iter().enumerate().filter(|(_, line)| line.uses > 0);
        let mut order: Vec<(usize, &Lifeline)> = used.collect();
        order.sort_by_key(|(_, line)| (line.place, std::cmp::Reverse(line.uses)));
        if self.chosen.is_none() {
            order.sort_by_key(|(_, line)| line.id.is_none());
        }
        order.into_iter().map(|(index, _)| index).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(id: Id) -> LifelineNames {
        LifelineNames { name: format!("AO(l_{})", id.0), other: id.0.to_string(), class: "obj".to_owned() }
    }

    fn shown(lines: &Lifelines) -> Vec<(String, u64)> {
        let line = |line: usize| (lines.all[line].name(), lines.all[line].uses);
        lines.order().into_iter().map(line).collect()
    }

    fn uses(wanted: &[(&str, u64)]) -> Vec<(String, u64)> {
        wanted.iter().map(|(name, uses)| ((*name).to_owned(), *uses)).collect()
    }

    #[test]
    fn same_names_differ_by_what_they_are_of() {
        let mut lines = Lifelines::new(None);
        let names = |id: Id| {
            let class = if id.0 == 1 { "task" } else { "queue" };
            LifelineNames { name: "burner".to_owned(), class: class.to_owned(), ..LifelineNames::default() }
        };
        lines.message((Some(Id(1)), Some(Id(2))), names).unwrap();
        assert_eq!(shown(&lines), uses(&[("burner (task)", 1), ("burner (queue)", 1)]));
        let mut lines = Lifelines::new(ChosenLifelines::parse("burner (queue)"));
        assert_eq!((lines.mark(Some(Id(1)), false, names), lines.mark(Some(Id(2)), false, names)), (None, Some(0)));
        assert_eq!(shown(&lines), uses(&[("burner", 1)]));
    }

    /// If each were compared with all others, this would take minutes.
    #[test]
    fn many_lifelines_cost_no_more_each() {
        let mut lines = Lifelines::new(None);
        let names = |id: Id| LifelineNames { name: format!("a name that others begin with {}", id.0 / 2), ..names(id) };
        for id in 0..400_000 {
            assert_eq!(lines.mark(Some(Id(id)), false, names), Some(id as usize));
        }
        assert!(lines.all.iter().all(|line| line.name().ends_with(" (obj)")));
    }

    #[test]
    fn the_most_used_come_first() {
        let mut lines = Lifelines::new(None);
        for (from, to) in [(Some(1), 2), (Some(3), 2), (Some(3), 3), (None, 3)] {
            lines.message((from.map(Id), Some(Id(to))), names).unwrap();
        }
        assert_eq!(lines.mark(Some(Id(4)), false, names), Some(4));
        assert_eq!(shown(&lines), uses(&[("AO(l_3)", 3), ("AO(l_2)", 2), ("AO(l_1)", 1), ("AO(l_4)", 1), ("?", 1)]));
        assert_eq!(lines.message((None, None), names), None);
    }

    #[test]
    fn what_is_chosen_comes_in_this_order_and_nothing_else() {
        let mut lines = Lifelines::new(ChosenLifelines::parse("ao(l_2), 1"));
        assert_eq!(lines.message((Some(Id(1)), Some(Id(2))), names), Some((0, 1)));
        assert_eq!(lines.message((Some(Id(1)), Some(Id(3))), names), None);
        assert_eq!((lines.mark(Some(Id(3)), true, names), lines.mark(Some(Id(1)), true, names)), (None, Some(0)));
        assert_eq!(shown(&lines), uses(&[("AO(l_2)", 1), ("AO(l_1)", 2)]));
    }

    #[test]
    fn a_question_mark_stands_for_all_others() {
        let mut lines = Lifelines::new(ChosenLifelines::parse("1,?"));
        assert!(lines.message((Some(Id(7)), Some(Id(1))), names).is_some());
        assert_eq!(lines.message((Some(Id(7)), Some(Id(8))), names), None);
        assert_eq!(lines.mark(Some(Id(7)), false, names), None);
        assert_eq!(lines.mark(Some(Id(7)), true, names), Some(0));
        assert_eq!(shown(&lines), uses(&[("AO(l_1)", 1), ("?", 2)]));
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, is_fit) in [
            ("io*", "io-pkt:1", true),
            ("*:1", "io-pkt:1", true),
            ("i*pkt*", "io-pkt:1", true),
            ("i*x*", "io-pkt:1", false),
            ("IO-PKT:1", "io-pkt:1", true),
            ("io", "io-pkt:1", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits(pattern, name), is_fit, "{pattern} {name}");
        }
        assert_eq!(
            (ChosenLifelines::parse(" , "), ChosenLifelines::parse("a,b").map(|c| c.place(&["b"]))),
            (None, Some(Some(1)))
        );
    }
}
