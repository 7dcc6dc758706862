//! Command-line arguments: one definition for parser, help and completions.

use std::{
    ffi::{OsStr, OsString},
    net::SocketAddr,
    num::NonZero,
    path::PathBuf,
    sync::LazyLock,
};

use clap::{
    Arg, Args as ClapArgs, Command, Parser, Subcommand, ValueEnum,
    builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser},
};
use spytui_engine::{
    analysis::statistics::{Measure, SubjectColumns},
    device::front_end::{USUAL, address},
    export::{
        replay_sink::RecordNumber,
        statistics::{StatisticsRequest, no_column},
    },
    io::{
        link::{LinkSpec, Undo, line_rate},
        log::Rotation,
        text::TextForm,
    },
    open::REFERENCE_TEXT,
    trace::playback::PlayPlan,
};
use spytui_plugin_api::{API_MAJOR, API_MINOR};

use super::failure::Failure;
use crate::{
    config::{rotation, size},
    demo,
    recording::SourceName,
    trigger::TriggerRule,
    writing::WriteRequest,
};

/// Debug embedded systems by software tracing: receive, decode, filter, show and keep trace records.
#[derive(Debug, Clone, Parser)]
#[command(name = "spytui", bin_name = "spytui", version, long_version = long(), max_term_width = 100)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    /// What to do; without a command the screen opens
    #[command(subcommand)]
    pub command: Option<CliCommand>,

    #[command(flatten)]
    pub decoder: DecoderArgs,

    #[command(flatten)]
    pub link: LinkArgs,

    #[command(flatten)]
    pub demo: DemoArgs,

    /// Show only rows that match, as `kind:Tran to:motor`; @NAME is a filter of the configuration
    #[arg(long, value_name = "EXPR")]
    pub filter: Option<String>,

    /// Send `target filter SPEC` when the link is up, as --target-filter=-SM; @NAME is one of [target-filters]
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub target_filter: Option<String>,

    /// Run the command lines of FILE (`-` = stdin) when the link is up, and print lines: target COMMAND, wait 2s, expect
    /// EXPR within 5s, filter EXPR, q. The first one that fails ends the run with exit code 1, the end of FILE with 0
    #[arg(long, value_name = "FILE")]
    pub exec: Option<PathBuf>,

    /// Serve QUTest or QView at this UDP address as QSPY does, by default 127.0.0.1:7701; only this machine reaches
    /// that. The target's link is the first one
    #[arg(long = "qspy", value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = USUAL,
          value_parser = address)]
    pub front_end: Option<SocketAddr>,

    /// Print the command line that does what QSPY does with these options of its own, and exit: --like-qspy -t -u7702
    #[arg(long, value_name = "ARGS", num_args = 0.., allow_hyphen_values = true)]
    pub like_qspy: Option<Vec<String>>,

    /// Start without the filter, cursor, marks, columns and pane of last time
    #[arg(long)]
    pub fresh: bool,

    /// A console of the target beside its trace: a link of text lines, also DEVICE:RATE, shown as a target of its own. May be
    /// given more than once
    #[arg(long, value_name = "LINK")]
    pub console: Vec<OsString>,

    /// Record to PATH.bin and PATH.meta from the start
    #[arg(long, value_name = "PATH")]
    pub record: Option<PathBuf>,

    #[command(flatten)]
    pub write: WriteArgs,

    /// Do something at rows that match: ring the bell, mark, hold, record the bytes around, run a shell command, as
    /// 'kind:Assert record 10s'; without a screen bell, record and run. May be given more than once
    #[arg(long, value_name = "EXPR ACTION", value_parser = TriggerRule::parse)]
    pub on: Vec<TriggerRule>,

    /// Keep recording when the terminal goes away, until the inputs end or a signal arrives
    #[arg(long)]
    pub keep_recording: bool,

    /// Print lines instead of opening the screen
    #[arg(long)]
    pub headless: bool,

    /// Format of the lines
    #[arg(long, value_enum, default_value_t = RowFormat::Native)]
    pub format: RowFormat,

    /// With csv: a text that a spreadsheet would run as a formula gets a leading '
    #[arg(long)]
    pub csv_safe: bool,

    /// Draw with ASCII only
    #[arg(long)]
    pub ascii: bool,

    /// Draw no more than a slow line carries (10 kB/s)
    #[arg(long)]
    pub slow: bool,

    /// Print the whole configuration with the origin of each value, and exit
    #[arg(long)]
    pub print_config: bool,

    /// The file is a recording to be played.
    #[arg(skip)]
    pub play: Option<PlayPlan>,
}

