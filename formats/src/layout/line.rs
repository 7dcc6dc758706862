//! The words of a `record` line behind its id: text, fields, and what they mean.

use super::{FieldType, Layout, LayoutField, Meaning, field::field};
use crate::{
    limits,
    words::{Word, Wrong},
};

/// Largest state, in bytes: a track keeps them by their numbers.
const MOST_STATE: usize = 4;
/// Bytes of a value of tband.
const TBAND_VALUE: usize = 8;

/// The words behind the id.
#[derive(Debug)]
pub(crate) struct RecordWords<'w> {
    /// Its text.
    pub(crate) template: Option<&'w Word>,
    /// Its fields and what they mean.
    pub(crate) layout: Layout,
    /// `drops(FIELD)`.
    pub(crate) drops: Option<&'w Word>,
}

/// Reads the words of a line that has fields; `None` if it has none.
pub(crate) fn record_words<'w>(
    words: &'w [Word],
    (protocol, id): (&str, &str),
) -> Option<Result<RecordWords<'w>, Wrong>> {
    let is_field = |word: &Word| !word.is_string && word.text.contains(':');
    words.iter().any(is_field).then(|| read(words, (protocol, id)))
}

fn read<'w>(words: &'w [Word], of: (&str, &str)) -> Result<RecordWords<'w>, Wrong> {
    let (template, rest) = match words {
        [first, rest @ ..] if first.is_string => (Some(first), rest),
        words => (None, words),
    };
    let mut layout = Layout { has_text: template.is_some(), ..Layout::default() };
    let (mut drops, mut meanings) = (None, Vec::new());
    for word in rest {
        match word.text.split_once('(').filter(|_| !word.is_string) {
            Some(("drops", _)) if drops.is_none() => drops = Some(word),
            Some((verb, _)) if !verb.contains(':') => meanings.push(word),
            _ => add(field(word)?, word, of, &mut layout)?,
        }
    }
    // They may stand before the fields that they name.
    for word in meanings {
        layout.meanings.push(meaning(word, &layout)?);
    }
    Ok(RecordWords { template, layout, drops })
}

/// Adds a field behind the others.
fn add(field: LayoutField, word: &Word, (protocol, id): (&str, &str), layout: &mut Layout) -> Result<(), Wrong> {
    let wrong = |message: String| Err(Wrong::new(word.offset, message));
    if layout.fields.last().is_some_and(|last| last.ty == FieldType::Bytes(None)) {
        return wrong("the field before takes all bytes that are left; give it a size, as in bytes[4]".to_owned());
    }
    if let Some(name) = field.name.as_deref().filter(|name| layout.position(name).is_some()) {
        return wrong(format!("there are two fields {name}"));
    }
    layout.fields.push(field);
    if layout.fields.len() > limits::CONVERSIONS {
        return wrong(format!("more than {} fields", limits::CONVERSIONS));
    }
    let is_value = protocol == "tband" && (id.starts_with("value:") || id.starts_with("task-value:"));
    let (size, most) = (layout.least_size(), if is_value { TBAND_VALUE } else { limits::BYTES });
    if size > most {
        return wrong(format!("the fields up to this one have {size} bytes, the record {most} at most"));
    }
    Ok(())
}

