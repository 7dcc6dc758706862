//! The plot: the numbers of one lane over the whole height.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Color,
    symbols::Marker,
    widgets::{
        Widget,
        canvas::{Canvas, Line},
    },
};

use super::lanes::{DrawnLane, Lane, LaneScale, label_width};
use crate::{
    term::{Glyphs, Role},
    widget::{Look, Paint},
};

/// Draws the numbers of the columns, with their axis in the room before the lanes.
pub(super) fn draw(lane: &DrawnLane<'_>, hatched: &[bool], area: Rect, look: &Look, buffer: &mut Buffer) {
    let label = label_width(area.width);
    let graph = Rect { x: area.x + label, width: area.width.saturating_sub(label), ..area };
    let scale = LaneScale::of(lane.lane, lane.cells);
    // A single number lies in the middle.
    let margin = if scale.most > scale.least { 0.0 } else { 1.0 };
    let points = if look.glyphs == Glyphs::Unicode { 2 } else { 1 };
    let last = f64::from(graph.width.saturating_mul(points).saturating_sub(1));
    Canvas::default()
        .marker(if points == 2 { Marker::Braille } else { Marker::Dot })
        .x_bounds([0.0, last])
        .y_bounds([scale.least - margin, scale.most + margin])
        .paint(|canvas| {
            for (column, cell) in lane.cells.iter().enumerate() {
                let finite = scale.range(cell).filter(|(low, high)| low.is_finite() && high.is_finite());
                let Some((low, high)) = finite else { continue };
                for point in 0..points {
                    let x = (column * usize::from(points) + usize::from(point)) as f64;
                    canvas.draw(&Line::new(x, low, x, high, Color::Reset));
                }
            }
        })
        .render(graph, buffer);
    let mut paint = Paint::new(buffer, look);
    for ((cell, is_hatched), x) in lane.cells.iter().zip(hatched).zip(graph.x..graph.right()) {
        for y in graph.y..graph.bottom() {
            let symbol = if *is_hatched { "╱".to_owned() } else { paint.symbol(x, y) };
            let role = match (is_hatched, cell.unsure) {
                (true, _) => Role::Loss,
                (false, true) => Role::Unsure,
                (false, false) => Role::Number,
            };
            paint.text(x, y, 1, &symbol, role);
        }
    }
    let bottom = graph.bottom().saturating_sub(1);
    let room = usize::from(label.saturating_sub(2));
    for (text, y) in axis(lane.lane, &scale).iter().zip([graph.y, graph.y.midpoint(bottom), bottom]) {
        paint.text(area.x + 1, y, room as u16, &format!("{text:>room$}"), Role::Help);
    }
}

/// The words at the top, in the middle and at the bottom of the axis.
fn axis(lane: &Lane, scale: &LaneScale) -> [String; 3] {
    if lane.key.is_level && lane.counts_free && scale.is_seen {
        return ["full".to_owned(), String::new(), "empty".to_owned()];
    }
    [scale.most, f64::midpoint(scale.least, scale.most), scale.least].map(|number| number.to_string())
}

#[cfg(test)]
mod tests {
    use spytui_engine::analysis::{
        Key,
        objects::ObjectKind,
        timeline::{Cell, LaneKey, LaneValue},
    };

    use super::{super::lanes::Lanes, *};

    fn lane(is_level: bool, counts_free: bool, capacity: Option<u64>) -> Lane {
        let object = Key { space: 16, key: 1, scope: 0 };
        Lane {
            number: 0,
            key: LaneKey { object, is_level },
            name: String::new(),
            below: object,
            is_second: false,
            kind: ObjectKind::Value,
            counts_free,
            capacity,
            unit: String::new(),
        }
    }

    fn drawn(lane: &Lane, numbers: &[f64]) -> Vec<String> {
        let cells: Vec<Cell> =
            numbers.iter().map(|number| Cell { range: Some((*number, *number)), ..Cell::default() }).collect();
        let area = Rect::new(0, 0, 10 + numbers.len() as u16, 4);
        let mut buffer = Buffer::empty(area);
        let shown = DrawnLane { lane, cells: &cells, level: String::new() };
        let look = Look { glyphs: Glyphs::Ascii, ..Look::default() };
        draw(&shown, &vec![false; cells.len()], area, &look, &mut buffer);
        let line = |y| (0..area.width).map(|x| buffer[(x, y)].symbol()).collect();
        (0..4).map(line).collect()
    }

    #[test]
    fn the_axis_has_the_least_and_the_greatest_value() {
        let lines = drawn(&lane(false, false, None), &[-2.0, 4.0, -2.0]);
        assert_eq!(lines, ["        4  * ", "        1    ", "             ", "       -2 * *"].map(str::to_owned));
    }

    #[test]
    fn a_level_is_drawn_up_to_its_capacity() {
        let full = drawn(&lane(true, true, Some(8)), &[8.0, 0.0]);
        assert_eq!(full, ["        8  *", "        4   ", "            ", "        0 * "].map(str::to_owned));
        // What an empty queue has free is not known.
        let seen = drawn(&lane(true, true, None), &[f64::INFINITY, 0.0, 3.0]);
        assert_eq!(seen, ["     full  * ", "             ", "            *", "    empty *  "].map(str::to_owned));
    }

    #[test]
    fn numbers_have_their_unit() {
        let lane = Lane { unit: "°C".to_owned(), ..lane(false, false, None) };
        let words = |number| Lanes::default().word(&lane, LaneValue::Number(number));
        assert_eq!((words(21.5), words(-3.0)), ("21.5 °C".to_owned(), "-3 °C".to_owned()));
    }
}
