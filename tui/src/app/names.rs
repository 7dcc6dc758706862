//! Names from and for outside of the stream: `:name`, `:dict save`, `:dict load`, `:dict clear`.

use std::{
    collections::HashSet,
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
};

use spytui_engine::{
    list::RowSource,
    present::clock::grouped,
    store::dictionary::NameOrigin,
    stream::{NullSink, Pipeline, drive_reader},
    unreadable, unwritable,
};
use spytui_plugin_api::info::opt_type;

use super::state::App;

/// First line of a file of names.
const HEAD: &str = "# spytui names 1";

impl App {
    /// Gives a key a name, for all rows.
    pub(super) fn name(&mut self, space: &str, key: u64, name: &str) {
        let info = &self.decoded.decoder.info;
        let Some(id) = info.spaces.iter().find(|s| s.name == space).map(|s| s.id) else {
            let known: Vec<&str> = info.spaces.iter().map(|s| s.name.as_str()).collect();
            let text = format!("{space}: no such space; there are: {}", known.join(" "));
            return self.fail(text);
        };
        // In each source it holds from the cursor's place in the list on.
        for (decoded, row) in self.rows.parts().iter().zip(self.rows.before(self.list.cursor)) {
            let text = Some(name.as_bytes());
            decoded.edit(|state| state.dictionary.set(id, key, 0, text, row, decoded.source, NameOrigin::User));
        }
        self.say(format!("{space} 0x{key:X} is {name}"));
    }

    pub(super) fn dict_clear(&mut self) {
        self.rows.parts().iter().for_each(|decoded| decoded.edit(|state| state.dictionary.forget_all()));
        self.say("all names forgotten, until they come again");
    }

    pub(super) fn dict_save(&mut self, path: &Path) {
        let mut text = format!("{HEAD}\n");
        let mut saved = HashSet::new();
        let info = &self.decoded.decoder.info;
        for state in self.rows.read_all() {
            for (space, key, scope, names) in state.dictionary.iter() {
                let last = names.iter().rev().find_map(|n| n.text.as_deref());
                let (Some(name), Some(spec)) = (last, info.space(space)) else { continue };
                // What several sources name is saved once.
                if !saved.insert((space, key, scope)) {
                    continue;
                }
                let name = String::from_utf8_lossy(name).replace(['\n', '\r'], " ");
                let _ = writeln!(text, "{} 0x{key:x} 0x{scope:x} {name}", spec.name);
            }
        }
        let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
        match file.and_then(|mut f| f.write_all(text.as_bytes())) {
            Ok(()) => self.say(format!("{} names in {}", grouped(saved.len() as u64), path.display())),
            Err(error) => self.fail(unwritable(path, &error)),
        }
    }

    /// Names from our own file, from a dictionary file that the decoder reads itself, or from another capture.
    pub(super) fn dict_load(&mut self, path: &Path) {
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) => return self.fail(unreadable(path, &error)),
        };
        let mut reader = BufReader::new(file);
        let starts_with = |reader: &mut BufReader<fs::File>, head: &str| {
            reader.fill_buf().is_ok_and(|bytes| bytes.starts_with(head.as_bytes()))
        };
        if starts_with(&mut reader, HEAD) {
            return self.load_names(reader, path);
        }
        let takes_files = |o: &spytui_plugin_api::info::OptSpec| o.ty == opt_type::FILE && o.key == "dic";
        let is_dic = path.extension().is_some_and(|e| e == "dic");
        if is_dic && self.decoded.decoder.info.options.iter().any(takes_files) {
            return self.set_dic(path);
        }
        self.names_of_capture(&mut reader, path);
    }

    fn set_dic(&mut self, path: &Path) {
        let decoder = self.decoded.decoder.clone();
        let mut options = self.decoded.options.clone();
        if let Err(error) = options.set(&decoder.info, "dic", &path.to_string_lossy()) {
            return self.fail(error.to_string());
        }
        match self.switch(&decoder, &options) {
            Ok(()) => self.say(format!("names of {}: decoding again", path.display())),
            Err(fault) => self.fail(fault.to_string()),
        }
    }

    fn load_names(&mut self, reader: BufReader<fs::File>, path: &Path) {
        let info = self.decoded.decoder.info.clone();
        let mut list = Vec::new();
        for (i, line) in reader.split(b'\n').enumerate() {
            let line = match line {
                Ok(line) => String::from_utf8_lossy(&line).into_owned(),
                Err(error) => return self.fail(format!("{}:{}: {error}", path.display(), i + 1)),
            };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match name_line(&info, &line) {
                Some(entry) => list.push(entry),
                None => return self.fail(format!("{}:{}: not SPACE KEY SCOPE NAME", path.display(), i + 1)),
            }
        }
        self.take_names(&list, path);
    }

    fn names_of_capture(&mut self, reader: &mut BufReader<fs::File>, path: &Path) {
        let (decoder, options) = (self.decoded.decoder.clone(), self.decoded.options.clone());
        let mut pipeline = match Pipeline::open(decoder, &options) {
            Ok(pipeline) => pipeline,
            Err(fault) => return self.fail(fault.to_string()),
        };
        if let Err(error) = drive_reader(reader, &mut pipeline, &mut NullSink) {
            return self.fail(format!("{}: {error}", path.display()));
        }
        let named = |(space, key, scope, names): (u16, u64, u64, &[spytui_engine::store::dictionary::Named])| {
            let name = names.last()?.text.as_deref()?.to_vec();
            Some((space, key, scope, name))
        };
        let list: Vec<_> = pipeline.dictionary().iter().filter_map(named).collect();
        self.take_names(&list, path);
    }

    /// Only keys without a name of their own get one from a file.
    fn take_names(&mut self, list: &[(u16, u64, u64, Vec<u8>)], path: &Path) {
        let mut taken = 0_u64;
        for decoded in self.rows.parts() {
            let mut new = 0;
            decoded.edit(|state| {
                for (space, key, scope, name) in list {
                    if state.dictionary.effective(u64::MAX, *space, *key, *scope).is_none() {
                        let source = decoded.source;
                        state.dictionary.set(*space, *key, *scope, Some(name), 0, source, NameOrigin::File);
                        new += 1;
                    }
                }
            });
            taken = taken.max(new);
        }
        self.say(format!("{} of {} names taken from {}", grouped(taken), grouped(list.len() as u64), path.display()));
    }
}

fn name_line(info: &spytui_plugin_api::Info, line: &str) -> Option<(u16, u64, u64, Vec<u8>)> {
    let mut words = line.splitn(4, ' ');
    let space = words.next()?;
    let hex = |word: Option<&str>| u64::from_str_radix(word?.strip_prefix("0x")?, 16).ok();
    let (key, scope) = (hex(words.next())?, hex(words.next())?);
    let name = words.next()?;
    let id = info.spaces.iter().find(|s| s.name == space)?.id;
    Some((id, key, scope, name.as_bytes().to_vec()))
}
