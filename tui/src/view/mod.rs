//! What is drawn: pure functions of the state, onto the screen's buffer.
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

mod counters;
mod details;
mod dictionary;
mod header;
mod help;
mod log;
mod paint;
mod prompt;
mod records;
mod tabs;

pub use details::hex_columns;

use crate::{
    app::{App, Pane, layout},
    term::Screen,
};

/// Draws everything.
pub fn draw(app: &App, screen: &mut Screen) {
    let (width, height) = app.size;
    if width < layout::LEAST.0 || height < layout::LEAST.1 {
        let text = format!("{width}x{height}: spytui needs {}x{}", layout::LEAST.0, layout::LEAST.1);
        paint::Paint::new(screen.frame(), &app.look).text(0, 0, width, &text, crate::term::Role::Plain);
        return;
    }
    let mut paint = paint::Paint::new(screen.frame(), &app.look);
    header::draw(app, &mut paint);
    if app.help.is_some() {
        help::draw(app, &mut paint);
    } else {
        body(app, &mut paint);
    }
    tabs::draw(app, &mut paint);
    let cursor = prompt::draw(app, &mut paint);
    let list = app.layout.list_area;
    if app.help.is_none() && list.height > 0 && list.width == width {
        screen.set_scroll_area(list.y..list.y + list.height);
    }
    if let Some((x, y)) = cursor {
        screen.set_cursor(x, y);
    }
}

fn body(app: &App, paint: &mut paint::Paint<'_>) {
    if app.layout.list_area.height > 0 {
        records::draw(app, paint);
    }
    if app.layout.details.is_some() {
        details::draw(app, paint);
    }
    if app.layout.beside {
        divider(app, paint);
    }
    match app.pane {
        Pane::Records => {}
        Pane::Dictionary => dictionary::draw(app, paint),
        Pane::Counters => counters::draw(app, paint),
        Pane::Log => log::draw(app, paint),
    }
}

/// The line between the list and the pane beside it.
fn divider(app: &App, paint: &mut paint::Paint<'_>) {
    let area = app.layout.list_area;
    let x = app.layout.divider;
    let (cross, line) = match paint.glyphs() {
        crate::term::Glyphs::Ascii => ("+", "|"),
        _ => ("┬", "│"),
    };
    paint.text(x, area.y.saturating_sub(1), 1, cross, crate::term::Role::Rule);
    for y in area.y..area.bottom() {
        paint.text(x, y, 1, line, crate::term::Role::Rule);
    }
}
