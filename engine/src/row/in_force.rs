//! The formatters of a decoder, which may be exchanged while its rows are shown.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use spytui_formats::{Table, Template};
use spytui_plugin_api::{Fault, FormatterInfo, FormatterInstance, FormatterRef, Info, info::OptVal};

use super::lines::{FormatLines, drop_total, names};
use crate::{present::Labels, query::Vocabulary};

/// A formatter of a plugin.
#[derive(Debug, Clone)]
pub struct PluginFormatter {
    /// Its description.
    pub info: FormatterInfo,
    /// Its entries.
    pub table: FormatterRef,
    /// Where it comes from.
    pub origin: String,
    /// Version of its library.
    pub version: String,
}

/// All formatters of one decoder, in the order in which they are asked: plugins, then format files.
#[derive(Debug)]
pub struct Formatters {
    /// Description of the decoder.
    pub(super) info: Info,
    pub(super) labels: Labels,
    pub(super) plugins: Vec<OpenedFormatter>,
    /// Lines of format files, by id or name.
    lines: Arc<HashMap<String, Line>>,
}

/// A formatter of a plugin with the options that it was opened with.
#[derive(Debug, Clone)]
pub(super) struct OpenedFormatter {
    pub(super) plugin: PluginFormatter,
    /// `None` = it could not be opened.
    pub(super) opened: Option<Arc<FormatterInstance>>,
}

/// Values of options, by key as the user gives them.
type Values = Vec<(String, Vec<u8>)>;

impl PluginFormatter {
    /// How the user calls an option of a formatter.
    #[must_use]
    pub fn option_key(&self, key: &str) -> String {
        format!("{}-{key}", self.info.id)
    }

    /// Its options that are among these, by its own keys.
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

/// A line of a format file.
#[derive(Debug)]
struct Line {
    template: Template,
    /// Which element has the total of dropped records.
    total: Option<usize>,
    /// A record had its text.
    is_used: AtomicBool,
}

impl Formatters {
    /// The formatters of a decoder, not opened yet; `None` if it has none.
    #[must_use]
    pub fn new(info: &Info, plugins: &[PluginFormatter], table: &Table) -> Option<Formatters> {
        let names = names(info);
        let is_own = |plugin: &&PluginFormatter| names.clone().any(|name| plugin.info.protocol == name);
        let opened = |plugin: &PluginFormatter| OpenedFormatter { plugin: plugin.clone(), opened: None };
        let plugins: Vec<OpenedFormatter> = plugins.iter().filter(is_own).map(opened).collect();
        let drops = drop_total(info, table);
        // Lines for its id count more than those for its other names.
        let records = names.rev().flat_map(|name| table.records(name));
        let line = |(id, template): (&str, &Template)| {
            let total = drops.filter(|total| total.record == id).map(|total| total.element);
            (id.to_owned(), Line { template: template.clone(), total, is_used: AtomicBool::new(false) })
        };
        let lines: HashMap<String, Line> = records.map(line).collect();
        if plugins.is_empty() && lines.is_empty() {
            return None;
        }
        Some(Formatters { labels: Labels::new(info), info: info.clone(), plugins, lines: lines.into() })
    }

