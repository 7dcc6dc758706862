//! Loads several files into one table, line by line.

use std::{collections::HashMap, sync::Arc};

use crate::{
    layout::Texts,
    limits,
    statement::Statement,
    table::{DropTotal, FormatCode, FormatFault, FormatTable, Loaded, LoadedFile, Shadowed, TextPlace},
    words::{JoinedLine, Wrong, next_line, words},
    xml,
};

/// Loads files in order.
#[derive(Debug, Default)]
pub struct Loader {
    files: usize,
    /// The current lines are earlier ones of the next file.
    is_earlier: bool,
    lines: Vec<Read>,
    bytes: usize,
    entries: usize,
    conversions: usize,
    faults: Vec<FormatFault>,
    more_faults: usize,
    /// For each protocol, the record with the drop total and its line.
    drops: HashMap<String, (String, TextPlace)>,
}

/// The major line before `minor` lines.
#[derive(Clone, Copy)]
enum MajorState {
    Missing,
    Wrong,
    Known(u32),
}

impl Loader {
    pub fn new() -> Loader {
        Loader::default()
    }

    pub fn add_text(&mut self, text: &[u8]) {
        self.read_text(self.files, text);
        self.files += 1;
    }

    /// Loads valid lines that the next file had before it was edited. Their definitions stay until the file replaces
    /// them, but they are neither counted nor reported.
    pub fn add_earlier(&mut self, text: &str) {
        self.is_earlier = true;
        self.read_text(self.files, text.as_bytes());
        self.is_earlier = false;
    }

    fn read_text(&mut self, file: usize, text: &[u8]) {
        if self.is_too_big(file, text) {
            return;
        }
        let mut rest = text.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(text);
        let mut number = 1;
        let mut major = MajorState::Missing;
        while let Some(line) = next_line(rest, number) {
            if !self.add_line(file, &line, &mut major, |offset| line.position(offset)) {
                return;
            }
            rest = line.rest;
            number = line.next;
        }
    }

    /// Loads the text of an XML file with formats of user events.
    pub fn add_xml(&mut self, text: &[u8]) {
        let file = self.files;
        self.files += 1;
        if self.is_too_big(file, text) {
            return;
        }
        let translated = xml::translate(text);
        for (line, column, message) in translated.faults {
            self.fault(TextPlace { file, line, column }, message);
        }
        for (number, column, text) in translated.lines {
            let Some(line) = next_line(text.as_bytes(), number) else { continue };
            if !self.add_line(file, &line, &mut MajorState::Missing, |_| (number, column)) {
                return;
            }
        }
    }

    fn is_too_big(&mut self, file: usize, text: &[u8]) -> bool {
        let message = if text.len() > limits::FILE {
            format!("the file is larger than {} MiB and is not read", limits::FILE >> 20)
        } else if self.bytes + text.len() > limits::ALL_FILES {
            format!("the files together are larger than {} MiB; this one is not read", limits::ALL_FILES >> 20)
        } else {
            self.bytes += text.len();
            return false;
        };
        self.fault(TextPlace { file, line: 1, column: 1 }, message);
        true
    }

    /// Loads a line; returns `false` if the rest of the file must be skipped. `at` = line and column of an offset in it.
    fn add_line(
        &mut self,
        file: usize,
        line: &JoinedLine<'_>,
        major: &mut MajorState,
        at: impl Fn(usize) -> (u32, u32),
    ) -> bool {
        let place = |offset: usize| {
            let (line, column) = at(offset);
            TextPlace { file, line, column }
        };
        let (text, mut statement) = match statement(line).and_then(|read| major.check(read)) {
            Ok(read) => read,
            Err(wrong) => {
                if line.bytes.trim_ascii_start().starts_with(b"major") {
                    *major = MajorState::Wrong;
                }
                self.fault(place(wrong.offset), wrong.message);
                return true;
            }
        };
        if !self.has_room(file, &mut statement, line.number) {
            return false;
        }
        // Earlier lines of the file yield to its current ones.
        if !self.is_earlier
            && let Err(wrong) = self.take_drops(&statement, place(0))
        {
            self.fault(place(wrong.offset), wrong.message);
            return true;
        }
        self.lines.push(Read { place: place(0), statement, text, is_earlier: self.is_earlier });
        true
    }

