//! Parses lines.

use crate::{
    layout::{self, Layout, RecordWords, Texts, record_words},
    table::{FormatCode, NamedTemplate},
    template::{Enum, Syntax, Template, compile},
    words::{NO_NUMBER, Word, Wrong, number, pairs, too_few},
};

#[derive(Debug)]
pub(crate) enum Statement {
    Date(String),
    Milli(Template),
    Header(String),
    Severity(u8, String),
    Enum(String, Enum),
    /// Words of numbers or bits.
    Texts(String, Texts),
    Major(u32, String),
    /// The line itself does not contain the major code of a minor code.
    Event(FormatCode, NamedTemplate),
    Record {
        protocol: String,
        id: String,
        template: Template,
        layout: Option<Layout>,
        drops: Option<Drops>,
    },
}

/// `drops(FIELD)`: the record contains the target's total of dropped records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drops {
    pub(crate) element: usize,
    pub(crate) offset: usize,
}

impl Drops {
    pub(crate) fn parse(word: &Word, template: &Template) -> Result<Drops, Wrong> {
        const BEFORE: &str = "drops(";
        let field = word.text.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(')'));
        let Some(field) = field.filter(|_| !word.is_string) else {
            return Err(Wrong::new(word.offset, "only drops(FIELD) may follow the template"));
        };
        let message = match number(field).and_then(|number| usize::try_from(number).ok()) {
            Some(element) if element > most::ELEMENT => {
                format!("the number of an element is at most {}", most::ELEMENT)
            }
            Some(element) if template.shows_no_total(element) => format!(
                "the template does not read element {element} as an unsigned integer of 4 or 8 bytes, as %u or \
                 {{{element}}} would"
            ),
            Some(element) => return Ok(Drops { element, offset: word.offset }),
            None => {
                let shown: String = field.chars().take(32).collect();
                format!("no field {shown:?}; the fields of application records are their elements: 0 is the first")
            }
        };
        Err(Wrong::new(word.offset + BEFORE.len(), message))
    }
}

mod most {
    pub(super) const SEVERITY: i128 = 7;
    pub(super) const MAJOR: i128 = 0xFF_FFFF;
    pub(super) const MINOR: i128 = 0xFFF;
    pub(super) const OPCODE: i128 = 0xFF;
    pub(super) const USER: i128 = 1023;
    pub(super) const ELEMENT: usize = 255;
}

const KEYWORDS: &str = "(date) (milli) (header) severity enum major minor opcode user record words \
                        bits";

impl Statement {
    /// Parses the words of a line; there must be at least one.
    pub(crate) fn parse(line: &str, words: &[Word]) -> Result<Statement, Wrong> {
        let keyword = words.first().ok_or_else(|| Wrong::new(0, "the line is empty"))?;
        let args = Args { line, words };
        match keyword.text.as_str() {
            _ if keyword.is_string => Err(unknown(keyword)),
            "(date)" => Ok(Statement::Date(args.text("(date) \"DATE\"", date)?)),
            "(milli)" => Ok(Statement::Milli(args.text("(milli) \".%03d\"", milli)?)),
            "(header)" => Ok(Statement::Header(args.text("(header) \"HEADER\"", header)?)),
            "severity" => {
                let [number, name] = args.exactly("severity NUM NAME")?;
                Ok(Statement::Severity(args.number(number, most::SEVERITY)? as u8, args.name(name)?))
            }
            "enum" => args.enumeration(),
            "words" => layout::words(words).map(|(name, texts)| Statement::Texts(name, texts)),
            "bits" => layout::bits(words).map(|(name, texts)| Statement::Texts(name, texts)),
            "major" => {
                let [number, name] = args.exactly("major NUM NAME")?;
                Ok(Statement::Major(args.number(number, most::MAJOR)? as u32, args.name(name)?))
            }
            "minor" => {
                let [number, name, template] = args.exactly("minor NUM|* NAME \"TEMPLATE\"")?;
                let number = match number.text.as_str() {
                    "*" => None,
                    _ => Some(args.number(number, most::MINOR)? as u16),
                };
                Ok(Statement::Event(FormatCode::Minor(0, number), args.entry(name, template)?))
            }
            "opcode" => {
                let [number, name, template] = args.exactly("opcode NUM NAME \"TEMPLATE\"")?;
                let code = FormatCode::Opcode(args.number(number, most::OPCODE)? as u8);
                Ok(Statement::Event(code, args.entry(name, template)?))
            }
            "user" => {
                let [number, name, template] = args.exactly("user NUM NAME \"TEMPLATE\"")?;
                let code = FormatCode::User(args.number(number, most::USER)? as u16);
                Ok(Statement::Event(code, args.entry(name, template)?))
            }
            "record" => args.record(),
            _ => Err(unknown(keyword)),
        }
    }

    pub(crate) fn layout_mut(&mut self) -> Option<&mut Layout> {
        match self {
            Statement::Record { layout, .. } => layout.as_mut(),
            _ => None,
        }
    }

    pub(crate) fn template_mut(&mut self) -> Option<&mut Template> {
        match self {
            Statement::Event(_, entry) => Some(&mut entry.template),
            Statement::Record { template, .. } => Some(template),
            _ => None,
        }
    }
}

fn unknown(word: &Word) -> Wrong {
    // The beginning of a long word is enough.
    let shown: String = word.text.chars().take(32).collect();
    Wrong::new(word.offset, format!("unknown word {shown:?}; a line begins with {KEYWORDS}"))
}

