//! Stream events: what happened beside the bytes, by position. Kinds are the numbers of the plugin contract.

/// Kind numbers of marks: those of the plugin contract, and the host's own.
pub mod kind {
    use spytui_plugin_api::StreamEventKind as Event;

    /// First of a stream.
    pub const START: u16 = Event::START.0;
    /// Host time of the bytes from here.
    pub const TIME: u16 = Event::TIME.0;
    /// A datagram starts.
    pub const DATAGRAM: u16 = Event::DATAGRAM.0;
    /// The link came up.
    pub const LINK_UP: u16 = Event::LINK_UP.0;
    /// The link went down.
    pub const LINK_DOWN: u16 = Event::LINK_DOWN.0;
    /// End of the input for good.
    pub const END: u16 = Event::END.0;
    /// Options valid from here.
    pub const OPTIONS: u16 = Event::OPTIONS.0;
    /// Bytes lost by the host.
    pub const HOST_LOSS: u16 = Event::HOST_LOSS.0;
    /// Line error.
    pub const LINE_ERROR: u16 = Event::LINE_ERROR.0;
    /// Bytes sent to the target (`text`). The host's own: decoders never see it.
    pub const SENT: u16 = 31;
}

/// Values of `arg` of a [`kind::LINE_ERROR`] mark.
pub mod line_error {
    /// Parity does not match.
    pub const PARITY: u32 = 1;
    /// No stop bit.
    pub const FRAMING: u32 = 2;
    /// The receiver was not emptied in time.
    pub const OVERRUN: u32 = 3;
    /// Break condition.
    pub const BREAK: u32 = 4;
}

/// One entry of the side list. A mark at `pos` comes before the byte at `pos`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideMark {
    /// Position in the log.
    pub pos: u64,
    /// Host time, Unix nanoseconds; 0 = unknown.
    pub host_ns: u64,
    /// One of [`kind`].
    pub kind: u16,
    /// Meaning depends on the kind.
    pub arg: u32,
    /// Text or bytes that belong to it; usually empty.
    pub text: Vec<u8>,
}

impl SideMark {
    /// Whether decoders get this mark (the host's own ones are only recorded).
    pub fn for_decoder(&self) -> bool {
        self.kind != kind::SENT
    }
}
