//! The lifelines of a sequence diagram: all there are, the most used first, or those that somebody chose.

use rustc_hash::FxHashMap;

use crate::replay::Id;

/// Which lifelines are shown, in this order: names, in which `*` stands for any characters. `?` stands for all others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    names: Vec<String>,
}

/// The name of the lifeline that stands for everybody who is not known or not chosen.
pub const OTHERS: &str = "?";

impl Chosen {
    /// Reads names with commas between them; `None` if there are none.
    pub fn parse(text: &str) -> Option<Chosen> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<String> = names.map(str::to_owned).collect();
        (!names.is_empty()).then_some(Chosen { names })
    }

    /// The place of a lifeline with these names among those chosen.
    pub fn place(&self, names: &[&str]) -> Option<usize> {
        self.names.iter().position(|chosen| names.iter().any(|name| fits(chosen, name)))
    }
}

/// Whether a name fits a pattern, regardless of case.
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

/// What a lifeline is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Called {
    pub name: String,
    /// Another name that it is chosen by; may be empty.
    pub other: String,
    /// What it is, by which it differs from others of its name; may be empty.
    pub class: String,
}

impl Called {
    /// `burner (queue)`
    fn with_class(&self) -> String {
        format!("{} ({})", self.name, self.class)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifeline {
    /// Who it is; `None` = everybody who is not known or not chosen.
    pub id: Option<Id>,
    called: Called,
    /// Another one has its name.
    is_double: bool,
    /// Number of messages and other steps on it.
    pub uses: u64,
    /// Its place among those chosen.
    place: usize,
}

impl Lifeline {
    /// Its name, with what it is where another one has the same name.
    pub fn name(&self) -> String {
        if self.is_double { self.called.with_class() } else { self.called.name.clone() }
    }
}

/// The lifelines seen so far.
#[derive(Debug, Clone, Default)]
pub struct Lifelines {
    chosen: Option<Chosen>,
    all: Vec<Lifeline>,
    /// Index of each; `None` if it is not shown.
    known: FxHashMap<Option<Id>, Option<usize>>,
    /// The first one of each name.
    by_name: FxHashMap<String, usize>,
}

impl Lifelines {
    /// Those that are chosen; `None` = all of them.
    pub fn new(chosen: Option<Chosen>) -> Lifelines {
        Lifelines { chosen, ..Lifelines::default() }
    }

    /// The lifelines of a message, which then counts on them; `None` if it is not shown. `names` says what a
    /// lifeline is called.
    pub fn message(
        &mut self,
        (from, to): (Option<Id>, Option<Id>),
        mut names: impl FnMut(Id) -> Called,
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

    /// The lifeline of another step, which then counts on it; `None` if it is not shown: of those that are not chosen,
    /// only what concerns `all`.
    pub fn mark(&mut self, on: Option<Id>, all: bool, mut names: impl FnMut(Id) -> Called) -> Option<usize> {
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

    /// The index of a lifeline, which is added if it is new.
    fn line(&mut self, id: Option<Id>, names: &mut impl FnMut(Id) -> Called) -> Option<usize> {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let others = || Called { name: OTHERS.to_owned(), ..Called::default() };
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

    /// The lifelines, by index.
    pub fn all(&self) -> &[Lifeline] {
        &self.all
    }

    /// The indices of those that are used: as chosen, else the most used first, and who is not known last.
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

    fn names(id: Id) -> Called {
        Called { name: format!("AO(l_{})", id.0), other: id.0.to_string(), class: "obj".to_owned() }
    }

    fn shown(lines: &Lifelines) -> Vec<(String, u64)> {
        let line = |line: usize| (lines.all()[line].name(), lines.all()[line].uses);
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
            Called { name: "burner".to_owned(), class: class.to_owned(), ..Called::default() }
        };
        lines.message((Some(Id(1)), Some(Id(2))), names).unwrap();
        assert_eq!(shown(&lines), uses(&[("burner (task)", 1), ("burner (queue)", 1)]));
        let mut lines = Lifelines::new(Chosen::parse("burner (queue)"));
        assert_eq!((lines.mark(Some(Id(1)), false, names), lines.mark(Some(Id(2)), false, names)), (None, Some(0)));
        assert_eq!(shown(&lines), uses(&[("burner", 1)]));
    }

    /// With a look at all others for each, this takes minutes.
    #[test]
    fn many_lifelines_cost_no_more_each() {
        let mut lines = Lifelines::new(None);
        let names = |id: Id| Called { name: format!("a name that others begin with {}", id.0 / 2), ..names(id) };
        for id in 0..400_000 {
            assert_eq!(lines.mark(Some(Id(id)), false, names), Some(id as usize));
        }
        assert!(lines.all().iter().all(|line| line.name().ends_with(" (obj)")));
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
        let mut lines = Lifelines::new(Chosen::parse("ao(l_2), 1"));
        assert_eq!(lines.message((Some(Id(1)), Some(Id(2))), names), Some((0, 1)));
        assert_eq!(lines.message((Some(Id(1)), Some(Id(3))), names), None);
        assert_eq!((lines.mark(Some(Id(3)), true, names), lines.mark(Some(Id(1)), true, names)), (None, Some(0)));
        assert_eq!(shown(&lines), uses(&[("AO(l_2)", 1), ("AO(l_1)", 2)]));
    }

    #[test]
    fn a_question_mark_stands_for_all_others() {
        let mut lines = Lifelines::new(Chosen::parse("1,?"));
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
        assert_eq!((Chosen::parse(" , "), Chosen::parse("a,b").map(|c| c.place(&["b"]))), (None, Some(Some(1))));
    }
}
