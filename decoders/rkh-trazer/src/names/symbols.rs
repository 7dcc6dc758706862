//! Names known before a stream begins.

use spytui_decoder_kit::DropRecord;
use spytui_plugin_api::Output;

use super::Naming;

/// Names, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols(pub(crate) Vec<Symbol>);

/// A name.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) space: u16,
    pub(crate) key: u64,
    pub(crate) scope: u64,
    pub(crate) name: Vec<u8>,
}

impl Symbols {
    pub(crate) fn names(&self) -> impl Iterator<Item = Naming<'_>> {
        self.0.iter().map(|s| Naming { space: s.space, key: s.key, scope: s.scope, name: &s.name })
    }

    /// Names user events for what the target reports of its drops.
    pub(crate) fn name_events(&self, record: &mut DropRecord) {
        for naming in self.names() {
            if let Some(id) = naming.user_event() {
                record.name(id, naming.name);
            }
        }
    }

    /// Reports the names from the next row on.
    pub(crate) fn report(&self, out: &mut Output<'_>) {
        for naming in self.names() {
            naming.report(out);
        }
    }
}
