//! The entries of decoders, each behind the panic guard.

use abi_stable::std_types::{RResult, RSlice, RVec};

use super::{
    Guarded,
    layout::{Instance, InstanceTable},
    state::{State, drop_state},
};
use crate::{
    activity::Activity,
    batch::Batch,
    chunk::{Chunk, Source},
    decoder::Decoder,
    guard::{Fault, guard},
    info::{DecoderOptions, Guess, Info, OptVal},
    output::Output,
    render::{Dict, Rendered, Request, RowIn, Want},
    text::TextWriter,
};

pub(super) extern "C" fn info<D: Decoder>() -> Guarded<Info> {
    guard(|| Ok(D::info()))
}

pub(super) extern "C" fn probe<D: Decoder>(
    sample: RSlice<'_, u8>,
    opts: RSlice<'_, OptVal<'_>>,
) -> Guarded<RVec<Guess>> {
    guard(|| {
        let mut out = Vec::new();
        D::probe(sample.as_slice(), &DecoderOptions(opts.as_slice()), &mut out);
        Ok(out.into())
    })
}

pub(super) extern "C" fn open<D: Decoder>(opts: RSlice<'_, OptVal<'_>>, source: &Source<'_>) -> Guarded<Instance> {
    guard(|| D::open(&DecoderOptions(opts.as_slice()), source).map(instance_of))
}

pub(super) unsafe extern "C" fn feed<D: Decoder>(state: *mut (), chunk: &Chunk<'_>, batch: &mut Batch) -> Guarded<()> {
    // SAFETY: the table is only ever paired with a pointer made by `State::<D>::raw`.
    let state = unsafe { &mut *state.cast::<State<D>>() };
    state.run(|decoder| {
        feed_parts(decoder, chunk, batch);
        Ok(())
    })
}

/// Splits a chunk at its stream events.
fn feed_parts<D: Decoder>(decoder: &mut D, chunk: &Chunk<'_>, batch: &mut Batch) {
    let bytes = chunk.bytes.as_slice();
    let mut done = 0_usize;
    {
        let mut out = Output::new(batch, chunk.wants_activities);
        for event in chunk.events.as_slice() {
            let upto =
                usize::try_from(event.pos.saturating_sub(chunk.pos)).unwrap_or(usize::MAX).clamp(done, bytes.len());
            if upto > done {
                decoder.bytes(chunk.pos + done as u64, &bytes[done..upto], &mut out);
                done = upto;
            }
            decoder.event(event, event.text.of(chunk.texts.as_slice()), &mut out);
        }
        if done < bytes.len() {
            decoder.bytes(chunk.pos + done as u64, &bytes[done..], &mut out);
        }
    }
}

pub(super) unsafe extern "C" fn fork_instance<D: Decoder>(state: *const ()) -> Guarded<Instance> {
    // SAFETY: as in `feed`; only read.
    let state = unsafe { &*state.cast::<State<D>>() };
    match &state.dead {
        Some(fault) => RResult::RErr(fault.clone()),
        None => guard(|| Ok(instance_of(state.value.clone()))),
    }
}

fn instance_of<D: Decoder>(decoder: D) -> Instance {
    let table = const { &InstanceTable { feed: feed::<D>, fork: fork_instance::<D>, drop: drop_state::<D> } };
    Instance { state: State::raw(decoder), table }
}

/// Length of an output, to remove incomplete rows.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    text: usize,
    rows: usize,
    fields: usize,
    payload: usize,
    blob: usize,
}

impl Lengths {
    pub(super) fn of(out: &Rendered) -> Lengths {
        let (text, rows) = (out.text.len(), out.rows.len());
        Lengths { text, rows, fields: out.fields.len(), payload: out.payload.len(), blob: out.blob.len() }
    }

    pub(super) fn restore(self, out: &mut Rendered) {
        out.text.truncate(self.text);
        out.rows.truncate(self.rows);
        out.fields.truncate(self.fields);
        out.payload.truncate(self.payload);
        out.blob.truncate(self.blob);
    }

    /// Whether exactly this many rows were completed since then.
    pub(super) fn plus_rows(self, rows: usize, out: &Rendered) -> bool {
        let ends = [out.text.len(), out.fields.len(), out.payload.len()];
        out.rows.len() == self.rows + rows
            && match out.rows.last().filter(|_| rows > 0) {
                Some(last) => [last.text, last.fields, last.payload].map(|end| end as usize) == ends,
                None => [self.text, self.fields, self.payload] == ends,
            }
    }
}

