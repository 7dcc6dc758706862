//! The application records that formatters may know. No others are read for them.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Dict, NONE, Row, RowFlags, RowIn, RowKind, host::Renderer, info::space};

use super::{decoded::DecodedRecords, in_force::Formatters, record::first_key};

/// Those among rows that share one configuration, each with its index.
pub(super) fn candidates<'r>(
    rows: &'r [RowIn<'r>],
    formatters: &Formatters,
    plain: &Renderer,
    configuration: &[u8],
    names: &Dict<'_>,
) -> Vec<(usize, &'r RowIn<'r>)> {
    let mut records: Vec<(usize, &RowIn<'_>)> = rows.iter().enumerate().filter(is_application).collect();
    if !formatters.all.has_all() {
        let kinds = kinds(&records, formatters, plain, configuration, names);
        // A kind that has malformed records alone is not known.
        let is_any = |row: &Row| row.has(RowFlags::MALFORMED) || *kinds.get(&row.kind).unwrap_or(&true);
        records.retain(|(index, row)| is_any(row.row) || is_named(row.row, formatters, &names.at(*index as u32)));
    }
    records
}

fn is_application((_, row): &(usize, &RowIn<'_>)) -> bool {
    row.row.has(RowFlags::APPLICATION)
}

/// Whether formatters may know any record of a kind, for each: otherwise they know those with the right name for the kind or
/// the object.
fn kinds(
    records: &[(usize, &RowIn<'_>)],
    formatters: &Formatters,
    plain: &Renderer,
    configuration: &[u8],
    names: &Dict<'_>,
) -> FxHashMap<RowKind, bool> {
    let (mut kinds, mut samples) = (FxHashMap::default(), Vec::new());
    for (index, row) in records.iter().filter(|(_, row)| !row.row.has(RowFlags::MALFORMED)) {
        kinds.entry(row.row.kind).or_insert_with(|| {
            samples.push((*index, *row));
            formatters.may_know(row.row.kind)
        });
    }
    samples.retain(|(_, row)| kinds.insert(row.row.kind, true) == Some(false));
    // Records of a kind have the same first field, which they may be called by.
    for (_, row, rendered) in DecodedRecords::of(&samples, plain, configuration, names).iter() {
        kinds.insert(row.row.kind, rendered.fields.is_empty() || first_key(rendered.fields).is_some());
    }
    kinds
}

/// Whether a formatter is for what the dictionary calls the kind or the object of a record.
fn is_named(row: &Row, formatters: &Formatters, names: &Dict<'_>) -> bool {
    let is_known = |space, key| {
        let name = names.name(space, key, 0);
        name.is_some_and(|name| formatters.all.has(&String::from_utf8_lossy(name)))
    };
    let object = formatters.labels.kind(formatters.info(), row.kind).object;
    is_known(space::KINDS, row.kind.0.into())
        || row.has(RowFlags::HAS_OBJECT) && object != NONE && is_known(object, row.obj)
}

#[cfg(test)]
mod tests {
    use spytui_formats::{Loader, Table};
    use spytui_plugin_api::{
        AppRecord, Class, Decoder, DecoderOptions, Fault, Formatter, FormatterInfo, Info, Output, Source, TextWriter,
        Want, decoder, formatter,
        info::{KeyFormat, KindInfo, SpaceInfo},
        render::{Field, Lookup, Tag},
    };

    use super::*;
    use crate::row::PluginFormatter;

    const MARKERS: u16 = 20;
    const TASKS: u16 = 21;

    /// Records of four kinds: plain ones, markers, those of tasks, and a range of the user's.
    const PLAIN: RowKind = RowKind(1);
    const MARKER: RowKind = RowKind(2);
    const OF_TASK: RowKind = RowKind(3);
    const USER: RowKind = RowKind(100);

    #[derive(Clone)]
    struct Toy;

    impl Decoder for Toy {
        fn info() -> Info {
            let space = |id, name| SpaceInfo::new(id, name, "", Class::OTHER, KeyFormat::DECIMAL);
            let marker = KindInfo { spaces: vec![MARKERS].into(), ..KindInfo::new(MARKER, "MARK", 1) };
            let of_task = KindInfo { obj_space: TASKS, ..KindInfo::new(OF_TASK, "TASK", 1) };
            let user = KindInfo { last: RowKind(109), ..KindInfo::new(USER, "USER", 1) };
            Info {
                id: "toy".into(),
                kinds: vec![KindInfo::new(PLAIN, "PLAIN", 1), marker, of_task, user].into(),
                spaces: vec![space(MARKERS, "marker"), space(TASKS, "task")].into(),
                ..Info::default()
            }
        }

        fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Toy, Fault> {
            Ok(Toy)
        }

        fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

        fn render(_: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
            let (tag, space) = if row.row.kind == MARKER { (Tag::KEY, MARKERS) } else { (Tag::UNSIGNED, NONE) };
            out.field("first", Field { tag, space, ..Field::default() });
        }
    }

    struct Any;

    impl Formatter for Any {
        fn info() -> FormatterInfo {
            FormatterInfo::default()
        }

        fn open(_: &DecoderOptions<'_>) -> Result<Any, Fault> {
            Ok(Any)
        }

        fn format(&self, _: &AppRecord<'_>, _: &Dict<'_>, _: &mut TextWriter<'_>) -> Result<bool, Fault> {
            Ok(true)
        }
    }

    /// Task 7 is called `idle`, kind `PLAIN` is called `boot`.
    struct Names;

    impl Lookup for Names {
        fn get(&self, _: u32, space: u16, key: u64, _: u64) -> Option<&[u8]> {
            match (space, key) {
                (TASKS, 7) => Some(b"idle"),
                (space::KINDS, 1) => Some(b"boot"),
                _ => None,
            }
        }
    }

    /// Indexes of the candidates among these: 0 is a plain record, 1 a marker, 2 one of task 7, 3 one of task 8, 4 `USER+5`,
    /// 5 `USER+6`, 6 and 7 the same as 4, but malformed and no application record.
    fn asked(plugins: &[PluginFormatter], table: &Table) -> Vec<usize> {
        let row = |kind, obj, flags| Row { kind, obj, flags: RowFlags::APPLICATION | flags, ..Row::default() };
        let (none, of_task, user) = (RowFlags::empty(), RowFlags::HAS_OBJECT, RowKind(105));
        let rows = [
            row(PLAIN, 0, none),
            row(MARKER, 0, none),
            row(OF_TASK, 7, of_task),
            row(OF_TASK, 8, of_task),
            row(user, 0, none),
            row(RowKind(106), 0, none),
            row(user, 0, RowFlags::MALFORMED),
            Row { flags: none, ..row(user, 0, none) },
        ];
        let input = |row| RowIn { row, raw: [][..].into(), attachments: [][..].into(), blob: [][..].into() };
        let inputs: Vec<RowIn<'_>> = rows.iter().map(input).collect();
        let plain = Renderer::new(decoder::<Toy>(), &Toy::info(), false);
        let formatters = Formatters::new(&Toy::info(), plugins, table).unwrap();
        let candidates = candidates(&inputs, &formatters, &plain, b"", &Dict::new(&Names));
        candidates.into_iter().map(|(index, _)| index).collect()
    }

    fn asked_by_plugin(records: &[&str]) -> Vec<usize> {
        let info = FormatterInfo::new("any", "toy").with_records(records.iter().copied());
        let (origin, version) = Default::default();
        asked(&[PluginFormatter { info, table: formatter::<Any>(), origin, version }], &Table::default())
    }

    /// A marker may be called by its first field, and one that is malformed by anything.
    const ALWAYS: [usize; 2] = [1, 6];

    fn with_always(others: &[usize]) -> Vec<usize> {
        let mut all = [&ALWAYS[..], others].concat();
        all.sort_unstable();
        all
    }

    #[test]
    fn no_formatter_is_asked_about_records_that_it_can_not_know() {
        assert_eq!(asked_by_plugin(&["OTHER"]), with_always(&[]));
    }

    #[test]
    fn formatters_are_asked_by_id_and_by_name() {
        assert_eq!(asked_by_plugin(&["PLAIN"]), with_always(&[0]));
        assert_eq!(asked_by_plugin(&["boot"]), with_always(&[0]));
        assert_eq!(asked_by_plugin(&["idle"]), with_always(&[2]));
        assert_eq!(asked_by_plugin(&["task:8"]), with_always(&[2, 3]));
        assert_eq!(asked_by_plugin(&["marker:5"]), with_always(&[]));
        assert_eq!(asked_by_plugin(&["TASK", "idle"]), with_always(&[2, 3]));
    }

    #[test]
    fn formatters_are_asked_by_the_number_of_a_kind_in_its_range() {
        assert_eq!(asked_by_plugin(&["USER+5"]), with_always(&[4]));
        assert_eq!(asked_by_plugin(&["USER+6", "USER+7"]), with_always(&[5]));
    }

    #[test]
    fn one_that_is_for_all_is_asked_about_every_application_record() {
        assert_eq!(asked_by_plugin(&[]), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn lines_of_format_files_are_asked_as_plugins_are() {
        let of = |lines: &str| {
            let mut loader = Loader::new();
            loader.add_text(lines.as_bytes());
            asked(&[], &loader.finish().table)
        };
        assert_eq!(of("record toy USER+5 \"%hhd\"\n"), with_always(&[4]));
        assert_eq!(of("record toy idle \"%hhd\"\n"), with_always(&[2]));
        assert_eq!(of("record toy OTHER \"%hhd\"\n"), with_always(&[]));
    }
}
