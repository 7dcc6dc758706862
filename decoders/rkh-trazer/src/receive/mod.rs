//! Receiving: bytes to rows. `base` is the state shared by both receivers, `native` is spytui's own receiver,
//! `validate` classifies frames, `target_info` tracks the target's configuration, `posts` pairs posts and gets. This
//! file reads the names of another stream.

mod base;
mod native;
mod posts;
mod target_info;
mod validate;

pub(crate) use base::{Base, add_activities};
pub(crate) use native::{Native, TargetConfig, begin};

use spytui_decoder_kit::DropField;
use spytui_plugin_api::{
    Batch, Output, StreamEvent,
    batch::{AttrId, DictOp},
    chunk::{MAX_CHUNK, StreamEventKind},
};
use spytui_plugin_layer::Clock;

use crate::{
    config::{Settings, Style},
    names::{Naming, Symbols},
};

pub(crate) fn read_symbols(stream: &[u8], settings: Settings, given: u16) -> Symbols {
    let base = Base::new(settings, Style::Native, 0, Clock::new(0));
    let mut native = begin(base, TargetConfig::new(given, true), None, DropField::default());
    let (mut batch, mut pos, mut symbols) = (Batch::default(), 0u64, Vec::new());
    for chunk in stream.chunks(MAX_CHUNK) {
        native.bytes(pos, chunk, &mut Output::new(&mut batch, false));
        pos += chunk.len() as u64;
        collect(&batch, &mut symbols);
        batch.clear();
    }
    let end = StreamEvent { kind: StreamEventKind::END, pos, ..StreamEvent::default() };
    native.event(&end, b"", &mut Output::new(&mut batch, false));
    collect(&batch, &mut symbols);
    Symbols(symbols)
}

fn collect(batch: &Batch, symbols: &mut Vec<Naming<'static>>) {
    let named = batch.dict.iter().filter(|e| e.op == DictOp::SET && e.attr == AttrId::NAME);
    symbols.extend(named.map(|e| Naming {
        space: e.space,
        key: e.key,
        scope: e.scope,
        name: e.text.of(&batch.bytes).to_vec().into(),
    }));
}
