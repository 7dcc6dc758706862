//! Samples for the conformance kit.

/// A stream to check the decoder with.
#[derive(Debug, Clone)]
pub struct Sample<'a> {
    /// Name for messages.
    pub name: &'a str,
    /// Options.
    pub opts: Vec<(&'a str, &'a [u8])>,
    /// The stream.
    pub bytes: &'a [u8],
}
