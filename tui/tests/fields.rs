//! Every jsonl field of any capture can be used in a filter, and finds the rows that have it; csv equals jsonl.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value, json};
use spytui::model::prompt::Help;
use spytui_engine::{
    export::{
        CsvRows, Jsonl, NativeRows,
        lines::{LineForm, Lines},
    },
    open::{Decoder, Options, Origin, Registry},
    query::{Expr, Vocabulary, field_name, parse},
    row::{RowView, subject::passes},
    store::View,
    trace::stream::{Filtered, Sink},
};
use spytui_plugin_api::{Info, LibraryRef, RowKind, Want, chunk::MAX_CHUNK};

use crate::fuzzing::fixture;
use crate::pipeline::decode;

/// Receives rows as jsonl, and searches each of their fields.
struct Fields {
    vocabulary: Vocabulary,
    known: HashMap<String, Option<Expr>>,
    file: String,
    /// Fields that could not be used or were not found.
    wrong: Vec<String>,
}

impl Fields {
    fn looks_for(&mut self, item: &RowView<'_>, name: &str) {
        let expr = self.known.entry(name.to_owned()).or_insert_with(|| {
            let expr = parse(&format!("{}:*", field_name(name)), &self.vocabulary);
            expr.map_err(|error| self.wrong.push(format!("{}: {error}", self.file))).ok()
        });
        if let Some(expr) = expr.as_ref().filter(|expr| !expr.matches(item)) {
            self.wrong.push(format!("{}: {expr} at {}", self.file, item.pos()));
        }
    }
}

impl Sink for Fields {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        let mut line = Vec::new();
        Jsonl::new(&mut line).row(item)?;
        let row = rows(&line).remove(0);
        for name in row.get("fields").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            self.looks_for(item, name);
        }
        Ok(())
    }
}

/// Takes the rows that pass a filter one by one, as one thread makes their lines.
struct OneByOne<'a, F> {
    lines: Lines<&'a mut Vec<u8>, F>,
    filter: Expr,
}

impl<F: LineForm> Sink for OneByOne<'_, F> {
    fn want(&self) -> Want {
        self.lines.want()
    }

    fn names(&self) -> (View, bool) {
        self.lines.names()
    }

    fn single(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        if passes(&self.filter, item) { self.lines.row(item) } else { Ok(()) }
    }
}

fn decoder(id: &str, library: LibraryRef) -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.plans.push(("qs", spytui_decoder_qs::plans));
    registry.plans.push(("rkh", spytui_decoder_rkh::plans));
    registry.add(library, &Origin::BuiltIn).unwrap();
    registry.find(id).unwrap()
}

fn captures(folder: &str) -> impl Iterator<Item = PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(folder).join("tests/captures");
    let is_capture = |path: &PathBuf| path.extension().is_some_and(|end| end == "bin" || end == "kev" || end == "log");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_capture)
}

fn run(decoder: &Arc<Decoder>, bytes: &[u8], sink: &mut impl Sink) {
    decode(decoder, &Options::default(), bytes, MAX_CHUNK, sink);
}

/// Decodes captures; returns the number of their fields.
fn every_field(id: &str, library: LibraryRef, folder: &str) -> usize {
    let decoder = decoder(id, library);
    let vocabulary = decoder.vocabulary();
    let mut sink = Fields { vocabulary, known: HashMap::new(), file: String::new(), wrong: Vec::new() };
    for path in captures(folder) {
        sink.file = path.display().to_string();
        run(&decoder, &fs::read(&path).unwrap(), &mut sink);
    }
    assert!(sink.wrong.is_empty(), "{:#?}", sink.wrong);
    sink.known.len()
}

/// A line of csv, by column.
type Cells = HashMap<String, String>;

/// The lines of csv and the objects of jsonl.
fn both(decoder: &Arc<Decoder>, bytes: &[u8]) -> (Vec<Cells>, Vec<Map<String, Value>>) {
    let (mut csv, mut jsonl) = (Vec::new(), Vec::new());
    run(decoder, bytes, &mut CsvRows::new(&mut csv, false));
    run(decoder, bytes, &mut Jsonl::new(&mut jsonl));
    let mut lines = cells(&String::from_utf8_lossy(&csv)).into_iter();
    let columns = lines.next().unwrap_or_default();
    let lines = lines.map(|cells| columns.iter().cloned().zip(cells).collect()).collect();
    (lines, rows(&jsonl))
}

