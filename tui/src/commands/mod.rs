//! The commands of the command line: how each is written, what it does, and what runs it.

#[cfg(test)]
mod tests;

use std::{path::PathBuf, sync::Arc};

use spytui_engine::{
    analysis::lifelines::ChosenLifelines,
    device::{
        front_end::{USUAL, address as address_of_front_ends},
        line::TargetLine,
    },
    export::{
        sequence::{DiagramForm, DiagramRequest},
        stats::{SourceStats, text},
    },
    io::link::{LineCommand, LinkKind, LinkSpec},
    open::{OptionError, Options, Registry},
    present::clock::grouped,
    query::Expr,
};

use crate::{
    app_log::LogLevel,
    config::{SettingOrigin, setting_named},
    demo::SCHEME as DEMO,
    input::{Arg, ArgKind, FilterArg, Given, HelpLine, LOG, OBJECTS, RECORDS, RowRange, Where, unescaped},
    model::{
        Effect, Model, ModelCommand, RowSelection, baud_scan::BaudScan, console, decoder, filter, incident, jump,
        links, list::Collapse, names, panes, prompt::Help, resume, screen::TimeStyle, search, target, triggers,
    },
    term::{Glyphs, Theme},
    writing::{ONE_SOURCE, WriteRequest},
};

/// Every command, in the order of the help.
pub const COMMANDS: &[ModelCommand] = &[
    ModelCommand::new(
        &["proto"],
        &[Arg::must("NAME|auto", ArgKind::Protocol), Arg::many("key=value", ArgKind::DecoderOption)],
        "switch the decoder and decode the log again",
        |given, model| match given.text(0) {
            Some("auto") => links::ask_decoders(model, true),
            name => switch_decoder(model, name.unwrap_or_default(), given).unwrap_or_else(|error| model.fail(error)),
        },
    )
    .alias(&["p"]),
    ModelCommand::new(
        &["set"],
        &[Arg::many("name value", ArgKind::Setting)],
        "change an option of the decoder or the app; alone show all, with their origin",
        set,
    ),
    ModelCommand::new(&["open"], &[Arg::must("LINK", ArgKind::Link)], "open a file, port or socket", |given, model| {
        // Only this program knows its demo.
        let demo = given.text(0).filter(|text| text.starts_with(DEMO)).map(LinkSpec::path);
        if let Some(spec) = demo.or_else(|| given.link(0)) {
            links::open(model, spec);
        }
    })
    .alias(&["o"]),
    ModelCommand::new(
        &["console"],
        &[Arg::must("LINK", ArgKind::Link)],
        "open a console of the target beside its trace: a link of text lines, also DEVICE:RATE",
        |given, model| console::open(model, &unescaped(&given.must(0))),
    ),
    ModelCommand::new(
        &["send"],
        &[Arg::may("TEXT", ArgKind::Text)],
        r"send TEXT to the source shown, with \r at its end unless it ends with a line end; \n, \r, \t, \x1B and \\ stand for bytes",
        |given, model| console::send(model, &given.must(0)),
    ),
    ModelCommand::new(
        &["break"],
        &[Arg::may("TIME", ArgKind::Text)],
        "send a break on the serial line shown, by default of 250ms",
        |given, model| console::send_break(model, given.text(0)),
    ),
    ModelCommand::new(
        &["pulse", "dtr"],
        &[Arg::may("TIME", ArgKind::Text)],
        "turn DTR of the serial line shown to its other state for a time, by default 100ms; resets many boards",
        |given, model| console::pulse_line(model, "DTR", LineCommand::Dtr(None), given.text(0)),
    ),
    ModelCommand::new(
        &["pulse", "rts"],
        &[Arg::may("TIME", ArgKind::Text)],
        "the same for RTS",
        |given, model| console::pulse_line(model, "RTS", LineCommand::Rts(None), given.text(0)),
    ),
    ModelCommand::new(
        &["show"],
        &[Arg::must("SOURCE", ArgKind::Source)],
        "show another source, by its number or name",
        |given, model| match links::list_named(model, &given.must(0)) {
            Ok(list) => links::show(model, list),
            Err(error) => model.fail(error),
        },
    ),
    ModelCommand::new(
        &["close"],
        &[Arg::may("SOURCE", ArgKind::Source)],
        "close a source, by its number or name; without one, the source shown",
        |given, model| links::close(model, given.text(0)),
    ),
    ModelCommand::new(
        &["baud"],
        &[Arg::must("N|auto", ArgKind::Baud)],
        "rate of the serial line; auto listens at each usual one",
        |given, model| {
            let source = model.links.addressed();
            let rate = given.baud(0);
            let Some(link) = source.link() else { return model.fail("this source has no serial line") };
            match (source.status.facts.baud, rate) {
                (Some(_), _) => set_baud(model, rate),
                (None, _) if !matches!(link.kind, LinkKind::Serial(_)) => model.fail("this link has no baud rate"),
                (None, Some(_)) => {
                    set_baud(model, rate);
                    model.say(format!("{} baud once the port is there", given.must(0)));
                }
                (None, None) => model.fail("there is no port to listen at yet"),
            }
        },
    ),
    ModelCommand::new(
        &["record"],
        &[Arg::may("PATH|stop", ArgKind::Recording)],
        "record what was received so far and what follows; never overwrites",
        |given, model| {
            let sources = model.links.scope.clone();
            match given.text(0) {
                Some("stop") => model.ask_for(Effect::StopRecording(sources)),
                path => {
                    let path = path.map(|path| PathBuf::from(unescaped(path)));
                    model.ask_for(Effect::Record { sources, path, quit: false });
                }
            }
        },
    )
    .alias(&["r"]),
    ModelCommand::new(
        &["write"],
        &[Arg::must("PATH", ArgKind::Written), Arg::may("RANGE", ArgKind::Range), Arg::may("EXPR", ArgKind::Expr)],
        "write rows as .txt .jsonl .csv, bytes as .bin; as KIND=PATH also what comes later; RANGE as #10..#20, 1ms.., ...$, sel",
        |given, model| {
            let source = model.links.scope.first().copied().unwrap_or_default();
            if given.text(0) == Some("stop") {
                return model.ask_for(Effect::StopWriting(source));
            }
            let path = unescaped(&given.must(0));
            let path = path.to_string_lossy();
            if WriteRequest::is_meant(&path) {
                return match WriteRequest::parse(&path) {
                    Ok(request) if model.links.scope.len() == 1 => model.ask_for(Effect::WriteLive(source, request)),
                    Ok(_) => model.fail(ONE_SOURCE),
                    Err(error) => model.fail(error),
                };
            }
            if model.parts_of_target().is_none() {
                return;
            }
            let expr = given.expr(2, model).unwrap_or_else(|| model.list.page.filter.expr().clone());
            match range(model, given.range(1)) {
                Ok((from, to)) if from > to => model.fail(format!("{} runs backwards", given.must(1))),
                Ok(range) => {
                    let selection = RowSelection { rows: model.list.rows.clone(), range, expr };
                    model.ask_for(Effect::WriteRows(selection, given.path(0)));
                }
                Err(error) => model.fail(error),
            }
        },
    )
    .alias(&["w"]),
    ModelCommand::new(
        &["export", "perfetto"],
        &[Arg::must("PATH", ArgKind::Output)],
        "write everything received so far as a trace for the Perfetto viewer; never overwrites",
        |given, model| {
            let decoding = model.list.decoding().clone();
            model.ask_for(Effect::ExportPerfetto(decoding, given.path(0)));
        },
    ),
    ModelCommand::new(
        &["export", "sequence"],
        &[Arg::must("PATH", ArgKind::Output), Arg::may("EXPR", ArgKind::Expr)],
        "write messages and states as a sequence diagram: .mmd Mermaid, .puml PlantUML; never overwrites",
        |given, model| {
            let path = given.path(0);
            let form = match DiagramForm::of_file(&path) {
                Ok(form) => form,
                Err(error) => return model.fail(error),
            };
            let filter = given.expr(1, model).unwrap_or_else(|| model.list.page.filter.expr().clone());
            let lifelines = ChosenLifelines::parse(model.settings.config.text("ui.lifelines"));
            let wanted = DiagramRequest { form, lifelines, filter, taken: false };
            if let Some(parts) = model.parts_of_target() {
                model.ask_for(Effect::ExportSequence(parts, wanted, path));
            }
        },
    ),
    ModelCommand::new(
        &["filter"],
        &[Arg::may("EXPR|@name|-", ArgKind::Filter)],
        "show only rows that pass; alone shows all, - the filter before",
        |given, model| match given.filter(0, model) {
            FilterArg::Clear => filter::set(model, Expr::everything()),
            FilterArg::Previous => filter::previous(model),
            FilterArg::Saved(name) => {
                let (config, setting) = (&model.settings.config, format!("filters.{name}"));
                match config.get(&setting).map(|_| config.text(&setting).to_owned()) {
                    Some(text) => filter::set_text(model, &text),
                    None => model.fail(format!("@{name}: no such filter; :filter save {name} keeps the present one")),
                }
            }
            FilterArg::Expr(expr) => filter::set(model, expr),
        },
    )
    .alias(&["f"]),
    ModelCommand::new(&["filter", "why"], &[], "how many rows each term of the filter passes and hides", |_, model| {
        filter::ask_why(model)
    }),
    ModelCommand::new(
        &["filter", "save"],
        &[Arg::must("NAME", ArgKind::NewName)],
        "keep the filter under a name",
        |given, model| {
            let (name, expr) = (given.must(0), model.list.page.filter.expr().to_string());
            if !name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
                return model.fail(format!("{name}: a name has letters, digits, - and _"));
            }
            if let Err(error) = model.settings.config.set(&format!("filters.{name}"), &expr, SettingOrigin::Typed) {
                return model.fail(error);
            }
            model.say(format!("@{name} = {expr}"));
            model.ask_for(Effect::SaveFilter(name, expr));
        },
    ),
    ModelCommand::new(
        &["on"],
        &[Arg::may("EXPR ACTION|off [N]", ArgKind::Trigger)],
        "at rows that match: bell, mark, hold, record 10s, run COMMAND; alone lists them with their hits",
        |given, model| triggers::command(model, given.text(0)),
    ),
    ModelCommand::new(
        &["target"],
        &[Arg::may("COMMAND …", ArgKind::Target)],
        "send a command to the target, as target filter -SM; Tab lists what it takes; without one show pane 6",
        |given, model| target::run(model, given.target.clone().unwrap_or(TargetLine::Show)),
    )
    .alias(&["t"]),
    ModelCommand::new(
        &["qspy"],
        &[Arg::must("on|off", ArgKind::FrontEnd), Arg::may("ADDR:PORT", ArgKind::Text)],
        "serve QUTest or QView with this target as QSPY does, by default at 127.0.0.1:7701",
        |given, model| {
            let source = model.links.focus;
            let address = given.text(1).unwrap_or(USUAL);
            match (given.text(0), address_of_front_ends(address)) {
                (Some("off"), _) => model.ask_for(Effect::ServeFrontEnd { source, address: None }),
                (_, Ok(address)) => model.ask_for(Effect::ServeFrontEnd { source, address: Some(address) }),
                (_, Err(error)) => model.fail(error),
            }
        },
    ),
    ModelCommand::new(
        &["find"],
        &[Arg::must("EXPR", ArgKind::Search)],
        "go to the next row that passes",
        |given, model| {
            if let Some(expr) = given.search(0, model) {
                let text = expr.to_string();
                search::begin(model, expr, text);
            }
        },
    ),
    ModelCommand::new(
        &["goto"],
        &[Arg::must("WHERE", ArgKind::Where)],
        "go to #714, 12.5ms, @0x1a4f0, 'mark, gap, error, reset, first or last",
        |given, model| {
            if let Some(location) = given.location(0) {
                jump::to_location(model, &location);
                if model.panes.front() == LOG {
                    // Elsewhere the cursor would not be visible.
                    model.panes.show(RECORDS);
                }
            }
        },
    )
    .alias(&["g"]),
    ModelCommand::new(
        &["incident"],
        &[Arg::may("WHERE", ArgKind::Where)],
        "show what led to the failure at the cursor or before it: an assertion, an error, a reset; or to a row",
        |given, model| match given.location(0) {
            Some(location) => match jump::row_of(model, &location) {
                Ok(row) => incident::open(model, row),
                Err(error) => model.fail(error),
            },
            None => incident::open_near(model),
        },
    ),
    ModelCommand::new(
        &["compare"],
        &[Arg::must("WHERE|FILE", ArgKind::Compared), Arg::may("WHERE", ArgKind::Where)],
        "what the objects changed from one row to another, or to the cursor, as compare 'a 'b; or where this trace and a recording differ",
        |given, model| {
            let Some(parts) = model.parts_of_target() else { return };
            if given.location(0).is_none() {
                return model.ask_for(Effect::Compare(parts, given.path(0)));
            }
            let row = |location: Where| jump::row_of(model, &location);
            match (given.location(0).map(row), given.location(1).map(row)) {
                (Some(Err(error)), _) | (_, Some(Err(error))) => model.fail(error),
                (None, _) => {}
                (Some(Ok(from)), to) => {
                    if let Some(Ok(to)) = to {
                        jump::to_row(model, to);
                    }
                    model.list.compared = model.list.position_of(from);
                    panes::show(model, OBJECTS);
                }
            }
        },
    ),
    ModelCommand::new(
        &["mark"],
        &[Arg::may("NAME", ArgKind::NewName), Arg::may("NOTE", ArgKind::Text)],
        "mark the cursor row",
        |given, model| jump::mark(model, given.text(0).map(str::to_owned), given.must(1)),
    ),
    ModelCommand::new(
        &["fresh"],
        &[],
        "every row, from the start, without marks; what was remembered of this list is forgotten",
        |_, model| resume::forget(model),
    ),
    ModelCommand::new(
        &["dict", "save"],
        &[Arg::must("PATH", ArgKind::Output)],
        "save the names: as .dic those that the target sent, in the decoder's own format; else all names",
        |given, model| names::save(model, given.path(0)),
    ),
    ModelCommand::new(
        &["dict", "load"],
        &[Arg::must("PATH", ArgKind::Input)],
        "load names from a .dic file, one of :dict save, or a capture",
        |given, model| {
            if let Some(parts) = model.parts_of_target() {
                model.ask_for(Effect::LoadNames(given.path(0), parts));
            }
        },
    ),
    ModelCommand::new(&["dict", "clear"], &[], "forget all names", |_, model| {
        let decodings = &model.list.rows.parts;
        decodings.iter().for_each(|decoding| decoding.edit(|state| state.names().forget_all()));
        model.say("all names cleared, until the target sends them again");
    }),
    ModelCommand::new(
        &["name"],
        &[Arg::must("SPACE", ArgKind::Space), Arg::must("KEY", ArgKind::Key), Arg::must("NAME", ArgKind::Text)],
        "give something a name, as obj 0x4110E0 pump",
        |given, model| {
            if let Some(key) = given.key(1) {
                names::set(model, &given.must(0), key, &given.must(2));
            }
        },
    ),
    ModelCommand::new(&["formats"], &[], "list the files with texts of records", |_, model| {
        decoder::report_formats(model);
        model.panes.show(LOG);
    }),
    ModelCommand::new(
        &["formats", "load"],
        &[Arg::must("PATH", ArgKind::Input)],
        "use a format file, or a folder of them, from now on",
        |given, model| model.ask_for(Effect::LoadFormats(given.path(0))),
    ),
    ModelCommand::new(
        &["formats", "check"],
        &[Arg::must("PATH", ArgKind::Input)],
        "list the wrong lines of a format file",
        |given, model| model.ask_for(Effect::CheckFormats(given.path(0))),
    ),
    ModelCommand::new(&["plugin", "list"], &[], "list decoders and plugins", list_plugins),
    ModelCommand::new(&["plugin", "load"], &[Arg::must("PATH", ArgKind::Input)], "load a plugin", |given, model| {
        model.ask_for(Effect::LoadPlugin(given.path(0)))
    }),
    ModelCommand::new(&["plugin", "reload"], &[Arg::may("NAME", ArgKind::Plugin)], "reload plugins", |given, model| {
        model.ask_for(Effect::ReloadPlugin(given.text(0).map(str::to_owned)));
    }),
    ModelCommand::new(&["plugin", "enable"], &[Arg::must("NAME", ArgKind::Plugin)], "use a plugin", |given, model| {
        enable(given, model, true)
    }),
    ModelCommand::new(
        &["plugin", "disable"],
        &[Arg::must("NAME", ArgKind::Plugin)],
        "disable a plugin",
        |given, model| enable(given, model, false),
    ),
    ModelCommand::new(&["stats"], &[], "the program's own figures: bytes drawn, frames, memory", stats),
    ModelCommand::new(
        &["help"],
        &[Arg::may("WORD", ArgKind::Topic)],
        "help, about a command, a key, an action or a kind of records",
        |given, model| model.prompt.help = Some(Help::about(&model.list.decoding().decoder.info, given.must(0))),
    )
    .alias(&["h"]),
    ModelCommand::new(&["q"], &[], "quit at once, without asking", |_, model| model.quit = Some(0)).alias(&["quit"]),
    ModelCommand::new(
        &["wq"],
        &[Arg::must("PATH", ArgKind::Output)],
        "record everything to PATH and quit",
        |given, model| {
            let sources = model.links.scope.clone();
            model.ask_for(Effect::Record { sources, path: Some(given.path(0)), quit: true });
        },
    ),
];

