//! The reference host's dictionaries: their limits, and the search among several entries of a signal.

use std::collections::{BTreeMap, BTreeSet};

use spytui_plugin_api::{Output, info::space as host_space};

use crate::{
    config::{ReferenceForm, Style},
    layout::space,
    names::{NamingRecord, ON_POST, ON_POST_NAME},
};

/// First value of an attachment `NAME_HINT`: the space, and the signal's index in the record.
pub(crate) const fn pin(nth: u16) -> u64 {
    space::SIGNALS as u64 | (nth as u64) << 32
}

/// How the host treats a bracket in an object's name before 6.9.
pub(crate) fn without_brackets(byte: u8) -> u8 {
    match byte {
        b'[' => b'<',
        b']' => b'>',
        byte => byte,
    }
}

/// Maximum number of entries per dictionary, and maximum length of a name.
#[derive(Clone, Copy, Debug)]
struct Limits {
    functions: usize,
    objects: usize,
    users: usize,
    signals: usize,
    enums: usize,
    name: usize,
}

fn limits(style: Style) -> Limits {
    match style {
        Style::Native | Style::Qspy734 => {
            Limits { functions: 511, objects: 255, users: 58, signals: 511, enums: 255, name: 63 }
        }
        Style::Qspy813 => Limits { functions: 8191, objects: 2047, users: 28, signals: 8191, enums: 255, name: 127 },
    }
}

/// The keys in the reference host's dictionaries; names are reported to the host of this plugin.
#[derive(Clone, Debug)]
pub(crate) struct HostNames {
    limits: Limits,
    /// All but signals, by space and, for enumerations, group.
    keys: BTreeMap<(u16, u64), BTreeSet<u64>>,
    signals: Signals,
    /// The names by space, key and scope, for the forms that need them to receive.
    texts: Option<BTreeMap<(u16, u64, u64), Vec<u8>>>,
}

impl HostNames {
    pub(crate) fn new(style: Style, form: ReferenceForm) -> HostNames {
        HostNames {
            limits: limits(style),
            keys: BTreeMap::new(),
            signals: Signals::default(),
            texts: (!form.is_lines()).then(BTreeMap::new),
        }
    }

    /// The kept names of a space with their keys and scopes, in the host's order.
    pub(crate) fn list(&self, space: u16) -> impl Iterator<Item = (u64, u64, &[u8])> {
        let text = move |key, scope| self.texts.as_ref()?.get(&(space, key, scope)).map(Vec::as_slice);
        let plain = self.keys.get(&(space, 0)).into_iter().flatten();
        let plain = plain.filter_map(move |&key| Some((key, 0, text(key, 0)?)));
        let signals = if space == space::SIGNALS { &self.signals.entries[..] } else { &[] };
        plain.chain(signals.iter().filter_map(move |e| Some((e.sig, e.obj, text(e.sig, e.scope)?))))
    }

    /// The kept name of an object.
    pub(crate) fn object(&self, key: u64) -> Option<&[u8]> {
        self.keys.get(&(space::OBJECTS, 0)).filter(|keys| keys.contains(&key))?;
        self.texts.as_ref()?.get(&(space::OBJECTS, key, 0)).map(Vec::as_slice)
    }

    /// The first command with a kept name.
    pub(crate) fn command(&self, name: &[u8]) -> Option<u64> {
        let texts = self.texts.as_ref()?;
        let text = |key: &u64| texts.get(&(space::ENUMS, *key, space::COMMAND_GROUP)).map(Vec::as_slice);
        let commands = self.keys.get(&(space::ENUMS, space::COMMAND_GROUP))?;
        commands.iter().copied().find(|key| text(key) == Some(name))
    }

    /// Enters the name of a dictionary record.
    pub(crate) fn enter_record(&mut self, naming: NamingRecord<'_>, version: u16, out: &mut Output<'_>) {
        let without_brackets: Vec<u8>;
        let mut naming = naming;
        if naming.name.is_empty() {
            naming.name = b"''";
        } else if naming.space == space::OBJECTS && version < 690 {
            without_brackets = naming.name.iter().map(|&byte| self::without_brackets(byte)).collect();
            naming.name = &without_brackets;
        }
        self.enter(&naming, out);
    }

