//! Properties: bad input at worst causes a message, and valid input means what it says.

#![allow(clippy::unwrap_used)]

#[path = "fuzzing/mod.rs"]
mod fuzzing;

use proptest::prelude::*;
use spytui_formats::{Data, FormatCode, Loader};

/// Pieces of valid and invalid lines.
fn lines() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "major 1 A\n",
        "minor 1 B \"",
        "minor * C \"",
        "opcode 1 D \"",
        "user 1 E \"",
        "enum e 1 one 2 two\n",
        "words w 0 off 7 fault!error\n",
        "bits w 0 hot!warning 7 limit\n",
        " a:u8{w}",
        " b:i16be*0.1\"m\"",
        " c:str[3]",
        " _:bytes",
        " state(a)",
        " span(begin,s)",
        "record qs ",
        "USER+1 \"",
        "(date) \"",
        "(milli) \"",
        "(header) \"",
        "severity 3 F\n",
        "\"\n",
        "\n",
        "\\\n",
        "\\",
        "\"",
        " ",
        "#",
        "%d",
        "%5hhx",
        "%-08.3lu",
        "%s",
        "%.3s",
        "%b",
        "%n",
        "%@3",
        "%%",
        "%",
        "{e}",
        "{f}",
        "{{",
        "{0}",
        " drops(0)",
        "drops(",
        "%D",
        "%N",
        "ä",
        "x",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// An integer conversion, and its equivalent in Rust's formatter.
fn shown(template: &str, data: &Data<'_>) -> String {
    let mut loader = Loader::new();
    loader.add_text(format!("user 1 x \"{template}\"").as_bytes());
    let loaded = loader.finish();
    let mut out = Vec::new();
    loaded.table.events.get(&FormatCode::User(1)).unwrap().template.render(data, &|_, _| false, &mut out);
    String::from_utf8(out).unwrap()
}

proptest! {
    #[test]
    fn any_bytes_end_well(input: Vec<u8>) {
        fuzzing::format(&input);
        fuzzing::xml(&input);
    }

    #[test]
    fn any_lines_end_well(text in lines(), data: Vec<u8>) {
        fuzzing::format(&[text.as_bytes(), &[0], &data].concat());
    }

    #[test]
    fn integers_are_those_of_the_data(number: i64, width in 0usize..30) {
        let little = number.to_le_bytes();
        let big = number.to_be_bytes();
        let data = Data::new(&little);
        prop_assert_eq!(shown(&format!("%{width}lld"), &data), format!("{number:width$}"));
        prop_assert_eq!(shown(&format!("%-{width}llu|"), &data), format!("{:<width$}|", number as u64));
        prop_assert_eq!(shown(&format!("%0{width}llx"), &data), format!("{number:0width$x}"));
        prop_assert_eq!(shown("%lld", &Data { is_big_endian: true, ..Data::new(&big) }), number.to_string());
        let two = Data { int_size: 2, ..Data::new(&little[..2]) };
        prop_assert_eq!(shown("%d", &two), (number as i16).to_string());
        prop_assert_eq!(shown("%hhd", &Data::new(&little[..1])), (number as i8).to_string());
    }

    #[test]
    fn bytes_are_read_or_counted(data in prop::collection::vec(any::<u8>(), 1..300), count in 0usize..300) {
        let read = count.min(data.len());
        let hex: Vec<String> = data[..read].iter().map(|byte| format!("{byte:02X}")).collect();
        let rest = if read < data.len() { format!(" [+{}]", data.len() - read) } else { String::new() };
        prop_assert_eq!(shown(&format!("%.{count}b"), &Data::new(&data)), format!("{}{rest}", hex.join(" ")));
    }
}

#[test]
fn the_corpus_ends_well() {
    type Target = fn(&[u8]);
    for (folder, target) in [("format", fuzzing::format as Target), ("xml", fuzzing::xml)] {
        let folder = format!("{}/fuzz/corpus/{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(folder).unwrap() {
            target(&std::fs::read(entry.unwrap().path()).unwrap());
        }
    }
}
