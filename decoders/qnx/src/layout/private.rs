//! Private numbers of this decoder: notes, attachments, counters.

/// Its own kinds of notes.
pub(crate) mod note {
    use spytui_plugin_api::RowKind;

    /// A buffer arrived with fewer events than it says.
    pub(crate) const SHORT_BUFFER: RowKind = RowKind::FIRST_OWN_LOSS;
    /// The system page after a header.
    pub(crate) const SYSTEM_PAGE: RowKind = RowKind(RowKind::FIRST_OWN_NOTE.0 + 1);
    /// More of a long run of skipped bytes.
    pub(crate) const SKIPPED: RowKind = RowKind(RowKind::FIRST_OWN_NOTE.0 + 2);
    /// Events without content.
    pub(crate) const NULL: RowKind = RowKind(RowKind::FIRST_OWN_NOTE.0 + 3);
}

/// Its own attachments.
pub(crate) mod attached {
    use spytui_plugin_api::AttachmentId;

    /// Duration of a kernel call, in nanoseconds.
    pub(crate) const TOOK: AttachmentId = AttachmentId(64);
    /// Events missing in a buffer; its number.
    pub(crate) const MISSING: AttachmentId = AttachmentId(65);
    /// The text that a format file gives a record.
    pub(crate) const TEXT: AttachmentId = AttachmentId(66);
    /// The bit beside a buffer's number that says that this side lost what is missing.
    pub(crate) const LOST_HERE: u32 = 32;
    /// Events at most missing in a buffer that the end of the link cut; its number.
    pub(crate) const AT_MOST: AttachmentId = AttachmentId(67);
    /// What the kernel says where it dropped events.
    pub(crate) const DROPPED: AttachmentId = AttachmentId(68);
}

/// What begins where the logger was started again: the target ran on.
pub(crate) const NEW_RUN: &[u8] = b"new trace run";

/// Its own counters.
pub(crate) mod counter {
    use spytui_plugin_api::CounterId;

    pub(crate) const BUFFERS: CounterId = CounterId(64);
    pub(crate) const LOST_BUFFERS: CounterId = CounterId(65);
    pub(crate) const SHORT_BUFFERS: CounterId = CounterId(66);
    pub(crate) const MISSING_EVENTS: CounterId = CounterId(67);
    pub(crate) const UNBALANCED_CONT: CounterId = CounterId(68);
    pub(crate) const UNBALANCED_END: CounterId = CounterId(69);
    pub(crate) const UNTERMINATED_BEGIN: CounterId = CounterId(70);
    pub(crate) const DROP_EVENTS: CounterId = CounterId(71);
    pub(crate) const TAIL_BYTES: CounterId = CounterId(72);
    pub(crate) const NULL_EVENTS: CounterId = CounterId(73);
    pub(crate) const MASKED: CounterId = CounterId(74);
    pub(crate) const OVERRUN_EVENTS: CounterId = CounterId(75);
    pub(crate) const OVERRUN_BYTES: CounterId = CounterId(76);

    /// What every stream of the instrumented kernel has.
    pub(crate) const OF_BUFFERS: [CounterId; 6] =
        [LOST_BUFFERS, SHORT_BUFFERS, MISSING_EVENTS, UNBALANCED_CONT, UNBALANCED_END, UNTERMINATED_BEGIN];
}
