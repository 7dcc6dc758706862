//! The code of the fuzz targets, which the ordinary tests run, too.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use spytui_formats::{Data, Dialect, Event, FieldRef, Fields, Loaded, Loader, What, limits};

/// A `.fmt` file, a NUL, and the data of a record.
pub fn format(input: &[u8]) {
    let (text, data) = split(input);
    let mut loader = Loader::new();
    loader.add_text(text);
    check(loader.finish(), data);
}

/// An XML file, a NUL, and the data of a record.
pub fn xml(input: &[u8]) {
    let (text, data) = split(input);
    let mut loader = Loader::new();
    loader.add_xml(text);
    let loaded = loader.finish();
    check(loaded, data);
}

fn split(input: &[u8]) -> (&[u8], &[u8]) {
    let end = input.iter().position(|byte| *byte == 0).unwrap_or(input.len());
    (&input[..end], input.get(end + 1..).unwrap_or_default())
}

/// Whatever was loaded can be shown, and its merged text means the same.
fn check(loaded: Loaded, data: &[u8]) {
    let data = Data::new(data);
    let mut again = Loader::new();
    again.add_text(loaded.texts.concat().as_bytes());
    let again = again.finish();
    assert_eq!(again.faults, []);
    for code in 0..64 {
        for (dialect, what) in [
            (Dialect::Qnx4, What::Code { code: code << 12 | 1, severity: 3 }),
            (Dialect::Nto1, What::Code { code: code << 8 | 1, severity: 3 }),
            (Dialect::Nto1, What::Profile(code as u8)),
        ] {
            let event = Event { seconds: code.into(), nanos: 1, what, opcode: Some(1), dat20: Some(2) };
            let line = |loaded: &Loaded| {
                let mut out = Vec::new();
                loaded.table.put_line(dialect, &event, &data, &mut out);
                out
            };
            assert_eq!(line(&loaded), line(&again));
        }
    }
    for (protocol, id, _) in &loaded.records {
        let mut out = Vec::new();
        loaded.table.record(protocol, id).unwrap().render(&data, &Echo, &mut out);
        assert!(out.len() <= limits::TEXT + 16);
    }
}

struct Echo;
impl Fields for Echo {
    fn put(&self, field: &FieldRef, out: &mut Vec<u8>) -> bool {
        match field {
            FieldRef::Index(index) => out.extend(index.to_string().bytes()),
            FieldRef::Name(name) => out.extend(name.bytes()),
        }
        true
    }
}