    fn has_room(&mut self, file: usize, statement: &mut Statement, line: u32) -> bool {
        self.entries += match statement {
            Statement::Enum(_, texts) => texts.len(),
            Statement::Texts(_, Texts::Words(words)) => words.len(),
            Statement::Texts(_, Texts::Bits(bits)) => bits.len(),
            _ => 1,
        };
        self.conversions += statement.template_mut().map_or(0, |template| template.conversions());
        self.conversions += statement.layout_mut().map_or(0, |layout| layout.fields.len());
        let most = if self.entries > limits::ENTRIES {
            format!("{} entries", limits::ENTRIES)
        } else if self.conversions > limits::ALL_CONVERSIONS {
            format!("{} conversions", limits::ALL_CONVERSIONS)
        } else {
            return true;
        };
        let message = format!("more than {most}; this line and the rest of the file are not read");
        self.fault(TextPlace { file, line, column: 1 }, message);
        false
    }

    fn fault(&mut self, place: TextPlace, message: String) {
        if self.is_earlier {
            return;
        }
        if self.faults.iter().rev().take_while(|fault| fault.place.file == place.file).count() < limits::FAULTS {
            self.faults.push(FormatFault { place, message });
        } else {
            self.more_faults += 1;
        }
    }

    /// Builds the table of all files. Enums may be defined after the lines that use them.
    pub fn finish(mut self) -> Loaded {
        let (mut enums, mut known) = (HashMap::new(), HashMap::new());
        for read in &mut self.lines {
            match &mut read.statement {
                Statement::Enum(name, texts) => _ = enums.insert(name.clone(), Arc::new(std::mem::take(texts))),
                Statement::Texts(name, texts) => _ = known.insert(name.clone(), Arc::new(texts.clone())),
                _ => {}
            }
        }
        let files = vec![LoadedFile::default(); self.files];
        let mut loaded = Loaded { files, ..Loaded::default() };
        let mut defined = HashMap::new();
        for mut read in std::mem::take(&mut self.lines) {
            let enums_known = read.statement.template_mut().map_or(Ok(()), |template| template.resolve(&enums));
            let words_known = read.statement.layout_mut().map_or(Ok(()), |layout| layout.resolve(&known));
            match enums_known.and(words_known) {
                Ok(()) => add(read, &mut loaded, &mut defined),
                Err(_) if read.is_earlier => {}
                Err(message) => self.fault(read.place, message),
            }
        }
        self.faults.sort_by_key(|fault| (fault.place.file, fault.place.line));
        let record = |(key, defined): (Key, Defined)| match key {
            Key::Record(protocol, id) => Some((protocol, id, defined.place)),
            _ => None,
        };
        let mut records: Vec<_> = defined.into_iter().filter_map(record).collect();
        records.sort_by_key(|(_, _, place)| (place.file, place.line));
        Loaded { faults: self.faults, more_faults: self.more_faults, records, ..loaded }
    }

    /// Notes the record with the drop total of its protocol; fails if another one has it.
    fn take_drops(&mut self, statement: &Statement, place: TextPlace) -> Result<(), Wrong> {
        let Statement::Record { protocol, id, drops, .. } = statement else { return Ok(()) };
        match (drops, self.drops.get(protocol)) {
            (Some(drops), Some((other, at))) if other != id => {
                let of = if at.file == place.file { "" } else { " of another file" };
                let before = format!("{protocol} {other} has drops(FIELD) already, in line {}{of}", at.line);
                return Err(Wrong::new(drops.offset, format!("{before}; one record has the total")));
            }
            (Some(_), _) => _ = self.drops.insert(protocol.clone(), (id.clone(), place)),
            (None, Some((other, _))) if other == id => _ = self.drops.remove(protocol),
            (None, _) => {}
        }
        Ok(())
    }
}

