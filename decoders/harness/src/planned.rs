//! Compares planned fields with rendered ones.

use spytui_plugin_api::{Decoder, Dict, NONE, Rendered, Row, RowFlags, RowIn, TextWriter, Want, render::Tag};
use spytui_plugin_layer::{PlannedScope, RowPlan};

/// Asserts that a decoder renders the fields of a plan for a frame that begins with these bytes, and none of a row that
/// has the plan, whose text is the same.
pub fn is_as_rendered<D: Decoder>(plan: &RowPlan, cfg: &[u8], head: &[u8]) {
    let mut raw: Vec<u8> = (0..plan.len as u8).map(|place: u8| place.wrapping_mul(37).wrapping_add(11)).collect();
    raw[..head.len()].copy_from_slice(head);
    raw[plan.len - 1] = plan.end;
    let rendered = |flags| {
        let row = Row { kind: plan.kind, obj: 0x0123_4567_89AB_CDEF, flags, ..Row::default() };
        let input = RowIn {
            row: &row,
            raw: raw.as_slice().into(),
            attachments: [].as_slice().into(),
            blob: b"".as_slice().into(),
        };
        let (mut out, want) = (Rendered::default(), Want::TEXT | Want::FIELDS);
        let mut text = TextWriter::for_request(&mut out, &want.into());
        D::render_rows(cfg, &[input, input], &Dict::new(&()), want, &mut text);
        text.finish();
        (row.obj, out)
    };
    let (object, own) = rendered(RowFlags::empty());
    let number = |field: usize| {
        let field = &plan.fields[field];
        raw[field.off..][..field.size.into()].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    let seq = plan.seq.map(|at| (b"seq".to_vec(), raw[at].into(), Tag::UNSIGNED, NONE, 0));
    let planned = plan.fields.iter().enumerate().map(|(index, field)| {
        let scope = match field.scope {
            PlannedScope::None => 0,
            PlannedScope::Object => object,
            PlannedScope::Field(other) => number(other),
        };
        let tag = if field.space == NONE { Tag::UNSIGNED } else { Tag::KEY };
        (field.name.as_bytes().to_vec(), number(index), tag, field.space, scope)
    });
    let row = own.row(1);
    let fields = row.fields.iter().map(|field| {
        assert!(field.text.of(row.blob).is_empty() && field.flags.is_empty(), "{plan:?}");
        (field.name.of(row.blob).to_vec(), field.num, field.tag, field.space, field.scope)
    });
    assert_eq!(seq.into_iter().chain(planned).collect::<Vec<_>>(), fields.collect::<Vec<_>>(), "{plan:?}");
    let (_, without) = rendered(RowFlags::HAS_PLAN);
    assert_eq!((&without.text, without.fields.len()), (&own.text, 0), "{plan:?}");
}