/// Commands that need no screen.
#[derive(Debug, Clone, Subcommand)]
pub enum CliCommand {
    /// Decode a file or stdin to text
    Decode(DecodeArgs),
    /// Record a link to NAME.bin and NAME.meta
    Record(RecordArgs),
    /// Play a recording again at its pace: on the screen, as lines, or for readers of a TCP port
    Play(PlayArgs),
    /// Write a part of a capture as a recording that decodes alone to the same rows
    Cut(CutArgs),
    /// Decode and print the counters, and how long events waited where the decoder measures it
    Stats(StatsArgs),
    /// Judge a trace by rules: exit code 0 if what they expect holds, 1 if it does not
    Check(CheckArgs),
    /// Compare two captures: exit code 0 if they are the same, 1 if they differ
    Compare(CompareArgs),
    /// List the serial ports
    Ports,
    /// List the decoders, and what was refused
    Plugins(PluginArgs),
    /// Create a plugin of your own
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// List the format files, or check some
    Formats(FormatsArgs),
    /// Write what was received in the format of another tool
    #[command(subcommand)]
    Export(ExportCommand),
    /// Print the DuckDB command that asks about the tables of `export parquet`
    Sql(SqlArgs),
    /// Create the configuration file
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print what a bug report needs: version, terminal, ports, folders, plugins, configuration
    Doctor,
    /// Print the completions for a shell, to be saved in a file that it reads
    #[command(after_help = COMPLETIONS_GO)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, to be saved in a file that man finds
    #[command(after_help = MAN_GOES)]
    Man,
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Write a file with all settings, each after a #, to the user's configuration folder; never overwrites one
    ///
    /// The file is spytui.toml in $XDG_CONFIG_HOME/spytui, which is ~/.config/spytui by default (on macOS
    /// ~/Library/Application Support/spytui). Its path is printed.
    Init,
}

#[derive(Debug, Clone, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub struct FormatsArgs {
    /// What to do; without a command they are listed
    #[command(subcommand)]
    pub command: Option<FormatsCommand>,

    /// Format file or folder of such files; may be given more than once
    #[arg(long = "fmt", value_name = "PATH")]
    pub formats: Vec<PathBuf>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum PluginCommand {
    /// Write a crate that cargo builds, with a test and an example, to the folder NAME
    New {
        /// Name of the crate and its folder
        #[arg(value_name = "NAME")]
        name: String,

        /// What it is
        #[arg(long, value_enum, default_value_t = PluginKind::Records)]
        kind: PluginKind,
    },
}

/// What a plugin is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PluginKind {
    /// Texts of application records of a protocol
    Records,
    /// A decoder for your own protocol
    Decoder,
}

#[derive(Debug, Clone, Subcommand)]
pub enum FormatsCommand {
    /// List wrong lines of format files; exit code 2 if there are any
    Check {
        /// Files, and folders of such files
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
    },
    /// Print a format file to start with: a line for each kind of application record of a capture, with its fields
    New {
        /// Capture to read; `-` = stdin
        #[arg(long, value_name = "FILE")]
        from: OsString,

        #[command(flatten)]
        decoder: DecoderArgs,
    },
}

/// Export formats.
#[derive(Debug, Clone, Subcommand)]
pub enum ExportCommand {
    /// Write a trace for the Perfetto viewer: tasks, objects, interrupts, levels, messages
    Perfetto(PerfettoArgs),
    /// Write a trace in the Common Trace Format (CTF 1.8), for babeltrace2 and Trace Compass: records, losses, states
    Ctf(ExportArgs),
    /// Write value changes for viewers of waveforms, such as GTKWave and Surfer: states, levels, values
    Vcd(ExportArgs),
    /// Write recordings as tables for DuckDB, Spark and other engines, to DIR/TABLE/target=…/date=…/NAME-HASH.parquet
    Parquet(ParquetArgs),
    /// Write a sequence diagram, as Mermaid (OUT.mmd) or PlantUML (OUT.puml): messages between objects, tasks, queues
    Sequence(SequenceArgs),
}

