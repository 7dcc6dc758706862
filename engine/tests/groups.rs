//! A group whose tag differs from its name: lists show the tag, exports write the name, filters accept both.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use spytui_engine::{
    export::{CsvRows, Jsonl, NativeRows},
    open::{Decoder, Options, Origin, Registry},
    query::{Expr, Vocabulary, doubt, parse},
    trace::stream::{Filtered, Sink},
};
use spytui_testing_decoder::frame::line;

use crate::pipeline::decode;

fn toy() -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(spytui_testing_decoder::plugin(), &Origin::BuiltIn).unwrap();
    registry.find("toy").unwrap()
}

/// Two log records of group `data` with the tag `DAT`, and one of another group.
fn run(sink: &mut impl Sink) {
    let bytes = [line(0, 0, "L 1 4100"), line(0, 1, "S 10 7 3"), line(0, 2, "L 1 4200")].concat();
    decode(&toy(), &Options::default(), &bytes, bytes.len(), sink);
}

fn filter(text: &str) -> Expr {
    let vocabulary = Vocabulary::of(&toy().info);
    let expr = parse(text, &vocabulary).unwrap();
    assert!(doubt(&expr, &vocabulary).is_none(), "{text}");
    expr
}

/// The rows, without the version line.
fn jsonl(text: &str) -> String {
    let mut out = Vec::new();
    run(&mut Filtered::new(Box::new(Jsonl::new(&mut out)), filter(text)));
    String::from_utf8(out).unwrap().split_once('\n').unwrap().1.to_owned()
}

#[test]
fn filters_take_tag_and_name() {
    assert_eq!(jsonl("group:DAT").lines().count(), 2);
    assert_eq!(jsonl("group:data"), jsonl("group:DAT"));
}

#[test]
fn exports_write_the_name_and_lists_the_tag() {
    let (mut native, mut csv) = (Vec::new(), Vec::new());
    run(&mut Filtered::new(Box::new(NativeRows::new(&mut native)), filter("group:data")));
    run(&mut Filtered::new(Box::new(CsvRows::new(&mut csv, false)), filter("group:data")));
    let (native, csv) = (String::from_utf8(native).unwrap(), String::from_utf8(csv).unwrap());
    assert!(native.lines().all(|line| line.contains(" DAT ") && !line.contains("data")), "{native}");
    assert!(csv.lines().skip(1).all(|line| line.contains(",data,") && !line.contains("DAT")), "{csv}");
    assert!(jsonl("group:data").lines().all(|line| line.contains(r#""group":"data""#)));
}
