//! What each group of records costs.

use spytui_plugin_api::RowKind;

use super::{
    advice::{Question, capacity},
    made::{Sent, bytes, made},
    traffic::KindCount,
};
use crate::{
    device::switches::{FILTER, Switches},
    present::words::group_tag,
};

/// What the groups cost, dearest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices {
    pub groups: Vec<Price>,
    /// Bytes a second of all of them; more than come if records are lost.
    pub made: u64,
    /// Bytes a second that the link carries, if that is known.
    pub capacity: Option<u64>,
}

/// What a group costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// Its name: the word of the target's filter, if it can be switched off.
    pub name: String,
    /// The command without it, without `target`; `None` if it is always sent.
    pub line: Option<String>,
    /// Bytes a second.
    pub bytes: u64,
    /// Its kinds with their bytes a second, dearest first.
    pub kinds: Vec<(RowKind, u64)>,
}

impl Prices {
    /// Per cent of what the link carries that are left without so many bytes a second.
    pub fn share_without(&self, bytes: u64) -> Option<u64> {
        let left = self.made.saturating_sub(bytes);
        self.capacity.filter(|capacity| *capacity > 0).map(|capacity| left.saturating_mul(100).div_ceil(capacity))
    }
}

/// What each group costs that the target's filter can switch, and each one that it cannot.
pub fn prices(question: &Question<'_>) -> Prices {
    let Question { info, window, .. } = *question;
    let switches = Switches::of_filter(info, question.known);
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
