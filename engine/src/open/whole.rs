//! Checks that an ELF library is complete. The dynamic linker maps an incomplete file without an error, and the process
//! crashes when it accesses a missing page; therefore the sizes in the headers are checked first.

use std::io::{Read, Seek, SeekFrom};

/// Header offsets, different in 32- and 64-bit files.
struct ElfShape {
    /// Size of an offset field.
    word: u64,
    /// Offset of the program header table; then the size of an entry, followed by the number of entries.
    phoff: u64,
    phentsize: u64,
    /// The same of the section header table.
    shoff: u64,
    shentsize: u64,
    /// Within a program header: offset and size of the segment in the file.
    p_offset: u64,
    p_filesz: u64,
}

const ELF32: ElfShape =
    ElfShape { word: 4, phoff: 28, phentsize: 42, shoff: 32, shentsize: 46, p_offset: 4, p_filesz: 16 };
const ELF64: ElfShape =
    ElfShape { word: 8, phoff: 32, phentsize: 54, shoff: 40, shentsize: 58, p_offset: 8, p_filesz: 32 };

/// How many bytes of the file the dynamic linker maps, all segments being before them; `None` if the file is shorter than
/// its headers say. Other formats than ELF are left to the dynamic linker.
pub(super) fn mapped(file: &mut (impl Read + Seek)) -> Option<u64> {
    let len = file.seek(SeekFrom::End(0)).ok()?;
    let shape = match bytes_at(file, 0, 6).as_deref() {
        Some([0x7F, b'E', b'L', b'F', 1, _]) => &ELF32,
        Some([0x7F, b'E', b'L', b'F', 2, _]) => &ELF64,
        _ => return Some(len),
    };
    let Ends { segments, tables } = ends(file, shape)?;
    (segments.max(tables) <= len).then_some(segments)
}

/// Where the last of them ends in the file.
struct Ends {
    /// Segments, and the table of them.
    segments: u64,
    /// The tables of segments and sections.
    tables: u64,
}

/// `None` if the headers are incomplete.
fn ends(file: &mut (impl Read + Seek), shape: &ElfShape) -> Option<Ends> {
    let big = number_at(file, 5, 1, false)? == 2;
    let mut number = |at: u64, bytes: u64| number_at(file, at, bytes, big);
    let (phoff, shoff) = (number(shape.phoff, shape.word)?, number(shape.shoff, shape.word)?);
    let (phentsize, phnum) = (number(shape.phentsize, 2)?, number(shape.phentsize + 2, 2)?);
    let (shentsize, shnum) = (number(shape.shentsize, 2)?, number(shape.shentsize + 2, 2)?);
    let mut segments = phoff.checked_add(phentsize * phnum)?;
    let tables = segments.max(shoff.checked_add(shentsize * shnum)?);
    for i in 0..phnum {
        let header = phoff.checked_add(i * phentsize)?;
        let offset = number(header.checked_add(shape.p_offset)?, shape.word)?;
        segments = segments.max(offset.checked_add(number(header.checked_add(shape.p_filesz)?, shape.word)?)?);
    }
    Some(Ends { segments, tables })
}

fn bytes_at(file: &mut (impl Read + Seek), at: u64, count: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut bytes = Vec::new();
    let read = file.take(count).read_to_end(&mut bytes).ok()?;
    (read as u64 == count).then_some(bytes)
}

fn number_at(file: &mut (impl Read + Seek), at: u64, count: u64, big: bool) -> Option<u64> {
    let bytes = bytes_at(file, at, count)?;
    let push = |n: u64, b: &u8| n << 8 | u64::from(*b);
    Some(if big { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn is_cut_short(file: &[u8]) -> bool {
        mapped(&mut Cursor::new(file)).is_none()
    }

    #[test]
    fn every_shorter_length_of_a_library_is_cut_short() {
        let file = std::fs::read(std::env::current_exe().expect("a program")).expect("readable");
        if !file.starts_with(b"\x7FELF") {
            return;
        }
        assert!(!is_cut_short(&file));
        for keep in (6..file.len()).step_by(file.len() / 50).chain([63, 64, 65, file.len() - 1]) {
            assert!(is_cut_short(&file[..keep]), "{keep} of {}", file.len());
        }
    }

    #[test]
    fn wild_numbers_are_cut_short() {
        let mut file = vec![0xFF; 200];
        file[..6].copy_from_slice(b"\x7FELF\x02\x01");
        assert!(is_cut_short(&file));
        file[4] = 1;
        assert!(is_cut_short(&file));
    }

    #[test]
    fn other_files_are_left_to_the_linker() {
        assert!(!is_cut_short(b"") && !is_cut_short(b"shopping list"));
    }
}
