//! Application records as their decoder renders them, all in one call.

use spytui_plugin_api::{
    Dict, Rendered, RenderedRow, Request, RowIn, Want,
    host::{FormattedRows, Renderer},
};

use super::names_of::NamesOf;

/// What formatters need of a record.
const WANT: Want = Want::FIELDS.union(Want::PAYLOAD);

/// Application records that share one configuration.
pub(super) struct DecodedRecords<'r> {
    /// Each with its index in its block.
    records: &'r [(usize, &'r RowIn<'r>)],
    decoded: Rendered,
    /// Those that made their decoder fail: they have nothing that formatters could read.
    failed: Vec<usize>,
}

impl<'r> DecodedRecords<'r> {
    /// These records, each with its index in its block, as rendered by `plain`.
    pub(super) fn of(
        records: &'r [(usize, &'r RowIn<'r>)],
        plain: &Renderer,
        configuration: &[u8],
        names: &Dict<'_>,
    ) -> DecodedRecords<'r> {
        let rows: Vec<RowIn<'_>> = records.iter().map(|(_, row)| **row).collect();
        let (mut decoded, mut failed, none) = (Rendered::default(), Vec::new(), FormattedRows::default());
        // As much as most have.
        decoded.rows.reserve(rows.len());
        decoded.fields.reserve(2 * rows.len());
        decoded.blob.reserve(16 * rows.len());
        decoded.payload.reserve(rows.iter().map(|row| row.raw.len()).sum());
        while let Some(rest) = rows.get(decoded.rows.len()..).filter(|rest| !rest.is_empty()) {
            let first = decoded.rows.len();
            let index = |row| records.get(first + row as usize).map_or(row, |(index, _)| *index as u32);
            let own = NamesOf::new(*names, index);
            let (names, request) = (Dict::new(&own), Request::from(WANT));
            if plain.render(configuration, rest, &names, request, none.from(0), &mut decoded).is_ok() {
                break;
            }
            failed.push(decoded.rows.len());
            decoded.push_text_row(b"");
        }
        DecodedRecords { records, decoded, failed }
    }

    /// Those that did not make their decoder fail, each with its index.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &'r RowIn<'r>, RenderedRow<'_>)> {
        let decoded = self.records.iter().enumerate().filter(|(at, _)| self.failed.binary_search(at).is_err());
        decoded.map(|(at, (index, row))| (*index, *row, self.decoded.row(at)))
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{
        Decoder, DecoderOptions, Fault, Info, Output, Row, Source, TextWriter, decoder, guard, render::Lookup,
    };

    use super::*;

    /// Gives each row a field that is called as its name; `!` fails.
    #[derive(Clone)]
    struct Named;

    impl Decoder for Named {
        fn info() -> Info {
            Info::default()
        }

        fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Named, Fault> {
            Ok(Named)
        }

        fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

        fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
            assert_ne!(row.raw.as_slice(), b"!");
            out.unsigned(&String::from_utf8_lossy(dict.name(7, 0, 0).unwrap_or_default()), 0, 0, 0);
        }
    }

    /// Names rows by their indexes.
    struct Indexes;

    impl Lookup for Indexes {
        fn get(&self, row: u32, _: u16, _: u64, _: u64) -> Option<&[u8]> {
            [b"0", b"1", b"2", b"3", b"4", b"5"].get(row as usize).map(|name| &name[..])
        }
    }

    #[test]
    fn records_have_the_names_that_hold_at_their_place_in_the_block() {
        guard::install_hook();
        let row = Row::default();
        let input =
            |raw: &'static [u8]| RowIn { row: &row, raw: raw.into(), attachments: [][..].into(), blob: [][..].into() };
        let (empty, failing) = (input(b""), input(b"!"));
        let records = [(1, &empty), (2, &failing), (3, &empty), (5, &empty)];
        let plain = Renderer::new(decoder::<Named>(), &Info::default(), false);
        let decoded = DecodedRecords::of(&records, &plain, b"", &Dict::new(&Indexes));
        let named: Vec<(usize, &[u8])> =
            decoded.iter().map(|(index, _, row)| (index, row.fields[0].name.of(row.blob))).collect();
        assert_eq!(named, [(1, &b"1"[..]), (3, b"3"), (5, b"5")]);
    }
}
