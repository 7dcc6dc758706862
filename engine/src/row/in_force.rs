//! The formatters of a decoder, which may be replaced while its rows are shown, and the lines of format files that a
//! decoder reads itself: all lines as its option `fmt`, the record with the total of dropped records as its option
//! `drops`.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};
use spytui_formats::{DropTotal, FormatTable, Layout, Loader, Template, limits};
use spytui_plugin_api::{
    Activity, Fault, Field, FieldInfo, FormatterInfo, FormatterInstance, FormatterRef, Info, RenderedRow, RowKind,
    Severity,
    info::{KindInfo, OptVal, space},
    running,
};

use super::typed::{FormatTracks, TRACKS, Typed, activity, activity_of};
use crate::{
    io::format_files::{DROPS, FormatSet},
    present::{Labels, sanitise::sanitise_text, words::KindWords},
    query::{Name, Vocabulary},
};

#[derive(Debug, Clone)]
pub struct PluginFormatter {
    pub info: FormatterInfo,
    pub table: FormatterRef,
    /// Origin of the formatter, in words.
    pub origin: String,
    pub version: String,
}

/// All formatters of one decoder, in calling order: plugins, then format files.
#[derive(Debug, Clone)]
pub struct Formatters {
    pub(super) info: Info,
    pub(super) labels: Labels,
    pub(super) plugins: Vec<OpenedFormatter>,
    /// Lines of format files, by id or name.
    pub(super) lines: Arc<FxHashMap<String, FormatLine>>,
    pub tracks: Arc<FormatTracks>,
    /// Records for which there are formatters.
    pub(super) all: RecordSet,
    /// Records also formatted during decoding, because they become severe or have activities.
    pub(super) effective: RecordSet,
    /// Some formatter raises the severity of records.
    pub(super) make_severe: bool,
}

/// A formatter of a plugin with its options.
#[derive(Debug, Clone)]
pub(super) struct OpenedFormatter {
    pub(super) plugin: PluginFormatter,
    /// `None` = it could not be opened.
    pub(super) opened: Option<Arc<FormatterInstance>>,
    /// Fields with effects, each with its track if it is a state or a value.
    effects: Vec<(FieldInfo, Option<u64>)>,
    /// Words of its fields raise the severity of records.
    pub(super) makes_severe: bool,
    /// A call has not returned; it is not called again.
    is_left: Arc<AtomicBool>,
}

impl OpenedFormatter {
    /// Its instance, if it can be called.
    pub(super) fn usable(&self) -> Option<&FormatterInstance> {
        self.opened.as_deref().filter(|_| !self.is_left.load(Ordering::Relaxed))
    }

    pub(super) fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    /// The fields with effects of a formatted record, each with its track.
    fn effective<'f>(
        &'f self,
        given: RenderedRow<'f>,
    ) -> impl Iterator<Item = (&'f FieldInfo, Option<u64>, &'f Field)> {
        self.effects.iter().filter_map(move |(spec, track)| {
            let field = given.fields.iter().find(|field| field.name.of(given.blob) == spec.name.as_bytes())?;
            Some((spec, *track, field))
        })
    }

    pub(super) fn activities<'f>(&'f self, given: RenderedRow<'f>) -> impl Iterator<Item = Activity> + 'f {
        self.effective(given).filter_map(|(spec, track, field)| activity_of(spec.means, track?, field))
    }

    pub(super) fn severity(&self, given: RenderedRow<'_>) -> Option<Severity> {
        let of_field = |(spec, _, field): (&FieldInfo, _, &Field)| {
            spec.words.iter().filter(|word| word.number == field.num).map(|word| word.severity).max()
        };
        self.effective(given).filter_map(of_field).max()
    }
}

/// Whether words of fields raise the severity of records.
fn make_severe(fields: &[FieldInfo]) -> bool {
    fields.iter().flat_map(|field| &field.words).any(|word| word.severity != Severity::NORMAL)
}

/// Option values, by key as the user writes them.
type Values = Vec<(String, Vec<u8>)>;

impl PluginFormatter {
    /// The user's key for an option of a formatter.
    pub fn option_key(&self, key: &str) -> String {
        format!("{}-{key}", self.info.id)
    }

