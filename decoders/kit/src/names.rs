//! Look-up of names.

use spytui_plugin_api::Dict;

/// Names as valid at the row being rendered.
pub trait Names {
    /// The name of a key; `scope` = 0 if the space has no scopes.
    fn name(&self, space: u16, key: u64, scope: u64) -> Option<&[u8]>;
}

impl Names for Dict<'_> {
    #[inline]
    fn name(&self, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        Dict::name(self, space, key, scope)
    }
}
