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

mod header;
mod help;
mod prompt;
mod tabs;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    input::RECORDS,
    model::{Model, screen::LEAST},
    term::{Role, Screen, wrap},
    widget::Paint,
};

/// Draws everything.
pub fn draw(model: &Model, screen: &mut Screen) {
    let (width, height) = model.screen.size;
    let look = &model.screen.look;
    let buffer = screen.frame();
    if width < LEAST.0 || height < LEAST.1 {
        return too_small(Paint::new(buffer, look), (width, height));
    }
    header::draw(model, &mut Paint::new(buffer, look));
    if model.prompt.help.is_some() {
        help::draw(model, buffer);
    } else {
        body(model, buffer);
    }
    let mut paint = Paint::new(buffer, look);
    tabs::draw(model, &mut paint);
    let cursor = prompt::draw(model, &mut paint);
    let list = model.screen.layout.list_area;
    if model.prompt.help.is_none() && list.height > 0 && list.width == width {
        screen.set_scroll_area(list.y..list.y + list.height);
    }
    if let Some((x, y)) = cursor {
        screen.set_cursor(x, y);
    }
}

/// What a screen that is too small shows, in as many lines as that takes.
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

/// An area with the line of its title above.
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
