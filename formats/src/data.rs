//! The bytes that a template reads.

#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    pub bytes: &'a [u8],
    pub is_big_endian: bool,
    /// Size in bytes of integers without a size in the template.
    pub int_size: usize,
    /// Size of the pieces in which the data was sent: trailing zeros in the last piece are padding. 0 = a single piece.
    pub piece: usize,
}

impl<'a> Data<'a> {
    /// Little-endian data with 4-byte integers.
    pub fn new(bytes: &'a [u8]) -> Data<'a> {
        Data { bytes, is_big_endian: false, int_size: 4, piece: 0 }
    }
}

#[derive(Debug)]
pub(crate) struct DataCursor<'a> {
    pub(crate) data: &'a Data<'a>,
    at: usize,
    /// The furthest position so far.
    furthest: usize,
}

impl<'a> DataCursor<'a> {
    pub(crate) fn new(data: &'a Data<'a>) -> DataCursor<'a> {
        DataCursor { data, at: 0, furthest: 0 }
    }

    pub(crate) fn left(&self) -> &'a [u8] {
        self.data.bytes.get(self.at..).unwrap_or_default()
    }

    /// Number of bytes that the cursor has not reached, without padding.
    pub(crate) fn unread(&self) -> usize {
        let unread = self.data.bytes.get(self.furthest..).unwrap_or_default();
        let fills_up = unread.len() < self.data.piece && unread.iter().all(|&byte| byte == 0);
        if fills_up { 0 } else { unread.len() }
    }

    /// Moves the cursor to a byte, possibly beyond the end.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at;
        self.furthest = self.furthest.max(at);
    }

    /// Up to `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> &'a [u8] {
        let left = self.left();
        let taken = left.get(..count).unwrap_or(left);
        self.go_to(self.at + taken.len());
        taken
    }

    /// An integer of `size` bytes, at most 8, as unsigned. Returns `None` without moving if fewer bytes are left.
    pub(crate) fn integer(&mut self, size: usize) -> Option<u64> {
        let bytes = self.left().get(..size)?;
        self.go_to(self.at + size);
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.data.is_big_endian { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) })
    }
}