fn too_many(extra: &Word, form: &str) -> Wrong {
    Wrong::new(extra.offset, format!("too many words; a line is: {form}"))
}

/// The words after the keyword.
#[derive(Clone, Copy)]
struct Args<'a> {
    line: &'a str,
    words: &'a [Word],
}

impl<'a> Args<'a> {
    fn exactly<const N: usize>(&self, form: &str) -> Result<&'a [Word; N], Wrong> {
        let args = self.words.get(1..).unwrap_or_default();
        if let Some(extra) = args.get(N) {
            return Err(too_many(extra, form));
        }
        args.first_chunk().filter(|_| args.len() == N).ok_or_else(|| too_few(self.words, form))
    }

    /// The only word, a string.
    fn text<T>(&self, form: &str, parse: fn(&str) -> Result<T, Wrong>) -> Result<T, Wrong> {
        let [text] = self.exactly(form)?;
        parse(self.string(text)?).map_err(self.in_word(text))
    }

    /// A name: not empty, no control characters.
    fn name(&self, word: &Word) -> Result<String, Wrong> {
        if word.text.is_empty() || word.text.contains(char::is_control) {
            return Err(Wrong::new(word.offset, "a name must not be empty or contain a control character"));
        }
        Ok(word.text.clone())
    }

    fn number(&self, word: &Word, most: i128) -> Result<i128, Wrong> {
        let message = match number(&word.text).filter(|_| !word.is_string) {
            Some(number) if (0..=most).contains(&number) => return Ok(number),
            Some(_) => format!("the number must be 0 to {most}"),
            None => NO_NUMBER.to_owned(),
        };
        Err(Wrong::new(word.offset, message))
    }

    fn string<'w>(&self, word: &'w Word) -> Result<&'w str, Wrong> {
        if !word.is_string {
            return Err(Wrong::new(word.offset, "expected a text in \""));
        }
        Ok(&word.text)
    }

    fn entry(&self, name: &Word, template: &Word) -> Result<NamedTemplate, Wrong> {
        Ok(NamedTemplate { name: self.name(name)?, template: self.template(template, Syntax::Qnx)? })
    }

    fn template(&self, word: &Word, syntax: Syntax) -> Result<Template, Wrong> {
        compile(self.string(word)?, syntax).map_err(self.in_word(word))
    }

    /// Converts the offset of an error in a word to one in the line.
    fn in_word(&self, word: &Word) -> impl Fn(Wrong) -> Wrong {
        move |wrong| Wrong { offset: word.offset_of(self.line, wrong.offset), ..wrong }
    }

    fn record(&self) -> Result<Statement, Wrong> {
        const FORM: &str = "record PROTO ID|NAME \"TEMPLATE\" [drops(FIELD)]";
        let [_, protocol, id, rest @ ..] = self.words else { return Err(too_few(self.words, FORM)) };
        let (template, layout, drops) = match (record_words(rest, (&protocol.text, &id.text))?, rest) {
            (Some(RecordWords { template, layout, drops }), _) => (template, Some(layout), drops),
            (None, []) => return Err(too_few(self.words, FORM)),
            (None, [template]) => (Some(template), None, None),
            (None, [template, drops]) => (Some(template), None, Some(drops)),
            (None, [_, _, extra, ..]) => return Err(too_many(extra, FORM)),
        };
        let template = template.map(|word| self.template(word, Syntax::Record)).transpose()?.unwrap_or_default();
        let drops = drops.map(|word| Drops::parse(word, &template)).transpose()?;
        Ok(Statement::Record { protocol: self.name(protocol)?, id: self.name(id)?, template, layout, drops })
    }

    fn enumeration(&self) -> Result<Statement, Wrong> {
        let form = "enum NAME VALUE TEXT [VALUE TEXT ...]";
        let (name, pairs) = pairs(self.words, form, |text| Ok(text.text.clone()))?;
        if name.text.contains(['{', '}']) {
            return Err(Wrong::new(name.offset, "the name of an enum must not contain braces"));
        }
        Ok(Statement::Enum(self.name(name)?, pairs.into_iter().map(|(value, text, _)| (value, text)).collect()))
    }
}

pub(crate) fn date(text: &str) -> Result<String, Wrong> {
    checked(text, "b d e T Y m H M S %")
}

pub(crate) fn milli(text: &str) -> Result<Template, Wrong> {
    let template = compile(text, Syntax::Qnx)?;
    if !template.is_one_integer() {
        return Err(Wrong::new(0, "it must have one integer, like \".%03d\""));
    }
    Ok(template.silent())
}

pub(crate) fn header(text: &str) -> Result<String, Wrong> {
    checked(text, "D m S s M N J I C O A %")
}

/// Checks that each `%` is followed by one of `known`, a list of letters separated by blanks.
fn checked(text: &str, known: &str) -> Result<String, Wrong> {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('%')) {
        at += found;
        match text[at + 1..].chars().next() {
            Some(letter) if letter != ' ' && known.contains(letter) => at += 2,
            Some(letter) => return Err(Wrong::new(at, format!("unknown %{letter}; known are {known}"))),
            None => return Err(Wrong::new(at, "missing letter after %; %% is a percent sign")),
        }
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_one_integer() {
        for format in ["", "%d%d", "%s"] {
            assert!(milli(format).is_err(), "{format}");
        }
    }

    #[test]
    fn unknown_letters_are_reported() {
        assert_eq!(date("%b %q").unwrap_err().message, "unknown %q; known are b d e T Y m H M S %");
        assert_eq!(header("%D%").unwrap_err().offset, 2);
        assert!(header("%%%ä").is_err());
    }
}
