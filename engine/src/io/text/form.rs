//! What is asked for, and what comes out.

/// How text stands for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// Hexadecimal digits in any usual form. The order of the bytes in a word is that of the form.
    Hex,
    /// The same; the first byte of a word is its least significant one.
    HexLittle,
    /// The same; the first byte of a word is its most significant one.
    HexBig,
    /// Base64; padding at the end is optional.
    Base64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TextError {
    /// Line, from 1.
    pub line: u64,
    /// What is wrong, with the text.
    pub what: String,
}

/// Takes what a text stands for, in its order.
pub trait TextSink {
    fn bytes(&mut self, bytes: &[u8]);

    /// Bytes are missing here, as addresses show: how many, and where in the text.
    fn missing(&mut self, count: u64, place: &str);

    /// A remark for the user.
    fn remark(&mut self, text: String);
}

impl TextSink for Vec<u8> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn missing(&mut self, _count: u64, _place: &str) {}

    fn remark(&mut self, _text: String) {}
}
