//! Addresses beside data: what is missing, and what a repeat stands for.

use super::lines::{TextSink, is_hex};

/// Bytes that repeats may stand for in a text: it is small, what it stands for need not be.
const MOST_REPEATED: u64 = 64 << 20;
/// Bytes handed on at once.
const PIECE: usize = 64 << 10;

/// An address, as digits whose base is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    digits: String,
}

/// Bases of addresses, the most usual one first.
pub(super) const BASES: [u32; 3] = [16, 8, 10];

impl Address {
    pub(super) fn new(digits: &str) -> Option<Address> {
        is_hex(digits).then(|| Address { digits: digits.to_owned() })
    }

    pub(super) fn known(value: u64) -> Address {
        Address { digits: format!("{value:x}") }
    }

    fn value(&self, base: u32) -> Option<u64> {
        u64::from_str_radix(&self.digits, base).ok()
    }
}

/// Follows the addresses of a text.
#[derive(Debug)]
pub(super) struct Addresses {
    /// Bases in which all addresses so far follow each other.
    bases: Vec<u32>,
    /// The line before: its address, how many bytes it has, and these bytes.
    before: Option<(Address, u64, Vec<u8>)>,
    /// A `*` stands between that line and the next one.
    repeats: bool,
    /// Bytes that repeats stood for.
    repeated: u64,
}

impl Addresses {
    /// Addresses of one of some bases.
    pub(super) fn new(bases: Vec<u32>) -> Addresses {
        Addresses { bases, before: None, repeats: false, repeated: 0 }
    }

    /// A `*`: the line before comes again, up to the next address.
    ///
    /// # Errors
    /// There is no line before it.
    pub(super) fn repeat(&mut self) -> Result<(), String> {
        self.repeats = true;
        if self.before.is_some() { Ok(()) } else { Err("* with no line before it".to_owned()) }
    }

    /// A line with an address: hands on the line before, as far as it goes, and what is repeated. At the end of a dump
    /// there are no bytes.
    ///
    /// # Errors
    /// The address does not follow, and can't be that of a gap.
    pub(super) fn line(
        &mut self,
        at: Address,
        bytes: Vec<u8>,
        line: u64,
        out: &mut dyn TextSink,
    ) -> Result<(), String> {
        let count = bytes.len() as u64;
        if let Some((before, len, held)) = self.before.take() {
            let follows =
                self.bases.iter().copied().filter(|base| follows(&before, len, &at, *base)).collect::<Vec<_>>();
            let is_end = bytes.is_empty();
            if self.repeats {
                self.repeats = false;
                out.bytes(&held);
                self.fill(&before, &at, &held, out)?;
            } else if follows.is_empty() {
                self.other(&before, &at, &held, (line, is_end), out)?;
            } else {
                self.bases = follows;
                out.bytes(&held);
            }
        }
        self.before = Some((at, count, bytes));
        Ok(())
    }

    /// The base of the addresses, as far as it is known.
    fn base(&self) -> u32 {
        self.bases.first().copied().unwrap_or(16)
    }

    /// Hands on what `*` stands for.
    fn fill(&mut self, before: &Address, at: &Address, held: &[u8], out: &mut dyn TextSink) -> Result<(), String> {
        let len = held.len() as u64;
        let distance = |base: u32| at.value(base)?.checked_sub(before.value(base)?)?.checked_sub(len);
        let whole = self.bases.iter().find(|base| len > 0 && distance(**base).is_some_and(|left| left % len == 0));
        let base = whole.copied().unwrap_or(self.base());
        let Some(left) = distance(base).filter(|_| len > 0) else {
            return Err("* stands for a line, but the address behind it does not".to_owned());
        };
        self.repeated = self.repeated.saturating_add(left);
        repeat(held, left, self.repeated, out)
    }

    /// An address that does not follow: fewer bytes than the line before has, as at the end of words, or a gap.
    fn other(
        &mut self,
        before: &Address,
        at: &Address,
        held: &[u8],
        (line, is_end): (u64, bool),
        out: &mut dyn TextSink,
    ) -> Result<(), String> {
        let (base, len) = (self.base(), held.len() as u64);
        let (Some(first), Some(next)) = (before.value(base), at.value(base)) else {
            return Err(format!("{} is no address of base {base}, as those before it are", at.digits));
        };
        let distance = next.wrapping_sub(first);
        if is_end && distance < len {
            // Words are filled up with zeros.
            out.bytes(held.get(..distance as usize).unwrap_or(held));
            return Ok(());
        }
        if distance < len {
            return Err(format!(
                "its address {} is {distance} behind the one before it, which has {len} bytes: these are other digits",
                at.digits
            ));
        }
        out.bytes(held);
        if next > first {
            out.missing(distance - len, &format!("before line {line}, address {}", at.digits));
        } else {
            out.remark(format!("line {line}: addresses go back from {} to {}", before.digits, at.digits));
        }
        Ok(())
    }

    /// The end of the text: hands on the last line.
    ///
    /// # Errors
    /// A repeat has no end.
    pub(super) fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        if let Some((_, _, held)) = self.before.take() {
            out.bytes(&held);
        }
        if self.repeats { Err(REPEATS_WHAT.to_owned()) } else { Ok(()) }
    }

    /// The same of records, whose last one has a type of its own: `last` if it did not come.
    pub(super) fn finish_records(&mut self, ended: bool, last: &str, out: &mut dyn TextSink) -> Result<(), String> {
        if !ended {
            out.remark(format!("{last} is missing: there may be more"));
        }
        self.finish(out)
    }
}

/// A repeat without an end.
pub(super) const REPEATS_WHAT: &str =
    "* stands for repeated lines, and no address says how many: dump with od -v, hexdump -v, or with addresses";

/// Whether an address follows a line in a base.
pub(super) fn follows(before: &Address, len: u64, at: &Address, base: u32) -> bool {
    before.value(base).and_then(|first| first.checked_add(len)).is_some_and(|next| at.value(base) == Some(next))
}

/// Hands on `pattern` again and again, `count` bytes of it. `in_all`: with what was repeated before.
///
/// # Errors
/// That is too much.
pub(super) fn repeat(pattern: &[u8], count: u64, in_all: u64, out: &mut dyn TextSink) -> Result<(), String> {
    if in_all > MOST_REPEATED {
        return Err(format!("repeats stand for {in_all} bytes; at most {MOST_REPEATED} are filled in"));
    }
    let whole = (PIECE / pattern.len().max(1)).max(1) * pattern.len();
    let block: Vec<u8> = pattern.iter().copied().cycle().take(whole.min(count as usize)).collect();
    let mut left = count as usize;
    while left > 0 && !block.is_empty() {
        let piece = block.get(..left.min(block.len())).unwrap_or_default();
        out.bytes(piece);
        left -= piece.len();
    }
    Ok(())
}
