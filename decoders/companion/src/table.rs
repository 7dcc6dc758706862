//! The commands of the command line.

use spytui_plugin_api::{
    RVec,
    info::{ArgInfo, CommandInfo, FilterGroup, FilterTable},
};

use crate::{frame::LONGEST, op::Op};

/// Ids of commands that are not the number of what is sent.
pub(crate) const FILTER: u16 = 32;
pub(crate) const FAULT: u16 = 33;
pub(crate) const RAW: u16 = 34;

/// Commands 1 to 9 of the demo target's application.
const FAULTS: [&str; 9] = ["flip", "loss", "noise", "dup", "burst", "link-rate", "reset", "garbage", "seed"];

/// All commands.
#[must_use]
pub fn commands() -> RVec<CommandInfo> {
    let command = |op: Op, name, help| CommandInfo::new(op.0.into(), name, help);
    let any = 0..=u32::MAX.into();
    [
        CommandInfo::new(FILTER, "filter", "choose the records that the target sends").with([ArgInfo::filter("SPEC")]),
        command(Op::READ, "info", "read filter and counters of the target back"),
        command(Op::NAMES, "dict", "send names and configuration once more"),
        command(Op::RESET, "reset", "reset the target").confirmed(),
        command(Op::PING, "ping", "ask for the version of the companion"),
        command(Op::USER, "user", "run a command of the program")
            .with([ArgInfo::number("ID", 0..=255), ArgInfo::number("VALUE", any.clone()).optional()]),
        CommandInfo::new(FAULT, "fault", "change a fault of the demo target")
            .with([ArgInfo::choice("NAME", FAULTS), ArgInfo::number("VALUE", any)]),
        CommandInfo::new(RAW, "raw", "send any command")
            .with([ArgInfo::number("OP", 0..=31), ArgInfo::hex("PAYLOAD").optional()]),
    ]
    .into_iter()
    .collect()
}

/// A group of switches: name, name for display, ranges.
pub type Group<'a> = (&'a str, &'a str, &'a [(u64, u64)]);

/// A table of switches of the command `filter`.
#[must_use]
pub fn filter_command(table: FilterTable, groups: &[Group<'_>]) -> FilterTable {
    let groups = groups.iter().map(|(name, title, ranges)| FilterGroup::new(name, title, ranges)).collect();
    FilterTable { command: FILTER, groups, ..table }
}

/// What to say of a payload that is too long.
pub(crate) fn too_long() -> String {
    format!("at most {LONGEST} bytes")
}
