//! The plugin API between spytui and its decoders, version 1.0.
//!
//! A **decoder** turns a byte stream into rows: records, and the losses, damage and banners between them. It implements
//! the safe trait [`Decoder`]; [`decoder()`] turns that into the function tables that cross the library boundary, with
//! a panic guard around every entry.
//!
//! A **formatter** writes the text of a protocol's application records; it implements the trait [`Formatter`].
//!
//! | module | what is in it |
//! |---|---|
//! | [`row`] | rows, their flags, the kinds of notes |
//! | [`batch`] | output besides rows: attachments, names, configuration, clocks, counters; gaps that are settled later |
//! | [`activity`] | activities: the meaning of a record, in verbs that all views understand |
//! | [`chunk`] | input: bytes and stream events |
//! | [`console`] | printable text between frames and in damage |
//! | [`render`] | from rows to text and fields, and name lookup |
//! | [`info`] | the description of a decoder, declarations of its options |
//! | [`mod@decoder`] | the trait implemented by decoders |
//! | [`mod@encoder`] | the trait implemented by encoders, which turn commands into frames for the target |
//! | [`mod@formatter`] | the trait implemented by formatters, which write the text of application records |
//! | [`output`] | where decoder functions put rows and names |
//! | [`text`] | where rendering puts text, kind words and fields |
//! | [`table`] | the function tables that cross the library boundary, and the host's side of them |
//! | [`mod@nearest`] | the known word nearest to a mistyped one, for messages |
//! | [`guard`] | the panic guard |
//! | [`export`] | stamp, root module and export macro of a plugin library |
//! | [`running`] | which plugin entry each thread is running |
//!
//! # Rows and notes
//!
//! The smallest decoder is the example at the trait [`Decoder`]; most protocols need even less, see the crate
//! `spytui-plugin-layer`. Bytes that are not in a row yet are pending. The host derives counters, inherited times and byte
//! accounting from rows. A note is a row of a predefined kind, with attachments for its content:
//!
//! ```
//! # use spytui_plugin_api::{AttachmentId, Batch, Output, Row, RowKind};
//! # let mut batch = Batch::default();
//! # let mut out = Output::new(&mut batch, false);
//! // Three records are missing before position 40: expected number 7, got 10.
//! out.attachment(AttachmentId::LOST, 3, 1);
//! out.attachment(AttachmentId::EXPECTED, 7, 10);
//! out.row(Row::gap(40));
//! // The next twelve bytes are a frame with a bad checksum.
//! out.row(Row::skipped(RowKind::BAD_CHECK, 40, 12));
//! # assert_eq!((batch.rows.len(), batch.attachments.len()), (2, 2));
//! ```
//!
//! The host words notes in the same way for all protocols: `3 records
//! lost, seq 7-9`. A decoder may only add a short detail after these words.
//!
//! Versions: structs, tables and the meanings of numbers don't change; extensions are new numbers. A plugin loads in
//! every later version with the same major number.

#![warn(missing_docs)]

pub mod activity;
pub mod batch;
pub mod chunk;
pub mod console;
pub mod decoder;
pub mod encoder;
pub mod export;
pub mod formatter;
pub mod guard;
pub mod info;
pub mod nearest;
mod number;
pub mod output;
pub mod render;
pub mod row;
pub mod running;
pub mod table;
pub mod text;

pub use abi_stable::std_types::{RResult, RSlice, RStr, RString, RVec};
pub use activity::{Activity, ActivityFlags, TaskState, Verb};
pub use batch::{
    Attachment, AttachmentId, Batch, ByteRange, CfgEvent, ClockEvent, Count, CounterId, DictEvent, Growth, LossCause,
};
pub use chunk::{Chunk, Source, StreamEvent, StreamEventKind};
pub use decoder::Decoder;
pub use encoder::{
    Answer, ArgForm, ArgValue, Command, Encoder, EncoderEventKind, FilterOp, FilterOpKind, FilterState, Frame, Frames,
    Refusal, Verdict,
};
pub use export::{API_MAJOR, API_MINOR, Library, LibraryRef};
pub use formatter::{AppRecord, FieldInfo, FieldMeans, Formatter, FormatterInfo, NumberInfo};
pub use guard::Fault;
pub use info::{Class, DecoderOptions, Info, KeyFormat};
pub use output::{Output, Skipped};
pub use render::{Dict, Field, Rendered, RenderedRow, Request, RowIn, Want};
pub use row::{NO_GROUP, NONE, Row, RowFlags, RowKind, Severity};
pub use table::{
    DecoderRef, EncodeError, EncoderInstance, FormatterInstance, FormatterRef, Instance, decoder, decoder_and_encoder,
    formatter,
};
pub use text::TextWriter;

/// Dependencies of the export macro, re-exported so that a plugin depends only on this crate.
#[doc(hidden)]
pub mod re {
    pub use abi_stable::abi_stability::stable_abi_trait;
    pub use abi_stable::library::{__call_root_module_loader, CheckTypeLayout, LibHeader, RootModuleResult};
    pub use abi_stable::prefix_type::{PrefixTypeTrait, WithMetadata};
}
