//! Commands and their arguments, sent as text lines to a companion, a program on the target; `PROTOCOL.md` §9 describes
//! them.

mod encode;
mod filters;

pub use encode::QnxEncoder;
pub(crate) use filters::filters;

use spytui_companion::FAULTS;
use spytui_plugin_api::{
    RVec,
    info::{ArgForms, ArgInfo, CommandInfo},
};

use filters::{CLASSES, COMMANDS};

const RESET_FAULT: u32 = 7;

pub(crate) fn commands() -> RVec<CommandInfo> {
    let command = CommandInfo::new;
    let word = || 0..=u32::MAX.into();
    let class = || ArgInfo::choice("CLASS", ["all"].into_iter().chain(CLASSES.iter().map(|class| class.name)));
    let event = || ArgInfo::number("EVENT", 0..=1023).optional();
    RVec::from(vec![
        command(id::FILTER, "filter", "choose the classes, events and the process that the target sends")
            .with([ArgInfo::new("SPEC", ArgForms::FILTER)]),
        command(id::INFO, "info", "ask for version, drops, peak of the ring and classes"),
        command(id::DICT, "dict", "stop and restart, to send names of processes and threads again"),
        command(id::RESET, "reset", "reset the target (the demo has it)").confirmed(),
        command(id::START, "start", "start recording; nostate: without names").with([ArgInfo::choice(
            "STATE",
            ["nostate"],
        )
        .optional()]),
        command(id::STOP, "stop", "stop recording"),
        command(id::FLUSH, "flush", "send the buffer that is being filled"),
        command(id::MODE, "mode", "what happens to full buffers").with([ArgInfo::choice("MODE", ["ring", "linear"])]),
        command(id::FAST, "fast", "send two words of each event").with([class(), event()]),
        command(id::WIDE, "wide", "send all words of each event").with([class(), event()]),
        command(id::MARK, "mark", "put a text into the trace").with([ArgInfo::new("TEXT", ArgForms::TEXT)]),
        command(id::TEV, "tev", "a command of the kernel, by number or name").with([
            ArgInfo::number("NUMBER", 0..=u32::MAX.into()).or_choice(COMMANDS.map(|command| command.1)),
            ArgInfo::numbers("WORDS", word()).optional(),
        ]),
        command(id::KPROF, "kprof", "disable events of the kernel profile: 256 bits (nto1)")
            .with([ArgInfo::new("BITS", ArgForms::HEX)]),
        command(id::FAULT, "fault", "inject a link fault, or run a command of the application (demo)").with([
            ArgInfo::number("FAULT", word()).or_choice(FAULTS.map(|fault| fault.0)),
            ArgInfo::number("VALUE", word()),
        ]),
    ])
}

pub(crate) mod id {
    pub(super) const FILTER: u16 = 0;
    pub(super) const INFO: u16 = 1;
    pub(super) const DICT: u16 = 2;
    pub(super) const RESET: u16 = 3;
    pub(super) const START: u16 = 4;
    pub(super) const STOP: u16 = 5;
    pub(super) const FLUSH: u16 = 6;
    pub(super) const MODE: u16 = 7;
    pub(super) const FAST: u16 = 8;
    pub(super) const WIDE: u16 = 9;
    pub(super) const MARK: u16 = 10;
    pub(super) const TEV: u16 = 11;
    pub(super) const KPROF: u16 = 12;
    pub(super) const FAULT: u16 = 13;
}
