//! What the lines of a text have in common.

use super::{
    super::{
        addresses::{Address, BASES, follows},
        digits::Order,
        line_reader::words_text,
        lines::Line,
        prefix::shape,
    },
    scan::{Mark, Scan, scan},
    tokens::Style,
};

/// How many lines more than any other a layout has before it is taken.
const LEAD: usize = 3;
/// Digits of words.
const WORDS: [usize; 3] = [4, 8, 16];
/// Digits of an octal word of two bytes.
const OCTAL_WORD: usize = 6;

/// What the lines of a text have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Layout {
    /// What stands before address and data, without numbers.
    pub(super) prefix: String,
    /// There are addresses, with this mark.
    pub(super) mark: Option<Mark>,
    pub(super) zero_x: bool,
    /// Bases in which the addresses follow each other.
    pub(super) bases: Vec<u32>,
    /// Digits are octal words of two bytes.
    pub(super) is_octal: bool,
    pub(super) order: Order,
    /// What to say of its words.
    pub(super) words: Option<String>,
}

/// What lines of one layout have in common, before words are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kind {
    prefix: String,
    mark: Option<Mark>,
    zero_x: bool,
}

impl Kind {
    fn of(scan: &Scan<'_>) -> Kind {
        let mark = scan.at.as_ref().map(|at| at.mark);
        Kind { prefix: shape(scan.prefix), mark, zero_x: scan.style == Style::ZeroX }
    }
}

impl Layout {
    /// The layout of most of some lines. Unless they are `all`, it must be beyond doubt.
    pub(in super::super) fn of(lines: &[Line], all: bool, order: Option<Order>) -> Option<Layout> {
        let scans: Vec<Scan<'_>> = lines.iter().filter_map(|line| scan_line(line, true)).collect();
        let (kind, of_kind) = most(&scans, all)?;
        if kind.mark == Some(Mark::Blank) && !are_addresses(&of_kind) {
            let plain: Vec<Scan<'_>> = lines.iter().filter_map(|line| scan_line(line, false)).collect();
            let (kind, of_kind) = most(&plain, all)?;
            return Layout::of_kind(kind, &of_kind, all, order);
        }
        Layout::of_kind(kind, &of_kind, all, order)
    }

    fn of_kind(kind: Kind, scans: &[&Scan<'_>], all: bool, asked: Option<Order>) -> Option<Layout> {
        let width = width(scans);
        let is_octal = width == Some(OCTAL_WORD) && scans.len() > 1 && scans.iter().all(is_octal);
        let shown = scans.iter().find_map(|scan| scan.shown.and_then(|shown| shown.order()));
        let has_characters = scans.iter().any(|scan| scan.shown.is_some());
        let is_word = is_octal || width.is_some_and(|width| WORDS.contains(&width));
        if is_word && has_characters && shown.is_none() && asked.is_none() && !all {
            // The characters of later lines may say in which order the digits are.
            return None;
        }
        let usual = if is_word { usual_order(&kind, scans) } else { Order::Written };
        let order = asked.or(shown).unwrap_or(usual);
        let is_group = scans.iter().any(|scan| scan.words.len() > 1) || kind.zero_x || kind.mark.is_some();
        let is_xxd = kind.mark == Some(Mark::Colon) && !kind.zero_x && order == Order::Written;
        let in_doubt = is_word && is_group && asked.is_none() && !(is_xxd || shown == Some(Order::Written));
        let size = width.map(|width| if is_octal { 2 } else { width / 2 });
        let words = size.filter(|_| in_doubt).map(|size| words_text(size, order));
        let Kind { prefix, mark, zero_x } = kind;
        Some(Layout { prefix, mark, zero_x, bases: bases(scans), is_octal, order, words })
    }

    /// Whether a line has this layout.
    pub(super) fn is_of(&self, scan: &Scan<'_>) -> bool {
        let kind = Kind::of(scan);
        kind.zero_x == self.zero_x && kind.mark == self.mark && kind.prefix == self.prefix
    }
}

pub(super) fn scan_line(line: &Line, with_address: bool) -> Option<Scan<'_>> {
    scan(&line.text, with_address, line.goes_on)
}

