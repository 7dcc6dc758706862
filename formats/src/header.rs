//! What stands before a text: the forms of date and milliseconds, and of all of it. Who writes it is the decoder.

use crate::template::{Mistake, Syntax, Template, compile};

/// The form of a date.
pub(crate) fn date(text: &str) -> Result<String, Mistake> {
    checked(text, "b d e T Y m H M S %")
}

/// The form of the milliseconds.
pub(crate) fn milli(text: &str) -> Result<Template, Mistake> {
    let template = compile(text, Syntax::Qnx)?;
    if !template.is_one_integer() {
        return Err(Mistake { at: 0, message: "it must have one integer, like \".%03d\"".to_owned() });
    }
    Ok(template.silent())
}

/// What stands before the text of each record.
pub(crate) fn header(text: &str) -> Result<String, Mistake> {
    checked(text, "D m S s M N J I C O A %")
}

/// The text, if behind each `%` is one of these letters, which are listed with blanks between them.
fn checked(text: &str, known: &str) -> Result<String, Mistake> {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('%')) {
        at += found;
        match text[at + 1..].chars().next() {
            Some(letter) if letter != ' ' && known.contains(letter) => at += 2,
            Some(letter) => return Err(Mistake { at, message: format!("unknown %{letter}; there are {known}") }),
            None => {
                return Err(Mistake { at, message: "a letter is missing behind %; %% is a percent sign".to_owned() });
            }
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
        assert_eq!(date("%b %q").unwrap_err().message, "unknown %q; there are b d e T Y m H M S %");
        assert_eq!(header("%D%").unwrap_err().at, 2);
        assert!(header("%%%ä").is_err());
    }
}
