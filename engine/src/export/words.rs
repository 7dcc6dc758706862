//! Names for exports: the final names of the capture, and substitutes for keys without a name.

use std::sync::Arc;

use spytui_plugin_api::{
    Info, KeyFormat, NONE, RowKind,
    batch::AttrId,
    info::{Class, space},
    render::Lookup,
};

use crate::{
    present::words::{key_number, key_word, kind_name},
    replay::Key,
    row::{
        Formatters,
        typed::{STATES, TRACKS},
    },
    store::{BlockNames, Dictionary, View},
};

#[derive(Debug)]
pub(super) struct EntityNames<'a> {
    pub(super) info: &'a Info,
    pub(super) dictionary: &'a Dictionary,
    /// Formatters whose lines have their own tracks.
    pub(super) formatters: Option<Arc<Formatters>>,
}

impl<'a> EntityNames<'a> {
    pub(super) fn new(info: &'a Info, dictionary: &'a Dictionary) -> EntityNames<'a> {
        EntityNames { info, dictionary, formatters: None }
    }

    /// Name of a track of format lines, or of a state on one.
    fn of_lines(&self, key: Key) -> Option<String> {
        self.formatters.as_ref().filter(|_| matches!(key.space, TRACKS | STATES))?.tracks.name(key.space, key.key)
    }

    /// Unit of the values of a track of format lines.
    pub(super) fn unit(&self, key: Key) -> &str {
        let formatters = self.formatters.as_ref().filter(|_| key.space == TRACKS);
        formatters.and_then(|formatters| formatters.tracks.unit(key.key)).unwrap_or_default()
    }

    /// Name lookup for the decoder.
    pub(super) fn names(&self) -> BlockNames<'a> {
        BlockNames::newest(self.dictionary, View::AsOf, false)
    }

    /// All keys with a dictionary entry, sorted.
    pub(super) fn known(&self) -> Vec<Key> {
        let named = self.dictionary.iter().map(|(space, key, scope, _)| Key { space, key, scope });
        let described = self.dictionary.attrs().map(|(space, key, scope)| Key { space, key, scope });
        let mut keys: Vec<Key> = named.chain(described).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    pub(super) fn has_processes(&self) -> bool {
        self.info.spaces.iter().any(|space| space.class == Class::PROCESS)
    }

    /// Class of an entity. Its own `KIND` attribute overrides the class of its space: a queue may be a lock.
    pub(super) fn class(&self, key: Key) -> Class {
        let of_space = self.info.space(key.space).map_or(Class::OTHER, |s| s.class);
        let kind = self.attr(key, AttrId::KIND).map(|(val, ..)| val);
        if of_space == Class::QUEUE && kind == Some(Class::LOCK.0.into()) { Class::LOCK } else { of_space }
    }

    /// Value, value space and text of an attribute.
    pub(super) fn attr(&self, key: Key, attr: AttrId) -> Option<(u64, u16, &'a [u8])> {
        self.dictionary.attr(key.space, key.key, key.scope, attr).map(|a| (a.val, a.val_space, &*a.text))
    }

    /// Owner of an entity: its `PARENT` attribute, or the task that scopes it.
    pub(super) fn owner(&self, key: Key) -> Option<Key> {
        if let Some((val, space, _)) = self.attr(key, AttrId::PARENT) {
            return Some(Key { space, key: val, scope: 0 });
        }
        let scope = self.info.space(key.space)?.scope_space;
        let owner = Key { space: scope, key: key.scope, scope: 0 };
        (scope != NONE && self.class(owner) == Class::TASK).then_some(owner)
    }

    /// Appends the name of a key, or a substitute.
    pub(super) fn push_name(&self, out: &mut String, key: Key) {
        if let Some(name) = self.of_lines(key) {
            return push_text(out, name.as_bytes());
        }
        match self.dictionary.as_of(u64::MAX, key.space, key.key, key.scope).and_then(|n| n.text.as_deref()) {
            Some(name) => push_text(out, name),
            None => out.push_str(&key_word(self.info.space(key.space), key.key)),
        }
    }

    /// Title of an entity's track: `Task idle (#3)`, `AO(l_door)`, `Marker #7`.
    pub(super) fn title(&self, key: Key) -> String {
        if let Some(name) = self.of_lines(key) {
            return name;
        }
        let names = self.names();
        let name = names.get(0, key.space, key.key, key.scope).filter(|n| !n.is_empty());
        let mut out = String::new();
        if key.space == space::KINDS {
            match name {
                Some(name) => push_text(&mut out, name),
                None => out.push_str(&kind_name(self.info, RowKind(key.key as u16))),
            }
            return out;
        }
        let space = self.info.space(key.space);
        // The viewer adds a process's number to its name.
        let is_process = space.is_some_and(|s| s.class == Class::PROCESS) && name.is_some();
        if is_process || space.is_some_and(|s| s.key_format == KeyFormat::HEX) {
            self.push_name(&mut out, key);
            return out;
        }
        // Only queues are titled by their kind; a task stays a task, whatever its purpose.
        let kind = self.attr(key, AttrId::KIND).filter(|_| space.is_some_and(|s| s.class == Class::QUEUE));
        match kind {
            Some((_, _, text)) if !text.is_empty() => push_text(&mut out, text),
            _ => out.push_str(class_word(self.class(key)).unwrap_or_else(|| space.map_or("", |s| s.name.as_str()))),
        }
        if let Some(name) = name {
            out.push(' ');
            push_text(&mut out, name);
            out.push_str(" (");
        } else {
            out.push(' ');
        }
        out.push('#');
        out.push_str(&key_number(space, key.key));
        if name.is_some() {
            out.push(')');
        }
        out
    }
}

