//! What stands before a text: date, milliseconds, severity, names and numbers.

use jiff::{Timestamp, fmt::strtime, tz::TimeZone};

use crate::{
    data::Data,
    template::{Mistake, NoFields, Syntax, Template, compile},
};

/// The form of a date. Dates are in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateFormat(String);

impl Default for DateFormat {
    fn default() -> DateFormat {
        DateFormat("%b %d %T".to_owned())
    }
}

impl DateFormat {
    pub(crate) fn compile(text: &str) -> Result<DateFormat, Mistake> {
        each_placeholder(text, "b d e T Y m H M S %", |letter| "bdeTYmHMS%".contains(letter))?;
        Ok(DateFormat(text.to_owned()))
    }

    /// Appends the date of a time, in seconds since 1970; the seconds themselves if it has no date.
    pub(crate) fn put(&self, seconds: i64, out: &mut Vec<u8>) {
        let text = Timestamp::from_second(seconds)
            .and_then(|time| strtime::format(&self.0, &time.to_zoned(TimeZone::UTC)))
            .unwrap_or_else(|_| seconds.to_string());
        out.extend_from_slice(text.as_bytes());
    }
}

/// The form of the milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MilliFormat(Template);

impl Default for MilliFormat {
    fn default() -> MilliFormat {
        MilliFormat::compile(".%03d").unwrap_or(MilliFormat(Template::default()))
    }
}

impl MilliFormat {
    pub(crate) fn compile(text: &str) -> Result<MilliFormat, Mistake> {
        let template = compile(text, Syntax::Qnx)?;
        if !template.is_one_integer() {
            return Err(Mistake { at: 0, message: "it must have one integer, like \".%03d\"".to_owned() });
        }
        Ok(MilliFormat(template.silent()))
    }

    /// Appends the milliseconds of a second.
    pub(crate) fn put(&self, millis: u32, out: &mut Vec<u8>) {
        // Eight bytes are enough for every size that the template may ask for; it shows the low ones.
        let bytes = u64::from(millis).to_le_bytes();
        self.0.render(&Data::new(&bytes), &NoFields, out);
    }
}

/// What stands before the text of each record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header(Vec<HeaderPiece>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeaderPiece {
    Literal(String),
    /// The letter of a placeholder.
    Placeholder(char),
}

impl Default for Header {
    fn default() -> Header {
        Header::compile("%D%m %S %M:%N ").unwrap_or(Header(Vec::new()))
    }
}

impl Header {
    pub(crate) fn compile(text: &str) -> Result<Header, Mistake> {
        each_placeholder(text, "D m S s M N J I C O A %", |letter| "DmSsMNJICOA%".contains(letter))?;
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('%') {
            pieces.push(HeaderPiece::Literal(before.to_owned()));
            let mut chars = after.chars();
            pieces.extend(chars.next().map(HeaderPiece::Placeholder));
            rest = chars.as_str();
        }
        pieces.push(HeaderPiece::Literal(rest.to_owned()));
        Ok(Header(pieces))
    }

    pub(crate) fn pieces(&self) -> &[HeaderPiece] {
        &self.0
    }
}

/// Checks the letter behind every `%`.
fn each_placeholder(text: &str, known: &str, is_known: impl Fn(char) -> bool) -> Result<(), Mistake> {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('%')) {
        at += found;
        match text[at + 1..].chars().next() {
            Some(letter) if is_known(letter) => at += 2,
            Some(letter) => return Err(Mistake { at, message: format!("unknown %{letter}; there are {known}") }),
            None => {
                return Err(Mistake { at, message: "a letter is missing behind %; %% is a percent sign".to_owned() });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(format: &str, seconds: i64) -> String {
        let mut out = Vec::new();
        DateFormat::compile(format).unwrap().put(seconds, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dates_are_in_utc() {
        assert_eq!(date("%b %d %T", 895_001_000), "May 12 19:23:20");
        assert_eq!(date("%Y-%m-%e %H:%M:%S %%", 0), "1970-01- 1 00:00:00 %");
        assert_eq!(date("%Y", u32::MAX.into()), "2106");
        assert_eq!(date("%Y", i64::MAX), i64::MAX.to_string());
    }

    #[test]
    fn milliseconds_are_one_integer() {
        for (format, text) in [(".%03d", ".007"), ("%hhd", "7"), ("%lld|", "7|"), ("%u", "7")] {
            let mut out = Vec::new();
            MilliFormat::compile(format).unwrap().put(7, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
        for format in ["", "%d%d", "%s"] {
            assert!(MilliFormat::compile(format).is_err(), "{format}");
        }
    }

    #[test]
    fn unknown_letters_are_told() {
        assert_eq!(DateFormat::compile("%b %q").unwrap_err().message, "unknown %q; there are b d e T Y m H M S %");
        assert_eq!(Header::compile("%D%").unwrap_err().at, 2);
        assert!(Header::compile("%%%ä").is_err());
    }
}
