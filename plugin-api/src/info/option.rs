//! Options of a decoder. A single declaration, an [`Opt`], gives the host the specification and the decoder the typed
//! value.
//!
//! ```
//! use spytui_plugin_api::info::{Opt, OptVal};
//!
//! const WIDTH: Opt<u8> = Opt::int("width", 1..=16, "digits of a key").with_default("4");
//!
//! // In `Info::options`:
//! let spec = WIDTH.spec();
//! assert_eq!((spec.min, spec.max, spec.default.as_str()), (1, 16, "4"));
//!
//! // In `Decoder::open`:
//! let opts = [OptVal { key: "width".into(), value: b"8"[..].into() }];
//! assert_eq!(WIDTH.get(&opts)?, 8);
//! assert_eq!(WIDTH.get(&[])?, 4);
//! assert_eq!(WIDTH.given(&[])?, None);
//! assert_eq!(WIDTH.parse("17"), Err("must be a whole number from 1 to 16".to_owned()));
//! # Ok::<(), spytui_plugin_api::Fault>(())
//! ```

use std::{fmt::Write as _, ops::RangeInclusive};

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RStr, RString, RVec},
};

use crate::{Fault, nearest::nearest, number::named_numbers};

/// An option of the decoder, as the host sees it. Changing it opens a new instance and decodes again.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct OptSpec {
    /// Key on the command line.
    pub key: RString,
    /// One line of help.
    pub help: RString,
    /// Type of its value.
    pub ty: OptKind,
    /// Minimum of an integer.
    pub min: i64,
    /// Maximum of an integer.
    pub max: i64,
    /// Allowed values; empty = any in the range. Integers may have them, too.
    pub choices: RVec<RString>,
    /// Default, as text; empty = unset.
    pub default: RString,
    /// The decoder may guess it from a sample. Files are never guessed.
    pub is_guessed: bool,
}

named_numbers! {
    /// Type of the value of an [`OptSpec`].
    pub struct OptKind(u8) {
        /// `0 1 yes no on off true false`.
        BOOL = 0,
        /// Integer, decimal or 0x.
        INT = 1,
        /// One of the choices.
        CHOICE = 2,
        /// Text.
        TEXT = 3,
        /// A file: the user specifies a path, the decoder receives the content.
        FILE = 4,
    }
}

impl OptSpec {
    /// Checks a value; any path of a file is accepted. The error says what is allowed.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let chosen = self.choices.is_empty() || self.choices.iter().any(|c| c == value);
        let legal = match self.ty {
            OptKind::BOOL => flag(value).is_some(),
            OptKind::INT => int(value).is_some_and(|n| n >= self.min && n <= self.max) && chosen,
            _ => chosen,
        };
        if legal { Ok(()) } else { Err(self.legal_text(value)) }
    }

    fn legal_text(&self, value: &str) -> String {
        let Some((last, others)) = self.choices.split_last() else {
            return match self.ty {
                OptKind::BOOL => "0 or 1".to_owned(),
                OptKind::INT => format!("a whole number from {} to {}", self.min, self.max),
                _ => self.help.to_string(),
            };
        };
        let mut text = others.join(", ");
        let _ = write!(text, "{}{last}", if others.is_empty() { "" } else { " or " });
        if self.ty == OptKind::CHOICE
            && let Some(word) = nearest(value, self.choices.iter().map(|c| c.as_str()))
        {
            let _ = write!(text, "; nearest: {word}");
        }
        text
    }
}

fn int(value: &str) -> Option<i64> {
    value.strip_prefix("0x").map_or_else(|| value.parse().ok(), |hex| i64::from_str_radix(hex, 16).ok())
}

fn flag(value: &str) -> Option<bool> {
    match value {
        "1" | "yes" | "on" | "true" => Some(true),
        "0" | "no" | "off" | "false" => Some(false),
        _ => None,
    }
}

/// One option with its value, as handed to a decoder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct OptVal<'a> {
    /// Key.
    pub key: RStr<'a>,
    /// Value; the content of a file.
    pub value: RSlice<'a, u8>,
}

