//! What a filter decides before rendering equals its result for the rendered row.

use std::io;

use spytui_engine::{
    export::Jsonl,
    open::Options,
    query::{Expr, Vocabulary, parse},
    row::subject::passes,
    row::{RowFilter, RowView},
    store::View,
    trace::stream::{Filtered, Pipeline, Sink},
};
use spytui_plugin_api::{Source, Want};
use spytui_plugin_host::kit::Random;
use spytui_testing_decoder::stream::{Writer, mixed};

use super::common::{decoder, stream};

/// Renders everything and applies the filter to each row.
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

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        if passes(self.filter, item) { self.jsonl.row(item) } else { Ok(()) }
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
            let mut sink = Filtered::new(Box::new(Jsonl::new(&mut quick)), filter.clone());
            stream(&decoder, &[], &bytes, 1000, &mut sink);
            drop(sink);
            let jsonl = Jsonl::new(&mut checked);
            stream(&decoder, &[], &bytes, 1000, &mut Checked { jsonl, filter: &filter });
            assert!(quick == checked, "{text}: {}", String::from_utf8_lossy(&quick));
            sizes.push(quick.len());
        }
        assert!(sizes.iter().all(|&size| size > 0), "only losses pass each filter: {sizes:?}");
        assert!(sizes.iter().any(|&size| size != sizes[0]));
    }
}

/// A row decided earlier is not rendered.
#[test]
fn what_no_name_meets_is_not_rendered() {
    let decoder = decoder(super::common::library("panics"));
    let lines = |text: &str| {
        let (mut out, filter) = (Vec::new(), parse(text, &Vocabulary::open()).unwrap());
        stream(&decoder, &["at=render"], b"a!!b!", 10, &mut Filtered::new(Box::new(Jsonl::new(&mut out)), filter));
        String::from_utf8(out).unwrap()
    };
    assert!(lines("\"not rendered\"").contains("not rendered"));
    assert_eq!(lines("obj:nobody"), "");
    assert_eq!(lines("-obj:nobody").lines().count(), lines("").lines().count());
}

/// Filters from a batch on.
struct Later {
    filter: RowFilter,
    batches: usize,
    records: Vec<u64>,
}

impl Sink for Later {
    fn want(&self) -> Want {
        Want::FIELDS
    }

    fn filter(&mut self) -> Option<&mut RowFilter> {
        if self.batches > 1 { Some(&mut self.filter) } else { None }
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        self.records.extend(item.n);
        Ok(())
    }
}

/// A filter may change while rows wait for another source; names may come with these rows.
#[test]
fn a_filter_that_comes_later_learns_the_names_of_rows_that_wait() {
    let decoder = decoder(spytui_testing_decoder::plugin());
    let sources: Vec<Source> = (0..2).map(|index| Source { index, ..Source::default() }).collect();
    let mut pipeline = Pipeline::open(&decoder, &Options::default(), &sources).unwrap();
    let filter = RowFilter::midway(parse("obj:pump", &Vocabulary::open()).unwrap());
    let mut sink = Later { filter, batches: 0, records: Vec::new() };
    let (mut first, mut second) = (Writer::new(1), Writer::new(2));
    first.frame(0, "S 1 5 1").frame(0, "S 2 5 1").frame(0, "N 10 5 pump").frame(0, "S 3 5 1").frame(0, "S 4 5 1");
    second.frame(0, "S 9 6 1");
    for (input, bytes) in [first.bytes, second.bytes].iter().enumerate() {
        sink.batches += 1;
        pipeline.feed(input, 0, bytes, &[], &mut sink);
        pipeline.advance(&mut sink, |_| false).unwrap();
    }
    (0..2).for_each(|input| pipeline.end(input));
    pipeline.advance(&mut sink, |_| false).unwrap();
    assert_eq!(sink.records, [3, 4, 5]);
}
