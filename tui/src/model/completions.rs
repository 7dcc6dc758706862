//! The names for checking and completing commands.

use spytui_engine::{
    device::{
        command::CommandError,
        line::{ADVISE, TargetLine},
    },
    open::Decoder,
    present::{clock::date_text, sanitise},
    query::Vocabulary,
    store::dictionary::{self, Named},
};
use spytui_plugin_api::info::{Class, OptKind};

use super::{Model, filter, links::list_word, list::Mark, target};
use crate::{
    config::{setting_named, values_of},
    input::{ActionCatalog, Choice, CommandSpec, KnownNames, Names},
};

/// Length of `2026-03-11T09:14`.
const MINUTE: usize = 16;
/// Maximum number of names offered from the dictionary.
const MOST: usize = 2_000;

/// Settings of the program with short names in `:set`; every setting also has its full name.
pub const OWN: [&str; 5] = ["dtr", "rts", "theme", "mouse", "short-names"];

impl KnownNames for Model {
    fn commands(&self) -> &[&'static CommandSpec] {
        self.settings.command_specs()
    }

    fn actions(&self) -> &ActionCatalog {
        &self.settings.keymap.catalog
    }

    fn names(&self, names: Names<'_>) -> Vec<Choice> {
        let info = &self.list.decoding().decoder.info;
        match names {
            Names::Protocols => self.decoders(|d| format!("{} ({})", d.info.title, d.origin)),
            Names::Protocol => vec![Choice::new(info.id.as_str(), "")],
            Names::Options(proto) => self.options(proto),
            Names::OptionValues(proto, option) => self.values(proto, option),
            Names::Settings => self.settings(),
            Names::Values(name) => match setting_named(name) {
                _ if info.option(name).is_some() => self.values(&info.id, name),
                Some(full) if full == "ui.theme" => crate::term::Theme::names().map(|n| Choice::new(n, "")).collect(),
                Some(full) => values_of(&full).into_iter().map(|word| Choice::new(word, "")).collect(),
                None => Vec::new(),
            },
            Names::SavedFilters => {
                self.settings.saved_filters.iter().map(|(n, e)| Choice::new(n.as_str(), e.as_str())).collect()
            }
            Names::Marks => self.list.marks.iter().map(|(n, m)| Choice::new(n, self.about_mark(m))).collect(),
            Names::Spaces => info.spaces.iter().map(|s| Choice::new(s.name.as_str(), s.title.as_str())).collect(),
            Names::Keys(space) => self.keys(space),
            Names::Plugins => {
                let listed = self.links.registry.listed();
                let mut plugins: Vec<Choice> = listed
                    .iter()
                    .map(|listed| Choice::new(&listed.name, format!("{} ({})", listed.what, listed.origin)))
                    .collect();
                let names = self.links.registry.file_names();
                plugins.extend(names.into_iter().map(|name| Choice::new(name, "file of a plugin")));
                plugins
            }
            Names::Sources => {
                let lists = self.links.lists();
                lists.iter().map(|list| Choice::new(list_word(list), self.links.list_name(list))).collect()
            }
            Names::Links => self.prompt.looked_up.as_ref().map_or_else(Vec::new, |found| found.ports.clone()),
            Names::Paths(typed) => match &self.prompt.looked_up {
                Some(found) if found.query.path == typed => found.paths.clone(),
                _ => Vec::new(),
            },
            Names::Kinds => {
                let words = self.words_of_formatters().kinds;
                let kinds = info.kinds.iter().map(|k| Choice::new(k.tag(), k.name.as_str()));
                kinds.chain(words.into_iter().map(|word| Choice::new(word, "formatter"))).collect()
            }
            Names::Groups => info.groups.iter().map(|g| Choice::new(g.name.as_str(), g.title.as_str())).collect(),
            Names::Objects => self.of_class(|c| {
                !matches!(c, Class::SIGNAL | Class::STATE | Class::FUNCTION | Class::ENUM | Class::OTHER)
            }),
            Names::Signals => self.of_class(|c| c == Class::SIGNAL),
            Names::States => self.of_class(|c| matches!(c, Class::STATE | Class::FUNCTION)),
            Names::Tasks => self.of_class(|c| matches!(c, Class::TASK | Class::PROCESS)),
            Names::Dates => self.date().into_iter().collect(),
            Names::Fields => {
                let mut fields = Vocabulary::of(info).fields.unwrap_or_default();
                fields.sort_unstable();
                fields.dedup();
                let words = self.words_of_formatters().fields.unwrap_or_default();
                let fields = fields.into_iter().map(|f| Choice::new(f, "field"));
                fields.chain(words.into_iter().map(|word| Choice::new(word, "field of a formatter"))).collect()
            }
        }
    }

    fn vocabulary(&self) -> Vocabulary {
        filter::vocabulary(self)
    }

    fn target(&self, line: &str) -> Result<Option<TargetLine>, CommandError> {
        target::read(self, line).map(Some)
    }

