//! Bodies of the fuzz targets, also run by tests with the committed corpus.

#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used)]

pub mod fixture;
mod programs;

use std::{sync::LazyLock, time::Instant};

use programs::{Program, with_program};
use spytui::{
    cli::{exec, settings::Settings},
    config::{Config, Folders, Trust},
    input::{Keymap, complete, explain, ghost, parse},
    pane,
    term::Theme,
};
use spytui_engine::{
    io::log::read_meta,
    query,
    trace::list::{Direction, Filter},
};

static SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let mut config = Config::built_in();
    config.overlay("fuzz.toml", "[filters]\ncalm = \"n>5\"\n[alias]\nx = \"expect n>5\"\n", Trust::Own).unwrap();
    Settings { config, keymap: Keymap::built_in(&pane::keys()), folders: Folders::default() }
});

/// A `.meta` file: the decoder gets its events between the bytes of a trace.
pub fn meta(data: &[u8]) {
    let mut events = Vec::new();
    if read_meta(data, |event| events.push(event)).unwrap().is_none() {
        return;
    }
    assert!(events.is_sorted_by_key(|event| event.pos));
    programs::decode_with(&events);
}

/// A configuration file, of the user or of a project, and the same text as keys and as a theme. The printed settings
/// must be equivalent when parsed again.
pub fn config(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for trust in [Trust::Own, Trust::Project] {
        let mut config = SETTINGS.config.clone();
        if config.overlay("fuzz.toml", text, trust).is_err() {
            continue;
        }
        let printed = config.print();
        let mut again = SETTINGS.config.clone();
        again.overlay("printed.toml", &printed, Trust::Own).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        let values =
            |config: &Config| config.all().map(|(name, value, _)| format!("{name} {value}")).collect::<Vec<_>>();
        assert_eq!(values(&config), values(&again));
    }
    let _ = SETTINGS.keymap.overlaid("keys.toml", text);
    let _ = Theme::named("fuzz", &|name| (name == "fuzz").then(|| text.to_owned()));
}

/// A filter for the protocol selected by the first byte: printed and parsed again it means the same, and it decides
/// every row.
pub fn query(data: &[u8]) {
    with_text(data, |program, text| {
        let vocabulary = &program.vocabulary;
        let _ = query::search(text, vocabulary);
        let Ok(expr) = query::parse(text, vocabulary) else { return };
        let printed = expr.to_string();
        assert_eq!(query::parse(&printed, vocabulary).as_ref(), Ok(&expr), "{printed}");
        let list = &program.model.list.rows;
        let (mut filter, mut all) = (Filter::strict(expr), Filter::new(query::Expr::everything()));
        filter.follow_names(list, Instant::now());
        filter.seek(list, list.len() - 1, Direction::Backward, &mut all, usize::MAX).unwrap();
    });
}

/// A line typed after `:`, for the protocol selected by the first byte: parsed, completed at each position, explained.
pub fn command(data: &[u8]) {
    with_text(data, |program, line| {
        let (known, len) = (&program.model, line.chars().count());
        if let Err(error) = parse(line, known) {
            assert!(error.column <= len && !error.message.is_empty(), "{line:?}: {error:?}");
        }
        for cursor in [len, len / 2, 0] {
            assert!(complete(line, cursor, known).from <= cursor, "{line:?}");
        }
        let _ = ghost(line, None, known);
        let _ = explain(line, known);
        if let Some(line) = line.strip_prefix("target ") {
            program.encode(line);
        }
    });
}

/// A script for the protocol selected by the first byte.
pub fn script(data: &[u8]) {
    let Some((first, script)) = data.split_first() else { return };
    with_program(*first, |program| {
        if let Err(failure) = exec::check(script, &program.vocabulary, &SETTINGS) {
            assert!(!failure.text.is_empty());
        }
    });
}

fn with_text(data: &[u8], run: impl FnOnce(&mut Program, &str)) {
    let Some((first, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    with_program(*first, |program| run(program, text));
}
