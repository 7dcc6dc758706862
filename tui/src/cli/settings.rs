//! Configuration and profiles supply what the arguments leave open; `spytui config init`.

use std::{ffi::OsString, fs, io::Write, path::Path, time::Duration};

use spytui_engine::{
    io::{
        link::{LinkOptions, LinkSpec},
        log::{MetaHead, Spool, recorded_head},
    },
    unwritable,
};

use super::{
    args::{AUTO, Args, DecoderArgs, LinkArgs},
    exec::script::OWN,
    failure::Failure,
    output,
};
use crate::{
    commands::COMMANDS,
    config::{Config, DEFAULTS, Folders, SettingOrigin},
    hint::did_you_mean,
    input::{CommandSpec, Keymap, family},
    pane,
    recording::RecordingPlan,
    sys,
    trigger::TriggerRule,
};

#[derive(Debug, Clone)]
pub struct Settings {
    pub config: Config,
    pub keymap: Keymap,
    pub folders: Folders,
}

impl Settings {
    /// Loads them from the files and the environment of this process. Errors: the first error in a file, with file,
    /// line and a suggestion (2).
    pub fn load() -> Result<Settings, Failure> {
        let folders = Folders::of_process();
        let config = Config::load(&folders, std::env::vars_os()).map_err(Failure::usage)?;
        objection(&config).map_or(Ok(()), |why| Err(Failure::usage(why)))?;
        let keymap = Keymap::load(&folders, &pane::keys()).map_err(Failure::usage)?;
        Ok(Settings { config, keymap, folders })
    }

    /// The arguments with defaults from their profile (`@board1`) and the configuration. Errors: there is no such
    /// profile (2).
    pub fn complete(&mut self, args: &Args) -> Result<Args, Failure> {
        let mut args = args.clone();
        let is_profile = |input: &mut OsString| input.to_str().is_some_and(|name| name.starts_with('@'));
        let names: Vec<OsString> = args.link.input.extract_if(.., is_profile).collect();
        if let Some(name) = names.first().and_then(|name| name.to_str()) {
            self.take_profile(&mut args, name)?;
        }
        args.demo.check()?;
        args.decoder.demo.clone_from(&args.demo.proto);
        let inputs = super::links::specs(&args.link)?;
        args.decoder = self.decoder(&args.decoder, args.demo.proto.as_deref(), &inputs)?;
        args.link = self.link(&args.link);
        Ok(args)
    }

    fn take_profile(&mut self, args: &mut Args, name: &str) -> Result<(), Failure> {
        let profile = self.config.profile(&name[1..]).map_err(Failure::usage)?;
        let text = |key: &str| Some(self.config.text(&format!("{profile}.{key}")).to_owned()).filter(|t| !t.is_empty());
        let list = |key: &str| self.config.list(&format!("{profile}.{key}"));
        let link = &mut args.link;
        let named = link.port.is_some() || !link.file.is_empty() || !link.input.is_empty();
        let named = named || !link.tcp.is_empty() || !link.listen.is_empty() || !link.udp.is_empty();
        if !named {
            link.port = text("port");
            link.tcp = text("tcp").into_iter().collect();
            link.listen = text("listen").into_iter().collect();
            link.udp = text("udp").into_iter().collect();
            link.file = text("file").into_iter().map(OsString::from).collect();
        }
        let baud = self.config.integer(&format!("{profile}.baud")).and_then(|baud| u32::try_from(baud).ok());
        link.baud = link.baud.or(baud);
        args.decoder.proto = args.decoder.proto.take().or(text("proto"));
        args.decoder.options.splice(0..0, list("options").iter().cloned());
        args.filter = args.filter.take().or(text("filter"));
        args.target_filter = args.target_filter.take().or(text("target-filter"));
        args.record = args.record.take().or(text("record").map(Into::into));
        let columns = Some(list("columns").join(",")).filter(|columns| !columns.is_empty());
        let mut shown: Vec<(String, String)> = columns.map_or_else(Vec::new, |columns| {
            let decoders = self.config.below("columns").map(|(decoder, ..)| format!("columns.{decoder}"));
            decoders.map(|setting| (setting, columns.clone())).collect()
        });
        shown.extend(text("theme").map(|theme| ("ui.theme".to_owned(), theme)));
        let set =
            |(setting, text): (String, String)| self.config.set(&setting, &text, SettingOrigin::Flag(name.to_owned()));
        shown.into_iter().try_for_each(set).map_err(Failure::usage)
    }

