//! The fuzz targets' code, which ordinary tests also run.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use spytui_formats::{Data, FieldRef, FormatCode, FormatTable, Loaded, Loader, limits};

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

/// Everything loaded can be shown, and its merged text means the same.
fn check(loaded: Loaded, data: &[u8]) {
    let data = Data::new(data);
    let mut again = Loader::new();
    let text: String = loaded.files.iter().map(|file| file.text.as_str()).collect();
    again.add_text(text.as_bytes());
    let again = again.finish();
    assert_eq!(again.faults, []);
    let forms = |table: &FormatTable| (table.date.clone(), table.header.clone(), table.milli.clone());
    assert_eq!(forms(&loaded.table), forms(&again.table));
    for number in 0..64 {
        let entries = |table: &FormatTable| {
            let (number, major) = (number as u8, number);
            let codes = [
                FormatCode::Minor(major, Some(1)),
                FormatCode::Minor(major, None),
                FormatCode::Opcode(number),
                FormatCode::User(number.into()),
            ];
            (table.severities.get(&number).cloned(), codes.map(|code| table.events.get(&code).cloned()))
        };
        let (severity, found) = entries(&loaded.table);
        assert_eq!((&severity, &found), (&entries(&again.table).0, &entries(&again.table).1));
        for entry in found.into_iter().flatten() {
            let mut out = Vec::new();
            entry.template.render(&data, &|_, _| false, &mut out);
            assert!(out.len() <= limits::TEXT + 16);
        }
    }
    for (protocol, id, _) in &loaded.records {
        let mut out = Vec::new();
        assert_eq!(loaded.table.layout(protocol, id), again.table.layout(protocol, id));
        loaded.table.record(protocol, id).unwrap().render(&data, &echo, &mut out);
        assert!(out.len() <= limits::TEXT + 16);
    }
}

fn echo(field: &FieldRef, out: &mut Vec<u8>) -> bool {
    match field {
        FieldRef::Index(index) => out.extend(index.to_string().bytes()),
        FieldRef::Name(name) => out.extend(name.bytes()),
    }
    true
}