/// Arguments that all exports have.
#[derive(Debug, Clone, ClapArgs)]
pub struct ExportArgs {
    #[command(flatten)]
    pub decoder: DecoderArgs,

    /// File to write; `-o OUT` means the same if OUT contains no `=`
    #[arg(long, short = 'O', value_name = "OUT")]
    pub out: Option<PathBuf>,

    /// Replace OUT if it exists
    #[arg(long)]
    pub force: bool,

    /// The bytes come as text, with or without banner lines around them
    #[arg(long = "input", value_name = "FORM", value_parser = text_form())]
    pub text: Option<TextForm>,

    /// Undo what something on the way did to certain bytes; files and stdin only
    #[arg(long, value_name = "CHANGE", value_parser = undo(), conflicts_with = "text")]
    pub undo: Option<Undo>,

    /// File to read to its end; `-` = stdin. Several are the sources of one target, merged by time; FILE@N = core N
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<OsString>,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct CompareArgs {
    #[command(flatten)]
    pub decoder: DecoderArgs,

    /// Form of the report
    #[arg(long, value_enum, default_value_t = CompareForm::Text)]
    pub report: CompareForm,

    /// Compare which records came, not when
    #[arg(long)]
    pub no_times: bool,

    /// Capture of a run
    #[arg(value_name = "A")]
    pub a: OsString,

    /// Capture of another run
    #[arg(value_name = "B")]
    pub b: OsString,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct CheckArgs {
    #[command(flatten)]
    pub decoder: DecoderArgs,

    #[command(flatten)]
    pub link: LinkArgs,

    /// What is expected: a TOML file with a table `expect` for each
    #[arg(long, value_name = "RULES.toml")]
    pub rules: PathBuf,

    /// Also write the verdicts to this JUnit file
    #[arg(long, value_name = "OUT.xml")]
    pub junit: Option<PathBuf>,

    /// Replace OUT.xml if it exists
    #[arg(long, requires = "junit")]
    pub force: bool,
}

/// Forms of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareForm {
    /// Words and tables
    Text,
    /// One JSON object
    Json,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct ParquetArgs {
    #[command(flatten)]
    pub decoder: DecoderArgs,

    /// Folder of the tables; recordings that are there already are left out
    #[arg(long, short = 'O', value_name = "DIR")]
    pub out: PathBuf,

    /// Whose recordings these are; otherwise the name that a recording was made with, or that of its folder
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,

    /// Build of the target, instead of the one that it reports
    #[arg(long, value_name = "TEXT")]
    pub build: Option<String>,

    /// Recordings exported at the same time; otherwise one for each processor
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,

    /// Write recordings again that are there
    #[arg(long)]
    pub force: bool,

    /// Form of the report on stdout: a line for each file
    #[arg(long, value_enum, default_value_t = ParquetReport::Text)]
    pub report: ParquetReport,

    /// Recordings, each a table of its own
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
}

/// Forms of the report of `export parquet`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ParquetReport {
    /// Words
    Text,
    /// JSON objects
    Json,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct SqlArgs {
    /// Folder of the tables that `export parquet` wrote
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// What to ask, as 'SELECT …'
    #[arg(value_name = "QUERY")]
    pub query: String,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct PerfettoArgs {
    #[command(flatten)]
    pub export: ExportArgs,

    /// Offer the trace to the web page (ui.perfetto.dev) on 127.0.0.1:9001, until a signal arrives
    #[arg(long)]
    pub serve: bool,

    /// Print the link to the trace, open it if there is a browser, and exit once it was fetched
    #[arg(long)]
    pub open: bool,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct SequenceArgs {
    #[command(flatten)]
    pub export: ExportArgs,

    /// Show only what matching rows say, as `n:700..900` or @NAME; losses between them are always shown
    #[arg(long, value_name = "EXPR")]
    pub filter: Option<String>,

    /// Lifelines, in this order, as `l_clock,AO(l_door),?`; `*` stands for any characters, `?` alone for all others. By
    /// default all, the most used first
    #[arg(long, value_name = "NAMES")]
    pub lifelines: Option<String>,

    /// Also show when events are taken from queues
    #[arg(long)]
    pub taken: bool,
}

/// Nobody named the decoder, and no bytes show it yet.
pub const FRONT_END_NEEDS_PROTO: &str = "--qspy: front ends are for one protocol: --proto NAME names it";

/// Name for choosing the decoder by the bytes.
pub const AUTO: &str = "auto";

/// What to decode and how.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct DecoderArgs {
    /// Decoder, such as qs; by default the one named in the recording, otherwise auto: the one that the bytes look like
    #[arg(long, short = 'p', value_name = "NAME", hide_possible_values = true, value_parser = proto())]
    pub proto: Option<String>,

    /// Option of the decoder; may be given more than once
    #[arg(long = "option", short = 'o', value_name = "KEY=VALUE")]
    pub options: Vec<String>,

    /// Options from a recording; those of the arguments take precedence.
    #[arg(skip)]
    pub recorded: Vec<(String, String)>,

    /// Format lines from a recording; files override them.
    #[arg(skip)]
    pub recorded_formats: String,

    /// Format file with texts of records (.fmt, .xml), or folder of such files; may be given more than once
    #[arg(long = "fmt", value_name = "PATH")]
    pub formats: Vec<PathBuf>,

    /// The demo whose own format file is also read.
    #[arg(skip)]
    pub demo: Option<String>,

    #[command(flatten)]
    pub plugins: PluginArgs,
}

/// Plugin files.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct PluginArgs {
    /// Plugin file to load; may be given more than once
    #[arg(long = "plugin", value_name = "FILE")]
    pub plugins: Vec<PathBuf>,
}

/// Where the bytes come from.
#[derive(Debug, Clone, ClapArgs)]
pub struct LinkArgs {
    /// Link: a path, `-` for stdin, serial:PATH?baud=N, tcp:HOST:PORT, unix:PATH, listen:PORT, udp:PORT. If any of several
    /// names its core (LINK@N = core N), all are sources of one target, merged by time; otherwise each is a target of its own
    #[arg(value_name = "LINK")]
    pub input: Vec<OsString>,

    /// Serial port
    #[arg(long, value_name = "DEVICE")]
    pub port: Option<String>,

    /// Rate of the serial port, bits per second, as 921600 or 1MHz
    #[arg(long, value_name = "RATE", requires = "port", value_parser = baud)]
    pub baud: Option<u32>,

    /// File; PATH@N = bytes of core N, unless a file has that very name
    #[arg(long, value_name = "PATH")]
    pub file: Vec<OsString>,

    /// Connect to a server
    #[arg(long, value_name = "HOST:PORT")]
    pub tcp: Vec<String>,

    /// Wait for a client; on this machine only unless an address is given
    #[arg(long, value_name = "[ADDR:]PORT")]
    pub listen: Vec<String>,

    /// Receive datagrams; on this machine only unless an address is given
    #[arg(long, value_name = "[ADDR:]PORT")]
    pub udp: Vec<String>,

    /// Keep reading a file as it grows, also after it was truncated or replaced, like tail -F
    #[arg(long)]
    pub follow: bool,

    /// The bytes come as text, with or without banner lines around them; files and stdin only
    #[arg(long = "input", value_name = "FORM", value_parser = text_form())]
    pub text: Option<TextForm>,

    /// Undo what something on the way did to certain bytes; files and stdin only
    #[arg(long, value_name = "CHANGE", value_parser = undo(), conflicts_with = "text")]
    pub undo: Option<Undo>,

    /// Do not retry: a missing link is an error, and a link that goes away ends the run
    #[arg(long)]
    pub once: bool,
}

/// Files written beside everything else.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct WriteArgs {
    /// Write a file while bytes arrive, never overwriting one: text, binary, matlab, sequence or dictionary, as the QS host
    /// writes them, or =PATH. Without PATH the name is the host's: by the time, of dictionaries by the build of the target.
    /// parquet=DIR = tables for databases, which are there when the run ends. May be given more than once
    #[arg(long = "write", value_name = "KIND[=PATH]", value_parser = WriteRequest::parse)]
    pub files: Vec<WriteRequest>,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct DecodeArgs {
    #[command(flatten)]
    pub decoder: DecoderArgs,

    /// Format of the output
    #[arg(long, value_enum, default_value_t = RowFormat::Native)]
    pub format: RowFormat,

    /// With csv: a text that a spreadsheet would run as a formula gets a leading '
    #[arg(long)]
    pub csv_safe: bool,

    /// With reference: write the lines in these colours
    #[arg(long, value_name = "COLOURS", value_parser = colours())]
    pub color: Option<&'static str>,

    /// Write only rows that match, as `kind:Tran to:motor` or @NAME; rows that report losses are always written
    #[arg(long, value_name = "EXPR")]
    pub filter: Option<String>,

    /// The bytes come as text, with or without banner lines around them
    #[arg(long = "input", value_name = "FORM", value_parser = text_form())]
    pub text: Option<TextForm>,

    /// Undo what something on the way did to certain bytes; files and stdin only
    #[arg(long, value_name = "CHANGE", value_parser = undo(), conflicts_with = "text")]
    pub undo: Option<Undo>,

    /// Write the counters to stderr at the end; `--stats=json` as one object
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub stats: Option<StatsForm>,

    /// File to decode; `-` = stdin. Several are the sources of one target, merged by time; FILE@N = core N
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<OsString>,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct PlayArgs {
    #[command(flatten)]
    pub decoder: DecoderArgs,

    /// How many times as fast, 0.1 to 100
    #[arg(long, value_name = "TIMES", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,

    /// Bytes per second, in place of the times of the recording; 11520 where it has none
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub rate: Option<u64>,

    /// Send the next record at each key `s` on the screen, without a screen at each line of standard input
    #[arg(long)]
    pub step: bool,

    /// Begin again a second after the end
    #[arg(long = "loop")]
    pub looped: bool,

    /// Open no screen; serve the bytes to readers of a TCP port, each from the beginning when it connects. On this machine
    /// only unless an address is given; port 0 picks one
    #[arg(long, value_name = "[ADDR:]PORT")]
    pub serve_tcp: Option<String>,

    /// Recording, or any file of bytes
    #[arg(value_name = "FILE")]
    pub file: OsString,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| (0.1..=100.0).contains(speed));
    speed.ok_or_else(|| "from 0.1 to 100".to_owned())
}

#[derive(Debug, Clone, ClapArgs)]
#[group(id = "what", required = true, multiple = false, args = ["time", "records", "filter", "around"])]
#[command(mut_arg("inputs", |arg| arg.help("File to cut, to its end; of several sources, each by itself")))]
pub struct CutArgs {
    #[command(flatten)]
    pub export: ExportArgs,

    /// From one time of the target to another, as 1.5s..2s; without a unit, ticks
    #[arg(long, value_name = "A..B")]
    pub time: Option<String>,

    /// From one record to another, as 700..720
    #[arg(long, value_name = "N..M")]
    pub records: Option<String>,

    /// Around a record, as '#744', or a mark of the recording, as mark:x
    #[arg(long, value_name = "RECORD|mark:NAME", value_parser = cut_place)]
    pub around: Option<CutPlace>,

    /// With --around: how many records before and after
    #[arg(long, value_name = "RECORDS", default_value_t = 100, requires = "around")]
    pub margin: u64,

    /// From the first record that matches to the last one, as `epoch:2 time:1s..2s` or @NAME
    #[arg(long, value_name = "EXPR")]
    pub filter: Option<String>,
}

/// The middle of a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CutPlace {
    Record(u64),
    /// A mark of the recording.
    Mark(String),
}

fn cut_place(text: &str) -> Result<CutPlace, String> {
    match text.strip_prefix("mark:") {
        Some(name) => Ok(CutPlace::Mark(name.to_owned())),
        None => RecordNumber::parse(text).map(|number| CutPlace::Record(number.n)),
    }
}

impl CutArgs {
    /// The rows that are wanted, as a filter.
    pub fn expression(&self) -> String {
        let records = |range: &String| format!("n:{}", range.replace('#', ""));
        let time = self.time.as_ref().map(|range| format!("time:{range}"));
        time.or_else(|| self.records.as_ref().map(records)).or_else(|| self.filter.clone()).unwrap_or_default()
    }
}

#[derive(Debug, Clone, ClapArgs)]
pub struct RecordArgs {
    #[command(flatten)]
    pub link: LinkArgs,

