//! The files and colours of the reference host, byte for byte: forms of its text.

use crate::common::{Stream, file, text};
use spytui_decoder_harness::{Options, same};

const V7: (&str, &[u8]) = ("reference", b"qspy-7.3.4");
const V8: (&str, &[u8]) = ("reference", b"qspy-8.1.3");

fn form(name: &'static str) -> (&'static str, &'static [u8]) {
    ("reference-form", name.as_bytes())
}

fn golden(name: &str, ending: &str, opts: &Options<'_>) {
    let (bytes, expected) = (file(&format!("{name}.bin")), file(&format!("{name}.{ending}")));
    for size in [65_536, 1, 7, 1000] {
        same(&format!("{name}.{ending} in chunks of {size}"), &text(&bytes, opts, size), &expected);
    }
}

#[test]
fn matlab_files() {
    golden("oven-734", "mat", &vec![V7, form("matlab")]);
    golden("every-record-734", "mat", &vec![V7, form("matlab")]);
}

#[test]
fn colours_for_dark_and_light_terminals() {
    golden("every-record-734", "c1.ansi", &vec![V7, form("dark")]);
    golden("every-record-734", "c2.ansi", &vec![V7, form("light")]);
}

#[test]
fn sequence_files() {
    for name in ["oven-734", "oven-693-32bit"] {
        let expected = file(&format!("{name}.seq"));
        let list = expected.split(|&b| b == b'\n').next().unwrap().strip_prefix(b"-g ").unwrap().to_vec();
        golden(name, "seq", &vec![V7, form("sequence"), ("sequence-objects", &list)]);
    }
}

/// The file is written when the application runs, and again at the end.
#[test]
fn dictionary_files() {
    let (bytes, expected) = (file("oven-734-small-assert.bin"), file("oven-734-small-assert.dic"));
    for size in [65_536, 1, 1000] {
        let both = text(&bytes, &vec![V7, form("dictionary")], size);
        same("dictionary file", &both, &[&expected[..], &expected].concat());
    }
}

/// The newer host also keeps the date and the language of the framework.
#[test]
fn a_dictionary_file_is_read_again() {
    for (style, name) in [(V7, "every-record-734"), (V8, "oven-815")] {
        let bytes = file(&format!("{name}.bin"));
        let written = text(&bytes, &vec![style, form("dictionary")], 1000);
        let start = written.windows(3).rposition(|line| line == b"\n-v").map_or(0, |at| at + 1);
        let start = written[..start].windows(2).rposition(|line| line == b"-d").unwrap_or(start);
        let opts = vec![style, form("dictionary"), ("dic", &written[start..])];
        let again = text(&bytes, &opts, 1000);
        same(name, &again[again.len() - (written.len() - start)..], &written[start..]);
    }
}

#[test]
fn damage_harms_no_form() {
    for name in ["oven-734-flips", "oven-734-drops", "oven-815-garbage", "formats-734", "every-record-812"] {
        let bytes = file(&format!("{name}.bin"));
        for style in [V7, V8] {
            for other in ["matlab", "sequence", "dictionary", "dark", "light"] {
                let opts = vec![style, form(other), ("sequence-objects", b"?,AO(l_door),l_clock,NULL")];
                let whole = text(&bytes, &opts, 65_536);
                same(&format!("{name} as {other}"), &text(&bytes, &opts, 7), &whole);
            }
        }
    }
}

/// Objects that are neither in the list nor drawn on `?` leave no line; a header stands above every 97th line.
#[test]
fn a_sequence_file_has_a_lane_for_each_object() {
    let object = |s: &mut Stream, key: u8, name: &[u8]| {
        s.add(61, &[&[key, 0, 0, 0], name, &[0]].concat());
    };
    let mut stream = Stream::start();
    object(&mut stream, 0x11, b"a");
    object(&mut stream, 0x22, b"b");
    object(&mut stream, 0x33, b"c");
    let post = |s: &mut Stream, from: u8, to: u8| {
        s.add(14, &[7, 0, 0, 0, from, 0, 0, 0, 9, 0, to, 0, 0, 0, 0, 0, 1, 1]);
    };
    post(&mut stream, 0x11, 0x22);
    post(&mut stream, 0x22, 0x11);
    post(&mut stream, 0x33, 0x11);
    post(&mut stream, 0, 0x11);
    for _ in 0..95 {
        post(&mut stream, 0x11, 0x11);
    }
    let drawn = |objects: &'static str| {
        let opts = vec![V7, form("sequence"), ("sequence-objects", objects.as_bytes())];
        String::from_utf8(text(&stream.bytes, &opts, 4096)).unwrap()
    };
    let both = drawn("a,b");
    let lines: Vec<&str> = both.lines().collect();
    assert_eq!(lines[0], "-g a,b");
    assert_eq!(lines[3], "           |       a       |   |       b       |");
    assert_eq!(lines[5], "0000000007         *--00000009,Obj=0x->|");
    assert_eq!(lines[6], "0000000007         |<-00000009,Obj=0x--*");
    assert_eq!(lines[7], "0000000007         *<-00000009,Obj=0x] |");
    assert_eq!(lines.len(), 5 + 97);
    let others = drawn("NULL,a,?");
    assert!(others.contains("0000000007         *--00000009,Obj=0x->|                   /\n"), "{others}");
    assert!(others.contains("0000000007         |                   |<-00000009,Obj=0x--*\n"), "{others}");
    assert_eq!(others.matches("|     NULL      |").count(), 2);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let refused = |opts: &[(&'static str, &str)]| {
        let opts: Vec<_> = opts.iter().map(|(key, value)| (*key, value.as_bytes())).collect();
        let opts = spytui_plugin_host::kit::opt_vals(&opts);
        let decoder = spytui_decoder_qs::plugin().decoders()[0];
        decoder.open(&opts, &spytui_plugin_api::Source::default()).unwrap_err().text.to_string()
    };
    assert_eq!(refused(&[("reference-form", "matlab")]), "reference-form needs reference, as reference=qspy-7.3.4");
    let sequence = [("reference", "qspy-7.3.4"), ("reference-form", "sequence")];
    assert_eq!(refused(&sequence), "a sequence file needs its objects, as sequence-objects=a,b,?");
    let with = |objects| refused(&[sequence[0], sequence[1], ("sequence-objects", objects)]);
    assert!(with("a,,b").ends_with("a name is empty; use the form a,b,?"));
    assert!(with("a,b,c,d,e,f,g,h,i,j,k").ends_with("11 objects; the host draws at most 10"));
}
