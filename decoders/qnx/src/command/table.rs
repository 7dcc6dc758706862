//! The commands and their arguments.

use spytui_companion::FAULTS;
use spytui_plugin_api::{
    RVec,
    info::{ArgInfo, CommandInfo},
};

use super::{filters::CLASSES, id, kernel::COMMANDS};

/// The fault that resets the demo target.
pub(super) const RESET_FAULT: u32 = 7;

pub(crate) fn commands() -> RVec<CommandInfo> {
    let command = CommandInfo::new;
    let word = || 0..=u32::MAX.into();
    let class = || ArgInfo::choice("CLASS", ["all"].into_iter().chain(CLASSES.iter().map(|class| class.name)));
    let event = || ArgInfo::number("EVENT", 0..=1023).optional();
    [
        command(id::FILTER, "filter", "choose the classes, events and the process that the target sends")
            .with([ArgInfo::filter("SPEC")]),
        command(id::INFO, "info", "ask for version, drops, peak of the ring and classes"),
        command(id::DICT, "dict", "send names of processes and threads again: stop and start"),
        command(id::RESET, "reset", "reset the target (the demo has it)").confirmed(),
        command(id::START, "start", "begin to record; nostate: without names").with([ArgInfo::choice(
            "STATE",
            ["nostate"],
        )
        .optional()]),
        command(id::STOP, "stop", "stop to record"),
        command(id::FLUSH, "flush", "send the buffer that is being filled"),
        command(id::MODE, "mode", "what happens to full buffers").with([ArgInfo::choice("MODE", ["ring", "linear"])]),
        command(id::FAST, "fast", "send two words of each event").with([class(), event()]),
        command(id::WIDE, "wide", "send all words of each event").with([class(), event()]),
        command(id::MARK, "mark", "put a text into the trace").with([ArgInfo::text("TEXT")]),
        command(id::TEV, "tev", "a command of the kernel, by number or name").with([
            ArgInfo::number("NUMBER", 0..=u32::MAX.into()).or_choice(COMMANDS.map(|command| command.1)),
            ArgInfo::numbers("WORDS", word()).optional(),
        ]),
        command(id::KPROF, "kprof", "disable events of the kernel profile: 256 bits (nto1)")
            .with([ArgInfo::hex("BITS")]),
        command(id::FAULT, "fault", "a fault of the link, or a command of the application (the demo has them)").with([
            ArgInfo::number("FAULT", word()).or_choice(FAULTS.map(|fault| fault.0)),
            ArgInfo::number("VALUE", word()),
        ]),
    ]
    .into_iter()
    .collect()
}
