//! A second plugin library, loaded beside the first: every byte is a record.

use spytui_plugin_api::{
    Decoder, Dict, Fault, Info, LibraryRef, Mark, Opts, Out, Row, RowIn, Source, Text, decoder, info::KindInfo,
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
            kinds: [KindInfo::new(0, "BYTE", 0)].into_iter().collect(),
            ..Info::default()
        }
    }

    fn open(_: &Opts<'_>, _: &Source<'_>) -> Result<Bytes, Fault> {
        Ok(Bytes)
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Out<'_>) {
        (pos..).zip(bytes).for_each(|(pos, _)| out.row(Row { pos, len: 1, ..Row::default() }));
    }

    fn mark(&mut self, _: &Mark, _: &[u8], _: &mut Out<'_>) {}

    fn pending(&self) -> u64 {
        0
    }

    fn render(_: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: u32, out: &mut Text<'_>) {
        out.push(format!("{:02x?}", row.raw.as_slice()).as_bytes());
    }
}