    /// The formatter's options among the values, with its own keys.
    fn own<'a>(&'a self, values: &'a Values) -> impl Iterator<Item = OptVal<'a>> {
        self.info.options.iter().filter_map(|spec| {
            let called = self.option_key(&spec.key);
            let (_, value) = values.iter().rfind(|(key, _)| *key == called)?;
            Some(OptVal { key: spec.key.as_str().into(), value: value.as_slice().into() })
        })
    }

    fn open(&self, values: &Values) -> Result<Arc<FormatterInstance>, Fault> {
        let own: Vec<OptVal<'_>> = self.own(values).collect();
        let opened = self.table.open(&own);
        opened.map(Arc::new).map_err(|fault| Fault::new(format!("formatter {}: {fault}", self.info.id)))
    }
}

#[derive(Debug)]
pub(super) struct FormatLine {
    pub(super) template: Template,
    pub(super) layout: Option<Layout>,
    /// The track of each of its meanings.
    pub(super) tracks: Vec<u64>,
    /// Index of the element with the total of dropped records.
    pub(super) total: Option<usize>,
    /// Some record was formatted with it.
    is_used: AtomicBool,
}

impl FormatLine {
    fn makes_severe(&self) -> bool {
        self.layout.as_ref().is_some_and(Layout::has_marks)
    }

    pub(super) fn has_effects(&self) -> bool {
        self.layout.as_ref().is_some_and(Layout::has_effects)
    }

    pub(super) fn activities<'t>(&'t self, typed: Typed<'t>) -> impl Iterator<Item = Activity> + 't {
        let meanings = typed.layout.meanings.iter().zip(&self.tracks);
        meanings.filter_map(move |(meaning, track)| activity(meaning, *track, typed))
    }
}

impl Formatters {
    /// Whether an external plugin is called.
    pub(super) fn calls_files(&self) -> bool {
        self.plugins.iter().filter_map(OpenedFormatter::usable).any(|opened| opened.table().is_of_file())
    }

    /// Marks the formatter with this table as never returning; returns its id, if found.
    pub(super) fn leave(&self, table: running::Table) -> Option<&str> {
        let is_it = |one: &&OpenedFormatter| one.usable().is_some_and(|opened| opened.table() == table);
        let left = self.plugins.iter().find(is_it)?;
        left.is_left.store(true, Ordering::Relaxed);
        Some(&left.plugin.info.id)
    }

    /// The formatters of a decoder, not opened yet; `None` if there are none.
    pub fn new(info: &Info, plugins: &[PluginFormatter], table: &FormatTable) -> Option<Formatters> {
        let names = info.names();
        let is_own = |plugin: &&PluginFormatter| names.clone().any(|name| plugin.info.protocol == name);
        let mut tracks = FormatTracks::default();
        let opened = |plugin: &PluginFormatter| {
            let fields = &plugin.info.fields;
            let tracks = tracks.add_fields(&plugin.info.id, fields);
            let effects = fields.iter().cloned().zip(tracks).filter(|(field, _)| field.has_effects()).collect();
            let (opened, makes_severe, is_left) = (None, make_severe(fields), Arc::default());
            OpenedFormatter { plugin: plugin.clone(), opened, effects, makes_severe, is_left }
        };
        let plugins: Vec<OpenedFormatter> = plugins.iter().filter(is_own).map(opened).collect();
        let drops = drop_total(info, table);
        // Lines for its id take precedence over those for its other names. Sorted, because tracks are numbered.
        let records = names.rev().flat_map(|name| table.records(name));
        let records: BTreeMap<&str, _> = records.map(|(id, template, layout)| (id, (template, layout))).collect();
        let line = |(id, (template, layout)): (&str, (&Template, Option<&Layout>))| {
            let total = drops.filter(|total| total.record == id).map(|total| total.element);
            let tracks = layout.map(|layout| tracks.add(id, layout)).unwrap_or_default();
            let (template, layout, is_used) = (template.clone(), layout.cloned(), AtomicBool::default());
            (id.to_owned(), FormatLine { template, layout, tracks, total, is_used })
        };
        let lines: FxHashMap<String, FormatLine> = records.into_iter().map(line).collect();
        if plugins.is_empty() && lines.is_empty() {
            return None;
        }
        let all = record_set(plugins.iter(), lines.iter());
        let has_effects = |line: &(&String, &FormatLine)| line.1.has_effects();
        let effective = record_set(plugins.iter().filter(|one| one.has_effects()), lines.iter().filter(has_effects));
        let make_severe = plugins.iter().any(|one| one.makes_severe) || lines.values().any(FormatLine::makes_severe);
        let (lines, tracks, labels) = (lines.into(), tracks.into(), Labels::new(info));
        Some(Formatters { labels, info: info.clone(), plugins, lines, tracks, all, effective, make_severe })
    }

