//! The safe traits that authors implement, and the helpers handed to them.
//!
//! No entry prints, sleeps, spawns threads, opens files or sockets, reads clocks or environment, uses mutable
//! globals or random hash order, or keeps a reference after it returned. What a decoder emits is a function of
//! options, source, bytes and marks alone: not of chunking, and of `want` only as far as activities go.

use crate::{
    act::Act,
    batch::{Batch, CfgEvent, ClockEvent, Count, Cut, DictEvent, Extra, dict_op, extra},
    chunk::{Mark, Source, WANT_ACTS},
    guard::Fault,
    info::{Guess, Info, OptVal},
    render::{Answer, Ask, DictView, Field, Rendered, RowIn, tag},
    row::{NONE, Row, flag},
};

/// One protocol's decoder. `Clone` is the fork: keep big state behind `Arc`.
pub trait Decoder: Clone + Send + 'static {
    /// About the decoder.
    fn info() -> Info;

    /// Guesses whether, and with which options, `sample` is this protocol. At most 50 ms for 256 KiB.
    fn probe(sample: &[u8], opts: &Opts<'_>, out: &mut Vec<Guess>) {
        let _ = (sample, opts, out);
    }

    /// Opens an instance.
    ///
    /// # Errors
    /// Options that contradict each other; the host has checked each for itself.
    fn open(opts: &Opts<'_>, source: &Source<'_>) -> Result<Self, Fault>;

    /// Bytes between two marks; `pos` = absolute position of the first.
    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Out<'_>);

    /// A mark; its `pos` is where the stream stands.
    fn mark(&mut self, mark: &Mark, text: &[u8], out: &mut Out<'_>) {
        let _ = (mark, text, out);
    }

    /// Bytes that are in no row yet, asked for after each feed.
    fn pending(&self) -> u64;

    /// Renders one row.
    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: u32, out: &mut Text<'_>);

    /// Renders a block of rows with what [`Decoder::render`] makes of each; the default calls it. Worth writing where
    /// work can be done once for all of them. Row `i` sees the names of [`Dict::at`] `i` and is ended with
    /// [`Text::end_row`]. If this panics or ends another number of rows, the block is rendered row by row instead.
    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: u32, out: &mut Text<'_>) {
        render_each::<Self>(cfg, rows, dict, want, out);
    }

    /// Name of a slice or track of an activity; empty = the host's default.
    fn label(cfg: &[u8], row: &RowIn<'_>, act: &Act, what: u16, dict: &Dict<'_>, out: &mut Text<'_>) {
        let _ = (cfg, row, act, what, dict, out);
    }
}

/// Renders a block of rows with [`Decoder::render`].
pub fn render_each<D: Decoder>(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: u32, out: &mut Text<'_>) {
    for (i, row) in (0..).zip(rows) {
        D::render(cfg, row, &dict.at(i), want, out);
        out.end_row(0);
    }
}

/// The options that an instance was opened with. The host has checked type, range and choice of each.
#[derive(Clone, Copy, Debug)]
pub struct Opts<'a>(pub &'a [OptVal<'a>]);

impl<'a> Opts<'a> {
    /// The value as bytes; the content of a file. The last one given counts.
    #[must_use]
    pub fn bytes(&self, key: &str) -> Option<&'a [u8]> {
        self.0.iter().rev().find(|o| o.key == key).map(|o| o.value.as_slice())
    }

    /// The value as text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.bytes(key).and_then(|b| std::str::from_utf8(b).ok())
    }

    /// The value as an integer, decimal or 0x.
    #[must_use]
    pub fn int(&self, key: &str) -> Option<i64> {
        let text = self.text(key)?.trim();
        match text.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        }
    }

    /// The value as a truth value.
    #[must_use]
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.text(key)? {
            "1" | "yes" | "on" | "true" => Some(true),
            "0" | "no" | "off" | "false" => Some(false),
            _ => None,
        }
    }
}

/// Where a feed puts what it found. Extras and activities are pushed before their row.
#[derive(Debug)]
pub struct Out<'a> {
    batch: &'a mut Batch,
    want: u32,
}

