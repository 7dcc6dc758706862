//! A rendered row with everything an export may use.

use std::borrow::Cow;

use spytui_plugin_api::{
    Activity, Attachment, Field, RenderedRow, Row, RowIn, Severity,
    batch::{AttachmentId, wire_len},
    info::Info,
    row::NONE,
};

use super::tracks::{STATES, TRACKS};
use crate::{
    present::{Clock, Labels, labels::Kind},
    query::Name,
    store::{RowNames, Span},
};

/// One rendered row.
#[derive(Debug, Clone, Copy)]
pub struct RowView<'a> {
    /// The decoder.
    pub info: &'a Info,
    pub labels: &'a Labels,
    /// The labels of the row's kind.
    pub kind: &'a Kind,
    /// Index of the source, from 0, if there are several.
    pub source: Option<u16>,
    /// There are other targets.
    pub apart: bool,
    /// Number of the record, from 1; `None` if the row is no record.
    pub n: Option<u64>,
    pub row: &'a Row,
    /// How severe it is; formatters may make it more severe than its decoder.
    pub severity: Severity,
    /// Its place in a span, and whether it is uncertain.
    pub span: (Span, bool),
    pub attachments: &'a [Attachment],
    /// Its activities, if requested by the sink.
    pub activities: &'a [Activity],
    /// Arena of the attachments.
    pub blob: &'a [u8],
    /// The configuration in force.
    pub cfg: &'a [u8],
    /// Its bytes, all fragments concatenated.
    pub raw: &'a [u8],
    /// What was asked for: text, fields, bytes.
    pub rendered: RenderedRow<'a>,
    /// Names as seen by this row.
    pub names: &'a dyn RowNames,
    pub clock: Clock,
    /// Time of the previous row with a time stamp.
    pub before: Option<u64>,
    /// Host time of its bytes, Unix ns.
    pub host_ns: Option<u64>,
    /// Target epoch, from 0.
    pub epoch: u32,
    /// Names of the bookmarks on it.
    pub marks: &'a [&'a str],
}

impl<'a> RowView<'a> {
    /// A row of a decoder, as it is by itself: without what it has from its source and from the rows before it.
    #[inline]
    pub fn new(
        info: &'a Info,
        labels: &'a Labels,
        input: RowIn<'a>,
        names: &'a dyn RowNames,
        rendered: RenderedRow<'a>,
    ) -> RowView<'a> {
        RowView {
            info,
            labels,
            kind: labels.kind(info, input.row.kind),
            source: None,
            apart: false,
            n: None,
            row: input.row,
            severity: input.row.severity,
            span: Default::default(),
            attachments: input.attachments.as_slice(),
            activities: &[],
            blob: input.blob.as_slice(),
            cfg: &[],
            raw: input.raw.as_slice(),
            rendered,
            names,
            clock: Clock::default(),
            before: None,
            host_ns: None,
            epoch: 0,
            marks: &[],
        }
    }
}

impl RowView<'_> {
    /// The decoder's view of the row.
    pub fn row_in(&self) -> RowIn<'_> {
        RowIn { row: self.row, raw: self.raw.into(), attachments: self.attachments.into(), blob: self.blob.into() }
    }

    /// Its fields without the sequence number.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &Field)> {
        let RenderedRow { fields, blob, .. } = self.rendered;
        let is_shown = |name: &[u8], field: &Field| name != b"seq" && !matches!(field.space, TRACKS | STATES);
        fields.iter().map(|f| (f.name.of(blob), f)).filter(move |(name, field)| is_shown(name, field))
    }

    /// Names of the tracks that formatters put it on, or of the states that it has there, with their numbers.
    pub(crate) fn track_names(&self, name: Name) -> impl Iterator<Item = (Cow<'_, str>, u64)> {
        let space = match name {
            Name::Obj => TRACKS,
            Name::State => STATES,
            _ => NONE,
        };
        let RenderedRow { fields, blob, .. } = self.rendered;
        let own = fields.iter().filter(move |field| space != NONE && field.space == space);
        own.map(move |field| (String::from_utf8_lossy(field.text.of(blob)), u64::from(field.num as u32)))
    }

    /// Sequence number: the decoder's field `seq`.
    pub fn seq(&self) -> Option<u64> {
        let RenderedRow { fields, blob, .. } = self.rendered;
        fields.iter().find(|f| f.name.of(blob) == b"seq").map(|f| f.num)
    }

    /// Offset of its first byte in the stream.
    pub fn pos(&self) -> u64 {
        self.pieces().map(|e| e.a).next().unwrap_or(self.row.pos)
    }

    /// Length of its bytes including framing, all fragments; 0 if they belong to an earlier row.
    pub fn len(&self) -> u64 {
        wire_len(self.row, self.attachments)
    }

    /// Whether it has no bytes of its own.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn pieces(&self) -> impl Iterator<Item = &Attachment> {
        self.attachments.iter().filter(|e| e.id == AttachmentId::FRAGMENT)
    }

    /// Time in ns, if the row has one and the rate is known.
    pub fn ns(&self) -> Option<u64> {
        if self.row.has_time() { self.clock.ns(self.row.time) } else { None }
    }

    /// Core, if the row belongs to one.
    pub fn core(&self) -> Option<u16> {
        (self.cores() && self.row.core != NONE).then_some(self.row.core)
    }

    /// Whether rows have different cores: those of the protocol, or one per source.
    pub fn cores(&self) -> bool {
        self.source.is_some() || self.info.has_cores
    }

    /// Whether cores are ambiguous because other targets have the same ones.
    pub fn cores_apart(&self) -> bool {
        self.apart && self.info.has_cores
    }
}
