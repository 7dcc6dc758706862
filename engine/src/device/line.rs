//! Lines after `target`: the host's own words, and commands.

use spytui_plugin_api::Info;

use super::{
    command::{CommandError, find, is_filter},
    control::Prepared,
    switches::FILTER,
};

pub const ADVISE: &str = "advise";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetLine {
    Show,
    /// Propose a filter for the link, with its bytes per second if given.
    Advice(Option<u64>),
    /// Request names from a target that has no command for it.
    Names,
    Send(Box<Prepared>),
}

impl TargetLine {
    /// Parses a line; `prepare` parses commands to the target.
    pub fn read(
        line: &str,
        info: &Info,
        prepare: impl FnOnce(&str) -> Result<Prepared, CommandError>,
    ) -> Result<TargetLine, CommandError> {
        if let Some(rate) = advice(line)? {
            return Ok(TargetLine::Advice(rate));
        }
        let (line, longer) = expanded(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), find(&info.commands, &words)) {
            ([], _) | ([FILTER], None) => Ok(TargetLine::Show),
            (_, Some((command, named))) if named == words.len() && is_filter(command) => Ok(TargetLine::Show),
            (["dict"], None) if needs_reset_for_names(info) => Ok(TargetLine::Names),
            _ => prepare(&line)
                .map(|prepared| TargetLine::Send(Box::new(prepared)))
                .map_err(|error| CommandError { column: error.column.saturating_sub(longer), ..error }),
        }
    }
}

/// A line with its first word expanded (`f` is `filter`), and by how many characters it grew.
pub fn expanded(line: &str) -> (String, usize) {
    match line.strip_prefix('f').filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
        Some(rest) => (format!("{FILTER}{rest}"), FILTER.len() - 1),
        None => (line.to_owned(), 0),
    }
}

/// Whether a target sends its names only after a reset: it accepts commands, but has none for names.
pub fn needs_reset_for_names(info: &Info) -> bool {
    !info.commands.is_empty() && find(&info.commands, &["dict"]).is_none()
}

/// The rate after `advise`; the outer `None` if a line does not ask for advice.
fn advice(line: &str) -> Result<Option<Option<u64>>, CommandError> {
    let mut words = line.split_whitespace();
    if words.next() != Some(ADVISE) {
        return Ok(None);
    }
    let Some(word) = words.next() else { return Ok(Some(None)) };
    let at = line.find(ADVISE).map_or(0, |at| at + ADVISE.len());
    let column = line[..at].chars().count() + line[at..].find(word).unwrap_or(0);
    match word.parse::<u64>() {
        _ if words.next().is_some() => Err(CommandError::new(column, format!("give one RATE after {ADVISE}, in B/s"))),
        Ok(rate @ 1..) => Ok(Some(Some(rate))),
        _ => Err(CommandError::new(column, format!("\"{word}\": RATE is a number of bytes a second"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_asks_for_advice_is_read() {
        assert_eq!((advice("filter -SM"), advice("advised")), (Ok(None), Ok(None)));
        assert_eq!(advice("advise"), Ok(Some(None)));
        assert_eq!(advice("advise 11520 "), Ok(Some(Some(11_520))));
        for (wrong, column) in [("advise x", 7), ("advise 0", 7), (" advise  1 2", 9)] {
            assert_eq!(advice(wrong).map_err(|error| error.column), Err(column), "{wrong}");
        }
    }
}
