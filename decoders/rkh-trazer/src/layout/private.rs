//! Private numbers of this decoder in rows: attachments, kinds of notes, flags.

pub(crate) mod private_attachment {
    use spytui_plugin_api::AttachmentId;

    /// Ticks from the post of an event to its get.
    pub(crate) const RT: AttachmentId = AttachmentId(66);
    /// Number of a post, counted by object; reference style only.
    pub(crate) const POST: AttachmentId = AttachmentId(67);
    /// Signed ticks since the post, and its number, as the reference host prints them with a get; reference style only.
    pub(crate) const HOST_RT: AttachmentId = AttachmentId(68);
}

/// Kinds of notes.
pub(crate) mod private_kind {
    use spytui_plugin_api::RowKind;

    /// Flags without frames.
    pub(crate) const IDLE: RowKind = RowKind(0xFF40);
    /// The host joined a running stream.
    pub(crate) const JOINED: RowKind = RowKind(0xFF41);
}

/// Bits of `Row::flags`.
pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The frame contains escapes.
    pub(crate) const ESCAPED: RowFlags = RowFlags::own(0);
    /// The flag after the frame arrived as 0 or is missing.
    pub(crate) const FUSED: RowFlags = RowFlags::own(2);
}
