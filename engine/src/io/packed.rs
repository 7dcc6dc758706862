//! Compressed files: gzip is decompressed, others are named in errors.

use std::{
    fs::File,
    io::{self, BufReader, ErrorKind, Read, Seek},
};

use flate2::bufread::MultiGzDecoder;

use super::log::format::size_text;

const START: usize = 6;
/// Maximum ratio of decompressed to compressed size; no trace compresses that well.
const MOST_RATIO: u64 = 200;
/// Decompressed size that is always allowed.
const SMALL: u64 = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Gzip,
    /// Another format: its name, and the command that decompresses it.
    Other(&'static str, &'static str),
}

const OTHERS: [(&[u8], Packing); 6] = [
    (b"PK\x03\x04", Packing::Other("a zip archive", "unzip -p")),
    (b"\xFD7zXZ\0", Packing::Other("packed with xz", "xz -dc")),
    (b"\x28\xB5\x2F\xFD", Packing::Other("packed with zstd", "zstd -dc")),
    (b"BZh91A", Packing::Other("packed with bzip2", "bzip2 -dc")),
    (b"7z\xBC\xAF\x27\x1C", Packing::Other("a 7z archive", "7z e -so")),
    (b"\x04\x22\x4D\x18", Packing::Other("packed with lz4", "lz4 -dc")),
];

impl Packing {
    /// The format of compressed bytes, by their start.
    pub fn of(start: &[u8]) -> Option<Packing> {
        // The method is always the same, and three flags are always zero.
        if let [0x1F, 0x8B, 8, 0..0x20, ..] = start {
            return Some(Packing::Gzip);
        }
        OTHERS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, packing)| *packing)
    }

    /// Compression format of a file. Leaves its position at the start.
    pub fn of_file(mut file: &File) -> io::Result<Option<Packing>> {
        let mut start = Vec::new();
        file.take(START as u64).read_to_end(&mut start)?;
        file.rewind()?;
        Ok(Packing::of(&start))
    }

    /// Message if it can't be decompressed here, with the next step.
    pub fn refusal(self) -> String {
        let (what, command) = match self {
            Packing::Gzip => ("packed with gzip", "gzip -dc"),
            Packing::Other(what, command) => (what, command),
        };
        format!("{what}: unpack it, as in  {command} FILE | spytui -")
    }
}

#[derive(Debug)]
pub struct Unpacked {
    decoder: MultiGzDecoder<BufReader<File>>,
    packed: u64,
    read: u64,
    /// Maximum number of decompressed bytes.
    most: u64,
}

impl Unpacked {
    pub fn new(file: File) -> io::Result<Unpacked> {
        let packed = file.metadata()?.len();
        let most = SMALL.max(packed.saturating_mul(MOST_RATIO));
        Ok(Unpacked { decoder: MultiGzDecoder::new(BufReader::new(file)), packed, read: 0, most })
    }
}

impl Read for Unpacked {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(to).map_err(|error| {
            let at = size_text(self.read);
            io::Error::other(match error.kind() {
                ErrorKind::UnexpectedEof => format!("the gzip file is cut off after its first {at}"),
                _ => format!("the gzip file is damaged after its first {at}: {error}"),
            })
        })?;
        self.read += count as u64;
        if self.read > self.most {
            let (packed, read) = (size_text(self.packed), size_text(self.read));
            let text = format!(
                "{packed} of gzip expand to over {read}: this is not a trace; gzip -dc FILE | spytui - reads it"
            );
            return Err(io::Error::other(text));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        file
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(bytes: &[u8]) -> (usize, Result<(), String>) {
        contents(Unpacked::new(file(bytes)).unwrap())
    }

    fn contents(mut reader: Unpacked) -> (usize, Result<(), String>) {
        let (mut piece, mut len) = (vec![0; 1 << 16], 0);
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return (len, Ok(())),
                Ok(count) => len += count,
                Err(error) => return (len, Err(error.to_string())),
            }
        }
    }

    #[test]
    fn packed_files_are_known_by_their_start() {
        let of = |bytes: &[u8]| Packing::of_file(&file(bytes)).unwrap();
        assert_eq!(of(&packed(b"trace")), Some(Packing::Gzip));
        assert_eq!(
            of(b"PK\x03\x04rest").unwrap().refusal(),
            "a zip archive: unpack it, as in  unzip -p FILE | spytui -"
        );
        assert!(of(b"\xFD7zXZ\0\0").unwrap().refusal().starts_with("packed with xz: "));
        for bytes in [&b""[..], b"\x1F\x8B", b"\x1F\x8B\x08\xFF", b"PK", b"01 02"] {
            assert_eq!(of(bytes), None);
        }
    }

    #[test]
    fn a_gzip_file_is_unpacked_and_its_end_and_damage_are_said() {
        let bytes: Vec<u8> = (0..200_000u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect();
        let whole = packed(&bytes);
        assert_eq!(unpacked(&whole), (bytes.len(), Ok(())));
        assert_eq!(unpacked(&[whole.clone(), packed(b"more")].concat()), (bytes.len() + 4, Ok(())));
        let (len, result) = unpacked(&whole[..whole.len() / 2]);
        assert!(len > 0 && len < bytes.len() && result.unwrap_err().contains("cut off"));
        let mut damaged = whole.clone();
        let sum = damaged.len() - 6;
        damaged[sum] ^= 1;
        assert!(unpacked(&damaged).1.unwrap_err().contains("damaged"));
    }

    #[test]
    fn what_a_file_becomes_is_bounded() {
        let zeros = packed(&vec![0; 2 << 20]);
        let reader = Unpacked::new(file(&zeros)).unwrap();
        assert_eq!(reader.most, SMALL);
        let (len, result) = contents(Unpacked { most: 1 << 20, ..reader });
        assert!(len <= 1 << 20 && result.unwrap_err().contains("this is not a trace"));
        assert_eq!(unpacked(&zeros), (2 << 20, Ok(())));
    }
}
