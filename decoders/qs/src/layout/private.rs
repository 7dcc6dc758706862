//! Numbers in rows that are this decoder's own: attachments, kinds of notes, flags.

/// Attachments.
pub(crate) mod private_attachment {
    use spytui_plugin_api::AttachmentId;

    pub(crate) use spytui_decoder_kit::gap_attachment::{DAMAGED, SPAN};

    /// What the reference host shows of a broken frame: last sequence number (bit 8: the last byte was escaped),
    /// byte in place of the record id.
    pub(crate) const SHOWN: AttachmentId = AttachmentId(66);
}

/// Kinds of rows that are no records.
pub(crate) mod private_kind {
    use spytui_plugin_api::RowKind;

    /// Flags without frames.
    pub(crate) const IDLE: RowKind = RowKind(0xFF40);
    /// A frame that came after its successor.
    pub(crate) const LATE: RowKind = RowKind(0xFF41);
}

/// Bits of `Row::flags`.
pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The frame holds escapes.
    pub(crate) const ESCAPED: RowFlags = RowFlags::own(0);
}
