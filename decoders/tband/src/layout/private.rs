//! Private numbers of this decoder in rows: attachments and flags.

/// Attachments.
pub(crate) mod private_attachment {
    use spytui_plugin_api::AttachmentId;

    /// Events that the target dropped so far.
    pub(crate) const TOTAL: AttachmentId = AttachmentId(64);
    /// Time stamps before and after what a note reports.
    pub(crate) const SPAN: AttachmentId = AttachmentId(65);
    /// Nanoseconds per tick of these, where the target has told.
    pub(crate) const TICK: AttachmentId = AttachmentId(66);
}

/// Bits of `Row::flags`.
pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The first frame of a stream or link: it may have begun before.
    pub(crate) const FIRST: RowFlags = RowFlags::own(0);
}
