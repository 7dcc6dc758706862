//! Name lookups for rendering a block of rows.

use spytui_plugin_api::{batch::AttrId, render::Lookup};

use std::{cell::Cell, ops::RangeInclusive};

use super::dictionary::{Dictionary, Named};

/// Maximum cache size. Targets have hundreds of objects, functions and signals.
const MOST_CACHED: usize = 1024;
/// Minimum cache size: keys without a name are cached as well.
const FEWEST_CACHED: usize = 128;

/// Minimum number of rows for which caching names pays off.
const WORTH_CACHING: usize = 16;

#[derive(Debug)]
struct CacheSlot<'a> {
    key: Cell<u64>,
    scope: Cell<u64>,
    /// `NOTHING` = empty slot.
    space: Cell<u32>,
    name: Cell<Option<&'a [u8]>>,
}

/// Not a space, as spaces have 16 bits.
const NOTHING: u32 = u32::MAX;

impl CacheSlot<'_> {
    fn empty() -> Self {
        CacheSlot { key: Cell::new(0), scope: Cell::new(0), space: Cell::new(NOTHING), name: Cell::new(None) }
    }
}

/// Which names rendering uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// As of each row, as known to a reference tool at that point.
    AsOf,
    /// As shown on the screen, including names received later.
    Effective,
}

/// Cached lookups for a block of rows that all see the same names.
#[derive(Debug)]
pub struct CachedNames<'n, 'a> {
    names: &'n Names<'a>,
    /// Indexed by a hash of the request; its length is a power of two, or 0 for few rows.
    slots: Vec<CacheSlot<'a>>,
}

impl<'n, 'a> CachedNames<'n, 'a> {
    pub fn new(names: &'n Names<'a>, rows: usize) -> CachedNames<'n, 'a> {
        // Clearing more slots than there are names costs more than it saves, and so does a cache for few rows.
        let worth_it = rows.min(2 * names.dictionary.keys()).clamp(FEWEST_CACHED, MOST_CACHED);
        let slots = if rows < WORTH_CACHING { 0 } else { worth_it.next_power_of_two() };
        CachedNames { names, slots: (0..slots).map(|_| CacheSlot::empty()).collect() }
    }
}

/// Names as seen by a row, cached or not.
pub trait RowNames: Lookup + std::fmt::Debug {
    fn plain(&self) -> &Names<'_>;
}

impl RowNames for Names<'_> {
    fn plain(&self) -> &Names<'_> {
        self
    }
}

impl RowNames for CachedNames<'_, '_> {
    fn plain(&self) -> &Names<'_> {
        self.names
    }
}

impl<'a> CachedNames<'_, 'a> {
    #[inline(never)]
    fn find(&self, slot: &CacheSlot<'a>, row: u32, space: u16, key: u64, scope: u64) -> Option<&'a [u8]> {
        let name = self.names.find(row, space, key, scope);
        slot.key.set(key);
        slot.scope.set(scope);
        slot.space.set(space.into());
        slot.name.set(name);
        name
    }
}

impl Lookup for CachedNames<'_, '_> {
    #[inline]
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        let mixed = (key ^ scope.rotate_left(29) ^ u64::from(space) << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> 48) as usize & self.slots.len().wrapping_sub(1);
        let Some(slot) = self.slots.get(place) else { return self.names.find(row, space, key, scope) };
        if slot.key.get() == key && slot.scope.get() == scope && slot.space.get() == u32::from(space) {
            return slot.name.get();
        }
        self.find(slot, row, space, key, scope)
    }

    fn attr(&self, row: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        self.names.attr(row, space, key, scope, attr)
    }
}

/// Lookups for a block of rows.
#[derive(Debug)]
pub struct Names<'a> {
    pub dictionary: &'a Dictionary,
    /// Dictionaries of the target's other sources.
    pub others: &'a [&'a Dictionary],
    /// Number of the row whose names all rows of the block see.
    pub row: u64,
    /// Row numbers of the block, if each row sees its own names.
    pub rows: &'a [u64],
    pub view: View,
    /// Use short names where unique.
    pub short: bool,
}

impl<'a> Names<'a> {
    fn all(&self) -> impl Iterator<Item = &'a Dictionary> {
        [self.dictionary].into_iter().chain(self.others.iter().copied())
    }

    fn named(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<(&'a Dictionary, &'a Named)> {
        let row = self.rows.get(row as usize).copied().unwrap_or(self.row);
        match self.view {
            View::AsOf => self.dictionary.as_of(row, space, key, scope).map(|named| (self.dictionary, named)),
            View::Effective => self.dictionary.effective_among(self.others, row, (space, key, scope)),
        }
    }
}

impl<'a> Names<'a> {
    /// The rows of this epoch around this one that see the same name of a key. Names from other sources don't depend on
    /// rows.
    pub fn rows_alike(&self, epoch: u32, space: u16, key: u64, scope: u64) -> RangeInclusive<u64> {
        self.dictionary.rows_alike(self.row, epoch, space, key, scope)
    }

    #[inline]
    fn find(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&'a [u8]> {
        let (dictionary, named) = self.named(row, space, key, scope)?;
        if self.short { Some(dictionary.short(space, named)) } else { named.text.as_deref() }
    }
}

impl Lookup for Names<'_> {
    #[inline]
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        self.find(row, space, key, scope)
    }

    fn attr(&self, _: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        let attr = self.all().find_map(|d| d.attr(space, key, scope, attr))?;
        Some((attr.val, &attr.text))
    }
}