    #[command(flatten)]
    pub demo: DemoArgs,

    /// Decoder to name in the recording; by default the one that the bytes look like, if that is certain
    #[arg(long, short = 'p', value_name = "NAME", hide_possible_values = true, value_parser = proto())]
    pub proto: Option<String>,

    /// Recording: PATH.bin and PATH.meta, never overwritten; without it TIME-LINK.bin in the folder `record.dir`.
    /// `-o PATH` means the same if PATH contains no `=`
    #[arg(long, short = 'O', value_name = "PATH")]
    pub out: Option<PathBuf>,

    /// Name of the target, for its recordings and for tables: NAME-TIME.bin in the folder `record.dir`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["out", "named"], value_parser = target_name)]
    pub name: Option<String>,

    /// Continue in a new file after a size, a time or the first of both, as 64M,1h, instead of the setting `record.rotate`
    #[arg(long, value_name = "SIZE,TIME", value_parser = rotate)]
    pub rotate: Option<Rotation>,

    /// Move finished recordings whole to DIR, the .meta first, also those that an earlier run left
    #[arg(long, value_name = "DIR", requires = "name")]
    pub deliver: Option<PathBuf>,

    /// Delete the oldest delivered recordings of NAME when they are larger, as 20G; the newest stays
    #[arg(long, value_name = "SIZE", requires = "deliver", value_parser = bytes)]
    pub keep: Option<u64>,

