//! Guesses whether a sample is an ITM stream.

use spytui_plugin_api::info::Guess;

use crate::packet::{Packet, Parsed, characters, parse};

/// Evidence per synchronisation packet: its 48 bits are mostly zeros, which are common in other data.
const SYNC_BITS: u32 = 12;
/// Evidence per text packet: the header has 8 bits, but several ports may carry text.
const CHARACTER_BITS: u32 = 6;
/// Evidence per exception packet: the bits that are always 0 in its header and two bytes.
const EXCEPTION_BITS: u32 = 8;
/// Per mille of the bytes that must be packets. The threshold is high because most bytes are valid headers, so noise
/// parses, too.
const LEAST: usize = 970;

/// Minimum number of multi-character packets to guess multi-character text.
const FEWEST_WORDS: u32 = 4;
/// Minimum ratio of these packets to others of the same length.
const TIMES: u32 = 9;

/// The guess, if there is evidence. `text` = bit mask of the ports with text.
pub fn guess(sample: &[u8], text: u32) -> Option<Guess> {
    let (mut at, mut good) = (0, 0);
    let (mut syncs, mut letters, mut exceptions) = (0_u32, 0_u32, 0_u32);
    let (mut words, mut in_words, mut numbers) = (0_u32, 0_u32, 0_u32);
    while let Some(rest) = sample.get(at..).filter(|rest| !rest.is_empty()) {
        let window = rest.get(..64).unwrap_or(rest);
        let Parsed::Packet(packet, len) = parse(window) else {
            at += 1;
            continue;
        };
        match packet {
            Packet::Sync => syncs += 1,
            Packet::Software { size: 1, port: 0, value: 9..=13 | 32..=126 } => letters += 1,
            Packet::Software { size: 2 | 4, port, value: 1.. } if text >> port & 1 != 0 => {
                match window.get(1..len).and_then(characters).filter(|found| found.is_ascii()) {
                    Some(found) => (words, in_words) = (words + 1, in_words + found.len() as u32),
                    None => numbers += 1,
                }
            }
            Packet::Exception { number: ..=255, .. } if window.get(2).is_some_and(|byte| byte & 0xCE == 0) => {
                exceptions += 1;
            }
            _ => {}
        }
        (at, good) = (at + len, good + len);
    }
    let has_words = words >= FEWEST_WORDS && words >= TIMES * numbers;
    if has_words {
        letters += in_words;
    }
    let explained = good * 1000 / sample.len().max(1);
    let bits = |count: u32, each: u32| count.saturating_mul(each);
    let evidence_bits = bits(syncs, SYNC_BITS)
        .saturating_add(bits(letters, CHARACTER_BITS))
        .saturating_add(bits(exceptions, EXCEPTION_BITS));
    (evidence_bits > 0 && explained >= LEAST).then(|| Guess {
        evidence_bits,
        explained: u16::try_from(explained).unwrap_or(1000),
        options: if has_words { "text-words=yes\n" } else { "" }.into(),
        why: format!("{syncs} synchronisations, {letters} characters, {exceptions} exceptions").into(),
    })
}
