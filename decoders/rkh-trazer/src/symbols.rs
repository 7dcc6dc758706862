//! Names from another stream of the same program, read before the one at hand.

use spytui_plugin_api::{
    Batch, Output, StreamEvent, batch::attr, batch::dict_op, chunk::MAX_CHUNK, chunk::StreamEventKind,
};

use crate::{
    config::{Settings, Style},
    names::Naming,
    receive::{Base, Known, native},
};

/// All names of a stream, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols(Vec<Symbol>);

#[derive(Clone, Debug)]
struct Symbol {
    space: u16,
    key: u64,
    scope: u64,
    name: Vec<u8>,
}

impl Symbols {
    /// Reads a stream for its names alone.
    pub(crate) fn read(stream: &[u8], settings: Settings, given: u16) -> Symbols {
        let base = Base::new(settings, Style::Native, 0, 0);
        let mut native = native::begin(base, Known::new(given, true), None);
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

    /// The names.
    pub(crate) fn names(&self) -> impl Iterator<Item = Naming<'_>> {
        self.0.iter().map(|s| Naming { space: s.space, key: s.key, scope: s.scope, name: &s.name })
    }

    /// Tells the names from the next row on.
    pub(crate) fn tell(&self, out: &mut Output<'_>) {
        self.names().for_each(|naming| naming.tell(out));
    }
}

fn collect(batch: &Batch, symbols: &mut Vec<Symbol>) {
    let named = batch.dict.iter().filter(|e| e.op == dict_op::SET && e.attr == attr::NAME);
    symbols.extend(named.map(|e| Symbol {
        space: e.space,
        key: e.key,
        scope: e.scope,
        name: e.text.of(&batch.bytes).to_vec(),
    }));
}
