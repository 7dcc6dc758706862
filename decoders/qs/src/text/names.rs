//! The input of a row's text, and names that both styles write alike.

use spytui_plugin_api::{Dict, RowIn};

use crate::{
    config::{Config, Style},
    layout::space,
    names::record_key,
};

/// Everything besides its frame that the text of a row depends on.
pub(crate) struct Context<'a, 'd> {
    pub(crate) config: Config,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) names: Dict<'d>,
}

impl Context<'_, '_> {
    /// Name of an application record's id, in both styles.
    pub(crate) fn record_name(&self, id: u8) -> Option<&[u8]> {
        self.names.name(spytui_plugin_api::info::space::KINDS, record_key(&self.config, id), 0)
    }

    /// Name of an enumeration's value.
    pub(crate) fn enumeration(&self, group: u8, value: u8) -> Option<&[u8]> {
        self.names.name(space::ENUMS, value.into(), group.into())
    }

    pub(crate) fn native(&self) -> bool {
        self.config.style == Style::Native
    }
}
