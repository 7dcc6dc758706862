//! Names in text: what a key is called, and what stands for it without a name.

pub(crate) use spytui_decoder_kit::Names;
use spytui_plugin_api::{Attachment, RowIn, batch::AttachmentId};

use super::{
    line::{Line, Sink},
    number,
};
use crate::{
    config::{Config, Style},
    names::{pin, record_key, space},
};

/// All that the text of a row depends on beside its frame.
pub(crate) struct Context<'a, N: Names> {
    pub(crate) config: Config,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) names: N,
}

impl<N: Names> Context<'_, N> {
    /// Writes an object's name in the host's way; its number without one.
    #[inline]
    pub(crate) fn object<S: Sink>(&self, line: &mut Line<'_, S>, key: u64) {
        self.host_key(line, space::OBJECTS, key, self.config.miss.obj);
    }

    /// The same for a function.
    #[inline]
    pub(crate) fn function<S: Sink>(&self, line: &mut Line<'_, S>, key: u64) {
        self.host_key(line, space::FUNCTIONS, key, self.config.miss.fun);
    }

    #[inline]
    fn host_key<S: Sink>(&self, line: &mut Line<'_, S>, space: u16, key: u64, size: u8) {
        if key == 0 && size >= 4 {
            return line.put(b"NULL");
        }
        match self.names.name(space, key, 0) {
            Some(name) => line.put(name),
            None => miss(line, key, size),
        }
    }

    /// Writes the object `key`, which shares the host's text buffer with `first`: if both have no name, both show
    /// the number of `first`.
    pub(crate) fn second_object<S: Sink>(&self, line: &mut Line<'_, S>, key: u64, first: u64) {
        let is_null = |k: u64| k == 0 && self.config.miss.obj >= 4;
        let nameless = |k: u64| !is_null(k) && self.names.name(space::OBJECTS, k, 0).is_none();
        self.object(line, if nameless(key) && nameless(first) { first } else { key });
    }

    /// Writes a signal in the host's way; `nth` counts the signals of the record.
    #[inline]
    pub(crate) fn signal<S: Sink>(&self, line: &mut Line<'_, S>, sig: u64, obj: u64, nth: u16) {
        if sig == 0 {
            return line.put(b"NULL");
        }
        match self.names.name(space::SIGNALS, sig, self.pin(nth).unwrap_or(obj)) {
            Some(name) => line.put(name),
            None => {
                number::signal(line, sig);
                line.put(b",Obj=");
                address(line, obj, self.config.miss.sig);
            }
        }
    }

    /// Scope of the entry that the host would pick, where that is not the obvious one.
    fn pin(&self, nth: u16) -> Option<u64> {
        let pinned = |e: &&Attachment| e.id == AttachmentId::NAME_HINT && e.a == pin(nth);
        self.row.attachments.as_slice().iter().find(pinned).map(|e| e.b)
    }

    /// Name of an application record's id, in both styles.
    pub(crate) fn record_name(&self, id: u8) -> Option<&[u8]> {
        self.names.name(spytui_plugin_api::info::space::KINDS, record_key(&self.config, id), 0)
    }

    /// Name of an enumeration's value.
    pub(crate) fn enumeration(&self, group: u8, value: u8) -> Option<&[u8]> {
        self.names.name(space::ENUMS, value.into(), group.into())
    }

    pub(crate) fn native(&self) -> bool {
        self.config.style == Style::Native
    }
}

/// The host's text for a key without a name: `size` is that of the dictionary.
fn miss<S: Sink>(line: &mut Line<'_, S>, key: u64, size: u8) {
    match size {
        1 => number::zero_filled(line, key, 3),
        2 => {
            line.put(b"0x");
            number::hex(line, key & 0xFFFF, 4);
        }
        _ => address(line, key, size),
    }
}

/// An address with all digits that the host gives a pointer of `size` bytes.
pub(crate) fn address<S: Sink>(line: &mut Line<'_, S>, key: u64, size: u8) {
    line.put(b"0x");
    if size > 4 {
        number::hex(line, key, 16);
    } else {
        number::hex(line, key & 0xFFFF_FFFF, 8);
    }
}
