//! Interns keys (addresses, signals) as 16-bit numbers.

use rustc_hash::FxHashMap;

/// The keys seen so far, 65 535 at most.
#[derive(Debug, Clone)]
pub struct Intern {
    keys: Vec<u64>,
    numbers: FxHashMap<u64, u16>,
}

impl Default for Intern {
    fn default() -> Self {
        let mut intern = Intern { keys: Vec::new(), numbers: FxHashMap::default() };
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

    fn add(&mut self, key: u64) -> Option<u16> {
        let number = u16::try_from(self.keys.len()).ok().filter(|&n| n < u16::MAX)?;
        self.keys.push(key);
        self.numbers.insert(key, number);
        Some(number)
    }

    /// The key with this number; 0 for unknown numbers.
    #[inline]
    #[must_use]
    pub fn key(&self, number: u16) -> u64 {
        self.keys.get(usize::from(number)).copied().unwrap_or(0)
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
        assert_eq!(intern.number(0), Some(0));
        assert_eq!(intern.key(a), 0x2000_1000);
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
