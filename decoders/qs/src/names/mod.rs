//! Names: those that a target sends (dictionary records) and those of a dictionary file (`dictionary_file`).

mod dictionary_file;

pub(crate) use dictionary_file::{DIC, DictionaryFile, Section};

use spytui_decoder_kit::DropRecord;
use spytui_plugin_api::{Output, info::space as host_space};

use crate::{
    config::Config,
    layout::{self, id, space},
    record::Record,
};

/// Id of an application record used by the framework, whose name no target sends.
pub(crate) const ON_POST: u8 = 124;
pub(crate) const ON_POST_NAME: &[u8] = b"QUTEST_ON_POST";

/// Reports the name in a dictionary record.
pub(crate) fn from_record(config: &Config, frame: &[u8], out: &mut Output<'_>) {
    let &[_, id, ref payload @ .., _] = frame else { return };
    let Record::Predefined(_, values) = Record::parse(config, id, payload) else { return };
    let (first, second, name) = (values.number(0), values.number(1), values.bytes);
    match id {
        _ if name.is_empty() => {}
        id::SIG_DICT => out.name(space::SIGNALS, first, second, name),
        id::OBJ_DICT => out.name(space::OBJECTS, first, 0, name),
        id::FUN_DICT => out.name(space::FUNCTIONS, first, 0, name),
        id::USR_DICT => application(config, first as u8, name, out),
        id::ENUM_DICT => out.name(space::ENUMS, first, second & 7, name),
        _ => {}
    }
}

/// Reports the name of an application record.
fn application(config: &Config, id: u8, name: &[u8], out: &mut Output<'_>) {
    out.name(host_space::KINDS, record_key(config, id), 0, name);
    if config.version < space::COMMAND_GROUP_FROM {
        out.name(space::ENUMS, id.into(), space::COMMAND_GROUP, name);
    }
}

/// Id and name in a dictionary record of an application record.
pub(crate) fn user_name<'f>(config: &Config, frame: &'f [u8]) -> Option<(u8, &'f [u8])> {
    let &[_, id, ref payload @ .., _] = frame else { return None };
    match Record::parse(config, id, payload) {
        Record::Predefined(_, values) => Some((values.number(0) as u8, values.bytes)),
        _ => None,
    }
}

/// Enters the names that a dictionary file has for application records; one of them may report what the target dropped.
pub(crate) fn drop_names(record: &mut DropRecord, dic: &DictionaryFile) {
    for entry in dic.users.entries.iter().filter(|entry| entry.key <= 0xFF) {
        record.name(entry.key as u8, &entry.name);
    }
}

/// Key of the name of an application record: the kind of its rows.
pub(crate) fn record_key(config: &Config, id: u8) -> u64 {
    layout::kind_of(id, config.version, config.style).into()
}

/// Reports the names in a dictionary file.
pub(crate) fn from_file(dic: &DictionaryFile, config: &Config, out: &mut Output<'_>) {
    for (section, space) in sections(dic) {
        section.entries.iter().for_each(|e| out.name(space, e.key, e.scope, &e.name));
    }
    for e in dic.users.entries.iter().filter(|e| e.key <= 0xFF) {
        application(config, e.key as u8, &e.name, out);
    }
}

/// Takes the names in a dictionary file back.
pub(crate) fn forget_file(dic: &DictionaryFile, config: &Config, out: &mut Output<'_>) {
    for (section, space) in sections(dic) {
        section.entries.iter().for_each(|e| out.remove(space, e.key, e.scope));
    }
    for e in dic.users.entries.iter().filter(|e| e.key <= 0xFF) {
        out.remove(host_space::KINDS, record_key(config, e.key as u8), 0);
        out.remove(space::ENUMS, e.key, space::COMMAND_GROUP);
    }
}

/// Sections and spaces of names that are reported as they are.
fn sections(dic: &DictionaryFile) -> [(&Section, u16); 3] {
    [(&dic.objects, space::OBJECTS), (&dic.functions, space::FUNCTIONS), (&dic.signals, space::SIGNALS)]
}
