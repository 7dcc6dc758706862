//! Line patterns: literal text with placeholders, parsed at compile time.
//!
//! `{name}` is a field in the default form of its type, `{name:form}` in another one; see [`Form`]. A field that the
//! target does not send is left out together with the literal in front of it.

use spytui_decoder_kit::pattern::{NO_FIELD, split};

use super::{Field, MAX_FIELDS, Ty};

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// Nothing: the end of the pattern.
    Nothing,
    /// No form, or `:d`: decimal number.
    Number,
    /// No form: name of an object.
    Object,
    /// No form: name of a function.
    Function,
    /// No form: name of a signal.
    Signal,
    /// No form: text.
    Text,
    /// `:s` name of a state of the record's object.
    State,
    /// `:t` the same for the target of a transition; 0 for an internal one.
    Target,
    /// `:p` name of a pool, counted from 1; 0 = static event.
    Pool,
    /// `:z` name of a pool, counted from 0.
    PoolFromZero,
    /// `:x` `0x` and eight hexadecimal digits.
    Address,
    /// `:k` kind of an action.
    Action,
    /// `:n` the sender with an arrow; empty for 0.
    Sender,
    /// `:e` an interval; empty for 0.
    Every,
    /// `:q` a pool after a space; empty for a static event.
    FromPool,
    /// `:o` the owner; empty for 0.
    Owner,
    /// `:r` the reference count of an event, last in its text.
    References,
    /// `:b` the remaining bytes after a space, if there are any.
    Bytes,
}

/// A parsed pattern: of each field its form, and its type, which says whether the target sends it.
pub(crate) type Pattern = spytui_decoder_kit::pattern::Pattern<(Form, Ty), { MAX_FIELDS + 2 }>;

/// Parses a pattern. An unknown field name fails the build.
pub(crate) const fn parse(text: &'static str, fields: &[Field]) -> Pattern {
    let mut pattern = Pattern::new((Form::Nothing, Ty::U8));
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let part = split(rest, fields);
        pattern = pattern.literal(part.literal);
        if part.field != NO_FIELD {
            let ty = fields[part.field as usize].ty;
            pattern = pattern.field(part.field, (form_of(part.form, ty), ty));
        }
        rest = part.rest;
    }
    pattern
}

const fn form_of(text: &[u8], ty: Ty) -> Form {
    match (text, ty) {
        ([], Ty::Sym | Ty::Sndr) => Form::Object,
        ([], Ty::Fun) => Form::Function,
        ([], Ty::Sig) => Form::Signal,
        ([], Ty::Str) => Form::Text,
        ([], _) => Form::Number,
        ([b':', b'd'], _) => Form::Number,
        ([b':', b's'], _) => Form::State,
        ([b':', b't'], _) => Form::Target,
        ([b':', b'p'], _) => Form::Pool,
        ([b':', b'z'], _) => Form::PoolFromZero,
        ([b':', b'x'], _) => Form::Address,
        ([b':', b'k'], _) => Form::Action,
        ([b':', b'n'], _) => Form::Sender,
        ([b':', b'e'], _) => Form::Every,
        ([b':', b'q'], _) => Form::FromPool,
        ([b':', b'o'], _) => Form::Owner,
        ([b':', b'r'], _) => Form::References,
        ([b':', b'b'], _) => Form::Bytes,
        _ => panic!("no such form"),
    }
}