    /// The option values that belong to formatters.
    fn own(&self, values: &[OptVal<'_>]) -> Values {
        let has = |OpenedFormatter { plugin, .. }: &OpenedFormatter, key: &str| {
            plugin.info.options.iter().any(|spec| plugin.option_key(&spec.key) == key)
        };
        let own = values.iter().filter(|val| self.plugins.iter().any(|one| has(one, &val.key)));
        own.map(|val| (val.key.to_string(), val.value.to_vec())).collect()
    }

    /// The line of a format file for a record; marks it as used.
    pub(super) fn line(&self, id: &str) -> Option<&FormatLine> {
        self.lines.get(id).inspect(|line| line.is_used.store(true, Ordering::Relaxed))
    }

    /// Whether a track or one of its states may have a name that passes.
    pub(super) fn may_be_called(&self, is_it: impl Fn(&str) -> bool) -> bool {
        let names = || self.tracks.names(Name::Obj).into_iter().chain(self.tracks.names(Name::State));
        self.tracks.have_unlisted_states() || names().any(|name| is_it(&name))
    }

    /// Names of the fields that formatters add to records, sorted.
    pub fn field_names(&self) -> Vec<&str> {
        let layouts = self.lines.values().filter_map(|line| line.layout.as_ref());
        let fields = self.plugins.iter().flat_map(|one| &one.plugin.info.fields);
        let mut names: Vec<&str> = layouts.flat_map(Layout::names).chain(fields.map(|field| &*field.name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether a record was formatted with this line of a format file.
    pub fn has_used(&self, id: &str) -> bool {
        self.lines.get(id).is_some_and(|line| line.is_used.load(Ordering::Relaxed))
    }
}

fn record_set<'f>(
    plugins: impl Iterator<Item = &'f OpenedFormatter>,
    lines: impl Iterator<Item = (&'f String, &'f FormatLine)>,
) -> RecordSet {
    let mut records = RecordSet::default();
    records.records.extend(lines.map(|(id, _)| id.clone()));
    for OpenedFormatter { plugin, .. } in plugins {
        match plugin.info.records.is_empty() {
            true => records.all = true,
            false => records.records.extend(plugin.info.records.iter().map(ToString::to_string)),
        }
    }
    records
}

/// The formatters in force, shared by all renderers of a decoder's rows.
#[derive(Debug, Default)]
pub struct Formatting {
    formatters: RwLock<Option<Arc<Formatters>>>,
    version: AtomicU64,
    /// Option values of the formatters in force.
    values: Mutex<Values>,
    failed: Mutex<Failed>,
    /// Lines of format files, for a decoder that reads them itself.
    pub lines: FormatLines,
}

#[derive(Debug, Default)]
struct Failed {
    /// Formatters and file messages already reported.
    reported: HashSet<String>,
    messages: Vec<String>,
}

impl Formatting {
    /// Replaces and opens the formatters.
    pub fn set(&self, mut formatters: Option<Formatters>) {
        let values = self.values.lock().clone();
        for one in formatters.iter_mut().flat_map(|formatters| &mut formatters.plugins) {
            let opened = one.plugin.open(&values);
            one.opened = opened.inspect_err(|fault| self.wrong_lines(vec![format!("{fault}; it is not used")])).ok();
        }
        let mut place = self.formatters.write();
        if formatters.is_none() && place.is_none() {
            return;
        }
        *place = formatters.map(Arc::new);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Checks the option values that belong to formatters.
    pub fn check_options(&self, values: &[OptVal<'_>]) -> Result<(), Fault> {
        let Some(formatters) = self.get() else { return Ok(()) };
        let values = formatters.own(values);
        let has_some = |one: &&OpenedFormatter| one.plugin.own(&values).next().is_some();
        formatters.plugins.iter().filter(has_some).try_for_each(|one| one.plugin.open(&values).map(drop))
    }

    /// Reopens the formatters if their options changed; nothing changes if one can't use them.
    pub fn set_options(&self, values: &[OptVal<'_>]) {
        let Some(formatters) = self.get().filter(|_| self.check_options(values).is_ok()) else { return };
        let new = formatters.own(values);
        let before = std::mem::replace(&mut *self.values.lock(), new.clone());
        if before != new {
            self.set(Some(Formatters::clone(&formatters)));
        }
    }

    #[inline]
    pub fn get(&self) -> Option<Arc<Formatters>> {
        self.formatters.read().clone()
    }

    /// The name of a track or of a state on one.
    pub fn track_name(&self, space: u16, key: u64) -> Option<String> {
        self.get()?.tracks.name(space, key)
    }

    /// The unit of the values of a track; empty if none is known.
    pub fn track_unit(&self, space: u16, key: u64) -> String {
        let unit = |formatters: Arc<Formatters>| formatters.tracks.unit(key).map(str::to_owned);
        self.get().filter(|_| space == TRACKS).and_then(unit).unwrap_or_default()
    }

    /// Adds the kind words and field names that formatters use.
    pub fn add_words(&self, vocabulary: &mut Vocabulary) {
        let Some(formatters) = self.get() else { return };
        for OpenedFormatter { plugin, .. } in &formatters.plugins {
            vocabulary.kinds.extend(plugin.info.kind_words.iter().map(ToString::to_string));
        }
        if let Some(fields) = &mut vocabulary.fields {
            fields.extend(formatters.field_names().into_iter().map(str::to_owned));
        }
    }

    pub fn field_names(&self) -> Vec<String> {
        let formatters = self.get();
        formatters.iter().flat_map(|formatters| formatters.field_names()).map(str::to_owned).collect()
    }

    /// Number of replacements so far. Texts made before the last one may be outdated.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Stores messages about a format file, each only once.
    pub fn wrong_lines(&self, messages: Vec<String>) {
        messages.into_iter().for_each(|message| self.report(&message.clone(), message));
    }

    /// Stores the message of a formatter that failed, only once.
    pub(super) fn failed(&self, id: &str, fault: &Fault) {
        let why = sanitise_text(&fault.text);
        self.report(id, format!("formatter {id}: {why}; its records keep the decoder's text"));
    }

    fn report(&self, about: &str, message: String) {
        let mut failed = self.failed.lock();
        if failed.reported.insert(about.to_owned()) {
            failed.messages.push(message);
        }
    }

    /// Messages about failures since the last call.
    pub fn take_failures(&self) -> Vec<String> {
        std::mem::take(&mut self.failed.lock().messages)
    }
}

/// A set of records by name or id.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordSet {
    records: FxHashSet<String>,
    /// A formatter matches all records.
    pub(super) all: bool,
}

impl RecordSet {
    pub(super) fn is_empty(&self) -> bool {
        !self.all && self.records.is_empty()
    }

    /// Whether it contains this id or name explicitly.
    pub(super) fn has(&self, id: &str) -> bool {
        self.records.contains(id)
    }

    /// Whether records of a kind may be in the set, given the keys with matching names.
    pub(super) fn may_have(&self, kind: RowKind, named: &[(u16, u64)], info: &Info, labels: &Labels) -> bool {
        let label = labels.kind(info, kind);
        let Some(spec) = info.kind(kind) else { return true };
        if self.all || self.has(&label.tag) || self.has(&label.name) {
            return true;
        }
        let is_named = |(space, key): &(u16, u64)| {
            is_of_kind(label, spec, *space) || (*space, *key) == (space::KINDS, kind.0.into())
        };
        let is_called = |id: &String| match id.split_once(':') {
            Some((name, _)) => info.spaces.iter().any(|space| space.name == name && is_of_kind(label, spec, space.id)),
            // The number of an item.
            None => id.bytes().all(|byte| byte.is_ascii_digit()),
        };
        named.iter().any(is_named) || self.records.iter().any(is_called)
    }
}

/// Whether records of a kind have keys of a space.
fn is_of_kind(label: &KindWords, spec: &KindInfo, space: u16) -> bool {
    space == label.object || spec.spaces.contains(&space)
}

/// The option for the text of format files.
pub(crate) const FMT: &str = "fmt";

#[derive(Debug, Default)]
pub struct FormatLines {
    lines: RwLock<LinesInForce>,
    version: AtomicU64,
}

#[derive(Debug, Default, PartialEq)]
struct LinesInForce {
    /// Lines from files that the user did not name.
    usual: String,
    named: String,
    /// Value of the option `drops`, if the decoder has it.
    drops: String,
    /// Lines that affect severity or activities during decoding, by record.
    effects: Vec<(String, Layout)>,
}

impl FormatLines {
    /// Replaces the lines, as far as this decoder accepts them.
    pub fn set(&self, formats: &FormatSet, info: &Info) {
        let total = drop_total(info, &formats.table);
        let drops = total.map(|total| format!("{}({})", total.record, total.element)).unwrap_or_default();
        let effects = effects(info, &formats.table);
        let lines =
            LinesInForce { usual: formats.usual_text.clone(), named: formats.named_text.clone(), drops, effects };
        let before = std::mem::replace(&mut *self.lines.write(), lines);
        let now = self.lines.read();
        let is_other_text = (&before.usual, &before.named) != (&now.usual, &now.named);
        let is_other_row = before.drops != now.drops || before.effects != now.effects;
        if is_other_row || (is_other_text && info.option(FMT).is_some()) {
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Number of changes so far that affect the decoder or its rows.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// All lines, with those of the option between those of other files. In a reference style, only lines that the user
    /// named.
    pub fn all(&self, is_reference: bool, own: &str) -> Vec<u8> {
        let lines = self.lines.read();
        let usual = if is_reference { "" } else { lines.usual.as_str() };
        [usual, own, "\n", lines.named.as_str()].concat().trim_ascii().as_bytes().to_vec()
    }

    pub fn text(&self) -> String {
        let lines = self.lines.read();
        [lines.usual.as_str(), &lines.named].concat()
    }

    /// Value of the option `drops`; empty if no line sets it.
    pub fn drops(&self) -> Vec<u8> {
        self.lines.read().drops.as_bytes().to_vec()
    }
}

/// The lines that affect severity or activities, in a fixed order.
fn effects(info: &Info, table: &FormatTable) -> Vec<(String, Layout)> {
    let records = info.names().flat_map(|name| table.records(name));
    let layouts = records.filter_map(|(id, _, layout)| Some((id.to_owned(), layout?.clone())));
    let mut effects: Vec<_> = layouts.filter(|(_, layout)| layout.has_effects()).collect();
    effects.sort_by(|one, other| one.0.cmp(&other.0));
    effects
}

/// The record with the total of dropped records, if the decoder has the option.
fn drop_total<'t>(info: &Info, table: &'t FormatTable) -> Option<&'t DropTotal> {
    info.names().find_map(|name| table.drops.get(name)).filter(|_| info.option(DROPS).is_some())
}

/// The valid lines of a file, and messages with the file's name about the others: the decoder gets the lines of all
/// files together, so it could not say where they are.
pub fn right_lines(path: &str, text: &[u8]) -> (String, Vec<String>) {
    let mut loader = Loader::new();
    if path.to_ascii_lowercase().ends_with(".xml") {
        loader.add_xml(text);
    } else {
        loader.add_text(text);
    }
    let loaded = loader.finish();
    let mut faults: Vec<String> = loaded.faults.iter().map(|fault| format!("{path}:{fault}")).collect();
    if loaded.more_faults > 0 {
        faults.push(format!("{path}: more than {} wrong lines", limits::FAULTS));
    }
    (loaded.files.into_iter().map(|file| file.text).collect(), faults)
}

/// The option value for a running decoder: `KEY=LINE` for each line, or `KEY=` for none.
pub fn as_options(key: &str, value: &[u8]) -> Vec<u8> {
    value.split(|byte| *byte == b'\n').flat_map(|line| [key.as_bytes(), b"=", line, b"\n"].concat()).collect()
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::info::Opt;

    use super::*;

    #[test]
    fn a_formatter_that_fails_is_reported_once() {
        let formatting = Formatting::default();
        formatting.failed("axis", &Fault::new("no"));
        formatting.failed("axis", &Fault::new("no"));
        assert_eq!(formatting.take_failures(), ["formatter axis: no; its records keep the decoder's text"]);
        formatting.failed("axis", &Fault::new("no"));
        assert!(formatting.take_failures().is_empty());
    }

    #[test]
    fn a_decoder_gets_the_lines_of_all_files_and_for_reference_text_those_that_were_named() {
        let lines = FormatLines::default();
        assert_eq!((lines.all(false, ""), lines.version()), (Vec::new(), 0));
        let named_text = "user 2 B \"\"\n".to_owned();
        let usual_text = "user 1 A \"\"\n".to_owned();
        let set = FormatSet { named_text, usual_text, ..FormatSet::default() };
        let info = taking(FMT);
        lines.set(&set, &info);
        assert_eq!(lines.all(false, "own"), b"user 1 A \"\"\nown\nuser 2 B \"\"");
        assert_eq!(lines.all(true, "own"), b"own\nuser 2 B \"\"");
        lines.set(&set, &info);
        assert_eq!(lines.version(), 1);
    }

    #[test]
    fn a_decoder_gets_the_record_with_the_total_of_drops() {
        let lines = FormatLines::default();
        let set = |text: &[u8], info: &Info| {
            let mut loader = Loader::new();
            loader.add_text(text);
            let named_text = "user 1 A \"\"\n".to_owned();
            lines.set(&FormatSet { table: loader.finish().table.into(), named_text, ..FormatSet::default() }, info);
            (String::from_utf8(lines.drops()).unwrap(), lines.version())
        };
        let info = taking(DROPS);
        assert_eq!(set(b"record qs A \"\" drops(0)", &info), (String::new(), 0));
        assert_eq!(set(b"record one A \"\" drops(2)", &info), ("A(2)".to_owned(), 1));
        assert_eq!(set(b"record one A \"\" drops(2)\nrecord one B \"\"", &info).1, 1, "only what it takes is news");
        assert_eq!(set(b"record one A \"\" drops(2)", &taking(FMT)), (String::new(), 2));
    }

    #[test]
    fn lines_that_make_records_severe_or_feed_the_views_are_news() {
        let lines = FormatLines::default();
        let set = |text: &str| {
            let mut loader = Loader::new();
            loader.add_text(text.as_bytes());
            lines.set(&FormatSet { table: loader.finish().table.into(), ..FormatSet::default() }, &taking(DROPS));
            lines.version()
        };
        assert_eq!(set("record one A a:u8"), 0, "a text alone changes no row");
        assert_eq!(set("record one A a:u8 value(a)"), 1);
        assert_eq!(set("record one A a:u8 value(a)\nrecord one B b:u8"), 1);
        assert_eq!(set("record two A a:u8 value(a)"), 2, "it is for another decoder");
        assert_eq!(set("words w 1 on!error\nrecord one A a:u8{w}"), 3);
        assert_eq!(set("words w 2 on!error\nrecord one A a:u8{w}"), 4);
    }

    fn taking(key: &'static str) -> Info {
        let option = Opt::<String>::text(key, |text| Ok(text.to_owned()), "").spec();
        Info { id: "one".into(), options: [option].into_iter().collect(), ..Info::default() }
    }

    #[test]
    fn wrong_lines_are_reported_with_the_name_of_their_file() {
        let (lines, faults) = right_lines("a.fmt", b"user 1 A \"\"\n\nuser 2");
        assert_eq!(lines, "user 1 A \"\"\n");
        assert_eq!(faults, ["a.fmt:3:1: too few words; a line is: user NUM NAME \"TEMPLATE\""]);
        let xml = b"<datakey format='%4u1x a'><event class='6' id='1'/></datakey>";
        assert_eq!(right_lines("a.XML", xml), ("user 1 1 \"a %lx\"\n".to_owned(), Vec::new()));
    }

    #[test]
    fn options_have_a_line_each() {
        assert_eq!(as_options(FMT, b"a\nb"), b"fmt=a\nfmt=b\n");
        assert_eq!(as_options(FMT, b""), b"fmt=\n");
    }
}
