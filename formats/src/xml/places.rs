//! Lines and columns of bytes in a file.

/// Lines and columns of some bytes, found in one walk through the text.
pub(super) struct Places {
    /// The bytes in order, each with its place.
    of_bytes: Vec<(usize, (u32, u32))>,
}

impl Places {
    pub(super) fn new(text: &str, mut bytes: Vec<usize>) -> Places {
        bytes.sort_unstable();
        let (mut before, mut place) = (0, (1, 1));
        let mut of_bytes = Vec::with_capacity(bytes.len());
        for at in bytes {
            for char in text.get(before..at).unwrap_or_default().chars() {
                place = if char == '\n' { (place.0 + 1, 1) } else { (place.0, place.1 + 1) };
            }
            before = at;
            of_bytes.push((at, place));
        }
        Places { of_bytes }
    }

    /// Line and column, in characters, of one of the bytes.
    pub(super) fn of(&self, at: usize) -> (u32, u32) {
        let found = self.of_bytes.binary_search_by_key(&at, |(byte, _)| *byte);
        found.ok().and_then(|index| self.of_bytes.get(index)).map_or((1, 1), |(_, place)| *place)
    }
}
