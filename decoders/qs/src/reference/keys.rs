//! Keys in the reference host's text: names, and fallbacks for missing ones.

use spytui_plugin_api::{Attachment, TextWriter, batch::AttachmentId};

use super::names::pin;
use crate::{
    layout::space,
    text::{names::Context, number},
};

impl Context<'_, '_> {
    /// Writes an object's name as the host does, or its number.
    #[inline]
    pub(crate) fn object(&self, line: &mut TextWriter<'_>, key: u64) {
        self.host_key(line, space::OBJECTS, key, self.config.key_widths.obj);
    }

    /// The same for a function.
    #[inline]
    pub(crate) fn function(&self, line: &mut TextWriter<'_>, key: u64) {
        self.host_key(line, space::FUNCTIONS, key, self.config.key_widths.fun);
    }

    #[inline]
    fn host_key(&self, line: &mut TextWriter<'_>, space: u16, key: u64, size: u8) {
        if key == 0 && size >= 4 {
            return line.put(b"NULL");
        }
        match self.names.name(space, key, 0) {
            Some(name) => line.put(name),
            None => miss(line, key, size),
        }
    }

    /// Writes the object `key`, which shares the host's text buffer with `first`: if neither has a name, both show the
    /// number of `first`.
    pub(crate) fn second_object(&self, line: &mut TextWriter<'_>, key: u64, first: u64) {
        let is_null = |k: u64| k == 0 && self.config.key_widths.obj >= 4;
        let nameless = |k: u64| !is_null(k) && self.names.name(space::OBJECTS, k, 0).is_none();
        self.object(line, if nameless(key) && nameless(first) { first } else { key });
    }

    /// Writes a signal as the host does; `nth` = index of the signal in the record.
    #[inline]
    pub(crate) fn signal(&self, line: &mut TextWriter<'_>, sig: u64, obj: u64, nth: u16) {
        if sig == 0 {
            return line.put(b"NULL");
        }
        match self.names.name(space::SIGNALS, sig, self.pin(nth).unwrap_or(obj)) {
            Some(name) => line.put(name),
            None => {
                signal_number(line, sig);
                line.put(b",Obj=");
                address(line, obj, self.config.key_widths.sig);
            }
        }
    }

    /// Scope of the entry that the host picks, if it is not the obvious one.
    fn pin(&self, nth: u16) -> Option<u64> {
        let pinned = |e: &&Attachment| e.id == AttachmentId::NAME_HINT && e.a == pin(nth);
        self.row.attachments.as_slice().iter().find(pinned).map(|e| e.b)
    }
}

/// Writes the host's text for a key without a name; `size` = key size of the dictionary at start-up. Of size 1 it is
/// `%03d`, of 32 bits.
fn miss(line: &mut TextWriter<'_>, key: u64, size: u8) {
    match size {
        1 => number::signed_filled(line, (key as u32 as i32).into(), 3),
        _ => address(line, key, size),
    }
}

/// Writes an address with all digits of a pointer of `size` bytes.
pub(crate) fn address(line: &mut TextWriter<'_>, key: u64, size: u8) {
    line.put(b"0x");
    if size > 4 {
        number::hex(line, key, 16);
    } else {
        number::hex(line, key & 0xFFFF_FFFF, 8);
    }
}

/// Signed 32-bit decimal in the C format `%08d`.
pub(super) fn signal_number(line: &mut TextWriter<'_>, number: u64) {
    number::signed_filled(line, (number as u32 as i32).into(), 8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_those_of_c() {
        for n in [0, 7, 65_535, u64::from(u32::MAX)] {
            let out = TextWriter::text_of(|line| signal_number(line, n));
            assert_eq!(String::from_utf8(out).unwrap(), format!("{:08}", n as i32));
        }
    }
}
