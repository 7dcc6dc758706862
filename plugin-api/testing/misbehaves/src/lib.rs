//! A plugin library that does what no plugin may, on request: the environment variable `MISBEHAVE` names the
//! misbehaviour and the entry, as in `loop@render`. Every byte is a record; the entries `bytes`, `render`, `label` and
//! `format` misbehave at `!`, the others at every call. Without the variable, it behaves.
//!
//! | module | what is in it |
//! |---|---|
//! | `act` | the misbehaviour |

mod act;

use spytui_plugin_api::{
    Activity, AppRecord, Decoder, DecoderOptions, Dict, Fault, Formatter, FormatterInfo, Info, LibraryRef, Output, Row,
    RowIn, RowKind, Source, TextWriter, Verb, Want, decoder, formatter,
    info::{Guess, KindInfo},
    row::RowFlags,
};

use act::{asked, is_asked, misbehave};

spytui_plugin_api::export_plugin!(plugin);

fn plugin() -> LibraryRef {
    misbehave("load");
    spytui_plugin_api::library!("misbehaves", decoders: [decoder::<Misbehaves>()], formatters: [formatter::<Words>()])
}

/// The byte at which it misbehaves.
const BANG: u8 = b'!';

struct Misbehaves;

impl Clone for Misbehaves {
    fn clone(&self) -> Misbehaves {
        misbehave("clone");
        Misbehaves
    }
}

impl Drop for Misbehaves {
    fn drop(&mut self) {
        misbehave("drop");
    }
}

impl Decoder for Misbehaves {
    fn info() -> Info {
        misbehave("info");
        let title = if is_asked("control", "info") { "Mis\x1b[31mbehaves\x07" } else { "Misbehaves" };
        Info {
            id: "misbehaves".into(),
            title: title.into(),
            kinds: [KindInfo::new(RowKind(0), "BYTE", 0)].into_iter().collect(),
            ..Info::default()
        }
    }

    fn probe(sample: &[u8], _: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        misbehave("probe");
        let explained = if sample.starts_with(b"mis") { 1000 } else { 0 };
        let evidence_bits = u32::from(explained) / 10;
        out.push(Guess { options: "".into(), explained, evidence_bits, why: "it begins so".into() });
    }

    fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Misbehaves, Fault> {
        misbehave("open");
        if is_asked("control", "open") {
            return Err(Fault::new("it said \x1b[31mno\x07\nand more"));
        }
        Ok(Misbehaves)
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        for (pos, &byte) in (pos..).zip(bytes) {
            if byte == BANG {
                misbehave("bytes");
                if !act::emit(pos, out) {
                    continue;
                }
            }
            out.activity(Activity::new(Verb::INSTANT));
            out.row(Row { pos, len: 1, flags: RowFlags::APPLICATION, ..Row::default() });
        }
    }

    fn render(_: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
        let raw = row.raw.as_slice();
        out.put(b"byte ");
        if raw == [BANG] {
            misbehave("render");
            while is_asked("text", "render") {
                out.put(&[b'x'; 4096]);
            }
        }
        out.put(raw);
        out.payload(raw);
    }

    fn label(_: &[u8], row: &RowIn<'_>, _: &Activity, _: &Dict<'_>, out: &mut TextWriter<'_>) {
        if row.raw.as_slice() == [BANG] {
            misbehave("label");
        }
        out.put(b"label");
    }
}

struct Words;

impl Formatter for Words {
    fn open(_: &DecoderOptions<'_>) -> Result<Words, Fault> {
        misbehave("open-format");
        Ok(Words)
    }

    fn info() -> FormatterInfo {
        FormatterInfo::new("words", "misbehaves")
    }

    fn format(&self, record: &AppRecord<'_>, _: &Dict<'_>, _: &mut TextWriter<'_>) -> Result<bool, Fault> {
        if record.payload.as_slice() == [BANG] && asked().is_some() {
            misbehave("format");
        }
        Ok(false)
    }
}