    fn target_completions(&self, line: &str) -> (usize, Vec<Choice>) {
        let (from, mut choices) = target::completions(self, line);
        if !line.trim_start().contains(char::is_whitespace) {
            choices.push(Choice::new(ADVISE, target::HELP));
        }
        (from, choices)
    }

    fn alias(&self, name: &str) -> Option<String> {
        Some(self.settings.config.text(&format!("alias.{name}")).to_owned()).filter(|text| !text.is_empty())
    }

    fn aliases(&self) -> Vec<Choice> {
        self.settings.config.below("alias").map(|(name, value, _)| Choice::new(name, value.to_string())).collect()
    }
}

impl Model {
    /// Kind words and fields from formatters.
    fn words_of_formatters(&self) -> Vocabulary {
        let mut words = Vocabulary::with_fields::<String>([]);
        self.list.decoding().decoder.formatting.add_words(&mut words);
        words
    }

    /// The minute of the cursor row.
    fn date(&self) -> Option<Choice> {
        let time = self.list.cursor_entry()?.time?;
        let date = date_text(self.list.rows.clock().unix_ns(time)?)?;
        let minute = date.get(..MINUTE)?.replace(' ', "T");
        Some(Choice::new(minute, "the cursor row; a range as ..09:15 behind it"))
    }

    /// The record of a mark, and its note.
    fn about_mark(&self, mark: &Mark) -> String {
        let row = self.list.row_at(mark.position);
        let record = row.and_then(|row| self.list.rows.number(row)).unwrap_or_default();
        format!("{record:<8} {}", mark.note).trim_end().to_owned()
    }

    fn decoders(&self, help: impl Fn(&Decoder) -> String) -> Vec<Choice> {
        self.links.registry.decoders().iter().map(|d| Choice::new(d.info.id.as_str(), help(d))).collect()
    }

    fn options(&self, proto: &str) -> Vec<Choice> {
        let Ok(decoder) = self.links.registry.find(proto) else { return Vec::new() };
        decoder.info.options.iter().map(|o| Choice::new(o.key.as_str(), o.help.as_str())).collect()
    }

    fn values(&self, proto: &str, option: &str) -> Vec<Choice> {
        let Ok(decoder) = self.links.registry.find(proto) else { return Vec::new() };
        match decoder.info.option(option) {
            Some(spec) if !spec.choices.is_empty() => {
                spec.choices.iter().map(|c| Choice::new(c.as_str(), "")).collect()
            }
            Some(spec) if spec.ty == OptKind::BOOL => ["0", "1"].map(|w| Choice::new(w, "")).into(),
            _ => Vec::new(),
        }
    }

    fn settings(&self) -> Vec<Choice> {
        let decoding = self.list.decoding();
        let options = decoding.decoder.info.options.iter().map(|option| {
            let unset = match decoding.options.get(&option.key) {
                Some(_) => format!("; {}= unsets it", option.key),
                None => String::new(),
            };
            Choice::new(option.key.as_str(), format!("{}{unset}", option.help))
        });
        let own = OWN.map(|name| Choice::new(name, "of the app"));
        let all = self.settings.config.all();
        let all = all.map(|(name, value, origin)| Choice::new(name, format!("{value} ({origin})")));
        options.chain(own).chain(all).collect()
    }

    fn keys(&self, space: &str) -> Vec<Choice> {
        let info = &self.list.decoding().decoder.info;
        let Some(id) = info.spaces.iter().find(|s| s.name == space).map(|s| s.id) else { return Vec::new() };
        let states = self.list.rows.read_all();
        let named = states.iter().flat_map(|state| state.dictionary.iter()).filter(|e| e.0 == id);
        let name = |names: &[Named]| names.last().and_then(|n| n.text.as_deref()).map(sanitise).unwrap_or_default();
        let mut words: Vec<(u64, String)> = named.take(MOST).map(|(_, key, _, names)| (key, name(names))).collect();
        if states.len() > 1 {
            words.sort_unstable();
            words.dedup();
        }
        words.into_iter().map(|(key, name)| Choice::new(format!("0x{key:X}"), name)).collect()
    }

    /// Names of entities of some class, as shown in lists.
    fn of_class(&self, fits: impl Fn(Class) -> bool) -> Vec<Choice> {
        let info = &self.list.decoding().decoder.info;
        let mut words = Vec::new();
        for state in self.list.rows.read_all() {
            for (space, _, _, names) in state.dictionary.iter().take(MOST) {
                let Some(spec) = info.space(space).filter(|s| fits(s.class)) else { continue };
                if let Some(last) = dictionary::newest(names) {
                    words.push((sanitise(state.dictionary.short(space, last)), spec.title.to_string()));
                }
            }
        }
        words.sort_unstable();
        words.dedup();
        words.into_iter().map(|(word, title)| Choice::new(word, title)).collect()
    }
}
