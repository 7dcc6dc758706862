//! Entities: maps each (space, key, scope) to a small number, so that per-entity state lives in plain vectors.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;
use spytui_plugin_api::{
    Activity, NONE, Verb as V,
    info::{Info, space},
};

/// Dictionary key of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub space: u16,
    pub key: u64,
    /// 0 if the space has none.
    pub scope: u64,
}

impl Hash for Key {
    /// Hashes in one step, as every record causes several lookups.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key ^ u64::from(self.space) << 48 ^ self.scope.rotate_left(24));
    }
}

/// Index of an entity, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// The entities that an activity names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operands {
    pub sub: Option<Id>,
    pub obj: Option<Id>,
}

#[derive(Debug, Clone, Default)]
pub struct Entities {
    numbers: FxHashMap<Key, Id>,
    keys: Vec<Key>,
    /// Scope space, indexed by space.
    scopes: Vec<u16>,
    most: usize,
    /// Number of operands dropped because there were too many entities.
    pub refused: u64,
}

impl Entities {
    pub fn new(info: &Info, most: usize) -> Entities {
        let mut entities = Entities { most, ..Entities::default() };
        for spec in &info.spaces {
            let at = usize::from(spec.id);
            if at >= entities.scopes.len() {
                entities.scopes.resize(at + 1, NONE);
            }
            entities.scopes[at] = spec.scope_space;
        }
        entities
    }

    /// Forgets all entities if more than half of the maximum are in use; returns whether it did.
    pub(super) fn give_again(&mut self) -> bool {
        let is_due = self.keys.len() > self.most / 2;
        if is_due {
            self.numbers.clear();
            self.keys.clear();
        }
        is_due
    }

    /// The id of a key, added if new; `None` if there are too many entities.
    #[inline]
    pub fn id(&mut self, key: Key) -> Option<Id> {
        if let Some(&id) = self.numbers.get(&key) {
            return Some(id);
        }
        self.add(key)
    }

    /// The id of a key, if already known.
    pub fn known(&self, key: Key) -> Option<Id> {
        self.numbers.get(&key).copied()
    }

    #[cold]
    fn add(&mut self, key: Key) -> Option<Id> {
        if self.keys.len() >= self.most {
            self.refused += 1;
            return None;
        }
        let id = Id(self.keys.len() as u32);
        self.keys.push(key);
        self.numbers.insert(key, id);
        Some(id)
    }

    pub fn key(&self, id: Id) -> Key {
        self.keys.get(id.0 as usize).copied().unwrap_or(Key { space: NONE, key: 0, scope: 0 })
    }

    #[inline(always)]
    pub fn operands(&mut self, activity: &Activity) -> Operands {
        Operands {
            sub: self.operand(activity, activity.sub_space, activity.sub),
            obj: self.operand(activity, activity.obj_space, activity.obj),
        }
    }

    #[inline(always)]
    fn operand(&mut self, activity: &Activity, space: u16, key: u64) -> Option<Id> {
        if space == NONE { None } else { self.id(self.named(activity, space, key)) }
    }

    /// The key of an operand with its scope: the other operand whose space is the scope space. `obj` is preferred to
    /// `sub`, except when `sub` defers an event to the queue `obj`.
    #[inline]
    pub fn named(&self, activity: &Activity, of: u16, key: u64) -> Key {
        let is_deferred = matches!(activity.verb, V::DEFER | V::RECALL);
        let scope = match self.scopes.get(usize::from(of)).copied().unwrap_or(NONE) {
            NONE => 0,
            space::CORES => activity.core.into(),
            s if s == activity.sub_space && is_deferred => activity.sub,
            s if s == activity.obj_space => activity.obj,
            s if s == activity.sub_space => activity.sub,
            _ => 0,
        };
        Key { space: of, key, scope }
    }

    /// The key of an activity's item, such as a signal.
    pub(crate) fn item(&self, activity: &Activity) -> Option<Key> {
        let Activity { item_space, item, .. } = *activity;
        (item_space != NONE).then(|| self.named(activity, item_space, item))
    }

    /// Whether another entity (a task, an object) scopes the keys of a space, rather than a core.
    pub fn is_owned(&self, of: u16) -> bool {
        let scope = self.scopes.get(usize::from(of)).copied().unwrap_or(NONE);
        scope != NONE && scope != space::CORES
    }
}

/// A value per entity, `T::default()` until set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots<T>(Vec<T>);

impl<T: Default> Slots<T> {
    #[inline]
    pub(crate) fn of(&mut self, id: Id) -> &mut T {
        let at = id.0 as usize;
        if at >= self.0.len() {
            self.0.resize_with(at + 1, T::default);
        }
        &mut self.0[at]
    }

    pub(crate) fn get(&self, id: Id) -> Option<&T> {
        self.0.get(id.0 as usize)
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (Id, &T)> {
        self.0.iter().enumerate().map(|(i, slot)| (Id(i as u32), slot))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Id, &mut T)> {
        self.0.iter_mut().enumerate().map(|(i, slot)| (Id(i as u32), slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::{Class, Verb, info::SpaceInfo};

    const MOST: usize = 1 << 10;

    fn info() -> Info {
        let space = |id, scope_space| SpaceInfo {
            scope_space,
            ..SpaceInfo::new(id, "x", "X", Class::OTHER, spytui_plugin_api::KeyFormat::HEX)
        };
        Info { spaces: vec![space(16, NONE), space(17, 16), space(18, space::CORES)].into(), ..Info::default() }
    }

    #[test]
    fn the_scope_is_the_operand_in_its_space() {
        let mut entities = Entities::new(&info(), MOST);
        let activity = Activity::new(Verb::BEGIN).sub(17, 5).obj(16, 9);
        let found = entities.operands(&activity);
        assert_eq!(entities.key(found.sub.unwrap()), Key { space: 17, key: 5, scope: 9 });
        assert_eq!(entities.key(found.obj.unwrap()), Key { space: 16, key: 9, scope: 0 });
        let isr = Activity { core: 3, ..Activity::new(Verb::ISR_IN).sub(18, 1) };
        let found = entities.operands(&isr);
        assert_eq!((entities.key(found.sub.unwrap()).scope, found.obj), (3, None));
        assert_eq!(entities.operands(&activity), entities.operands(&activity));
    }

    #[test]
    fn noise_does_not_fill_the_memory() {
        let mut entities = Entities::new(&info(), MOST);
        for key in 0..MOST as u64 + 10 {
            entities.id(Key { space: 16, key, scope: 0 });
        }
        assert_eq!((entities.keys.len(), entities.refused), (MOST, 10));
        assert_eq!(entities.key(Id(u32::MAX)).space, NONE);
    }
}