    /// The values of options that are formatters'.
    fn own(&self, values: &[OptVal<'_>]) -> Values {
        let keys = |one: &OpenedFormatter| {
            let OpenedFormatter { plugin, .. } = one;
            plugin.info.options.iter().map(|spec| plugin.option_key(&spec.key)).collect::<Vec<_>>()
        };
        let keys: Vec<String> = self.plugins.iter().flat_map(keys).collect();
        let own = values.iter().filter(|val| keys.iter().any(|key| *key == val.key));
        own.map(|val| (val.key.to_string(), val.value.to_vec())).collect()
    }

    /// The line of a format file for a record, which it is used for: its template, and which element has the total of
    /// dropped records.
    pub(super) fn line(&self, id: &str) -> Option<(&Template, Option<usize>)> {
        let line = self.lines.get(id)?;
        if !line.is_used.load(Ordering::Relaxed) {
            line.is_used.store(true, Ordering::Relaxed);
        }
        Some((&line.template, line.total))
    }

    /// Whether a record had the text of this line of a format file.
    #[must_use]
    pub fn has_used(&self, id: &str) -> bool {
        self.lines.get(id).is_some_and(|line| line.is_used.load(Ordering::Relaxed))
    }
}

/// The formatters in force, shared by all who render a decoder's rows.
#[derive(Debug, Default)]
pub struct Formatting {
    /// Without any, nothing else is looked at.
    is_active: AtomicBool,
    formatters: RwLock<Option<Arc<Formatters>>>,
    /// Number of exchanges.
    version: AtomicU64,
    /// The options of formatters in force.
    values: Mutex<Values>,
    failed: Mutex<Failed>,
    /// Lines of format files, for a decoder that takes them.
    lines: FormatLines,
}

/// What failed.
#[derive(Debug, Default)]
struct Failed {
    /// Formatters and messages about files that were reported.
    reported: HashSet<String>,
    messages: Vec<String>,
}

impl Formatting {
    /// Exchanges the formatters, and opens them.
    pub fn set(&self, mut formatters: Option<Formatters>) {
        let is_active = formatters.is_some();
        if let Some(formatters) = &mut formatters {
            self.open_all(formatters);
        }
        let mut place = self.formatters.write().unwrap_or_else(PoisonError::into_inner);
        if !is_active && place.is_none() {
            return;
        }
        *place = formatters.map(Arc::new);
        self.is_active.store(is_active, Ordering::Release);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Checks the values of options that are formatters'.
    ///
    /// # Errors
    /// The fault of a formatter that can't use them.
    pub fn check_options(&self, values: &[OptVal<'_>]) -> Result<(), Fault> {
        let Some(formatters) = self.get() else { return Ok(()) };
        let values = formatters.own(values);
        let has_some = |one: &&OpenedFormatter| one.plugin.own(&values).next().is_some();
        formatters.plugins.iter().filter(has_some).try_for_each(|one| one.plugin.open(&values).map(drop))
    }

    /// Opens the formatters again if their options have other values now; nothing changes if one can't use them.
    pub fn set_options(&self, values: &[OptVal<'_>]) {
        let Some(formatters) = self.get().filter(|_| self.check_options(values).is_ok()) else { return };
        let new = formatters.own(values);
        let before = std::mem::replace(&mut *self.values.lock().unwrap_or_else(PoisonError::into_inner), new.clone());
        if before != new {
            let (info, labels, lines) = (formatters.info.clone(), formatters.labels.clone(), formatters.lines.clone());
            self.set(Some(Formatters { info, labels, plugins: formatters.plugins.clone(), lines }));
        }
    }

    fn open_all(&self, formatters: &mut Formatters) {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for one in &mut formatters.plugins {
            match one.plugin.open(&values) {
                Ok(opened) => one.opened = Some(opened),
                Err(fault) => {
                    one.opened = None;
                    self.wrong_lines(vec![format!("{fault}; it is not used")]);
                }
            }
        }
    }

    /// The formatters in force.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Option<Arc<Formatters>> {
        if !self.is_active.load(Ordering::Acquire) {
            return None;
        }
        self.formatters.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds the kind words and names of fields that formatters give.
    pub fn add_words(&self, vocabulary: &mut Vocabulary) {
        let Some(formatters) = self.get() else { return };
        for OpenedFormatter { plugin, .. } in &formatters.plugins {
            vocabulary.kinds.extend(plugin.info.kind_words.iter().map(ToString::to_string));
            if let Some(fields) = &mut vocabulary.fields {
                fields.extend(plugin.info.fields.iter().map(ToString::to_string));
            }
        }
    }

    /// Number of exchanges so far. Texts made before the last one may be old.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Lines of format files, for a decoder that takes them.
    #[must_use]
    pub fn lines(&self) -> &FormatLines {
        &self.lines
    }

    /// Keeps messages about a format file, each the first time.
    pub fn wrong_lines(&self, messages: Vec<String>) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        for message in messages {
            if failed.reported.insert(message.clone()) {
                failed.messages.push(message);
            }
        }
    }

    /// Keeps the message of a formatter that failed, the first time.
    pub(super) fn failed(&self, id: &str, fault: &Fault) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.reported.insert(id.to_owned()) {
            failed.messages.push(format!("formatter {id}: {fault}; its records keep the decoder's text"));
        }
    }

    /// Messages about what failed since the last call.
    #[must_use]
    pub fn take_failures(&self) -> Vec<String> {
        std::mem::take(&mut self.failed.lock().unwrap_or_else(PoisonError::into_inner).messages)
    }
}

#[cfg(test)]
mod tests {
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
}
