//! Private numbers of this decoder in rows: flags.

/// Bits of `Row::flags`.
pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The first frame of a stream or link, which may be cut.
    pub(crate) const FIRST: RowFlags = RowFlags::own(0);
}
