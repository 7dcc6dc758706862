//! From rows to text and fields: a pure function of configuration, row, raw bytes, attachments and dictionary.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RString, RVec},
};

use crate::{
    Attachment, AttachmentId, ByteRange, NONE, Row, RowFlags,
    batch::AttrId,
    number::{named_flags, named_numbers},
};

/// A row and everything that its rendering may use.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct RowIn<'a> {
    /// The row.
    pub row: &'a Row,
    /// The raw bytes: all fragments in order.
    pub raw: RSlice<'a, u8>,
    /// Its attachments.
    pub attachments: RSlice<'a, Attachment>,
    /// The arena of the attachments' bytes.
    pub blob: RSlice<'a, u8>,
}

impl RowIn<'_> {
    /// Which of these parts are wanted of this row.
    #[inline]
    pub fn wanted(&self, want: Want) -> Want {
        if self.row.has(RowFlags::HAS_PLAN) { want & !Want::FIELDS } else { want }
    }

    /// The first attachment with this id.
    pub fn attachment(&self, id: AttachmentId) -> Option<&Attachment> {
        self.attachments.as_slice().iter().find(|e| e.id == id)
    }

    /// The bytes of the first attachment with this id.
    pub fn attachment_bytes(&self, id: AttachmentId) -> Option<&[u8]> {
        self.attachment(id).map(|e| e.bytes(self.blob.as_slice()))
    }
}

named_flags! {
    /// Parts of a rendered row to produce.
    pub struct Want(u32) {
        /// Text.
        TEXT = 1,
        /// Fields.
        FIELDS = 2,
        /// Application bytes, in [`super::Rendered::payload`]: the record's elements, or equivalent data. Integers are
        /// little-endian unless the row has [`crate::RowFlags::BIG_ENDIAN`].
        PAYLOAD = 4,
    }
}

/// What to produce: parts of rows, and which fields.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The parts.
    pub want: Want,
    /// With [`Want::FIELDS`]: all fields; otherwise only those in [`Request::names`] and [`Request::spaces`].
    pub all_fields: bool,
    /// Names of wanted fields.
    pub names: RSlice<'a, RString>,
    /// Spaces of wanted key fields; these omit name and text.
    pub spaces: RSlice<'a, u16>,
}

impl From<Want> for Request<'_> {
    /// All fields, if any.
    fn from(want: Want) -> Self {
        Request { want, all_fields: want.contains(Want::FIELDS), names: RSlice::EMPTY, spaces: RSlice::EMPTY }
    }
}

/// The result of `render` and `label`.
///
/// The native text of a row is exactly one line without line end. A kind word that depends on the record precedes it,
/// see [`RowEnd::kind_word`]. Reference text is verbatim output with its own line ends: no line, one, several, or an
/// unfinished one.
#[repr(C)]
#[derive(StableAbi, Debug, Default)]
pub struct Rendered {
    /// Kind words and text of all rows; target bytes, any encoding.
    pub text: RVec<u8>,
    /// End of each row in the other lists.
    pub rows: RVec<RowEnd>,
    /// Fields of all rows.
    pub fields: RVec<Field>,
    /// Application bytes of all rows.
    pub payload: RVec<u8>,
    /// Arena of the fields' names and texts.
    pub blob: RVec<u8>,
}

/// Where a row ends in the lists of a [`Rendered`]; it begins at the end of the previous row.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowEnd {
    /// End of its kind word in [`Rendered::text`], or [`RowEnd::NO_WORD`]; the row's text begins there.
    pub kind_word: u32,
    /// End of its text.
    pub text: u32,
    /// End of its fields.
    pub fields: u32,
    /// End of its application bytes.
    pub payload: u32,
}

impl RowEnd {
    /// The row uses the kind word of its kind.
    pub const NO_WORD: u32 = u32::MAX;
}

/// One row of a [`Rendered`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderedRow<'a> {
    /// Its own kind word.
    pub kind_word: Option<&'a [u8]>,
    /// Its text, without the kind word.
    pub text: &'a [u8],
    /// Its fields.
    pub fields: &'a [Field],
    /// Its application bytes.
    pub payload: &'a [u8],
    /// Arena of the fields' names and texts.
    pub blob: &'a [u8],
}

impl Rendered {
    /// Lengths of all lists in their order, for [`Rendered::truncate`].
    pub(crate) fn lengths(&self) -> [usize; 5] {
        [self.text.len(), self.rows.len(), self.fields.len(), self.payload.len(), self.blob.len()]
    }

    /// Cuts all lists to these lengths, but keeps their memory.
    pub(crate) fn truncate(&mut self, [text, rows, fields, payload, blob]: [usize; 5]) {
        self.text.truncate(text);
        self.rows.truncate(rows);
        self.fields.truncate(fields);
        self.payload.truncate(payload);
        self.blob.truncate(blob);
    }

    /// Clears all lists, but keeps their memory.
    pub fn clear(&mut self) {
        self.truncate([0; 5]);
    }

