//! Themes: roles of text on the screen, and their styles.

use std::collections::BTreeMap;

use crate::hint::did_you_mean;
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

macro_rules! roles {
    ($($role:ident $name:literal, $doc:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $(#[doc = $doc] $role,)*
        }

        pub(super) const ROLES: [(&str, Role); 25] = [$(($name, Role::$role),)*];
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

/// Names of colours, for suggestions.
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

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// No such theme.
    #[error("unknown theme \"{0}\"{1}")]
    Unknown(String, String),
    /// The file is not a theme.
    #[error("theme {0}: {1}")]
    Syntax(String, String),
    /// A role or colour that does not exist.
    #[error("theme {0}: unknown {1} \"{2}\"{3}")]
    Word(String, &'static str, String, String),
    /// A theme that inherits from itself.
    #[error("theme {0} inherits from itself")]
    Circle(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    styles: BTreeMap<Role, Style>,
    /// Colours for objects from the 256-colour palette; empty = objects have the style of their role.
    objects: Vec<u8>,
}

impl Theme {
    /// Names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The theme `name`; `user` returns the text of a theme file with that name, which takes precedence over the
    /// built-in one. Errors: it does not exist, or its file is wrong.
    pub fn named(name: &str, user: &dyn Fn(&str) -> Option<String>) -> Result<Theme, ThemeError> {
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
) -> Result<(), ThemeError> {
    // A user's theme may inherit from the built-in one with the same name.
    let own = if seen.iter().any(|s| s == name) { None } else { user(name) };
    let built_in = BUILT_IN.iter().find(|(n, _)| *n == name).map(|(_, text)| (*text).to_owned());
    let near = || did_you_mean(name, Theme::names());
    let text = own.or(built_in).ok_or_else(|| ThemeError::Unknown(name.into(), near()))?;
    if seen.iter().filter(|s| *s == name).count() > 1 || seen.len() > 16 {
        return Err(ThemeError::Circle(name.into()));
    }
    seen.push(name.into());
    let file: File = toml::from_str(&text).map_err(|e| ThemeError::Syntax(name.into(), one_line(&e)))?;
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
    fn style(&self, theme: &str) -> Result<Style, ThemeError> {
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
    fn colour(&self, theme: &str) -> Result<Color, ThemeError> {
        match self {
            Ink::Number(n) => Ok(Color::Indexed(*n)),
            Ink::Word(word) if word == "default" => Ok(Color::Reset),
            Ink::Word(word) => word.parse().map_err(|_| unknown(theme, "colour", word, &COLOURS)),
        }
    }
}

fn unknown(theme: &str, what: &'static str, word: &str, known: &[&str]) -> ThemeError {
    ThemeError::Word(theme.into(), what, word.into(), did_you_mean(word, known.iter().copied()))
}

fn one_line(error: &toml::de::Error) -> String {
    error.message().split_whitespace().collect::<Vec<_>>().join(" ")
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
}
