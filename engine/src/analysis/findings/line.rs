//! Findings in words, as the pane and exports show them.

use spytui_plugin_api::{Class, Severity, batch::AttrId};

use super::{
    finding::{Detail, Evidence, Found, Rule},
    queue::fill_rule,
    table::FindingTable,
};
use crate::{
    analysis::objects::Wording,
    present::clock::{grouped, short_ns},
    replay::{Key, Moment},
};

/// One finding in words; all text is safe for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was found.
    pub rule: Rule,
    /// About which object; `None` = the target.
    pub key: Option<Key>,
    /// With which event.
    pub item: Option<Key>,
    /// Name of the object; empty if it is about the target.
    pub object: String,
    /// What was measured.
    pub detail: String,
    /// How often it happened.
    pub count: u64,
    /// The rows that show it: `first`, `worst` and `latest`, each row once.
    pub evidence: Vec<(&'static str, Moment)>,
    /// It stands for so many more findings of a rule that has too many to list; otherwise 0.
    pub more: u64,
}

impl Finding {
    /// How serious it is.
    pub fn severity(&self) -> Severity {
        self.rule.severity()
    }

    /// Why it matters.
    pub fn why(&self) -> &'static str {
        self.rule.why()
    }

    /// What to do next.
    pub fn next(&self) -> &'static str {
        if self.more > 0 { NEXT_OF_MORE } else { self.rule.next() }
    }

    /// `door: nearly full, 1 free of 6`
    pub fn headline(&self) -> String {
        let of = if self.object.is_empty() { String::new() } else { format!("{}: ", self.object) };
        let detail = if self.detail.is_empty() { String::new() } else { format!(", {}", self.detail) };
        format!("{of}{}{detail}", self.rule.title())
    }
}

/// What rules looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// What is judged.
    pub what: &'static str,
    pub needs: &'static str,
    /// So much of that was seen; with 0 nothing can be said.
    pub seen: u64,
}

/// All findings, and what could be judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// The most serious ones first.
    pub list: Vec<Finding>,
    /// What rules looked at.
    pub judged: Vec<Judged>,
}

impl Findings {
    /// What a table found, with the names that rows have now.
    pub fn new(table: &FindingTable, wording: &Wording<'_>) -> Findings {
        let words = Words { wording };
        let found = table.found(wording.info, |key| words.is_named(key), |key| words.is_idle(key));
        let mut list: Vec<Finding> = found.into_iter().filter_map(|found| words.finding(found)).collect();
        // Those that happened most often are kept.
        list.sort_by(|a, b| (a.rule, b.count, place(a)).cmp(&(b.rule, a.count, place(b))));
        let mut list: Vec<Finding> = list.chunk_by(|a, b| a.rule == b.rule).flat_map(first_ones).collect();
        list.sort_by(|a, b| (a.rule, a.more, place(a)).cmp(&(b.rule, b.more, place(b))));
        let judged = table.seen(|key| words.attr(key, AttrId::CAPACITY).is_some());
        let judged = judged.map(|seen| Judged { what: seen.what, needs: seen.needs, seen: seen.count });
        Findings { list, judged: judged.to_vec() }
    }

    /// `looked at timers; not judged: interrupts (needs records of their begin and end)`
    pub fn scope(&self) -> String {
        let looked: Vec<_> = self.judged.iter().filter(|judged| judged.seen > 0).map(|judged| judged.what).collect();
        let missing: Vec<_> = self
            .judged
            .iter()
            .filter(|judged| judged.seen == 0)
            .map(|judged| format!("{} (needs {})", judged.what, judged.needs))
            .collect();
        let looked = if looked.is_empty() { "nothing could be judged".to_owned() } else { looked.join(", ") };
        if missing.is_empty() {
            return format!("looked at: {looked}");
        }
        format!("looked at: {looked}\nnot judged: {}", missing.join(", "))
    }
}

/// Findings of one rule that are listed.
const MOST_OF_A_RULE: usize = 20;
/// What to do about those that are not.
const NEXT_OF_MORE: &str = "Begin with what those above have in common: it may be the cause of all. Then look again.";

/// The place of a finding among those of its rule.
fn place(finding: &Finding) -> (Option<Key>, &str, Option<Key>) {
    (finding.item, &finding.object, finding.key)
}

fn first_ones(of_rule: &[Finding]) -> Vec<Finding> {
    let (listed, others) = of_rule.split_at(of_rule.len().min(MOST_OF_A_RULE));
    let more = others.len() as u64;
    let rest = listed.first().filter(|_| more > 0).map(|first| Finding {
        key: None,
        item: None,
        object: String::new(),
        detail: format!("and {} more of this rule", grouped(more)),
        count: others.iter().map(|other| other.count).sum(),
        evidence: Vec::new(),
        more,
        ..first.clone()
    });
    listed.iter().cloned().chain(rest).collect()
}

