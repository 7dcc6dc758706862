//! Findings as text for the pane and exports.

use spytui_plugin_api::batch::AttrId;

use super::{
    finding::{Detail, ExaminedEvidence, FoundCase, Rule},
    levels::fill_rule,
    table::FindingTable,
};
use crate::{
    analysis::objects::{Wording, line::fill_words},
    present::clock::{grouped, short_ns},
    replay::{Key, Moment},
};

/// A finding as text that is safe for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub rule: Rule,
    /// The object concerned; `None` = the target.
    pub key: Option<Key>,
    /// The event concerned.
    pub item: Option<Key>,
    /// Name of the object; empty for the target.
    pub object: String,
    pub detail: String,
    pub count: u64,
    /// Rows that show it, labelled `first`, `worst` and `latest`, without duplicates.
    pub evidence: Vec<(&'static str, Moment)>,
    /// Number of unlisted findings of the rule that this entry stands for; 0 for a real finding.
    pub more: u64,
}

impl Finding {
    pub fn next(&self) -> &'static str {
        if self.more > 0 { NEXT_OF_MORE } else { self.rule.next() }
    }

    /// `door: nearly full, 5/6`
    pub fn headline(&self) -> String {
        let of = if self.object.is_empty() { String::new() } else { format!("{}: ", self.object) };
        let detail = if self.detail.is_empty() { String::new() } else { format!(", {}", self.detail) };
        format!("{of}{}{detail}", self.rule.title())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Most serious first.
    pub list: Vec<Finding>,
    pub judged: Vec<ExaminedEvidence>,
    /// Number of places with rows of errors; neighbours count once.
    pub error_places: u64,
}

impl Findings {
    /// Puts the findings of a table into words, with current names.
    pub fn new(table: &FindingTable, wording: &Wording<'_>) -> Findings {
        let found = table.found(wording);
        let mut list: Vec<Finding> = found.into_iter().filter_map(|found| wording.finding(found)).collect();
        // The most frequent ones are kept.
        list.sort_by(|a, b| (a.rule, b.count, place(a)).cmp(&(b.rule, a.count, place(b))));
        let mut list: Vec<Finding> = list.chunk_by(|a, b| a.rule == b.rule).flat_map(first_ones).collect();
        list.sort_by(|a, b| (a.rule, a.more, place(a)).cmp(&(b.rule, b.more, place(b))));
        let judged = table.seen(wording);
        Findings { list, judged, error_places: table.error_places }
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

const MOST_OF_A_RULE: usize = 20;
const NEXT_OF_MORE: &str = "Begin with what those above have in common: it may be the cause of all. Then look again.";

/// Sort position of a finding within its rule.
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

impl Wording<'_> {
    pub(super) fn is_named(&self, key: Key) -> bool {
        self.names.get(0, key.space, key.key, key.scope).is_some_and(|name| !name.is_empty())
    }

    /// Whether the task's name or kind says that it is idle.
    pub(in crate::analysis) fn is_idle(&self, key: Key) -> bool {
        let begins = |text: &[u8]| text.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"idle"));
        let kind = self.attr(key, AttrId::KIND).map(|(_, text)| text);
        self.names.get(0, key.space, key.key, key.scope).is_some_and(begins) || kind.is_some_and(begins)
    }

    /// `None` if the dictionary shows that it is no problem.
    fn finding(&self, found: FoundCase) -> Option<Finding> {
        let fills = matches!(found.rule, Rule::Full | Rule::NearlyFull | Rule::NeverEmpty | Rule::Leak | Rule::Refused);
        if fills && found.of.is_some_and(|key| self.is_lock(key)) {
            return None;
        }
        let capacity = found.of.and_then(|key| self.capacity(key));
        let (rule, detail) = match found.detail {
            // If the target counts used elements, fullness is only known with the capacity.
            Detail::Used(used) => fullness(capacity?.saturating_sub(used), capacity)?,
            Detail::Free(free, seen) => fullness(free, capacity.or(seen))?,
            _ => (found.rule, self.detail(&found)),
        };
        let object = match found.of {
            Some(key) if rule == Rule::NoNames => self.info.space(key.space).map(|spec| spec.title.to_string()),
            of => of.map(|key| self.name(key)),
        };
        let (object, evidence) = (object.unwrap_or_default(), found.evidence.rows());
        let count = found.evidence.count;
        Some(Finding { rule, key: found.of, item: found.item, object, detail, count, evidence, more: 0 })
    }

    fn detail(&self, found: &FoundCase) -> String {
        match found.detail {
            Detail::Nothing | Detail::Free(..) | Detail::Used(_) => String::new(),
            Detail::Text(text) => text.to_owned(),
            Detail::Missing(0, _) => "their number is unknown".to_owned(),
            Detail::Missing(count, is_exact) => {
                let unit = if self.info.loss_unit.is_empty() { "record" } else { &self.info.loss_unit };
                let (sign, plural) = (if is_exact { "" } else { "≥" }, if count == 1 { "" } else { "s" });
                format!("{sign}{} {unit}{plural}", grouped(count))
            }
            Detail::Bytes(bytes) => format!("{} B", grouped(bytes)),
            Detail::Changes(changes) => format!("never empty for {} changes of its level", grouped(changes)),
            Detail::Leak { counts_free, before, after } => {
                let words = |count| fill_words(count, counts_free, found.of.and_then(|key| self.capacity(key)));
                format!("at best {}, then {}", words(before), words(after))
            }
            Detail::States(states) => {
                let event = found.item.map_or_else(String::new, |item| self.bare_name(item));
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
        }
    }
}

/// `12.3ms`, or `312 ticks` if the unit is unknown.
fn duration(ticks: u64, ns: Option<u64>) -> String {
    ns.map_or_else(|| format!("{} ticks", grouped(ticks)), short_ns)
}

/// The rule that applies to this many free elements, if any, with its detail.
fn fullness(free: u64, capacity: Option<u64>) -> Option<(Rule, String)> {
    Some((fill_rule(free, capacity)?, fill_words(free, true, capacity)))
}

fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{} times", grouped(n)) }
}
