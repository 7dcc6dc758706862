//! Interns keys (addresses, signals, shapes) as 16-bit numbers.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The keys seen so far, 65 535 at most.
#[derive(Debug, Clone, Default)]
pub struct Intern<K> {
    keys: Vec<K>,
    numbers: FxHashMap<K, u16>,
}

impl<K: Copy + Default + Eq + Hash> Intern<K> {
    /// Number of a key, added if new; `None` if the table is full.
    pub fn number(&mut self, key: K) -> Option<u16> {
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        let number = u16::try_from(self.keys.len()).ok().filter(|&n| n < u16::MAX)?;
        self.keys.push(key);
        self.numbers.insert(key, number);
        Some(number)
    }

    /// The key with this number; the default one for unknown numbers.
    #[inline]
    pub fn key(&self, number: u16) -> K {
        self.keys.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// All keys, by number.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Memory use in bytes.
    pub(super) fn memory(&self) -> usize {
        self.keys.capacity() * size_of::<K>() + self.numbers.capacity() * size_of::<(K, u16)>()
    }

    /// Frees what only new keys need.
    pub(super) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.numbers = FxHashMap::default();
    }

    /// Takes over the memory for finding keys from one that gets no more of them.
    pub(super) fn reuse_memory_of(&mut self, closed: &mut Intern<K>) {
        self.numbers = std::mem::take(&mut closed.numbers);
        self.numbers.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back() {
        let mut intern = Intern::default();
        let a = intern.number(0x2000_1000).expect("a number");
        assert_eq!(Some(a), intern.number(0x2000_1000));
        assert_eq!(intern.key(a), 0x2000_1000);
    }

    #[test]
    fn more_keys_than_numbers_are_refused_not_confused() {
        let mut intern = Intern::default();
        for key in 0..70_000_u64 {
            if let Some(number) = intern.number(key) {
                assert_eq!(intern.key(number), key);
            }
        }
        assert_eq!(intern.number(69_999), None);
        assert_eq!(intern.number(5), Some(5));
    }
}
