//! Holds rows until their time stamp arrives, and lines of text until their end.
//!
//! A local time stamp follows the packets that it belongs to. Once a stream has time stamps, packets are held until the
//! next one: a limited number of them, and never across a link event.

use std::collections::VecDeque;

use spytui_plugin_api::RowKind;

use crate::packet::Packet;

/// Maximum number of held rows.
pub const MAX_HELD: usize = 64;
/// Maximum number of bytes in held rows.
const MAX_HELD_BYTES: u64 = 4096;
/// Maximum line length in characters.
const MAX_LINE: usize = 256;
/// Maximum number of bytes without a row: held rows, noise, a synchronisation packet.
pub const MAX_PENDING: u64 = 8192;

/// What a held row will become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The record of a packet, with the page of its port.
    Packet(Packet, u8),
    /// A line of text from a port.
    Line(u8),
    /// Bytes that are not a packet.
    Skipped(RowKind),
}

#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Position of its first byte.
    pub pos: u64,
    /// Length in bytes, including its time stamp.
    pub len: u64,
    /// What it will become.
    pub what: What,
    /// Its time, once received.
    pub time: Option<u64>,
}

/// The held rows in order; their bytes are contiguous.
#[derive(Clone, Debug, Default)]
pub struct Hold {
    rows: VecDeque<Held>,
    /// Number of their bytes.
    bytes: u64,
    /// Number of characters in the last row, if it is an unfinished line.
    line: Option<usize>,
    /// The stream has time stamps, so rows wait for theirs.
    has_stamps: bool,
    /// The last row has grown since the last time stamp.
    has_grown: bool,
}

impl Hold {
    /// Adds a packet or noise.
    pub fn push(&mut self, pos: u64, len: usize, what: What) {
        (self.line, self.has_grown) = (None, true);
        self.bytes += len as u64;
        self.rows.push_back(Held { pos, len: len as u64, what, time: None });
    }

    /// Adds the characters of a packet.
    pub fn characters(&mut self, pos: u64, len: usize, port: u8, characters: &[u8]) {
        let is_same = self.rows.back().is_some_and(|row| row.what == What::Line(port));
        match (self.line, self.rows.back_mut()) {
            (Some(count), Some(row)) if is_same => {
                row.len += len as u64;
                self.bytes += len as u64;
                (self.line, self.has_grown) = (Some(count + characters.len()), true);
            }
            _ => {
                self.push(pos, len, What::Line(port));
                self.line = Some(characters.len());
            }
        }
        if characters.contains(&b'\n') || self.line.is_some_and(|count| count >= MAX_LINE) {
            self.line = None;
        }
    }

    /// Applies a local time stamp to all rows without a time, and appends its bytes to the last. Returns `false` if
    /// nothing is held.
    pub fn stamp(&mut self, len: usize, time: u64) -> bool {
        (self.has_stamps, self.has_grown) = (true, false);
        let Some(last) = self.rows.back_mut() else { return false };
        last.len += len as u64;
        self.bytes += len as u64;
        for row in &mut self.rows {
            row.time.get_or_insert(time);
        }
        true
    }

    /// Takes the next row if it is complete.
    pub fn ready(&mut self) -> Option<Held> {
        let first = self.rows.front()?;
        let is_last = self.rows.len() == 1;
        let waits_for_stamp = self.has_stamps && (first.time.is_none() || (is_last && self.has_grown));
        let waits = waits_for_stamp || (is_last && self.line.is_some());
        let is_full = self.rows.len() > MAX_HELD || self.bytes > MAX_HELD_BYTES;
        if waits && !is_full { None } else { self.take() }
    }

    /// Takes the next row, complete or not.
    pub fn take(&mut self) -> Option<Held> {
        let first = self.rows.pop_front()?;
        self.bytes = self.bytes.saturating_sub(first.len);
        if self.rows.is_empty() {
            self.line = None;
        }
        Some(first)
    }
}
