//! Spaces of the dictionary.

use spytui_plugin_api::info::space::OWN;

/// Everything with an address except states and functions.
pub(crate) const OBJECTS: u16 = OWN;
/// Scoped by the object.
pub(crate) const STATES: u16 = OWN + 1;
pub(crate) const FUNCTIONS: u16 = OWN + 2;
pub(crate) const SIGNALS: u16 = OWN + 3;
/// Event pools by number, counted from 1.
pub(crate) const POOLS: u16 = OWN + 4;
