//! Rules for every formatter.

use spytui_plugin_api::{
    AppRecord, Dict, Fault, FieldMeans, FormatterInfo, FormatterInstance, FormatterRef, RSlice, Rendered, RenderedRow,
    Row, RowFlags, Severity, Want,
};

use super::{prints, random::Random};

/// Returns the text that a formatter writes for a record, after its kind word if any; `None` = unknown record.
pub fn format(formatter: FormatterRef, id: &str, payload: &[u8]) -> Result<Option<String>, Fault> {
    if !formatter.info()?.is_for(id.as_bytes()) {
        return Ok(None);
    }
    format_opened(&formatter.open(&[])?, id, payload)
}

/// Like [`format()`], for a formatter opened with options.
pub fn format_opened(formatter: &FormatterInstance, id: &str, payload: &[u8]) -> Result<Option<String>, Fault> {
    let Some(out) = given(formatter, id, payload)? else { return Ok(None) };
    let row = out.row(0);
    let word = row.kind_word.map(|word| format!("{}  ", String::from_utf8_lossy(word))).unwrap_or_default();
    Ok(Some(word + &String::from_utf8_lossy(row.text)))
}

fn given(formatter: &FormatterInstance, id: &str, payload: &[u8]) -> Result<Option<Rendered>, Fault> {
    let row = Row { flags: RowFlags::APPLICATION, len: payload.len() as u32, ..Row::default() };
    let none = RSlice::EMPTY;
    let record = AppRecord {
        row: &row,
        id: id.as_bytes().into(),
        name: none,
        payload: payload.into(),
        fields: RSlice::EMPTY,
        blob: none,
    };
    let mut out = Rendered::default();
    Ok(formatter.format(&record, &Dict::new(&()), Want::all(), &mut out)?.then_some(out))
}

/// Checks the rules of the plugin API on a record (id and payload), on damaged copies of it and on random bytes.
///
/// # Panics
/// A rule is broken; the message names the rule and the payload.
pub fn conform_formatter(formatter: FormatterRef, id: &str, payload: &[u8]) {
    spytui_plugin_api::guard::install_hook();
    if prints::are_looked_for(|| drop(format(formatter, id, payload))) {
        return;
    }
    let info = formatter.info().unwrap_or_else(|e| panic!("{id}: info: {e}"));
    assert!(FormatterInfo::is_id(&info.id), "the id {:?} is none: {}", info.id, FormatterInfo::ID_GRAMMAR);
    assert!(info.is_for(id.as_bytes()), "{id}: it is not among its records: {:?}", info.records);
    for field in &info.fields {
        let is_known =
            field.means <= FieldMeans::VALUE && field.words.iter().all(|word| word.severity <= Severity::ERROR);
        assert!(is_known, "{id}: field {} means what no host knows: {field:?}", field.name);
        let count = info.fields.iter().filter(|other| other.name == field.name).count();
        assert!(count == 1, "{id}: field {} is declared {count} times", field.name);
    }
    let formatter = &formatter.open(&[]).unwrap_or_else(|e| panic!("{id}: open: {e}"));
    assert!(
        format_opened(formatter, id, payload).is_ok_and(|text| text.is_some()),
        "{id}: it does not know its own record"
    );
    let mut random = Random::new(payload.len() as u64);
    for cut in 0..=payload.len() {
        check(formatter, &info, id, &payload[..cut]);
    }
    for edits in [1, 5, 25] {
        (0..50).for_each(|_| check(formatter, &info, id, &random.damage(payload, edits)));
    }
    (0..50).for_each(|len| check(formatter, &info, id, &random.bytes(len)));
}

fn check(formatter: &FormatterInstance, info: &FormatterInfo, id: &str, payload: &[u8]) {
    let run = || {
        let given = given(formatter, id, payload);
        given.unwrap_or_else(|fault| {
            assert!(!fault.panicked, "{id}: {fault}, at {payload:02x?}");
            None
        })
    };
    let (first, second) = (run(), run());
    let same = |a: &Rendered, b: &Rendered| a.text == b.text && a.fields == b.fields && a.blob == b.blob;
    let is_same = match (&first, &second) {
        (Some(first), Some(second)) => same(first, second),
        (first, second) => first.is_none() == second.is_none(),
    };
    assert!(is_same, "{id}: formatted twice, it differs, at {payload:02x?}");
    first.iter().for_each(|out| declared(info, id, payload, out.row(0)));
}

fn declared(info: &FormatterInfo, id: &str, payload: &[u8], row: RenderedRow<'_>) {
    let is_control = |byte: &u8| *byte < 0x20 || *byte == 0x7F;
    assert!(!row.text.iter().any(is_control), "{id}: a control character in the text, at {payload:02x?}");
    for field in row.fields {
        let name = String::from_utf8_lossy(field.name.of(row.blob));
        assert!(info.fields.iter().any(|known| known.name == *name), "{id}: field {name} is not declared");
    }
    let word = row.kind_word.map(String::from_utf8_lossy);
    let is_known = word.as_ref().is_none_or(|word| info.kind_words.iter().any(|known| known == word));
    assert!(is_known, "{id}: kind word {word:?} is not declared");
}
