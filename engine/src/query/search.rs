//! Search patterns (`/`): plain words are literal text, anything else is an expression.

use super::{Expr, Pattern, QueryError, Test, Vocabulary, field::FIELD, name::Name, parse, pattern::Case, scan::Scan};

/// Parses a search pattern. Text without tests, quotes or slashes is literal, including spaces.
///
/// # Errors
/// Those of [`parse`] for expressions; blank text.
pub fn search(text: &str, vocabulary: &Vocabulary) -> Result<Expr, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QueryError::new(0, "nothing to search for"));
    }
    if is_expression(text, vocabulary) {
        return parse(text, vocabulary);
    }
    let pattern = Pattern::quoted(text, false, Case::Smart).map_err(|message| QueryError::new(0, message))?;
    Ok(Expr::Test(Test::Word(pattern)))
}

/// Parses what is searched for in lines that are no rows: a regular expression between slashes, or text as it stands.
///
/// # Errors
/// A wrong regular expression; blank text.
pub fn plain(text: &str) -> Result<Pattern, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QueryError::new(0, "nothing to search for"));
    }
    let regex = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|regex| !regex.is_empty());
    let pattern = regex.map_or_else(|| Pattern::quoted(text, false, Case::Smart), Pattern::regex);
    pattern.map_err(|message| QueryError::new(0, message))
}

fn is_expression(text: &str, vocabulary: &Vocabulary) -> bool {
    let mut scan = Scan::new(text);
    loop {
        scan.skip_blanks();
        while scan.take('-') || scan.take('(') {}
        let head = scan.head(vocabulary.fields());
        let closed = match scan.peek() {
            _ if head.is_some() => head.is_some_and(|head| head.is_quoted || known(&head.name, vocabulary)),
            None => return false,
            Some('"') => scan.quoted().is_ok(),
            Some('/') => scan.slashed().is_ok() && scan.ended().is_ok(),
            Some(_) => false,
        };
        if closed {
            return true;
        }
        scan.bare(false);
        scan.take(')');
    }
}

fn known(word: &str, vocabulary: &Vocabulary) -> bool {
    let field = vocabulary.fields().any(|known| known == word);
    field || word.starts_with(FIELD) || Name::named(word).is_some()
}
