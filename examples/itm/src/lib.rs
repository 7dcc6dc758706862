//! Packets of ARM's ITM and DWT, as they come through SWO: text of `printf`, values of stimulus ports, exceptions, time
//! stamps, samples of the program counter. `PROTOCOL.md` has the rules.
//!
//! ```sh
//! cargo build -p itm
//! spytui --plugin target/debug/libitm.so --proto itm -o clock=168000000 swo.bin
//! ```
//!
//! | module | what is in it |
//! |---|---|
//! | [`packet`] | one packet: from its bytes to what it carries |
//! | [`describe`] | the description: kinds, spaces, options |
//! | [`stream`] | bytes and stream events to packets, and to what is no packet |
//! | [`hold`] | rows that wait for their time stamp, lines of text that wait for their end |
//! | [`means`] | packets to rows and activities |
//! | [`guess`] | whether a sample is a stream of such packets |
//! | [`mod@render`] | rows to text and fields |

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