fn statement(line: &JoinedLine<'_>) -> Result<(String, Statement), Wrong> {
    if line.is_too_long {
        return Err(Wrong::new(0, format!("the line is longer than {} KiB", limits::LINE >> 10)));
    }
    let text = std::str::from_utf8(&line.bytes);
    let text = text.map_err(|error| Wrong::new(error.valid_up_to(), "not UTF-8"))?;
    Ok((text.to_owned(), Statement::parse(text, &words(text)?)?))
}

impl MajorState {
    fn check(&mut self, mut read: (String, Statement)) -> Result<(String, Statement), Wrong> {
        match (&mut read.1, *self) {
            (Statement::Event(FormatCode::Minor(major, _), _), state) => match state {
                MajorState::Missing => return Err(Wrong::new(0, "no major line above")),
                MajorState::Wrong => return Err(Wrong::new(0, "the major line above is wrong")),
                MajorState::Known(above) => *major = above,
            },
            (Statement::Major(number, _), _) => *self = MajorState::Known(*number),
            _ => {}
        }
        Ok(read)
    }
}

#[derive(Debug)]
struct Read {
    place: TextPlace,
    statement: Statement,
    text: String,
    /// It is an earlier line of its file.
    is_earlier: bool,
}

/// What a line defines. A later line with the same key replaces an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Date,
    Milli,
    Header,
    Severity(u8),
    Enum(String),
    Texts(String),
    Major(u32),
    Event(FormatCode),
    Record(String, String),
}

struct Defined {
    what: String,
    place: TextPlace,
    /// Whether to report it as shadowed when replaced.
    is_reported: bool,
}

fn add(read: Read, loaded: &mut Loaded, defined: &mut HashMap<Key, Defined>) {
    let Read { place, statement, text, is_earlier } = read;
    if let Some(file) = loaded.files.get_mut(place.file) {
        let is_of_qnx = matches!(statement, Statement::Major(..) | Statement::Event(..));
        file.lines += usize::from(!is_earlier);
        file.qnx_lines += usize::from(!is_earlier && is_of_qnx);
        file.text.push_str(&text);
        file.text.push('\n');
    }
    let key = define(statement, &mut loaded.table);
    // A major line may repeat.
    let is_major = matches!(key, Key::Major(_));
    let now = Defined { what: beginning(&text), place, is_reported: !is_major && !is_earlier };
    if let Some(before) = defined.insert(key, now).filter(|before| before.is_reported) {
        loaded.shadowed.push(Shadowed { what: before.what, place: before.place, by: place });
    }
}

fn define(statement: Statement, table: &mut FormatTable) -> Key {
    match statement {
        Statement::Date(date) => {
            table.date = Some(date);
            Key::Date
        }
        Statement::Milli(milli) => {
            table.milli = Some(milli);
            Key::Milli
        }
        Statement::Header(header) => {
            table.header = Some(header);
            Key::Header
        }
        Statement::Severity(number, name) => {
            table.severities.insert(number, name);
            Key::Severity(number)
        }
        Statement::Enum(name, _) => Key::Enum(name),
        Statement::Texts(name, _) => Key::Texts(name),
        Statement::Major(number, name) => {
            table.majors.insert(number, name);
            Key::Major(number)
        }
        Statement::Event(code, entry) => {
            table.events.insert(code, entry);
            Key::Event(code)
        }
        Statement::Record { protocol, id, template, layout, drops } => {
            match drops {
                Some(drops) => {
                    let total = DropTotal { record: id.clone(), element: drops.element };
                    table.drops.insert(protocol.clone(), total);
                }
                None if table.drops.get(&protocol).is_some_and(|total| total.record == id) => {
                    table.drops.remove(&protocol);
                }
                None => {}
            }
            table.records.entry(protocol.clone()).or_default().insert(id.clone(), (template, layout));
            Key::Record(protocol, id)
        }
    }
}

