//! Packets of ARM's ITM and DWT, received through SWO: text of `printf`, values of stimulus ports, exceptions, time
//! stamps, samples of the program counter. The format is described in `PROTOCOL.md`.
//!
//! ```sh
//! cargo build -p itm
//! spytui --plugin target/debug/libitm.so --proto itm -o clock=168000000 swo.bin
//! ```
//!
//! | module | what is in it |
//! |---|---|
//! | [`packet`] | parses a packet |
//! | [`describe`] | the description: kinds, spaces, options |
//! | [`stream`] | splits bytes and stream events into packets and noise |
//! | [`hold`] | holds rows until their time stamp arrives, and lines of text until their end |
//! | [`means`] | turns packets into rows and activities |
//! | [`guess`] | guesses whether a sample is an ITM stream |
//! | [`mod@render`] | turns rows into text and fields |

pub mod describe;
pub mod guess;
pub mod hold;
pub mod means;
pub mod packet;
pub mod render;
pub mod stream;

pub use stream::Itm;

fn plugin() -> spytui_plugin_api::LibraryRef {
    spytui_plugin_api::library!(env!("CARGO_PKG_NAME"), decoders: [spytui_plugin_api::decoder::<Itm>()])
}
spytui_plugin_api::export_plugin!(plugin);
