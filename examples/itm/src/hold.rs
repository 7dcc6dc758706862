//! Rows that wait for their time stamp, lines of text that wait for their end.
//!
//! A local time stamp comes after the packets that it belongs to. What came since the one before is held until it comes,
//! if the stream has had any: a bounded number of packets, none of them beyond a link event.

use std::collections::VecDeque;

use spytui_plugin_api::RowKind;

use crate::packet::Packet;

/// Maximum number of rows that wait.
pub const MAX_HELD: usize = 64;
/// Maximum number of bytes that wait, in rows.
const MAX_HELD_BYTES: u64 = 4096;
/// Maximum number of characters of a line.
const MAX_LINE: usize = 256;
/// Maximum number of bytes that are in no row yet: rows that wait, noise, a synchronisation.
pub const MAX_PENDING: u64 = 8192;

/// What a row that waits will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The record of a packet; the page of its port.
    Packet(Packet, u8),
    /// A line of text from this port.
    Line(u8),
    /// Bytes that are no packet.
    Skipped(RowKind),
}

/// A row that waits.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Position of its first byte.
    pub pos: u64,
    /// Length in bytes, its time stamp included.
    pub len: u64,
    /// What it will be.
    pub what: What,
    /// Its time, if it came.
    pub time: Option<u64>,
}

/// The rows that wait, in order, without a gap between their bytes.
#[derive(Clone, Debug, Default)]
pub struct Hold {
    rows: VecDeque<Held>,
    /// Their bytes.
    bytes: u64,
    /// Characters of the last row, if that is a line whose end is yet to come.
    line: Option<usize>,
    /// There were time stamps: rows wait for theirs.
    has_stamps: bool,
    /// The last row grew since the last time stamp.
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

    /// Adds a local time stamp: the time of all that has none, and the end of the last. `false` = nothing waits.
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

    /// The next row that waits for nothing more.
    pub fn ready(&mut self) -> Option<Held> {
        let first = self.rows.front()?;
        let is_last = self.rows.len() == 1;
        let waits_for_stamp = self.has_stamps && (first.time.is_none() || (is_last && self.has_grown));
        let waits = waits_for_stamp || (is_last && self.line.is_some());
        let is_full = self.rows.len() > MAX_HELD || self.bytes > MAX_HELD_BYTES;
        if waits && !is_full { None } else { self.take() }
    }

    /// The next row, whatever it waits for.
    pub fn take(&mut self) -> Option<Held> {
        let first = self.rows.pop_front()?;
        self.bytes = self.bytes.saturating_sub(first.len);
        if self.rows.is_empty() {
            self.line = None;
        }
        Some(first)
    }
}
