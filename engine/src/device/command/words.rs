//! A line to words with their columns.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Characters before it.
    pub(super) column: usize,
    /// Its text, without quotes.
    pub(super) text: String,
    /// It began with a quote.
    pub(super) is_quoted: bool,
}

/// Splits a line at blanks; quotes keep blanks together and may begin within a word (`obj:"Tmr Svc"`).
///
/// # Errors
/// The column of a quote that is not closed.
pub(super) fn words(line: &str) -> Result<Vec<Word>, usize> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    for (column, c) in line.chars().enumerate() {
        if c.is_whitespace() && quote.is_none() {
            words.extend(word.take());
            continue;
        }
        let is_quote = c == '"';
        let word = word.get_or_insert_with(|| Word { column, text: String::new(), is_quoted: is_quote });
        if is_quote {
            quote = if quote.is_some() { None } else { Some(column) };
        } else {
            word.text.push(c);
        }
    }
    words.extend(word);
    match quote {
        Some(column) => Err(column),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_blanks() {
        let found = words("  event obj:\"Tmr Svc\" \"a b\"").unwrap();
        let found: Vec<_> = found.iter().map(|word| (word.column, word.text.as_str(), word.is_quoted)).collect();
        assert_eq!(found, [(2, "event", false), (8, "obj:Tmr Svc", false), (22, "a b", true)]);
        assert_eq!(words("a \"b"), Err(2));
        assert_eq!(words(""), Ok(Vec::new()));
    }
}
