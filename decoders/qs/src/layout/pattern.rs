//! Line patterns: literal text with placeholders, parsed at compile time.
//!
//! `{name}` is a field in the default form of its type, `{name:form}` in another one; see [`Form`]. In native patterns,
//! `|` ends the kind word of records that have one of their own.

use spytui_decoder_kit::pattern::{NO_FIELD, equal, find, split};

use super::{Field, MAX_FIELDS, Ty};

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// Nothing: the end of the pattern.
    Nothing,
    /// Nothing: the end of the kind word.
    KindWord,
    /// No form: decimal number.
    Number,
    /// No form: name of an object.
    Object,
    /// The same for `que`, which shares the reference host's text buffer with `obj`.
    SecondObject,
    /// No form: name of a function.
    Function,
    /// No form: name of a signal.
    Signal,
    /// No form: text.
    Text,
    /// `:3`, `:8`, `:10` decimal, zero-filled.
    Zero3,
    Zero8,
    Zero10,
    /// `:n` signed 32-bit decimal, 8 digits zero-filled.
    SignalNumber,
    /// `:i` signed 32-bit decimal.
    Signed,
    /// `:x` address of an object or function with the digits of its current size.
    ObjectAddress,
    FunctionAddress,
    /// `:h` high nibble as two hexadecimal digits.
    High,
    /// `:l` low nibble.
    Low,
    /// `:g` low three bits: group of enumerations.
    Group,
    /// `:r` name of a command to the target.
    Command,
    /// `:k` answer to a command, in the host's words.
    HostStatus,
    /// `:K` answer to a command, in ours.
    Status,
    /// `:d` number of a key.
    Key,
    /// `:a` address without leading zeros.
    ShortAddress,
    /// `:P` memory.
    Items,
    /// `:s` the sender with an arrow; empty if there is none.
    Sender,
    /// `:e` an interval; empty for 0.
    Every,
}

/// A parsed pattern.
pub(crate) type Pattern = spytui_decoder_kit::pattern::Pattern<Form, { MAX_FIELDS + 3 }>;

/// Parses a pattern. An unknown field name fails the build.
pub(crate) const fn parse(text: &'static str, fields: &[Field]) -> Pattern {
    let mut pattern = Pattern::new(Form::Nothing);
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let part = split(rest, fields);
        let (word, behind) = part.literal.split_at(find(part.literal, b'|'));
        pattern = match behind {
            [] => pattern.literal(word),
            [_, behind @ ..] => pattern.literal(word).field(NO_FIELD, Form::KindWord).literal(behind),
        };
        if part.field != NO_FIELD {
            pattern = pattern.field(part.field, form_of(part.form, &fields[part.field as usize]));
        }
        rest = part.rest;
    }
    pattern
}

const fn form_of(text: &[u8], field: &Field) -> Form {
    match (text, field.ty) {
        ([], Ty::Obj) if equal(field.name.as_bytes(), b"que") => Form::SecondObject,
        ([], Ty::Obj) => Form::Object,
        ([], Ty::Fun) => Form::Function,
        ([], Ty::Sig) => Form::Signal,
        ([], Ty::Text) => Form::Text,
        ([], _) => Form::Number,
        ([b':', b'1', b'0'], _) => Form::Zero10,
        ([b':', b'3'], _) => Form::Zero3,
        ([b':', b'8'], _) => Form::Zero8,
        ([b':', b'n'], _) => Form::SignalNumber,
        ([b':', b'i'], _) => Form::Signed,
        ([b':', b'x'], Ty::Fun) => Form::FunctionAddress,
        ([b':', b'x'], _) => Form::ObjectAddress,
        ([b':', b'h'], _) => Form::High,
        ([b':', b'l'], _) => Form::Low,
        ([b':', b'g'], _) => Form::Group,
        ([b':', b'r'], _) => Form::Command,
        ([b':', b'k'], _) => Form::HostStatus,
        ([b':', b'K'], _) => Form::Status,
        ([b':', b'd'], _) => Form::Key,
        ([b':', b'a'], _) => Form::ShortAddress,
        ([b':', b'P'], _) => Form::Items,
        ([b':', b's'], _) => Form::Sender,
        ([b':', b'e'], _) => Form::Every,
        _ => panic!("unknown form"),
    }
}
