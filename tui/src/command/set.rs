//! `:set`: options of the decoder, and settings of the program.

use crate::{
    action::{Arg, ArgKind, Given, LOG},
    app_log::Level,
    hint::did_you_mean,
    model::{ControlLine, Effect, Model, completions::OWN, decoder, settings::Command},
    term::Theme,
};

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

/// Sets options of the decoder, all at once: some make sense only together.
fn set_options(model: &mut Model, pairs: &[(String, String)]) {
    let decoding = model.list.decoding().clone();
    let mut options = decoding.options.clone();
    for (name, value) in pairs {
        if let Err(error) = options.set(&decoding.decoder.info, name, value) {
            return model.fail(error.to_string());
        }
    }
    for (name, _) in pairs {
        model.links.first_mut().autodetect.set_by_user(name);
    }
    let words: Vec<String> = pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let said = format!("{}: decoding again", words.join(", "));
    decoder::switch(model, decoding.decoder.clone(), options, said);
}

fn set_own(model: &mut Model, name: &str, value: &str) {
    let on = matches!(value, "on" | "1" | "yes" | "true");
    match name {
        "dtr" => set_line(model, ControlLine::Dtr, name, on),
        "rts" => set_line(model, ControlLine::Rts, name, on),
        "theme" => match Theme::named(value, &|_| None) {
            Ok(theme) => model.screen.look.theme = theme,
            Err(error) => model.fail(error.to_string()),
        },
        "mouse" => model.ask_for(Effect::Mouse(on)),
        "short-names" => model.list.page.short = on,
        _ => {
            let options = model.list.decoding().decoder.info.options.iter().map(|o| o.key.to_string());
            let known: Vec<String> = options.chain(OWN.map(str::to_owned)).collect();
            let hint = did_you_mean(name, known.iter().map(String::as_str));
            model.fail(format!("unknown setting \"{name}\"{hint}"));
        }
    }
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
        (_, None) if OWN.contains(&name) => format!("{name} = {}", own_setting(model, name)),
        (_, None) => format!("unknown setting \"{name}\""),
        (set, Some(spec)) => match (reported(), set) {
            (Some(value), _) => format!("{name} = {value} (told by the target): {}", spec.help),
            (None, Some(value)) => format!("{name} = {value} (set): {}", spec.help),
            (None, None) if spec.default.is_empty() => format!("{name} is not set: {}", spec.help),
            (None, None) => format!("{name} = {} (default): {}", spec.default, spec.help),
        },
    }
}

fn own_setting(model: &Model, name: &str) -> String {
    match name {
        "short-names" => if model.list.page.short { "on" } else { "off" }.to_owned(),
        _ => model.settings.config.get(&format!("ui.{name}")).map_or(String::new(), |(value, _)| value.to_string()),
    }
}

/// Writes the options of the decoder to the log.
fn list(model: &mut Model) {
    let info = model.list.decoding().decoder.info.clone();
    let keys: Vec<String> = info.options.iter().map(|o| o.key.to_string()).collect();
    for key in &keys {
        let text = setting(model, key);
        model.log(Level::Info, "set", text);
    }
    model.panes.show(LOG);
    model.say(format!("{} settings of {} in the log", keys.len(), info.id));
}
