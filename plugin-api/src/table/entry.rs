//! The entries of decoders and formatters, each behind the panic guard.

use abi_stable::std_types::{RResult, RSlice, RVec};

use super::{Answer, boxed::Boxed, handle::Instance, make::instance_of};
use crate::{
    act::Act,
    app_record::{AppRecord, Formatter, FormatterInfo},
    author::{Decoder, Dict, Opts, Out, Text},
    batch::Batch,
    chunk::{Chunk, Source},
    guard::{Fault, guard},
    info::{Guess, Info, OptVal},
    render::{DictView, Rendered, RowIn},
};

pub(super) extern "C" fn info<D: Decoder>() -> Answer<Info> {
    guard(|| Ok(D::info()))
}

pub(super) extern "C" fn probe<D: Decoder>(
    sample: RSlice<'_, u8>,
    opts: RSlice<'_, OptVal<'_>>,
) -> Answer<RVec<Guess>> {
    guard(|| {
        let mut out = Vec::new();
        D::probe(sample.as_slice(), &Opts(opts.as_slice()), &mut out);
        Ok(out.into())
    })
}

pub(super) extern "C" fn open<D: Decoder>(opts: RSlice<'_, OptVal<'_>>, source: &Source<'_>) -> Answer<Instance> {
    guard(|| D::open(&Opts(opts.as_slice()), source).map(instance_of))
}

pub(super) unsafe extern "C" fn feed<D: Decoder>(state: *mut (), chunk: &Chunk<'_>, batch: &mut Batch) -> Answer<()> {
    // SAFETY: the table is only ever paired with a pointer made by `Boxed::<D>::raw`.
    let boxed = unsafe { &mut *state.cast::<Boxed<D>>() };
    boxed.run(|decoder| {
        feed_parts(decoder, chunk, batch);
        Ok(())
    })
}

/// Cuts a chunk at its marks.
fn feed_parts<D: Decoder>(decoder: &mut D, chunk: &Chunk<'_>, batch: &mut Batch) {
    let bytes = chunk.bytes.as_slice();
    let mut done = 0_usize;
    {
        let mut out = Out::new(batch, chunk.want);
        for mark in chunk.marks.as_slice() {
            let upto =
                usize::try_from(mark.pos.saturating_sub(chunk.pos)).unwrap_or(usize::MAX).clamp(done, bytes.len());
            if upto > done {
                decoder.bytes(chunk.pos + done as u64, &bytes[done..upto], &mut out);
                done = upto;
            }
            decoder.mark(mark, mark.text.of(chunk.texts.as_slice()), &mut out);
        }
        if done < bytes.len() {
            decoder.bytes(chunk.pos + done as u64, &bytes[done..], &mut out);
        }
    }
    batch.pending = decoder.pending();
}

pub(super) unsafe extern "C" fn fork_instance<D: Decoder>(state: *const ()) -> Answer<Instance> {
    // SAFETY: as in `feed`; only read.
    let boxed = unsafe { &*state.cast::<Boxed<D>>() };
    match &boxed.dead {
        Some(fault) => RResult::RErr(fault.clone()),
        None => guard(|| Ok(instance_of(boxed.value.clone()))),
    }
}

/// How much of an answer was there: half a row must not stay behind.
#[derive(Clone, Copy)]
struct Lengths {
    text: usize,
    fields: usize,
    payload: usize,
    blob: usize,
}

impl Lengths {
    fn of(out: &Rendered) -> Lengths {
        Lengths { text: out.text.len(), fields: out.fields.len(), payload: out.payload.len(), blob: out.blob.len() }
    }

    fn restore(self, out: &mut Rendered) {
        out.text.truncate(self.text);
        out.fields.truncate(self.fields);
        out.payload.truncate(self.payload);
        out.blob.truncate(self.blob);
    }
}

pub(super) extern "C" fn render<D: Decoder>(
    cfg: RSlice<'_, u8>,
    rows: RSlice<'_, RowIn<'_>>,
    dict: &DictView<'_>,
    want: u32,
    out: &mut Rendered,
) -> Answer<()> {
    let first = out.ends.len();
    let mut before = Lengths::of(out);
    let answer = guard(|| {
        for (i, row) in rows.as_slice().iter().enumerate() {
            before = Lengths::of(out);
            let dict = Dict(dict.at(i as u32));
            D::render(cfg.as_slice(), row, &dict, want, &mut Text::new(out));
            let end = out.text.len() as u32;
            out.ends.push(end);
        }
        Ok(())
    });
    match answer {
        RResult::ROk(()) => RResult::ROk(()),
        RResult::RErr(fault) => {
            let row = (out.ends.len() - first) as u32;
            before.restore(out);
            RResult::RErr(Fault { row, ..fault })
        }
    }
}

pub(super) extern "C" fn label<D: Decoder>(
    cfg: RSlice<'_, u8>,
    row: &RowIn<'_>,
    act: &Act,
    what: u16,
    dict: &DictView<'_>,
    out: &mut Rendered,
) -> Answer<()> {
    let before = Lengths::of(out);
    let answer = guard(|| {
        D::label(cfg.as_slice(), row, act, what, &Dict(*dict), &mut Text::new(out));
        Ok(())
    });
    if answer.is_err() {
        before.restore(out);
    }
    answer
}

pub(super) extern "C" fn format_info<F: Formatter>() -> Answer<FormatterInfo> {
    guard(|| Ok(F::info()))
}

pub(super) extern "C" fn format<F: Formatter>(
    record: &AppRecord<'_>,
    dict: &DictView<'_>,
    want: u32,
    out: &mut Rendered,
) -> Answer<bool> {
    let before = Lengths::of(out);
    let answer = guard(|| F::format(record, &Dict(*dict), want, &mut Text::new(out)));
    if !matches!(answer, RResult::ROk(true)) {
        before.restore(out);
    }
    answer
}
