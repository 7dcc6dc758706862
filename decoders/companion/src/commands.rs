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

/// Faults and commands of the demo target with their numbers. Its reset is a command of its own, which wants to be
/// confirmed.
pub const FAULTS: [(&str, u8); 12] = [
    ("flip", 1),
    ("loss", 2),
    ("noise", 3),
    ("dup", 4),
    ("burst", 5),
    ("link-rate", 6),
    ("garbage", 8),
    ("seed", 9),
    ("door", 32),
    ("flame-out", 33),
    ("incident", 34),
    ("calm", 35),
];

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
        CommandInfo::new(FAULT, "fault", "a fault of the link, or a command of the program (the demo target has them)")
            .with([ArgInfo::choice("FAULT", FAULTS.map(|fault| fault.0)), ArgInfo::number("VALUE", any)]),
        CommandInfo::new(RAW, "raw", "send any command")
            .with([ArgInfo::number("OP", 0..=31), ArgInfo::hex("PAYLOAD").optional()]),
    ]
    .into_iter()
    .collect()
}

/// A group of switches: name, name for display, ranges.
pub type Group<'a> = (&'a str, &'a str, &'a [(u64, u64)]);

/// A table of switches of the command `filter`.
pub fn filter_command(table: FilterTable, groups: &[Group<'_>]) -> FilterTable {
    let groups = groups.iter().map(|(name, title, ranges)| FilterGroup::new(name, title, ranges)).collect();
    FilterTable { command: FILTER, groups, ..table }
}

/// What to say of a payload that is too long.
pub(crate) fn too_long() -> String {
    format!("at most {LONGEST} bytes")
}
