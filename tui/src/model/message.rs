//! What happened: everything that changes the model comes as a message.

use std::{path::PathBuf, sync::Arc, time::Instant};

use spytui_engine::{
    link::LinkEvent,
    plugin::{
        Options, Registry,
        guess::{Likely, Suggestion},
    },
    session::Decoding,
};

use super::links::{Source, SourceStatus};
use crate::{action::Key, app_log::LogLine, term::Figures};

/// Something happened.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed, at this time.
    Key(Key, Instant),
    /// Text was pasted.
    Paste(String),
    /// The program is to end with this exit code.
    Quit(u8),
    /// Time passed.
    Tick(Instant),
    /// There is time for a piece of the work beside the screen.
    Work,
    /// A frame of this size is about to be drawn.
    Frame((u16, u16)),
    /// What was drawn so far.
    Drawn(Figures),
    /// How the sources are, in their order.
    Status(Vec<SourceStatus>),
    /// News of the link of a source.
    Link(usize, LinkEvent),
    /// A source was opened.
    Opened {
        /// The source.
        source: Box<Source>,
        /// A further stream of a link that is open: it is not shown by itself.
        peer: bool,
    },
    /// A search ended: the row, or none.
    Found(Option<u64>),
    /// A search takes longer.
    Searching,
    /// Text was copied to these places.
    Copied(Vec<String>),
    /// Something worked; what to say.
    Done(String),
    /// Something failed; why.
    Failed(String),
    /// Lines were added to the program's log.
    Logged(Vec<LogLine>),
    /// Sizes that were found for a decoding; `None` if there are none.
    Sizes(Arc<Decoding>, Option<(Options, Suggestion)>),
    /// What the bytes of a decoding look like.
    Likely {
        /// The decoding that was asked about.
        decoding: Arc<Decoding>,
        /// The likeliest decoder; `None` if none recognises the bytes.
        found: Option<Likely>,
        /// There were no bytes to look at.
        empty: bool,
        /// The user waits for the answer.
        asked_by_user: bool,
    },
    /// A dictionary file that the decoder reads itself.
    DictionaryFile(PathBuf),
    /// The decoders are others now.
    Registry {
        /// All decoders.
        registry: Arc<Registry>,
        /// The file that was loaded, if one was.
        loaded: Option<PathBuf>,
        /// The decoder that was asked for.
        id: String,
    },
}