pub(super) extern "C" fn render<D: Decoder>(
    cfg: RSlice<'_, u8>,
    rows: RSlice<'_, RowIn<'_>>,
    dict: &Dict<'_>,
    request: &Request<'_>,
    out: &mut Rendered,
) -> Guarded<()> {
    let (cfg, rows) = (cfg.as_slice(), rows.as_slice());
    let before = Lengths::of(out);
    let answer = write(out, request, |text| D::render_rows(cfg, rows, dict, request.want, text));
    if answer.is_ok() && before.plus_rows(rows.len(), out) {
        return answer;
    }
    // Rendering is pure, so it is repeated to find the row that fails and keep those before it.
    before.restore(out);
    one_by_one::<D>(cfg, rows, dict, request, out)
}

/// Runs a function that appends to an output, behind the guard.
fn write(out: &mut Rendered, request: &Request<'_>, write: impl FnOnce(&mut TextWriter<'_>)) -> Guarded<()> {
    guard(|| {
        let mut text = TextWriter::for_request(out, request);
        write(&mut text);
        text.finish();
        Ok(())
    })
}

#[cold]
fn one_by_one<D: Decoder>(
    cfg: &[u8],
    rows: &[RowIn<'_>],
    dict: &Dict<'_>,
    request: &Request<'_>,
    out: &mut Rendered,
) -> Guarded<()> {
    let mut before = Lengths::of(out);
    for (i, row) in (0..).zip(rows) {
        let answer = write(out, request, |text| {
            D::render(cfg, row, &dict.at(i), request.want, text);
            text.end_row();
        });
        if let RResult::RErr(fault) = answer {
            before.restore(out);
            return RResult::RErr(Fault { row: i, ..fault });
        }
        before = Lengths::of(out);
    }
    RResult::ROk(())
}

pub(super) extern "C" fn label<D: Decoder>(
    cfg: RSlice<'_, u8>,
    row: &RowIn<'_>,
    activity: &Activity,
    what: u16,
    dict: &Dict<'_>,
    out: &mut Rendered,
) -> Guarded<()> {
    let before = Lengths::of(out);
    let answer = write(out, &Want::TEXT.into(), |text| D::label(cfg.as_slice(), row, activity, what, dict, text));
    if answer.is_err() {
        before.restore(out);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Row;

    /// Renders each row as its bytes in brackets; `!` fails. A block is rendered as its configuration says.
    #[derive(Clone)]
    struct Blocks;

    impl Decoder for Blocks {
        fn info() -> Info {
            Info::default()
        }

        fn open(_: &DecoderOptions<'_>, _: &Source<'_>) -> Result<Blocks, Fault> {
            Ok(Blocks)
        }

        fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

        fn render(_: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
            out.put(b"[");
            assert_ne!(row.raw.as_slice(), b"!");
            out.put(row.raw.as_slice());
            out.put(b"]");
        }

        fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
            match cfg {
                b"panics" => panic!("as asked"),
                b"ends too few" => out.put(b"half"),
                b"goes on" => {
                    crate::decoder::render_each::<Blocks>(cfg, rows, dict, want, out);
                    out.put(b"more");
                }
                _ => crate::decoder::render_each::<Blocks>(cfg, rows, dict, want, out),
            }
        }
    }

    fn rendered(cfg: &[u8], raws: &[&[u8]]) -> (String, Vec<u32>, Option<u32>) {
        let row = Row::default();
        let rows: Vec<RowIn<'_>> = raws
            .iter()
            .map(|raw| RowIn { row: &row, raw: (*raw).into(), attachments: RSlice::EMPTY, blob: RSlice::EMPTY })
            .collect();
        let mut out = Rendered { text: b"before".to_vec().into(), ..Rendered::default() };
        let answer =
            render::<Blocks>(cfg.into(), rows.as_slice().into(), &Dict::new(&()), &Want::TEXT.into(), &mut out);
        let (text, ends) = (String::from_utf8_lossy(&out.text), out.rows.iter().map(|row| row.text));
        (text.into_owned(), ends.collect(), answer.into_result().err().map(|fault| fault.row))
    }

    #[test]
    fn a_block_that_goes_wrong_is_rendered_row_by_row() {
        for cfg in [&b"goes well"[..], b"panics", b"ends too few", b"goes on"] {
            let good = rendered(cfg, &[b"a", b"", b"b"]);
            assert_eq!(good, ("before[a][][b]".to_owned(), vec![9, 11, 14], None));
            let bad = rendered(cfg, &[b"a", b"!", b"b"]);
            assert_eq!(bad, ("before[a]".to_owned(), vec![9], Some(1)));
        }
    }
}