impl<'a> Out<'a> {
    /// Around a batch.
    pub fn new(batch: &'a mut Batch, want: u32) -> Out<'a> {
        Out { batch, want }
    }

    /// Whether activities are wanted.
    #[inline]
    #[must_use]
    pub fn wants_acts(&self) -> bool {
        self.want & WANT_ACTS != 0
    }

    /// Index of the next row.
    #[inline]
    #[must_use]
    pub fn at(&self) -> u32 {
        self.batch.rows.len() as u32
    }

    /// Adds a row. [`flag::EXTRAS`] is set here when extras were pushed for it.
    pub fn row(&mut self, mut row: Row) {
        if self.batch.extras.last().is_some_and(|e| e.at == self.at()) {
            row.flags |= flag::EXTRAS;
        }
        self.batch.rows.push(row);
    }

    /// Adds a row for which no extras were pushed: the quicker way for most rows of a stream.
    #[inline(always)]
    pub fn plain_row(&mut self, row: Row) {
        self.batch.rows.push(row);
    }

    /// Adds an extra to the next row.
    pub fn extra(&mut self, id: u16, a: u64, b: u64) {
        let at = self.at();
        self.batch.extras.push(Extra { at, id, flags: 0, a, b });
    }

    /// Adds an extra with bytes to the next row.
    pub fn extra_bytes(&mut self, id: u16, bytes: &[u8]) {
        let at = self.at();
        let cut = self.cut(bytes);
        let (a, b) = (u64::from(cut.off), u64::from(cut.len));
        self.batch.extras.push(Extra { at, id, flags: extra::BYTES, a, b });
    }

    /// Names a key from the next row on.
    pub fn name(&mut self, space: u16, key: u64, scope: u64, name: &[u8]) {
        self.dict(DictEvent { op: dict_op::SET, space, key, scope, val_space: NONE, ..DictEvent::default() }, name);
    }

    /// Removes an entry from the next row on.
    pub fn remove(&mut self, space: u16, key: u64, scope: u64) {
        self.dict(DictEvent { op: dict_op::REMOVE, space, key, scope, ..DictEvent::default() }, b"");
    }

    /// Clears a space from the next row on.
    pub fn clear(&mut self, space: u16) {
        self.dict(DictEvent { op: dict_op::CLEAR, space, ..DictEvent::default() }, b"");
    }

    /// Sets a number in space [`crate::info::space::PROPS`].
    pub fn prop(&mut self, key: u64, val: u64, text: &[u8]) {
        let event = DictEvent { op: dict_op::SET, attr: crate::batch::attr::VALUE, key, val, ..DictEvent::default() };
        self.dict(event, text);
    }

    /// Any dictionary event; `at` and `text` are filled in here.
    pub fn dict(&mut self, event: DictEvent, text: &[u8]) {
        let (at, text) = (self.at(), self.cut(text));
        self.batch.dict.push(DictEvent { at, text, ..event });
    }

    /// A configuration blob, in force from the next row on.
    pub fn cfg(&mut self, id: u16, blob: &[u8]) {
        let (at, blob) = (self.at(), self.cut(blob));
        self.batch.cfgs.push(CfgEvent { at, id, flags: 0, blob });
    }

    /// A clock.
    pub fn clock(&mut self, clock: ClockEvent) {
        let at = self.at();
        self.batch.clocks.push(ClockEvent { at, ..clock });
    }

    /// An activity of the next row.
    #[inline]
    pub fn act(&mut self, act: Act) {
        let at = self.at();
        self.batch.acts.push(Act { at, ..act });
    }

    /// A counter, absolute since open.
    pub fn count(&mut self, id: u16, val: u64) {
        self.batch.counts.push(Count { id, val, ..Count::default() });
    }

    fn cut(&mut self, bytes: &[u8]) -> Cut {
        let off = self.batch.bytes.len() as u32;
        self.batch.bytes.extend_from_copy_slice(bytes);
        Cut { off, len: bytes.len() as u32 }
    }
}

/// Names as the row being rendered sees them.
#[derive(Clone, Copy)]
pub struct Dict<'a>(pub DictView<'a>);

