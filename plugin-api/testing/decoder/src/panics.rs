//! A decoder that panics in the entry named by option `at`. Every byte is a record; `!` is the one that panics. `(` and
//! `)` are the parts of one record, and `<` is an invalid row at an earlier position.

use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Fault, Info, LibraryRef, Output, Row, RowIn, RowKind, Source, StreamEvent,
    TextWriter, Verb, Want,
    batch::AttachmentId,
    chunk::StreamEventKind,
    decoder,
    info::{Guess, KindInfo, Opt},
    row::RowFlags,
};

/// The entries in calling order.
pub const ENTRIES: [&str; 9] = ["probe", "open", "bytes", "event", "fork", "drop", "render", "label", "nowhere"];

/// Option: the entry that panics.
const AT: Opt<&str> = Opt::text("at", entry, "entry that panics");

fn entry(name: &str) -> Result<&'static str, String> {
    ENTRIES.into_iter().find(|entry| *entry == name).ok_or_else(|| format!("one of {ENTRIES:?}"))
}

/// The record that panics.
pub const BANG: u8 = b'!';

/// The library: a decoder that panics in a given entry, and one that panics in `info`.
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("panics", decoders: [decoder::<Panics>(), decoder::<Mute>()])
}

fn panic_in(at: &[u8], entry: &str) {
    assert!(at != entry.as_bytes(), "asked to panic in {entry}");
}

/// Panics in one entry.
#[derive(Debug)]
pub struct Panics {
    at: &'static str,
    begun: bool,
    /// Position of an open `(`.
    open: Option<u64>,
}

impl Clone for Panics {
    fn clone(&self) -> Panics {
        panic_in(self.at.as_bytes(), "fork");
        Panics { at: self.at, begun: self.begun, open: self.open }
    }
}

impl Drop for Panics {
    fn drop(&mut self) {
        panic_in(self.at.as_bytes(), "drop");
    }
}

impl Decoder for Panics {
    fn info() -> Info {
        Info {
            id: "panics".into(),
            title: "Panics".into(),
            kinds: [KindInfo::new(RowKind(0), "BYTE", 0)].into_iter().collect(),
            options: [AT.spec()].into_iter().collect(),
            ..Info::default()
        }
    }

    fn probe(_: &[u8], opts: &DecoderOptions<'_>, _: &mut Vec<Guess>) {
        panic_in(AT.get(opts).unwrap_or_default().as_bytes(), "probe");
    }

    fn open(opts: &DecoderOptions<'_>, _: &Source) -> Result<Panics, Fault> {
        let at = AT.get(opts)?;
        panic_in(at.as_bytes(), "open");
        Ok(Panics { at, begun: false, open: None })
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.begun, true) {
            out.cfg(0, self.at.as_bytes());
        }
        for (pos, &byte) in (pos..).zip(bytes) {
            if byte == b'(' {
                self.open = Some(pos);
                continue;
            }
            if let Some(first) = self.open.take_if(|_| byte == b')') {
                out.attachment(AttachmentId::FRAGMENT, first, 1);
                out.row(Row { pos, len: 1, flags: RowFlags::FRAGMENTED, ..Row::default() });
                continue;
            }
            out.attachment(AttachmentId(64), u64::from(byte), 0);
            out.activity(Activity::new(Verb::INFO));
            if byte == BANG {
                panic_in(self.at.as_bytes(), "bytes");
            }
            let pos = if byte == b'<' { 0 } else { pos };
            out.row(Row { pos, len: 1, ..Row::default() });
        }
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], _: &mut Output<'_>) {
        if event.kind == StreamEventKind::LINE_ERROR {
            panic_in(self.at.as_bytes(), "event");
        }
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
        let raw = row.raw.as_slice();
        out.put(b"half a ");
        out.unsigned("half", 1, 0, 1);
        if raw == [BANG] {
            panic_in(cfg, "render");
        }
        out.put(format!("byte {raw:02x?}").as_bytes());
    }

    fn label(cfg: &[u8], _: &RowIn<'_>, _: &Activity, _: &Dict<'_>, out: &mut TextWriter<'_>) {
        out.put(b"half a ");
        panic_in(cfg, "label");
        out.put(b"label");
    }
}

/// Panics in `info`.
#[derive(Clone, Copy, Debug)]
pub struct Mute;

impl Decoder for Mute {
    fn info() -> Info {
        panic!("asked to panic in info")
    }

    fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Mute, Fault> {
        Ok(Mute)
    }

    fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

    fn render(_: &[u8], _: &RowIn<'_>, _: &Dict<'_>, _: Want, _: &mut TextWriter<'_>) {}
}
