//! What a filter decides before rendering is what it would say of the rendered row.

use std::io;

use spytui_engine::{
    export::Jsonl,
    query::{Expr, Vocabulary, parse},
    render::Item,
    render::subject::passes,
    store::View,
    stream::Sink,
};
use spytui_plugin_api::{Want, kit::Random};
use spytui_testing_decoder::stream::mixed;

use super::common::{decoder, stream};

/// Renders everything and asks the filter about each row.
struct Checked<'a> {
    jsonl: Jsonl<&'a mut Vec<u8>>,
    filter: &'a Expr,
}

impl Sink for Checked<'_> {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS
    }

    fn names(&self) -> (View, bool) {
        self.jsonl.names()
    }

    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        if passes(self.filter, item) { self.jsonl.item(item) } else { Ok(()) }
    }
}

const FILTERS: [&str; 22] = [
    "obj:nobody",
    "-obj:nobody",
    "obj:object-1*",
    "obj:object-17 or kind:gap",
    "obj:1*",
    "obj:\"1\"",
    "obj~object",
    "obj!=object-7",
    "-(obj:nobody or sev>=warn)",
    "kind:state",
    "kind:blob obj:nobody",
    "kind:log* or obj:nobody",
    "group:nobody",
    "sev>=warn",
    "core:1",
    "n:5..90 obj:object-*",
    "dt>100",
    "time>20000 -obj:nobody",
    "pos<1000",
    "epoch:2",
    "object-1",
    "level>100",
];

#[test]
fn rows_pass_as_if_all_were_rendered() {
    let decoder = decoder(spytui_testing_decoder::plugin());
    for seed in 0..3 {
        let bytes = Random::new(seed).damage(&mixed(seed + 40, 900), 10 * seed as usize);
        let mut sizes = Vec::new();
        for text in FILTERS {
            let filter = parse(text, &Vocabulary::open()).unwrap();
            let (mut quick, mut checked) = (Vec::new(), Vec::new());
            stream(&decoder, &[], &bytes, 1000, &mut Jsonl::new(&mut quick, filter.clone()));
            let jsonl = Jsonl::new(&mut checked, Expr::everything());
            stream(&decoder, &[], &bytes, 1000, &mut Checked { jsonl, filter: &filter });
            assert!(quick == checked, "{text}: {}", String::from_utf8_lossy(&quick));
            sizes.push(quick.len());
        }
        assert!(sizes.iter().all(|&size| size > 0), "only losses pass each filter: {sizes:?}");
        assert!(sizes.iter().any(|&size| size != sizes[0]));
    }
}

/// A row that is decided before is not rendered.
#[test]
fn what_no_name_meets_is_not_rendered() {
    let decoder = decoder(super::common::library("panics"));
    let lines = |text: &str| {
        let (mut out, filter) = (Vec::new(), parse(text, &Vocabulary::open()).unwrap());
        stream(&decoder, &["at=render"], b"a!!b!", 10, &mut Jsonl::new(&mut out, filter));
        String::from_utf8(out).unwrap()
    };
    assert!(lines("\"not rendered\"").contains("not rendered"));
    assert_eq!(lines("obj:nobody"), "");
    assert_eq!(lines("-obj:nobody").lines().count(), lines("").lines().count());
}
