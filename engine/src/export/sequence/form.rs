//! The forms of a sequence diagram.

use std::path::Path;

use super::{mermaid, plantuml};
use crate::analysis::sequence::How;

/// Form of a sequence diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Mermaid,
    PlantUml,
}

/// Endings of files, with the forms that they stand for.
const ENDINGS: [(&str, Form); 4] =
    [("mmd", Form::Mermaid), ("mermaid", Form::Mermaid), ("puml", Form::PlantUml), ("plantuml", Form::PlantUml)];

impl Form {
    /// The form that a file's name asks for by its ending.
    ///
    /// # Errors
    /// No form has this ending; in words.
    pub fn of_file(path: &Path) -> Result<Form, String> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        let form = ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, form)| *form);
        form.ok_or_else(|| {
            let name = path.display();
            format!("{name}: use the extension .mmd for Mermaid, .puml or .plantuml for PlantUML")
        })
    }

    /// What stands before everything.
    pub(super) fn head(self) -> &'static str {
        match self {
            Form::Mermaid => mermaid::HEAD,
            Form::PlantUml => plantuml::HEAD,
        }
    }

    /// What stands behind everything.
    pub(super) fn tail(self) -> &'static str {
        match self {
            Form::Mermaid => "",
            Form::PlantUml => plantuml::TAIL,
        }
    }

    /// Declares a lifeline.
    pub(super) fn lifeline(self, number: usize, name: &str) -> String {
        match self {
            Form::Mermaid => mermaid::lifeline(number, name),
            Form::PlantUml => plantuml::lifeline(number, name),
        }
    }

    /// A message between lifelines.
    pub(super) fn message(self, (from, to): (usize, usize), how: How, failed: bool, text: &str) -> String {
        match self {
            Form::Mermaid => mermaid::message((from, to), how, failed, text),
            Form::PlantUml => plantuml::message((from, to), how, failed, text),
        }
    }

    /// A note on a lifeline.
    pub(super) fn mark(self, on: usize, text: &str) -> String {
        match self {
            Form::Mermaid => mermaid::mark(on, text),
            Form::PlantUml => plantuml::mark(on, text),
        }
    }

    /// What goes through all lifelines, of which these are the first and the last.
    pub(super) fn across(self, lifelines: Option<(usize, usize)>, is_reset: bool, text: &str) -> String {
        match self {
            Form::Mermaid => mermaid::across(lifelines, text),
            Form::PlantUml => plantuml::across(is_reset, text),
        }
    }

    /// What is not shown.
    pub(super) fn comment(self, text: &str) -> String {
        match self {
            Form::Mermaid => mermaid::comment(text),
            Form::PlantUml => plantuml::comment(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_the_form() {
        let form = |name: &str| Form::of_file(Path::new(name));
        assert_eq!([form("a.mmd"), form("b/c.PUML")], [Ok(Form::Mermaid), Ok(Form::PlantUml)]);
        assert_eq!(form("x.plantuml"), Ok(Form::PlantUml));
        assert!(form("x.svg").unwrap_err().starts_with("x.svg: use the extension"));
        assert!(form("mmd").is_err());
    }
}