fn range(model: &Model, range: Option<RowRange>) -> Result<(u64, u64), String> {
    let end = model.list.rows.len().saturating_sub(1);
    match range {
        None => Ok((0, end)),
        Some(RowRange::Selection) => match model.list.selected_from {
            Some(_) => Ok(model.list.selection()),
            None => Err("nothing is selected; v begins a selection".to_owned()),
        },
        Some(RowRange::Between(from, to)) => {
            let row = |location: Option<Where>, open| location.map_or(Ok(open), |at| jump::row_of(model, &at));
            Ok((row(from, 0)?, row(to, end)?))
        }
    }
}

fn list_plugins(_given: &Given, model: &mut Model) {
    let registry = model.links.registry.clone();
    for listed in registry.listed() {
        // The log has no columns.
        let words: Vec<String> = listed.to_string().split_whitespace().map(str::to_owned).collect();
        model.log(LogLevel::Info, "plugin", words.join(" "));
    }
    for note in &registry.notes {
        model.log(LogLevel::Info, "plugin", note.as_str());
    }
    model.panes.show(LOG);
}

fn enable(given: &Given, model: &mut Model, on: bool) {
    let mut registry = Registry::clone(&model.links.registry);
    match registry.set_enabled(&given.must(0), on) {
        Ok(text) => {
            model.links.registry = Arc::new(registry);
            model.say(text.clone());
            let present = model.list.decoding().clone();
            if let Ok(decoder) = model.links.registry.find(&present.decoder.info.id)
                && !Arc::ptr_eq(&decoder, &present.decoder)
            {
                decoder::switch(model, decoder, present.options.clone(), text);
            }
        }
        Err(error) => model.fail(error),
    }
}