impl std::fmt::Debug for Dict<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Dict")
    }
}

impl<'a> Dict<'a> {
    /// The same as another row of the block sees it.
    #[inline]
    #[must_use]
    pub fn at(&self, row: u32) -> Dict<'a> {
        Dict(self.0.at(row))
    }

    /// Turns to another row of the block.
    #[inline]
    pub fn turn_to(&mut self, row: u32) {
        self.0.turn_to(row);
    }

    /// Whether all rows of the block see the same names.
    #[must_use]
    pub fn fixed(&self) -> bool {
        self.0.fixed()
    }

    /// Name of a key; target bytes.
    #[inline]
    #[must_use]
    pub fn name(&self, space: u16, key: u64, scope: u64) -> Option<&'a [u8]> {
        self.0.name(space, key, scope)
    }

    /// Answer to a question.
    #[must_use]
    pub fn ask(&self, ask: &Ask<'_>) -> Option<Answer<'a>> {
        self.0.answer(ask)
    }
}

/// Where a rendering goes.
#[derive(Debug)]
pub struct Text<'a> {
    out: &'a mut Rendered,
}

impl<'a> Text<'a> {
    /// Around an answer.
    pub fn new(out: &'a mut Rendered) -> Text<'a> {
        Text { out }
    }

    /// Adds bytes to the text.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) {
        self.out.text.extend_from_copy_slice(bytes);
    }

    /// Ends a row of a block; `held` = bytes of text up to its end that are yet to be pushed.
    #[inline]
    pub fn end_row(&mut self, held: usize) {
        self.out.ends.push((self.out.text.len() + held) as u32);
    }

    /// The text of this row and of those before it, as far as it was pushed.
    #[inline]
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.out.text.as_slice()
    }

    /// Adds to the application bytes or the frame.
    pub fn payload(&mut self, bytes: &[u8]) {
        self.out.payload.extend_from_copy_slice(bytes);
    }

    /// Adds a field without text.
    pub fn field(&mut self, name: &str, field: Field) {
        self.field_text(name, field, b"");
    }

    /// Adds a field with text or bytes.
    pub fn field_text(&mut self, name: &str, field: Field, text: &[u8]) {
        let name = self.blob(name.as_bytes());
        let text = self.blob(text);
        self.out.fields.push(Field { name, text, ..field });
    }

    /// Adds an unsigned field at a place in the frame.
    pub fn unsigned(&mut self, name: &str, num: u64, byte_off: u32, byte_len: u32) {
        self.field(name, Field { num, byte_off, byte_len, tag: tag::UNSIGNED, space: NONE, ..Field::default() });
    }

    fn blob(&mut self, bytes: &[u8]) -> Cut {
        let off = self.out.blob.len() as u32;
        if !bytes.is_empty() {
            self.out.blob.extend_from_copy_slice(bytes);
        }
        Cut { off, len: bytes.len() as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_come_before_their_row_and_mark_it() {
        let mut batch = Batch::default();
        let mut out = Out::new(&mut batch, 0);
        out.row(Row::default());
        out.extra_bytes(extra::TEXT, b"hi");
        out.row(Row::default());
        assert_eq!(batch.rows[0].flags & flag::EXTRAS, 0);
        assert_eq!(batch.rows[1].flags & flag::EXTRAS, flag::EXTRAS);
        assert_eq!(batch.extras[0].at, 1);
        assert_eq!(batch.extras[0].bytes(&batch.bytes), b"hi");
    }

    #[test]
    fn options_read_as_asked() {
        let value = |v: &'static str| abi_stable::std_types::RSlice::from_slice(v.as_bytes());
        let list = [
            OptVal { key: "size".into(), value: value("2") },
            OptVal { key: "size".into(), value: value("0x10") },
            OptVal { key: "on".into(), value: value("yes") },
        ];
        let opts = Opts(&list);
        assert_eq!(opts.int("size"), Some(16));
        assert_eq!(opts.flag("on"), Some(true));
        assert_eq!(opts.text("none"), None);
    }
}
