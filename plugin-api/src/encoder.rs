//! The way back: an encoder turns commands into frames for the target.
//!
//! The host parses a command line by the decoder's [`CommandInfo`](crate::info::CommandInfo), resolves names, and calls
//! the encoder. An encoder neither sends nor keeps time; its state is what the next frame depends on, such as a
//! sequence number or the last filter sent. To preview frames, the host encodes on a copy; after frames are written,
//! the copy replaces the original.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RString, RVec},
};

use crate::{ByteRange, DecoderOptions, Dict, Fault, RowKind, info::AnswerStage, number::named_numbers};

/// A command with checked values.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Command<'a> {
    /// Id of its [`CommandInfo`](crate::info::CommandInfo).
    pub id: u16,
    /// The current configuration of the stream, see [`crate::CfgEvent`]; empty if there is none yet.
    pub cfg: RSlice<'a, u8>,
    /// Its values, in argument order; an argument may have several: each number of a list, or each key with the given
    /// name.
    pub values: RSlice<'a, ArgValue>,
    /// Arena of the values' bytes.
    pub arena: RSlice<'a, u8>,
    /// Its filter.
    pub filter: RSlice<'a, FilterOp>,
    /// Kinds seen in the current epoch: the assumed filter if nobody has set one. Empty if there is too little data.
    pub seen: RSlice<'a, RowKind>,
}

impl<'a> Command<'a> {
    /// All values of an argument, by index.
    pub fn values(&self, arg: u16) -> impl Iterator<Item = &'a ArgValue> + use<'a> {
        self.values.as_slice().iter().filter(move |value| value.arg == arg)
    }

    /// The first value of an argument.
    pub fn value(&self, arg: u16) -> Option<&'a ArgValue> {
        self.values(arg).next()
    }

    /// The number of an argument; 0 if omitted.
    pub fn number(&self, arg: u16) -> u64 {
        self.value(arg).map_or(0, |value| value.num)
    }

    /// The bytes of an argument.
    pub fn bytes(&self, arg: u16) -> &'a [u8] {
        self.value(arg).map_or(&[], |value| value.bytes.of(self.arena.as_slice()))
    }
}

/// A value of an argument.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgValue {
    /// Index of the argument.
    pub arg: u16,
    /// Form of the value.
    pub form: ArgForm,
    /// Number, key of a name, or index of a choice.
    pub num: u64,
    /// Scope of a name.
    pub scope: u64,
    /// Bytes, in [`Command::arena`].
    pub bytes: ByteRange,
}

named_numbers! {
    /// Form of an argument's value.
    pub struct ArgForm(u8) {
        /// A number.
        NUMBER = 0,
        /// One of the choices.
        CHOICE = 1,
        /// A name.
        NAME = 2,
        /// Bytes.
        BYTES = 3,
    }
}

/// One change of a filter.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterOp {
    /// What to do.
    pub kind: FilterOpKind,
    /// Id of the [`FilterTable`](crate::info::FilterTable).
    pub table: u16,
    /// Index of the group in the table; [`crate::NONE`] = the range `first..=last`.
    pub group: u16,
    /// First switch.
    pub first: u64,
    /// Last switch.
    pub last: u64,
}

named_numbers! {
    /// What a [`FilterOp`] does.
    pub struct FilterOpKind(u8) {
        /// Switch on.
        ON = 0,
        /// Switch off.
        OFF = 1,
        /// Switch the whole table off; the switches are not used.
        CLEAR = 2,
    }
}

/// Known state of a range of the target's switches.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterState {
    /// Id of the [`FilterTable`](crate::info::FilterTable).
    pub table: u16,
    /// The switches are on.
    pub is_on: bool,
    /// Acknowledged by the target; otherwise assumed.
    pub is_known: bool,
    /// First switch.
    pub first: u64,
    /// Last switch.
    pub last: u64,
}

/// Result of encoding a command.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// Frames in sending order; each is sent once the previous one is acknowledged.
    pub frames: RVec<Frame>,
    /// Their bytes.
    pub bytes: RVec<u8>,
    /// Assumptions made, one line each, for display.
    pub remarks: RVec<RString>,
    /// It assumes something that the target reports at start. The host encodes again once that arrives, or after a
    /// delay.
    pub is_early: bool,
}

/// One frame for the target.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its bytes, in [`Frames::bytes`].
    pub bytes: ByteRange,
    /// Number that its answers carry, see [`crate::AttachmentId::ANSWER`].
    pub token: u64,
    /// Bits of the [`AnswerStage`]s that complete it; 0 = no answer expected.
    pub awaited: u8,
    /// Maximum number of retransmissions if no answer arrives.
    pub retries: u8,
    /// How long to wait for an answer, in ms.
    pub timeout_ms: u32,
    /// Bytes that may precede the answer in the target's buffer; the host extends the timeout by their transmission
    /// time at the link's rate.
    pub behind: u32,
}

