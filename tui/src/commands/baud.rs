//! `:baud`: rate of the serial line.

use spytui_engine::io::link::LinkKind;

use crate::{
    input::{Arg, ArgKind},
    model::{Effect, Model, baud_scan::BaudScan, settings::Command},
};

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
            // Who names a rate listens at no others.
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