    /// A row; empty if the index is out of range.
    pub fn row(&self, index: usize) -> RenderedRow<'_> {
        let Some(end) = self.rows.get(index) else { return RenderedRow::default() };
        let begin = index.checked_sub(1).and_then(|before| self.rows.get(before));
        let (text, fields, payload) = begin.map_or((0, 0, 0), |begin| (begin.text, begin.fields, begin.payload));
        let has_word = end.kind_word != RowEnd::NO_WORD;
        RenderedRow {
            kind_word: has_word.then(|| between(&self.text, text, end.kind_word)),
            text: between(&self.text, if has_word { end.kind_word } else { text }, end.text),
            fields: between(&self.fields, fields, end.fields),
            payload: between(&self.payload, payload, end.payload),
            blob: &self.blob,
        }
    }

    /// Adds a row with only text.
    pub fn push_text_row(&mut self, text: &[u8]) {
        self.text.extend_from_copy_slice(text);
        let (fields, payload) = (self.fields.len() as u32, self.payload.len() as u32);
        self.rows.push(RowEnd { kind_word: RowEnd::NO_WORD, text: self.text.len() as u32, fields, payload });
    }
}

/// A part of a list; empty if a plugin returned an invalid range.
fn between<T>(list: &[T], begin: u32, end: u32) -> &[T] {
    list.get(begin as usize..end as usize).unwrap_or_default()
}

/// One field of a rendered row.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, in [`Rendered::blob`].
    pub name: ByteRange,
    /// Text or bytes, in [`Rendered::blob`]. For a double with more digits than it can hold: the digits.
    pub text: ByteRange,
    /// Number (two's complement if signed, IEEE 754 bits if double).
    pub num: u64,
    /// Scope of a key.
    pub scope: u64,
    /// Offset in the unescaped frame, in bytes.
    pub byte_off: u32,
    /// Length in the unescaped frame, in bytes.
    pub byte_len: u32,
    /// Type of the value.
    pub tag: Tag,
    /// Properties other than its type.
    pub flags: FieldFlags,
    /// Space of a key.
    pub space: u16,
    /// Of an element of an application record: the number of its type on the wire, see [`crate::Info::element_types`].
    pub element: u8,
    /// Columns in which the number of an element is shown; 0 = as many as it needs.
    pub width: u8,
}

impl Field {
    /// The unit of a number; empty if none is known.
    pub fn unit<'b>(&self, blob: &'b [u8]) -> &'b [u8] {
        let has_unit = self.flags.intersects(FieldFlags::VALUE | FieldFlags::UNIT);
        if has_unit { self.text.of(blob) } else { b"" }
    }

    /// The exact digits of a double as a JSON number; `None` = the double is exact, or the text is not a number.
    pub fn digits<'b>(&self, blob: &'b [u8]) -> Option<&'b str> {
        let digits = str::from_utf8(self.text.of(blob))
            .ok()
            .filter(|_| self.tag == Tag::F64 && !self.flags.intersects(FieldFlags::VALUE | FieldFlags::UNIT))?;
        let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (whole, behind) = digits.split_once('.').unwrap_or((digits, "0"));
        let whole = whole.strip_prefix('-').unwrap_or(whole);
        let is_number = are_digits(whole) && (whole.len() == 1 || !whole.starts_with('0')) && are_digits(behind);
        is_number.then_some(digits)
    }
}

impl Default for Field {
    /// An unsigned 0 without name, text or space.
    fn default() -> Field {
        Field {
            name: ByteRange::default(),
            text: ByteRange::default(),
            num: 0,
            scope: 0,
            byte_off: 0,
            byte_len: 0,
            tag: Tag::UNSIGNED,
            flags: FieldFlags::empty(),
            space: NONE,
            element: 0,
            width: 0,
        }
    }
}

named_flags! {
    /// Flags of [`Field::flags`].
    pub struct FieldFlags(u8) {
        /// An element of an application record, in wire order, of type [`super::Field::element`]. Its first byte is its
        /// format byte; the first element starts the application bytes ([`super::Want::PAYLOAD`]).
        ELEMENT = 1,
        /// A value of a list: exports write consecutive values with the same name as an array, even a single one.
        LIST = 2,
        /// Derived, not in the record: who it belongs to, such as the running process. Follows the record's own fields.
        OWNER = 4,
        /// An unsigned number that people read as hexadecimal, such as an address. Exports write it like any other
        /// number.
        HEX = 8,
        /// The number behind the preceding text field of the same name; [`super::Field::text`] is its unit. Exports
        /// write both, and filters accept both.
        VALUE = 16,
        /// [`super::Field::text`] of this number is its unit.
        UNIT = 32,
    }
}

named_numbers! {
    /// Type of a [`Field`].
    pub struct Tag(u8) {
        /// Unsigned number.
        UNSIGNED = 0,
        /// Signed number.
        SIGNED = 1,
        /// Double.
        F64 = 2,
        /// Boolean.
        BOOL = 3,
        /// Bytes.
        BYTES = 4,
        /// Text.
        TEXT = 5,
        /// Key of a space.
        KEY = 6,
        /// Enumeration: key of a space.
        ENUM = 7,
        /// Pointer.
        POINTER = 8,
    }
}

