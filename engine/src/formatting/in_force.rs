//! The formatters of a decoder, which may be exchanged while its rows are shown.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use spytui_formats::{Table, Template};
use spytui_plugin_api::{Fault, FormatterInfo, FormatterRef, Info};

use crate::{format_files::FormatSet, present::Labels, query::Vocabulary};

/// A formatter of a plugin.
#[derive(Debug, Clone)]
pub struct PluginFormatter {
    /// Its description.
    pub info: FormatterInfo,
    /// Its entries.
    pub table: FormatterRef,
    /// Where it comes from.
    pub origin: String,
}

impl std::fmt::Display for PluginFormatter {
    /// `axis: formatter of qs (liboven.so)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: formatter of {} ({})", self.info.id, self.info.protocol, self.origin)
    }
}

/// All formatters of one decoder, in the order in which they are asked: plugins, then format files.
#[derive(Debug)]
pub struct Formatters {
    /// Description of the decoder.
    pub(super) info: Info,
    pub(super) labels: Labels,
    pub(super) plugins: Vec<PluginFormatter>,
    table: Arc<Table>,
}

impl Formatters {
    /// The formatters of a decoder; `None` if it has none.
    #[must_use]
    pub fn new(info: &Info, plugins: &[PluginFormatter], table: &Arc<Table>) -> Option<Formatters> {
        let names = names(info);
        let is_own = |plugin: &&PluginFormatter| names.clone().any(|name| plugin.info.protocol == name);
        let plugins: Vec<PluginFormatter> = plugins.iter().filter(is_own).cloned().collect();
        let has_lines = names.clone().any(|name| table.has_records(name));
        if plugins.is_empty() && !has_lines {
            return None;
        }
        Some(Formatters { labels: Labels::new(info), info: info.clone(), plugins, table: Arc::clone(table) })
    }

    /// The line of a format file for a record.
    pub(super) fn template(&self, id: &str) -> Option<&Template> {
        names(&self.info).find_map(|name| self.table.record(name, id))
    }
}

/// All names of a decoder.
fn names(info: &Info) -> impl Iterator<Item = &str> + Clone {
    std::iter::once(info.id.as_str()).chain(info.aliases.iter().map(|alias| alias.as_str()))
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
    /// Lines of format files, for a decoder that takes them: usual ones, and those of files that the user named.
    lines: RwLock<(String, String)>,
}

/// Formatters that failed.
#[derive(Debug, Default)]
struct Failed {
    told: HashSet<String>,
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

    /// Exchanges the lines that a decoder takes when it is opened.
    pub fn set_lines(&self, formats: &FormatSet) {
        let mut lines = self.lines.write().unwrap_or_else(PoisonError::into_inner);
        *lines = (formats.usual_text.clone(), formats.named_text.clone());
    }

    /// All lines for a decoder that is opened, with those of its option between those of other files. In a reference
    /// style only what the user named.
    #[must_use]
    pub fn lines(&self, is_reference: bool, own: &[u8]) -> Vec<u8> {
        let lines = self.lines.read().unwrap_or_else(PoisonError::into_inner);
        let usual = if is_reference { "" } else { lines.0.as_str() };
        [usual.as_bytes(), own, b"\n", lines.1.as_bytes()].concat().trim_ascii().to_vec()
    }

    /// Keeps the message of a formatter that failed, the first time.
    pub(super) fn failed(&self, id: &str, fault: &Fault) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.told.insert(id.to_owned()) {
            failed.messages.push(format!("formatter {id}: {fault}; its records keep the decoder's text"));
        }
    }

    /// Messages of formatters that failed since the last call.
    #[must_use]
    pub fn take_failures(&self) -> Vec<String> {
        std::mem::take(&mut self.failed.lock().unwrap_or_else(PoisonError::into_inner).messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_gets_the_lines_of_all_files_and_for_reference_text_those_that_were_named() {
        let formatting = Formatting::default();
        assert_eq!(formatting.lines(false, b""), b"");
        let named_text = "user 2 B \"\"\n".to_owned();
        let usual_text = "user 1 A \"\"\n".to_owned();
        formatting.set_lines(&FormatSet { named_text, usual_text, ..FormatSet::default() });
        assert_eq!(formatting.lines(false, b"own"), b"user 1 A \"\"\nown\nuser 2 B \"\"");
        assert_eq!(formatting.lines(true, b"own"), b"own\nuser 2 B \"\"");
    }

    #[test]
    fn a_formatter_that_fails_is_told_once() {
        let formatting = Formatting::default();
        formatting.failed("axis", &Fault::new("no"));
        formatting.failed("axis", &Fault::new("no"));
        assert_eq!(formatting.take_failures(), ["formatter axis: no; its records keep the decoder's text"]);
        formatting.failed("axis", &Fault::new("no"));
        assert!(formatting.take_failures().is_empty());
    }
}
