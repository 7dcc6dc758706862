//! The formatters of a decoder, which may be exchanged while its rows are shown.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use spytui_formats::{Table, Template};
use spytui_plugin_api::{Fault, FormatterInfo, FormatterRef, Info};

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
    pub(super) plugins: Vec<PluginFormatter>,
    /// Lines of format files, by id or name.
    lines: HashMap<String, Line>,
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
    /// The formatters of a decoder; `None` if it has none.
    #[must_use]
    pub fn new(info: &Info, plugins: &[PluginFormatter], table: &Table) -> Option<Formatters> {
        let names = names(info);
        let is_own = |plugin: &&PluginFormatter| names.clone().any(|name| plugin.info.protocol == name);
        let plugins: Vec<PluginFormatter> = plugins.iter().filter(is_own).cloned().collect();
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
        Some(Formatters { labels: Labels::new(info), info: info.clone(), plugins, lines })
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
    /// Exchanges the formatters.
    pub fn set(&self, formatters: Option<Formatters>) {
        let is_active = formatters.is_some();
        let mut place = self.formatters.write().unwrap_or_else(PoisonError::into_inner);
        if !is_active && place.is_none() {
            return;
        }
        *place = formatters.map(Arc::new);
        self.is_active.store(is_active, Ordering::Release);
        self.version.fetch_add(1, Ordering::Release);
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
        for plugin in &formatters.plugins {
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
