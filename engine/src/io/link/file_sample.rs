//! Samples of a file, to notice that its bytes are others than before.

use std::fs::File;

use crate::io::sys::PositionedIo;

/// Bytes of a sample at one place.
const PIECE: u64 = 4096;
/// Places of a sample of a whole file; a file of this many pieces is compared as a whole.
const PLACES: u64 = 64;

/// Bytes at some places of a file.
#[derive(Debug)]
pub(super) struct FileSample {
    pieces: Vec<(u64, Vec<u8>)>,
    /// These are all bytes of the file.
    all: bool,
}

impl FileSample {
    /// The last bytes before `len`; `None` if there are none.
    pub(super) fn of_end(file: &File, len: u64) -> Option<FileSample> {
        let pieces = vec![(len.saturating_sub(PIECE), read(file, len.saturating_sub(PIECE), PIECE.min(len))?)];
        (len > 0).then_some(FileSample { pieces, all: len <= PIECE })
    }

    /// Places all over the first `len` bytes, with their beginning and end.
    pub(super) fn of_all(file: &File, len: u64) -> FileSample {
        let all = len <= PIECE * PLACES;
        let last = len.saturating_sub(PIECE);
        let places = if all { len.div_ceil(PIECE) } else { PLACES };
        let place =
            |n: u64| if all { n * PIECE } else { (u128::from(last) * u128::from(n) / u128::from(PLACES - 1)) as u64 };
        let pieces = (0..places).map(place).filter_map(|pos| Some((pos, read(file, pos, PIECE.min(len - pos))?)));
        FileSample { pieces: pieces.collect(), all }
    }

    /// Whether the file still has these bytes.
    pub(super) fn is_in(&self, file: &File) -> bool {
        self.pieces.iter().all(|(pos, bytes)| read(file, *pos, bytes.len() as u64).is_some_and(|now| now == *bytes))
    }

    /// Whether it holds all bytes of the file.
    pub(super) fn is_all(&self) -> bool {
        self.all
    }
}

fn read(file: &File, pos: u64, len: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(len).ok()?];
    file.read_exact_at(&mut bytes, pos).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn changed_bytes_are_noticed_and_appended_ones_are_none() {
        for len in [1u64, 5000, PIECE * PLACES, PIECE * PLACES + 1, 3_000_000] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&vec![7; usize::try_from(len).unwrap()]).unwrap();
            let (all, end) = (FileSample::of_all(&file, len), FileSample::of_end(&file, len).unwrap());
            assert_eq!(all.is_all(), len <= PIECE * PLACES);
            file.write_all(b"more").unwrap();
            assert!(all.is_in(&file) && end.is_in(&file), "{len}");
            file.write_at(b"8", len - 1).unwrap();
            assert!(!all.is_in(&file) && !end.is_in(&file), "{len}");
        }
        let file = tempfile::tempfile().unwrap();
        assert!(FileSample::of_end(&file, 0).is_none() && FileSample::of_all(&file, 0).is_in(&file));
    }
}
