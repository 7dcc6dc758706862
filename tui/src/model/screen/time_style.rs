//! The time column: its styles, and which are available for the sources shown.

use spytui_engine::present::clock::{date_in, grouped, time_of_day};

use crate::{
    model::{Model, list::Entry},
    term::width,
};

/// The option of decoders whose protocol does not define the tick rate.
pub const TICK_RATE: &str = "ticks-per-second";

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeStyle {
    /// In ticks, or in seconds if the rate is known.
    #[default]
    Target,
    Ticks,
    /// Seconds of the target, if the rate is known.
    Seconds,
    /// Date and time, if the target reports them.
    Date,
    /// Time since the previous shown row.
    Delta,
    /// Relative to the reference row, once there is one.
    SinceMark,
    /// Time of receipt.
    Host,
}

/// The styles with their words in the configuration and in messages, and their headings.
const STYLES: [(TimeStyle, &str, &str, &str); 7] = [
    (TimeStyle::Target, "target", "time of the target", "time s"),
    (TimeStyle::Ticks, "ticks", "time in ticks", "ticks"),
    (TimeStyle::Seconds, "seconds", "time in seconds", "time s"),
    (TimeStyle::Date, "date", "date and time, UTC", "date UTC"),
    (TimeStyle::Delta, "delta", "time since the row above", "since above"),
    (TimeStyle::SinceMark, "mark", "time since the row measured from", "since r"),
    (TimeStyle::Host, "host", "time of arrival", "received"),
];

/// The styles in the order of their key.
const IN_TURN: [TimeStyle; 6] =
    [TimeStyle::Ticks, TimeStyle::Seconds, TimeStyle::Date, TimeStyle::Delta, TimeStyle::SinceMark, TimeStyle::Host];

impl TimeStyle {
    /// From the configuration.
    pub fn configured(word: &str) -> TimeStyle {
        STYLES.iter().find(|(_, own, ..)| *own == word).map_or(TimeStyle::Target, |style| style.0)
    }

    fn words(self) -> &'static str {
        STYLES.iter().find(|style| style.0 == self).map_or("", |style| style.2)
    }

    /// The heading of the column, with the unit.
    pub fn heading(self) -> &'static str {
        STYLES.iter().find(|style| style.0 == self).map_or("", |style| style.3)
    }

    /// Why it is unavailable, if so.
    pub fn absence(self, model: &Model) -> Option<&'static str> {
        match self {
            TimeStyle::Seconds if !model.list.rows.clock().known() => {
                Some(match model.list.decoding().decoder.info.option(TICK_RATE) {
                    Some(_) => "no seconds: rate unknown; :set ticks-per-second HZ",
                    None => "no seconds: tick rate unknown",
                })
            }
            TimeStyle::Seconds if !model.list.rows.clock().shows_seconds() => Some("no seconds: tick rate in doubt"),
            TimeStyle::Date if !model.list.rows.clock().has_dates() => Some("no dates: the target reports none"),
            TimeStyle::SinceMark if model.list.measure_from.is_none() => Some("no mark: r measures from a row"),
            TimeStyle::Host if !has_host_times(model) && model.links.is_over() => Some("no host times: a file"),
            TimeStyle::Host if !has_host_times(model) => Some("no host times yet"),
            _ => None,
        }
    }

    /// The style used: that of the target if this one is unavailable.
    pub fn shown(self, model: &Model) -> TimeStyle {
        match self {
            TimeStyle::Target if model.list.rows.clock().shows_seconds() => TimeStyle::Seconds,
            TimeStyle::Target => TimeStyle::Ticks,
            other if other.absence(model).is_some() => TimeStyle::Target.shown(model),
            other => other,
        }
    }
}

fn has_host_times(model: &Model) -> bool {
    let rows = &model.list.rows;
    let of_source = |source: usize| {
        let log = &rows.source(source).log;
        log.len().checked_sub(1).and_then(|last| log.host_time_at(last)).is_some()
    };
    (0..rows.sources()).any(of_source)
}

/// Switches to the next available style, and reports why others were skipped.
pub fn turn_time(model: &mut Model) {
    let shown = model.screen.time_style.shown(model);
    let at = IN_TURN.iter().position(|style| *style == shown).unwrap_or(0);
    let mut words = Vec::new();
    for style in IN_TURN.into_iter().cycle().skip(at + 1).take(IN_TURN.len()) {
        match style.absence(model) {
            // Few targets know the date.
            Some(_) if style == TimeStyle::Date => {}
            Some(reason) => words.push(reason),
            None => {
                model.screen.time_style = style;
                words.insert(0, style.words());
                break;
            }
        }
    }
    model.say(words.join(" · "));
}

/// The time column of a row. Distances are exact if there is `room`.
pub fn time_text(model: &Model, style: TimeStyle, entry: &Entry, room: usize) -> String {
    let distance = |from: Option<u64>| {
        let (from, to) = from.zip(entry.time)?;
        let clock = model.list.rows.clock();
        let exact = clock.distance_text(from, to);
        // Without its blanks it may fit; otherwise it is rounded.
        let fits = width(&exact) - exact.matches(' ').count() <= room;
        Some(if fits { exact } else { clock.delta_text(from, to) })
    };
    match style {
        TimeStyle::Ticks => entry.time.map(grouped).unwrap_or_default(),
        TimeStyle::Target | TimeStyle::Seconds => entry.line.time.clone(),
        TimeStyle::Date => {
            let unix = entry.time.and_then(|time| model.list.rows.clock().unix_ns(time));
            unix.and_then(|unix| date_in(unix, room)).unwrap_or_default()
        }
        TimeStyle::Delta => distance(entry.extra.before).unwrap_or_default(),
        TimeStyle::SinceMark => distance(model.list.measure_from).unwrap_or_default(),
        TimeStyle::Host => host_time(model, entry),
    }
}

/// Time of receipt of a row.
pub fn host_time(model: &Model, entry: &Entry) -> String {
    let host = model.list.rows.source(entry.source).log.host_time_at(entry.pos);
    host.map_or_else(String::new, time_of_day)
}
