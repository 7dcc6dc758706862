//! What a plugin says of an application record.

use spytui_plugin_api::{AppRecord, Fault, Rendered, Want};

use super::{
    in_force::{Formatters, OpenedFormatter},
    record::{Called, Record},
};

/// The first formatter of a plugin that knows a record, with what it said of it.
pub(super) struct Known<'f> {
    pub(super) formatter: &'f OpenedFormatter,
    /// It added a row to the output.
    pub(super) said: Result<(), Fault>,
}

/// Asks the formatters of plugins for the wanted parts of a record in order; `None` if none knows it. `is_for_severity` =
/// also for the fields of those whose words make records severe.
pub(super) fn ask<'f>(
    formatters: &'f Formatters,
    record: &Record<'_, '_>,
    called: &Called<'_, '_>,
    want: Want,
    is_for_severity: bool,
    out: &mut Rendered,
) -> Option<Known<'f>> {
    if formatters.plugins.is_empty() {
        return None;
    }
    let id = called.id();
    let (id, name) = (id.as_bytes(), called.name().unwrap_or_default());
    let is_for = |one: &&OpenedFormatter| one.plugin.info.is_for(id) || one.plugin.info.is_for(name);
    let mut asked = formatters.plugins.iter().filter(is_for).peekable();
    asked.peek()?;
    let payload = record.payload();
    let app = AppRecord {
        row: record.row,
        id: id.into(),
        name: name.into(),
        payload: (&*payload).into(),
        fields: record.rendered.fields.into(),
        blob: record.rendered.blob.into(),
    };
    for formatter in asked {
        let Some(opened) = formatter.usable() else { continue };
        let want = if is_for_severity && formatter.makes_severe { want | Want::FIELDS } else { want };
        match opened.format(&app, &record.names, want, out) {
            Ok(false) => {}
            answer => return Some(Known { formatter, said: answer.map(drop) }),
        }
    }
    None
}
