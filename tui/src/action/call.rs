//! Commands as values: what a typed line asks for, checked.

use std::path::PathBuf;

use spytui_engine::link::LinkSpec;
use spytui_engine::query::Expr;

use super::place::{RowRange, Where};

/// One command with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// Switch the decoder; `auto` finds out. The options as `key`, `value`.
    Proto {
        /// Name of the decoder, or `auto`.
        name: String,
        /// Options of the decoder.
        options: Vec<(String, String)>,
    },
    /// Show settings (no value) or change them.
    Set(Vec<(String, Option<String>)>),
    /// Open another link.
    Open(LinkSpec),
    /// Show another source, by its number (from 1) or name.
    Show(String),
    /// Rate of the serial line; `None` listens at each usual one.
    Baud(Option<u32>),
    /// Record there, or where the configuration says.
    Record(Option<PathBuf>),
    /// Stop recording.
    RecordStop,
    /// Write rows or bytes.
    Write {
        /// Where to; the extension tells the form.
        path: PathBuf,
        /// Which rows; all without.
        range: Option<RowRange>,
        /// Which of them; without, those the display filter shows.
        expr: Option<Expr>,
    },
    /// Write a trace for the Perfetto viewer.
    ExportPerfetto(PathBuf),
    /// Show only these rows.
    Filter(Filter),
    /// Keep the present filter under a name.
    FilterSave(String),
    /// Go to the next row that passes.
    Find(Expr),
    /// Go somewhere.
    Goto(Where),
    /// Mark the cursor row.
    Mark {
        /// Name of the mark; a letter is chosen without.
        name: Option<String>,
        /// A note beside it.
        note: Option<String>,
    },
    /// Save the dictionary.
    DictSave(PathBuf),
    /// Load names.
    DictLoad(PathBuf),
    /// Forget the names.
    DictClear,
    /// Give something a name.
    Name {
        /// Name space, as `obj`.
        space: String,
        /// Key in it.
        key: u64,
        /// The name.
        name: String,
    },
    /// List plugins and decoders.
    PluginList,
    /// Load a plugin file.
    PluginLoad(PathBuf),
    /// Load plugins anew; all of them without a name.
    PluginReload(Option<String>),
    /// Use a plugin.
    PluginEnable(String),
    /// Do without a plugin.
    PluginDisable(String),
    /// The program's own figures.
    Stats,
    /// Help, about a word.
    Help(Option<String>),
    /// Quit without asking.
    Quit,
    /// Record everything there, then quit.
    WriteQuit(PathBuf),
}

/// Which display filter is meant.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// None.
    Clear,
    /// The one before.
    Previous,
    /// A kept one.
    Saved(String),
    /// This one.
    Expr(Expr),
}
