//! A protocol as a decoder.

use crate::{
    Decoder, DecoderOptions, DecoderRef, Dict, Fault, Info, Output, RowFlags, RowIn, Source, StreamEvent, TextWriter,
    Want,
    batch::Batch,
    clock::COUNTER_BITS,
    info::Guess,
    simple::{Protocol, describe, receive::Receiver, render},
};

/// The table of a protocol's decoder.
pub const fn decoder<P: Protocol>() -> DecoderRef {
    crate::decoder::<Simple<P>>()
}

/// Bits that a frame without a check sum is worth as evidence.
const UNCHECKED_BITS: u32 = 1;

struct Simple<P>(Receiver<P>);

impl<P> Clone for Simple<P> {
    fn clone(&self) -> Self {
        Simple(self.0.clone())
    }
}

impl<P: Protocol> Decoder for Simple<P> {
    fn info() -> Info {
        describe::info::<P>()
    }

    /// Counts frames of known kinds whose fields fit.
    fn probe(sample: &[u8], _: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        let mut batch = Batch::default();
        let mut receiver = Receiver::<P>::new(&Source::default(), None);
        receiver.bytes(0, sample, &mut Output::new(&mut batch, false));
        let is_bad = |flags: RowFlags| flags.intersects(RowFlags::UNKNOWN | RowFlags::MALFORMED);
        let good = batch.rows.iter().filter(|row| row.is_record() && !is_bad(row.flags));
        let (count, bytes) = good.fold((0_u32, 0_u64), |(n, sum), row| (n.saturating_add(1), sum + u64::from(row.len)));
        if count > 0 {
            out.push(Guess {
                evidence_bits: count.saturating_mul(P::CHECK_BITS.max(UNCHECKED_BITS)),
                explained: u16::try_from(bytes * 1000 / sample.len().max(1) as u64).unwrap_or(1000),
                options: "".into(),
                why: format!("{count} good frames").into(),
            });
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Self, Fault> {
        Ok(Simple(Receiver::new(source, COUNTER_BITS.given(opts)?)))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.0.bytes(pos, bytes, out);
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        self.0.event(event, out);
    }

    fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        render::row::<P>(row, dict, want, out);
    }
}
