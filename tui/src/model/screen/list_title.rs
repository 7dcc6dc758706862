//! The title of the list: filter and hidden rows, search, omitted rows, following or held.

use std::time::{Duration, Instant};

use spytui_engine::present::clock::grouped;

use crate::{
    model::{Model, list::Collapse, search},
    term::{end_marked, width},
    widget::Rule,
};

/// Frames closer together are not compared.
const SHORTEST: Duration = Duration::from_millis(25);
/// Update interval for the number of rows since the list was held.
const HELD_EVERY: Duration = Duration::from_millis(500);
/// Bursts are shorter.
const LONG: Duration = Duration::from_secs(1);

pub const TITLE: &str = "Records";
const BETWEEN: &str = " · ";
/// Minimum width of the filter.
const LEAST_FILTER: usize = 18;
/// Maximum width of the search text, and its width if a filter needs the room.
const SEARCH: usize = 24;
const LEAST_SEARCH: usize = 6;

/// Updates the title once per frame, because it counts the rows since the last one.
pub fn refresh(model: &mut Model) {
    let not_shown = not_shown(model);
    let held = held(model);
    let list = &model.list;
    let page = &list.page;
    let mut parts = Vec::new();
    parts.extend(list.redundant_text());
    if page.collapse == Collapse::Equal {
        parts.push("folded".to_owned());
    }
    parts.extend(not_shown);
    let mut state = match page.follow {
        true => "follow".to_owned(),
        false if model.links.is_over() => format!("{} %", percent(page.cursor, list.rows.len())),
        false => {
            let came = if held > 0 { format!(" +{}", grouped(held)) } else { String::new() };
            format!("held{came} · {} %", percent(page.cursor, page.held_at + held))
        }
    };
    if page.unfinished {
        state.push_str(" · searching…");
    }
    model.screen.list_title = laid_out(model, &parts, &state);
}

/// The filter, and what it hides.
fn filter(model: &Model) -> Option<(String, String)> {
    let filter = &model.list.page.filter;
    // Rows that the filter has not examined yet.
    let rows = model.list.rows.len();
    let more = match filter.looked_at() < rows {
        true => format!("+ {}", search::share_text(filter, rows)),
        false => String::new(),
    };
    let hides = format!("  hides {}{more}", grouped(filter.hidden()));
    (!filter.is_everything()).then(|| (format!("filter {}", filter.expr()), hides))
}

/// Lays out the parts of the title: the state is always complete, the filter gets the remaining room.
fn laid_out(model: &Model, parts: &[String], state: &str) -> String {
    let layout = &model.screen.layout;
    let cells = usize::from(if layout.beside { layout.list_area.width } else { model.screen.size.0 });
    let glyphs = model.screen.look.glyphs;
    let width = |text: &str| width(&glyphs.spell(text));
    let room = Rule::room(cells, TITLE).saturating_sub(width(state));
    let others = |search: usize| -> String {
        let parts = search::title(model, search).into_iter().chain(parts.iter().cloned());
        parts.map(|part| format!("{part}{BETWEEN}")).collect()
    };
    let front = match filter(model) {
        None => others(SEARCH),
        Some((expr, hides)) => {
            let least = width(&expr) + width(&hides) + width(BETWEEN);
            let is_room = least + width(&others(SEARCH)) <= room;
            let others = others(if is_room { SEARCH } else { LEAST_SEARCH });
            let room = room.saturating_sub(width(&others) + width(&hides) + width(BETWEEN));
            format!("{}{hides}{BETWEEN}{others}", end_marked(&expr, room.max(LEAST_FILTER), "…"))
        }
    };
    if width(&front) <= room {
        return format!("{front}{state}");
    }
    let room = room.saturating_sub(width(BETWEEN));
    format!("{}{BETWEEN}{state}", end_marked(front.trim_end_matches(BETWEEN), room, "…"))
}

/// Number of rows since the list was held, updated twice a second.
fn held(model: &mut Model) -> u64 {
    let page = &model.list.page;
    if page.follow {
        model.screen.held = None;
        return 0;
    }
    let came = model.list.rows.len().saturating_sub(page.held_at.max(1));
    let recent = |(at, from, _): &(Instant, u64, u64)| {
        *from == page.held_at && model.now.saturating_duration_since(*at) < HELD_EVERY
    };
    if let Some((.., shown)) = model.screen.held.filter(recent) {
        return shown.min(came);
    }
    model.screen.held = Some((model.now, page.held_at, came));
    came
}

/// Rate of rows between frames.
#[derive(Debug, Default)]
pub struct Flow {
    /// Time and number of rows at an earlier frame.
    before: Option<(Instant, u64)>,
    /// Since when more than a page arrives per frame.
    fast_since: Option<Instant>,
}

impl Flow {
    /// Records the number of rows at a frame of `height` lines; `true` if for long more arrived than can be drawn.
    fn is_too_fast(&mut self, rows: u64, height: usize, now: Instant) -> bool {
        // Frames that answer keys follow each other closely.
        if self.before.is_none_or(|(at, _)| now.duration_since(at) >= SHORTEST) {
            let came = self.before.map_or(0, |(_, before)| rows.saturating_sub(before));
            self.before = Some((now, rows));
            let is_fast = came / height as u64 > 1;
            self.fast_since = if is_fast { self.fast_since.or(Some(now)) } else { None };
        }
        self.fast_since.is_some_and(|since| now.duration_since(since) > LONG)
    }
}

/// Message while more than a page arrives per frame.
fn not_shown(model: &mut Model) -> Option<String> {
    if !model.list.page.follow || model.links.is_over() {
        model.screen.flow = Flow::default();
        return None;
    }
    let (rows, height) = (model.list.rows.len(), model.screen.list_height());
    let is_too_fast = model.screen.flow.is_too_fast(rows, height, model.now);
    is_too_fast.then(|| "too fast to draw all; all kept".to_owned())
}

fn percent(row: u64, len: u64) -> u64 {
    ((row + 1) * 100 / len.max(1)).min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_no_news_and_a_flood_is() {
        let start = Instant::now();
        let mut flow = Flow::default();
        let mut too_fast = |ms: u64, rows: u64| flow.is_too_fast(rows, 20, start + Duration::from_millis(ms));
        let rows = |ms: u64| ms * 100;
        assert!((0..=1_000).step_by(50).all(|ms| !too_fast(ms, rows(ms))));
        assert!(too_fast(1_100, rows(1_100)));
        // A frame for a key, with few new rows.
        assert!(too_fast(1_101, rows(1_100) + 1));
        assert!(!too_fast(1_200, rows(1_100) + 10));
        assert!(!too_fast(1_300, rows(1_300)));
    }
}
