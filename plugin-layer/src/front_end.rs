//! Packets of foreign front ends, such as test tools that expect another host: turned into commands to the target, and
//! rows into packets. Extension `frontend/1`, for decoders that are linked into the program: no table of a library has it.
//!
//! The host owns the socket and knows no protocol. It passes each packet of the front end that it serves, and each row in
//! the reference style, and sends what comes back.

use spytui_plugin_api::{DecoderOptions, Fault, RowIn, Severity};

/// Opens front ends for the rows of a decoder, with its options; fails like [`spytui_plugin_api::Decoder::open`].
pub type OpenFrontEnd = fn(&DecoderOptions<'_>) -> Result<Box<dyn FrontEnd>, Fault>;

/// What follows from a packet or a row.
#[derive(Clone, Debug, Default)]
pub struct FrontEndOutput {
    /// Packets for the front end, in order.
    pub packets: Vec<Vec<u8>>,
    /// Command lines for the target, as a user types them after `target`; sent without waiting for answers.
    pub commands: Vec<String>,
    /// Notes with their severity; each line becomes a row.
    pub notes: Vec<(Severity, String)>,
    /// Files that the host starts or ends, `None` = the other of both. A kind is a word that its user writes, too.
    pub files: Vec<(&'static str, Option<bool>)>,
    /// An option of the decoder, `key=value`, under which its rows must be read, from the first one again; empty = none. Any
    /// packets of the same row are not sent.
    pub option: String,
    /// The front end is attached: packets of others are refused. As it was before, unless the call changes it.
    pub is_attached: bool,
    /// The front end asks the host to end.
    pub ends_host: bool,
}

impl FrontEndOutput {
    /// Adds a note.
    pub fn note(&mut self, severity: Severity, text: &str) {
        self.notes.push((severity, text.to_owned()));
    }
}

/// Serves one front end at a time. The host calls it from one thread at a time.
///
/// ```
/// use spytui_plugin_api::RowIn;
/// use spytui_plugin_layer::{FrontEnd, FrontEndOutput};
///
/// /// A packet is a command line; it gets each line of text.
/// struct Plain;
///
/// impl FrontEnd for Plain {
///     fn packet(&mut self, packet: &[u8], out: &mut FrontEndOutput) {
///         out.commands.push(String::from_utf8_lossy(packet).into_owned());
///     }
///
///     fn row(&mut self, _: &[u8], _: &RowIn<'_>, text: &[u8], out: &mut FrontEndOutput) {
///         out.packets.push(text.to_vec());
///     }
///
///     fn unsent(&mut self, _: usize, _: &mut FrontEndOutput) {}
///
///     fn end(&mut self, _: &mut FrontEndOutput) {}
/// }
///
/// let mut out = FrontEndOutput::default();
/// Plain.packet(b"speed 300", &mut out);
/// assert_eq!(out.commands, ["speed 300"]);
/// ```
pub trait FrontEnd: Send {
    /// Takes a packet.
    fn packet(&mut self, packet: &[u8], out: &mut FrontEndOutput);

    /// Takes a row with its configuration and reference text. All rows are passed, also while nobody is attached.
    fn row(&mut self, cfg: &[u8], row: &RowIn<'_>, text: &[u8], out: &mut FrontEndOutput);

    /// A command could not be sent; `len` = bytes of its frames.
    fn unsent(&mut self, len: usize, out: &mut FrontEndOutput);

    /// The host stops serving.
    fn end(&mut self, out: &mut FrontEndOutput);
}
