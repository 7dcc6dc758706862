//! A second plugin library, loaded beside the first: every byte is a record, and the command `send` sends bytes.

use spytui_plugin_api::{
    Command, Decoder, DecoderOptions, Dict, Encoder, Fault, Frame, Frames, Info, LibraryRef, Output, Refusal, Row,
    RowIn, RowKind, Source, TextWriter, Want, decoder_and_encoder,
    info::{ArgForms, ArgInfo, CommandInfo, KindInfo},
};

spytui_plugin_api::export_plugin!(plugin);

fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("bytes", decoders: [decoder_and_encoder::<Bytes, Bytes>()])
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
            commands: [CommandInfo::new(0, "send", "bytes as they are").with([ArgInfo::new("bytes", ArgForms::HEX)])]
                .into_iter()
                .collect(),
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

impl Encoder for Bytes {
    fn open(_: &DecoderOptions<'_>) -> Result<Bytes, Fault> {
        Ok(Bytes)
    }

    fn encode(&mut self, command: &Command<'_>, _: &Dict<'_>, out: &mut Frames) -> Result<(), Refusal> {
        out.push(Frame::default(), |bytes| bytes.extend_from_slice(command.bytes(0)));
        Ok(())
    }
}