/// The options of an instance; of several values for a key, the last one counts. The host has checked each against its
/// [`OptSpec`].
pub type DecoderOptions<'a> = [OptVal<'a>];

/// Type and allowed values of an option whose value is a `T`.
#[derive(Debug)]
pub enum OptType<T: 'static> {
    /// See [`OptKind::BOOL`].
    Flag(fn(bool) -> T),
    /// Minimum, maximum, conversion.
    Int(i64, i64, fn(i64) -> Option<T>),
    /// Allowed values of an integer.
    IntChoice(&'static [(&'static str, T)]),
    /// Allowed words.
    Choice(&'static [(&'static str, T)]),
    /// A parser of the text; its errors say what is allowed.
    Text(fn(&str) -> Result<T, String>),
    /// A parser of the file's content; its errors say what is wrong.
    File(fn(&[u8]) -> Result<T, String>),
}

/// The declaration of an option whose value is a `T`.
#[derive(Debug)]
pub struct Opt<T: 'static> {
    /// Key on the command line.
    pub key: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Type and allowed values.
    pub ty: OptType<T>,
    /// Default as text; empty = unset.
    pub default: &'static str,
    /// See [`OptSpec::is_guessed`].
    pub is_guessed: bool,
}

impl<T> Opt<T> {
    /// An option without a default.
    pub const fn new(key: &'static str, ty: OptType<T>, help: &'static str) -> Opt<T> {
        Opt { key, help, ty, default: "", is_guessed: true }
    }

    /// A switch.
    pub const fn flag(key: &'static str, help: &'static str) -> Opt<T>
    where
        T: From<bool>,
    {
        Opt::new(key, OptType::Flag(T::from), help)
    }

    /// An integer.
    pub const fn int(key: &'static str, range: RangeInclusive<i64>, help: &'static str) -> Opt<T>
    where
        T: TryFrom<i64>,
    {
        Opt::new(key, OptType::Int(*range.start(), *range.end(), |n| T::try_from(n).ok()), help)
    }

    /// A choice of words.
    pub const fn choice(key: &'static str, choices: &'static [(&'static str, T)], help: &'static str) -> Opt<T> {
        Opt::new(key, OptType::Choice(choices), help)
    }

    /// A text.
    pub const fn text(key: &'static str, parse: fn(&str) -> Result<T, String>, help: &'static str) -> Opt<T> {
        Opt::new(key, OptType::Text(parse), help)
    }

    /// A file.
    pub const fn file(key: &'static str, parse: fn(&[u8]) -> Result<T, String>, help: &'static str) -> Opt<T> {
        Opt::new(key, OptType::File(parse), help)
    }

    /// Sets the default.
    pub const fn with_default(self, default: &'static str) -> Opt<T> {
        Opt { default, ..self }
    }

    /// Excludes it from guessing, for options that no sample reveals.
    pub const fn never_guessed(self) -> Opt<T> {
        Opt { is_guessed: false, ..self }
    }

    /// The specification for the host.
    pub fn spec(&self) -> OptSpec {
        let numbers = || self.choices().iter().filter_map(|(word, _)| int(word));
        let (ty, min, max) = match self.ty {
            OptType::Flag(_) => (OptKind::BOOL, 0, 0),
            OptType::Int(min, max, _) => (OptKind::INT, min, max),
            OptType::IntChoice(_) => (OptKind::INT, numbers().min().unwrap_or(0), numbers().max().unwrap_or(0)),
            OptType::Choice(_) => (OptKind::CHOICE, 0, 0),
            OptType::Text(_) => (OptKind::TEXT, 0, 0),
            OptType::File(_) => (OptKind::FILE, 0, 0),
        };
        OptSpec {
            key: self.key.into(),
            help: self.help.into(),
            ty,
            min,
            max,
            choices: self.choices().iter().map(|(word, _)| RString::from(*word)).collect(),
            default: self.default.into(),
            is_guessed: self.is_guessed && ty != OptKind::FILE,
        }
    }

    /// Allowed values as text and as value; empty = not a choice.
    pub fn choices(&self) -> &'static [(&'static str, T)] {
        match self.ty {
            OptType::IntChoice(choices) | OptType::Choice(choices) => choices,
            _ => &[],
        }
    }
}

