//! The way back: an encoder turns commands into frames for the target.
//!
//! The host parses a command line by the decoder's [`CommandInfo`](crate::info::CommandInfo), resolves names, and calls
//! the encoder. An encoder sends nothing and keeps no time; its state is what the next frame depends on, such as a
//! sequence number or the filter that the target got last. To show what would be sent, the host encodes on a copy;
//! a copy takes the place of the original once its frames were written.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RString, RVec},
};

use crate::{
    batch::ByteRange,
    guard::Fault,
    info::{AnswerStage, DecoderOptions},
    number::named_numbers,
    render::Dict,
    row::RowKind,
};

/// A command with checked values.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Command<'a> {
    /// Id of its [`CommandInfo`](crate::info::CommandInfo).
    pub id: u16,
    /// The current configuration of the stream, see [`crate::CfgEvent`]; empty if there is none yet.
    pub cfg: RSlice<'a, u8>,
    /// Its values, in order of the arguments; an argument may have several: each number of a list, each key that has
    /// the name that was given.
    pub values: RSlice<'a, ArgValue>,
    /// Arena of the values' bytes.
    pub arena: RSlice<'a, u8>,
    /// Its filter.
    pub filter: RSlice<'a, FilterOp>,
    /// The kinds that were seen in the current epoch: what a filter is assumed to be that nobody set. Empty if too little
    /// came to know.
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

    /// The number of an argument; 0 if it was left out.
    pub fn number(&self, arg: u16) -> u64 {
        self.value(arg).map_or(0, |value| value.num)
    }

    /// The bytes of an argument.
    pub fn bytes(&self, arg: u16) -> &'a [u8] {
        self.value(arg).map_or(&[], |value| value.bytes.of(self.arena.as_slice()))
    }
}

/// The value of an argument.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgValue {
    /// Index of the argument.
    pub arg: u16,
    /// What was given.
    pub form: ArgForm,
    /// Number, key of a name, or index of a choice.
    pub num: u64,
    /// Scope of a name.
    pub scope: u64,
    /// Bytes, in [`Command::arena`].
    pub bytes: ByteRange,
}

named_numbers! {
    /// What was given as a value.
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
    /// Index of the group in the table; [`crate::NONE`] = the range.
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

/// What is known of switches of the target.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterState {
    /// Id of the [`FilterTable`](crate::info::FilterTable).
    pub table: u16,
    /// They are on.
    pub is_on: bool,
    /// The target has acknowledged it; otherwise it is assumed.
    pub is_known: bool,
    /// First switch.
    pub first: u64,
    /// Last switch.
    pub last: u64,
}

/// What was encoded.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct Frames {
    /// Frames in the order in which they are sent, each after the one before was acknowledged.
    pub frames: RVec<Frame>,
    /// Their bytes.
    pub bytes: RVec<u8>,
    /// What was assumed, one line each, for display.
    pub remarks: RVec<RString>,
    /// Something was assumed that the target reports when it starts. The host encodes again when that has come, or
    /// after some time.
    pub is_early: bool,
}

/// One frame for the target.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its bytes, in [`Frames::bytes`].
    pub bytes: ByteRange,
    /// Its answers carry this number, see [`crate::AttachmentId::ANSWER`].
    pub token: u64,
    /// Bits of the [`AnswerStage`]s that complete it; 0 = it has no answer.
    pub awaited: u8,
    /// How often the same bytes may be sent again if no answer comes.
    pub retries: u8,
    /// How long to wait for an answer, in ms.
    pub timeout_ms: u32,
    /// The answer may stand behind so many bytes in the target's buffer; the host waits longer by the time that they take
    /// at the rate of the link.
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

    /// Says what was assumed.
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
    /// What is wrong and what would be right.
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
    /// How far it brings its command, as far as the record says.
    pub stage: AnswerStage,
    /// Which value it carries, see [`crate::AttachmentId::ANSWER_DATA`].
    pub item: u64,
    /// The value.
    pub value: u64,
}

/// What an encoder makes of an answer.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// How far the answer brings its command.
    pub stage: AnswerStage,
    /// Why it was refused, or what it says, in a few words; may be empty.
    pub reason: RString,
}

named_numbers! {
    /// An event for an encoder.
    pub struct EncoderEventKind(u8) {
        /// The link was connected.
        CONNECTED = 1,
        /// The target was reset: a new epoch.
        RESET = 2,
        /// No answer to a frame came in time. It may still come.
        TIMED_OUT = 3,
        /// A frame was sent in part. The next one must begin with what ends the rest of it.
        SENT_IN_PART = 4,
    }
}

/// Turns commands into frames. The host clones encoders. `kit::conform` gives it random commands, of those that the
/// decoder declares ([`crate::Info::commands`]).
///
/// ```
/// use spytui_plugin_api::{Command, DecoderOptions, Dict, Encoder, Fault, Frame, Frames, Refusal};
///
/// /// The command `speed RPM`: a byte that says so, then the number.
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
    /// An encoder for a link that was just connected.
    ///
    /// # Errors
    /// Options that contradict each other; the host has checked each one.
    fn open(opts: &DecoderOptions<'_>) -> Result<Self, Fault>;

    /// Takes other options: the target goes on, so what is known of it stays. An encoder that opens with options has to
    /// take them here, too.
    ///
    /// # Errors
    /// Options that contradict each other; the host has checked each one.
    fn set_options(&mut self, opts: &DecoderOptions<'_>) -> Result<(), Fault> {
        let _ = opts;
        Ok(())
    }

    /// Encodes a command; frames are added only if it is not refused.
    ///
    /// # Errors
    /// The argument that can't be encoded.
    fn encode(&mut self, command: &Command<'_>, dict: &Dict<'_>, out: &mut Frames) -> Result<(), Refusal>;

    /// Takes an event; `token` = that of the frame that it is about, if it is about one.
    fn event(&mut self, kind: EncoderEventKind, token: u64) {
        let _ = (kind, token);
    }

    /// Takes an answer to one of its frames that waits for one, or that timed out, and says how far it brings its
    /// command. What it says of the target's filter holds in both cases.
    fn answer(&mut self, answer: &Answer) -> Verdict {
        Verdict { stage: answer.stage, ..Verdict::default() }
    }

    /// What is known of the target's switches; what is not named is unknown.
    fn filter(&self, out: &mut Vec<FilterState>) {
        let _ = out;
    }
}
