//! Names of a dictionary to keys.

use crate::store::dictionary::{Dictionary, Named, newest};

/// A key with the name that was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) key: u64,
    pub(super) scope: u64,
}

/// All keys with this full or short name, in order; only those of the newest epoch that has any, because after a reset
/// the target may run another build.
pub(super) fn keys(dictionary: &Dictionary, space: u16, name: &str) -> Vec<Key> {
    let goes_by = |named: &Named| {
        named.text.as_deref() == Some(name.as_bytes()) || dictionary.short(space, named) == name.as_bytes()
    };
    let named =
        |(key, scope, names)| newest(names).filter(|named| goes_by(named)).map(|n| (n.epoch, Key { key, scope }));
    let found: Vec<(u32, Key)> = dictionary.of_space(space).filter_map(named).collect();
    let epoch = found.iter().map(|(epoch, _)| *epoch).max();
    let mut keys: Vec<Key> = found.iter().filter(|(of, _)| Some(*of) == epoch).map(|(_, key)| *key).collect();
    keys.sort_unstable();
    keys
}

/// Longer names are not offered.
const LONGEST: usize = 255;

/// All names of a space that can be typed, for completion and messages.
pub(super) fn names(dictionary: &Dictionary, space: u16) -> Vec<String> {
    let mut names: Vec<String> = dictionary
        .of_space(space)
        .filter_map(|(_, _, names)| newest(names))
        .map(|named| dictionary.short(space, named))
        .filter_map(|name| str::from_utf8(name).ok().filter(|name| can_be_typed(name)))
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a command line can hold a name, in quotes if need be.
fn can_be_typed(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && !name.contains('"') && !name.chars().any(char::is_control)
}