impl<T: Clone> Opt<T> {
    /// Parses a value; for a file, `text` is its content. The error says what is allowed.
    pub fn parse(&self, text: &str) -> Result<T, String> {
        let value = match self.ty {
            OptType::Text(parse) => return parse(text),
            OptType::File(parse) => return parse(text.as_bytes()),
            OptType::Flag(convert) => flag(text).map(convert),
            OptType::Int(min, max, convert) => int(text).filter(|n| (min..=max).contains(n)).and_then(convert),
            OptType::IntChoice(choices) | OptType::Choice(choices) => {
                choices.iter().find(|(word, _)| *word == text).map(|(_, value)| value.clone())
            }
        };
        value.ok_or_else(|| format!("must be {}", self.spec().legal_text(text)))
    }

    /// The value set by the user. An empty text counts as unset.
    pub fn given(&self, opts: &DecoderOptions<'_>) -> Result<Option<T>, Fault> {
        let Some(value) = opts.iter().rev().find(|given| given.key == self.key) else { return Ok(None) };
        let value = value.value.as_slice();
        if let OptType::File(parse) = self.ty {
            return parse(value).map(Some).map_err(|why| Fault::new(format!("{}: {why}", self.key)));
        }
        let text = String::from_utf8_lossy(value);
        match text.trim() {
            "" => Ok(None),
            text => self.parse(text).map(Some).map_err(|why| Fault::new(format!("{}={text}: {why}", self.key))),
        }
    }

    /// The value set by the user, or the default, or `T::default()`.
    pub fn get(&self, opts: &DecoderOptions<'_>) -> Result<T, Fault>
    where
        T: Default,
    {
        Ok(self.given(opts)?.or_else(|| self.default_value()).unwrap_or_default())
    }

    /// The default.
    pub fn default_value(&self) -> Option<T> {
        Some(self.default).filter(|text| !text.is_empty()).and_then(|text| self.parse(text).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Opt<u8> = Opt::new("size", OptType::IntChoice(&[("1", 1), ("4", 4)]), "bytes").with_default("4");
    const ON: Opt<bool> = Opt::flag("on", "a switch");
    const STYLE: Opt<char> = Opt::choice("style", &[("plain", 'p'), ("rich", 'r')], "how");
    const FILE: Opt<usize> = Opt::file("file", |bytes| Ok(bytes.len()), "any");

    fn values(list: &[(&'static str, &'static str)]) -> Vec<OptVal<'static>> {
        list.iter().map(|(key, value)| OptVal { key: (*key).into(), value: value.as_bytes().into() }).collect()
    }

    #[test]
    fn the_last_value_counts() {
        let list = values(&[("size", "4"), ("size", "1"), ("on", "yes"), ("style", " rich "), ("file", "abc")]);
        assert_eq!((SIZE.get(&list), ON.get(&list)), (Ok(1), Ok(true)));
        assert_eq!((STYLE.given(&list), FILE.given(&list)), (Ok(Some('r')), Ok(Some(3))));
    }

    #[test]
    fn without_a_value_the_default_counts() {
        let list = values(&[("size", "")]);
        assert_eq!((SIZE.given(&list), SIZE.get(&list), ON.get(&list)), (Ok(None), Ok(4), Ok(false)));
    }

    #[test]
    fn decoder_and_host_accept_the_same_values() {
        for text in ["0", "1", "2", "4", "0x4", "yes", "plain", "rich", "x", "-1"] {
            assert_eq!(SIZE.parse(text).is_ok(), SIZE.spec().check(text).is_ok(), "{text}");
            assert_eq!(ON.parse(text).is_ok(), ON.spec().check(text).is_ok(), "{text}");
            assert_eq!(STYLE.parse(text).is_ok(), STYLE.spec().check(text).is_ok(), "{text}");
        }
        assert_eq!(SIZE.spec().check("2"), Err("1 or 4".to_owned()));
        let list = values(&[("size", "2")]);
        let fault = SIZE.given(&list).unwrap_err();
        assert_eq!(fault.text, "size=2: must be 1 or 4");
    }
}
