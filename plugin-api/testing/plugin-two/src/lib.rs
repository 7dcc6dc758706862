//! A second plugin library, to be loaded alongside the first: every byte is a record.

use spytui_plugin_api::{
    Decoder, DecoderOptions, Dict, Fault, Info, LibraryRef, Output, Row, RowIn, RowKind, Source, TextWriter, Want,
    decoder, info::KindInfo,
};

spytui_plugin_api::export_plugin!(plugin);

fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("bytes", decoders: [decoder::<Bytes>()])
}

#[derive(Clone)]
struct Bytes;

impl Decoder for Bytes {
    fn info() -> Info {
        Info {
            id: "bytes".into(),
            title: "Bytes".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            kinds: [KindInfo::new(RowKind(0), "BYTE", 0)].into_iter().collect(),
            ..Info::default()
        }
    }

    fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Bytes, Fault> {
        Ok(Bytes)
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        (pos..).zip(bytes).for_each(|(pos, _)| out.row(Row { pos, len: 1, ..Row::default() }));
    }

    fn render(_: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
        out.put(format!("{:02x?}", row.raw.as_slice()).as_bytes());
    }
}
