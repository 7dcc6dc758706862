//! Every field that jsonl shows of any capture can be used in a filter, and finds the rows that have it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{collections::HashMap, fs, io, path::Path, sync::Arc};

use serde_json::{Map, Value};
use spytui_engine::{
    export::Jsonl,
    plugin::{Decoder, Options, Origin, Registry},
    query::{Expr, Vocabulary, field_name, parse},
    render::Item,
    store::View,
    stream::{Pipeline, Sink},
};
use spytui_plugin_api::{LibraryRef, Want};

/// Takes rows as jsonl, and looks for each of their fields.
struct Fields {
    vocabulary: Vocabulary,
    known: HashMap<String, Option<Expr>>,
    file: String,
    /// What could not be used or was not found.
    wrong: Vec<String>,
}

/// What jsonl says of a row beside its fields.
const OF_ROW: [&str; 18] = [
    "type", "source", "kind", "pos", "bytes", "time", "ns", "host", "lane", "expected", "got", "lost", "exact",
    "cause", "text", "owner", "items", "names",
];

impl Fields {
    fn looks_for(&mut self, item: &Item<'_>, name: &str) {
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

    fn names(&self) -> (View, bool) {
        (View::AsOf, false)
    }

    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        let mut line = Vec::new();
        Jsonl::new(&mut line, Expr::everything()).item(item)?;
        let row: Map<String, Value> = serde_json::from_slice(&line)?;
        let own = match row.get("fields") {
            Some(fields) => fields.as_object().unwrap().clone(),
            None => row.into_iter().filter(|(key, _)| !OF_ROW.contains(&key.as_str())).collect(),
        };
        for name in own.keys() {
            self.looks_for(item, name);
        }
        Ok(())
    }
}

fn decoder(id: &str, library: LibraryRef) -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(library, &Origin::BuiltIn).unwrap();
    registry.find(id).unwrap()
}

/// Decodes captures; returns the number of fields that they have.
fn every_field(id: &str, library: LibraryRef, folder: &str) -> usize {
    let decoder = decoder(id, library);
    let vocabulary = decoder.vocabulary();
    let mut sink = Fields { vocabulary, known: HashMap::new(), file: String::new(), wrong: Vec::new() };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(folder).join("tests/captures");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.extension().is_some_and(|end| end == "bin" || end == "kev" || end == "log") {
            continue;
        }
        sink.file = path.display().to_string();
        let mut pipeline = Pipeline::single(&decoder, &Options::default()).unwrap();
        pipeline.begin_stream(&mut sink).unwrap();
        pipeline.feed_stream(&fs::read(&path).unwrap(), &[], &mut sink).unwrap();
        pipeline.end_stream(&mut sink).unwrap();
    }
    assert!(sink.wrong.is_empty(), "{:#?}", sink.wrong);
    sink.known.len()
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
        let mut sink = Jsonl::new(&mut lines, parse(filter, &decoder.vocabulary()).unwrap());
        let mut pipeline = Pipeline::single(&decoder, &Options::default()).unwrap();
        pipeline.begin_stream(&mut sink).unwrap();
        pipeline.feed_stream(&fs::read(&path).unwrap(), &[], &mut sink).unwrap();
        pipeline.end_stream(&mut sink).unwrap();
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
