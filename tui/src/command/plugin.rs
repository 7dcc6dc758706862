//! `:plugin`: decoders and plugins listed, loaded, used or not.

use std::sync::Arc;

use spytui_engine::plugin::Registry;

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    app_log::Level,
    model::{Effect, Model, decoder, settings::Command},
    pane::LOG,
};

/// `:plugin list`
pub(super) const LIST: Command = Command {
    spec: CommandSpec { words: &["plugin", "list"], aliases: &[], args: &[], doc: "list decoders and plugins" },
    run: list,
};

/// `:plugin load`
pub(super) const LOAD: Command = Command {
    spec: CommandSpec {
        words: &["plugin", "load"],
        aliases: &[],
        args: &[Arg::must("PATH", ArgKind::Input)],
        doc: "load a plugin",
    },
    run: load,
};

/// `:plugin reload`
pub(super) const RELOAD: Command = Command {
    spec: CommandSpec {
        words: &["plugin", "reload"],
        aliases: &[],
        args: &[Arg::may("NAME", ArgKind::Plugin)],
        doc: "load plugins anew",
    },
    run: reload,
};

/// `:plugin enable`
pub(super) const ENABLE: Command = Command {
    spec: CommandSpec {
        words: &["plugin", "enable"],
        aliases: &[],
        args: &[Arg::must("NAME", ArgKind::Plugin)],
        doc: "use a plugin",
    },
    run: |given, model| enable(given, model, true),
};

/// `:plugin disable`
pub(super) const DISABLE: Command = Command {
    spec: CommandSpec {
        words: &["plugin", "disable"],
        aliases: &[],
        args: &[Arg::must("NAME", ArgKind::Plugin)],
        doc: "do without a plugin",
    },
    run: |given, model| enable(given, model, false),
};

fn list(_given: &Given, model: &mut Model) -> Result<(), CommandError> {
    let registry = model.links.registry.clone();
    for decoder in registry.decoders() {
        let info = &decoder.info;
        model.log(Level::Info, "plugin", format!("{} {}: {} ({})", info.id, info.version, info.title, decoder.origin));
    }
    for note in registry.notes() {
        model.log(Level::Info, "plugin", note.as_str());
    }
    model.panes.show(LOG);
    Ok(())
}

fn load(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    model.ask_for(Effect::LoadPlugin(given.path(0)));
    Ok(())
}

fn reload(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    let id = given.text(0).map_or_else(|| model.list.decoding().decoder.info.id.to_string(), str::to_owned);
    model.ask_for(Effect::ReloadPlugin(id));
    Ok(())
}

fn enable(given: &Given, model: &mut Model, on: bool) -> Result<(), CommandError> {
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
    Ok(())
}