/// The jsonl rows, without the version line.
fn rows(jsonl: &[u8]) -> Vec<Map<String, Value>> {
    str::from_utf8(jsonl).unwrap().lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The cells of each line. Quoted cells may contain line feeds.
fn cells(csv: &str) -> Vec<Vec<String>> {
    let (mut lines, mut quoted) = (vec![vec![String::new()]], false);
    for c in csv.strip_suffix('\n').unwrap_or(csv).chars() {
        let line = lines.last_mut().unwrap();
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(String::new()),
            '\n' if !quoted => lines.push(vec![String::new()]),
            c => line.last_mut().unwrap().push(c),
        }
    }
    lines
}

#[test]
fn csv_says_the_same_as_jsonl() {
    for (id, library, folder) in decoders() {
        let decoder = decoder(id, library);
        let mut notes = 0;
        for path in captures(folder) {
            let (csv, jsonl) = both(&decoder, &fs::read(&path).unwrap());
            assert_eq!(csv.len(), jsonl.len(), "{}", path.display());
            for (cells, object) in csv.iter().zip(&jsonl) {
                let is_note = object["type"] == "note";
                notes += usize::from(is_note);
                let common: &[&str] = &["type", "pos", "time", "ns", "host", "lane", "kind"];
                let of_record: &[&str] = if is_note { &[] } else { &["n", "len", "seq", "id", "group"] };
                for key in common.iter().chain(of_record) {
                    let value = match object.get(*key) {
                        Some(Value::String(text)) => text.clone(),
                        Some(value) => value.to_string(),
                        None => String::new(),
                    };
                    assert_eq!(cells[*key], value, "{key} of {object:?} in {}", path.display());
                }
            }
        }
        assert!(notes > 0, "{id}");
    }
}

/// The decoders, and the folders of their captures.
fn decoders() -> [(&'static str, LibraryRef, &'static str); 4] {
    [
        ("qnx", spytui_decoder_qnx::plugin(), "qnx"),
        ("qs", spytui_decoder_qs::plugin(), "qs"),
        ("rkh", spytui_decoder_rkh::plugin(), "rkh-trazer"),
        ("tband", spytui_decoder_tband::plugin(), "tband"),
    ]
}

#[test]
fn keys_and_columns_are_documented() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/output.md")).unwrap();
    let (jsonl, csv) = text.split_once("## csv").unwrap();
    let columns: Vec<&str> = csv.lines().find(|line| line.starts_with("type,")).unwrap().split(',').collect();
    let rows: Vec<&str> = jsonl.lines().filter(|line| line.starts_with("| `")).collect();
    for (id, library, folder) in decoders() {
        let decoder = decoder(id, library);
        for path in captures(folder) {
            let (lines, objects) = both(&decoder, &fs::read(&path).unwrap());
            for key in lines.first().into_iter().flat_map(HashMap::keys) {
                assert!(columns.contains(&key.as_str()), "{key}");
            }
            for key in objects.iter().flat_map(Map::keys) {
                let is_known = |row: &&str| row.split('|').nth(1).unwrap().contains(&format!("`{key}`"));
                assert!(rows.iter().any(is_known), "{key} of {}", path.display());
            }
        }
    }
}

/// Whether a string is the lossy text of these bytes.
fn is_rest(string: &Value, raw: &Value) -> bool {
    let digits = raw.as_str().unwrap();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
    std::str::from_utf8(&bytes).is_err() && String::from_utf8_lossy(&bytes) == string.as_str().unwrap()
}

#[test]
fn strings_that_are_not_utf_8_have_their_bytes() {
    let decoder = decoder("tband", spytui_decoder_tband::plugin());
    let mut stream = spytui_decoder_harness::encode::tband::Stream::default();
    stream.meta(0x06, &[1], b"caf\xE9").meta(0x06, &[2], "café".as_bytes());
    stream.event(0x07, 5, &[1], b"\xFF\xFE").event(0x07, 6, &[2], b"\x80").event(0x07, 7, &[2], "ü\u{FFFD}".as_bytes());
    let rows = both(&decoder, &stream.bytes).1;
    let raw: Vec<Value> = rows.iter().map(|row| row.get("raw").cloned().unwrap_or(Value::Null)).collect();
    let expected = json!([
        { "name": "636166e9", "evtmarker_id": "636166e9" },
        null,
        { "msg": "fffe", "evtmarker_id": "636166e9" },
        { "msg": "80" },
        null,
    ]);
    assert_eq!(json!(raw), expected);
}

