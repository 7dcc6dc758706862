//! Spaces of the dictionary.

use spytui_plugin_api::info::space::OWN;

/// Everything that has an address, but for states and functions.
pub(crate) const OBJECTS: u16 = OWN;
/// Scoped by the object.
pub(crate) const STATES: u16 = OWN + 1;
pub(crate) const FUNCTIONS: u16 = OWN + 2;
pub(crate) const SIGNALS: u16 = OWN + 3;
/// Event pools by number, from 1 on.
pub(crate) const POOLS: u16 = OWN + 4;