    /// Serve the received bytes of the link as they come, at unix:PATH, tcp:PORT (this machine only) or tcp:ADDR:PORT; a slow
    /// reader is cut off
    #[arg(long, value_name = "unix:PATH|tcp:ADDR", value_parser = tee)]
    pub tee: Option<LinkSpec>,

    #[command(flatten)]
    pub write: WriteArgs,

    /// The same, as named by `export`.
    #[arg(short = 'o', value_name = "PATH", hide = true, conflicts_with = "out", value_parser = no_option())]
    pub named: Option<PathBuf>,
}

fn target_name(text: &str) -> Result<String, &'static str> {
    let word = SourceName::of_word(text).word;
    if word == text && !text.is_empty() { Ok(word) } else { Err("must be letters, digits, . _ and single -") }
}

fn rotate(text: &str) -> Result<Rotation, &'static str> {
    rotation(text).ok_or("must be a size from 16k, a time (s, min, h, d) or both, as 64M,1h")
}

fn tee(text: &str) -> Result<LinkSpec, String> {
    match text.split_once(':') {
        Some(("tcp", address)) => LinkSpec::of_scheme("listen", address),
        Some(("unix", path)) => LinkSpec::of_scheme("unix", path),
        _ => Err("must be unix:PATH or tcp:[ADDR:]PORT".to_owned()),
    }
}

