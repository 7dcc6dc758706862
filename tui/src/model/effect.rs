//! Effects: requests of `update` to the outside world, carried out by the module `effects` only.

use std::{path::PathBuf, sync::Arc};

use spytui_engine::{
    device::control::Prepared,
    export::sequence::Wanted,
    io::link::LinkSpec,
    io::log::RawLog,
    open::{Decoder, Options},
    query::Expr,
    trace::list::RowList,
    trace::session::Decoding,
};

use super::list::Collapse;
use crate::{
    app_log::Level,
    input::{Lookup, PromptKind},
};

/// Several effects, in order.
pub type Effects = Vec<Effect>;

/// An operation outside of the model.
#[derive(Debug)]
pub enum Effect {
    /// Redraw the screen.
    Redraw,
    Suspend,
    Mouse(bool),
    Copy {
        /// What it is, in words.
        what: String,
        text: String,
    },
    CopyRows(RowSelection, Collapse),
    /// Write a line to the program's log.
    Log {
        level: Level,
        /// Origin of the message.
        source: String,
        text: String,
    },
    /// Keep a filter under a name for later runs.
    SaveFilter(String, String),
    /// Add a line to the history file.
    SaveHistory(PromptKind, String),
    /// A line of the history file failed: it is not suggested again.
    MarkFailed(PromptKind, String),
    /// Look up files and serial ports for the command line.
    LookUp(Lookup),
    /// Open a link as a source of a target.
    OpenLink(LinkSpec, DecodeRequest),
    /// Decode another stream of the link of a source.
    OpenPeer {
        /// The source that holds the link.
        source: usize,
        /// Number of the stream in the link.
        index: usize,
        /// Decoder and options.
        decode: DecodeRequest,
    },
    /// Decode sources again, all of them or none.
    Switch {
        sources: Vec<usize>,
        decoder: Arc<Decoder>,
        options: Options,
        /// Message on success.
        said: String,
    },
    /// Send a command to the target of a source.
    SendCommand {
        source: usize,
        command: Box<Prepared>,
    },
    /// Set the rate of the serial line of a source, in bits a second.
    SetBaud(usize, u32),
    /// Set a control line of a serial port.
    SetControlLine {
        source: usize,
        line: ControlLine,
        /// Its state.
        on: bool,
    },
    /// Close sources with their links; recordings are completed.
    Close(Vec<usize>),
    /// Record sources, including everything received so far.
    Record {
        sources: Vec<usize>,
        /// File name, by default from the date; several sources get one file each.
        path: Option<PathBuf>,
        /// Quit as soon as everything is written.
        quit: bool,
    },
    StopRecording(Vec<usize>),
    /// Write rows or bytes to a new file; the extension selects the format.
    WriteRows(RowSelection, PathBuf),
    /// Write a decoding as a trace for the Perfetto viewer; never overwrites.
    ExportPerfetto(Arc<Decoding>, PathBuf),
    /// Write decodings of a target as a sequence diagram; never overwrites.
    ExportSequence(Vec<Arc<Decoding>>, Wanted, PathBuf),
    WriteText {
        /// File name; never overwrites.
        path: PathBuf,
        text: String,
        /// Message on success.
        said: String,
    },
    SetName {
        /// Decodings, each with the first row for which the name holds.
        from: Vec<(Arc<Decoding>, u64)>,
        space: u16,
        key: u64,
        name: String,
    },
    ClearNames(Vec<Arc<Decoding>>),
    /// Load names from a file: our own, a dictionary file of the decoder, or a capture. These decodings take them; decoder
    /// and options of the first are those of all.
    LoadNames(PathBuf, Vec<Arc<Decoding>>),
    /// Find field sizes that fit the bytes of a source.
    SuggestSizes {
        source: usize,
        decoding: Arc<Decoding>,
        /// Current options, without guessed ones.
        options: Options,
        logs: Vec<Arc<RawLog>>,
    },
    /// Probe the newest bytes of a source with all decoders.
    AskDecoders {
        source: usize,
        decoding: Arc<Decoding>,
        decoders: Vec<Arc<Decoder>>,
        /// The user waits for the answer.
        asked_by_user: bool,
    },
    CheckFormats(PathBuf),
    /// Read a format file, too.
    LoadFormats(PathBuf),
    LoadPlugin(PathBuf),
    ReloadPlugin(Option<String>),
}

/// Rows of a range that match.
#[derive(Debug)]
pub struct RowSelection {
    pub rows: RowList,
    /// First and last row.
    pub range: (u64, u64),
    /// Expression that rows must match.
    pub expr: Expr,
}

/// Decoder, options and place of a new source.
#[derive(Debug, Clone)]
pub struct DecodeRequest {
    pub decoder: Arc<Decoder>,
    pub options: Options,
    pub target: usize,
    /// Number of the source in the target.
    pub source: u16,
    /// Budget of its rows, bytes.
    pub memory: usize,
}

/// Control lines of a serial port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlLine {
    Dtr,
    Rts,
}