/// `state(FIELD)`, `value(FIELD)`, `span(begin,NAME)`, `span(end,NAME)`.
fn meaning(word: &Word, layout: &Layout) -> Result<Meaning, Wrong> {
    let wrong = |index: usize, message: String| Wrong::new(word.offset + index, message);
    let unknown = || {
        let known = "state(FIELD) value(FIELD) span(begin,NAME) span(end,NAME) drops(NUMBER)";
        wrong(0, format!("unknown word; behind the fields may stand {known}"))
    };
    let (verb, of) = word.text.split_once('(').ok_or_else(unknown)?;
    let of = of.strip_suffix(')').ok_or_else(unknown)?;
    let find = || {
        let names: Vec<&str> = layout.names().collect();
        let missing = || wrong(verb.len() + 1, format!("no field {of}; there are {}", names.join(" ")));
        layout.position(of).ok_or_else(missing)
    };
    match (verb, of.split_once(',')) {
        ("state", None) => {
            let at = find()?;
            let ty = layout.fields.get(at).map(|field| field.ty);
            let is_state = ty.is_some_and(|ty| ty.is_integer() && ty.size() <= Some(MOST_STATE));
            let message = format!("a state is an integer of {MOST_STATE} bytes at most");
            is_state.then_some(Meaning::State(at)).ok_or_else(|| wrong(verb.len() + 1, message))
        }
        ("value", None) => {
            let at = find()?;
            let ty = layout.fields.get(at).map(|field| field.ty);
            let is_number = ty.is_some_and(|ty| !matches!(ty, FieldType::Text(_) | FieldType::Bytes(_)));
            let message = "a value is a number".to_owned();
            is_number.then_some(Meaning::Value(at)).ok_or_else(|| wrong(verb.len() + 1, message))
        }
        ("span", Some(("begin", name))) if !name.is_empty() => Ok(Meaning::Begin(name.to_owned())),
        ("span", Some(("end", name))) if !name.is_empty() => Ok(Meaning::End(name.to_owned())),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words;

    fn read(line: &str) -> Result<Layout, String> {
        let all = words(line).map_err(|wrong| wrong.message)?;
        let of = (all[1].text.as_str(), all[2].text.as_str());
        let read = record_words(&all[3..], of).expect("fields");
        read.map(|read| read.layout).map_err(|wrong| format!("{}: {}", wrong.offset, wrong.message))
    }

    #[test]
    fn fields_are_states_and_values_and_records_the_ends_of_spans() {
        let layout = read("record qs 5 value(rpm) rpm:u16 mode:u8 state(mode) span(begin,job)").unwrap();
        assert_eq!(layout.meanings, [Meaning::Value(0), Meaning::State(1), Meaning::Begin("job".to_owned())]);
        assert_eq!((layout.least_size(), layout.has_text, layout.has_effects()), (3, false, true));
        let plain = read("record qs 5 \"{a}\" a:u16 b:str").unwrap();
        assert_eq!(
            (plain.has_text, plain.has_effects(), plain.names().collect::<Vec<_>>()),
            (true, false, vec!["a", "b"])
        );
        assert!(record_words(&words("\"text\" drops(0)").unwrap(), ("qs", "5")).is_none());
    }

    #[test]
    fn wrong_words_say_what_is_wrong() {
        let known = "state(FIELD) value(FIELD) span(begin,NAME) span(end,NAME) drops(NUMBER)";
        for (line, message) in [
            ("record qs 5 a:u8 a:u8", "17: there are two fields a".to_owned()),
            ("record qs 5 a:u8 state(b)", "23: no field b; there are a".to_owned()),
            ("record qs 5 a:u64 state(a)", "24: a state is an integer of 4 bytes at most".to_owned()),
            ("record qs 5 a:str value(a)", "24: a value is a number".to_owned()),
            ("record qs 5 a:u8 span(a)", format!("17: unknown word; behind the fields may stand {known}")),
            ("record qs 5 a:u8 stat(a)", format!("17: unknown word; behind the fields may stand {known}")),
            ("record qs 5 a:u8 b", "17: a field is NAME:TYPE, as in rpm:u16*0.1\"rpm\"".to_owned()),
            (
                "record qs 5 a:bytes b:u8",
                "20: the field before takes all bytes that are left; give it a size, as in bytes[4]".to_owned(),
            ),
            (
                "record tband value:1 a:u64 b:u8",
                "27: the fields up to this one have 9 bytes, the record 8 at most".to_owned(),
            ),
            (
                "record qs 5 a:bytes[65536] b:u8",
                "27: the fields up to this one have 65537 bytes, the record 65536 at most".to_owned(),
            ),
        ] {
            assert_eq!(read(line).map(|_| ()), Err(message), "{line}");
        }
        let many: String = (0..257).map(|n| format!(" f{n}:u8")).collect();
        assert!(read(&format!("record qs 5{many}")).unwrap_err().ends_with("more than 256 fields"));
    }
}
