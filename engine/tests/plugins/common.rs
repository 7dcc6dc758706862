//! Paths of the libraries, and streams through a pipeline.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    path::PathBuf,
    sync::Arc,
};

use spytui_engine::{
    export::{Jsonl, NativeRows, ReferenceRows},
    open::{Decoder, LoadError, Options, Origin, Registry, load::load},
    store::Counters,
    trace::stream::Sink,
};
use spytui_plugin_api::{DecoderRef, LibraryRef};

use crate::pipeline::decode;

/// The library file of test crate `spytui-testing-NAME`.
pub fn file(name: &str) -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let path = deps.join(format!("{DLL_PREFIX}spytui_testing_{}{DLL_SUFFIX}", name.replace('-', "_")));
    assert!(path.is_file(), "{} is not there: cargo builds it with this test", path.display());
    path
}

/// A library that must load.
pub fn library(name: &str) -> LibraryRef {
    load(&file(name)).unwrap_or_else(|error| panic!("{error}")).library
}

/// The error's one line.
pub fn refusal(path: &std::path::Path) -> String {
    let error: LoadError = load(path).expect_err("it must be refused");
    let text = error.to_string();
    assert!(!text.contains('\n') && text.len() < 700, "not one line: {text}");
    assert!(text.starts_with(&format!("{}: ", path.display())), "it does not name the file: {text}");
    text
}

/// The first decoder of a library.
pub fn first(library: LibraryRef) -> DecoderRef {
    library.decoders().as_slice()[0]
}

/// A registry with only this library, and its decoder.
pub fn decoder(library: LibraryRef) -> Arc<Decoder> {
    let mut registry = Registry::new();
    let _ = registry.add(library, &Origin::BuiltIn);
    registry.decoders[0].clone()
}

/// Streams bytes in chunks of `size` to a sink.
pub fn stream(decoder: &Arc<Decoder>, opts: &[&str], bytes: &[u8], size: usize, sink: &mut impl Sink) -> Counters {
    let options = Options::parse(&decoder.info, opts).unwrap();
    let pipeline = decode(decoder, &options, bytes, size, sink);
    pipeline.counters(0).cloned().unwrap_or_default()
}

/// All three texts of a stream, and the counters.
pub fn texts(decoder: &Arc<Decoder>, bytes: &[u8]) -> (String, String, String, Counters) {
    let (mut native, mut jsonl, mut reference) = (Vec::new(), Vec::new(), Vec::new());
    let counters = stream(decoder, &[], bytes, 4096, &mut NativeRows::new(&mut native));
    stream(decoder, &[], bytes, 4096, &mut Jsonl::new(&mut jsonl));
    stream(decoder, &["reference=toy-1"], bytes, 4096, &mut ReferenceRows::new(&mut reference, None));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(native), text(jsonl), text(reference), counters)
}
