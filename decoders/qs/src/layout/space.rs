//! Spaces of names and of keys without names.

use spytui_plugin_api::info::space::OWN;

pub(crate) const OBJECTS: u16 = OWN;
pub(crate) const FUNCTIONS: u16 = OWN + 1;
/// Scoped by object; scope 0 = for all objects.
pub(crate) const SIGNALS: u16 = OWN + 2;
/// Key = value, scope = group.
pub(crate) const ENUMS: u16 = OWN + 3;
/// Group of the enumerations that names commands to the target.
pub(crate) const COMMAND_GROUP: u64 = 7;
/// Versions before this one have no such group: names of application records are names of commands, too.
pub(crate) const COMMAND_GROUP_FROM: u16 = 714;
/// Key = priority.
pub(crate) const TASKS: u16 = OWN + 4;
/// Key = priority.
pub(crate) const ISRS: u16 = OWN + 5;
/// Key = number.
pub(crate) const POOLS: u16 = OWN + 6;
/// Key = number of the clock rate.
pub(crate) const RATES: u16 = OWN + 7;