    pub(crate) fn enter(&mut self, naming: &NamingRecord<'_>, out: &mut Output<'_>) {
        let (NamingRecord { space, key, scope, name }, limits) = (*naming, self.limits);
        let name = name.get(..limits.name).unwrap_or(name);
        let most = match space {
            space::OBJECTS => limits.objects,
            space::FUNCTIONS => limits.functions,
            space::SIGNALS => {
                if let Some(scope) = self.signals.put(out, key, scope, limits.signals) {
                    self.set(out, (space, key, scope), name);
                }
                return;
            }
            space::ENUMS => limits.enums,
            _ => limits.users,
        };
        // Ids of application records have eight bits.
        let key = if space == host_space::KINDS { key & 0xFF } else { key };
        let keys = self.keys.entry((space, scope)).or_default();
        if keys.contains(&key) || keys.len() < most && keys.insert(key) {
            self.set(out, (space, key, scope), name);
        }
    }

    fn set(&mut self, out: &mut Output<'_>, (space, key, scope): (u16, u64, u64), name: &[u8]) {
        out.name(space, key, scope, name);
        if let Some(texts) = &mut self.texts {
            texts.insert((space, key, scope), name.to_vec());
        }
    }

    pub(crate) fn may_pin(&self) -> bool {
        self.signals.several != 0
    }

    /// Whether a lookup of this signal may need a pin.
    #[inline]
    pub(crate) fn may_pin_signal(&self, sig: u64) -> bool {
        self.signals.several >> (sig & 63) & 1 == 1
    }

    /// Scope of the entry that the host finds for a signal, unless it is the obvious one: the same scope, else scope 0,
    /// else the only one.
    #[inline]
    pub(crate) fn pin(&self, sig: u64, obj: u64) -> Option<u64> {
        self.signals.pin(sig, obj)
    }

    /// Clears the dictionaries affected by a reset: all except enumerations.
    pub(crate) fn clear(&mut self, out: &mut Output<'_>) {
        for space in [space::OBJECTS, space::FUNCTIONS, host_space::KINDS, space::SIGNALS] {
            self.clear_one(out, space);
        }
        let naming = NamingRecord { space: host_space::KINDS, key: ON_POST.into(), scope: 0, name: ON_POST_NAME };
        self.enter(&naming, out);
    }

    pub(crate) fn clear_one(&mut self, out: &mut Output<'_>, space: u16) {
        match space {
            space::SIGNALS => self.signals = Signals::default(),
            _ => drop(self.keys.remove(&(space, 0))),
        }
        out.clear(space);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    sig: u64,
    obj: u64,
    /// Scope of its name in spytui's dictionary: `obj`, or a synthetic one if the host has two entries with the same
    /// signal and object.
    scope: u64,
}

/// Bit of synthetic scopes.
const MADE_UP: u64 = 1 << 63;

#[derive(Clone, Debug, Default)]
struct Signals {
    entries: Vec<Entry>,
    made_up: u64,
    /// Bit n: several entries have a signal whose low six bits are n.
    several: u64,
}

impl Signals {
    /// The host's search: bisects to any entry of the signal, then searches down, then up for a matching object. Its
    /// upper bound is too high by one; the entry there counts as signal 0.
    fn find(&self, sig: u64, obj: u64) -> Option<usize> {
        let of = |i: usize| self.entries.get(i);
        let (mut low, mut high) = (0i64, self.entries.len() as i64);
        while low <= high {
            let mid = (low + high) / 2;
            let here = of(mid as usize).map_or(0, |e| e.sig);
            match here.cmp(&sig) {
                std::cmp::Ordering::Less => low = mid + 1,
                std::cmp::Ordering::Greater => high = mid - 1,
                std::cmp::Ordering::Equal => return self.near(mid as usize, sig, obj),
            }
        }
        None
    }

    fn near(&self, mid: usize, sig: u64, obj: u64) -> Option<usize> {
        if obj == 0 || mid >= self.entries.len() {
            return Some(mid);
        }
        let same = |i: &usize| self.entries.get(*i).is_some_and(|e| e.sig == sig);
        let fits = |i: &usize| self.entries.get(*i).is_some_and(|e| e.obj == 0 || e.obj == obj);
        let down = (0..=mid).rev().take_while(same).find(fits);
        down.or_else(|| (mid + 1..self.entries.len()).take_while(same).find(fits))
    }

    /// Makes room for the name of a signal; returns its scope in spytui's dictionary, `None` if it is not kept.
    fn put(&mut self, out: &mut Output<'_>, sig: u64, obj: u64, most: usize) -> Option<u64> {
        match self.find(sig, obj) {
            Some(found) => self.replace(out, found, obj),
            None if self.entries.len() < most => {
                let place = self.entries.partition_point(|e| e.sig <= sig);
                let scope = self.free_scope(sig, obj);
                self.entries.insert(place, Entry { sig, obj, scope });
                self.examine();
                Some(scope)
            }
            None => None,
        }
    }

