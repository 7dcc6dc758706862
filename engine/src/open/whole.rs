//! Checks that an ELF library is complete. The dynamic linker maps an incomplete file without an error, and the process
//! crashes when it accesses a missing page; therefore the sizes in the headers are checked first.

/// Header offsets, different in 32- and 64-bit files.
struct ElfShape {
    /// Size of an offset field.
    word: usize,
    /// Offset of the program header table; then the size of an entry, followed by the number of entries.
    phoff: usize,
    phentsize: usize,
    /// The same of the section header table.
    shoff: usize,
    shentsize: usize,
    /// Within a program header: offset and size of the segment in the file.
    p_offset: usize,
    p_filesz: usize,
}

const ELF32: ElfShape =
    ElfShape { word: 4, phoff: 28, phentsize: 42, shoff: 32, shentsize: 46, p_offset: 4, p_filesz: 16 };
const ELF64: ElfShape =
    ElfShape { word: 8, phoff: 32, phentsize: 54, shoff: 40, shentsize: 58, p_offset: 8, p_filesz: 32 };

/// Whether the file is shorter than its headers say. Other formats than ELF are left to the dynamic linker.
pub(super) fn is_cut_short(file: &[u8]) -> bool {
    let shape = match file.get(..6) {
        Some([0x7F, b'E', b'L', b'F', 1, _]) => &ELF32,
        Some([0x7F, b'E', b'L', b'F', 2, _]) => &ELF64,
        _ => return false,
    };
    end(file, shape).is_none_or(|end| end > file.len() as u64)
}

/// End of the last segment or table; `None` if the headers are incomplete.
fn end(file: &[u8], shape: &ElfShape) -> Option<u64> {
    let big = file.get(5) == Some(&2);
    let number = |at: usize, bytes: usize| number(file.get(at..at.checked_add(bytes)?)?, big);
    let (phoff, shoff) = (number(shape.phoff, shape.word)?, number(shape.shoff, shape.word)?);
    let (phentsize, phnum) = (number(shape.phentsize, 2)?, number(shape.phentsize + 2, 2)?);
    let (shentsize, shnum) = (number(shape.shentsize, 2)?, number(shape.shentsize + 2, 2)?);
    let mut end = phoff.checked_add(phentsize * phnum)?.max(shoff.checked_add(shentsize * shnum)?);
    for i in 0..phnum {
        let header = usize::try_from(phoff.checked_add(i * phentsize)?).ok()?;
        let offset = number(header.checked_add(shape.p_offset)?, shape.word)?;
        end = end.max(offset.checked_add(number(header.checked_add(shape.p_filesz)?, shape.word)?)?);
    }
    Some(end)
}

fn number(bytes: &[u8], big: bool) -> Option<u64> {
    let push = |n: u64, b: &u8| n << 8 | u64::from(*b);
    Some(if big { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) })
}

#[cfg(test)]
mod tests {
    use super::*;

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
