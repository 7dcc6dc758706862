//! A decoder that panics in the entry that option `at` names: every byte is a record, `!` the one that panics. `(` is the first part of the record that `)` ends, and `<` a row that breaks the contract:
//! it goes back.

use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Fault, Info, LibraryRef, Output, RVec, Row, RowIn, RowKind, Source,
    StreamEvent, TextWriter, Verb, Want,
    batch::AttachmentId,
    chunk::StreamEventKind,
    decoder,
    info::{Guess, KindInfo, OptSpec, opt_type},
    row::RowFlags,
};

/// The entries that can be named, in the order of a life.
pub const ENTRIES: [&str; 9] = ["probe", "open", "bytes", "event", "fork", "drop", "render", "label", "nowhere"];

/// The record that panics.
pub const BANG: u8 = b'!';

/// The library: a decoder that panics where it is told to, and one that can't tell about itself.
#[must_use]
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("panics", decoders: [decoder::<Panics>(), decoder::<Mute>()])
}

fn panic_in(at: &[u8], entry: &str) {
    assert!(at != entry.as_bytes(), "asked to panic in {entry}");
}

/// Panics in one entry.
#[derive(Debug)]
pub struct Panics {
    at: Vec<u8>,
    begun: bool,
    /// Position of an open `(`.
    open: Option<u64>,
}

impl Clone for Panics {
    fn clone(&self) -> Panics {
        panic_in(&self.at, "fork");
        Panics { at: self.at.clone(), begun: self.begun, open: self.open }
    }
}

impl Drop for Panics {
    fn drop(&mut self) {
        panic_in(&self.at, "drop");
    }
}

impl Decoder for Panics {
    fn info() -> Info {
        let at = OptSpec {
            key: "at".into(),
            help: "entry that panics".into(),
            ty: opt_type::CHOICE,
            min: 0,
            max: 0,
            choices: ENTRIES.iter().map(|&e| e.into()).collect(),
            default: "".into(),
            more: RVec::new(),
        };
        Info {
            id: "panics".into(),
            title: "Panics".into(),
            kinds: [KindInfo::new(RowKind(0), "BYTE", 0)].into_iter().collect(),
            options: [at].into_iter().collect(),
            ..Info::default()
        }
    }

    fn probe(_: &[u8], opts: &DecoderOptions<'_>, _: &mut Vec<Guess>) {
        panic_in(opts.bytes("at").unwrap_or_default(), "probe");
    }

    fn open(opts: &DecoderOptions<'_>, _: &Source<'_>) -> Result<Panics, Fault> {
        let at = opts.bytes("at").unwrap_or_default();
        panic_in(at, "open");
        Ok(Panics { at: at.to_vec(), begun: false, open: None })
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.begun, true) {
            out.cfg(0, &self.at);
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
                panic_in(&self.at, "bytes");
            }
            let pos = if byte == b'<' { 0 } else { pos };
            out.row(Row { pos, len: 1, ..Row::default() });
        }
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], _: &mut Output<'_>) {
        if event.kind == StreamEventKind::LINE_ERROR {
            panic_in(&self.at, "event");
        }
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
        let raw = row.raw.as_slice();
        out.push(b"half a ");
        out.unsigned("half", 1, 0, 1);
        if raw == [BANG] {
            panic_in(cfg, "render");
        }
        out.push(format!("byte {raw:02x?}").as_bytes());
    }

    fn label(cfg: &[u8], _: &RowIn<'_>, _: &Activity, _: u16, _: &Dict<'_>, out: &mut TextWriter<'_>) {
        out.push(b"half a ");
        panic_in(cfg, "label");
        out.push(b"label");
    }
}

/// Can't tell about itself.
#[derive(Clone, Copy, Debug)]
pub struct Mute;

impl Decoder for Mute {
    fn info() -> Info {
        panic!("asked to panic in info")
    }

    fn open(_: &DecoderOptions<'_>, _: &Source<'_>) -> Result<Mute, Fault> {
        Ok(Mute)
    }

    fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

    fn render(_: &[u8], _: &RowIn<'_>, _: &Dict<'_>, _: Want, _: &mut TextWriter<'_>) {}
}