fn beginning(text: &str) -> String {
    let before = text.split_once('"').map_or(text, |(before, _)| before);
    before.split_ascii_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Data, Loader};

    fn load(files: &[&[u8]]) -> Loaded {
        let mut loader = Loader::new();
        for file in files {
            loader.add_text(file);
        }
        loader.finish()
    }

    fn faults(text: &[u8]) -> Vec<String> {
        load(&[text]).faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn wrong_lines_are_reported_and_the_others_count() {
        let loaded =
            load(&[b"majr 1 A\n user 1 A \"%d\"\nuser 1024 B \"\"\n\nuser x C \"\"\nuser 2 D \"ab%q\"\nuser 3 E\n"]);
        let reported: Vec<String> = loaded.faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            reported,
            [
                "1:1: unknown word \"majr\"; a line begins with (date) (milli) (header) severity enum major minor opcode \
                 user record words bits",
                "3:6: the number must be 0 to 1023",
                "5:6: expected a number: decimal or 0x hex",
                "6:13: unknown conversion %q; known are d i u x X o c s b n @ %",
                "7:1: too few words; a line is: user NUM NAME \"TEMPLATE\"",
            ]
        );
        let text = " user 1 A \"%d\"\n".to_owned();
        assert_eq!(loaded.files, [LoadedFile { lines: 1, qnx_lines: 1, text }]);
        assert_eq!(loaded.table.events.get(&FormatCode::User(1)).unwrap().name, "A");
    }

    #[test]
    fn what_cannot_be_text_is_reported() {
        assert_eq!(faults(b"user 1 A \"\xFF\""), ["1:11: not UTF-8"]);
        assert_eq!(faults(b"\xEF\xBB\xBFuser 1 A \"x\""), Vec::<String>::new());
        assert_eq!(faults(b"user 1 A \\\n\"x"), ["2:1: missing \" at the end of the string"]);
        assert_eq!(faults(&[b'x'; limits::LINE + 1]), ["1:1: the line is longer than 256 KiB"]);
    }

    #[test]
    fn minor_lines_belong_to_a_right_major_line_of_their_file() {
        let reported = faults(b"minor 1 A \"\"\nmajor 0x1000000 B\nminor 1 C \"\"\nmajor 1 D\nminor 1 E \"\"");
        assert_eq!(
            reported,
            ["1:1: no major line above", "2:7: the number must be 0 to 16777215", "3:1: the major line above is wrong"]
        );
        assert_eq!(load(&[b"major 1 A", b"minor 1 B \"\""]).faults.len(), 1);
    }

    #[test]
    fn enums_may_be_defined_anywhere() {
        let loaded =
            load(&[b"user 1 A \"%d{e}\"\nuser 2 B \"%d{f}\"", b"enum e 1 one\nenum e 1 eins -1 \"minus one\""]);
        let mut out = Vec::new();
        for number in [1i32, -1, 2] {
            loaded.table.events.get(&FormatCode::User(1)).unwrap().template.render(
                &Data::new(&number.to_le_bytes()),
                &|_, _| false,
                &mut out,
            );
        }
        assert_eq!(out, b"eins(1)minus one(-1)2");
        assert_eq!(loaded.faults[0].to_string(), "2:1: no enum f");
        assert!(!loaded.table.events.contains_key(&FormatCode::User(2)));
        assert_eq!(loaded.shadowed.len(), 1);
    }

    #[test]
    fn a_value_without_a_text_is_decimal_or_keeps_its_form() {
        let mut loader = Loader::new();
        loader.add_text(b"enum e 1 one\nuser 1 A \"%04hhx{e} %04hhx{e?} %hhx{e?}\"");
        let event = "<event class='6' id='2'/><enum name='a' value='1' string='one'/>";
        loader.add_xml(format!("<datakey format='%1u1x a %1u1d b'>{event}</datakey>").as_bytes());
        let loaded = loader.finish();
        let shown = |event| {
            let mut out = Vec::new();
            loaded.table.events.get(&FormatCode::User(event)).unwrap().template.render(
                &Data::new(&[200, 200, 1]),
                &|_, _| false,
                &mut out,
            );
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            (loaded.faults.len(), shown(1), shown(2)),
            (0, " 200 00c8 one(1)".into(), "a c8  b 200 [+1]".into())
        );
    }

    #[test]
    fn words_may_stand_behind_the_lines_that_use_them_and_must_be_there() {
        let first = b"record qs 1 x:u8{m}\nrecord qs 2 x:u8{n}\nrecord qs 3 x:u8{fl}\nwords m 0 a\nbits fl 9 hot";
        let loaded = load(&[first, b"bits m 3 c"]);
        let reported: Vec<String> = loaded.faults.iter().map(ToString::to_string).collect();
        let none = "2:1: no words or bits n; known are fl m";
        assert_eq!(reported, [none, "3:1: fl has bit 9; 1 bytes have bits 0 to 7"]);
        assert!(loaded.table.record("qs", "1").is_some() && loaded.table.record("qs", "2").is_none());
        // Words of a later file replace earlier ones.
        let texts = loaded.table.layout("qs", "1").unwrap().fields[0].texts.clone().unwrap();
        assert!(matches!(&*texts, crate::layout::Texts::Bits(bits) if bits[0].0 == 3));
        assert_eq!(loaded.shadowed[0].what, "words m 0");
    }

    #[test]
    fn later_lines_replace_earlier_ones() {
        let first = b"record qs USER+1 \"a\"\nmajor 1 A\nminor 1 X \"x\"";
        let second = b"major 1 A\nminor 1 Y \"y\"\nrecord qs USER+1 \"b\"";
        let loaded = load(&[first, second]);
        let shadowed: Vec<_> = loaded.shadowed.iter().map(|s| (s.what.as_str(), s.place.line, s.by.line)).collect();
        assert_eq!(shadowed, [("minor 1 X", 3, 2), ("record qs USER+1", 1, 3)]);
        assert_eq!(loaded.table.events[&FormatCode::Minor(1, Some(1))].name, "Y");
        assert_eq!(loaded.records, [("qs".to_owned(), "USER+1".to_owned(), TextPlace { file: 1, line: 3, column: 1 })]);
    }

    #[test]
    fn the_texts_of_right_lines_mean_the_same() {
        let loaded = load(&[b"major 1 A\nminor 1 X \"%d\\\n{e}\"", b"bad\nenum e 1 one", b"(milli) \":%d\""]);
        let text: String = loaded.files.iter().map(|file| file.text.as_str()).collect();
        let again = load(&[text.as_bytes()]);
        assert_eq!((again.faults.len(), &again.files[0].text), (0, &text));
        assert_eq!((again.table.majors, again.table.events), (loaded.table.majors, loaded.table.events));
        assert_eq!(again.table.milli, loaded.table.milli);
    }

    #[test]
    fn earlier_lines_stay_until_they_are_replaced() {
        let mut loader = Loader::new();
        loader.add_earlier("user 1 A \"old\"\nuser 2 B \"old\"\nuser 3 C \"%d{gone}\"");
        loader.add_text(b"user 1 A \"%q\"\nuser 2 B \"new\"");
        let loaded = loader.finish();
        let shown = |event| {
            let mut out = Vec::new();
            loaded.table.events.get(&FormatCode::User(event)).unwrap().template.render(
                &Data::new(b""),
                &|_, _| false,
                &mut out,
            );
            String::from_utf8(out).unwrap()
        };
        assert_eq!((shown(1).as_str(), shown(2).as_str()), ("old", "new"));
        assert_eq!((loaded.faults.len(), loaded.shadowed.len(), loaded.files[0].lines), (1, 0, 1));
    }

    #[test]
    fn hostile_files_end_in_a_message() {
        let big = vec![b'#'; limits::FILE + 1];
        assert_eq!(faults(&big), ["1:1: the file is larger than 4 MiB and is not read"]);
        let lines = "user 1 A \"\"\n".repeat(limits::ENTRIES + 5);
        assert_eq!(
            faults(lines.as_bytes()),
            ["65537:1: more than 65536 entries; this line and the rest of the file are not read"]
        );
        let template = "%d".repeat(limits::CONVERSIONS);
        let lines = format!("user 1 A \"{template}\"\n").repeat(limits::ALL_CONVERSIONS / limits::CONVERSIONS + 1);
        assert_eq!(
            faults(lines.as_bytes()),
            ["1025:1: more than 262144 conversions; this line and the rest of the file are not read"]
        );
        let loaded = load(&["x\n".repeat(1000).as_bytes()]);
        assert_eq!((loaded.faults.len(), loaded.more_faults), (limits::FAULTS, 1000 - limits::FAULTS));
        let mut loader = Loader { bytes: limits::ALL_FILES, ..Loader::default() };
        loader.add_text(b"#");
        assert_eq!(
            loader.finish().faults[0].to_string(),
            "1:1: the files together are larger than 16 MiB; this one is not read"
        );
    }

    #[test]
    fn one_record_of_a_protocol_has_the_total_of_drops() {
        let load = |text: &[u8]| {
            let mut loader = Loader::new();
            loader.add_text(text);
            let loaded = loader.finish();
            let reported: Vec<String> = loaded.faults.iter().map(ToString::to_string).collect();
            (loaded.table.drops.get("qs").map(|total| (total.record.clone(), total.element)), reported)
        };
        let total = |record: &str, element| Some((record.to_owned(), element));
        assert_eq!(load(b"record qs A \"\" drops(0)\nrecord rkh B \"{1}\" drops(1)"), (total("A", 0), vec![]));
        assert_eq!(load(b"record qs A \"%hd %n %u\" drops(2)"), (total("A", 2), vec![]));
        assert_eq!(load(b"record qs A \"%hd\" drops(1)"), (total("A", 1), vec![]), "it is behind the text");
        assert_eq!(load(b"record qs A \"\" drops(0)\nrecord qs A \"\" drops(3)"), (total("A", 3), vec![]));
        assert_eq!(load(b"record qs A \"\" drops(0)\nrecord qs A \"\""), (None, vec![]));
        let (first, reported) = load(b"record qs A \"\" drops(0)\nrecord qs B \"\" \\\n  drops(0)\nrecord qs B \"\"");
        assert_eq!(first, total("A", 0));
        assert_eq!(reported, ["3:3: qs A has drops(FIELD) already, in line 1; one record has the total"]);
        assert_eq!(
            load(b"record qs A \"%s %d %hu\" drops(NOSUCH)\nrecord qs A \"%d\" drops(0)\nrecord qs A \"%s %hu\" drops(1)\n\
                record qs A \"\" drop(0)\nrecord qs A \"\" drops(0) drops(1)\nrecord qs A \"\" drops(256)\nrecord qs A drops(0)")
                .1,
            [
                "1:31: no field \"NOSUCH\"; the fields of application records are their elements: 0 is the first",
                "2:24: the template does not read element 0 as an unsigned integer of 4 or 8 bytes, as %u or {0} would",
                "3:28: the template does not read element 1 as an unsigned integer of 4 or 8 bytes, as %u or {1} would",
                "4:16: only drops(FIELD) may follow the template",
                "5:25: too many words; a line is: record PROTO ID|NAME \"TEMPLATE\" [drops(FIELD)]",
                "6:22: the number of an element is at most 255",
                "7:13: expected a text in \"",
            ]
        );
    }

    #[test]
    fn the_total_of_drops_moves_when_its_line_is_edited() {
        let mut loader = Loader::new();
        loader.add_earlier("record qs A \"\" drops(0)");
        loader.add_text(b"record qs B \"\" drops(1)");
        let loaded = loader.finish();
        assert_eq!((loaded.faults.len(), loaded.table.drops.get("qs").map(|total| total.element)), (0, Some(1)));
    }
}
