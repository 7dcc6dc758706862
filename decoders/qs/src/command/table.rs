//! The commands and their arguments.

use spytui_plugin_api::{
    RVec,
    info::{AnswerStage, ArgInfo, CommandInfo, space as host_space},
};

use crate::layout::space::{self, COMMAND_GROUP};

/// Ids of frames to the target (fact: QS receive channel, `PROTOCOL.md` §8).
pub(crate) mod rx {
    pub(crate) const INFO: u8 = 0;
    pub(crate) const COMMAND: u8 = 1;
    pub(crate) const RESET: u8 = 2;
    pub(crate) const TICK: u8 = 3;
    pub(crate) const PEEK: u8 = 4;
    pub(crate) const POKE: u8 = 5;
    pub(crate) const FILL: u8 = 6;
    pub(crate) const TEST_SETUP: u8 = 7;
    pub(crate) const TEST_TEARDOWN: u8 = 8;
    pub(crate) const TEST_PROBE: u8 = 9;
    pub(crate) const GLOBAL_FILTER: u8 = 10;
    pub(crate) const LOCAL_FILTER: u8 = 11;
    pub(crate) const AO_FILTER: u8 = 12;
    pub(crate) const CURRENT_OBJECT: u8 = 13;
    pub(crate) const TEST_CONTINUE: u8 = 14;
    pub(crate) const QUERY: u8 = 15;
    pub(crate) const EVENT: u8 = 16;
}

/// Ids of commands: that of their frame, or beyond those.
pub(super) const RAW: u16 = 256;

/// Kinds of objects, in order of their numbers.
pub(super) const KINDS: [&str; 8] = ["sm", "ao", "mp", "eq", "te", "ap", "sm+ao", "ep"];
/// Kind of event pools, which a target has from this version on.
pub(super) const EVENT_POOL: (u64, u16) = (7, 800);
/// Kinds whose current object signals are looked up for: state machine, active object, both.
pub(super) const MACHINES: [u64; 3] = [0, 1, 6];
/// Where an event may go besides an active object, with the number on the wire.
pub(super) const TO: [(&str, u8); 4] = [("publish", 0), ("current", 253), ("init", 254), ("dispatch", 255)];

pub(crate) fn commands() -> RVec<CommandInfo> {
    let parameter = |name| ArgInfo::number(name, 0..=u32::MAX.into()).optional();
    let offset = || ArgInfo::number("OFFSET", 0..=u16::MAX.into());
    let size = || ArgInfo::choice("SIZE", ["1", "2", "4"]);
    let count = || ArgInfo::number("COUNT", 1..=255);
    let kind = || ArgInfo::choice("KIND", KINDS);
    let command = |id: u8, name, help| CommandInfo::new(id.into(), name, help);
    [
        command(rx::INFO, "info", "ask for version and sizes"),
        command(rx::COMMAND, "command", "run a command of the application").with([
            ArgInfo::number("ID", 0..=255).or_name(space::ENUMS).scoped(COMMAND_GROUP),
            parameter("P1"),
            parameter("P2"),
            parameter("P3"),
        ]),
        command(rx::RESET, "reset", "reset the target").confirmed(),
        command(rx::TICK, "tick", "one clock tick of a rate").with([ArgInfo::number("RATE", 0..=255).optional()]),
        command(rx::PEEK, "peek", "read memory of the current application object").with([offset(), size(), count()]),
        command(rx::POKE, "poke", "write memory of the current application object")
            .with([offset(), size(), ArgInfo::numbers("VALUES", 0..=u32::MAX.into())])
            .confirmed(),
        command(rx::FILL, "fill", "fill memory of the current application object")
            .with([offset(), size(), count(), ArgInfo::number("VALUE", 0..=u32::MAX.into())])
            .confirmed(),
        command(rx::TEST_SETUP, "test setup", "set up a test (test builds only)"),
        command(rx::TEST_TEARDOWN, "test teardown", "tear down a test (test builds only)"),
        command(rx::TEST_PROBE, "test probe", "give a test probe its value (test builds only)").with([
            ArgInfo::number("FUNCTION", 0..=u64::MAX).or_name(space::FUNCTIONS),
            ArgInfo::number("VALUE", 0..=u32::MAX.into()),
        ]),
        command(rx::GLOBAL_FILTER, "filter", "choose the records that the target sends")
            .with([ArgInfo::filter("SPEC")]),
        command(rx::LOCAL_FILTER, "local", "choose the objects that the target sends records of")
            .with([ArgInfo::filter("SPEC")]),
        command(rx::CURRENT_OBJECT, "current", "set the current object of a kind")
            .with([kind(), ArgInfo::number("OBJECT", 0..=u64::MAX).or_name(space::OBJECTS)]),
        command(rx::TEST_CONTINUE, "test continue", "continue a test (test builds only)"),
        command(rx::QUERY, "query", "ask for the state of the current object of a kind").with([kind()]),
        command(rx::EVENT, "event", "send an event").with([
            ArgInfo::number("TO", 1..=64).or_choice(TO.map(|to| to.0)).or_name(space::OBJECTS),
            ArgInfo::number("SIGNAL", 0..=u32::MAX.into()).or_name(space::SIGNALS),
            ArgInfo::bytes("PARAMETERS").optional(),
        ]),
        CommandInfo::new(RAW, "raw", "send any frame")
            .with([ArgInfo::number("ID", 0..=255), ArgInfo::hex("BYTES").optional()]),
    ]
    .into_iter()
    .collect()
}

/// The answers that complete a frame; a raw one has none that could be known.
pub(super) fn awaited(id: u8) -> u8 {
    const ACCEPTED: u8 = AnswerStage::ACCEPTED.bit();
    match id {
        rx::INFO | rx::RESET | rx::PEEK | rx::QUERY => AnswerStage::DATA.bit(),
        rx::COMMAND | rx::TICK | rx::EVENT => ACCEPTED | AnswerStage::DONE.bit(),
        _ => ACCEPTED,
    }
}

/// The space of kinds, for filters.
pub(super) const KIND_NAMES: u16 = host_space::KINDS;
