//! `spytui doctor`: the content of a bug report. Only the environment variables named here are shown.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use spytui_engine::{
    distrust,
    io::{link, log},
};

use super::{args, decoders, failure::Failure, output, settings::Settings};
use crate::{
    config::{Config, Folders, Trust, state_file},
    input::Keymap,
    pane, sys,
    term::{Capability, Depth},
};

/// Environment variables about the terminal.
const OF_TERMINAL: [&str; 5] = ["TERM", "COLORTERM", "NO_COLOR", "COLORFGBG", "TERM_PROGRAM"];
/// Environment variables about language and character set.
const OF_LOCALE: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// Prints everything. Problems found are part of the report, not errors. Errors: the output failed (3).
pub(super) fn run() -> Result<u8, Failure> {
    let folders = Folders::of_process();
    let (settings, wrong) = match Settings::load() {
        Ok(settings) => (settings, None),
        Err(failure) => (defaults(folders), Some(failure.text)),
    };
    let mut report = Report { text: format!("spytui {}\nsystem      {}\n", args::long(), sys::system_name()) };
    report.terminal();
    report.locale();
    report.ports();
    report.folders(&settings);
    report.plugins(&settings);
    report.configuration(&settings, wrong.as_deref());
    output::print(&report.text).map(|()| 0)
}

fn defaults(folders: Folders) -> Settings {
    Settings { config: Config::built_in(), keymap: Keymap::built_in(&pane::keys()), folders }
}

/// The report's text: a heading per part, followed by lines of name and value.
struct Report {
    text: String,
}

impl Report {
    fn heading(&mut self, name: &str) {
        let _ = writeln!(self.text, "\n{name}");
    }

    fn line(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.text, "  {name:<14} {value}");
    }

    fn variables(&mut self, names: &[&str]) {
        for name in names {
            let value = std::env::var_os(name);
            self.line(name, &value.map_or("not set".into(), |value| value.to_string_lossy().into_owned()));
        }
    }

    fn terminal(&mut self) {
        self.heading("terminal");
        self.variables(&OF_TERMINAL);
        let size = sys::terminal_output().ok().and_then(|terminal| sys::window_size(&terminal));
        self.line("size", &size.map_or("no terminal".into(), |(width, height)| format!("{width}x{height}")));
        let terminal = Capability::of_process();
        let colours = match terminal.depth {
            Depth::Mono => "none",
            Depth::Eight => "8",
            Depth::Sixteen if terminal.many_colours => "256",
            Depth::Sixteen => "16",
        };
        self.line("colours", colours);
        self.line("over SSH", if terminal.ssh { "yes" } else { "no" });
    }

    fn locale(&mut self) {
        self.heading("locale");
        self.variables(&OF_LOCALE);
        self.line("signs", &format!("{:?}", Capability::of_process().glyphs).to_lowercase());
    }

    fn ports(&mut self) {
        self.heading("ports");
        let ports = link::ports();
        for port in &ports {
            self.line(&port.path.display().to_string(), &port.description);
            self.line("", &link::port_rights(&port.path));
            port.in_use.iter().for_each(|owner| self.line("", &format!("in use by {owner}")));
        }
        if ports.is_empty() {
            self.line("none", "");
        }
    }

    fn folders(&mut self, settings: &Settings) {
        self.heading("folders");
        for folder in settings.folders.system.iter().chain(&settings.folders.user) {
            self.line("configuration", &with_state(folder));
        }
        let state = state_file("log").and_then(|file| file.parent().map(Path::to_owned));
        self.line("state", &state.map_or("none".into(), |folder| with_state(&folder)));
        self.line("cache", "none");
        self.line("temporary", &with_state(&std::env::temp_dir()));
        self.line("spool", &with_state(&log::default_dir()));
        for folder in settings.config.list("plugins.path").iter().map(PathBuf::from).chain(decoders::folders()) {
            self.line("plugins", &with_state(&folder));
        }
    }

    fn plugins(&mut self, settings: &Settings) {
        self.heading("plugins");
        let registry = match decoders::registry(&[], settings) {
            Ok(registry) => registry,
            Err(failure) => return self.line("refused", &failure.text),
        };
        registry.listed().iter().for_each(|listed| self.line("plugin", &listed.to_string()));
        registry.notes.iter().for_each(|note| self.line("note", note));
    }

    fn configuration(&mut self, settings: &Settings, wrong: Option<&str>) {
        self.heading("configuration");
        if let Some(wrong) = wrong {
            self.line("wrong", wrong);
            self.line("", "so defaults are shown here, and nothing else runs");
        }
        let keys = settings.folders.system.iter().chain(&settings.folders.user).map(|folder| folder.join("keys.toml"));
        let files = settings.folders.files().into_iter().map(|(path, _): (PathBuf, Trust)| path);
        for file in files.chain(keys) {
            self.line("file", &with_state(&file));
        }
        let built_in = Config::built_in();
        let is_other = |name: &str, value| built_in.get(name).is_none_or(|(default, _)| default != value);
        let others: Vec<_> = settings.config.all().filter(|(name, value, _)| is_other(name, *value)).collect();
        for (name, value, origin) in &others {
            self.line("set", &format!("{name} = {value}   # {origin}"));
        }
        if others.is_empty() {
            self.line("set", "nothing: all settings have their defaults");
        }
    }
}

/// A path, with whether it exists and is trusted.
fn with_state(path: &Path) -> String {
    let is_temporary = [std::env::temp_dir(), log::default_dir()].iter().any(|folder| folder == path);
    let state = match (path.exists(), distrust(path)) {
        (false, _) => ", not there".to_owned(),
        // Shared temporary folders are not trusted.
        (true, Some(why)) if !is_temporary => format!(", ignored: {why}"),
        (true, _) => String::new(),
    };
    format!("{}{state}", path.display())
}