    /// How long a script waits for its link; `None` = for ever.
    pub fn link_wait(&self) -> Option<Duration> {
        let seconds = self.config.integer("link.wait").and_then(|seconds| u64::try_from(seconds).ok());
        seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs)
    }

    /// The target filter to send at the start, from the arguments, or a saved one (`@name`). Errors: there is none with
    /// this name (2).
    pub fn target_filter(&self, args: &Args) -> Result<Option<String>, Failure> {
        let text = args.target_filter.as_deref().map(|text| self.named("target-filters", text));
        text.transpose().map_err(|why| Failure::usage(format!("--target-filter: {why}")))
    }

    /// A text, or for `@name` the text that a table contains under this name.
    pub(super) fn named(&self, table: &str, text: &str) -> Result<String, String> {
        let Some(name) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
        if self.config.below(table).any(|(saved, ..)| saved == name) {
            return Ok(self.config.text(&format!("{table}.{name}")).to_owned());
        }
        let names: Vec<String> = self.config.below(table).map(|(saved, ..)| format!("@{saved}")).collect();
        let hint = match did_you_mean(text, names.iter().map(String::as_str)) {
            hint if hint.is_empty() => format!("; [{table}] in spytui.toml keeps filters under names"),
            hint => hint,
        };
        Err(format!("{text}: no such filter{hint}"))
    }

    /// Decoder (`None` = chosen by the bytes) and options: those of the arguments override those of recordings among
    /// the inputs, which override configured ones. Errors: recordings of several decoders, and the arguments name none
    /// (2).
    pub fn decoder(&self, args: &DecoderArgs, demo: Option<&str>, inputs: &[LinkSpec]) -> Result<DecoderArgs, Failure> {
        let mut args = args.clone();
        let named = args.proto.take();
        let proto = named.as_deref().or(demo).filter(|proto| *proto != AUTO);
        let recording = recording_among(inputs, proto)?;
        let recorded = recording.as_ref().map(|head| head.decoder.as_str());
        // An explicit `auto` overrides the configuration.
        let configured = if named.is_some() { "" } else { self.config.text("decode.proto") };
        let proto = proto.or(recorded).unwrap_or(configured);
        args.proto = Some(proto.to_owned()).filter(|proto| !proto.is_empty() && proto != AUTO);
        match recording {
            Some(head) => {
                args.recorded = head.options;
                args.recorded_formats = head.formats;
            }
            None => {
                let configured = args.proto.as_ref().map(|proto| self.config.options_of(proto));
                args.options.splice(0..0, configured.unwrap_or_default());
            }
        }
        // Settings and arguments take precedence.
        let of_demo = demo.into_iter().flat_map(crate::demo::options).map(|option| (*option).to_owned());
        args.options.splice(0..0, of_demo);
        Ok(args)
    }

    fn link(&self, args: &LinkArgs) -> LinkArgs {
        let mut args = args.clone();
        let baud = self.config.integer("link.baud").and_then(|b| u32::try_from(b).ok());
        args.baud = args.baud.or(baud.filter(|_| args.port.is_some()));
        args.once |= self.config.on("link.once") || !self.config.on("link.reconnect");
        args
    }

    /// Link settings without an argument.
    pub fn link_options(&self, args: &LinkArgs) -> LinkOptions {
        let mut options = super::links::options(args);
        if let Some(memory) = self.config.size("record.memory") {
            options.log.memory = memory;
        }
        if let Some(limit) = self.config.size("record.spool") {
            options.log.spool = (limit > 0).then(|| Spool::new(limit));
        }
        if let Some(peers) = self.config.integer("link.peers").and_then(|peers| usize::try_from(peers).ok()) {
            options.peers = peers;
        }
        let line = |name: &str| match self.config.text(name) {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        };
        (options.dtr, options.rts) = (line("link.dtr"), line("link.rts"));
        options.exclusive = self.config.on("link.exclusive");
        options
    }

    /// How the run is recorded, if at all.
    pub fn recording(&self, args: &Args) -> Option<RecordingPlan> {
        let wanted = args.record.is_some() || self.config.on("record.auto");
        wanted.then(|| RecordingPlan::new(&self.config, args.record.clone()))
    }

    /// The triggers of the configuration, then those of the arguments.
    pub fn triggers(&self, args: &Args) -> Vec<TriggerRule> {
        self.config.triggers.iter().map(|(rule, _)| rule).chain(&args.on).cloned().collect()
    }

    /// Budget of the rows, bytes.
    pub fn row_memory(&self) -> usize {
        let configured = self.config.size("store.memory").and_then(|m| usize::try_from(m).ok());
        configured.unwrap_or(spytui_engine::store::rows::BUDGET)
    }
}

