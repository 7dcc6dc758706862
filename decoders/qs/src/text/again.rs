//! Texts that come again: many a record of a block differs from an earlier one in its time stamp alone.

/// What follows the stamp in a record, filled up with zeros.
pub(crate) type Rest = [u64; 4];

/// What is remembered of the records of a block, found by what follows the stamp.
pub(crate) struct Again {
    /// Number of the newest text with this hash, from 1; none at all where nothing is remembered.
    slots: Vec<u16>,
    seen: Vec<Seen>,
}

struct Seen {
    rest: Rest,
    id: u8,
    len: u8,
    text: Text,
}

/// Room of a text that is remembered; longer ones are not.
pub(crate) type Text = [u8; 94];

const SLOTS: usize = 1024;
/// In a block of fewer rows too few come again.
const WORTH_IT: usize = 32;

impl Again {
    /// For a block of so many rows; `fixed` = all of them see the same names, else nothing is remembered.
    pub(crate) fn new(rows: usize, fixed: bool) -> Again {
        let slots = if fixed && rows >= WORTH_IT { vec![0; SLOTS] } else { Vec::new() };
        Again { slots, seen: Vec::new() }
    }

    /// The text of such a record, if one came before: its room, and how many bytes of that it is.
    #[inline]
    pub(crate) fn find(&self, id: u8, rest: &Rest) -> Option<(&Text, usize)> {
        let number = usize::from(*self.slots.get(slot(id, rest))?);
        let seen = self.seen.get(number.checked_sub(1)?)?;
        // Word by word: they are in registers, and would have to be written out to be compared as a whole.
        let differs = seen.rest.iter().zip(rest).fold(u64::from(seen.id ^ id), |differs, (a, b)| differs | (a ^ b));
        if differs != 0 {
            return None;
        }
        Some((&seen.text, seen.len.into()))
    }

    /// Remembers the text of a record: the first `len` bytes, at most as many as there are.
    pub(crate) fn keep(&mut self, id: u8, rest: &Rest, text: &Text, len: usize) {
        let Ok(number) = u16::try_from(self.seen.len() + 1) else { return };
        let Some(place) = self.slots.get_mut(slot(id, rest)) else { return };
        *place = number;
        self.seen.push(Seen { rest: *rest, id, len: len as u8, text: *text });
    }
}

/// The products don't wait for each other: the look-up does for their sum.
#[inline]
fn slot(id: u8, rest: &Rest) -> usize {
    const FACTORS: [u64; 4] =
        [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0xD6E8_FEB8_6659_FD93];
    let products = rest.iter().zip(FACTORS).map(|(word, factor)| (word ^ word >> 32).wrapping_mul(factor));
    let mixed = products.fold(u64::from(id) << 56, u64::wrapping_add);
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
            let mut text = [0; size_of::<Text>()];
            text[..4].copy_from_slice(format!("{n:04}").as_bytes());
            again.keep(id, &rest, &text, 4);
            let found = again.find(id, &rest).map(|(block, len)| &block[..len]);
            assert_eq!(found, Some(format!("{n:04}").as_bytes()));
            assert_eq!(again.find(id + 1, &rest), None);
        }
    }

    #[test]
    fn nothing_is_remembered_where_names_change() {
        for mut again in [Again::new(WORTH_IT, false), Again::new(WORTH_IT - 1, true)] {
            again.keep(1, &[0; 4], &[b'x'; size_of::<Text>()], 4);
            assert_eq!(again.find(1, &[0; 4]), None);
        }
    }
}
