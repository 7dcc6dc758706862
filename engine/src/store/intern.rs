//! Keys (addresses, signals) as 16-bit numbers, with a count of their uses.

use rustc_hash::FxHashMap;

const CACHE: usize = 1024;

/// The keys seen so far. A key beyond the 65 535th gets no number.
#[derive(Debug, Clone)]
pub struct Intern {
    keys: Vec<u64>,
    uses: Vec<u64>,
    numbers: FxHashMap<u64, u16>,
    /// In front of the map: most rows use one of few keys.
    cache: Box<[(u64, u16)]>,
}

impl Default for Intern {
    fn default() -> Self {
        let mut intern = Intern {
            keys: Vec::new(),
            uses: Vec::new(),
            numbers: FxHashMap::default(),
            cache: vec![(0, 0); CACHE].into_boxed_slice(),
        };
        // Key 0 is number 0, so that a zeroed cache tells the truth.
        intern.add(0);
        intern
    }
}

impl Intern {
    /// The number of a key; counts a use if `count`.
    #[inline]
    pub fn number(&mut self, key: u64, count: bool) -> Option<u16> {
        let slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize & (CACHE - 1);
        let number = match self.cache.get(slot) {
            Some(&(cached, number)) if cached == key => number,
            _ => self.look_up(key, slot)?,
        };
        if count && let Some(uses) = self.uses.get_mut(usize::from(number)) {
            *uses += 1;
        }
        Some(number)
    }

    #[cold]
    fn look_up(&mut self, key: u64, slot: usize) -> Option<u16> {
        let number = self.numbers.get(&key).copied().or_else(|| self.add(key))?;
        self.cache[slot] = (key, number);
        Some(number)
    }

    fn add(&mut self, key: u64) -> Option<u16> {
        let number = u16::try_from(self.keys.len()).ok().filter(|&n| n < u16::MAX)?;
        self.keys.push(key);
        self.uses.push(0);
        self.numbers.insert(key, number);
        Some(number)
    }

    /// The key with this number; 0 for numbers never given.
    #[inline]
    #[must_use]
    pub fn key(&self, number: u16) -> u64 {
        self.keys.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// The number of a key without counting.
    #[must_use]
    pub fn find(&self, key: u64) -> Option<u16> {
        self.numbers.get(&key).copied()
    }

    /// All keys with their uses.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.keys.iter().copied().zip(self.uses.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_and_are_counted() {
        let mut intern = Intern::default();
        let a = intern.number(0x2000_1000, true);
        assert_eq!(a, intern.number(0x2000_1000, true));
        assert_eq!(intern.number(0, true), Some(0));
        assert_eq!(intern.key(a.expect("a number")), 0x2000_1000);
        assert!(intern.iter().any(|(k, n)| k == 0x2000_1000 && n == 2));
    }

    #[test]
    fn more_keys_than_numbers_are_refused_not_confused() {
        let mut intern = Intern::default();
        for key in 1..70_000_u64 {
            if let Some(number) = intern.number(key, true) {
                assert_eq!(intern.key(number), key);
            }
        }
        assert_eq!(intern.number(69_999, true), None);
        assert_eq!(intern.number(5, true), Some(5));
    }
}
