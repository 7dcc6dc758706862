//! Texts that come again: many a record of a block differs from an earlier one in its time stamp alone.

/// What follows the stamp in a record, filled up with zeros.
pub(crate) type Rest = [u64; 4];

/// What is remembered of the records of a block, found by what follows the stamp.
pub(crate) struct Again {
    /// Number of the newest text with this hash, from 1; none at all where nothing is remembered.
    slots: Vec<u16>,
    seen: Vec<Seen>,
    text: Vec<u8>,
}

struct Seen {
    id: u8,
    rest: Rest,
    start: usize,
    len: usize,
}

const SLOTS: usize = 1024;
/// In a block of fewer rows too few come again.
const WORTH_IT: usize = 32;

impl Again {
    /// For a block of so many rows; `fixed` = all of them see the same names, else nothing is remembered.
    pub(crate) fn new(rows: usize, fixed: bool) -> Again {
        let slots = if fixed && rows >= WORTH_IT { vec![0; SLOTS] } else { Vec::new() };
        Again { slots, seen: Vec::new(), text: Vec::new() }
    }

    /// The text of such a record, if one came before.
    #[inline]
    pub(crate) fn find(&self, id: u8, rest: &Rest) -> Option<&[u8]> {
        let number = usize::from(*self.slots.get(slot(id, rest))?);
        let seen = self.seen.get(number.checked_sub(1)?).filter(|seen| seen.id == id && seen.rest == *rest)?;
        self.text.get(seen.start..seen.start + seen.len)
    }

    /// Remembers the text of a record.
    pub(crate) fn keep(&mut self, id: u8, rest: &Rest, text: &[u8]) {
        let Ok(number) = u16::try_from(self.seen.len() + 1) else { return };
        let Some(place) = self.slots.get_mut(slot(id, rest)) else { return };
        *place = number;
        self.seen.push(Seen { id, rest: *rest, start: self.text.len(), len: text.len() });
        self.text.extend_from_slice(text);
    }
}

#[inline]
fn slot(id: u8, rest: &Rest) -> usize {
    let mixed =
        rest.iter().fold(id.into(), |hash: u64, word| (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    (mixed >> 54) as usize & (SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_record_gets_a_text() {
        let mut again = Again::new(WORTH_IT, true);
        for n in 0..5000 {
            let (id, rest) = ((n % 3) as u8, [n, 0, n * n, 1]);
            assert_eq!(again.find(id, &rest), None);
            again.keep(id, &rest, n.to_string().as_bytes());
            assert_eq!(again.find(id, &rest), Some(n.to_string().as_bytes()));
            assert_eq!(again.find(id + 1, &rest), None);
        }
    }

    #[test]
    fn nothing_is_remembered_where_names_change() {
        for mut again in [Again::new(WORTH_IT, false), Again::new(WORTH_IT - 1, true)] {
            again.keep(1, &[0; 4], b"text");
            assert_eq!(again.find(1, &[0; 4]), None);
        }
    }
}
