//! Private numbers of this decoder in rows: attachments and flags.

/// Attachments.
pub(crate) mod private_attachment {
    use spytui_plugin_api::AttachmentId;

    /// Number of events dropped by the target so far.
    pub(crate) const TOTAL: AttachmentId = AttachmentId(64);
    /// Time stamps before and after what a note reports.
    pub(crate) const SPAN: AttachmentId = AttachmentId(65);
    /// Nanoseconds per tick of these, if reported by the target.
    pub(crate) const TICK: AttachmentId = AttachmentId(66);
}

/// Bits of `Row::flags`.
pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The first frame of a stream or link, which may be cut.
    pub(crate) const FIRST: RowFlags = RowFlags::own(0);
}
