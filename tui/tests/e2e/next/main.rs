//! A program of the next plugin API, whose `KindInfo` has one field more: it loads libraries of the one before, and prints
//! what they have. The test `frozen` builds it.

use std::env::args;

use abi_stable::library::AbiHeaderRef;
use libloading::Library;
use spytui_plugin_api::{ArgForm, ArgValue, ByteRange, Command, Dict, Frames, LibraryRef, RSlice};

fn main() {
    for path in args().skip(1) {
        // Never unloaded: its code is referenced from now on.
        let library = Box::leak(Box::new(unsafe { Library::new(&path) }.expect("a library")));
        let header = unsafe { *library.get::<AbiHeaderRef>(b"SPYTUI_PLUGIN_ROOT\0").expect("a root module") };
        let root = header.upgrade().and_then(|header| header.init_root_module::<LibraryRef>());
        print(root.unwrap_or_else(|error| panic!("{path}: {error}")));
    }
}

fn print(library: LibraryRef) {
    for formatter in library.formatters() {
        println!("formatter {}", formatter.info().expect("its description").id);
    }
    for decoder in library.decoders() {
        let info = decoder.info().expect("its description");
        let hints = info.kinds.iter().filter(|kind| !kind.hint.is_empty()).count();
        println!("decoder {}: {} kinds, {hints} hints", info.id, info.kinds.len());
        let Some(mut encoder) = decoder.open_encoder(&[]).expect("an encoder or none") else { continue };
        let value = ArgValue { arg: 0, form: ArgForm::BYTES, bytes: ByteRange { off: 0, len: 3 }, ..ArgValue::default() };
        let (cfg, values, arena) = (RSlice::EMPTY, RSlice::from_slice(std::slice::from_ref(&value)), b"way"[..].into());
        let command = Command { id: 0, cfg, values, arena, filter: RSlice::EMPTY, seen: RSlice::EMPTY };
        let mut frames = Frames::default();
        encoder.encode(&command, &Dict::new(&()), &mut frames).expect("a frame");
        println!("encoder: {}", String::from_utf8_lossy(&frames.bytes));
    }
}
