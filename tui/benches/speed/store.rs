//! Decodes a file into the store.

use std::{path::Path, sync::Arc, time::Duration};

use spytui_engine::{
    io::log::open_recorded,
    open::{Options, Origin, Registry},
    trace::session::{Decoding, thread::DecodeLoop},
};

use crate::{
    cpu::{Answer, thread_cpu},
    input::Protocol,
};

/// Memory budget of the rows.
const ROOM: usize = 512 << 20;

/// Decodes a file into the store on this thread; returns its CPU time.
pub(crate) fn fill(protocol: &Protocol, file: &Path) -> Answer<Duration> {
    let mut registry = Registry::new();
    registry.add((protocol.plugin)(), &Origin::BuiltIn)?;
    let log = open_recorded(file)?.log;
    log.end(0);
    let decoding = Arc::new(Decoding::new(registry.find(protocol.name)?, Options::default(), log, 0, 0, ROOM));
    let mut decode_loop = DecodeLoop::open(decoding)?;
    let start = thread_cpu();
    while decode_loop.step()? {}
    Ok(thread_cpu() - start)
}