/// Bytes in `raw` differ from the string, and every difference is in `raw`.
#[test]
fn no_string_loses_a_byte_silently() {
    let mut lossy = 0;
    for (id, library, folder) in decoders() {
        let decoder = decoder(id, library);
        for path in captures(folder) {
            for row in both(&decoder, &fs::read(&path).unwrap()).1 {
                let raw = row.get("raw").and_then(Value::as_object).cloned().unwrap_or_default();
                lossy += raw.len();
                for (key, raw) in &raw {
                    let string = [row.get("fields"), row.get("names"), Some(&Value::Object(row.clone()))];
                    let string = string.into_iter().flatten().filter_map(|of| of.get(key)).find(|v| v.is_string());
                    assert!(is_rest(string.unwrap(), raw), "{row:?}");
                }
                for of in [row.get("fields"), row.get("names")].into_iter().flatten() {
                    for (key, value) in of.as_object().unwrap() {
                        let is_lossy = value.as_str().is_some_and(|text| text.contains('\u{FFFD}'));
                        assert!(!is_lossy || raw.contains_key(key), "{row:?}");
                    }
                }
                for item in row.get("items").and_then(Value::as_array).into_iter().flatten() {
                    let is_lossy = item["v"].as_str().is_some_and(|text| text.contains('\u{FFFD}'));
                    assert_eq!(is_lossy, item.get("raw").is_some_and(|raw| is_rest(&item["v"], raw)), "{row:?}");
                }
            }
        }
    }
    assert!(lossy > 2, "{lossy}");
}

#[test]
fn the_id_of_a_code_does_not_depend_on_where_the_file_begins() {
    let decoder = decoder("qnx", spytui_decoder_qnx::plugin());
    for (name, from) in [("classic-qnx4.log", 42), ("classic-nto1.bin", 80)] {
        let path = captures("qnx").find(|path| path.ends_with(name)).unwrap();
        let bytes = fs::read(path).unwrap();
        let ids = |bytes: &[u8]| -> HashMap<String, u64> {
            let records = both(&decoder, bytes).1.into_iter().filter(|row| row["type"] == "record");
            records.map(|row| (row["kind"].as_str().unwrap().to_owned(), row["id"].as_u64().unwrap())).collect()
        };
        let (all, later) = (ids(&bytes), ids(&bytes[from..]));
        assert!(later.len() > 10 && later.iter().all(|(kind, id)| all[kind] == *id), "{name}");
        let records = both(&decoder, &bytes).1.into_iter().filter(|row| row["type"] == "record");
        for row in records {
            let code = row["fields"].get("code").unwrap_or_else(|| &row["fields"]["opcode"]);
            assert_eq!(&row["id"], code, "{name}");
        }
    }
}

#[test]
fn of_qnx() {
    assert!(every_field("qnx", spytui_decoder_qnx::plugin(), "qnx") > 60);
}

#[test]
fn messages_are_found_by_the_text_they_begin_with() {
    let decoder = decoder("qnx", spytui_decoder_qnx::plugin());
    let lines = |filter: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/qnx/tests/captures/wide-be.kev");
        let mut lines = Vec::new();
        let filter = parse(filter, &decoder.vocabulary()).unwrap();
        let mut sink = Filtered::new(Box::new(Jsonl::new(&mut lines)), filter);
        run(&decoder, &fs::read(&path).unwrap(), &mut sink);
        drop(sink);
        String::from_utf8(lines).unwrap().lines().filter(|line| line.contains("\"n\":")).count()
    };
    assert_eq!(lines("msg:PING or rmsg:PING"), lines("PING"));
    assert_eq!(lines("msg:PING,0x50494e47"), lines("kind:MSG_SENDV PING"));
    assert_eq!(lines("errno>0"), lines("ret_val:-1"));
    assert!(lines("info->pid>0") > 0);
    assert_eq!(lines("class:KER_CALL,KER_EXIT,INT_CALL"), lines("group:CALL"));
}

#[test]
fn of_qs() {
    assert!(every_field("qs", spytui_decoder_qs::plugin(), "qs") > 20);
}

