//! Rows to text and fields: a pure function of configuration, row, raw bytes, attachments and dictionary.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RString, RVec},
};

use crate::{
    batch::{Attachment, AttachmentId, AttrId, ByteRange},
    number::{named_flags, named_numbers},
    row::{NONE, Row},
};

/// A row with everything that its rendering may use.
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
    /// Wanted parts of a rendered row.
    pub struct Want(u32) {
        /// Text.
        TEXT = 1,
        /// Fields.
        FIELDS = 2,
        /// Application bytes, in [`super::Rendered::payload`]: the elements of the record, or what it has instead.
        /// Integers are little-endian, or big-endian if the row has [`crate::RowFlags::BIG_ENDIAN`].
        PAYLOAD = 4,
    }
}

/// What is asked of rows: their parts, and which fields.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The parts.
    pub want: Want,
    /// With [`Want::FIELDS`]: all fields, otherwise only those of [`Request::names`] and [`Request::spaces`].
    pub all_fields: bool,
    /// The fields with these names.
    pub names: RSlice<'a, RString>,
    /// The fields that are keys of these spaces; they come without name and text.
    pub spaces: RSlice<'a, u16>,
}

impl From<Want> for Request<'_> {
    /// All fields.
    fn from(want: Want) -> Self {
        Request { want, all_fields: true, names: RSlice::EMPTY, spaces: RSlice::EMPTY }
    }
}

/// The result of `render` and `label`.
///
/// The native text of a row is exactly one line without line end. A kind word that depends on the record precedes it,
/// see [`RowEnd::kind_word`]. Reference text is verbatim output with its own line ends: none, one, many, or a line
/// without end.
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

/// The end of a row in the lists of a [`Rendered`]; it begins at the end of the previous row.
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
    /// The row has no kind word of its own; that of its kind is used.
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
    /// Clears all lists, but keeps their memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.rows.clear();
        self.fields.clear();
        self.payload.clear();
        self.blob.clear();
    }

    /// A row; an empty one if the index is out of range.
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

    /// Takes out the rows from `index` on, without application bytes and the fields' arena, which stay.
    pub fn split_off(&mut self, index: usize) -> Rendered {
        let before = index.checked_sub(1).and_then(|before| self.rows.get(before));
        let (text, fields) = before.map_or((0, 0), |end| (end.text, end.fields));
        let ends = self.rows.iter().skip(index).map(|end| RowEnd {
            kind_word: if end.kind_word == RowEnd::NO_WORD { end.kind_word } else { end.kind_word.wrapping_sub(text) },
            text: end.text.wrapping_sub(text),
            fields: end.fields.wrapping_sub(fields),
            ..*end
        });
        let rows = ends.collect();
        self.rows.truncate(index);
        // A plugin may have given any numbers.
        let (text, fields) = ((text as usize).min(self.text.len()), (fields as usize).min(self.fields.len()));
        let behind = Rendered {
            text: self.text.get(text..).unwrap_or_default().into(),
            fields: self.fields.get(fields..).unwrap_or_default().into(),
            rows,
            ..Rendered::default()
        };
        self.text.truncate(text);
        self.fields.truncate(fields);
        behind
    }

    /// Adds a row with nothing but text.
    pub fn push_text_row(&mut self, text: &[u8]) {
        self.text.extend_from_copy_slice(text);
        let (fields, payload) = (self.fields.len() as u32, self.payload.len() as u32);
        self.rows.push(RowEnd { kind_word: RowEnd::NO_WORD, text: self.text.len() as u32, fields, payload });
    }
}

/// Part of a list; empty if a plugin gives an invalid range.
fn between<T>(list: &[T], begin: u32, end: u32) -> &[T] {
    list.get(begin as usize..end as usize).unwrap_or_default()
}

/// One field of a rendered row.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, in [`Rendered::blob`].
    pub name: ByteRange,
    /// Text or bytes, in [`Rendered::blob`]. Of a double: its digits, if it has more than that holds.
    pub text: ByteRange,
    /// Number (two's complement if signed, bits of a double).
    pub num: u64,
    /// Scope of a key.
    pub scope: u64,
    /// Offset in the unescaped frame, in bytes.
    pub byte_off: u32,
    /// Length in the unescaped frame, in bytes.
    pub byte_len: u32,
    /// Type of the value.
    pub tag: Tag,
    /// What it is, apart from its value.
    pub flags: FieldFlags,
    /// Space of a key.
    pub space: u16,
    /// Of an element of an application record: its type on the wire.
    pub element: ElementType,
}

