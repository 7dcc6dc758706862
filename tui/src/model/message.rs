//! Messages: everything that changes the model.

use std::{path::PathBuf, sync::Arc, time::Instant};

use crossterm::event::MouseEvent;
use spytui_engine::{
    io::format_files::FormatSet,
    io::link::LinkEvent,
    open::{
        Options, Registry,
        guess::{Likely, Pattern, Suggestion},
    },
    trace::session::Decoding,
};

use super::{
    links::{Source, SourceStatus},
    prompt::LookedUp,
};
use crate::{app_log::LogLine, input::Key, term::Figures};

/// An event for [`crate::update::update`].
#[derive(Debug)]
pub enum Message {
    Key(Key, Instant),
    Mouse(MouseEvent),
    Paste(String),
    /// The program is to end with this exit code.
    Quit(u8),
    Tick(Instant),
    /// There is time for a piece of background work.
    Work,
    /// A frame of this size is about to be drawn.
    Frame((u16, u16)),
    Drawn(Figures),
    /// Status of the sources, in their order.
    Status(Vec<SourceStatus>),
    /// An event of the link of a source.
    Link(usize, LinkEvent),
    Opened {
        source: Box<Source>,
        /// A further stream of a link that is open: it is not shown by itself.
        peer: bool,
    },
    Closed(Vec<usize>),
    /// Files and serial ports were looked up for the command line.
    LookedUp(LookedUp),
    Copied {
        /// What, in words.
        what: String,
        /// Where it went.
        places: Vec<String>,
    },
    /// Something succeeded, with the message to show.
    Done(String),
    /// Everything was saved before the end.
    Saved {
        /// What was saved, in words.
        said: String,
        paths: Vec<PathBuf>,
    },
    /// Something failed, with the reason.
    Failed(String),
    /// What a command asked for was refused at once, with the reason.
    Refused(String),
    Logged(Vec<LogLine>),
    /// What the start of the bytes of a decoding shows.
    Sizes {
        decoding: Arc<Decoding>,
        /// Sizes that fit; `None` if none are missing.
        found: Option<(Options, Suggestion)>,
        /// The pattern of damage.
        pattern: Option<Pattern>,
    },
    /// The decoder that the bytes of a decoding look like.
    Likely {
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
    Formats(Arc<FormatSet>),
    /// The file of a plugin was built anew.
    PluginChanged(PathBuf),
    Registry {
        registry: Arc<Registry>,
        /// The file that was loaded, if one was.
        loaded: Option<PathBuf>,
        /// What was asked for, in words.
        id: String,
    },
}
