//! What a reader of lines does.

use super::{
    banner::is_banner,
    digits::{Order, shown},
    form::{TextForm, TextSink},
    lines::Line,
};

/// What a line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Data, or a part of its form.
    Data,
    /// No data: left out.
    LeftOut,
}

/// Reads the lines of one form.
pub(super) trait LineReader: std::fmt::Debug + Send {
    /// Reads a line.
    ///
    /// # Errors
    /// It can't be read, in words.
    fn line(&mut self, line: &Line, out: &mut dyn TextSink) -> Result<Taken, String>;

    /// Ends the text.
    ///
    /// # Errors
    /// Its end is missing, in words.
    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String>;

    /// What the text is, with what the user should know of how it is read.
    fn name(&self) -> ReaderName;
}

/// What a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReaderName {
    /// In a few words.
    pub what: &'static str,
    /// How its words are read, if that is not beyond doubt.
    pub words: Option<String>,
}

impl ReaderName {
    /// A form without words.
    pub(super) fn plain(what: &'static str) -> ReaderName {
        ReaderName { what, words: None }
    }
}

/// A line that can't be read: left out if it is clearly no data.
///
/// # Errors
/// It may be damaged data.
pub(super) fn left_out(text: &str, wrong: &str) -> Result<Taken, String> {
    if is_banner(text) { Ok(Taken::LeftOut) } else { Err(format!("{wrong}: {}", shown(text))) }
}

/// How words of a number of bytes are read, in words.
pub(super) fn words_text(size: usize, order: Order) -> String {
    match order {
        Order::Little => format!(
            "words of {size} bytes, least significant byte first; --input hex-be reads the most significant one first"
        ),
        Order::Written => {
            format!(
                "digits in groups of {size} bytes, read as they stand; --input hex-le takes them for little-endian words"
            )
        }
    }
}

impl TextForm {
    /// The order of the bytes in words, if it was asked for.
    pub(super) fn order(self) -> Option<Order> {
        match self {
            TextForm::HexLittle => Some(Order::Little),
            TextForm::HexBig => Some(Order::Written),
            TextForm::Hex | TextForm::Base64 => None,
        }
    }
}
