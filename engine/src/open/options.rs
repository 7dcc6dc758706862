//! Decoder options: `key=value`, checked against the decoder's specification.

use std::{
    io::{self, Read as _},
    path::Path,
};

use spytui_plugin_api::info::{Info, OptKind, OptSpec, OptVal};

use crate::{io::file_error::open_regular, nearest::nearest, unreadable};

/// An option was refused; the text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("-o {text}")]
pub struct OptionError {
    /// The text without the option's prefix among arguments.
    pub text: String,
    /// What the option is for, if its value is wrong.
    pub help: Option<String>,
}

impl OptionError {
    fn new(text: String) -> OptionError {
        OptionError { text, help: None }
    }
}

/// Checked options, in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    list: Vec<Opt>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Opt {
    key: String,
    /// The value as written by the user: the path of a file.
    shown: String,
    /// The value for the decoder: the content of a file.
    value: Vec<u8>,
}

impl Options {
    /// Checks `key=value` texts.
    pub fn parse<S: AsRef<str>>(info: &Info, texts: &[S]) -> Result<Options, OptionError> {
        let mut options = Options::default();
        texts.iter().try_for_each(|text| options.set_text(info, text.as_ref()))?;
        Ok(options)
    }

    pub fn set_text(&mut self, info: &Info, text: &str) -> Result<(), OptionError> {
        let (key, value) =
            text.split_once('=').ok_or_else(|| OptionError::new(format!("{text}: give an option as key=value")))?;
        self.set(info, key.trim(), value)
    }

    /// Sets an option; the last value of a key wins, and an empty one restores the default.
    pub fn set(&mut self, info: &Info, key: &str, value: &str) -> Result<(), OptionError> {
        let spec = info.option(key).ok_or_else(|| unknown(info, key))?;
        if value.is_empty() {
            self.unset(key);
            return Ok(());
        }
        let opt = Opt { key: key.to_owned(), shown: value.to_owned(), value: check(spec, value)? };
        self.list.retain(|o| o.key != key);
        self.list.push(opt);
        Ok(())
    }

    pub fn unset(&mut self, key: &str) {
        self.list.retain(|o| o.key != key);
    }

    /// The value as written by the user.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.list.iter().find(|o| o.key == key).map(|o| o.shown.as_str())
    }

    pub fn only(&self, key: &str) -> Options {
        Options { list: self.list.iter().filter(|o| o.key == key).cloned().collect() }
    }

    /// All keys and values as written by the user.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.list.iter().map(|o| (o.key.as_str(), o.shown.as_str()))
    }

    /// All keys and values for a later run in any folder: paths of files are absolute.
    pub fn to_keep(&self, info: &Info) -> Vec<(String, String)> {
        let kept = |(key, value): (&str, &str)| {
            let is_file = info.option(key).is_some_and(|spec| spec.ty == OptKind::FILE);
            let path = if is_file { std::path::absolute(value).ok() } else { None };
            (key.to_owned(), path.map_or_else(|| value.to_owned(), |path| path.display().to_string()))
        };
        self.iter().map(kept).collect()
    }

    pub fn vals(&self) -> Vec<OptVal<'_>> {
        self.list.iter().map(|o| OptVal { key: o.key.as_str().into(), value: o.value.as_slice().into() }).collect()
    }
}

fn unknown(info: &Info, key: &str) -> OptionError {
    let keys: Vec<&str> = info.options.iter().map(|o| o.key.as_str()).collect();
    let hint = match nearest(key, keys.iter().copied()) {
        Some(word) => format!("; nearest: {word}"),
        None => format!("; it has: {}", keys.join(" ")),
    };
    OptionError::new(format!("{key}: {} has no such option{hint}", info.id))
}

fn content(path: &str) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(Path::new(path))?.read_to_end(&mut content)?;
    Ok(content)
}

fn check(spec: &OptSpec, value: &str) -> Result<Vec<u8>, OptionError> {
    let key = &spec.key;
    if spec.ty == OptKind::FILE {
        return content(value).map_err(|error| {
            OptionError::new(format!("{key}={} It takes: {}", unreadable(Path::new(value), &error), spec.help))
        });
    }
    let checked = spec.check(value).map(|()| value.as_bytes().to_vec());
    checked.map_err(|legal| OptionError {
        text: format!("{key}={value}: must be {legal}"),
        help: Some(spec.help.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::RVec;

    fn info() -> Info {
        let spec = |key: &str, ty, choices: &[&str]| OptSpec {
            key: key.into(),
            help: "help".into(),
            ty,
            min: 0,
            max: 100,
            choices: choices.iter().map(|c| (*c).into()).collect::<RVec<_>>(),
            default: "".into(),
            is_guessed: true,
        };
        Info {
            id: "qs".into(),
            options: vec![
                spec("signal", OptKind::INT, &["1", "2", "4"]),
                spec("ticks", OptKind::INT, &[]),
                spec("dic", OptKind::FILE, &[]),
                spec("reference", OptKind::CHOICE, &["qspy-7.3.4", "qspy-8.1.3"]),
            ]
            .into(),
            ..Info::default()
        }
    }

    fn error(text: &str) -> String {
        Options::parse(&info(), &[text]).expect_err(text).to_string()
    }

    #[test]
    fn errors_name_what_is_legal_and_the_nearest_word() {
        assert_eq!(error("signal=3"), "-o signal=3: must be 1, 2 or 4");
        assert_eq!(error("ticks=101"), "-o ticks=101: must be a whole number from 0 to 100");
        assert_eq!(error("signl=2"), "-o signl: qs has no such option; nearest: signal");
        assert_eq!(error("signal"), "-o signal: give an option as key=value");
        assert!(error("reference=qspy-7.3").contains("nearest: qspy-7.3.4"));
        assert_eq!(error("dic=."), "-o dic=. is a folder; name a file in it. It takes: help");
        if cfg!(unix) {
            assert_eq!(error("dic=/dev/null"), "-o dic=/dev/null: not a regular file. It takes: help");
        }
        let missing = error("dic=qwertz");
        assert!(missing.starts_with("-o dic=qwertz: no such file in /"), "{missing}");
        assert!(missing.ends_with(". It takes: help"), "{missing}");
    }

    #[test]
    fn the_last_value_counts() {
        let options = Options::parse(&info(), &["signal=1", "ticks=5", "signal=2"]).expect("legal");
        assert_eq!(options.iter().collect::<Vec<_>>(), [("ticks", "5"), ("signal", "2")]);
        assert_eq!(options.vals()[1].value.as_slice(), b"2");
    }

    #[test]
    fn an_empty_value_restores_the_default() {
        let options = Options::parse(&info(), &["reference=qspy-7.3.4", "ticks=5", "reference="]).expect("legal");
        assert_eq!(options.iter().collect::<Vec<_>>(), [("ticks", "5")]);
        assert!(error("signl=").contains("nearest: signal"));
    }
}
