//! `:plugin`, `:formats`: listing, loading, checking, enabling and disabling decoders, plugins and format files.

use std::sync::Arc;

use spytui_engine::open::Registry;

use crate::{
    app_log::Level,
    input::{Arg, ArgKind, Given, LOG},
    model::{Effect, Model, decoder, settings::Command},
};

pub(super) const LIST: Command = Command::new(&["plugin", "list"], &[], "list decoders and plugins", list);

pub(super) const LOAD: Command =
    Command::new(&["plugin", "load"], &[Arg::must("PATH", ArgKind::Input)], "load a plugin", |given, model| {
        model.ask_for(Effect::LoadPlugin(given.path(0)))
    });

pub(super) const RELOAD: Command =
    Command::new(&["plugin", "reload"], &[Arg::may("NAME", ArgKind::Plugin)], "reload plugins", |given, model| {
        model.ask_for(Effect::ReloadPlugin(given.text(0).map(str::to_owned)));
    });

pub(super) const ENABLE: Command =
    Command::new(&["plugin", "enable"], &[Arg::must("NAME", ArgKind::Plugin)], "use a plugin", |given, model| {
        enable(given, model, true)
    });

pub(super) const DISABLE: Command = Command::new(
    &["plugin", "disable"],
    &[Arg::must("NAME", ArgKind::Plugin)],
    "do without a plugin",
    |given, model| enable(given, model, false),
);

fn list(_given: &Given, model: &mut Model) {
    let registry = model.links.registry.clone();
    for listed in registry.listed() {
        // The log has no columns.
        let words: Vec<String> = listed.to_string().split_whitespace().map(str::to_owned).collect();
        model.log(Level::Info, "plugin", words.join(" "));
    }
    for note in registry.notes() {
        model.log(Level::Info, "plugin", note.as_str());
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

pub(super) const LIST_FORMATS: Command =
    Command::new(&["formats"], &[], "list the files with texts of records", |_, model| {
        decoder::report_formats(model);
        model.panes.show(LOG);
    });

pub(super) const LOAD_FORMATS: Command = Command::new(
    &["formats", "load"],
    &[Arg::must("PATH", ArgKind::Input)],
    "use a format file, or a folder of them, from now on",
    |given, model| model.ask_for(Effect::LoadFormats(given.path(0))),
);

pub(super) const CHECK_FORMATS: Command = Command::new(
    &["formats", "check"],
    &[Arg::must("PATH", ArgKind::Input)],
    "list the wrong lines of a format file",
    |given, model| model.ask_for(Effect::CheckFormats(given.path(0))),
);
