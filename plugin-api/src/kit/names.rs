//! A simple dictionary: the names valid at one row.

use std::collections::HashMap;

use crate::{
    batch::{AttrId, DictEvent, DictOp},
    info::{Info, Matching},
    render::Lookup,
};

/// Number and text of an attribute.
type Value = (u64, Vec<u8>);

/// The names valid at one row.
#[derive(Debug, Clone, Default)]
pub struct Names {
    names: HashMap<(u16, u64, u64), Vec<u8>>,
    attrs: HashMap<(u16, u64, u64, AttrId), Value>,
    matching: HashMap<u16, Matching>,
}

impl Names {
    /// An empty dictionary with the lookup rules of `info`.
    pub fn new(info: &Info) -> Names {
        Names { matching: info.spaces.iter().map(|s| (s.id, s.matching)).collect(), ..Names::default() }
    }

    /// Applies an event whose text is `text`.
    pub fn apply(&mut self, event: &DictEvent, text: &[u8]) {
        let id = (event.space, event.key, event.scope);
        match event.op {
            DictOp::SET if event.attr == AttrId::NAME => {
                self.names.insert(id, text.to_vec());
            }
            DictOp::SET => {
                self.attrs.insert((id.0, id.1, id.2, event.attr), (event.val, text.to_vec()));
            }
            DictOp::REMOVE => {
                self.names.remove(&id);
            }
            DictOp::CLEAR => self.names.retain(|k, _| k.0 != event.space),
            DictOp::CLEAR_ALL => self.names.clear(),
            _ => {}
        }
    }

    /// Number of names in a space.
    pub fn len(&self, space: u16) -> usize {
        self.names.keys().filter(|k| k.0 == space).count()
    }

    /// Whether a space has no name.
    pub fn is_empty(&self, space: u16) -> bool {
        self.len(space) == 0
    }

    fn any(&self, space: u16, key: u64) -> Option<&[u8]> {
        self.names
            .iter()
            .filter(|(k, _)| k.0 == space && k.1 == key)
            .min_by_key(|(k, _)| k.2)
            .map(|(_, v)| v.as_slice())
    }
}

impl Lookup for Names {
    fn get(&self, _: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        if let Some(name) = self.names.get(&(space, key, scope)) {
            return Some(name);
        }
        match self.matching.get(&space).copied().unwrap_or(Matching::EXACT) {
            Matching::EXACT => None,
            m if scope != 0 || m == Matching::OR_GLOBAL => self.names.get(&(space, key, 0)).map(Vec::as_slice),
            _ => self.any(space, key),
        }
    }

    fn attr(&self, _: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        let (val, text) = self.attrs.get(&(space, key, scope, attr))?;
        Some((*val, text))
    }
}
