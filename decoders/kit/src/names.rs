//! Look-up of names.

use spytui_plugin_api::Dict;

/// Names as the row being rendered sees them.
pub trait Names {
    /// The name of a key; `scope` = 0 where the space has none.
    fn name(&self, space: u16, key: u64, scope: u64) -> Option<&[u8]>;
}

impl Names for Dict<'_> {
    #[inline]
    fn name(&self, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        Dict::name(self, space, key, scope)
    }
}