impl Frames {
    /// Adds a frame whose bytes `write` appends.
    pub fn push(&mut self, frame: Frame, write: impl FnOnce(&mut RVec<u8>)) {
        let off = self.bytes.len();
        write(&mut self.bytes);
        let len = self.bytes.len() - off;
        self.frames.push(Frame { bytes: ByteRange { off: off as u32, len: len as u32 }, ..frame });
    }

    /// Records an assumption for display.
    pub fn remark(&mut self, text: &str) {
        self.remarks.push(text.into());
    }
}

/// Why a command can't be encoded.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Index of the wrong argument.
    pub arg: u16,
    /// What is wrong, and what would be right.
    pub message: RString,
}

impl Refusal {
    /// The refusal of an argument.
    pub fn new(arg: u16, message: &str) -> Refusal {
        Refusal { arg, message: message.into() }
    }
}

/// An answer of the target: a record with an attachment [`crate::AttachmentId::ANSWER`] or
/// [`crate::AttachmentId::ANSWER_TO_ANY`] that belongs to a frame of this encoder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Token of the frame that it belongs to.
    pub token: u64,
    /// How far the command has got, according to the record.
    pub stage: AnswerStage,
    /// Id of the value it carries, see [`crate::AttachmentId::ANSWER_DATA`].
    pub item: u64,
    /// The value.
    pub value: u64,
}

/// The encoder's reading of an answer.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// How far the command has got.
    pub stage: AnswerStage,
    /// Why it was refused, or what the answer means, in a few words; may be empty.
    pub reason: RString,
}

named_numbers! {
    /// An event for an encoder.
    pub struct EncoderEventKind(u8) {
        /// The link came up.
        CONNECTED = 1,
        /// The target was reset: a new epoch.
        RESET = 2,
        /// No answer to a frame arrived in time. It may still arrive.
        TIMED_OUT = 3,
        /// A frame was sent only in part. The next one must begin by terminating it.
        SENT_IN_PART = 4,
    }
}

/// Turns commands into frames. The host clones encoders. `kit::conform` tests it with random commands that the decoder
/// declares ([`crate::Info::commands`]).
///
/// ```
/// use spytui_plugin_api::{Command, DecoderOptions, Dict, Encoder, Fault, Frame, Frames, Refusal};
///
/// /// The command `speed RPM`: a tag byte, then the number.
/// #[derive(Clone)]
/// struct Speed;
///
/// impl Encoder for Speed {
///     fn open(_: &DecoderOptions<'_>) -> Result<Speed, Fault> {
///         Ok(Speed)
///     }
///
///     fn encode(&mut self, command: &Command<'_>, _: &Dict<'_>, out: &mut Frames) -> Result<(), Refusal> {
///         let rpm = u16::try_from(command.number(0)).map_err(|_| Refusal::new(0, "it takes at most 65535 rpm"))?;
///         out.push(Frame::default(), |bytes| {
///             bytes.push(b's');
///             bytes.extend_from_slice(&rpm.to_le_bytes());
///         });
///         Ok(())
///     }
/// }
///
/// // In a library: `decoder_and_encoder::<Pump, Speed>()`.
/// let mut frames = Frames::default();
/// # use spytui_plugin_api::{RSlice, encoder::{ArgForm, ArgValue}};
/// # let values = [ArgValue { arg: 0, form: ArgForm::NUMBER, num: 300, scope: 0, bytes: Default::default() }];
/// # let (values, bytes) = (values.as_slice().into(), RSlice::EMPTY);
/// # let command = Command { id: 0, cfg: bytes, values, arena: bytes, filter: RSlice::EMPTY, seen: RSlice::EMPTY };
/// Speed.encode(&command, &Dict::new(&()), &mut frames).unwrap();
/// assert_eq!(frames.bytes, [b's', 0x2C, 0x01]);
/// ```
pub trait Encoder: Clone + Send + 'static {
    /// Creates an encoder for a link that has just come up; fails like [`crate::Decoder::open`].
    fn open(opts: &DecoderOptions<'_>) -> Result<Self, Fault>;

    /// Changes options while the target keeps running, so its known state stays. An encoder that uses options must
    /// implement this, too. Fails like [`Encoder::open`].
    fn set_options(&mut self, opts: &DecoderOptions<'_>) -> Result<(), Fault> {
        let _ = opts;
        Ok(())
    }

    /// Encodes a command; adds no frames if it refuses the command.
    fn encode(&mut self, command: &Command<'_>, dict: &Dict<'_>, out: &mut Frames) -> Result<(), Refusal>;

    /// Handles an event; `token` belongs to the frame concerned, if any.
    fn event(&mut self, kind: EncoderEventKind, token: u64) {
        let _ = (kind, token);
    }

    /// Handles an answer to one of its frames, pending or timed out, and returns how far the command has got. What it
    /// reveals about the target's filter holds either way.
    fn answer(&mut self, answer: &Answer) -> Verdict {
        Verdict { stage: answer.stage, ..Verdict::default() }
    }

    /// Reports known switches of the target; all others are unknown.
    fn filter(&self, out: &mut Vec<FilterState>) {
        let _ = out;
    }
}
