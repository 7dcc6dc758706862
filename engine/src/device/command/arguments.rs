//! Words to the values of a command's arguments.

use spytui_plugin_api::{
    ArgForm, ArgValue, ByteRange, Info, NONE,
    info::{ArgForms, ArgInfo, Matching},
};

use super::{
    error::{CommandError, hint},
    names::{Key, keys, names},
    number,
    words::Word,
};
use crate::store::Dictionary;

/// Values and their bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) values: Vec<ArgValue>,
    pub(super) arena: Vec<u8>,
    /// Column of each argument.
    pub(super) columns: Vec<usize>,
}

impl Values {
    fn bytes(&mut self, arg: u16, bytes: &[u8]) {
        let range = ByteRange { off: self.arena.len() as u32, len: bytes.len() as u32 };
        self.arena.extend_from_slice(bytes);
        self.values.push(ArgValue { arg, form: ArgForm::BYTES, bytes: range, ..ArgValue::default() });
    }

    fn number(&mut self, arg: u16, num: u64) {
        self.values.push(ArgValue { arg, form: ArgForm::NUMBER, num, ..ArgValue::default() });
    }
}

/// Gives each argument its words. `end` is the column where a missing one would stand.
pub(super) fn values(
    args: &[ArgInfo],
    words: &[Word],
    end: usize,
    (info, dictionary): (&Info, &Dictionary),
) -> Result<Values, CommandError> {
    let mut out = Values::default();
    let mut rest = words;
    for (index, arg) in (0..).zip(args) {
        let Some((word, tail)) = rest.split_first() else {
            if arg.is_optional {
                break;
            }
            return Err(CommandError::new(end, format!("{} is missing: {}", arg.name, legal(arg, info))));
        };
        out.columns.push(word.column);
        if arg.forms.intersects(ArgForms::BYTES | ArgForms::HEX | ArgForms::NUMBERS | ArgForms::TEXT) {
            list(arg, index, rest, &mut out)?;
            rest = &[];
            continue;
        }
        if let Some(value) = single(arg, index, word, (info, dictionary))? {
            out.values.extend(value);
        }
        rest = tail;
    }
    match rest.first() {
        Some(word) => Err(CommandError::new(word.column, "too many arguments")),
        None => Ok(out),
    }
}

/// All words that are left.
fn list(arg: &ArgInfo, index: u16, words: &[Word], out: &mut Values) -> Result<(), CommandError> {
    if arg.forms.intersects(ArgForms::TEXT) {
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        out.bytes(index, words.join(" ").as_bytes());
        return Ok(());
    }
    let mut bytes = Vec::new();
    for word in words {
        let wrong = |message: String| CommandError::new(word.column, message);
        if arg.forms.intersects(ArgForms::NUMBERS) {
            out.number(index, in_range(arg, word)?);
        } else if arg.forms.intersects(ArgForms::HEX) {
            let digits = number::hex(&word.text);
            bytes.extend(digits.ok_or_else(|| wrong(format!("{} are two hexadecimal digits each", arg.name)))?);
        } else if word.is_quoted {
            bytes.extend_from_slice(word.text.as_bytes());
        } else {
            let part = number::bytes(&word.text);
            bytes.extend(part.ok_or_else(|| wrong(format!("\"{}\": {}", word.text, number::BYTES)))?);
        }
    }
    if !arg.forms.intersects(ArgForms::NUMBERS) {
        out.bytes(index, &bytes);
    }
    Ok(())
}

fn in_range(arg: &ArgInfo, word: &Word) -> Result<u64, CommandError> {
    let number = number::number(&word.text).filter(|number| (arg.min..=arg.max).contains(number));
    number.ok_or_else(|| {
        let range = format!("{} is a number from {} to {}", arg.name, arg.min, arg.max);
        CommandError::new(word.column, range)
    })
}

/// One word: a choice, a name or a number, in this order.
fn single(
    arg: &ArgInfo,
    index: u16,
    word: &Word,
    (info, dictionary): (&Info, &Dictionary),
) -> Result<Option<Vec<ArgValue>>, CommandError> {
    let text = word.text.as_str();
    let one = |form: ArgForm, num: u64, scope: u64| ArgValue { arg: index, form, num, scope, ..ArgValue::default() };
    if let (Some(choice), false) = (arg.choices.iter().position(|choice| choice == text), word.is_quoted) {
        return Ok(Some(vec![one(ArgForm::CHOICE, choice as u64, 0)]));
    }
    if arg.forms.intersects(ArgForms::NAME) {
        let found = named(arg, word, (info, dictionary))?;
        if !found.is_empty() {
            return Ok(Some(found.iter().map(|found| one(ArgForm::NAME, found.key, found.scope)).collect()));
        }
    }
    if arg.forms.intersects(ArgForms::NUMBER) && number::number(text).is_some() {
        return in_range(arg, word).map(|num| Some(vec![one(ArgForm::NUMBER, num, 0)]));
    }
    let known = arg.choices.iter().map(|choice| choice.to_string());
    let known: Vec<String> = known.chain(names(dictionary, arg.space)).collect();
    let near = hint(text, known.iter().map(String::as_str));
    let is_name = arg.space != NONE && info.space(arg.space).is_some();
    let message = match is_name {
        true => format!("no name \"{text}\" in the dictionary: {}{near}", legal(arg, info)),
        false => format!("\"{text}\": {}{near}", legal(arg, info)),
    };
    Err(CommandError::new(word.column, message).unknown_name(is_name))
}

/// The keys that a name may mean. Spaces whose scopes are objects leave the choice to the encoder.
fn named(arg: &ArgInfo, word: &Word, (info, dictionary): (&Info, &Dictionary)) -> Result<Vec<Key>, CommandError> {
    let mut found = keys(dictionary, arg.space, &word.text);
    let is_scoped = info.space(arg.space).is_some_and(|space| space.matching != Matching::EXACT);
    if is_scoped {
        return Ok(found);
    }
    found.retain(|key| key.scope == arg.scope);
    if let [first, second, ..] = found.as_slice() {
        let both = format!("{:#x} and {:#x}", first.key, second.key);
        return Err(CommandError::new(
            word.column,
            format!("\"{}\" is the name of {both}: give the number", word.text),
        ));
    }
    Ok(found)
}

/// What an argument may be.
fn legal(arg: &ArgInfo, info: &Info) -> String {
    let mut parts = Vec::new();
    if !arg.choices.is_empty() {
        parts.push(arg.choices.iter().map(|choice| choice.as_str()).collect::<Vec<_>>().join(" "));
    }
    if let Some(space) = info.space(arg.space).filter(|_| arg.forms.intersects(ArgForms::NAME)) {
        parts.push(format!("a name of {}", space.title));
    }
    if arg.forms.intersects(ArgForms::NUMBER | ArgForms::NUMBERS) {
        parts.push(match arg.max {
            u64::MAX => "a number".to_owned(),
            _ => format!("a number from {} to {}", arg.min, arg.max),
        });
    }
    if arg.forms.intersects(ArgForms::BYTES) {
        parts.push(number::BYTES.to_owned());
    }
    if arg.forms.intersects(ArgForms::HEX) {
        parts.push("hexadecimal digits".to_owned());
    }
    if arg.forms.intersects(ArgForms::TEXT) {
        parts.push("a text".to_owned());
    }
    parts.join(", or ")
}
