//! Stream events: what happened at a position beside the bytes.

/// Kinds of stream events: those of the plugin contract, and the host's own.
pub mod kind {
    use spytui_plugin_api::StreamEventKind as Event;

    /// Start of a stream.
    pub const START: u16 = Event::START.0;
    /// Host time of the bytes from here on.
    pub const TIME: u16 = Event::TIME.0;
    /// Start of a datagram.
    pub const DATAGRAM: u16 = Event::DATAGRAM.0;
    pub const LINK_UP: u16 = Event::LINK_UP.0;
    pub const LINK_DOWN: u16 = Event::LINK_DOWN.0;
    /// End of the input.
    pub const END: u16 = Event::END.0;
    /// Options valid from here on.
    pub const OPTIONS: u16 = Event::OPTIONS.0;
    /// Bytes lost by the host.
    pub const HOST_LOSS: u16 = Event::HOST_LOSS.0;
    pub const LINE_ERROR: u16 = Event::LINE_ERROR.0;
    /// How a command ended: `arg` = one of [`super::result`], `text` in words. Gives a row of the host.
    pub const RESULT: u16 = 29;
    /// A command to the target, in words. Gives a row of the host.
    pub const COMMAND: u16 = 30;
    /// Bytes sent to the target (`text`). Plays no part in decoding.
    pub const SENT: u16 = 31;
}

/// Values of `arg` of a [`kind::RESULT`] event.
pub mod result {
    pub const DONE: u32 = 0;
    /// The target refused it.
    pub const REFUSED: u32 = 1;
    /// No answer came.
    pub const TIMED_OUT: u32 = 2;
    /// Not sent, or given up before the answer.
    pub const FAILED: u32 = 3;
}

/// Values of `arg` of a [`kind::LINE_ERROR`] event.
pub mod line_error {
    /// Parity error.
    pub const PARITY: u32 = 1;
    /// Framing error: no stop bit.
    pub const FRAMING: u32 = 2;
    /// Receiver overrun.
    pub const OVERRUN: u32 = 3;
    /// Break condition.
    pub const BREAK: u32 = 4;
}

/// A stream event in the log. An event at `pos` comes before the byte at `pos`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEvent {
    /// Position in the log.
    pub pos: u64,
    /// Host time, Unix nanoseconds; 0 = unknown.
    pub host_ns: u64,
    /// One of [`kind`].
    pub kind: u16,
    /// Argument; the meaning depends on the kind.
    pub arg: u32,
    /// Text or bytes; usually empty.
    pub text: Vec<u8>,
}

impl LogEvent {
    /// Whether the event plays a part in decoding; others are only recorded.
    pub fn is_decoded(&self) -> bool {
        self.kind != kind::SENT
    }

    /// Whether the event is of the host alone, and not passed to decoders.
    pub fn is_of_host(&self) -> bool {
        matches!(self.kind, kind::SENT | kind::COMMAND | kind::RESULT)
    }
}
