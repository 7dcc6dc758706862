//! `:proto`: another decoder.

use spytui_engine::{open::Options, present::clock::grouped};

use crate::{
    input::{Arg, ArgKind, Given},
    model::{Model, decoder, links, settings::Command},
};

pub(super) const PROTO: Command = Command::new(
    &["proto"],
    &[Arg::must("NAME|auto", ArgKind::Protocol), Arg::many("key=value", ArgKind::DecoderOption)],
    "switch the decoder and decode the log again",
    |given, model| match given.text(0) {
        Some("auto") => links::ask_decoders(model, true),
        name => switch(model, name.unwrap_or_default(), given).unwrap_or_else(|error| model.fail(error)),
    },
)
.alias(&["p"]);

fn switch(model: &mut Model, name: &str, given: &Given) -> Result<(), String> {
    let decoder = model.links.registry.find(name).map_err(|error| error.to_string())?;
    let texts: Vec<String> = given.pairs(1).iter().map(|(key, value)| format!("{key}={value}")).collect();
    let options = Options::parse(&decoder.info, &texts).map_err(|error| error.to_string())?;
    let said = format!("{}: decoding {} B again", decoder.info.title, grouped(model.links.first().log().len()));
    decoder::use_decoder(model, decoder, options, said);
    Ok(())
}
