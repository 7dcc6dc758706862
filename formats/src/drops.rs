//! Which `record` lines have the word `drops(FIELD)`: one of each protocol.

use std::collections::HashMap;

use crate::{loaded::Place, statement::Statement, words::Wrong};

/// The record with the total of each protocol, and its line.
#[derive(Debug, Default)]
pub(crate) struct DropLines(HashMap<String, (String, Place)>);

impl DropLines {
    /// Notes a line; it is wrong if another record of its protocol has the total.
    pub(crate) fn take(&mut self, statement: &Statement, place: Place) -> Result<(), Wrong> {
        let Statement::Record { protocol, id, drops, .. } = statement else { return Ok(()) };
        match (drops, self.0.get(protocol)) {
            (Some(drops), Some((other, at))) if other != id => {
                let of = if at.file == place.file { "" } else { " of another file" };
                let before = format!("{protocol} {other} has drops(FIELD) already, in line {}{of}", at.line);
                return Err(Wrong::new(drops.offset, format!("{before}; one record has the total")));
            }
            (Some(_), _) => _ = self.0.insert(protocol.clone(), (id.clone(), place)),
            (None, Some((other, _))) if other == id => _ = self.0.remove(protocol),
            (None, _) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Loader;

    #[test]
    fn one_record_of_a_protocol_has_the_total_of_drops() {
        let load = |text: &[u8]| {
            let mut loader = Loader::new();
            loader.add_text(text);
            let loaded = loader.finish();
            let reported: Vec<String> = loaded.faults.iter().map(ToString::to_string).collect();
            (loaded.table.drops.get("qs").map(|total| (total.record.clone(), total.element)), reported)
        };
        let total = |record: &str, element| Some((record.to_owned(), element));
        assert_eq!(load(b"record qs A \"\" drops(0)\nrecord rkh B \"{1}\" drops(1)"), (total("A", 0), vec![]));
        assert_eq!(load(b"record qs A \"%hd %n %u\" drops(2)"), (total("A", 2), vec![]));
        assert_eq!(load(b"record qs A \"%hd\" drops(1)"), (total("A", 1), vec![]), "it is behind the text");
        assert_eq!(load(b"record qs A \"\" drops(0)\nrecord qs A \"\" drops(3)"), (total("A", 3), vec![]));
        assert_eq!(load(b"record qs A \"\" drops(0)\nrecord qs A \"\""), (None, vec![]));
        let (first, reported) = load(b"record qs A \"\" drops(0)\nrecord qs B \"\" \\\n  drops(0)\nrecord qs B \"\"");
        assert_eq!(first, total("A", 0));
        assert_eq!(reported, ["3:3: qs A has drops(FIELD) already, in line 1; one record has the total"]);
        assert_eq!(
            load(b"record qs A \"%s %d %hu\" drops(NOSUCH)\nrecord qs A \"%d\" drops(0)\nrecord qs A \"%s %hu\" drops(1)\n\
                record qs A \"\" drop(0)\nrecord qs A \"\" drops(0) drops(1)\nrecord qs A \"\" drops(256)\nrecord qs A drops(0)")
                .1,
            [
                "1:31: no field \"NOSUCH\"; the fields of application records are their elements: 0 is the first",
                "2:24: the template does not read element 0 as an unsigned integer of 4 or 8 bytes, as %u or {0} would",
                "3:28: the template does not read element 1 as an unsigned integer of 4 or 8 bytes, as %u or {1} would",
                "4:16: only drops(FIELD) may stand behind the template",
                "5:25: too many words; a line is: record PROTO ID|NAME \"TEMPLATE\" [drops(FIELD)]",
                "6:22: the number of an element is 255 at most",
                "7:13: a text in \" is expected",
            ]
        );
    }

    #[test]
    fn the_total_of_drops_moves_when_its_line_is_edited() {
        let mut loader = Loader::new();
        loader.add_earlier("record qs A \"\" drops(0)");
        loader.add_text(b"record qs B \"\" drops(1)");
        let loaded = loader.finish();
        assert_eq!((loaded.faults.len(), loaded.table.drops.get("qs").map(|total| total.element)), (0, Some(1)));
    }
}