impl Field {
    /// The decimal digits of a double that has more of them than that holds, as a JSON number; `None` = it has no more, or
    /// they are no such digits.
    pub fn digits<'b>(&self, blob: &'b [u8]) -> Option<&'b str> {
        let digits = str::from_utf8(self.text.of(blob))
            .ok()
            .filter(|_| self.tag == Tag::F64 && !self.flags.contains(FieldFlags::VALUE))?;
        let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (whole, behind) = digits.split_once('.').unwrap_or((digits, "0"));
        let whole = whole.strip_prefix('-').unwrap_or(whole);
        let is_number = are_digits(whole) && (whole.len() == 1 || !whole.starts_with('0')) && are_digits(behind);
        is_number.then_some(digits)
    }
}

impl Default for Field {
    /// An unsigned 0 without name, text and space.
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
            element: ElementType::default(),
        }
    }
}

/// Type of an element of an application record on the wire.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementType {
    /// Number of its name in [`crate::Info::element_types`].
    pub number: u8,
    /// Columns in which a number is shown; 0 = as many as it needs.
    pub width: u8,
}

named_flags! {
    /// Flags of [`Field::flags`].
    pub struct FieldFlags(u8) {
        /// An element of an application record, in wire order; [`super::Field::element`] is its type. Its
        /// first byte is its format byte, and the first element begins the application bytes
        /// ([`super::Want::PAYLOAD`]).
        ELEMENT = 1,
        /// A value of a list: consecutive values with the same name are an array in exports, even a single one.
        LIST = 2,
        /// Not in the record: it says whose record it is, as the process that ran. It comes after the record's own
        /// fields.
        OWNER = 4,
        /// An unsigned number that people read as hexadecimal, as an address. Exports write it as any other number.
        HEX = 8,
        /// The number that a text with the same name stands for, right before it: [`super::Field::text`] is its unit.
        /// Exports have it beside the text, and filters take both.
        VALUE = 16,
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

/// Names as valid at the row being rendered, or at another one of its block.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
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

    /// Number and text of an attribute of a key, one of [`crate::batch::AttrId`] or of the decoder's own; none by default.
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

impl std::fmt::Debug for Dict<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dict").field("row", &self.row).finish_non_exhaustive()
    }
}

impl<'a> Dict<'a> {
    /// A view of the host's lookup.
    pub fn new<L: Lookup>(lookup: &'a L) -> Dict<'a> {
        let ctx = std::ptr::from_ref(lookup).cast();
        Dict { ctx, row: 0, get: get_of::<L>, attr: attr_of::<L> }
    }

    /// The same for another row of the block.
    #[inline]
    pub fn at(&self, row: u32) -> Dict<'a> {
        Dict { row, ..*self }
    }

    /// Name of a key; target bytes.
    #[inline]
    pub fn name(&self, space: u16, key: u64, scope: u64) -> Option<&'a [u8]> {
        let mut out = RSlice::EMPTY;
        // SAFETY: `ctx` and `get` were made together by `new`, whose lifetime this view keeps.
        let found = unsafe { (self.get)(self.ctx, self.row, space, key, scope, &mut out) };
        found.then(|| out.as_slice())
    }

    /// Number and text of an attribute of a key, one of [`crate::batch::AttrId`] or of the decoder's own.
    pub fn attr(&self, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &'a [u8])> {
        let (mut val, mut text) = (0, RSlice::EMPTY);
        // SAFETY: as in `name`.
        let found = unsafe { (self.attr)(self.ctx, self.row, space, key, scope, attr, &mut val, &mut text) };
        found.then(|| (val, text.as_slice()))
    }
}

/// Lookup across the library boundary. A panic in the host's lookup aborts, as it must not unwind into a plugin.
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
    match lookup.get(row, space, key, scope) {
        Some(name) => {
            *out = RSlice::from_slice(name);
            true
        }
        None => false,
    }
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
    match lookup.attr(row, space, key, scope, attr) {
        Some((number, bytes)) => {
            (*val, *text) = (number, RSlice::from_slice(bytes));
            true
        }
        None => false,
    }
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
