//! The bytes that a template walks over.

/// Byte order of the integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endian {
    /// Low byte first.
    #[default]
    Little,
    /// High byte first.
    Big,
}

/// Size of an integer for which a template gives none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntWidth {
    /// Two bytes.
    Two,
    /// Four bytes.
    #[default]
    Four,
}

/// What a template reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Data<'a> {
    pub bytes: &'a [u8],
    /// Order of their integers.
    pub endian: Endian,
    /// Size of an integer without a size.
    pub int_width: IntWidth,
    /// Size of the pieces in which the bytes were sent: zeros that fill the last one are no data. 0 = as many as there
    /// are.
    pub piece: usize,
}

impl<'a> Data<'a> {
    /// Little-endian data with integers of four bytes.
    pub fn new(bytes: &'a [u8]) -> Data<'a> {
        Data { bytes, ..Data::default() }
    }
}

/// A place in the data.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    data: &'a Data<'a>,
    at: usize,
    /// The furthest place so far.
    furthest: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(data: &'a Data<'a>) -> Cursor<'a> {
        Cursor { data, at: 0, furthest: 0 }
    }

    /// The bytes from here on.
    pub(crate) fn left(&self) -> &'a [u8] {
        self.data.bytes.get(self.at..).unwrap_or_default()
    }

    /// Number of bytes that the cursor has not reached, without those that fill the last piece.
    pub(crate) fn unread(&self) -> usize {
        let unread = self.data.bytes.get(self.furthest..).unwrap_or_default();
        let fills_up = unread.len() < self.data.piece && unread.iter().all(|&byte| byte == 0);
        if fills_up { 0 } else { unread.len() }
    }

    /// Puts the cursor at a byte, which may lie behind the end.
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

    /// An integer of so many bytes, at most 8, as unsigned. `None`, and the cursor stays, if fewer are left.
    pub(crate) fn integer(&mut self, size: usize) -> Option<u64> {
        let bytes = self.left().get(..size)?;
        self.go_to(self.at + size);
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(match self.data.endian {
            Endian::Little => bytes.iter().rev().fold(0, push),
            Endian::Big => bytes.iter().fold(0, push),
        })
    }

    /// Size of an integer for which the template gives none.
    pub(crate) fn int_size(&self) -> usize {
        match self.data.int_width {
            IntWidth::Two => 2,
            IntWidth::Four => 4,
        }
    }
}