fn bytes(text: &str) -> Result<u64, &'static str> {
    size(text).ok_or("must be a size, as 20G")
}

/// A parser with words for completion. It may accept others, such as names of plugins, and reports errors itself.
#[derive(Clone)]
struct Offered<P> {
    parser: P,
    words: fn() -> Vec<&'static str>,
}

impl<P: TypedValueParser> TypedValueParser for Offered<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

fn proto() -> Offered<StringValueParser> {
    let words = || demo::protocols().into_iter().chain([AUTO]).collect();
    Offered { parser: StringValueParser::new(), words }
}

fn measures() -> Vec<&'static str> {
    Measure::all().map(Measure::word).chain(["all"]).collect()
}

/// A path that can't be mistaken for an option of a decoder.
fn no_option() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_string_lossy().contains('=') {
        true => Err("recording takes no options of a decoder; a path with = is given with --out"),
        false => Ok(path),
    })
}

/// The demo, in place of a link.
#[derive(Debug, Clone, ClapArgs)]
pub struct DemoArgs {
    /// Trace a simulated boiler inside this program, without hardware; PROTO: qs, rkh, tband, qnx
    #[arg(hide_possible_values = true, value_parser = Offered { parser: StringValueParser::new(), words: demo::protocols })]
    #[arg(id = "demo", long, value_name = "PROTO", conflicts_with_all = ["port", "file", "tcp", "listen", "udp", "input"])]
    pub proto: Option<String>,

