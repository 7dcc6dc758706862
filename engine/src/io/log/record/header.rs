//! The first line of `NAME.meta`. It is written again in place when it turns out how the bytes are to be read.

use std::fs::File;
use std::io::{self, Write};

use crate::{
    io::log::meta::{MetaHead, head_line},
    io::sys::PositionedIo,
};

/// Room left in the line for what turns out later.
const ROOM: usize = 512;

/// The header of the file being written.
pub(super) struct Header {
    pub(super) head: MetaHead,
    /// The file, once the line is in it.
    meta: Option<File>,
    /// Length of the line without its end.
    len: usize,
}

impl Header {
    pub(super) fn new(head: MetaHead) -> Header {
        Header { head, meta: None, len: 0 }
    }

    /// Writes the line to a new file.
    pub(super) fn begin(&mut self, mut meta: &File) -> io::Result<()> {
        self.len = head_line(&self.head).len() + ROOM;
        let mut line = self.line();
        line.push(b'\n');
        meta.write_all(&line)?;
        self.meta = Some(meta.try_clone()?);
        Ok(())
    }

    /// Names decoder and options, unless there is no room for them.
    pub(super) fn name(&mut self, decoder: &str, options: &[(String, String)]) -> io::Result<()> {
        self.head.decoder = decoder.to_owned();
        self.head.options = options.to_vec();
        let line = self.line();
        match &self.meta {
            Some(meta) if line.len() == self.len => meta.write_all_at(&line, 0),
            _ => Ok(()),
        }
    }

    /// The line without its end, filled up with blanks.
    fn line(&self) -> Vec<u8> {
        let mut line = head_line(&self.head);
        line.pop();
        line.resize(line.len().max(self.len), b' ');
        line
    }
}
