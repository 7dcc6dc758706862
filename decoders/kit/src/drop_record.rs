//! The record in which a target tells how many records it dropped: a user record that its names call so.

/// Its name.
const NAME: &[u8] = b"STY_DROPS";

/// Which record that is.
#[derive(Clone, Debug, Default)]
pub struct DropRecord {
    id: Option<u8>,
    /// Before the name came: the last number of each record that could be it.
    unnamed: Vec<(u8, u32)>,
}

impl DropRecord {
    /// Takes the name of a user record; the total that it told before.
    pub fn name(&mut self, id: u8, name: &[u8]) -> Option<u32> {
        if name != NAME {
            self.id = self.id.filter(|own| *own != id);
            return None;
        }
        self.id = Some(id);
        let unnamed = std::mem::take(&mut self.unnamed);
        unnamed.iter().find(|told| told.0 == id).map(|told| told.1)
    }

    /// Whether a user record may tell a total, now or when its name comes.
    #[inline]
    #[must_use]
    pub fn may_be(&self, id: u8) -> bool {
        self.id.is_none_or(|own| own == id)
    }

    /// Takes the number of 32 bits that is all a user record has; the total, if it is one.
    pub fn number(&mut self, id: u8, number: u32) -> Option<u32> {
        if self.id.is_some() {
            return self.id.filter(|own| *own == id).map(|_| number);
        }
        match self.unnamed.iter_mut().find(|told| told.0 == id) {
            Some(told) => told.1 = number,
            None => self.unnamed.push((id, number)),
        }
        None
    }

    /// The target starts: what it told before is over.
    pub fn start(&mut self) {
        self.unnamed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_come_later() {
        let mut record = DropRecord::default();
        assert_eq!([record.number(100, 7), record.number(101, 9), record.number(100, 8)], [None; 3]);
        assert_eq!([record.name(101, b"TEMP"), record.name(100, NAME)], [None, Some(8)]);
        assert_eq!([record.number(100, 9), record.number(101, 9)], [Some(9), None]);
        assert!(record.may_be(100) && !record.may_be(101));
        assert_eq!(record.name(100, b"TEMP"), None);
        assert_eq!(record.number(100, 10), None, "it is another record now");
    }
}
