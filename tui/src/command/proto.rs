//! `:proto`: another decoder.

use spytui_engine::plugin::Options;

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, decoder, links, settings::Command},
};

/// `:proto`
pub(super) const PROTO: Command = Command {
    spec: CommandSpec {
        words: &["proto"],
        aliases: &["p"],
        args: &[Arg::must("NAME|auto", ArgKind::Protocol), Arg::many("key=value", ArgKind::DecoderOption)],
        doc: "switch the decoder and decode the log again",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    let name = given.must(0);
    if name == "auto" {
        links::ask_decoders(model);
        return Ok(());
    }
    let decoder = match model.links.registry.find(&name) {
        Ok(decoder) => decoder,
        Err(error) => {
            model.fail(error.to_string());
            return Ok(());
        }
    };
    let texts: Vec<String> = given.pairs(1).iter().map(|(key, value)| format!("{key}={value}")).collect();
    match Options::parse(&decoder.info, &texts) {
        Ok(options) => {
            let said = decoder::decoding_again(model, &decoder);
            decoder::use_decoder(model, decoder, options, said);
        }
        Err(error) => model.fail(error.to_string()),
    }
    Ok(())
}
