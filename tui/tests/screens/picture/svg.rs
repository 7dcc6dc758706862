//! A screen as SVG: text in monospaced runs of one style each, on the background.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// Size of a cell and baseline of its text, in tenths of a pixel.
const WIDTH: u32 = 84;
const HEIGHT: u32 = 180;
const BASE: u32 = 135;
/// Space around the screen, in tenths of a pixel.
const MARGIN: u32 = 100;
/// Red, green and blue.
type Rgb = [u8; 3];
const INK: Rgb = [0xd3, 0xd7, 0xcf];
const PAPER: Rgb = [0x16, 0x19, 0x1c];
/// The 16 colours of a dark terminal.
const SIXTEEN: [u32; 16] = [
    0x2e_34_36, 0xef_4a_4a, 0x73_c9_36, 0xd8_b0_00, 0x5a_93_d8, 0xb0_80_b8, 0x17_a8_aa, 0xd3_d7_cf, 0x86_8a_86,
    0xff_6b_6b, 0x8a_e2_34, 0xfc_e9_4f, 0x8f_b8_e8, 0xd0_a0_d0, 0x34_e2_e2, 0xee_ee_ec,
];

/// Style of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    ink: Rgb,
    paper: Rgb,
    bold: bool,
    dim: bool,
    underline: bool,
}

impl Look {
    fn of(cell: &Cell) -> Look {
        let (mut ink, mut paper) = (colour(cell.fgcolor(), INK), colour(cell.bgcolor(), PAPER));
        if cell.inverse() {
            std::mem::swap(&mut ink, &mut paper);
        }
        Look { ink, paper, bold: cell.bold(), dim: cell.dim(), underline: cell.underline() }
    }

    /// Attributes that differ from plain text.
    fn attributes(self) -> String {
        let mut text = String::new();
        for (set, attribute) in [
            (self.bold, " font-weight=\"bold\""),
            (self.dim, " opacity=\"0.67\""),
            (self.underline, " text-decoration=\"underline\""),
        ] {
            text.push_str(if set { attribute } else { "" });
        }
        text
    }
}

/// Adjacent cells of one style.
struct Run {
    column: u32,
    cells: u32,
    text: String,
    look: Look,
}

/// The screen as an image.
pub(in crate::screens) fn of(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns): (u16, u16) = (rows.into(), columns.into());
    let (width, height) = (u32::from(columns) * WIDTH + 2 * MARGIN, u32::from(rows) * HEIGHT + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" \
         font-family=\"ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <title>spytui at {columns}x{rows}</title>\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{2}\"/>\n",
        tenths(width),
        tenths(height),
        hex(PAPER)
    );
    for row in 0..rows {
        let top = MARGIN + u32::from(row) * HEIGHT;
        for run in runs(screen, row, columns) {
            draw(&mut svg, &run, top);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The runs of a line.
fn runs(screen: &Screen, row: u16, columns: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..columns {
        let cell = screen.cell(row, column).unwrap();
        let look = Look::of(cell);
        let symbol = match cell.contents() {
            _ if cell.is_wide_continuation() => "",
            "" => " ",
            symbol => symbol,
        };
        match runs.last_mut().filter(|run| run.look == look) {
            Some(run) => {
                run.cells += 1;
                run.text.push_str(symbol);
            }
            None => runs.push(Run { column: u32::from(column), cells: 1, text: symbol.to_owned(), look }),
        }
    }
    runs
}

/// Draws a run: its own background, if any, and its text at its columns, whatever the font is.
fn draw(svg: &mut String, run: &Run, top: u32) {
    let (left, wide) = (MARGIN + run.column * WIDTH, run.cells * WIDTH);
    if run.look.paper != PAPER {
        let (x, y, w, h) = (tenths(left), tenths(top), tenths(wide), tenths(HEIGHT));
        writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{}\"/>", hex(run.look.paper))
            .unwrap();
    }
    let text = run.text.trim_end();
    let shown = text.trim_start();
    if shown.is_empty() {
        return;
    }
    let cells = |part: &str| u32::try_from(spytui::term::width(part)).unwrap() * WIDTH;
    let before = cells(&text[..text.len() - shown.len()]);
    writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\" fill=\"{}\"{}>{}</text>",
        tenths(left + before),
        tenths(top + BASE),
        tenths(cells(shown)),
        hex(run.look.ink),
        run.look.attributes(),
        escaped(shown)
    )
    .unwrap();
}

fn colour(colour: Color, default: Rgb) -> Rgb {
    match colour {
        Color::Default => default,
        Color::Idx(index) => indexed(index),
        Color::Rgb(red, green, blue) => [red, green, blue],
    }
}

/// A colour of the 256: the terminal's own 16, a cube with six steps each, and greys.
fn indexed(index: u8) -> Rgb {
    let step = |of: u8| if of == 0 { 0 } else { 55 + 40 * of };
    match index {
        0..16 => {
            let [_, red, green, blue] = SIXTEEN[usize::from(index)].to_be_bytes();
            [red, green, blue]
        }
        16..232 => {
            let place = index - 16;
            [step(place / 36), step(place / 6 % 6), step(place % 6)]
        }
        grey => [8 + 10 * (grey - 232); 3],
    }
}

/// As written in SVG.
fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Tenths of a pixel as pixels.
fn tenths(value: u32) -> String {
    match value % 10 {
        0 => format!("{}", value / 10),
        tenth => format!("{}.{tenth}", value / 10),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
