//! Packets of foreign front ends, such as test tools that expect another host: turned into commands to the target, and
//! rows into packets. Extension `frontend/1`: libraries that lack it load as before.
//!
//! The host owns the socket and knows no protocol. It passes each packet of the front end that it serves, and each row in
//! the reference style, and sends what comes back.

use abi_stable::{
    StableAbi,
    std_types::{RString, RVec},
};

use crate::{DecoderOptions, Fault, RowIn, Severity};

/// What a host needs to know about a front end's protocol.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FrontEndInfo {
    /// Id of the decoder whose rows it takes.
    pub protocol: RString,
    /// The usual UDP port.
    pub port: u16,
    /// Reserved for later minor versions, like the next: see [`crate::info`].
    pub reserved_number: u64,
    #[doc(hidden)]
    pub reserved_list: RVec<RString>,
}

/// What follows from a packet or a row.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FrontEndOutput {
    /// Packets for the front end, in order.
    pub packets: RVec<RVec<u8>>,
    /// Command lines for the target, as a user types them after `target`; sent without waiting for answers.
    pub commands: RVec<RString>,
    /// Notes; each line becomes a row.
    pub notes: RVec<FrontEndNote>,
    /// An option of the decoder, `key=value`, under which its rows must be read, from the first one again; empty = none. Any
    /// packets of the same row are not sent.
    pub option: RString,
    /// The front end is attached: packets of others are refused.
    pub is_attached: bool,
    /// The front end asks the host to end.
    pub ends_host: bool,
}

/// A note of the front end, or about it.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct FrontEndNote {
    /// Its severity.
    pub severity: Severity,
    /// Its text; may have several lines.
    pub text: RString,
}

impl FrontEndOutput {
    /// Adds a note.
    pub fn note(&mut self, severity: Severity, text: &str) {
        self.notes.push(FrontEndNote { severity, text: text.into() });
    }
}

/// Serves one front end at a time. The host calls it from one thread at a time.
///
/// ```
/// use spytui_plugin_api::{DecoderOptions, Fault, FrontEnd, FrontEndInfo, FrontEndOutput, RowIn};
///
/// /// A packet is a command line; it gets each line of text.
/// struct Plain;
///
/// impl FrontEnd for Plain {
///     fn info() -> FrontEndInfo {
///         FrontEndInfo { protocol: "pump".into(), port: 7000, ..FrontEndInfo::default() }
///     }
///
///     fn open(_: &DecoderOptions<'_>) -> Result<Plain, Fault> {
///         Ok(Plain)
///     }
///
///     fn packet(&mut self, packet: &[u8], out: &mut FrontEndOutput) {
///         out.commands.push(String::from_utf8_lossy(packet).into_owned().into());
///         out.is_attached = true;
///     }
///
///     fn row(&mut self, _: &[u8], _: &RowIn<'_>, text: &[u8], out: &mut FrontEndOutput) {
///         out.packets.push(text.to_vec().into());
///     }
///
///     fn unsent(&mut self, _: usize, out: &mut FrontEndOutput) {
///         out.packets.push(b"no target".to_vec().into());
///     }
///
///     fn end(&mut self, _: &mut FrontEndOutput) {}
/// }
///
/// // In a library: `library!("pump", decoders: […], front_ends: [front_end::<Plain>()])`.
/// let mut out = FrontEndOutput::default();
/// Plain.packet(b"speed 300", &mut out);
/// assert_eq!(out.commands, ["speed 300"]);
/// ```
pub trait FrontEnd: Send + 'static {
    /// Describes it.
    fn info() -> FrontEndInfo;

    /// Opens it with the decoder's options; fails like [`crate::Decoder::open`].
    fn open(opts: &DecoderOptions<'_>) -> Result<Self, Fault>
    where
        Self: Sized;

    /// Takes a packet.
    fn packet(&mut self, packet: &[u8], out: &mut FrontEndOutput);

    /// Takes a row with its configuration and reference text. All rows are passed, also while nobody is attached.
    fn row(&mut self, cfg: &[u8], row: &RowIn<'_>, text: &[u8], out: &mut FrontEndOutput);

    /// A command could not be sent; `len` = bytes of its frames.
    fn unsent(&mut self, len: usize, out: &mut FrontEndOutput);

    /// The host stops serving.
    fn end(&mut self, out: &mut FrontEndOutput);
}
