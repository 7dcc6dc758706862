//! Captures, and a shortcut for decoding them.

#![allow(dead_code, clippy::unwrap_used)]

use serde_json::{Map, Value};
use spytui_decoder_harness::Options;
use spytui_plugin_api::{
    Field, Row,
    batch::AttachmentId,
    render::{FieldFlags, RenderedRow, Tag, Want},
};
use spytui_plugin_host::kit::Host;

spytui_decoder_harness::shortcuts!(spytui_decoder_qnx::Qnx, spytui_decoder_qnx::QnxEncoder);

/// Captures of the instrumented kernel.
pub(crate) const KEV: [&str; 6] = ["fast-2cpu", "wide-be", "qnx71-wide64", "gaps-damaged", "ring-4cpu", "smp-8.0"];

/// Options of the reference style.
pub(crate) fn reference() -> Options<'static> {
    vec![("reference", b"traceprinter-1.02")]
}

/// The content of a capture.
pub(crate) fn expected(name: &str) -> Value {
    serde_json::from_slice(&file(&format!("{name}.expected.json"))).unwrap()
}

/// The value of a field, as the program writes it.
fn value(field: &Field, blob: &[u8]) -> Value {
    match field.tag {
        Tag::SIGNED => (field.num as i64).into(),
        Tag::BYTES => field.text.of(blob).iter().map(|byte| format!("{byte:02x}")).collect::<String>().into(),
        Tag::TEXT => String::from_utf8_lossy(field.text.of(blob)).into(),
        _ => field.num.into(),
    }
}

/// The fields of a row as an object; lists are arrays. Names must be unique.
pub(crate) fn object(row: &RenderedRow<'_>) -> Map<String, Value> {
    let mut object = Map::new();
    for field in row.fields.iter().filter(|field| !field.flags.contains(FieldFlags::OWNER)) {
        let name = String::from_utf8(field.name.of(row.blob).to_vec()).unwrap();
        let value = value(field, row.blob);
        if field.flags.contains(FieldFlags::LIST) {
            let list = object.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut().unwrap().push(value);
        } else {
            assert!(object.insert(name.clone(), value).is_none(), "{name} comes twice");
        }
    }
    object
}

/// The fields of all rows.
pub(crate) fn fields(host: &Host, bytes: &[u8]) -> Vec<Map<String, Value>> {
    let mut all = Vec::new();
    host.render(bytes, Want::FIELDS, |_, out| all.push(object(&out.row(0)))).unwrap();
    all
}

/// Position and length of a row, with all its fragments.
pub(crate) fn place(host: &Host, at: usize) -> (u64, u64) {
    let row: &Row = &host.run.rows[at];
    let parts = host.run.attachments_of(at).iter().filter(|e| e.id == AttachmentId::FRAGMENT);
    let first = parts.clone().map(|part| part.a).next().unwrap_or(row.pos);
    (first, u64::from(row.len) + parts.map(|part| part.b).sum::<u64>())
}
