//! Private numbers of this decoder in rows: attachments, kinds of notes, flags.

pub(crate) mod private_attachment {
    use spytui_plugin_api::AttachmentId;

    /// Values that the reference host prints for a bad frame: last sequence number (bit 8: the last byte was escaped),
    /// byte in place of the record id.
    pub(crate) const SHOWN: AttachmentId = AttachmentId(66);
    /// Ticks from the post of an event to its get.
    pub(crate) const RT: AttachmentId = AttachmentId(67);
}

/// Kinds of notes.
pub(crate) mod private_kind {
    use spytui_plugin_api::RowKind;

    /// Flags without frames.
    pub(crate) const IDLE: RowKind = RowKind(0xFF40);
}

/// Bits of `Row::flags`.
pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The frame contains escapes.
    pub(crate) const ESCAPED: RowFlags = RowFlags::own(0);
}
