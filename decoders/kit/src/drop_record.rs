//! The record in which a target reports how many records it dropped: a user record that its names call so, or that an
//! option declares.

use std::collections::BTreeMap;

use spytui_plugin_api::info::Opt;

/// Its name, unless another one is declared.
const NAME: &str = "STY_DROPS";

/// Option: the record with the total, if it has another name. Format files fill it (`drops(FIELD)`).
pub const DROPS: Opt<DropField> = Opt::text(
    "drops",
    DropField::parse,
    "user record with the total of dropped records, and the number of the element, as MY_LOST(0); unset: STY_DROPS",
)
.never_guessed();

/// Where the total is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropField {
    /// Name or number of the record.
    record: String,
    /// Which of its elements, from 0; `None`: it has no other.
    element: Option<usize>,
}

impl Default for DropField {
    fn default() -> Self {
        DropField { record: NAME.to_owned(), element: None }
    }
}

impl DropField {
    fn parse(text: &str) -> Result<DropField, String> {
        let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
        let field = parts.and_then(|(record, element)| Some((record, element.parse().ok()?)));
        match field {
            Some((record, element)) if !record.is_empty() => {
                Ok(DropField { record: record.to_owned(), element: Some(element) })
            }
            _ => Err("give it as RECORD(ELEMENT), elements from 0: MY_LOST(0)".to_owned()),
        }
    }

    /// The one in options that changed, as `k=v` lines; `None` if they say nothing of it.
    pub fn in_options(text: &str) -> Option<DropField> {
        let value = text.lines().filter_map(|line| line.split_once('=')).rfind(|(key, _)| *key == DROPS.key)?.1;
        Some(DropField::parse(value.trim()).unwrap_or_default())
    }
}

#[derive(Clone, Debug)]
pub struct DropRecord {
    field: DropField,
    /// What stands before the number of a user record where a number names it.
    prefixes: &'static [&'static str],
    /// Its number, from the first user record on, if it is declared so.
    number: Option<u8>,
    /// Its id, if its name is known.
    id: Option<u8>,
    /// Names of user records.
    names: BTreeMap<u8, Vec<u8>>,
    /// Before the name came: the last number of each record that could be it.
    unnamed: Vec<(u8, u32)>,
}

impl DropRecord {
    /// None has a name yet. `prefixes` = what may stand before the number of a user record.
    pub fn new(field: DropField, prefixes: &'static [&'static str]) -> DropRecord {
        let names = BTreeMap::new();
        let mut record = DropRecord { field, prefixes, number: None, id: None, names, unnamed: Vec::new() };
        record.look_up();
        record
    }

    /// The total is elsewhere from here on.
    pub fn declare(&mut self, field: DropField) {
        self.field = field;
        self.unnamed.clear();
        self.look_up();
    }

    fn look_up(&mut self) {
        let number = |prefix: &&str| self.field.record.strip_prefix(prefix)?.parse().ok();
        self.number = self.prefixes.iter().find_map(number);
        self.id =
            self.names.iter().find(|(_, name)| name.as_slice() == self.field.record.as_bytes()).map(|(id, _)| *id);
    }

    /// Takes the name of a user record; the total that it reported before.
    pub fn name(&mut self, id: u8, name: &[u8]) -> Option<u32> {
        self.names.insert(id, name.to_vec());
        if name != self.field.record.as_bytes() {
            self.id = self.id.filter(|own| *own != id);
            return None;
        }
        self.id = Some(id);
        let unnamed = std::mem::take(&mut self.unnamed);
        unnamed.iter().find(|reported| reported.0 == id).map(|reported| reported.1)
    }

    /// The names are of another target.
    pub fn forget_names(&mut self) {
        self.names.clear();
        self.look_up();
    }

    /// Takes a user record, of those from `first` on; the total, if it has it. `read` gets which element that is, and
    /// gives its number; `None` = the record has one element.
    #[inline]
    pub fn record(&mut self, id: u8, first: u8, read: impl FnOnce(Option<usize>) -> Option<u32>) -> Option<u32> {
        let own = self.number.map_or(self.id, |number| first.checked_add(number));
        if own.is_some_and(|own| own != id) || (own.is_none() && self.number.is_some()) {
            return None;
        }
        let number = read(self.field.element)?;
        if own.is_some() {
            return Some(number);
        }
        match self.unnamed.iter_mut().find(|reported| reported.0 == id) {
            Some(reported) => reported.1 = number,
            None => self.unnamed.push((id, number)),
        }
        None
    }

    /// The target starts: what it reported before is over.
    pub fn start(&mut self) {
        self.unnamed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(record: &mut DropRecord, id: u8, number: u32) -> Option<u32> {
        record.record(id, 100, |_| Some(number))
    }

    #[test]
    fn a_name_may_come_later() {
        let mut record = DropRecord::new(DropField::default(), &[]);
        assert_eq!([(100, 7), (101, 9), (100, 8)].map(|(id, n)| number(&mut record, id, n)), [None; 3]);
        assert_eq!([record.name(101, b"TEMP"), record.name(100, NAME.as_bytes())], [None, Some(8)]);
        assert_eq!([(100, 9), (101, 9)].map(|(id, n)| number(&mut record, id, n)), [Some(9), None]);
        assert_eq!(record.name(100, b"TEMP"), None);
        assert_eq!(number(&mut record, 100, 10), None, "it is another record now");
    }

    #[test]
    fn a_record_is_declared_by_name_or_number() {
        let mut record = DropRecord::new(DropField::parse("MY_LOST(2)").unwrap(), &["USER+"]);
        assert_eq!([record.name(100, NAME.as_bytes()), record.name(101, b"MY_LOST")], [None; 2]);
        assert_eq!(record.record(101, 100, |element| element.map(|element| element as u32)), Some(2));
        assert_eq!(number(&mut record, 100, 7), None);
        record.declare(DropField::parse("USER+3(0)").unwrap());
        assert_eq!([(101, 7), (103, 8)].map(|(id, n)| number(&mut record, id, n)), [None, Some(8)]);
        assert_eq!(record.record(73, 70, |_| Some(9)), Some(9), "ids depend on the version");
        record.declare(DropField::parse("USER+200(0)").unwrap());
        assert_eq!([44, 100].map(|id| number(&mut record, id, 7)), [None; 2], "there is no such id");
        record.declare(DropField::default());
        assert_eq!(number(&mut record, 100, 7), Some(7), "its name came before");
    }

    #[test]
    fn the_option_has_record_and_element() {
        for text in ["", "MY_LOST", "MY_LOST()", "MY_LOST(x)", "MY_LOST(0", "(0)", "MY_LOST(-1)"] {
            assert!(DropField::parse(text).is_err(), "{text}");
        }
        assert_eq!(DropField::in_options("version=7\n"), None);
        assert_eq!(DropField::in_options("drops=\n"), Some(DropField::default()));
        assert_eq!(DropField::in_options("drops=A(1)"), DropField::parse("A(1)").ok());
    }
}
