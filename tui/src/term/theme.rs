//! Themes: roles of text on the screen, and their styles; and what the terminal is capable of.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::text::Glyphs;
use crate::hint::did_you_mean;

macro_rules! roles {
    ($($role:ident $name:literal, $doc:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $(#[doc = $doc] $role,)*
        }

        pub(super) const ROLES: [(&str, Role); 29] = [$(($name, Role::$role),)*];
    };
}

roles! {
    Plain "plain", "Nothing special.";
    Loss "loss", "Loss rows and loss counters.";
    Error "error", "Errors, and what was refused.";
    Warning "warning", "Warnings, and ignored events.";
    Time "time", "Time stamps.";
    Delta "delta", "Time since the row before.";
    Help "help", "Help and ghost text.";
    Group "group", "Group of a record.";
    Kind "kind", "Kind of a record.";
    Change "change", "Kind of a record that changes a state.";
    Object "object", "Entities.";
    Signal "signal", "Signals.";
    State "state", "States and functions.";
    Running "running", "Timeline: what runs, or is held, armed or active.";
    Ready "ready", "Timeline: a task that could run.";
    Blocked "blocked", "Timeline: a task that waits.";
    Unsure "unsure", "Timeline: what missing records may have changed.";
    Number "number", "Numbers in texts.";
    Text "text", "Texts of the target.";
    Cursor "cursor", "The cursor row.";
    ActiveTab "active-tab", "The active tab.";
    Linked "linked", "Bytes that belong to the chosen field.";
    Banner "banner", "Reset, link and command rows.";
    Mark "mark", "Bookmarks.";
    Gutter "gutter", "The gutter of spans.";
    Title "title", "Pane titles.";
    Rule "rule", "Rules between panes.";
    Match "match", "What a search found.";
    Bar "bar", "Bars and what is off.";
}

const BUILT_IN: [(&str, &str); 5] = [
    ("dark", include_str!("../../../config/themes/dark.toml")),
    ("light", include_str!("../../../config/themes/light.toml")),
    ("colour-blind", include_str!("../../../config/themes/colour-blind.toml")),
    ("colour-blind-light", include_str!("../../../config/themes/colour-blind-light.toml")),
    ("mono", include_str!("../../../config/themes/mono.toml")),
];

const COLOURS: [&str; 16] = [
    "default",
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "gray",
    "white",
    "light-red",
    "light-green",
    "light-yellow",
    "light-blue",
    "light-magenta",
    "light-cyan",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    styles: BTreeMap<Role, Style>,
    /// Colours for objects from the 256-colour palette; empty = objects have the style of their role.
    objects: Vec<u8>,
}

impl Theme {
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The theme `name`; `user` returns the text of a theme file with that name, which takes precedence over the
    /// built-in one. Errors: it does not exist, or its file is wrong.
    pub fn named(name: &str, user: &dyn Fn(&str) -> Option<String>) -> Result<Theme, String> {
        let mut theme = Theme { styles: BTreeMap::new(), objects: Vec::new() };
        load(name, user, &mut Vec::new(), &mut theme)?;
        Ok(theme)
    }

    /// For a terminal with at most 16 colours: objects have no colours of their own.
    pub fn with_few_colours(self) -> Theme {
        Theme { objects: Vec::new(), ..self }
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles.get(&role).copied().unwrap_or_default()
    }

    /// The style of an object with this name: the same colour in every run.
    pub fn object(&self, name: &str) -> Style {
        let style = self.style(Role::Object);
        // FNV-1a: the standard library's hashes differ between releases.
        let hash =
            name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        // The upper half is mixed best.
        let at = (hash >> 32) as usize % self.objects.len().max(1);
        self.objects.get(at).map_or(style, |&colour| style.fg(Color::Indexed(colour)))
    }
}

impl Default for Theme {
    fn default() -> Self {
        Theme::named("dark", &|_| None).unwrap_or(Theme { styles: BTreeMap::new(), objects: Vec::new() })
    }
}

#[derive(Deserialize)]
struct File {
    inherit: Option<String>,
    /// Colours of objects, 16 to 255: these don't depend on the terminal's palette.
    objects: Option<Vec<u8>>,
    #[serde(flatten)]
    roles: BTreeMap<String, Appearance>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Appearance {
    fg: Option<Ink>,
    bg: Option<Ink>,
    bold: bool,
    faint: bool,
    underline: bool,
    reverse: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Ink {
    Number(u8),
    Word(String),
}

fn load(
    name: &str,
    user: &dyn Fn(&str) -> Option<String>,
    seen: &mut Vec<String>,
    theme: &mut Theme,
) -> Result<(), String> {
    // A user's theme may inherit from the built-in one with the same name.
    let own = if seen.iter().any(|s| s == name) { None } else { user(name) };
    let built_in = BUILT_IN.iter().find(|(n, _)| *n == name).map(|(_, text)| (*text).to_owned());
    let unknown_theme = || format!("unknown theme \"{name}\"{}", did_you_mean(name, Theme::names()));
    let text = own.or(built_in).ok_or_else(unknown_theme)?;
    if seen.iter().filter(|s| *s == name).count() > 1 || seen.len() > 16 {
        return Err(format!("theme {name} inherits from itself"));
    }
    seen.push(name.into());
    let file: File = toml::from_str(&text).map_err(|e| format!("theme {name}: {}", one_line(&e)))?;
    if let Some(parent) = &file.inherit {
        load(parent, user, seen, theme)?;
    }
    if let Some(objects) = file.objects {
        theme.objects = objects;
    }
    for (word, look) in file.roles {
        let role = ROLES.iter().find(|(role, _)| *role == word);
        let (_, role) = role.ok_or_else(|| unknown(name, "role", &word, &ROLES.map(|(role, _)| role)))?;
        theme.styles.insert(*role, look.style(name)?);
    }
    Ok(())
}

impl Appearance {
    fn style(&self, theme: &str) -> Result<Style, String> {
        let mut style = Style::new();
        style.fg = self.fg.as_ref().map(|ink| ink.colour(theme)).transpose()?;
        style.bg = self.bg.as_ref().map(|ink| ink.colour(theme)).transpose()?;
        style.add_modifier.set(Modifier::BOLD, self.bold);
        style.add_modifier.set(Modifier::DIM, self.faint);
        style.add_modifier.set(Modifier::UNDERLINED, self.underline);
        style.add_modifier.set(Modifier::REVERSED, self.reverse);
        Ok(style)
    }
}

impl Ink {
    fn colour(&self, theme: &str) -> Result<Color, String> {
        match self {
            Ink::Number(n) => Ok(Color::Indexed(*n)),
            Ink::Word(word) if word == "default" => Ok(Color::Reset),
            Ink::Word(word) => word.parse().map_err(|_| unknown(theme, "colour", word, &COLOURS)),
        }
    }
}

fn unknown(theme: &str, what: &str, word: &str, known: &[&str]) -> String {
    format!("theme {theme}: unknown {what} \"{word}\"{}", did_you_mean(word, known.iter().copied()))
}

fn one_line(error: &toml::de::Error) -> String {
    error.message().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// No colours: attributes only.
    Mono,
    /// Eight; bold means bright.
    Eight,
    /// Sixteen and more.
    #[default]
    Sixteen,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capability {
    pub glyphs: Glyphs,
    /// Colours it has and that may be used.
    pub depth: Depth,
    /// 256 colours, most of which are the same on every terminal.
    pub many_colours: bool,
    pub light: bool,
    pub ssh: bool,
    /// Answers queries for its modes.
    pub answers: bool,
}

/// Terminals whose names don't reveal that they have 256 colours.
const MODERN: [&str; 6] = ["kitty", "alacritty", "foot", "wezterm", "ghostty", "direct"];

impl Capability {
    pub fn of_process() -> Capability {
        Capability::from(|name| std::env::var(name).ok())
    }

    /// Reads an environment given as a function.
    pub fn from(var: impl Fn(&str) -> Option<String>) -> Capability {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let dumb = term == "dumb" || term.is_empty();
        let console = term == "linux" || term.starts_with("vt");
        Capability {
            glyphs: glyphs(&term, set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"))),
            depth: if dumb || set("NO_COLOR").is_some() || term.starts_with("vt") {
                Depth::Mono
            } else if console || term == "screen" || term == "ansi" {
                Depth::Eight
            } else {
                Depth::Sixteen
            },
            many_colours: term.contains("256color")
                || MODERN.iter().any(|name| term.contains(name))
                || set("COLORTERM").is_some_and(|depth| depth == "truecolor" || depth == "24bit"),
            light: set("COLORFGBG").is_some_and(|value| light(&value)),
            ssh: set("SSH_TTY").is_some() || set("SSH_CONNECTION").is_some(),
            answers: !dumb && !console,
        }
    }

    pub fn theme(&self) -> &'static str {
        match (self.depth, self.light) {
            (Depth::Mono, _) => "mono",
            (_, true) => "light",
            (_, false) => "dark",
        }
    }

    /// Bytes per second that suit the line.
    pub fn budget(&self) -> u32 {
        if self.ssh { SSH_BUDGET } else { LOCAL_BUDGET }
    }
}

fn glyphs(term: &str, locale: Option<String>) -> Glyphs {
    let locale = locale.unwrap_or_default().to_lowercase();
    let utf8 = locale.contains("utf-8") || locale.contains("utf8");
    // There the marks are two cells wide, which would shift every row.
    let cjk = ["zh", "ja", "ko"].iter().any(|language| locale.starts_with(language));
    if !utf8 || cjk {
        Glyphs::Ascii
    } else if term == "linux" || term.starts_with("putty") {
        Glyphs::Cp437
    } else {
        Glyphs::Unicode
    }
}

/// `COLORFGBG` ends with the number of the background colour; 7 and the bright ones except 8 are light.
fn light(value: &str) -> bool {
    value.rsplit(';').next().and_then(|last| last.parse::<u8>().ok()).is_some_and(|n| n == 7 || (9..=15).contains(&n))
}

/// Maximum wait, so that a burst of answers does not stop the display for long.
const LONGEST_DEBT: Duration = Duration::from_secs(2);

/// Bytes per second over SSH.
pub const SSH_BUDGET: u32 = 40_000;
/// Bytes per second with `--slow`.
pub const SLOW_BUDGET: u32 = 10_000;
/// Bytes per second on a local terminal.
pub const LOCAL_BUDGET: u32 = 400_000;

#[derive(Debug, Clone)]
pub struct FrameBudget {
    budget: u32,
    interval: Duration,
    /// The line is busy with earlier output until then.
    paid: Option<Instant>,
    last: Option<Instant>,
    /// The last frame was a new page.
    is_page: bool,
}

/// Minimum time after a frame that is a new page: of rows that pass so fast, nobody reads more.
const PAGE: Duration = Duration::from_millis(100);

impl FrameBudget {
    /// `budget` in bytes per second and at most `fps` frames per second; zeros count as one.
    pub fn new(budget: u32, fps: u32) -> FrameBudget {
        let interval = Duration::from_secs(1) / fps.max(1);
        FrameBudget { budget: budget.max(1), interval, paid: None, last: None, is_page: false }
    }

    /// Time until an ordinary frame may be drawn, at least `least` after the last one; zero if it may be drawn now.
    pub fn wait(&self, now: Instant, least: Duration) -> Duration {
        let paid = self.paid.map_or(Duration::ZERO, |paid| paid.saturating_duration_since(now));
        let least = if self.is_page { least.max(PAGE) } else { least };
        let due = self.last.map_or(now, |last| last + self.interval.max(least));
        paid.max(due.saturating_duration_since(now))
    }

    /// Records that a frame of `bytes` was written at `now`, on a screen of `cells`.
    pub fn spent(&mut self, now: Instant, bytes: usize, cells: u32) {
        self.is_page = bytes > cells as usize / 2;
        let cost = Duration::from_secs_f64(bytes as f64 / f64::from(self.budget));
        let from = self.paid.map_or(now, |paid| paid.max(now));
        self.paid = Some((from + cost.min(LONGEST_DEBT)).min(now + LONGEST_DEBT));
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_themes_know_every_role() {
        for name in Theme::names() {
            let theme = Theme::named(name, &|_| None).unwrap();
            assert_eq!(theme.styles.len(), ROLES.len(), "{name}");
        }
    }

    #[test]
    fn mono_differs_by_shape_alone() {
        let mono = Theme::named("mono", &|_| None).unwrap();
        assert!(mono.styles.values().all(|style| style.fg.is_none() && style.bg.is_none()));
        let of = |role| mono.style(role);
        assert!(of(Role::Loss) != of(Role::Error) && of(Role::Error) != of(Role::Warning));
    }

    /// In mono, only the shape remains.
    #[test]
    fn what_a_search_found_is_seen_in_every_role() {
        for name in Theme::names() {
            let theme = Theme::named(name, &|_| None).unwrap();
            for (word, role) in ROLES.into_iter().filter(|(_, role)| *role != Role::Match) {
                let text = theme.style(role);
                assert_ne!(text.patch(theme.style(Role::Match)), text, "{name} {word}");
            }
        }
    }

    #[test]
    fn a_user_theme_overlays() {
        let user =
            |name: &str| (name == "dark").then(|| "inherit = \"dark\"\nkind = { fg = 208, underline = true }\n".into());
        let theme = Theme::named("dark", &user).unwrap();
        assert_eq!(theme.style(Role::Kind), Style::new().fg(Color::Indexed(208)).underlined());
        assert_eq!(theme.style(Role::Signal), Style::new().fg(Color::LightGreen));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong =
            |text: &'static str| Theme::named("x", &|name| (name == "x").then(|| text.into())).unwrap_err().to_string();
        assert_eq!(wrong("knd = {}"), "theme x: unknown role \"knd\"; did you mean \"kind\"?");
        assert_eq!(wrong("kind = { fg = \"bleu\" }"), "theme x: unknown colour \"bleu\"; did you mean \"blue\"?");
        assert!(wrong("kind = { fog = 1 }").starts_with("theme x: unknown field `fog`"));
        assert_eq!(wrong("inherit = \"x\""), "unknown theme \"x\"");
        assert_eq!(
            Theme::named("drak", &|_| None).unwrap_err().to_string(),
            "unknown theme \"drak\"; did you mean \"dark\"?"
        );
        let circle = |name: &str| Some(format!("inherit = \"{}\"", if name == "a" { "b" } else { "a" }));
        assert!(Theme::named("a", &circle).is_err());
    }

    fn with(vars: &[(&str, &str)]) -> Capability {
        let found = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        Capability::from(found)
    }

    #[test]
    fn the_environment_decides() {
        let xterm = with(&[("TERM", "xterm-256color"), ("LANG", "en_US.UTF-8")]);
        assert_eq!(xterm, Capability { answers: true, many_colours: true, ..Capability::default() });
        assert_eq!(xterm.budget(), LOCAL_BUDGET);
        let console = with(&[("TERM", "linux"), ("LANG", "C.UTF-8")]);
        assert_eq!((console.glyphs, console.depth, console.answers), (Glyphs::Cp437, Depth::Eight, false));
        assert!(!console.many_colours && with(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]).many_colours);
        let remote =
            with(&[("TERM", "xterm"), ("LC_ALL", "ja_JP.UTF-8"), ("SSH_TTY", "/dev/pts/1"), ("NO_COLOR", "1")]);
        assert_eq!((remote.glyphs, remote.depth, remote.budget()), (Glyphs::Ascii, Depth::Mono, SSH_BUDGET));
        assert_eq!((remote.theme(), xterm.theme()), ("mono", "dark"));
        assert!(!with(&[("TERM", "dumb")]).answers && !with(&[]).answers);
        assert_eq!(with(&[("TERM", "xterm"), ("LANG", "C"), ("NO_COLOR", "")]).glyphs, Glyphs::Ascii);
        assert_eq!(with(&[("TERM", "xterm"), ("NO_COLOR", "")]).depth, Depth::Sixteen);
        assert!(with(&[("TERM", "xterm"), ("COLORFGBG", "0;default;15")]).light);
        assert!(!with(&[("TERM", "xterm"), ("COLORFGBG", "15;0")]).light);
    }

    const ANY: Duration = Duration::ZERO;
    /// Of a screen on which no frame is a new page.
    const CELLS: u32 = 200_000;

    #[test]
    fn a_frame_waits_until_the_last_is_paid() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(10_000, 30);
        assert_eq!(pace.wait(start, ANY), Duration::ZERO);
        pace.spent(start, 5_000, CELLS);
        assert_eq!(pace.wait(start, ANY), Duration::from_millis(500));
        assert_eq!(pace.wait(start + Duration::from_millis(200), ANY), Duration::from_millis(300));
        assert_eq!(pace.wait(start + Duration::from_millis(500), ANY), Duration::ZERO);
    }

    #[test]
    fn small_frames_keep_the_frame_cap() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(400_000, 20);
        pace.spent(start, 10, CELLS);
        assert_eq!(pace.wait(start, ANY), Duration::from_millis(50));
    }

    #[test]
    fn frames_that_are_wanted_less_often_wait_longer() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(400_000, 20);
        assert_eq!(pace.wait(start, Duration::from_millis(80)), Duration::ZERO);
        pace.spent(start, 10, CELLS);
        assert_eq!(pace.wait(start, Duration::from_millis(80)), Duration::from_millis(80));
        assert_eq!(pace.wait(start, Duration::from_millis(20)), Duration::from_millis(50));
    }

    #[test]
    fn pages_that_pass_too_fast_to_read_are_drawn_less_often() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(400_000, 20);
        for (bytes, wait) in [(300, 50), (4_320, 100), (2_161, 100), (2_160, 50)] {
            pace.spent(start, bytes, 120 * 36);
            assert_eq!(pace.wait(start, ANY), Duration::from_millis(wait), "{bytes}");
        }
        pace.spent(start, 4_320, 120 * 36);
        assert_eq!(pace.wait(start, Duration::from_millis(200)), Duration::from_millis(200));
    }

    #[test]
    fn debts_add_up_to_a_limit() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(10_000, 30);
        pace.spent(start, 5_000, CELLS);
        pace.spent(start, 5_000, CELLS);
        assert_eq!(pace.wait(start, ANY), Duration::from_secs(1));
        (0..100).for_each(|_| pace.spent(start, 50_000, CELLS));
        assert_eq!(pace.wait(start, ANY), LONGEST_DEBT);
    }
}
