//! Word and text of an application record that come from a formatter or from a line of a format file, apart from what
//! its decoder says of it.

use spytui_plugin_api::{Dict, row::RowFlags};

use super::RowView;
use crate::{present::words::given_name, row::Renderer, store::Names};

/// What a record was given.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct GivenText {
    /// The word for its kind.
    pub word: Option<Vec<u8>>,
    /// The text; empty if there is only a word.
    pub text: Vec<u8>,
}

impl GivenText {
    /// What the renderer's formatters, or format lines that the decoder takes itself, give a rendered row; `None` if the
    /// row has only what its decoder says.
    pub fn of(view: &RowView<'_>, renderer: &Renderer, names: &Names<'_>) -> Option<GivenText> {
        if !view.row.has(RowFlags::APPLICATION) {
            return None;
        }
        let name = given_name(view.row, names, 0);
        if let Some(given) = renderer.given(view.cfg, &view.row_in(), &Dict::new(names)) {
            let given = given.row(0);
            return Some(GivenText { word: given.kind_word.or(name).map(<[u8]>::to_vec), text: given.text.to_vec() });
        }
        // A decoder that takes format lines made the text when the record came, and keeps it with the row.
        let mut kept = view.attachments.iter().filter(|kept| kept.id.is_own() && kept.is_bytes);
        let is_given = kept.any(|kept| kept.bytes(view.blob) == view.rendered.text);
        is_given.then(|| GivenText { word: name.map(<[u8]>::to_vec), text: view.rendered.text.to_vec() })
    }
}
