//! Checks of generated streams.

use std::collections::HashSet;

use spytui_plugin_api::DecoderRef;

use crate::{notes, rows};

/// Maximum share of repeated texts, per mille: records without time stamps have few values.
const REPEATED: usize = 5;

/// Checks that a stream decodes without loss, damage or remainder in both styles, and that its reference text does not
/// repeat. `expected_notes` are parts of the notes that an undamaged stream has.
pub fn sound_and_varied(decoder: DecoderRef, reference: &str, bytes: &[u8], expected_notes: &[&str]) {
    let styles = [vec![], vec![("reference", reference.as_bytes())]];
    for options in &styles {
        let mut notes = notes(decoder, bytes, options).into_iter().map(|(_, text)| text);
        let unexpected = notes.find(|note| !expected_notes.iter().any(|expected| note.contains(expected)));
        assert_eq!(unexpected, None, "a note in a sound stream");
    }
    let rows = rows(decoder, bytes, &styles[1]);
    let covered: u64 = rows.iter().map(|(row, _)| u64::from(row.len)).sum();
    assert_eq!(covered, bytes.len() as u64, "bytes in rows");
    let mut seen = HashSet::new();
    let repeated: Vec<&str> = rows.iter().map(|(_, text)| text.as_str()).filter(|text| !seen.insert(*text)).collect();
    let (count, allowed) = (repeated.len(), rows.len() * REPEATED / 1000);
    assert!(count <= allowed, "{count} of {} texts repeat, as {:?}", rows.len(), &repeated[..count.min(10)]);
}
