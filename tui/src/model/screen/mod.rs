//! The screen: size, layout, tabs, header, theme.

mod header;

use std::time::Instant;

use ratatui::layout::Rect;
use spytui_engine::present::clock::{date_in, grouped, time_of_day};

use super::{
    Model,
    list::{CONTEXT, ListEntry},
};
use crate::{
    input::{Action, PaneId},
    term::{Figures, width, wrap},
    widget::Look,
};

pub use header::{Flow, Piece, ScreenHeader, TITLE as LIST_TITLE, refresh as refresh_header, refresh_list_title};

/// Rank of a row among the losses, and the row and number of losses it was counted from.
pub type LossPlace = ((u64, u64), Option<(u64, u64)>);

#[derive(Debug, Default)]
pub struct ScreenState {
    pub look: Look,
    /// Columns and lines.
    pub size: (u16, u16),
    /// Lines of each part, as of the last frame.
    pub layout: ScreenLayout,
    pub header: ScreenHeader,
    /// Title of the list: filter, hidden, following or held.
    pub list_title: String,
    /// Keys for what is on the screen.
    pub hint: String,
    /// Rank of the cursor row among the losses.
    pub(in crate::model) loss_place: Option<LossPlace>,
    /// Diagnosis of the sources, if something is wrong.
    pub diagnosis: Option<String>,
    pub time_style: TimeStyle,
    /// Columns that texts are scrolled sideways.
    pub sideways: usize,
    pub figures: Figures,
    flow: Flow,
    /// Rows since the list was held: when counted, since which row, how many.
    held: Option<(Instant, u64, u64)>,
    /// The terminal has at most 16 colours.
    pub few_colours: bool,
    /// The line to the terminal is slow: a pane beside the list would make scrolling expensive.
    pub slow_line: bool,
}

impl ScreenState {
    pub fn new(look: Look) -> ScreenState {
        ScreenState { look, size: (80, 24), ..ScreenState::default() }
    }

    /// Lines of the list; enough for a jump if it is hidden.
    pub fn list_height(&self) -> usize {
        let height = usize::from(self.layout.list_area.height);
        if height > 0 { height } else { 2 * CONTEXT + 1 }
    }

    /// Lines of a page of the pane in front, at least one.
    pub fn front_height(&self) -> usize {
        self.layout.front.max(1)
    }

    /// The rows that parts were made from are gone.
    pub fn forget_rows(&mut self) {
        self.header = ScreenHeader::default();
        self.loss_place = None;
    }
}

/// The first line below the rows with room for the diagnosis.
pub fn diagnosis_line(model: &Model) -> Option<u16> {
    let area = model.screen.layout.list_area;
    let text = model.screen.diagnosis.as_deref()?;
    let lines = wrap(text, usize::from(area.width.saturating_sub(2))).len();
    let rows = model.list.page.entries.len();
    (rows + 1 + lines <= usize::from(area.height)).then(|| area.y + rows as u16 + 1)
}

pub const LEAST: (u16, u16) = (40, 8);
/// Minimum columns of the list beside a pane.
const LIST: u16 = 77;
/// Minimum columns of a pane beside the list; otherwise it goes below the list.
const PANE: u16 = 60;
/// Minimum columns for a pane that stays beside the list.
const WIDE: u16 = 160;
/// Minimum lines for a pane below the list.
const BELOW: u16 = 30;
/// Minimum lines for details below the list.
const DETAILED: u16 = 18;
/// Minimum lines for headings.
const HEADED: u16 = 20;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScreenLayout {
    /// Header lines: 2, or 1 on a low screen.
    pub headers: u16,
    pub list_rule: Option<u16>,
    pub heading: Option<u16>,
    /// Lines of the pane in front.
    pub(in crate::model) front: usize,
    pub list_area: Rect,
    /// Title line and area of the details.
    pub details: Option<(u16, Rect)>,
    /// Title line and area of the strip.
    pub strip: Option<(u16, Rect)>,
    /// Title line and area of another pane.
    pub pane: Option<(u16, Rect)>,
    pub beside: bool,
    /// Column of the line between them.
    pub divider: u16,
    pub tabs: Option<u16>,
    pub prompt: u16,
}