/// The first recording among the inputs with the decoder `proto`, or with any if not given.
fn recording_among(inputs: &[LinkSpec], proto: Option<&str>) -> Result<Option<MetaHead>, Failure> {
    let mut found: Option<(&LinkSpec, MetaHead)> = None;
    for input in inputs {
        let head = input.file().and_then(recorded_head).filter(|head| !head.decoder.is_empty());
        let Some(head) = head.filter(|head| proto.is_none_or(|proto| proto == head.decoder)) else { continue };
        match &found {
            None => found = Some((input, head)),
            Some((first, before)) if before.decoder != head.decoder => {
                let (one, other) = (&before.decoder, &head.decoder);
                return Err(Failure::usage(format!(
                    "{first} was recorded with {one}, {input} with {other}: open them apart, or with --proto NAME"
                )));
            }
            Some(_) => {}
        }
    }
    Ok(found.map(|(_, head)| head))
}

/// Commands that only change what is shown.
const SHOWING: [&str; 9] = ["filter", "find", "formats", "goto", "help", "mark", "proto", "show", "stats"];

/// What is wrong with the first project alias that hides a command, or does more than show something; with its place.
pub(super) fn objection(config: &Config) -> Option<String> {
    let commands: Vec<&'static CommandSpec> =
        OWN.into_iter().chain(COMMANDS.iter().map(|command| &command.spec)).collect();
    let named = |word: &str| family(word, &commands).ok();
    config.below("alias").find_map(|(name, _, origin)| {
        let SettingOrigin::Project(..) = origin else { return None };
        if let Some(command) = named(name) {
            return Some(format!("{origin}: alias {name} would hide the command {command}; give it another name"));
        }
        let text = config.text(&format!("alias.{name}"));
        let first = text.split_whitespace().next().unwrap_or_default();
        if named(first).is_some_and(|command| SHOWING.contains(&command)) {
            return None;
        }
        let all = SHOWING.join(" ");
        Some(format!(
            "{origin}: alias {name}: a project's alias may begin with {all}; put it into your own spytui.toml"
        ))
    })
}

/// Start of the file, replacing the comments on the defaults.
const HEAD: &str = "\
# spytui: all settings. Each line that begins with # and a name shows a default; remove the # to change it.
# `spytui --print-config` shows what is in force, and from where.
";

