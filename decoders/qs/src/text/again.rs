//! Texts that come again: many a record of a block differs from an earlier one in its time stamp alone.

/// What follows the stamp in a record, filled up with zeros.
pub(crate) type Rest = [u64; 4];

/// What is remembered of the records of a block, found by what follows the stamp.
pub(crate) struct Again {
    /// Number of the newest record with this hash, from 1; none at all where nothing is remembered.
    slots: Vec<u16>,
    seen: Vec<Seen>,
}

struct Seen {
    rest: Rest,
    /// Where its text stands.
    place: u32,
    len: u8,
    id: u8,
}

/// Longest text that is remembered.
pub(crate) const LONGEST: usize = 96;

const SLOTS: usize = 1024;
/// In a block of fewer rows too few come again.
const WORTH_IT: usize = 32;

impl Again {
    /// For a block of so many rows; `fixed` = all of them see the same names, else nothing is remembered.
    pub(crate) fn new(rows: usize, fixed: bool) -> Again {
        match fixed && rows >= WORTH_IT {
            true => Again { slots: vec![0; SLOTS], seen: Vec::with_capacity(rows / 2) },
            false => Again { slots: Vec::new(), seen: Vec::new() },
        }
    }

    /// Place and length of the text of such a record, if one came before.
    #[inline]
    pub(crate) fn find(&self, id: u8, rest: &Rest) -> Option<(usize, usize)> {
        let number = usize::from(*self.slots.get(slot(id, rest))?);
        let seen = self.seen.get(number.checked_sub(1)?)?;
        // Word by word: they are in registers, and would have to be written out to be compared as a whole.
        let differs = seen.rest.iter().zip(rest).fold(u64::from(seen.id ^ id), |differs, (a, b)| differs | (a ^ b));
        if differs != 0 {
            return None;
        }
        Some((seen.place as usize, seen.len.into()))
    }

    /// Remembers where the text of a record stands.
    pub(crate) fn keep(&mut self, id: u8, rest: &Rest, place: usize, len: usize) {
        let (Ok(number), Ok(place)) = (u16::try_from(self.seen.len() + 1), u32::try_from(place)) else { return };
        let Some(slot) = self.slots.get_mut(slot(id, rest)).filter(|_| len <= LONGEST) else { return };
        *slot = number;
        self.seen.push(Seen { rest: *rest, place, len: len as u8, id });
    }
}

/// Two products of all words, each folded: any bit of a word tells in the low ones of the sum.
#[inline]
fn slot(id: u8, rest: &Rest) -> usize {
    const SALTS: [u64; 4] =
        [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0xD6E8_FEB8_6659_FD93];
    let [a, b, c, d] = *rest;
    let folded = |x: u64, y: u64| {
        let product = u128::from(x) * u128::from(y);
        product as u64 ^ (product >> 64) as u64
    };
    let mixed = folded(a ^ SALTS[0], b ^ SALTS[1]).wrapping_add(folded(c ^ SALTS[2], d ^ SALTS[3]));
    mixed.wrapping_add(id.into()) as usize & (SLOTS - 1)
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
            again.keep(id, &rest, n as usize * 7, 4);
            assert_eq!(again.find(id, &rest), Some((n as usize * 7, 4)));
            assert_eq!(again.find(id + 1, &rest), None);
        }
    }

    #[test]
    fn long_texts_are_not_remembered() {
        let mut again = Again::new(WORTH_IT, true);
        again.keep(1, &[0; 4], 10, LONGEST + 1);
        assert_eq!(again.find(1, &[0; 4]), None);
    }

    #[test]
    fn nothing_is_remembered_where_names_change() {
        for mut again in [Again::new(WORTH_IT, false), Again::new(WORTH_IT - 1, true)] {
            again.keep(1, &[0; 4], 10, 4);
            assert_eq!(again.find(1, &[0; 4]), None);
        }
    }
}
