//! The rows that show a finding, in words.

use spytui_engine::{
    analysis::findings::Finding,
    store::View,
    trace::list::{RenderRequest, RowList, RowRenderer, row_list::number_text},
};
use spytui_plugin_api::render::Want;

/// A row that shows a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EvidenceLine {
    /// `first`, `worst` or `latest`.
    pub(super) word: &'static str,
    /// Number of its record.
    pub(super) number: String,
    /// Its time; empty if it has none.
    pub(super) time: String,
    /// Kind, object and text of the row; empty if it is no longer kept.
    pub(super) text: String,
}

/// The rows of a finding: at most three.
pub(super) fn evidence_lines(rows: &RowList, finding: &Finding) -> Vec<EvidenceLine> {
    let several = rows.sources() > 1;
    let ask = RenderRequest { want: Want::TEXT | Want::FIELDS, view: View::Effective, short: true, before: None };
    let mut renderer = RowRenderer::default();
    let lines = finding.evidence.iter().map(|(word, at)| {
        let number = number_text(several.then_some(at.source), at.n);
        let mut line = EvidenceLine { word, number, time: String::new(), text: String::new() };
        if at.row >= rows.first_kept() && at.row < rows.len() {
            rows.ensure_loaded(at.row);
            renderer.views(rows, [at.row], ask, |_, item| {
                let shown = item.line();
                line.time = shown.time.trim().to_owned();
                let words = [shown.kind.trim(), shown.object.trim(), shown.what.trim()];
                line.text = words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join(" ");
                false
            });
        }
        line
    });
    lines.collect()
}