/// Puts findings into words.
struct Words<'a> {
    wording: &'a Wording<'a>,
}

impl Words<'_> {
    fn is_named(&self, key: Key) -> bool {
        self.wording.names.get(0, key.space, key.key, key.scope).is_some_and(|name| !name.is_empty())
    }

    fn attr(&self, key: Key, attr: AttrId) -> Option<u64> {
        self.wording.names.attr(0, key.space, key.key, key.scope, attr).map(|(value, _)| value)
    }

    /// Whether a task is called idle, or said to be.
    fn is_idle(&self, key: Key) -> bool {
        let begins = |text: &[u8]| text.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"idle"));
        let names = self.wording.names;
        let kind = names.attr(0, key.space, key.key, key.scope, AttrId::KIND).map(|(_, text)| text);
        names.get(0, key.space, key.key, key.scope).is_some_and(begins) || kind.is_some_and(begins)
    }

    /// Semaphores and mutexes are queues that are full or empty in ordinary use.
    fn is_lock(&self, key: Key) -> bool {
        let class = self.wording.info.space(key.space).map(|spec| spec.class);
        class == Some(Class::LOCK) || self.attr(key, AttrId::KIND) == Some(u64::from(Class::LOCK.0))
    }

    /// `None` if what the dictionary knows makes it none.
    fn finding(&self, found: Found) -> Option<Finding> {
        let fills = matches!(found.rule, Rule::Full | Rule::NearlyFull | Rule::NeverEmpty | Rule::Leak | Rule::Refused);
        if fills && found.of.is_some_and(|key| self.is_lock(key)) {
            return None;
        }
        let (rule, detail) = match found.detail {
            Detail::Used(used) => self.used(found.of?, used)?,
            Detail::Free(free, seen) => {
                let capacity = found.of.and_then(|key| self.attr(key, AttrId::CAPACITY)).or(seen);
                (fill_rule(free, capacity)?, free_words(free, capacity))
            }
            detail => (found.rule, self.detail(&found, detail)),
        };
        let Evidence { count, .. } = found.evidence;
        let evidence = found.evidence.rows();
        let object = match found.rule {
            Rule::NoNames => found.of.map_or_else(String::new, |key| self.space_title(key)),
            _ => found.of.map_or_else(String::new, |key| self.wording.name(key)),
        };
        Some(Finding { rule, key: found.of, item: found.item, object, detail, count, evidence, more: 0 })
    }

    fn space_title(&self, key: Key) -> String {
        self.wording.info.space(key.space).map_or_else(String::new, |spec| spec.title.to_string())
    }

    /// Where used elements are counted, only a known size says what is full.
    fn used(&self, key: Key, used: u64) -> Option<(Rule, String)> {
        let capacity = self.attr(key, AttrId::CAPACITY)?;
        let free = capacity.saturating_sub(used);
        Some((fill_rule(free, Some(capacity))?, free_words(free, Some(capacity))))
    }

    fn detail(&self, found: &Found, detail: Detail) -> String {
        match detail {
            Detail::Nothing => String::new(),
            Detail::Text(text) => text.to_owned(),
            Detail::Changes(changes) => format!("never empty for {} changes of its level", grouped(changes)),
            Detail::Leak { counts_free: true, before, after } => format!("at best {before} free, then {after}"),
            Detail::Leak { before, after, .. } => format!("at best {before} used, then {after}"),
            Detail::States(states) => {
                let event = found.item.map_or_else(String::new, |item| self.wording.bare_name(item));
                format!("{event} in {states} states")
            }
            Detail::Wait { ticks, ns, switches } => {
                let took = ticks.map_or_else(String::new, |ticks| format!(" for {}", duration(ticks, ns)));
                format!("ready{took}, while others got a core {}", times(switches))
            }
            Detail::Share(permille) => format!("{} % of the core", permille / 10),
            Detail::Transitions(most) => format!("{} in a row", grouped(most)),
            Detail::Step { ticks, ns } => format!("by {}", duration(ticks, ns)),
            Detail::Same(records) => format!("{} records with the same time", grouped(records)),
            Detail::Unnamed { unnamed, of } => format!("{} of {} have no name", grouped(unnamed), grouped(of)),
            Detail::Free(..) | Detail::Used(_) => String::new(),
        }
    }
}

/// `12.3ms`, or `312 ticks` where the unit is not known.
fn duration(ticks: u64, ns: Option<u64>) -> String {
    ns.map_or_else(|| format!("{} ticks", grouped(ticks)), short_ns)
}

fn free_words(free: u64, capacity: Option<u64>) -> String {
    match capacity {
        Some(capacity) => format!("{free} free of {capacity}"),
        None => format!("{free} free"),
    }
}

fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{} times", grouped(n)) }
}