/// The most frequent kind among some lines, and the lines of it. Unless they are `all`, it leads by far.
fn most<'s, 'a>(scans: &'s [Scan<'a>], all: bool) -> Option<(Kind, Vec<&'s Scan<'a>>)> {
    let mut counts: Vec<(Kind, usize, usize)> = Vec::new();
    for scan in scans {
        let kind = Kind::of(scan);
        let digits: usize = scan.words.iter().map(String::len).sum();
        match counts.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, lines, all_digits)) => {
                *lines += 1;
                *all_digits += digits;
            }
            None => counts.push((kind, 1, digits)),
        }
    }
    counts.sort_by_key(|(_, lines, digits)| std::cmp::Reverse((*lines, *digits)));
    let second = counts.get(1).map_or(0, |(_, lines, _)| *lines);
    let (kind, lines, _) = counts.into_iter().next()?;
    let leads = all || lines >= second + LEAD;
    leads.then(|| (kind.clone(), scans.iter().filter(|scan| Kind::of(scan) == kind).collect()))
}

/// Digits of each word; the last one of a line may have fewer.
fn width(scans: &[&Scan<'_>]) -> Option<usize> {
    let width = scans.iter().flat_map(|scan| &scan.words).map(String::len).max()?;
    let is_even = |words: &[String]| match words.split_last() {
        Some((last, others)) => last.len() <= width && others.iter().all(|word| word.len() == width),
        None => true,
    };
    scans.iter().all(|scan| is_even(&scan.words)).then_some(width)
}

fn is_octal(scan: &&Scan<'_>) -> bool {
    let is_word =
        |word: &String| word.starts_with(['0', '1']) && word.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    scan.style == Style::Bare && scan.words.iter().all(is_word)
}

/// The order of the bytes of words where no characters show it.
fn usual_order(kind: &Kind, scans: &[&Scan<'_>]) -> Order {
    let of_memory = scans.iter().any(|scan| scan.at.as_ref().is_some_and(|at| at.zero_x));
    let is_of_od = || scans.iter().all(|scan| scan.indent == 1 && scan.words.len() > 1);
    match kind.mark {
        _ if kind.zero_x => Order::Little,
        Some(Mark::Equals | Mark::Blank) => Order::Little,
        Some(Mark::Colon) if of_memory => Order::Little,
        None if kind.prefix.is_empty() && is_of_od() => Order::Little,
        _ => Order::Written,
    }
}

/// Address and number of bytes of each line.
fn steps<'s>(scans: &'s [&Scan<'_>]) -> impl Iterator<Item = (Address, u64)> + 's {
    let bytes = |scan: &Scan<'_>| scan.words.iter().map(|word| word.len() as u64 / 2).sum();
    scans.iter().filter_map(move |scan| Some((Address::new(scan.at.as_ref()?.digits)?, bytes(scan))))
}

/// How many addresses follow the line before them in a base.
fn following(scans: &[&Scan<'_>], base: u32) -> usize {
    let pairs = steps(scans).zip(steps(scans).skip(1));
    pairs.filter(|((before, len), (at, _))| follows(before, *len, at, base)).count()
}

/// The bases in which most addresses follow each other.
fn bases(scans: &[&Scan<'_>]) -> Vec<u32> {
    if scans.iter().any(|scan| scan.at.as_ref().is_some_and(|at| at.zero_x)) {
        return vec![16];
    }
    let most = BASES.iter().map(|base| following(scans, *base)).max();
    BASES.into_iter().filter(|base| Some(following(scans, *base)) == most).collect()
}

/// Whether the first words of lines, without a mark, are addresses rather than data.
fn are_addresses(scans: &[&Scan<'_>]) -> bool {
    let digits = |scan: &&Scan<'_>| scan.at.as_ref().map(|at| at.digits.to_owned()).unwrap_or_default();
    let is_address = |digits: &String| digits.len() % 2 == 1 || digits.starts_with("0000");
    let rises = scans.iter().map(digits).is_sorted();
    let is_marked = scans.iter().any(|scan| scan.at.as_ref().is_some_and(|at| at.zero_x));
    is_marked
        || BASES.iter().any(|base| following(scans, *base) > 0)
        || scans.iter().map(digits).all(|digits| is_address(&digits))
        || (scans.len() > 1 && rises)
}
