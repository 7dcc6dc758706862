//! Colours and attributes as escape sequences that also old terminals read: SGR 30–37, 39, 90–97, 40–47, 49.

use ratatui::style::{Color, Modifier};

use super::capability::Depth;

/// Colours and attributes in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pen {
    fg: Color,
    bg: Color,
    attributes: Modifier,
}

const ATTRIBUTES: [(Modifier, u8); 6] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::REVERSED, 7),
    (Modifier::CROSSED_OUT, 9),
];

impl Pen {
    pub(super) const PLAIN: Pen = Pen { fg: Color::Reset, bg: Color::Reset, attributes: Modifier::empty() };

    /// The pen for a cell on a terminal of this depth.
    pub(super) fn of(cell: &ratatui::buffer::Cell, depth: Depth) -> Pen {
        let known = ATTRIBUTES.iter().fold(Modifier::empty(), |all, (attribute, _)| all | *attribute);
        let pen = Pen { fg: cell.fg, bg: cell.bg, attributes: cell.modifier & known };
        match depth {
            Depth::Sixteen => pen,
            Depth::Mono => Pen { fg: Color::Reset, bg: Color::Reset, ..pen },
            Depth::Eight => pen.with_bold_for_bright(),
        }
    }

    fn with_bold_for_bright(mut self) -> Pen {
        self.attributes.remove(Modifier::DIM);
        if let Some(number @ 8..) = number(self.fg) {
            self.fg = NAMED[usize::from(number - 8)];
            self.attributes.insert(Modifier::BOLD);
        }
        if let Some(number @ 8..) = number(self.bg) {
            self.bg = NAMED[usize::from(number - 8)];
        }
        self
    }

    /// `true` if blank cells written with it look like erased ones.
    pub(super) fn erases(self) -> bool {
        self.bg == Color::Reset
            && !self.attributes.intersects(Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT)
    }

    /// Appends the shortest sequence that turns the pen `self` into `next`.
    pub(super) fn change(self, next: Pen, out: &mut Vec<u8>) {
        if self == next {
            return;
        }
        let mut codes = Vec::new();
        let from = if (self.attributes - next.attributes).is_empty() {
            self
        } else {
            codes.push(0);
            Pen::PLAIN
        };
        for (attribute, code) in ATTRIBUTES {
            if (next.attributes - from.attributes).contains(attribute) {
                codes.push(code);
            }
        }
        if next.fg != from.fg {
            codes.extend(colour_codes(next.fg, 30));
        }
        if next.bg != from.bg {
            codes.extend(colour_codes(next.bg, 40));
        }
        let codes: Vec<String> = codes.iter().filter(|_| next != Pen::PLAIN).map(u8::to_string).collect();
        out.extend_from_slice(format!("\x1b[{}m", codes.join(";")).as_bytes());
    }
}

const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

pub(super) fn number(colour: Color) -> Option<u8> {
    NAMED.iter().position(|named| *named == colour).map(|at| at as u8)
}

/// The codes of a colour, of the ink (`base` 30) or of the paper (40).
fn colour_codes(colour: Color, base: u8) -> Vec<u8> {
    match colour {
        Color::Reset => vec![base + 9],
        Color::Indexed(n) => vec![base + 8, 5, n],
        Color::Rgb(r, g, b) => vec![base + 8, 2, r, g, b],
        named => number(named).map(|n| if n < 8 { base + n } else { base + 60 + n - 8 }).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Cell;
    use ratatui::style::Style;

    use super::*;

    fn sequence(from: Style, to: Style, depth: Depth) -> String {
        let pen = |style: Style| {
            let mut cell = Cell::default();
            cell.set_style(style);
            Pen::of(&cell, depth)
        };
        let mut out = Vec::new();
        pen(from).change(pen(to), &mut out);
        String::from_utf8(out).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn named_colours_are_the_old_codes() {
        let plain = Style::new();
        assert_eq!(sequence(plain, plain.fg(Color::Blue), Depth::Sixteen), "^[34m");
        assert_eq!(sequence(plain, plain.fg(Color::White).bg(Color::Red), Depth::Sixteen), "^[97;41m");
        assert_eq!(sequence(plain, plain.fg(Color::Gray).bold(), Depth::Sixteen), "^[1;37m");
        assert_eq!(sequence(plain.fg(Color::Blue), plain, Depth::Sixteen), "^[m");
        assert_eq!(sequence(plain.fg(Color::Blue).bold(), plain.fg(Color::Blue), Depth::Sixteen), "^[0;34m");
        assert_eq!(sequence(plain.fg(Color::Blue).bold(), plain.bold(), Depth::Sixteen), "^[39m");
        assert_eq!(sequence(plain, plain.fg(Color::Indexed(208)), Depth::Sixteen), "^[38;5;208m");
        assert_eq!(sequence(plain, plain.bg(Color::Rgb(1, 2, 3)), Depth::Sixteen), "^[48;2;1;2;3m");
    }

    #[test]
    fn poorer_terminals_get_less() {
        let plain = Style::new();
        assert_eq!(sequence(plain, plain.fg(Color::LightRed), Depth::Eight), "^[1;31m");
        assert_eq!(sequence(plain, plain.dim(), Depth::Eight), "");
        assert_eq!(sequence(plain, plain.fg(Color::Red).bold().reversed(), Depth::Mono), "^[1;7m");
        assert_eq!(sequence(plain, plain.fg(Color::Red), Depth::Mono), "");
    }
}
