//! What `update` asks the outside world to do. Carried out by the module `effects` and nowhere else.

use std::{path::PathBuf, sync::Arc};

use spytui_engine::{
    link::LinkSpec,
    list::{Direction, RowList},
    plugin::{Decoder, Options},
    query::Expr,
    session::Decoding,
};

use super::list::Collapse;
use crate::{action::PromptKind, app_log::Level};

/// Several effects, in order.
pub type Effects = Vec<Effect>;

/// Something to do outside of the model.
#[derive(Debug)]
pub enum Effect {
    /// Draw everything again.
    Redraw,
    /// Give the terminal back and stop the process.
    Suspend,
    /// Take or release the mouse.
    Mouse(bool),
    /// Put text where other programs find it.
    Copy(String),
    /// The same with rows, as the list shows them.
    CopyRows {
        /// The rows.
        rows: RowList,
        /// First and last row.
        range: (u64, u64),
        /// What is left out of them.
        collapse: Collapse,
        /// Which of them.
        expr: Expr,
    },
    /// Write a line to the program's log.
    Log {
        /// How important it is.
        level: Level,
        /// Where it comes from.
        source: String,
        /// The text.
        text: String,
    },
    /// Add a line to the history file.
    SaveHistory(PromptKind, String),
    /// Open a link as a source of a target.
    OpenLink {
        /// The link.
        spec: LinkSpec,
        /// How its bytes are decoded.
        decode: DecodeRequest,
    },
    /// Decode another stream of the link of a source.
    OpenPeer {
        /// The source that holds the link.
        source: usize,
        /// Number of the stream in the link.
        index: usize,
        /// How its bytes are decoded.
        decode: DecodeRequest,
    },
    /// Decode sources again, all of them or none.
    Switch {
        /// The sources.
        sources: Vec<usize>,
        /// The decoder.
        decoder: Arc<Decoder>,
        /// Its options.
        options: Options,
        /// What to say when it worked.
        said: String,
    },
    /// Set the rate of a serial line.
    SetBaud {
        /// The source.
        source: usize,
        /// Bits a second.
        rate: u32,
    },
    /// Set a control line of a serial port.
    SetControlLine {
        /// The source.
        source: usize,
        /// Which line.
        line: ControlLine,
        /// Its state.
        on: bool,
    },
    /// Record sources with everything received so far, then quit if asked to.
    Record {
        /// The sources.
        sources: Vec<usize>,
        /// Where to, else by date; of several sources each gets a file of its own.
        path: Option<PathBuf>,
        /// Stop the recording and quit as soon as everything is written.
        quit: bool,
    },
    /// Stop the recording of sources.
    StopRecording(Vec<usize>),
    /// Look for the next row that passes.
    Search {
        /// The rows.
        rows: RowList,
        /// Where to begin.
        from: Option<u64>,
        /// Which way.
        direction: Direction,
        /// What passes.
        expr: Expr,
    },
    /// Give the search up.
    StopSearch,
    /// Write rows or bytes.
    WriteRows {
        /// The rows.
        rows: RowList,
        /// Where to; the extension tells the form.
        path: PathBuf,
        /// First and last row.
        range: (u64, u64),
        /// Which of them.
        expr: Expr,
    },
    /// Write a trace for the Perfetto viewer.
    ExportPerfetto {
        /// What is written.
        decoding: Arc<Decoding>,
        /// Where to.
        path: PathBuf,
    },
    /// Write a new text file.
    WriteText {
        /// Where to; never overwrites.
        path: PathBuf,
        /// What to write.
        text: String,
        /// What to say when it is done.
        said: String,
    },
    /// Name a key of the dictionary.
    SetName {
        /// Decodings, each with the first row for which the name holds.
        from: Vec<(Arc<Decoding>, u64)>,
        /// Name space.
        space: u16,
        /// The key.
        key: u64,
        /// The name.
        name: String,
    },
    /// Forget all names of these decodings.
    ClearNames(Vec<Arc<Decoding>>),
    /// Load names from a file: our own, a dictionary file of the decoder, or a capture.
    LoadNames {
        /// The file.
        path: PathBuf,
        /// Decodings that take the names; decoder and options of the first are those of all.
        decodings: Vec<Arc<Decoding>>,
    },
    /// Find sizes with which the bytes of a source make sense.
    SuggestSizes {
        /// The source.
        source: usize,
        /// Its decoding.
        decoding: Arc<Decoding>,
        /// Options in force, without those that were guessed.
        options: Options,
    },
    /// Ask all decoders about the newest bytes of a source.
    AskDecoders {
        /// The source.
        source: usize,
        /// Its decoding.
        decoding: Arc<Decoding>,
        /// The decoders.
        decoders: Vec<Arc<Decoder>>,
        /// The user waits for the answer.
        asked_by_user: bool,
    },
    /// Load a plugin file.
    LoadPlugin(PathBuf),
    /// Load the plugin of a decoder again.
    ReloadPlugin(String),
}

/// How a new source is decoded.
#[derive(Debug, Clone)]
pub struct DecodeRequest {
    /// The decoder.
    pub decoder: Arc<Decoder>,
    /// Its options.
    pub options: Options,
    /// Number of the target.
    pub target: usize,
    /// Number of the source in the target.
    pub source: u16,
    /// Budget of its rows, bytes.
    pub memory: usize,
}

/// Control lines of a serial port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlLine {
    /// Data terminal ready.
    Dtr,
    /// Request to send.
    Rts,
}
