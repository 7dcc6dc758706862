//! A whole stream through the pipeline; the program's tests have it, too.
#![allow(unreachable_pub, clippy::unwrap_used)]

use std::sync::Arc;

use spytui_engine::io::log::{LogEvent, kind};
use spytui_engine::open::{Decoder, Options};
use spytui_engine::trace::stream::{Pipeline, Sink};
use spytui_plugin_api::Source;

/// Feeds the stream of a source without a core in chunks of at most this size, and emits its rows.
pub fn decode(decoder: &Arc<Decoder>, options: &Options, bytes: &[u8], chunk: usize, sink: &mut impl Sink) -> Pipeline {
    let mut pipeline = Pipeline::open(decoder, options, &[Source::default()]).unwrap();
    let mut feed = |pos: usize, bytes: &[u8], event: Option<u16>| {
        let pos = pos as u64;
        let event = event.map(|kind| LogEvent { pos, host_ns: 0, kind, arg: 0, text: Vec::new() });
        pipeline.feed(0, pos, bytes, event.as_slice(), sink);
        pipeline.advance(sink, |_| true).unwrap();
    };
    feed(0, b"", Some(kind::START));
    for (i, part) in bytes.chunks(chunk).enumerate() {
        feed(i * chunk, part, None);
    }
    feed(bytes.len(), b"", Some(kind::END));
    pipeline
}