#[derive(Debug, Clone, Copy)]
pub struct LayoutRequest {
    /// A pane other than the record list is in front.
    pub pane: bool,
    /// A pane stays beside the list in front, if there is room.
    pub stays: bool,
    pub strip: bool,
    pub details: bool,
    /// Lines for the complete details, if requested.
    pub details_all: Option<u16>,
    /// The pane in front fills the screen.
    pub zoom: bool,
    /// No pane is beside the list.
    pub stacked: bool,
    pub heading: bool,
}

impl ScreenLayout {
    /// For a screen of this size. Below 80x20 the details are dropped first, then the side pane, the second header line
    /// and the tab line.
    pub fn new((width, height): (u16, u16), request: LayoutRequest) -> ScreenLayout {
        let mut layout = ScreenLayout { prompt: height.saturating_sub(1), ..ScreenLayout::default() };
        layout.headers = if height >= 14 { 2 } else { 1 };
        let tabs = height >= 12;
        layout.tabs = tabs.then(|| height.saturating_sub(2));
        let top = layout.headers;
        let mut bottom = height.saturating_sub(1 + u16::from(tabs));
        let stays = !request.pane && request.stays && width >= WIDE;
        let beside = (request.pane && width > LIST + PANE || stays) && !request.zoom && !request.stacked;
        let below = request.pane && !beside && !request.zoom && height >= BELOW;
        if request.pane && !beside {
            bottom = layout.place_strip((width, height), bottom, request);
        }
        if request.pane && !beside && !below {
            let lines = bottom.saturating_sub(top + 1);
            layout.pane = Some((top, Rect::new(0, top + 1, width, lines)));
            layout.front = usize::from(lines);
            return layout;
        }
        let list_bottom = if below {
            let lines = (bottom - top) * 6 / 10;
            layout.pane = Some((bottom - lines, Rect::new(0, bottom - lines + 1, width, lines - 1)));
            bottom - lines
        } else {
            let details = ScreenLayout::details(height, bottom.saturating_sub(top), request);
            if details > 0 {
                let y = bottom - details - 1;
                layout.details = Some((y, Rect::new(0, y + 1, width, details)));
            }
            let above = layout.details.map_or(bottom, |(y, _)| y);
            layout.place_strip((width, height), above, request)
        };
        let list_width = if beside { (width * 6 / 10).min(width - PANE - 1).max(LIST) } else { width };
        layout.list_rule = Some(top);
        layout.heading = (request.heading && height >= HEADED).then_some(top + 1);
        let first = top + 1 + u16::from(layout.heading.is_some());
        // A blank before the line between list and pane.
        let inner = list_width - u16::from(beside);
        layout.list_area = Rect::new(0, first, inner, list_bottom.saturating_sub(first));
        if beside {
            let x = list_width + 1;
            (layout.beside, layout.divider) = (true, list_width);
            layout.pane = Some((top, Rect::new(x, top + 1, width - x, list_bottom.saturating_sub(top + 1))));
        }
        let front = layout.pane.filter(|_| request.pane).map_or(layout.list_area, |(_, area)| area);
        layout.front = usize::from(front.height);
        layout
    }

    /// Places the strip above a line; returns the line above which the rest goes.
    fn place_strip(&mut self, (width, height): (u16, u16), bottom: u16, request: LayoutRequest) -> u16 {
        let lines = match height {
            _ if !request.strip => return bottom,
            ..HEADED => return bottom,
            HEADED..30 => 3,
            30..45 => 5,
            _ => 7,
        };
        let y = bottom.saturating_sub(lines + 1);
        self.strip = Some((y, Rect::new(0, y + 1, width, lines)));
        y
    }

    /// Whether a screen of this height has no room for details below the list, so that they replace it.
    pub fn is_low(height: u16) -> bool {
        height < DETAILED
    }

