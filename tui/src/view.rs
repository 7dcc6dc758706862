//! Drawing: functions of the model, onto the screen's buffer.
//!
//! ```text
//!  QS  ttyUSB0 115200   ● live 00:12:31    11.2 kB/s  97% of line     rec 4.1 MB   header
//!  gaps 14 (≥58 lost)  bad 9  skipped 212 B       2 257 rec   812/s    drops n/a
//! ─ Records ──────────────────────────── filter -kind:Tick  hides 137 · follow ─   records
//!  327 491 312    +468 AO   AO-GetL  door      MOVE_SIG  queue empty
//! ─ QS_QEP_TRAN 6   #418 @0x2652  34 B  seq 208 ─────────────────────── d hide ─   details
//!  sig    13        MOVE_SIG                   d0 06 ff 1e 85 13 0d 00 80 11 41 00
//! 1 Rec  2 Dict  5 Cnt  9 Log                                             ? keys   tabs
//!  names come from the stream                                                      message
//! ```
//!
//! Panes draw themselves, see [`crate::model::panes::Pane`].

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    widgets::Widget,
};
use spytui_engine::present::{clock::grouped, sanitise_text};

use crate::{
    input::{Action, HelpLine, KeyMeaning, RECORDS},
    model::{
        Model,
        panes::ActionOffer,
        prompt::{CommandLine, HELP_KEYS, SHOWN, help_columns, help_lines, in_lines},
        screen::{HELP, LEAST, Piece, diagnosis_line, tab_line},
    },
    term::{Role, Screen, cut_middle, cut_start, width, wrap},
    widget::{Paint, TitleRule},
};

pub fn draw(model: &Model, screen: &mut Screen) {
    let (width, height) = model.screen.size;
    let look = &model.screen.look;
    let buffer = screen.frame();
    if width < LEAST.0 || height < LEAST.1 {
        return too_small(Paint::new(buffer, look), (width, height));
    }
    draw_header(model, &mut Paint::new(buffer, look));
    if model.prompt.help.is_some() {
        draw_help(model, buffer);
    } else {
        body(model, buffer);
    }
    let mut paint = Paint::new(buffer, look);
    draw_tabs(model, &mut paint);
    let cursor = draw_prompt(model, &mut paint);
    let list = model.screen.layout.list_area;
    if model.prompt.help.is_none() && list.height > 0 && list.width == width {
        screen.scrolls = Some(list.y..list.y + list.height);
    }
    screen.cursor = cursor;
}

/// Message on a screen that is too small, in as many lines as it needs.
fn too_small(mut paint: Paint<'_>, (width, height): (u16, u16)) {
    let text = format!("{width}x{height}: spytui needs {}x{}", LEAST.0, LEAST.1);
    for (line, y) in wrap(&text, usize::from(width.max(1))).into_iter().zip(0..height) {
        paint.text(0, y, width, line, Role::Plain);
    }
}

/// The list, the pane under it, and the pane in front.
fn body(model: &Model, buffer: &mut Buffer) {
    let (layout, panes) = (&model.screen.layout, &model.panes);
    if let (Some(y), Some(list)) = (layout.list_rule, panes.get(RECORDS)) {
        let width = if layout.beside { layout.divider } else { layout.list_area.width };
        list.draw(model, with_title(y, Rect { width, ..layout.list_area }), buffer);
    }
    if let (Some((y, area)), Some(below)) = (layout.details, panes.below()) {
        below.draw(model, with_title(y, area), buffer);
    }
    if let (Some((y, area)), Some(strip)) = (layout.strip, panes.strip().and_then(|strip| panes.get(strip))) {
        strip.draw(model, with_title(y, area), buffer);
    }
    if layout.beside {
        divider(model, &mut Paint::new(buffer, &model.screen.look));
    }
    if let (Some((y, area)), Some(front)) = (layout.pane, panes.beside().and_then(|beside| panes.get(beside))) {
        front.draw(model, with_title(y, area), buffer);
    }
}

/// An area with its title line above.
fn with_title(y: u16, area: Rect) -> Rect {
    Rect { y, height: area.bottom().saturating_sub(y), ..area }
}