fn stats(_given: &Given, model: &mut Model) {
    let f = model.screen.figures;
    let rows = &model.list.rows;
    let memory: usize = rows.read_all().iter().map(|state| state.rows.memory()).sum();
    let log: u64 = model.links.shown().map(|source| source.log().memory).sum();
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
        model.log(LogLevel::Info, "stats", line);
    }
    model.say(said);
}

fn set(given: &Given, model: &mut Model) {
    let pairs = given.settings(0);
    if pairs.is_empty() {
        return list_settings(model);
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
        model.links.addressed_mut().autodetect.set_by_user(name);
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
    if let Err(error) = model.settings.config.set(&full, value, SettingOrigin::Typed) {
        return model.fail(error);
    }
    let on = model.settings.config.on(&full);
    match full.as_str() {
        "link.dtr" if value != "keep" => return set_line(model, LineCommand::Dtr(Some(value == "on")), name, value),
        "link.rts" if value != "keep" => return set_line(model, LineCommand::Rts(Some(value == "on")), name, value),
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
        full if full.starts_with("deadlines.") => model.panes.forget_rows(),
        _ => {}
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

fn set_line(model: &mut Model, command: LineCommand, name: &str, value: &str) {
    if model.links.addressed().link().is_none() {
        return model.fail("this source has no serial line");
    }
    model.ask_for(Effect::SetLine(model.links.focus, command));
    model.say(format!("{name} {value}"));
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

/// Shows the settings of the program and the options of the decoder, those that are not as by default first.
fn list_settings(model: &mut Model) {
    let info = model.list.decoding().decoder.info.clone();
    let own: Vec<String> = model.settings.config.all().map(|(name, ..)| name.to_owned()).collect();
    let keys: Vec<String> = own.into_iter().chain(info.options.iter().map(|o| o.key.to_string())).collect();
    let line = |key: &String| {
        let text = setting(model, key);
        let value = text.strip_prefix(key.as_str()).unwrap_or(&text).trim_start_matches(" = ").trim_start();
        HelpLine::new(key.as_str(), value)
    };
    let is_usual =
        |line: &HelpLine| ["(built in)", "(default)", "is not set"].iter().any(|usual| line.right.contains(usual));
    let (usual, set): (Vec<HelpLine>, Vec<HelpLine>) = keys.iter().map(line).partition(is_usual);
    let lines = [HelpLine::under("Not as by default", set), HelpLine::under("As by default", usual)].concat();
    model.prompt.help = Some(Help { page: Some(("Settings".to_owned(), lines)), ..Help::default() });
}

fn set_baud(model: &mut Model, rate: Option<u32>) {
    match rate {
        Some(rate) => {
            // An explicit rate ends the scan.
            model.jobs.baud_scan = None;
            model.ask_for(Effect::SetLine(model.links.focus, LineCommand::Baud(rate)));
            model.links.addressed_mut().begin_anew();
            model.say(format!("{rate} baud"));
        }
        None => {
            let running = model.jobs.baud_scan.as_ref().map(BaudScan::present);
            let Some(present) = running.or(model.links.addressed().status.facts.baud) else { return };
            model.jobs.baud_scan = Some(BaudScan::start(model.links.focus, present));
            model.say("listening for a second at each usual rate; nothing is sent");
        }
    }
}

fn switch_decoder(model: &mut Model, name: &str, given: &Given) -> Result<(), String> {
    let decoder = model.links.registry.find(name)?;
    let texts: Vec<String> = given.pairs(1).iter().map(|(key, value)| format!("{key}={value}")).collect();
    let options = Options::parse(&decoder.info, &texts).map_err(|error| error.to_string())?;
    let said = format!("{}: decoding {} B again", decoder.info.title, grouped(model.links.addressed().log().len()));
    decoder::use_decoder(model, decoder, options, said);
    Ok(())
}
