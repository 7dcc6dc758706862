//! Renders rows by decoder, formatters and host. Keeps the first fault of a plugin, which a command without a screen
//! ends with.

use std::{
    slice,
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;
use spytui_formats::{Data, FieldRef, Template, layout::FieldType};
use spytui_plugin_api::{
    Activity, AttachmentId, Dict, Fault, Field, Rendered, Request, Row, RowIn, Severity, TextWriter, Want,
    batch::ByteRange, render::Tag, row::RowFlags, running::Call,
};
use spytui_plugin_host::{self as host, FormattedRows, NamesOf};
use spytui_plugin_layer::show_record;

use super::{
    in_force::{FormatLine, Formatters, Formatting, PluginFormatter},
    record::{self, MatchingFormatter, RecordDecoder, RenderedRecord},
    typed::{self, Typed, with_name, without_zeros},
};
use crate::present::sanitise::{RAW, TOO_LONG, does_not_fit, formatter_failed, not_rendered, safe_fault};

/// Bytes shown of an unrendered row.
const MOST_RAW: usize = 64;

#[derive(Debug, Clone)]
pub struct Renderer {
    pub(crate) plain: host::Renderer,
    /// `None` for reference text.
    pub(crate) formatting: Option<Arc<Formatting>>,
    pub(crate) faults: Arc<RenderFaults>,
    /// Name of the decoder, for messages about faults.
    pub(crate) name: Arc<str>,
}

/// Severities raised by formatters, by row index in order.
pub type Severities = Vec<(usize, Severity)>;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowTraits {
    /// Records have the fields declared by their kinds: not in a reference style.
    pub is_native: bool,
    /// Formatters may set words and text of application records.
    pub is_formatted: bool,
}

impl Renderer {
    /// Stores the fault of a row in an entry point of the decoder.
    pub fn failed(&self, entry: &str, row: &RowIn<'_>, fault: &Fault) {
        self.faults.add(row.row.pos, Some(fault), || format!("{} failed in {entry}", self.name));
    }

    fn in_force(&self) -> Option<(&Formatting, Arc<Formatters>)> {
        let formatting = self.formatting.as_deref()?;
        Some((formatting, formatting.get()?))
    }

    pub fn traits(&self) -> RowTraits {
        let is_formatted = self.formatting.as_ref().is_some_and(|formatting| formatting.get().is_some());
        RowTraits { is_native: !self.plain.is_reference, is_formatted }
    }

    pub fn calls_files(&self) -> bool {
        let formatters_do = || self.in_force().is_some_and(|(_, all)| all.calls_files());
        self.faults.left().is_none() && (self.plain.table().is_of_file() || formatters_do())
    }

    /// Marks a plugin whose call has not returned; it is no longer called.
    pub fn leave(&self, call: &Call) {
        let why = format!("{} from @{:#x} {TOO_LONG}", call.entry.name(), call.pos);
        let in_force = self.in_force();
        let left = in_force.as_ref().and_then(|(formatting, all)| Some((formatting, all.leave(call.table)?)));
        match left {
            Some((formatting, id)) => formatting.failed(id, &Fault::new(format!("{why}; it is no longer called"))),
            None => self.faults.leave(why),
        }
    }

    /// Renders rows that share one configuration: all requested parts in one call. A row of the host already has its
    /// text. A row on which the decoder fails shows the fault; the others are rendered. `severities` = takes those raised
    /// by formatters, if not asked before.
    pub fn render(
        &self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        names: &Dict<'_>,
        request: Request<'_>,
        severities: Option<&mut Severities>,
        out: &mut Rendered,
    ) {
        if self.faults.left().is_some() {
            return raw(rows, out);
        }
        let formatted = self.formatted(cfg, rows, names, request.want, severities);
        out.clear();
        out.rows.reserve(rows.len());
        while let Some(rest) = rows.get(out.rows.len()..)
            && let Some(first) = rest.first()
        {
            if first.row.kind.is_of_host() {
                out.push_text_row(first.attachment_bytes(AttachmentId::TEXT).unwrap_or_default());
                continue;
            }
            let done = out.rows.len();
            let own = NamesOf::new(*names, |row| done as u32 + row);
            let mut render = |names: &Dict<'_>| self.plain.render(cfg, rest, names, request, formatted.from(done), out);
            let answer = if done == 0 { render(names) } else { render(&Dict::new(&own)) };
            let Err(fault) = answer else { return };
            rest.get(fault.row as usize).into_iter().for_each(|row| self.failed("render", row, &fault));
            out.push_text_row(not_rendered(&fault.to_string()).as_bytes());
        }
    }

    /// Word, text and fields of an application record from formatters, as the only row; `None` if none matches.
    pub fn given(&self, cfg: &[u8], row: &RowIn<'_>, names: &Dict<'_>) -> Option<Rendered> {
        let is_asked = self.faults.left().is_none();
        is_asked.then(|| self.formatted(cfg, slice::from_ref(row), names, Want::TEXT | Want::FIELDS, None))?.into_only()
    }

    /// What formatters return for rows, including their severities.
    fn formatted(
        &self,
        cfg: &[u8],
        rows: &[RowIn<'_>],
        names: &Dict<'_>,
        want: Want,
        mut severities: Option<&mut Severities>,
    ) -> FormattedRows {
        let Some((formatting, formatters)) = self.in_force() else { return FormattedRows::default() };
        let decoder = RecordDecoder { plain: &self.plain, configuration: cfg, names: *names };
        let records = decoder.candidates(rows, &formatters);
        let mut formatted = FormattedRows::of(records.len());
        for (index, row, rendered) in decoder.decode(&records).iter() {
            let record =
                RenderedRecord { row: row.row, rendered, names: names.at(index as u32), info: &formatters.info };
            let severity = severities.as_mut().map(|severities| (index, &mut **severities));
            formatted.add(index, |out| self.ask(&formatters, formatting, &record, want, severity, out));
        }
        formatted
    }

    /// Asks the formatters in order; `None` if none matches. The first match adds a row, or returns a failure mark.
    fn ask(
        &self,
        formatters: &Formatters,
        formatting: &Formatting,
        record: &RenderedRecord<'_, '_>,
        want: Want,
        severity: Option<(usize, &mut Severities)>,
        out: &mut Rendered,
    ) -> Option<Result<(), String>> {
        let called = record.called(&formatters.labels);
        if let Some(MatchingFormatter { formatter, said }) =
            record::ask(formatters, record, &called, want, severity.is_some(), out)
        {
            let last = out.rows.len().saturating_sub(1);
            if let Some((index, severities)) = severity.filter(|_| said.is_ok() && formatter.makes_severe) {
                severities.extend(formatter.severity(out.row(last)).map(|severity| (index, severity)));
            }
            if said.is_ok() && want.contains(Want::FIELDS) {
                let activities: Vec<Activity> = formatter.activities(out.row(last)).collect();
                add_tracks(formatters, &activities, out);
            }
            let failed = |fault| self.plugin_failed(formatting, &formatter.plugin, record.row, &fault);
            return Some(said.map_err(failed));
        }
        let line = called.line(formatters)?;
        let warn = |why: &str| {
            formatting.wrong_lines(vec![format!("record {} {}: {why}", formatters.info.id, called.shown())]);
        };
        let of_line = by_line(formatters, line, record, want, &warn, out);
        if let Some((index, severities)) = severity {
            severities.extend(of_line.map(|severity| (index, severity)));
        }
        Some(Ok(()))
    }

    /// Stores the fault of a formatter; returns the mark for the row.
    fn plugin_failed(&self, formatting: &Formatting, plugin: &PluginFormatter, row: &Row, fault: &Fault) -> String {
        formatting.failed(&plugin.info.id, fault);
        // A formatter that finds a record wrong has not failed itself.
        if fault.panicked {
            let what = || format!("formatter {} ({}) failed", plugin.info.id, plugin.origin);
            self.faults.add(row.pos, None, what);
        }
        formatter_failed(&plugin.info.id)
    }
}

/// Adds the last row's tracks as fields, so that filters find it by their names. [`super::RowView::fields`] omits them.
fn add_tracks(formatters: &Formatters, activities: &[Activity], out: &mut Rendered) {
    for (space, num) in activities.iter().flat_map(typed::keys) {
        let Some(name) = formatters.tracks.name(space, num) else { continue };
        let text = ByteRange { off: out.blob.len() as u32, len: name.len() as u32 };
        out.blob.extend_from_copy_slice(name.as_bytes());
        out.fields.push(Field { text, num, space, tag: Tag::KEY, ..Field::default() });
    }
    if let Some(last) = out.rows.last_mut() {
        last.fields = out.fields.len() as u32;
    }
}

/// Adds rows without calling the decoder.
fn raw(rows: &[RowIn<'_>], out: &mut Rendered) {
    out.clear();
    for row in rows {
        if row.row.kind.is_of_host() {
            out.push_text_row(row.attachment_bytes(AttachmentId::TEXT).unwrap_or_default());
            continue;
        }
        let bytes = row.raw.as_slice().iter().take(MOST_RAW).map(|byte| format!("{byte:02x}"));
        out.push_text_row(format!("{} {RAW}", bytes.collect::<Vec<_>>().join(" ")).as_bytes());
    }
}

/// Adds the row of a record, formatted by a line, and returns the severity. Reports problems to `warn`.
fn by_line(
    formatters: &Formatters,
    line: &FormatLine,
    record: &RenderedRecord<'_, '_>,
    want: Want,
    warn: &dyn Fn(&str),
    out: &mut Rendered,
) -> Option<Severity> {
    let bytes = record.payload();
    let is_big_endian = record.row.has(RowFlags::BIG_ENDIAN);
    let no_total = line.total.filter(|element| !record.has_total(*element));
    let no_total = no_total.map(|element| format!("drops({element}): that is no unsigned integer of 4 or 8 bytes"));
    if let Some(why) = &no_total {
        warn(&format!("{why} in a record"));
    }
    if let Some(layout) = &line.layout {
        let typed = Typed { layout, bytes: &bytes, is_big_endian };
        if !typed.put_row(&line.template, record, want, out) {
            warn(&format!("a record has fewer bytes than its fields, which have {} at least", layout.least_size()));
        }
        if want.contains(Want::FIELDS) {
            add_tracks(formatters, &line.activities(typed).collect::<Vec<_>>(), out);
        }
        return typed.severity();
    }
    let mut text = Vec::new();
    let data = Data { is_big_endian, ..Data::new(&bytes) };
    line.template.render(&data, &|wanted, out| record.put(wanted, out), &mut text);
    if let Some(why) = no_total {
        text.extend_from_slice(format!(" [{why}]").as_bytes());
    }
    out.push_text_row(&text);
    None
}

impl Typed<'_> {
    /// Adds a row with the wanted text and fields; `false` if the record is shorter than its fields.
    fn put_row(self, template: &Template, record: &RenderedRecord<'_, '_>, wanted: Want, out: &mut Rendered) -> bool {
        let mut writer = TextWriter::new(out);
        let want = if self.layout.has_text { wanted & Want::FIELDS } else { wanted };
        let left = show_record((self.bytes, self.is_big_endian), &record.names, want, &mut writer, |reading| {
            self.read(reading)
        });
        if self.layout.has_text {
            let mut text = Vec::new();
            let data = Data { is_big_endian: self.is_big_endian, ..Data::new(self.bytes) };
            template.render(&data, &|wanted, out| self.put_field(record, wanted, out), &mut text);
            writer.put(&text);
        } else if let Some(left @ 1..) = left {
            writer.put(format!(" [+{left}]").as_bytes());
        }
        if left.is_none() {
            writer.put(does_not_fit(self.bytes.len()).as_bytes());
        }
        writer.end_row();
        writer.finish();
        left.is_some()
    }

    /// Appends the text of a field: those of the layout, then those of the decoder. Returns `false` if it does not exist.
    fn put_field(self, record: &RenderedRecord<'_, '_>, wanted: &FieldRef, out: &mut Vec<u8>) -> bool {
        let own = match wanted {
            FieldRef::Name(name) => self.layout.position(name),
            FieldRef::Index(_) => None,
        };
        let Some(index) = own else { return record.put(wanted, out) };
        let Some((field, piece)) = self.pieces().nth(index) else { return false };
        match (self.number(field, piece), field.ty) {
            (Some(value), _) => with_name(field, value, |name| name.put(value, out)),
            (None, FieldType::Text(_)) => out.extend_from_slice(without_zeros(piece)),
            (None, _) => {
                let hex: Vec<String> = piece.iter().map(|byte| format!("{byte:02x}")).collect();
                out.extend_from_slice(hex.join(" ").as_bytes());
            }
        }
        true
    }
}

#[derive(Debug, Default)]
pub struct RenderFaults {
    first: Mutex<Option<First>>,
    /// Why the decoder is no longer called: a call has not returned.
    left: OnceLock<String>,
}

#[derive(Debug)]
struct First {
    /// `panics failed in render`.
    what: String,
    pos: u64,
    /// `None` if reported elsewhere.
    fault: Option<Fault>,
    /// Number of rows with a fault.
    rows: u64,
}

impl RenderFaults {
    /// Stores the fault of a row at `pos`; `what` returns a message about the failing part.
    pub fn add(&self, pos: u64, fault: Option<&Fault>, what: impl FnOnce() -> String) {
        let mut first = self.first.lock();
        let begin = || First { what: what(), pos, fault: fault.cloned().map(safe_fault), rows: 0 };
        first.get_or_insert_with(begin).rows += 1;
    }

    /// Stores that the decoder has not returned from a call: `render of rows from @0x0 has not returned for 2 s`.
    pub fn leave(&self, why: String) {
        let _ = self.left.set(why);
    }

    /// Why the decoder must not be called again, if so.
    pub fn left(&self) -> Option<&str> {
        self.left.get().map(String::as_str)
    }

    /// The first fault in one line, if any.
    pub fn said(&self) -> Option<String> {
        let first = self.first.lock();
        first.as_ref().map(|First { what, pos, fault, rows }| {
            let more = if *rows > 1 { format!("; {rows} times in all") } else { String::new() };
            let why = fault.as_ref().map(|fault| format!(": {fault}")).unwrap_or_default();
            format!("{what} at @{pos:#x}{why}{more}")
        })
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{
        Decoder, DecoderOptions, Info, Output, Source, TextWriter, decoder, guard, render::Lookup,
    };

    use super::*;

    /// Renders each row as its name; fails on `!`.
    #[derive(Clone)]
    struct Named;

    impl Decoder for Named {
        fn info() -> Info {
            Info::default()
        }

        fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Named, Fault> {
            Ok(Named)
        }

        fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

        fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
            assert_ne!(row.raw.as_slice(), b"!");
            out.put(dict.name(7, 0, 0).unwrap_or_default());
        }
    }

    /// Names rows by their indexes.
    struct Indexes;

    impl Lookup for Indexes {
        fn get(&self, row: u32, _: u16, _: u64, _: u64) -> Option<&[u8]> {
            [b"0", b"1", b"2", b"3"].get(row as usize).map(|name| &name[..])
        }
    }

    #[test]
    fn rows_behind_one_that_fails_keep_their_names() {
        guard::install_hook();
        let row = Row::default();
        let input =
            |raw: &'static [u8]| RowIn { row: &row, raw: raw.into(), attachments: [][..].into(), blob: [][..].into() };
        let rows = [input(b""), input(b"!"), input(b""), input(b"")];
        let plain = host::Renderer::new(decoder::<Named>(), &Info::default(), false);
        let mut out = Rendered::default();
        let renderer = Renderer { plain, formatting: None, faults: Arc::default(), name: "named".into() };
        renderer.render(b"", &rows, &Dict::new(&Indexes), Want::TEXT.into(), None, &mut out);
        let texts: Vec<&[u8]> = [0, 2, 3].iter().map(|at| out.row(*at).text).collect();
        assert_eq!(texts, [b"0", b"2", b"3"]);
    }

    #[test]
    fn the_first_fault_is_said_with_the_number_of_all() {
        let faults = RenderFaults::default();
        assert_eq!(faults.said(), None);
        let add = |pos, text: &str| faults.add(pos, Some(&Fault::new(text)), || "toy failed in render".to_owned());
        add(16, "no");
        assert_eq!(faults.said().as_deref(), Some("toy failed in render at @0x10: no"));
        add(3, "other");
        assert_eq!(faults.said().as_deref(), Some("toy failed in render at @0x10: no; 2 times in all"));
    }
}
