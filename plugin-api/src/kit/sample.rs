//! What the rules are proven on.

/// A stream that the decoder is to be proven on.
#[derive(Debug, Clone)]
pub struct Sample<'a> {
    /// For messages.
    pub name: &'a str,
    /// Options.
    pub opts: Vec<(&'a str, &'a [u8])>,
    /// The stream.
    pub bytes: &'a [u8],
}
