//! `:help`, `:stats`, `:set`, `:q`: the program itself, and settings of program and decoder.

use spytui_engine::{
    export::stats::{SourceStats, text},
    open::OptionError,
    present::clock::grouped,
};

use crate::{
    app_log::Level,
    config::{Origin, setting_named},
    input::{Arg, ArgKind, Given, LOG},
    model::{ControlLine, Effect, Model, decoder, list::Collapse, prompt::Help, screen::TimeStyle, settings::Command},
    term::{Glyphs, Theme},
};

pub(super) const HELP: Command = Command::new(
    &["help"],
    &[Arg::may("WORD", ArgKind::Topic)],
    "help, about a command, a key or an action",
    |given, model| model.prompt.help = Some(Help { top: 0, filter: given.must(0) }),
)
.alias(&["h"]);

pub(super) const STATS: Command =
    Command::new(&["stats"], &[], "the program's own figures: bytes drawn, frames, memory", stats);

fn stats(_given: &Given, model: &mut Model) {
    let f = model.screen.figures;
    let rows = &model.list.rows;
    let memory: usize = rows.read_all().iter().map(|state| state.rows.memory()).sum();
    let log: u64 = model.links.shown().map(|source| source.log().memory()).sum();
    let said = format!(
        "drew {} frames, {} B, skipped {} · rows {} kB, log {} kB in memory",
        grouped(f.frames),
        grouped(f.bytes),
        grouped(f.skipped),
        grouped(memory as u64 / 1024),
        grouped(log / 1024)
    );
    let shown = SourceStats { counters: rows.counters(), ..SourceStats::default() };
    let text = text(&model.list.decoding().decoder.info, &shown);
    for line in text.lines() {
        model.log(Level::Info, "stats", line);
    }
    model.say(said);
}

pub(super) const QUIT: Command =
    Command::new(&["q"], &[], "quit at once, without asking", |_, model| model.quit = Some(0)).alias(&["quit"]);

pub(super) const SET: Command = Command::new(
    &["set"],
    &[Arg::many("name value", ArgKind::Setting)],
    "change an option of the decoder or the app; alone list them with their origin",
    run,
);

fn run(given: &Given, model: &mut Model) {
    let pairs = given.settings(0);
    if pairs.is_empty() {
        return list(model);
    }
    let mut options = Vec::new();
    for (name, value) in pairs {
        match value {
            None => {
                let text = setting(model, &name);
                model.say(text);
            }
            Some(value) if model.list.decoding().decoder.info.option(&name).is_some() => options.push((name, value)),
            Some(value) => set_own(model, &name, &value),
        }
    }
    if !options.is_empty() {
        set_options(model, &options);
    }
}

/// Sets options of the decoder together, as some are only valid together.
fn set_options(model: &mut Model, pairs: &[(String, String)]) {
    let decoding = model.list.decoding().clone();
    let mut options = decoding.options.clone();
    for (name, value) in pairs {
        if let Err(error) = options.set(&decoding.decoder.info, name, value) {
            return model.fail(refusal(&error));
        }
    }
    for (name, _) in pairs {
        model.links.first_mut().autodetect.set_by_user(name);
    }
    let word = |(name, value): &(String, String)| match value.as_str() {
        "" => format!("{name} is not set"),
        value => format!("{name} = {value}"),
    };
    let words: Vec<String> = pairs.iter().map(word).collect();
    let said = format!("{}: decoding again", words.join(", "));
    decoder::switch(model, decoding.decoder.clone(), options, said);
}

/// Why an option was refused, and what its value means, without the prefix of arguments.
fn refusal(error: &OptionError) -> String {
    let help = error.help.as_ref().map(|help| format!("; {help}"));
    format!("{}{}", error.text, help.unwrap_or_default())
}