/// The line between the list and the pane beside it.
fn divider(model: &Model, paint: &mut Paint<'_>) {
    let layout = &model.screen.layout;
    let (x, top) = (layout.divider, layout.list_rule.unwrap_or_default());
    paint.text(x, top, 1, "┬", Role::Rule);
    for y in top + 1..layout.list_area.bottom() {
        paint.text(x, y, 1, "│", Role::Rule);
    }
}

/// Blanks between the parts on the right.
const GAP: &str = "   ";

fn draw_header(model: &Model, paint: &mut Paint<'_>) {
    let room = model.screen.size.0;
    let header = &model.screen.header;
    paint.spans(0, 0, room, pieces(&header.link));
    if model.screen.layout.headers < 2 {
        return short(model, paint);
    }
    let end = paint.spans(0, 1, room, pieces(&header.losses));
    let spare = usize::from(room.saturating_sub(end + 2));
    let rest = in_room(&header.rest, spare);
    let at = room.saturating_sub(width(&rest) as u16 + 1).max(end + 2);
    // In the middle if there is room, so that both ends stay readable.
    let at = if room > 110 { at.min(end + 6) } else { at };
    paint.text(at, 1, room.saturating_sub(at), &rest, Role::Plain);
}

/// Joins the parts that fit. Parts are dropped completely; the first ones are most important.
fn in_room(parts: &[[String; 2]], room: usize) -> String {
    let fits = |parts: &[&str]| width(&parts.join(GAP)) < room;
    let mut shown: Vec<&str> = Vec::new();
    let mut full = Vec::new();
    for [words, fewer] in parts {
        shown.push(fewer);
        if fits(&shown) {
            full.push(words);
        } else {
            shown.pop();
        }
    }
    for (i, words) in full.into_iter().enumerate() {
        let fewer = std::mem::replace(&mut shown[i], words);
        if !fits(&shown) {
            shown[i] = fewer;
        }
    }
    shown.join(GAP)
}

fn pieces(line: &[Piece]) -> impl Iterator<Item = (&str, Role)> {
    line.iter().map(|(text, role)| (text.as_str(), *role))
}

/// With one header line, losses are at its end.
fn short(model: &Model, paint: &mut Paint<'_>) {
    let header = &model.screen.header;
    if header.short_losses.is_empty() {
        return;
    }
    let text = format!(" {} ", header.short_losses);
    let at = model.screen.size.0.saturating_sub(width(&text) as u16);
    paint.text(at, 0, model.screen.size.0, &text, Role::Loss);
}

const MOST_PREVIEW_LINES: usize = 3;

fn draw_tabs(model: &Model, paint: &mut Paint<'_>) {
    let Some(y) = model.screen.layout.tabs else { return };
    let width = model.screen.size.0;
    if let Some(typed) = &model.prompt.line {
        let preview = &typed.preview;
        let role = if preview.error { Role::Error } else { Role::Help };
        paint.lines_up_to(y, width, &preview.text, MOST_PREVIEW_LINES, role);
        return;
    }
    let line = tab_line(model);
    for tab in &line.tabs {
        let role = if tab.pane == model.panes.front() { Role::ActiveTab } else { Role::Plain };
        paint.text(tab.x, y, width, &tab.text, role);
    }
    if let Some((x, place)) = &line.place {
        paint.text(*x, y, width, place, Role::Help);
    }
    if let Some(x) = line.help {
        paint.text(x, y, width, HELP, Role::Help);
    }
}