#[test]
fn of_rkh() {
    assert!(every_field("rkh", spytui_decoder_rkh::plugin(), "rkh-trazer") > 20);
}

#[test]
fn of_tband() {
    assert!(every_field("tband", spytui_decoder_tband::plugin(), "tband") > 5);
}

#[test]
fn planned_fields_are_written_like_rendered_ones() {
    for (id, library, folder) in decoders().into_iter().filter(|(id, ..)| ["qs", "rkh"].contains(id)) {
        let planned = decoder(id, library);
        let mut rendered = Decoder::clone(&planned);
        assert!(rendered.plans.take().is_some());
        let rendered = Arc::new(rendered);
        let mut len = 0;
        for path in captures(folder) {
            let good = fs::read(&path).unwrap();
            let mut damaged = good.clone();
            damaged.iter_mut().step_by(97).for_each(|byte| *byte = byte.wrapping_mul(37) ^ 0x7D);
            for bytes in [good, damaged] {
                let lines = [&planned, &rendered].map(|decoder| {
                    let (mut csv, mut columns, mut jsonl) = (Vec::new(), Vec::new(), Vec::new());
                    run(decoder, &bytes, &mut CsvRows::new(&mut csv, false));
                    let fields = ["sig", "obj", "ao"].map(str::to_owned).to_vec();
                    run(decoder, &bytes, &mut CsvRows::new(&mut columns, false).with_fields(fields));
                    run(decoder, &bytes, &mut Jsonl::new(&mut jsonl));
                    [csv, columns, jsonl].map(|lines| String::from_utf8(lines).unwrap())
                });
                let [of_plans, of_rows] = lines.each_ref().map(|all| all.iter().flat_map(|lines| lines.lines()));
                let differs = of_plans.zip(of_rows).find(|(of_plan, of_row)| of_plan != of_row);
                assert_eq!(differs, None, "{}", path.display());
                assert!(lines[0] == lines[1]);
                len += lines[0][2].len();
            }
        }
        assert!(len > 100_000, "{id}: {len}");
    }
}

#[test]
fn lines_made_by_several_threads_are_those_of_one() {
    fn same<F: LineForm>(
        decoder: &Arc<Decoder>,
        bytes: &[u8],
        lines: fn(&mut Vec<u8>) -> Lines<&mut Vec<u8>, F>,
    ) -> usize {
        let filters = ["", "e", "-a", "n:9..5000 0"].map(|text| parse(text, &Vocabulary::open()).unwrap());
        let lens = filters.map(|filter| {
            let (mut divided, mut one) = (Vec::new(), Vec::new());
            run(decoder, bytes, &mut Filtered::new(Box::new(lines(&mut divided)), filter.clone()));
            run(decoder, bytes, &mut OneByOne { lines: lines(&mut one), filter });
            assert!(divided == one);
            divided.len()
        });
        lens.into_iter().sum()
    }
    for (id, library, folder) in decoders() {
        let decoder = decoder(id, library);
        let longest = captures(folder).max_by_key(|path| path.metadata().unwrap().len()).unwrap();
        // Blocks are long enough to be divided.
        let bytes = fs::read(longest).unwrap().repeat(4);
        let len = same(&decoder, &bytes, |out| NativeRows::new(out))
            + same(&decoder, &bytes, |out| CsvRows::new(out, false))
            + same(&decoder, &bytes, |out| Jsonl::new(out));
        assert!(len > 100_000, "{id}: {len}");
    }
}

#[test]
fn each_meaning_is_of_a_kind_or_of_a_field_of_one() {
    for decoder in &fixture::registry().decoders {
        let info = &decoder.info;
        let fields = info.kinds.iter().flat_map(|kind| &kind.fields).map(|field| format!(".{field}"));
        let known: HashSet<String> = info.kinds.iter().map(|kind| kind.name.to_string()).chain(fields).collect();
        let mut seen = HashSet::new();
        for line in &info.meanings {
            let (name, meaning) = line.split_once(" = ").unwrap_or_else(|| panic!("{}: {line}", info.id));
            assert!(known.contains(name) && !meaning.is_empty() && seen.insert(name), "{}: {line}", info.id);
        }
    }
    let notes = (RowKind::GAP.0..=u16::MAX).map(RowKind).filter_map(RowKind::word);
    for word in notes {
        let help = Help::about(&Info::default(), word.to_owned());
        assert!(help.page.is_some(), "{word} has no help");
    }
}