/// Sets a setting of the program, and applies it at once if possible.
fn set_own(model: &mut Model, name: &str, value: &str) {
    // A line with an unknown setting is refused before it runs.
    let Some(full) = setting_named(name) else { return };
    if is_read_at_start(&full) {
        let file = "put it into spytui.toml; --print-config says where that is";
        return model.fail(format!("{full} is read when spytui starts: {file}"));
    }
    let theme = Theme::named(value, &|_| None);
    if let (Err(error), "ui.theme") = (&theme, full.as_str()) {
        return model.fail(error.to_string());
    }
    if let Err(error) = model.settings.config.set(&full, value, Origin::Typed) {
        return model.fail(error);
    }
    let on = model.settings.config.on(&full);
    match full.as_str() {
        "link.dtr" if value != "keep" => return set_line(model, ControlLine::Dtr, name, value == "on"),
        "link.rts" if value != "keep" => return set_line(model, ControlLine::Rts, name, value == "on"),
        "ui.theme" => {
            let theme = theme.unwrap_or_default();
            model.screen.look.theme = if model.screen.few_colours { theme.with_few_colours() } else { theme };
        }
        "ui.glyphs" => model.screen.look.glyphs = Glyphs::named(value).unwrap_or(model.screen.look.glyphs),
        "ui.mouse" => model.ask_for(Effect::Mouse(on)),
        "ui.short-names" => model.list.page.short = on,
        "ui.fold" => model.list.page.collapse = Collapse::configured(on),
        "ui.details" => model.panes.details_open = on,
        "ui.time" => return set_time(model, value),
        full => {
            if let Some(filter) = full.strip_prefix("filters.") {
                model.settings.saved_filters.insert(filter.to_owned(), value.to_owned());
            }
        }
    }
    model.say(own_setting(model, &full));
}

/// The time column: an unavailable style is kept for later.
fn set_time(model: &mut Model, word: &str) {
    let style = TimeStyle::configured(word);
    model.screen.time_style = style;
    let setting = own_setting(model, "ui.time");
    let absence = style.absence(model).map(|reason| format!(" · {reason}")).unwrap_or_default();
    model.say(setting + &absence);
}

/// Settings that are only read at the start; all others are read when used.
fn is_read_at_start(full: &str) -> bool {
    const ONCE: [&str; 14] = [
        "ui.budget",
        "ui.fps",
        "ui.esc-wait",
        "link.baud",
        "link.exclusive",
        "link.reconnect",
        "link.once",
        "link.peers",
        "link.wait",
        "record.auto",
        "record.memory",
        "record.spool",
        "store.memory",
        "decode.proto",
    ];
    ONCE.contains(&full) || ["decode.", "plugins.", "profile."].iter().any(|table| full.starts_with(table))
}

fn set_line(model: &mut Model, line: ControlLine, name: &str, on: bool) {
    if model.links.first().link().is_none() {
        return model.fail("this source has no serial line");
    }
    let source = model.links.scope[0];
    model.ask_for(Effect::SetControlLine { source, line, on });
    model.say(format!("{name} {}", if on { "on" } else { "off" }));
}

fn setting(model: &Model, name: &str) -> String {
    let decoding = model.list.decoding();
    let reported =
        || decoder::reported_by_target(model).into_iter().find(|(key, _)| key == name).map(|(_, value)| value);
    match (decoding.options.get(name), decoding.decoder.info.option(name)) {
        (_, None) => setting_named(name).map_or_else(String::new, |full| own_setting(model, &full)),
        (set, Some(spec)) => match (reported(), set) {
            (Some(value), _) => format!("{name} = {value} (reported by the target): {}", spec.help),
            (None, Some(value)) => format!("{name} = {value} (set): {}", spec.help),
            (None, None) if spec.default.is_empty() => format!("{name} is not set: {}", spec.help),
            (None, None) => format!("{name} = {} (default): {}", spec.default, spec.help),
        },
    }
}

/// A setting of the program with its origin.
fn own_setting(model: &Model, full: &str) -> String {
    match model.settings.config.get(full) {
        Some((value, origin)) => format!("{full} = {value} ({origin})"),
        None => format!("{full} is not set"),
    }
}

/// Writes the settings of the program and the options of the decoder to the log.
fn list(model: &mut Model) {
    let info = model.list.decoding().decoder.info.clone();
    let own: Vec<String> = model.settings.config.all().map(|(name, ..)| name.to_owned()).collect();
    let keys: Vec<String> = own.into_iter().chain(info.options.iter().map(|o| o.key.to_string())).collect();
    for key in &keys {
        let text = setting(model, key);
        model.log(Level::Info, "set", text);
    }
    model.panes.show(LOG);
    model.say(format!("{} settings of spytui and {} in the log", keys.len(), info.id));
}
