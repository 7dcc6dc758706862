//! What format files say to a decoder itself: all lines, as its option `fmt`, and which record has the total of dropped
//! records, as its option `drops`.

use std::sync::{
    PoisonError, RwLock, RwLockReadGuard,
    atomic::{AtomicU64, Ordering},
};

use spytui_formats::{DropTotal, Layout, Loader, Table, limits};
use spytui_plugin_api::Info;

use crate::io::format_files::FormatSet;

/// The option that takes the text of format files.
pub(crate) const FMT: &str = "fmt";
/// The option that takes the record with the total of dropped records: `RECORD(ELEMENT)`.
pub(crate) const DROPS: &str = "drops";

/// The lines in force.
#[derive(Debug, Default)]
pub struct FormatLines {
    lines: RwLock<Lines>,
    /// Number of exchanges.
    version: AtomicU64,
}

#[derive(Debug, Default, PartialEq)]
struct Lines {
    /// Of files that the user did not name.
    usual: String,
    named: String,
    /// Value of the option `drops`, of a decoder that has it.
    drops: String,
    /// Lines that make records severe or feed the views while they are decoded, by record.
    effects: Vec<(String, Layout)>,
}

impl FormatLines {
    /// Exchanges the lines, as far as a decoder of this description takes them.
    pub fn set(&self, formats: &FormatSet, info: &Info) {
        let total = drop_total(info, &formats.table);
        let drops = total.map(|total| format!("{}({})", total.record, total.element)).unwrap_or_default();
        let effects = effects(info, &formats.table);
        let lines = Lines { usual: formats.usual_text.clone(), named: formats.named_text.clone(), drops, effects };
        let before = std::mem::replace(&mut *self.lines.write().unwrap_or_else(PoisonError::into_inner), lines);
        let now = self.read();
        let is_other_text = (&before.usual, &before.named) != (&now.usual, &now.named);
        let is_other_row = before.drops != now.drops || before.effects != now.effects;
        if is_other_row || (is_other_text && info.option(FMT).is_some()) {
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Number of exchanges of what the decoder takes, or rows depend on, so far.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// All lines, with those of the option between those of other files. In a reference style only what the user named.
    pub fn all(&self, is_reference: bool, own: &str) -> Vec<u8> {
        let lines = self.read();
        let usual = if is_reference { "" } else { lines.usual.as_str() };
        [usual, own, "\n", lines.named.as_str()].concat().trim_ascii().as_bytes().to_vec()
    }

    /// All lines of format files.
    pub fn text(&self) -> String {
        let lines = self.read();
        [lines.usual.as_str(), &lines.named].concat()
    }

    /// Value of the option `drops`; empty if no line says it.
    pub fn drops(&self) -> Vec<u8> {
        self.read().drops.as_bytes().to_vec()
    }

    fn read(&self) -> RwLockReadGuard<'_, Lines> {
        self.lines.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All names of a decoder.
pub(crate) fn names(info: &Info) -> impl DoubleEndedIterator<Item = &str> + Clone {
    std::iter::once(info.id.as_str()).chain(info.aliases.iter().map(|alias| alias.as_str()))
}

/// The lines that make records severe or feed the views, in a fixed order.
fn effects(info: &Info, table: &Table) -> Vec<(String, Layout)> {
    let records = names(info).flat_map(|name| table.records(name));
    let layouts = records.filter_map(|(id, _, layout)| Some((id.to_owned(), layout?.clone())));
    let mut effects: Vec<_> = layouts.filter(|(_, layout)| layout.has_effects()).collect();
    effects.sort_by(|one, other| one.0.cmp(&other.0));
    effects
}

/// Which record has the total of dropped records, for a decoder that takes it.
pub(super) fn drop_total<'t>(info: &Info, table: &'t Table) -> Option<&'t DropTotal> {
    names(info).find_map(|name| table.drops.get(name)).filter(|_| info.option(DROPS).is_some())
}

/// The right lines of a file, and what is wrong with the others, with the name of the file: the decoder gets them
/// together with those of other files, and could not say where they are.
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
    (loaded.texts.concat(), faults)
}

/// What a running decoder gets: `KEY=LINE` for each line of the value, or `KEY=` for none.
pub fn as_options(key: &str, value: &[u8]) -> Vec<u8> {
    value.split(|byte| *byte == b'\n').flat_map(|line| [key.as_bytes(), b"=", line, b"\n"].concat()).collect()
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::info::Opt;

    use super::*;

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
