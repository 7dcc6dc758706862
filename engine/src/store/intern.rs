//! Interns keys (addresses, signals) as 16-bit numbers, and counts their uses.

use rustc_hash::FxHashMap;

/// The keys seen so far, 65 535 at most.
#[derive(Debug, Clone)]
pub struct Intern {
    keys: Vec<u64>,
    uses: Vec<u64>,
    numbers: FxHashMap<u64, u16>,
}

impl Default for Intern {
    fn default() -> Self {
        let mut intern = Intern { keys: Vec::new(), uses: Vec::new(), numbers: FxHashMap::default() };
        // Key 0 is number 0.
        intern.add(0);
        intern
    }
}

impl Intern {
    /// Number of a key, added if new; `None` if the table is full.
    pub fn number(&mut self, key: u64) -> Option<u16> {
        self.numbers.get(&key).copied().or_else(|| self.add(key))
    }

    /// Counts a use of a key, by its number.
    #[inline]
    pub(super) fn count(&mut self, number: u16) {
        if let Some(uses) = self.uses.get_mut(usize::from(number)) {
            *uses += 1;
        }
    }

    fn add(&mut self, key: u64) -> Option<u16> {
        let number = u16::try_from(self.keys.len()).ok().filter(|&n| n < u16::MAX)?;
        self.keys.push(key);
        self.uses.push(0);
        self.numbers.insert(key, number);
        Some(number)
    }

    /// The key with this number; 0 for unknown numbers.
    #[inline]
    #[must_use]
    pub fn key(&self, number: u16) -> u64 {
        self.keys.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// Number of a known key.
    #[must_use]
    pub fn find(&self, key: u64) -> Option<u16> {
        self.numbers.get(&key).copied()
    }

    /// Number of uses of a key.
    #[must_use]
    pub fn uses(&self, key: u64) -> u64 {
        self.find(key).and_then(|number| self.uses.get(usize::from(number)).copied()).unwrap_or(0)
    }

    /// All keys with their numbers of uses.
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
        let a = intern.number(0x2000_1000).expect("a number");
        assert_eq!(Some(a), intern.number(0x2000_1000));
        intern.count(a);
        intern.count(a);
        assert_eq!(intern.number(0), Some(0));
        assert_eq!(intern.key(a), 0x2000_1000);
        assert!(intern.iter().any(|(k, n)| k == 0x2000_1000 && n == 2));
    }

    #[test]
    fn more_keys_than_numbers_are_refused_not_confused() {
        let mut intern = Intern::default();
        for key in 1..70_000_u64 {
            if let Some(number) = intern.number(key) {
                assert_eq!(intern.key(number), key);
            }
        }
        assert_eq!(intern.number(69_999), None);
        assert_eq!(intern.number(5), Some(5));
    }
}