    fn replace(&mut self, out: &mut Output<'_>, found: usize, obj: u64) -> Option<u64> {
        // After the last entry, the host overwrites entries that it does not count.
        let Entry { sig, scope: old, obj: was } = self.entries.get(found).copied()?;
        let mut scope = old;
        if was != obj {
            out.remove(space::SIGNALS, sig, old);
            self.entries.remove(found);
            scope = self.free_scope(sig, obj);
            self.entries.insert(found, Entry { sig, obj, scope });
            self.examine();
        }
        Some(scope)
    }

    fn free_scope(&mut self, sig: u64, obj: u64) -> u64 {
        if self.of(sig).iter().all(|e| e.scope != obj) {
            return obj;
        }
        self.made_up += 1;
        MADE_UP | self.made_up
    }

    fn of(&self, sig: u64) -> &[Entry] {
        let first = self.entries.partition_point(|e| e.sig < sig);
        let end = self.entries.partition_point(|e| e.sig <= sig);
        self.entries.get(first..end).unwrap_or(&[])
    }

    fn examine(&mut self) {
        self.several = 0;
        for group in self.entries.chunk_by(|a, b| a.sig == b.sig).filter(|g| g.len() > 1) {
            self.several |= group.first().map_or(0, |e| 1 << (e.sig & 63));
        }
    }

    fn pin(&self, sig: u64, obj: u64) -> Option<u64> {
        if sig == 0 {
            return None;
        }
        let found = self.entries.get(self.find(sig, obj)?)?.scope;
        let all = self.of(sig);
        let plain = match obj {
            0 if all.len() == 1 => Some(found),
            0 => all.iter().find(|e| e.scope == 0).map(|e| e.scope),
            _ => all.iter().find(|e| e.scope == obj).or_else(|| all.iter().find(|e| e.scope == 0)).map(|e| e.scope),
        };
        (plain != Some(found)).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Batch;

    use super::*;

    fn with(entries: &[(u64, u64)]) -> HostNames {
        let (mut batch, mut names) = (Batch::default(), HostNames::new(Style::Qspy734, ReferenceForm::Text));
        let mut out = Output::new(&mut batch, false);
        entries.iter().for_each(|&(key, scope)| {
            names.enter(&NamingRecord { space: space::SIGNALS, key, scope, name: b"x" }, &mut out);
        });
        names
    }

    fn list(names: &HostNames) -> Vec<(u64, u64)> {
        names.signals.entries.iter().map(|e| (e.sig, e.obj)).collect()
    }

    #[test]
    fn a_signal_for_all_objects_overwrites_one_and_is_overwritten() {
        assert_eq!(list(&with(&[(4, 7), (4, 0)])), [(4, 0)]);
        assert_eq!(list(&with(&[(4, 0), (4, 7)])), [(4, 7)]);
        assert_eq!(list(&with(&[(4, 7), (4, 8), (3, 1)])), [(3, 1), (4, 7), (4, 8)]);
    }

    #[test]
    fn a_record_for_signal_0_that_meets_an_empty_list_is_not_stored() {
        assert_eq!(list(&with(&[(0, 0)])), []);
        assert_eq!(list(&with(&[(1, 0), (0, 0)])), [(0, 0), (1, 0)]);
    }

    #[test]
    fn two_entries_of_one_object_stay_apart() {
        let names = with(&[(4, 7), (4, 8), (4, 0), (4, 7)]);
        let entries = &names.signals.entries;
        assert_eq!(entries.iter().filter(|e| e.obj == 7).count(), 2, "{entries:?}");
        assert!(names.pin(4, 7).is_some() || names.signals.find(4, 7).is_some());
        assert_ne!(entries[0].scope, entries[1].scope);
    }

    #[test]
    fn the_obvious_entry_is_not_pinned() {
        let names = with(&[(4, 7), (4, 8), (5, 0)]);
        assert_eq!((names.pin(4, 7), names.pin(4, 8), names.pin(5, 9), names.pin(4, 9)), (None, None, None, None));
        assert!(names.pin(4, 0).is_some());
    }

    #[test]
    fn names_beyond_the_limit_are_ignored() {
        let (mut batch, mut names) = (Batch::default(), HostNames::new(Style::Qspy734, ReferenceForm::Text));
        let mut out = Output::new(&mut batch, false);
        let object = |key: u64, name: &'static [u8]| NamingRecord { space: space::OBJECTS, key, scope: 0, name };
        (0..300).for_each(|key| names.enter(&object(key, &[b'n'; 100]), &mut out));
        names.enter(&object(5, b"again"), &mut out);
        assert_eq!(batch.dict.len(), 256);
        assert_eq!(batch.dict[0].text.len, 63);
    }
}
