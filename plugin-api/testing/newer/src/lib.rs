//! A plugin library of a later time: it offers extensions, one of them with a layout that the program does not mean.

use spytui_plugin_api::{Ext, LibraryRef, decoder};
use spytui_testing_decoder::{
    decode::Toy,
    extension::{MISFIT, Moon, PANIC, TIDES, Tides},
};

spytui_plugin_api::export_plugin!(plugin);

extern "C" fn double(n: u32) -> u32 {
    n.saturating_mul(2)
}

extern "C" fn wide(n: u64) -> u64 {
    n.saturating_mul(2)
}

fn query(name: &str) -> Option<Ext> {
    match name {
        TIDES => Some(const { Ext::new(&Tides { double }) }),
        MISFIT => Some(const { Ext::new(&Moon { phase: 7, double: wide }) }),
        PANIC => panic!("asked to panic in query"),
        _ => None,
    }
}

fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("newer", decoders: [decoder::<Toy>()], formatters: [], query: query)
}