/// Word for a class in titles.
fn class_word(of: Class) -> Option<&'static str> {
    Some(match of {
        Class::TASK => "Task",
        Class::PROCESS => "Process",
        Class::ISR => "ISR",
        Class::QUEUE => "Queue",
        Class::POOL => "Pool",
        Class::TIMER => "Timer",
        Class::LOCK => "Lock",
        Class::MARKER => "Marker",
        Class::VALUE => "Value",
        Class::CALL => "Call",
        Class::CHANNEL => "Channel",
        _ => return None,
    })
}

/// Appends target text; invalid UTF-8 in hexadecimal.
#[inline]
pub(super) fn push_text(out: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => out.push_str(text),
        Err(_) => push_broken(out, bytes),
    }
}

#[cold]
fn push_broken(out: &mut String, bytes: &[u8]) {
    use std::fmt::Write as _;
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string never fails.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::{DictEvent, batch::DictOp, info::SpaceInfo};

    const TASKS: u16 = 20;
    const QUEUES: u16 = 21;
    const OBJECTS: u16 = 22;
    const STEPS: u16 = 23;

    fn info() -> Info {
        let space = |id, name: &str, class, key_format, scope_space| SpaceInfo {
            scope_space,
            ..SpaceInfo::new(id, name, name, class, key_format)
        };
        let spaces = vec![
            space(TASKS, "task", Class::TASK, KeyFormat::DECIMAL, NONE),
            space(QUEUES, "queue", Class::QUEUE, KeyFormat::DECIMAL, NONE),
            space(OBJECTS, "obj", Class::OBJECT, KeyFormat::HEX, NONE),
            space(STEPS, "step", Class::MARKER, KeyFormat::DECIMAL, TASKS),
        ];
        Info { spaces: spaces.into(), ..Info::default() }
    }

    #[test]
    fn titles_say_what_who_and_which() {
        let info = info();
        let mut dictionary = Dictionary::new(&info, false);
        let mut set = |space, key, attr, val, text: &[u8]| {
            let event = DictEvent { op: DictOp::SET, attr, space, key, val, ..DictEvent::default() };
            dictionary.apply(&event, text, 0, 0, 0);
        };
        set(TASKS, 3, AttrId::NAME, 0, b"idle");
        set(TASKS, 3, AttrId::KIND, Class::TASK.0.into(), b"Idle Task");
        set(QUEUES, 4, AttrId::NAME, 0, b"bus\xff");
        set(QUEUES, 4, AttrId::KIND, Class::LOCK.0.into(), b"Mutex");
        set(QUEUES, 5, AttrId::KIND, 0, b"Queue Set");
        set(OBJECTS, 0xAB, AttrId::NAME, 0, b"AO(l_door)");
        let words = EntityNames::new(&info, &dictionary);
        let title = |space, key| words.title(Key { space, key, scope: 0 });
        assert_eq!([title(TASKS, 3), title(TASKS, 9)], ["Task idle (#3)", "Task #9"]);
        assert_eq!([title(QUEUES, 4), title(QUEUES, 5)], ["Mutex bus\\xff (#4)", "Queue Set #5"]);
        assert_eq!([title(OBJECTS, 0xAB), title(OBJECTS, 0xCD)], ["AO(l_door)", "0xCD"]);
        assert_eq!(words.class(Key { space: QUEUES, key: 4, scope: 0 }), Class::LOCK);
        assert_eq!(words.class(Key { space: QUEUES, key: 5, scope: 0 }), Class::QUEUE);
        let owner = words.owner(Key { space: STEPS, key: 1, scope: 3 });
        assert_eq!(owner, Some(Key { space: TASKS, key: 3, scope: 0 }));
        assert_eq!(words.known().len(), 4);
    }
}