/// Names valid at the row being rendered, or at another row of its block.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Dict<'a> {
    pub(crate) ctx: *const (),
    pub(crate) row: u32,
    pub(crate) get: unsafe extern "C" fn(*const (), u32, u16, u64, u64, &mut RSlice<'a, u8>) -> bool,
    pub(crate) attr: unsafe extern "C" fn(*const (), u32, u16, u64, u64, AttrId, &mut u64, &mut RSlice<'a, u8>) -> bool,
}

/// The host's side of [`Dict`]: names valid at a row of the block.
///
/// ```
/// use spytui_plugin_api::{Dict, render::Lookup};
///
/// struct Doors;
///
/// impl Lookup for Doors {
///     fn get(&self, _: u32, _: u16, key: u64, _: u64) -> Option<&[u8]> {
///         (key == 3).then_some(b"left door")
///     }
/// }
///
/// assert_eq!(Dict::new(&Doors).name(16, 3, 0), Some(&b"left door"[..]));
/// ```
pub trait Lookup {
    /// Name of a key, valid at the row with this index in the block.
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]>;

    /// Number and text of a key's attribute, either one of [`crate::batch::AttrId`] or decoder-specific; `None` by
    /// default.
    fn attr(&self, row: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        let _ = (row, space, key, scope, attr);
        None
    }
}

/// No names.
impl Lookup for () {
    fn get(&self, _: u32, _: u16, _: u64, _: u64) -> Option<&[u8]> {
        None
    }
}

impl<'a> Dict<'a> {
    /// Creates a view of the host's lookup.
    pub fn new<L: Lookup>(lookup: &'a L) -> Dict<'a> {
        let ctx = std::ptr::from_ref(lookup).cast();
        Dict { ctx, row: 0, get: get_of::<L>, attr: attr_of::<L> }
    }

    /// The names valid at another row of the block.
    #[inline]
    pub fn at(&self, row: u32) -> Dict<'a> {
        Dict { row, ..*self }
    }

    /// Name of a key, in the target's encoding.
    #[inline]
    pub fn name(&self, space: u16, key: u64, scope: u64) -> Option<&'a [u8]> {
        let mut out = RSlice::EMPTY;
        // SAFETY: `ctx` and `get` were made together by `new`, whose lifetime this view keeps.
        let found = unsafe { (self.get)(self.ctx, self.row, space, key, scope, &mut out) };
        found.then(|| out.as_slice())
    }

    /// Number and text of a key's attribute, either one of [`crate::batch::AttrId`] or decoder-specific.
    pub fn attr(&self, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &'a [u8])> {
        let (mut val, mut text) = (0, RSlice::EMPTY);
        // SAFETY: as in `name`.
        let found = unsafe { (self.attr)(self.ctx, self.row, space, key, scope, attr, &mut val, &mut text) };
        found.then(|| (val, text.as_slice()))
    }
}

/// Lookup across the library boundary. A panic in the host's lookup aborts, because it must not unwind into a plugin.
unsafe extern "C" fn get_of<'a, L: Lookup + 'a>(
    ctx: *const (),
    row: u32,
    space: u16,
    key: u64,
    scope: u64,
    out: &mut RSlice<'a, u8>,
) -> bool {
    // SAFETY: `Dict::new` made `ctx` from a `&'a L`.
    let lookup: &'a L = unsafe { &*ctx.cast::<L>() };
    let name = lookup.get(row, space, key, scope);
    name.map(|name| *out = RSlice::from_slice(name)).is_some()
}

unsafe extern "C" fn attr_of<'a, L: Lookup + 'a>(
    ctx: *const (),
    row: u32,
    space: u16,
    key: u64,
    scope: u64,
    attr: AttrId,
    val: &mut u64,
    text: &mut RSlice<'a, u8>,
) -> bool {
    // SAFETY: `Dict::new` made `ctx` from a `&'a L`.
    let lookup: &'a L = unsafe { &*ctx.cast::<L>() };
    let value = lookup.attr(row, space, key, scope, attr);
    value.map(|(number, bytes)| (*val, *text) = (number, RSlice::from_slice(bytes))).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;
    impl Lookup for One {
        fn get(&self, row: u32, space: u16, key: u64, _: u64) -> Option<&[u8]> {
            (row == 3 && space == 16 && key == 7).then_some(b"seven")
        }
    }

    #[test]
    fn sizes_are_those_of_the_contract() {
        assert_eq!(size_of::<RowIn<'_>>(), 56);
        assert_eq!(size_of::<Rendered>(), 160);
        assert_eq!(size_of::<RowEnd>(), 16);
        assert_eq!(size_of::<Field>(), 48);
    }

    #[test]
    fn a_view_asks_the_host_as_of_its_row() {
        let view = Dict::new(&One);
        assert_eq!(view.at(3).name(16, 7, 0), Some(&b"seven"[..]));
        assert_eq!(view.name(16, 7, 0), None);
    }
}
