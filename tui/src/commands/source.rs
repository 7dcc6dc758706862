//! `:open`, `:show`, `:close`, `:proto`, `:baud`, `:target`: the sources, their decoder, and commands to their target.

use spytui_engine::{
    device::line::TargetLine,
    io::link::{LinkKind, LinkSpec},
    open::Options,
    present::clock::grouped,
};

use crate::{
    demo::SCHEME as DEMO,
    input::{Arg, ArgKind, Given},
    model::{Effect, Model, baud_scan::BaudScan, decoder, links, settings::Command, target},
};

pub(super) const OPEN: Command =
    Command::new(&["open"], &[Arg::must("LINK", ArgKind::Link)], "open a file, port or socket", |given, model| {
        // Only this program knows its demo.
        let demo = given.text(0).filter(|text| text.starts_with(DEMO)).map(LinkSpec::path);
        if let Some(spec) = demo.or_else(|| given.link(0)) {
            links::open(model, spec);
        }
    })
    .alias(&["o"]);

pub(super) const SHOW: Command = Command::new(
    &["show"],
    &[Arg::must("SOURCE", ArgKind::Source)],
    "show another source, by its number or name",
    |given, model| links::show_named(model, &given.must(0)),
);

pub(super) const CLOSE: Command = Command::new(
    &["close"],
    &[Arg::may("SOURCE", ArgKind::Source)],
    "close a source, by its number or name; without one, the source shown",
    |given, model| links::close(model, given.text(0)),
);

pub(super) const BAUD: Command = Command::new(
    &["baud"],
    &[Arg::must("N|auto", ArgKind::Baud)],
    "rate of the serial line; auto listens at each usual one",
    |given, model| {
        let source = model.links.first();
        let rate = given.baud(0);
        let Some(link) = source.link() else { return model.fail("this source has no serial line") };
        match (source.status.facts.baud, rate) {
            (Some(_), _) => set(model, rate),
            (None, _) if !matches!(link.kind, LinkKind::Serial(_)) => model.fail("this link has no baud rate"),
            (None, Some(_)) => {
                set(model, rate);
                model.say(format!("{} baud when the port comes", given.must(0)));
            }
            (None, None) => model.fail("there is no port yet to listen at"),
        }
    },
);

fn set(model: &mut Model, rate: Option<u32>) {
    match rate {
        Some(rate) => {
            // An explicit rate ends the scan.
            model.jobs.baud_scan = None;
            model.ask_for(Effect::SetBaud(model.links.scope[0], rate));
            model.links.first_mut().begin_anew();
            model.say(format!("{rate} baud"));
        }
        None => {
            let running = model.jobs.baud_scan.as_ref().map(BaudScan::present);
            let Some(present) = running.or(model.links.first().status.facts.baud) else { return };
            model.jobs.baud_scan = Some(BaudScan::start(model.links.scope[0], present));
            model.say("listening for a second at each usual rate; nothing is sent");
        }
    }
}

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

pub(super) const TARGET: Command = Command::new(
    &["target"],
    &[Arg::may("COMMAND …", ArgKind::Target)],
    "send a command to the target, as target filter -SM; Tab lists what it takes; without one show pane 6",
    |given, model| target::run(model, given.target.clone().unwrap_or(TargetLine::Show)),
)
.alias(&["t"]);
