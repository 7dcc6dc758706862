//! The rules of the way back: a preview on a fork leaves the state as it was, and so does a command that is refused.

use abi_stable::std_types::RVec;

use super::host::opt_vals;
use crate::{
    guard::Fault,
    render::{DictView, Lookup},
    table::{DecoderRef, Tx},
    tx::{Call, FilterState, TxFrame, TxOut},
};

/// What a command sends, or why it is refused.
type Sent = Result<(Vec<u8>, Vec<TxFrame>, Vec<u8>), Fault>;

/// Proves on these commands, one after the other, that encoding on a fork changes nothing and tells what will be
/// sent; returns what was sent.
///
/// # Panics
/// A rule is broken; the message says which, on what.
pub fn conform_commands(
    decoder: DecoderRef,
    opts: &[(&str, &[u8])],
    cfg: &[u8],
    names: &impl Lookup,
    calls: &[Call<'_>],
) -> Vec<Result<Vec<u8>, Fault>> {
    crate::guard::install_hook();
    let mut tx = decoder.transmit(&opt_vals(opts)).unwrap_or_else(|e| panic!("no way back: {e}"));
    let mut sent = Vec::new();
    for (i, call) in calls.iter().enumerate() {
        let what = format!("call {i}, command {}", call.cmd);
        let before = filters(&tx);
        let preview = on_fork(&tx, cfg, call, names);
        assert_eq!(filters(&tx), before, "{what}: a preview changed the filter's state");
        assert_eq!(on_fork(&tx, cfg, call, names), preview, "{what}: a preview changed what comes next");
        for other in calls {
            let _ = on_fork(&tx, cfg, other, names);
        }
        let answer = encode(&mut tx, cfg, call, names);
        assert_eq!(answer, preview, "{what}: it sends something else than its preview");
        if answer.is_err() {
            assert_eq!(encode(&mut tx, cfg, call, names), answer, "{what}: refused, it changed the state");
            assert_eq!(filters(&tx), before, "{what}: refused, it changed the filter's state");
        }
        sent.push(answer.map(|(bytes, ..)| bytes));
    }
    sent
}

fn on_fork(tx: &Tx, cfg: &[u8], call: &Call<'_>, names: &impl Lookup) -> Sent {
    let mut fork = tx.fork().unwrap_or_else(|e| panic!("no fork of the way back: {e}"));
    encode(&mut fork, cfg, call, names)
}

fn encode(tx: &mut Tx, cfg: &[u8], call: &Call<'_>, names: &impl Lookup) -> Sent {
    let mut out = TxOut::default();
    let answer = tx.encode(cfg, call, &DictView::new(names), &mut out);
    assert!(answer.is_ok() || out.frames.is_empty() && out.bytes.is_empty(), "a refused command leaves bytes");
    answer?;
    for frame in &out.frames {
        let end = frame.bytes.off as usize + frame.bytes.len as usize;
        assert!(end <= out.bytes.len(), "a frame outside of the arena");
    }
    Ok((out.bytes.to_vec(), out.frames.to_vec(), out.echo.to_vec()))
}

fn filters(tx: &Tx) -> Vec<FilterState> {
    let mut out = RVec::new();
    tx.filters(&mut out).unwrap_or_else(|e| panic!("filters: {e}"));
    out.into()
}
