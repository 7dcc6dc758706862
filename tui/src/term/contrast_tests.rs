//! Every role of every theme stands out from its background, in the palettes of common terminals.

use ratatui::style::{Color, Modifier, Style};

use super::{
    screen::number,
    theme::{ROLES, Role, Theme},
};

type Rgb = [u8; 3];

/// The 16 colours of a terminal: black, red, green, yellow, blue, magenta, cyan, gray, and the same bright.
struct Palette {
    name: &'static str,
    colours: [u32; 16],
}

/// xterm's default resources; drivers/tty/vt of the Linux console; Tango as in GNOME Terminal; Windows Terminal's Campbell.
const PALETTES: [Palette; 4] = [
    Palette {
        name: "xterm",
        colours: [
            0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
            0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
        ],
    },
    Palette {
        name: "Linux console",
        colours: [
            0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555,
            0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
        ],
    },
    Palette {
        name: "Tango",
        colours: [
            0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf, 0x555753, 0xef2929,
            0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
        ],
    },
    Palette {
        name: "Campbell",
        colours: [
            0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc, 0x767676, 0xe74856,
            0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2,
        ],
    },
];

/// The theme on its background. Dark is grey on black; light is black on bright white.
const USES: [(&str, bool); 6] = [
    ("dark", true),
    ("light", false),
    ("colour-blind", true),
    ("colour-blind-light", false),
    ("mono", true),
    ("mono", false),
];

/// Minimum contrast of text and of faint text: WCAG 2.1, 1.4.3, for text, and for large or optional text.
const TEXT: f64 = 4.5;
const FAINT: f64 = 3.0;

impl Palette {
    fn colour(&self, colour: Color, default: usize) -> Rgb {
        let of = |n: usize| {
            let [_, r, g, b] = self.colours[n].to_be_bytes();
            [r, g, b]
        };
        match colour {
            Color::Rgb(r, g, b) => [r, g, b],
            Color::Indexed(n) if n >= 16 => fixed(n),
            Color::Indexed(n) => of(n.into()),
            named => of(number(named).map_or(default, usize::from)),
        }
    }

    /// Contrast of a style on a dark or light background.
    fn contrast(&self, style: Style, dark: bool) -> f64 {
        let (text, ground) = if dark { (7, 0) } else { (0, 15) };
        let ink = self.colour(style.fg.unwrap_or(Color::Reset), text);
        let paper = self.colour(style.bg.unwrap_or(Color::Reset), ground);
        let faint = style.add_modifier.contains(Modifier::DIM);
        // Terminals render faint text differently; two thirds of its colour is typical.
        let ink = if faint { ink.map(|part| (u16::from(part) * 2 / 3) as u8) } else { ink };
        let (a, b) = (luminance(ink) + 0.05, luminance(paper) + 0.05);
        a.max(b) / a.min(b)
    }
}

/// One of the colours from 16 on, which are the same everywhere.
fn fixed(n: u8) -> Rgb {
    if n >= 232 {
        return [8 + (n - 232) * 10; 3];
    }
    let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
    let n = n - 16;
    [level(n / 36), level(n / 6 % 6), level(n % 6)]
}

/// Relative luminance, WCAG 2.1.
fn luminance(rgb: Rgb) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
}

fn theme(name: &str) -> Theme {
    Theme::named(name, &|_| None).unwrap()
}

#[test]
fn every_role_can_be_read() {
    let mut weak = Vec::new();
    for palette in &PALETTES {
        for (name, dark) in USES {
            for (word, role) in ROLES {
                let style = theme(name).style(role);
                let least = if style.add_modifier.contains(Modifier::DIM) { FAINT } else { TEXT };
                let contrast = palette.contrast(style, dark);
                if contrast < least {
                    weak.push(format!("{} {name} {word}: {contrast:.1}", palette.name));
                }
            }
        }
    }
    assert!(weak.is_empty(), "{weak:#?}");
}

#[test]
fn every_object_can_be_read() {
    for palette in &PALETTES {
        for (name, dark) in USES {
            for object in (0..200).map(|n| format!("object_{n}")) {
                let contrast = palette.contrast(theme(name).object(&object), dark);
                assert!(contrast >= TEXT, "{} {name}: {contrast:.1}", palette.name);
            }
        }
    }
}

#[test]
fn objects_have_colours_of_their_own_where_there_are_256() {
    let colours = |theme: &Theme| {
        let names = ["burner", "pump", "door", "supervisor", "readings"];
        let mut all: Vec<_> = names.iter().map(|name| theme.object(name)).collect();
        all.dedup();
        all.len()
    };
    assert_eq!((colours(&theme("dark")), colours(&theme("light"))), (5, 5));
    let few = theme("dark").with_few_colours();
    assert_eq!((colours(&few), few.object("pump")), (1, few.style(Role::Object)));
}

/// The check must detect something: ANSI blue on black is unreadable.
#[test]
fn weak_colours_are_found() {
    let blue = Style::new().fg(Color::Blue);
    assert!(PALETTES.iter().all(|palette| palette.contrast(blue, true) < 2.5));
}
