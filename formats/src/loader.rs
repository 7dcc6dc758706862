//! Several files into one table.

use std::{collections::HashMap, sync::Arc};

use crate::{
    building::{Building, Read},
    drops::DropLines,
    limits,
    lines::{Line, next_line},
    loaded::{Fault, Loaded, Place},
    statement::Statement,
    words::{Wrong, words},
    xml,
};

/// Reads files, in order.
#[derive(Debug, Default)]
pub struct Loader {
    files: usize,
    /// What is read now are earlier lines of the next file.
    is_earlier: bool,
    lines: Vec<Read>,
    bytes: usize,
    entries: usize,
    conversions: usize,
    faults: Vec<Fault>,
    more_faults: usize,
    drops: DropLines,
}

/// Whether `minor` lines have a major code to belong to.
#[derive(Clone, Copy, PartialEq)]
enum MajorState {
    Missing,
    Wrong,
    Known,
}

impl Loader {
    /// Nothing read yet.
    pub fn new() -> Loader {
        Loader::default()
    }

    /// Reads the text of a `.fmt` file.
    pub fn add_text(&mut self, text: &[u8]) {
        self.read_text(self.files, text);
        self.files += 1;
    }

    /// Reads right lines that the next file had before somebody edited it. What they define stays as long as the file
    /// has nothing else in its place, but they are neither counted nor reported.
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
            if !self.add_line(file, &line, &mut major) {
                return;
            }
            rest = line.rest;
            number = line.next;
        }
    }

    /// Reads the text of an XML file with formats of user events.
    pub fn add_xml(&mut self, text: &[u8]) {
        let file = self.files;
        self.files += 1;
        if self.is_too_big(file, text) {
            return;
        }
        let translated = xml::translate(text);
        for (line, column, message) in translated.faults {
            self.fault(Place { file, line, column }, message);
        }
        for (number, column, text) in translated.lines {
            let Some(line) = next_line(text.as_bytes(), number) else { continue };
            let place = Place { file, line: number, column };
            match statement(&line) {
                Ok((text, mut statement)) => {
                    if !self.has_room(file, &mut statement, number) {
                        return;
                    }
                    self.lines.push(Read { place, statement, text, is_earlier: false });
                }
                Err(wrong) => self.fault(place, wrong.message),
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
        self.fault(Place { file, line: 1, column: 1 }, message);
        true
    }

    /// Reads a line; `false` if no more can be read.
    fn add_line(&mut self, file: usize, line: &Line<'_>, major: &mut MajorState) -> bool {
        let (text, mut statement) = match statement(line).and_then(|read| major.check(read)) {
            Ok(read) => read,
            Err(wrong) => {
                if line.bytes.trim_ascii_start().starts_with(b"major") {
                    *major = MajorState::Wrong;
                }
                let (number, column) = line.position(wrong.offset);
                self.fault(Place { file, line: number, column }, wrong.message);
                return true;
            }
        };
        if !self.has_room(file, &mut statement, line.number) {
            return false;
        }
        let (number, column) = line.position(0);
        let place = Place { file, line: number, column };
        // What the file said before yields to what it says now.
        if !self.is_earlier
            && let Err(wrong) = self.drops.take(&statement, place)
        {
            let (line, column) = line.position(wrong.offset);
            self.fault(Place { file, line, column }, wrong.message);
            return true;
        }
        self.lines.push(Read { place, statement, text, is_earlier: self.is_earlier });
        true
    }

    fn has_room(&mut self, file: usize, statement: &mut Statement, line: u32) -> bool {
        self.entries += match statement {
            Statement::Enum(_, texts) => texts.len(),
            Statement::Texts(_, texts) => texts.len(),
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
        self.fault(Place { file, line, column: 1 }, message);
        false
    }

    fn fault(&mut self, place: Place, message: String) {
        if self.is_earlier {
            return;
        }
        if self.faults.iter().rev().take_while(|fault| fault.place.file == place.file).count() < limits::FAULTS {
            self.faults.push(Fault { place, message });
        } else {
            self.more_faults += 1;
        }
    }

    /// The table of all files. Enums may be defined behind the lines that use them.
    pub fn finish(mut self) -> Loaded {
        let (mut enums, mut known) = (HashMap::new(), HashMap::new());
        for read in &mut self.lines {
            match &mut read.statement {
                Statement::Enum(name, texts) => _ = enums.insert(name.clone(), Arc::new(std::mem::take(texts))),
                Statement::Texts(name, texts) => _ = known.insert(name.clone(), Arc::new(texts.clone())),
                _ => {}
            }
        }
        let mut building = Building::new(self.files);
        for mut read in std::mem::take(&mut self.lines) {
            let enums_known = read.statement.template_mut().map_or(Ok(()), |template| template.resolve(&enums));
            let words_known = read.statement.layout_mut().map_or(Ok(()), |layout| layout.resolve(&known));
            match enums_known.and(words_known) {
                Ok(()) => building.add(read),
                Err(_) if read.is_earlier => {}
                Err(mistake) => self.fault(read.place, mistake.message),
            }
        }
        self.faults.sort_by_key(|fault| (fault.place.file, fault.place.line));
        Loaded { faults: self.faults, more_faults: self.more_faults, ..building.finish() }
    }
}

/// The text and meaning of a line.
fn statement(line: &Line<'_>) -> Result<(String, Statement), Wrong> {
    if line.is_too_long {
        return Err(Wrong::new(0, format!("the line is longer than {} KiB", limits::LINE >> 10)));
    }
    let text = std::str::from_utf8(&line.bytes);
    let text = text.map_err(|error| Wrong::new(error.valid_up_to(), "this is not UTF-8"))?;
    Ok((text.to_owned(), Statement::parse(text, &words(text)?)?))
}

impl MajorState {
    fn check(&mut self, read: (String, Statement)) -> Result<(String, Statement), Wrong> {
        let message = match (&read.1, *self) {
            (Statement::Minor(..), MajorState::Missing) => "there is no major line above",
            (Statement::Minor(..), MajorState::Wrong) => "the major line above is wrong",
            (Statement::Major(..), _) => {
                *self = MajorState::Known;
                return Ok(read);
            }
            _ => return Ok(read),
        };
        Err(Wrong::new(0, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Data, NoFields};

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
                "5:6: a number is expected: decimal or 0x hex",
                "6:13: unknown conversion %q; there are d i u x X o c s b n @ %",
                "7:1: too few words; a line is: user NUM NAME \"TEMPLATE\"",
            ]
        );
        assert_eq!((loaded.lines, loaded.texts), (vec![1], vec![" user 1 A \"%d\"\n".to_owned()]));
        assert_eq!(loaded.table.users.get(&1).unwrap().name, "A");
    }

    #[test]
    fn what_cannot_be_text_is_reported() {
        assert_eq!(faults(b"user 1 A \"\xFF\""), ["1:11: this is not UTF-8"]);
        assert_eq!(faults(b"\xEF\xBB\xBFuser 1 A \"x\""), Vec::<String>::new());
        assert_eq!(faults(b"user 1 A \\\n\"x"), ["2:1: the string has no end; a \" is missing"]);
        assert_eq!(faults(&[b'x'; limits::LINE + 1]), ["1:1: the line is longer than 256 KiB"]);
    }

    #[test]
    fn minor_lines_belong_to_a_right_major_line_of_their_file() {
        let reported = faults(b"minor 1 A \"\"\nmajor 0x1000000 B\nminor 1 C \"\"\nmajor 1 D\nminor 1 E \"\"");
        assert_eq!(
            reported,
            [
                "1:1: there is no major line above",
                "2:7: the number must be 0 to 16777215",
                "3:1: the major line above is wrong"
            ]
        );
        assert_eq!(load(&[b"major 1 A", b"minor 1 B \"\""]).faults.len(), 1);
    }

    #[test]
    fn enums_may_be_defined_anywhere() {
        let loaded =
            load(&[b"user 1 A \"%d{e}\"\nuser 2 B \"%d{f}\"", b"enum e 1 one\nenum e 1 eins -1 \"minus one\""]);
        let mut out = Vec::new();
        for number in [1i32, -1, 2] {
            loaded.table.users.get(&1).unwrap().template.render(&Data::new(&number.to_le_bytes()), &NoFields, &mut out);
        }
        assert_eq!(out, b"eins(1)minus one(-1)2");
        assert_eq!(loaded.faults[0].to_string(), "2:1: no enum f");
        assert!(!loaded.table.users.contains_key(&2));
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
            loaded.table.users.get(&event).unwrap().template.render(&Data::new(&[200, 200, 1]), &NoFields, &mut out);
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
        let none = "2:1: no words or bits n; there are fl m";
        assert_eq!(reported, [none, "3:1: fl has bit 9; 1 bytes have bits 0 to 7"]);
        assert!(loaded.table.record("qs", "1").is_some() && loaded.table.record("qs", "2").is_none());
        // Those of a later file replace them.
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
        assert_eq!(loaded.table.majors[&1].minors[&1].name, "Y");
        assert_eq!(loaded.records, [("qs".to_owned(), "USER+1".to_owned(), Place { file: 1, line: 3, column: 1 })]);
    }

    #[test]
    fn the_texts_of_right_lines_mean_the_same() {
        let loaded = load(&[b"major 1 A\nminor 1 X \"%d\\\n{e}\"", b"bad\nenum e 1 one", b"(milli) \":%d\""]);
        let text = loaded.texts.concat();
        let again = load(&[text.as_bytes()]);
        assert_eq!((again.faults.len(), &again.texts[0]), (0, &text));
        assert_eq!(again.table.majors.get(&1), loaded.table.majors.get(&1));
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
            loaded.table.users.get(&event).unwrap().template.render(&Data::new(b""), &NoFields, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!((shown(1).as_str(), shown(2).as_str()), ("old", "new"));
        assert_eq!((loaded.faults.len(), loaded.shadowed.len(), loaded.lines), (1, 0, vec![1]));
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
}
