//! Files of names, read and written.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
};

use spytui_engine::{
    session::Decoding,
    stream::{NullSink, Pipeline, drive_reader},
    unreadable, unwritable,
};
use spytui_plugin_api::{
    Info,
    info::{OptSpec, opt_type},
};

use crate::model::{Message, names::HEAD};

/// Space, key, scope and name.
type NameLine = (u16, u64, u64, Vec<u8>);

/// Writes a new text file.
///
/// # Errors
/// It cannot be written, in words.
pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| unwritable(path, &error))
}

/// Reads names from our own file or from another capture; a file that the decoder reads itself is left to it.
pub(super) fn read(path: &Path, decoding: &Decoding) -> Message {
    let info = &decoding.decoder.info;
    let mut reader = match fs::File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) => return Message::Failed(unreadable(path, &error)),
    };
    let own = reader.fill_buf().is_ok_and(|bytes| bytes.starts_with(HEAD.as_bytes()));
    let reads_dic = |option: &OptSpec| option.ty == opt_type::FILE && option.key == "dic";
    let is_dic = path.extension().is_some_and(|extension| extension == "dic");
    let names = if own {
        lines(reader, info, path)
    } else if is_dic && info.options.iter().any(reads_dic) {
        return Message::DictionaryFile(path.to_owned());
    } else {
        of_capture(&mut reader, decoding, path)
    };
    match names {
        Ok(names) => Message::Names { names, path: path.to_owned() },
        Err(error) => Message::Failed(error),
    }
}

fn lines(reader: BufReader<fs::File>, info: &Info, path: &Path) -> Result<Vec<NameLine>, String> {
    let mut names = Vec::new();
    for (line, number) in reader.split(b'\n').zip(1..) {
        let at = |what: String| format!("{}:{number}: {what}", path.display());
        let line = line.map_err(|error| at(error.to_string()))?;
        let line = String::from_utf8_lossy(&line);
        if !line.is_empty() && !line.starts_with('#') {
            names.push(name_line(info, &line).ok_or_else(|| at("not SPACE KEY SCOPE NAME".to_owned()))?);
        }
    }
    Ok(names)
}

fn of_capture(reader: &mut BufReader<fs::File>, decoding: &Decoding, path: &Path) -> Result<Vec<NameLine>, String> {
    let (decoder, options) = (decoding.decoder.clone(), decoding.options.clone());
    let mut pipeline = Pipeline::open(decoder, &options).map_err(|fault| fault.to_string())?;
    drive_reader(reader, &mut pipeline, &mut NullSink).map_err(|error| format!("{}: {error}", path.display()))?;
    let all = pipeline.dictionary().iter();
    let named = all.filter_map(|(space, key, scope, names)| {
        let name = names.last()?.text.as_deref()?.to_vec();
        Some((space, key, scope, name))
    });
    Ok(named.collect())
}

fn name_line(info: &Info, line: &str) -> Option<NameLine> {
    let mut words = line.splitn(4, ' ');
    let space = words.next()?;
    let hex = |word: Option<&str>| u64::from_str_radix(word?.strip_prefix("0x")?, 16).ok();
    let (key, scope) = (hex(words.next())?, hex(words.next())?);
    let name = words.next()?;
    let id = info.spaces.iter().find(|s| s.name == space)?.id;
    Some((id, key, scope, name.as_bytes().to_vec()))
}