    /// Damage the bytes of the demo, as flip=200,burst=40,seed=7. Bytes in a million: flip (a bit), loss, noise, dup. Once:
    /// burst (records, after a second), garbage (bytes, at the start). link-rate in bytes/s; reset-every in seconds
    #[arg(long, value_name = "LIST")]
    pub faults: Option<String>,
}

impl DemoArgs {
    /// Checks the demo and its faults. Errors: what is wrong (2).
    pub fn check(&self) -> Result<(), Failure> {
        match (&self.proto, &self.faults) {
            (Some(proto), faults) => demo::check(proto, faults.as_deref()).map_err(Failure::usage),
            (None, Some(_)) => Err(Failure::usage("--faults needs a demo: --demo PROTO starts one")),
            (None, None) => Ok(()),
        }
    }
}

#[derive(Debug, Clone, ClapArgs)]
pub struct StatsArgs {
    #[command(flatten)]
    pub decoder: DecoderArgs,

    #[command(flatten)]
    pub link: LinkArgs,

    /// How to print them
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = StatsForm::Text)]
    pub format: StatsForm,

    /// Print what every object was doing at the end: state, since when, last record, queue
    #[arg(long, group = "of_record")]
    pub objects: bool,

    /// With --objects or --incident: as of this record, as '#744', not as of the end or the last failure
    #[arg(long, value_name = "RECORD", requires = "of_record", value_parser = RecordNumber::parse)]
    pub at: Option<RecordNumber>,

    /// Print rates, times and levels by these columns: kind, group, object, signal, core, or all in one row
    #[arg(long, value_name = "COLUMNS", conflicts_with_all = ["objects", "findings"], value_parser = SubjectColumns::parse)]
    pub by: Option<SubjectColumns>,

    /// Print only these: rate, wait, latency, step, response, receive, reply, ready, run, blocked, activation, interrupt,
    /// critical, locked, held, span, cpu, state, free, used, value; all = everything measured, each by its usual columns
    #[arg(long, value_name = "MEASURES", conflicts_with_all = ["objects", "findings"], hide_possible_values = true)]
    #[arg(value_delimiter = ',', value_parser = Offered { parser: measure_named, words: measures })]
    pub measure: Vec<Option<Measure>>,

    /// With --by or --measure: sort by a name or figure, as object or p95
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["objects", "findings"], value_parser = sort_named)]
    pub sort: Option<String>,

    /// Reverse the order
    #[arg(long, requires = "sort")]
    pub reverse: bool,

    /// Print what an expert would spot, with the records that show it: full queues, leaks, storms, late events
    #[arg(long, conflicts_with = "objects")]
    pub findings: bool,

    /// Print what led to the last assertion, error or reset: who waited for whom, what ran, which queues filled up, what
    /// is missing
    #[arg(long, conflicts_with_all = ["objects", "findings", "by", "measure", "sort"], group = "of_record")]
    pub incident: bool,

    /// The same as --format json
    #[arg(long, hide = true, conflicts_with = "format")]
    pub json: bool,
}

/// `None` = everything that was measured.
fn measure_named(word: &str) -> Result<Option<Measure>, String> {
    if word == "all" { Ok(None) } else { Measure::named(word).map(Some) }
}

fn baud(text: &str) -> Result<u32, String> {
    line_rate(text).ok_or_else(|| "a rate is at least 1 bit per second, as 921600 or 1MHz".to_owned())
}

fn sort_named(word: &str) -> Result<String, String> {
    StatisticsRequest::can_sort_by(word).then(|| word.to_owned()).ok_or_else(|| no_column(word))
}

/// A word that stands for a value: the word, its help, and the value.
type Named<T> = (&'static str, &'static str, T);

fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(all: [Named<T>; N]) -> impl TypedValueParser<Value = T> {
    let words = all.map(|(word, help, _)| PossibleValue::new(word).help(help));
    let value = move |word: String| all.iter().find(|one| one.0 == word).map(|one| one.2).ok_or("unknown");
    PossibleValuesParser::new(words).try_map(value)
}

/// Encodings of binary data as text.
fn text_form() -> impl TypedValueParser<Value = TextForm> {
    use TextForm::{Base64, Hex, HexBig, HexLittle};
    one_of([
        ("hex", "What dump tools, debuggers, monitors and logic analysers print, and Intel HEX and S-records", Hex),
        ("hex-le", "Like hex, with words whose least significant byte comes first", HexLittle),
        ("hex-be", "Like hex, with words whose most significant byte comes first", HexBig),
        ("base64", "Four characters for three bytes", Base64),
    ])
}

/// Changes of bytes that can be taken back exactly.
fn undo() -> impl TypedValueParser<Value = Undo> {
    one_of([("crlf", "Each LF became CR LF", Undo::CrLf), ("utf8", "Each byte from 0x80 on became UTF-8", Undo::Utf8)])
}

/// Formats of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// The columns of the list
    Native,
    /// The reference tool's own lines, and nothing else
    Reference,
    /// One JSON object per line
    Jsonl,
    /// A header, then one line per row
    Csv,
    /// The lines of numbers that the QS host writes for Matlab
    Matlab,
    /// The sequence file of the QS host; `-o sequence-objects=a,b,?` names the lanes
    QspySequence,
}

impl RowFormat {
    /// The form of the reference tool's output, if it is one.
    pub fn reference_form(self) -> Option<&'static str> {
        match self {
            RowFormat::Reference => Some(REFERENCE_TEXT),
            RowFormat::Matlab => Some("matlab"),
            RowFormat::QspySequence => Some("sequence"),
            RowFormat::Native | RowFormat::Jsonl | RowFormat::Csv => None,
        }
    }
}

/// Colours of the reference tool's output, by its form.
fn colours() -> impl TypedValueParser<Value = &'static str> {
    one_of([
        ("qspy-dark", "Those of the QS host on a dark terminal", "dark"),
        ("qspy-light", "Those of the QS host on a light terminal", "light"),
    ])
}

/// Output formats of the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsForm {
    /// Words
    Text,
    /// One JSON object
    Json,
    /// A header and lines, with --objects, --findings, --by or --measure
    Csv,
}

/// Version, commit, plugin API and features of this build, one per line. `-V` prints the first line.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{}\ncommit      {}\nplugin API  {API_MAJOR}.{API_MINOR}{}\nfeatures    {}",
            env!("CARGO_PKG_VERSION"),
            env!("BUILD_COMMIT"),
            if LOADS_PLUGINS { "" } else { "; a static binary can't load plugins" },
            features().join(" "),
        )
    });
    &TEXT
}

/// Whether this binary can load libraries.
const LOADS_PLUGINS: bool = cfg!(not(target_feature = "crt-static"));

/// Features built in.
fn features() -> Vec<&'static str> {
    let all = [("decoders", cfg!(feature = "decoders")), ("demo-target", demo::HAS_TARGET)];
    let list: Vec<&str> = all.into_iter().filter(|(_, is_built)| *is_built).map(|(name, _)| name).collect();
    if list.is_empty() { vec!["none"] } else { list }
}

/// Where to put the manual page.
pub const MAN_GOES: &str = "\
For example:
  mkdir -p ~/.cargo/share/man/man1
  spytui man > ~/.cargo/share/man/man1/spytui.1

man finds it there if ~/.cargo/bin is in PATH; beside another bin folder it is ../share/man/man1.";

/// Where to put the completions.
pub const COMPLETIONS_GO: &str = "\
For example, in folders that exist:
  spytui completions bash > ~/.local/share/bash-completion/completions/spytui
  spytui completions elvish > ~/.config/elvish/lib/spytui.elv   # with `use spytui` in rc.elv
  spytui completions fish > ~/.config/fish/completions/spytui.fish
  spytui completions powershell >> $PROFILE
  spytui completions zsh > ~/.zfunc/_spytui                     # a folder of $fpath, before compinit";
