//! A whole event, of one part or several.

use crate::layout::{Kind, Layout};

/// A whole event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole<'a> {
    pub(crate) kind: Kind,
    pub(crate) layout: &'static Layout,
    pub(crate) cpu: u8,
    pub(crate) time: Option<u64>,
    /// The first two words.
    pub(crate) first: [u32; 2],
    /// The start of the payload.
    pub(crate) payload: &'a [u8],
    /// The thread that runs on its CPU: its key.
    pub(crate) owner: Option<u64>,
}
