//! The fuzz targets' code, which ordinary tests also run.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use spytui_formats::{Data, FieldRef, Fields, FormatTable, Loaded, Loader, NamedTemplate, NoFields, limits};

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
    again.add_text(loaded.texts.concat().as_bytes());
    let again = again.finish();
    assert_eq!(again.faults, []);
    let forms = |table: &FormatTable| (table.date.clone(), table.header.clone(), table.milli.clone());
    assert_eq!(forms(&loaded.table), forms(&again.table));
    for number in 0..64 {
        let entries = |table: &FormatTable| {
            let major = table.majors.get(&number);
            let minor = major.and_then(|major| major.minors.get(&1).or(major.other.as_ref()));
            let of_kernel = [table.opcodes.get(&(number as u8)), table.users.get(&(number as u16))];
            (
                table.severities.get(&(number as u8)).cloned(),
                [minor, of_kernel[0], of_kernel[1]].map(Option::<&NamedTemplate>::cloned),
            )
        };
        let (severity, found) = entries(&loaded.table);
        assert_eq!((&severity, &found), (&entries(&again.table).0, &entries(&again.table).1));
        for entry in found.into_iter().flatten() {
            let mut out = Vec::new();
            entry.template.render(&data, &NoFields, &mut out);
            assert!(out.len() <= limits::TEXT + 16);
        }
    }
    for (protocol, id, _) in &loaded.records {
        let mut out = Vec::new();
        assert_eq!(loaded.table.layout(protocol, id), again.table.layout(protocol, id));
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
