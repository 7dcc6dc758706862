//! Drawing with and without scroll regions produces the same screen in a terminal emulator.

use std::num::NonZero;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use super::{Depth, Screen};

/// A small seeded generator, the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const WIDTH: u16 = 50;
const HEIGHT: u16 = 14;

fn emulator() -> vt100::Parser {
    vt100::Parser::new(NonZero::new(HEIGHT).unwrap(), NonZero::new(WIDTH).unwrap(), 0)
}

fn record(number: u64) -> (String, Style) {
    let mut dice = Dice(number);
    dice.below(2);
    let styles = [
        Style::new(),
        Style::new().fg(Color::Blue),
        Style::new().fg(Color::White).bg(Color::Red),
        Style::new().fg(Color::LightRed).add_modifier(Modifier::BOLD),
        Style::new().add_modifier(Modifier::DIM),
    ];
    let texts = ["Disp door MOVE_SIG", "░░ 9 records lost", "日本 wide", "", "│EQ-GetL l_do…move"];
    let text = format!("{number:>9} {}", texts[dice.below(texts.len() as u64) as usize]);
    (text, styles[dice.below(styles.len() as u64) as usize])
}

fn list(frame: &mut Buffer, top: u64, cursor: u16, tick: u64) {
    frame.set_string(0, 0, format!("header {tick}"), Style::new());
    for y in 1..HEIGHT - 1 {
        let (text, style) = record(top + u64::from(y));
        frame.set_stringn(1, y, text, usize::from(WIDTH) - 1, style);
        if y == cursor {
            frame.set_style(ratatui::layout::Rect::new(0, y, WIDTH, 1), Style::new().add_modifier(Modifier::REVERSED));
        }
    }
    frame.set_string(0, HEIGHT - 1, "1 Rec  2 Dict", Style::new());
}

fn cells(parser: &vt100::Parser) -> Vec<String> {
    let screen = parser.screen();
    let all = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (y, x)));
    all.map(|(y, x)| {
        let cell = screen.cell(y, x).unwrap();
        let blank = if cell.contents().is_empty() && !cell.is_wide_continuation() { " " } else { cell.contents() };
        // Colour and weight of a blank are invisible, unless it is reversed.
        let seen = blank != " " || cell.inverse();
        let ink = seen.then(|| (cell.fgcolor(), cell.bold(), cell.dim()));
        format!("{blank} {:?} {:?} {ink:?}", cell.bgcolor(), cell.inverse())
    })
    .collect()
}

#[test]
fn scrolled_and_plain_frames_show_the_same() {
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let mut ways = [(Screen::new(WIDTH, HEIGHT, Depth::Sixteen, false), emulator(), 0_usize), plain_way()];
        let (mut top, mut cursor) = (1_000_u64, 5);
        for tick in 0..25 {
            let step = dice.below(4);
            top = if dice.below(2) == 0 { top + step } else { top - step };
            if dice.below(4) == 0 {
                cursor = 1 + dice.below(u64::from(HEIGHT) - 2) as u16;
            }
            for (screen, parser, bytes) in &mut ways {
                list(screen.frame(), top, cursor, tick / 8);
                screen.scrolls = Some(1..HEIGHT - 1);
                let frame = screen.compose();
                *bytes += frame.len();
                parser.process(frame);
            }
            let (scrolled, plain) = (cells(&ways[0].1), cells(&ways[1].1));
            let differs = scrolled.iter().zip(&plain).position(|(a, b)| a != b);
            let cell = differs.map(|at| (at, &scrolled[at], &plain[at]));
            assert_eq!(cell, None, "seed {seed}, tick {tick}");
        }
        assert!(ways[0].2 < ways[1].2, "scroll regions cost {} B, plain {} B", ways[0].2, ways[1].2);
    }
}

fn plain_way() -> (Screen, vt100::Parser, usize) {
    let mut screen = Screen::new(WIDTH, HEIGHT, Depth::Sixteen, false);
    screen.scroll_regions = false;
    (screen, emulator(), 0)
}

#[test]
fn every_frame_is_what_was_drawn() {
    let mut screen = Screen::new(WIDTH, HEIGHT, Depth::Sixteen, false);
    let mut parser = emulator();
    for top in [10, 11, 400, 399, 12] {
        list(screen.frame(), top, 3, top);
        screen.scrolls = Some(1..HEIGHT - 1);
        parser.process(screen.compose());
        let mut expected = Buffer::empty(screen.area());
        list(&mut expected, top, 3, top);
        for y in 0..HEIGHT {
            let line: String = (0..WIDTH).map(|x| expected.cell((x, y)).unwrap().symbol()).collect();
            let shown = parser.screen().contents_between(y, 0, y, WIDTH);
            assert_eq!(shown.trim_end(), line.replace("日 ", "日").replace("本 ", "本").trim_end());
        }
    }
}

#[test]
fn an_unchanged_frame_is_no_bytes() {
    let mut screen = Screen::new(WIDTH, HEIGHT, Depth::Sixteen, false);
    screen.synchronised = true;
    list(screen.frame(), 1, 2, 3);
    screen.cursor = Some((3, 3));
    let first = screen.compose().to_vec();
    assert!(first.starts_with(b"\x1b[?2026h") && first.ends_with(b"\x1b[?2026l"));
    list(screen.frame(), 1, 2, 3);
    screen.cursor = Some((3, 3));
    assert!(screen.compose().is_empty());
    list(screen.frame(), 1, 2, 3);
    assert_eq!(screen.compose(), b"\x1b[?2026h\x1b[?25l\x1b[?2026l");
}

#[test]
fn ascii_sends_no_byte_above_7e() {
    let mut screen = Screen::new(WIDTH, HEIGHT, Depth::Mono, true);
    for top in 0..50 {
        list(screen.frame(), top, 2, top);
        let frame = screen.compose();
        assert!(frame.iter().all(|b| *b <= 0x7e));
    }
}

#[test]
fn one_scrolled_row_is_cheap() {
    let mut screen = Screen::new(WIDTH, HEIGHT, Depth::Sixteen, false);
    list(screen.frame(), 100, 0, 0);
    screen.compose();
    list(screen.frame(), 101, 0, 0);
    screen.scrolls = Some(1..HEIGHT - 1);
    let bytes = screen.compose().len();
    assert!(bytes < 100, "{bytes} B");
}