fn draw_help(model: &Model, buffer: &mut Buffer) {
    let Some(help) = &model.prompt.help else { return };
    let (width, height) = model.screen.size;
    let look = &model.screen.look;
    let top = model.screen.layout.headers;
    let area = Rect::new(0, top, width, height.saturating_sub(2 + top));
    let [rule, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let title = help.page.as_ref().map_or("Help", |(title, _)| title);
    let title = if help.filter.is_empty() { title.to_owned() } else { format!("{title} · {}", help.filter) };
    TitleRule { title: &title, right: "type to filter · arrows scroll · Esc closes", look }.render(rule, buffer);
    let columns = help_columns(model);
    let lines = help_lines(model);
    let shown = lines.get(help.top..).unwrap_or_default();
    let mut paint = Paint::new(buffer, look);
    if lines.is_empty() {
        paint.text(1, body.y, width.saturating_sub(2), &format!("nothing matches \"{}\"", help.filter), Role::Help);
    }
    let pages = shown.chunks(usize::from(body.height.max(1)));
    let column_width = width / columns;
    for (page, i) in pages.zip(0..columns) {
        let column = Rect { x: i * column_width + 1, width: column_width.saturating_sub(2), ..body };
        for (HelpLine { left, right: doc, heading }, y) in page.iter().zip(column.y..) {
            let role = if *heading { Role::Title } else { Role::Kind };
            if doc.is_empty() {
                paint.text(column.x, y, column.width, left, role);
                continue;
            }
            let keys = (HELP_KEYS as u16).min(column.width);
            paint.text(column.x, y, keys, left, role);
            let behind = (keys + 1).min(column.width);
            paint.text(column.x + behind, y, column.width - behind, doc, Role::Plain);
        }
    }
}

/// Width of the completions, unless one is longer.
const LEAST_COMPLETION: usize = 24;
const MOST_LINES: usize = 6;

/// Draws the line; returns the position of the cursor while something is typed.
fn draw_prompt(model: &Model, paint: &mut Paint<'_>) -> Option<(u16, u16)> {
    let y = model.screen.layout.prompt;
    let room = model.screen.size.0;
    if let Some(line) = &model.prompt.line {
        if line.explained.is_empty() {
            completions(line, model, paint, y);
        } else {
            explanation(&line.explained, model, paint, y);
        }
        let sign = match line.editor.wanted() {
            Some(_) => "^r ".to_owned(),
            None => line.editor.kind().sign().to_string(),
        };
        let (shown, cursor) = line.shown(usize::from(room.saturating_sub(2 + sign.len() as u16)));
        let x = paint.text(0, y, room, &sign, Role::Title);
        let end = paint.text(x, y, room.saturating_sub(x), &shown, Role::Plain);
        paint.text(end, y, room.saturating_sub(end), &line.ghost.take, Role::Help);
        let before: String = shown.chars().take(cursor).collect();
        return Some(((x + width(&before) as u16).min(room.saturating_sub(1)), y));
    }
    if let Some(question) = &model.prompt.question {
        paint.text(0, y, room, &format!(" {}", question.line()), Role::Title);
        return None;
    }
    if !model.prompt.pressed.is_empty() {
        paint.text(0, y, room, &pressed(model), Role::Title);
        return None;
    }
    message(model, paint, y, room);
    None
}

/// The message; a long one covers the lines above until the next key.
fn message(model: &Model, paint: &mut Paint<'_>, y: u16, room: u16) {
    let screen = &model.screen;
    let in_list = screen.layout.list_area.height > 0 && model.prompt.help.is_none() && diagnosis_line(model).is_some();
    let start = |text: &str| text.chars().take(40).collect::<String>();
    let repeats_list = |text: &str| in_list && screen.diagnosis.as_deref().map(start) == Some(start(text));
    if let Some(notice) = model.prompt.notice.as_ref().filter(|notice| !repeats_list(&notice.text)) {
        let role = if notice.error { Role::Error } else { Role::Plain };
        paint.lines_up_to(y, room, &sanitise_text(&notice.text), MOST_LINES, role);
    } else if let Some(diagnosis) = screen.diagnosis.as_ref().filter(|_| !in_list) {
        paint.lines_up_to(y, room, diagnosis, 2, Role::Warning);
    } else {
        paint.text(1, y, room.saturating_sub(2), &screen.hint, Role::Help);
    }
}

/// The keys pressed so far, and what may follow, or why nothing may.
fn pressed(model: &Model) -> String {
    let keys: Vec<String> = model.prompt.pressed.iter().map(ToString::to_string).collect();
    let mut text = format!(" {}", keys.join(" "));
    let mut refused = None;
    if let KeyMeaning::Prefix(next) = model.settings.keymap.meaning(model.panes.front(), &model.prompt.pressed) {
        for (key, action) in next {
            match offer(model, action) {
                ActionOffer::Words(words) => text.push_str(&format!("  {key} {words}")),
                ActionOffer::Refused(why) => refused = Some(why),
                ActionOffer::Usual | ActionOffer::Nothing => {}
            }
        }
    }
    if let Some(why) = refused {
        text.push_str(&format!("  {why}"));
    }
    text
}

fn offer(model: &Model, action: Action) -> ActionOffer {
    let front = model.panes.get(model.panes.front());
    match front.map_or(ActionOffer::Usual, |pane| pane.offer(action, model)) {
        ActionOffer::Usual => {
            let entry = model.settings.keymap.catalog.entry(action);
            entry.map_or(ActionOffer::Nothing, |entry| ActionOffer::Words(entry.doc.to_owned()))
        }
        reported => reported,
    }
}

/// Width of the completions: that of the longest one, as long as there is room for help.
fn completion_column(typed: &CommandLine, room: usize) -> usize {
    let longest = typed.completions.iter().map(|choice| width(&choice.text)).max().unwrap_or(0);
    let help = typed.completions.iter().map(|choice| width(&choice.help)).max().unwrap_or(0);
    let free = room.saturating_sub(3 + help);
    longest.max(LEAST_COMPLETION.min(free)).min(free.max(room / 2))
}

/// At most six completions, over the lines above the preview.
fn completions(typed: &CommandLine, model: &Model, paint: &mut Paint<'_>, y: u16) {
    let lines = typed.completions.len().min(SHOWN) as u16;
    let inner = usize::from(model.screen.size.0.saturating_sub(2));
    let preview = wrap(&typed.preview.text, inner).len().clamp(1, MOST_PREVIEW_LINES) as u16;
    let top = y.saturating_sub(preview + lines);
    let first = typed.chosen().map_or(0, |at| (at + 1).saturating_sub(SHOWN));
    let room = usize::from(model.screen.size.0);
    let column = completion_column(typed, room);
    let help = column + 2;
    let last = first + usize::from(lines).saturating_sub(1);
    let more = match typed.completions.len().saturating_sub(last + 1) {
        0 => String::new(),
        count => format!("{} {} more", paint.glyphs().ellipsis(), grouped(count as u64)),
    };
    for (i, choice) in typed.completions.iter().enumerate().skip(first).take(SHOWN) {
        let line = top + (i - first) as u16;
        paint.blank(line, model.screen.size.0);
        let ellipsis = paint.glyphs().ellipsis();
        // The last part of a path identifies it.
        let text = match choice.text.contains('/') {
            true => cut_start(&choice.text, column, ellipsis),
            false => cut_middle(&choice.text, column, ellipsis),
        };
        paint.text(1, line, column as u16, &text, Role::Kind);
        let more = if i == last { more.as_str() } else { "" };
        let end = room.saturating_sub(1 + width(more));
        paint.text(help as u16, line, end.saturating_sub(help + 1) as u16, &choice.help, Role::Help);
        paint.text(end as u16, line, width(more) as u16, more, Role::Help);
        if typed.chosen() == Some(i) {
            paint.tint(0, line, model.screen.size.0, Role::Cursor);
        }
    }
}

/// The explanation from `?` for a command, over the lines above the tab line.
fn explanation(explained: &[HelpLine], model: &Model, paint: &mut Paint<'_>, y: u16) {
    let room = model.screen.size.0;
    let left = explained.iter().map(|line| width(&line.left)).max().unwrap_or(0).min(usize::from(room) / 2) as u16;
    let words = usize::from(room.saturating_sub(left + 4)).max(1);
    let lines = explained.iter().flat_map(|line| in_lines(line, words, line.right.is_empty()));
    let lines: Vec<HelpLine> = lines.collect();
    let top = y.saturating_sub(1 + lines.len() as u16);
    for (HelpLine { left: usage, right: meaning, .. }, line) in lines.iter().zip(top..y) {
        paint.blank(line, room);
        paint.text(1, line, left, usage, Role::Kind);
        paint.text(left + 3, line, room.saturating_sub(left + 4), meaning, Role::Help);
    }
}