    /// Lines of the details; 0 = none.
    fn details(height: u16, room: u16, request: LayoutRequest) -> u16 {
        if !request.details || (request.zoom && !request.pane) {
            return 0;
        }
        if ScreenLayout::is_low(height) {
            // The list keeps its title and the row under the cursor.
            return request.details_all.map_or(0, |_| room.saturating_sub(3));
        }
        // Constant for all records, so that the list does not move.
        let usual = match height {
            ..30 => 4,
            30..45 => 5,
            _ => 6,
        };
        request.details_all.map_or(usual, |all| all.clamp(usual, room / 2))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    pub pane: PaneId,
    pub text: String,
    pub x: u16,
}

impl Tab {
    pub fn end(&self) -> u16 {
        self.x + width(&self.text) as u16
    }
}

#[derive(Debug)]
pub struct TabLine {
    pub tabs: Vec<Tab>,
    /// Which of several sources are shown, with its first column.
    pub place: Option<(u16, String)>,
    /// The first column of [`HELP`].
    pub help: Option<u16>,
}

/// Text at the right end.
pub const HELP: &str = "? keys";

/// Forms of the tab line, the first that fits is used: columns between tabs, whether panes in the back have titles,
/// whether there is help.
const FORMS: [(u16, bool, bool); 4] = [(2, true, true), (1, true, true), (1, true, false), (1, false, true)];

/// The widest form of the tab line that fits.
pub fn tab_line(model: &Model) -> TabLine {
    let width = model.screen.size.0;
    let several = model.links.sources.len() > 1;
    let place = several.then(|| model.links.list_place(&model.links.scope));
    let mut forms = FORMS.into_iter();
    loop {
        let form = forms.next();
        let (gap, titles, has_help) = form.unwrap_or((1, false, false));
        let tabs = tabs(model, gap, titles);
        let mut end = tabs.last().map_or(0, Tab::end);
        let place = place.clone().map(|text| {
            let x = end + 2;
            end = x + text.len() as u16;
            (x, text)
        });
        let help = has_help.then(|| width.saturating_sub(HELP.len() as u16 + 1));
        if form.is_none() || end <= width.min(help.unwrap_or(width)) {
            return TabLine { tabs, place, help };
        }
    }
}

fn tabs(model: &Model, gap: u16, titles: bool) -> Vec<Tab> {
    let front = model.panes.front();
    let mut x = 0;
    let tab = |(pane, title)| {
        let keys = model.settings.keymap.keys(front, Action::ShowPane(pane));
        let key = keys.first().map_or("", String::as_str);
        // Makes visible that other panes are hidden.
        let alone = if pane == front && model.panes.zoom { " alone" } else { "" };
        let title = if titles || pane == front || key.is_empty() { title } else { "" };
        let tab = Tab { pane, text: format!("{key} {title}{alone}").trim().to_owned(), x };
        x = tab.end() + gap;
        tab
    };
    model.panes.tabs().map(tab).collect()
}

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
            TimeStyle::Date | TimeStyle::Delta | TimeStyle::SinceMark if model.list.rows.is_joint => {
                Some("targets have no common clock")
            }
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
            // Clocks of different targets can't be compared.
            TimeStyle::Target if model.list.rows.is_joint && has_host_times(model) => TimeStyle::Host,
            TimeStyle::Target if model.list.rows.clock().shows_seconds() => TimeStyle::Seconds,
            // Its lines have no other time.
            TimeStyle::Target if model.links.addressed().is_console() && has_host_times(model) => TimeStyle::Host,
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
pub fn time_text(model: &Model, style: TimeStyle, entry: &ListEntry, room: usize) -> String {
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

pub fn host_time(model: &Model, entry: &ListEntry) -> String {
    let host = model.list.rows.source(entry.source).log.host_time_at(entry.pos);
    host.map_or_else(String::new, time_of_day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout((width, height): (u16, u16), pane: bool) -> ScreenLayout {
        let request = LayoutRequest {
            pane,
            stays: false,
            strip: false,
            details: true,
            details_all: None,
            zoom: false,
            stacked: false,
            heading: true,
        };
        ScreenLayout::new((width, height), request)
    }

    #[test]
    fn every_line_of_the_screen_is_given_once() {
        for (width, height) in [(80, 24), (200, 50), (120, 40), (120, 36), (60, 12), (40, 8), (80, 17)] {
            for pane in [false, true] {
                let layout = layout((width, height), pane);
                let list = layout.list_rule.map_or(0, |_| layout.list_area.height + 1);
                let pane_lines = if layout.beside { 0 } else { layout.pane.map_or(0, |(_, r)| r.height + 1) };
                let parts = [layout.heading.is_some(), layout.tabs.is_some(), true].map(u16::from);
                let details = layout.details.map_or(0, |(_, r)| r.height + 1);
                let sum = layout.headers + list + pane_lines + details + parts.iter().sum::<u16>();
                assert_eq!(sum, height, "{width}x{height} {pane}");
            }
        }
    }

    #[test]
    fn large_details_leave_a_low_screen_one_row_of_the_list() {
        for height in LEAST.1..DETAILED {
            let request = LayoutRequest {
                pane: false,
                stays: false,
                strip: false,
                details: true,
                details_all: None,
                zoom: false,
                stacked: false,
                heading: true,
            };
            assert_eq!(ScreenLayout::new((40, height), request).details, None, "{height}");
            let layout = ScreenLayout::new((40, height), LayoutRequest { details_all: Some(2), ..request });
            assert_eq!(layout.list_area.height, 1, "{height}");
            assert!(layout.details.unwrap().1.height >= 3, "{height}");
        }
    }

    #[test]
    fn on_a_wide_screen_a_pane_stays_beside_the_list() {
        let request = |zoom, stacked| LayoutRequest {
            pane: false,
            stays: true,
            strip: false,
            details: true,
            details_all: None,
            zoom,
            stacked,
            heading: true,
        };
        for (width, is_beside) in [(159, false), (160, true), (200, true)] {
            assert_eq!(ScreenLayout::new((width, 50), request(false, false)).beside, is_beside, "{width}");
        }
        for (zoom, stacked) in [(true, false), (false, true)] {
            assert_eq!(ScreenLayout::new((200, 50), request(zoom, stacked)).pane, None);
        }
        let layout = ScreenLayout::new((200, 50), request(false, false));
        assert_eq!(layout.front, usize::from(layout.list_area.height));
    }

    #[test]
    fn a_strip_is_above_the_details_or_below_the_pane() {
        for (width, height) in [(80, 24), (200, 50), (120, 36), (80, 19)] {
            for pane in [false, true] {
                let request = LayoutRequest {
                    pane,
                    stays: false,
                    strip: true,
                    details: true,
                    details_all: None,
                    zoom: false,
                    stacked: false,
                    heading: true,
                };
                let layout = ScreenLayout::new((width, height), request);
                let Some((y, lines)) = layout.strip else {
                    assert!(height < HEADED);
                    continue;
                };
                let below = layout.details.map_or(height - 2, |details| details.0);
                assert_eq!((lines.y, lines.bottom()), (y + 1, below), "{width}x{height} {pane}");
                let above = if layout.list_rule.is_some() {
                    layout.list_area.bottom()
                } else {
                    layout.pane.unwrap().1.bottom()
                };
                assert!(above <= y && layout.list_area.height >= 4 || layout.list_rule.is_none(), "{layout:?}");
            }
        }
    }

    #[test]
    fn a_pane_has_60_columns_or_is_below_the_list() {
        for width in 80..=220 {
            let layout = layout((width, 36), true);
            let (_, area) = layout.pane.unwrap();
            assert!(area.width >= PANE, "{width}");
            assert_eq!(layout.beside, width >= 138, "{width}");
            assert!(layout.list_area.height >= 8 && layout.list_area.width >= LIST - 1, "{width}");
        }
        // As before if there is no room for both.
        assert_eq!(layout((120, 24), true).list_rule, None);
    }
}