/// Writes the file, unless it exists. Errors: it exists, can't be written (3), or has no folder (2).
pub(super) fn init() -> Result<u8, Failure> {
    let folder = Folders::of_process().user;
    let folder = folder.ok_or_else(|| Failure::usage("there is no home folder, and so no configuration folder"))?;
    let path = folder.join("spytui.toml");
    write_new(&path)?;
    output::print(&format!("{}: all settings, with a # before each\n", path.display())).map(|()| 0)
}

fn write_new(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() {
        return Err(Failure::input(format!("{} exists already and stays as it is", path.display())));
    }
    let failed = |error| Failure::input(unwritable(path, &error));
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
    // A file that others may write to would not be trusted.
    let mut file = sys::open_private(fs::OpenOptions::new().write(true).create_new(true), path).map_err(failed)?;
    file.write_all(template().as_bytes()).map_err(failed)
}

/// The defaults, with all settings commented out.
fn template() -> String {
    let settings = DEFAULTS.split_once("\n\n").map_or(DEFAULTS, |(_, settings)| settings);
    let commented = |line: &str| match line.is_empty() || line.starts_with(['#', '[']) {
        true => format!("{line}\n"),
        false => format!("#{line}\n"),
    };
    let lines: String = settings.lines().map(commented).collect();
    format!("{HEAD}\n{lines}")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::config::{Config, SettingOrigin, Trust};

    fn settings(text: &str) -> Settings {
        let (config, keymap) = (Config::built_in(), Keymap::built_in(&pane::keys()));
        let mut settings = Settings { config, keymap, folders: Folders::default() };
        settings.config.overlay("test.toml", text, Trust::Own).expect("configuration");
        settings
    }

    #[test]
    fn a_profile_fills_what_the_arguments_leave_open() {
        let text =
            "[profile.board1]\nport = \"/dev/ttyUSB0\"\nbaud = 921600\nproto = \"qs\"\noptions = [\"signal=2\"]\n";
        let args = Args::parse_from(["spytui", "@board1", "-o", "signal=4", "--filter", "kind:Tran"]);
        let args = settings(text).complete(&args).expect("profile");
        assert_eq!(args.link.port.as_deref(), Some("/dev/ttyUSB0"));
        assert_eq!((args.link.baud, args.decoder.proto.as_deref()), (Some(921_600), Some("qs")));
        assert_eq!(args.decoder.options, ["signal=2", "signal=4"]);
        assert!(args.link.input.is_empty());
    }

    #[test]
    fn serial_lines_follow_the_settings() {
        let args = Args::parse_from(["spytui", "--port", "/dev/ttyUSB0"]);
        let defaults = |text: &str| settings(text).link_options(&args.link);
        let plain = defaults("");
        assert_eq!((plain.dtr, plain.rts, plain.exclusive), (None, None, true));
        assert_eq!(defaults("[link]\ndtr = \"off\"\n").dtr, Some(false));
        assert_eq!(defaults("[link]\nrts = \"on\"\n").rts, Some(true));
        assert!(!defaults("[link]\nexclusive = false\n").exclusive);
    }

    #[test]
    fn columns_of_a_profile_are_those_of_every_decoder() {
        let mut settings = settings("[profile.board1]\nport = \"x\"\ncolumns = [\"kind\", \"what\"]\n");
        settings.complete(&Args::parse_from(["spytui", "@board1"])).expect("profile");
        for decoder in ["qs", "rkh", "tband", "qnx"] {
            assert_eq!(settings.config.list(&format!("columns.{decoder}")), ["kind", "what"], "{decoder}");
        }
    }

    #[test]
    fn configured_options_come_before_those_of_the_arguments() {
        let args = Args::parse_from(["spytui", "--proto", "qs", "-o", "version=7.3", "x.bin"]);
        let args = settings("[decode.qs]\nversion = \"6.9\"\n").complete(&args).expect("configuration");
        assert_eq!(args.decoder.options, ["version=6.9", "version=7.3"]);
    }

    #[test]
    fn a_target_filter_may_be_that_of_a_profile_and_have_a_name() {
        let text = "[profile.board1]\nport = \"x\"\ntarget-filter = \"@calm\"\n[target-filters]\ncalm = \"-SM -MP\"\n";
        let of = |args: &[&str]| {
            let mut settings = settings(text);
            let args = settings.complete(&Args::parse_from(args)).expect("profile");
            settings.target_filter(&args)
        };
        assert_eq!(of(&["spytui", "@board1"]), Ok(Some("-SM -MP".into())));
        assert_eq!(of(&["spytui", "@board1", "--target-filter=-QF"]), Ok(Some("-QF".into())));
        let wrong = of(&["spytui", "x.bin", "--target-filter", "@clam"]).expect_err("unknown");
        assert_eq!(wrong, Failure::usage("--target-filter: @clam: no such filter; did you mean \"@calm\"?"));
    }

    #[test]
    fn an_unknown_profile_names_the_nearest() {
        let args = Args::parse_from(["spytui", "@bord1"]);
        let error = settings("[profile.board1]\nport = \"x\"\n").complete(&args).expect_err("unknown");
        assert!(error.text.contains("did you mean \"@board1\"?"), "{error}");
    }

    fn objection_to(alias: &str) -> Option<String> {
        let mut config = Config::built_in();
        let text = format!("[alias]\n{alias}\n");
        config.overlay(".spytui.toml", &text, Trust::Project).expect("configuration");
        objection(&config)
    }

    #[test]
    fn aliases_of_a_project_only_show() {
        assert_eq!(objection_to("quiet = \"filter -kind:Tick\"\nlate = \"f dt>1ms\""), None);
        for reaching in ["target reset!", "t reset!", "ta reset!", "plugin load ./x.so", "set record.dir=/", "other"] {
            let said = objection_to(&format!("mine = \"{reaching}\"")).expect(reaching);
            assert!(said.starts_with(".spytui.toml:2: alias mine: a project's alias may begin with filter "), "{said}");
        }
    }

    #[test]
    fn aliases_of_a_project_hide_no_command() {
        for hiding in ["q", "quit", "filt", "f", "expect", "target"] {
            let said = objection_to(&format!("{hiding} = \"filter kind:Tran\"")).expect(hiding);
            assert!(said.contains(&format!("alias {hiding} would hide the command ")), "{said}");
        }
    }

    #[test]
    fn ones_own_aliases_may_do_anything() {
        let mut config = Config::built_in();
        config.overlay("spytui.toml", "[alias]\nq = \"target reset!\"\n", Trust::Own).expect("configuration");
        assert_eq!(objection(&config), None);
    }

    #[test]
    fn the_file_changes_nothing_until_a_comment_sign_is_removed() {
        let mut config = Config::built_in();
        config.overlay("spytui.toml", &template(), Trust::Own).expect("a configuration");
        assert_eq!(config, Config::built_in());
        let text = template().replace("#fps = 30", "fps = 10");
        config.overlay("spytui.toml", &text, Trust::Own).expect("a configuration");
        assert_eq!(config.integer("ui.fps"), Some(10));
    }

    #[test]
    fn every_setting_is_in_the_file() {
        let is_setting = |line: &&str| line.starts_with('#') && line[1..].starts_with(|c: char| c.is_ascii_lowercase());
        let text = template();
        let active: String = text
            .lines()
            .map(|line| if is_setting(&line) { &line[1..] } else { line })
            .fold(String::new(), |text, line| text + line + "\n");
        let mut config = Config::built_in();
        config.overlay("all.toml", &active, Trust::Own).expect("a configuration");
        let from_file = |origin: &SettingOrigin| matches!(origin, SettingOrigin::File(..));
        assert!(config.all().all(|(_, _, origin)| from_file(origin)), "{text}");
        assert!(text.contains("\n#theme = \"auto\"") && text.starts_with("# spytui: all settings."), "{text}");
    }
}
