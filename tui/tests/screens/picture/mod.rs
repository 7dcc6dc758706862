//! The README's picture: a loss in the demo's stream, and the details of a row above it. The text in the README and the
//! coloured picture next to it must equal the program's drawing; with `SPYTUI_WRITE_DOCS` set, both are written
//! instead.
//!
//! | module | what is in it |
//! |---|---|
//! | `svg` | a screen as an SVG |

pub(super) mod svg;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use spytui_demo_target::{AVAILABLE, Faults, Proto, Target};

use super::{Stage, stage_of};

const BEGIN: &str = "<!-- screen: made by tui/tests/screens/picture -->\n```text\n";
const END: &str = "```\n<!-- end of screen -->\n";

/// Faults of the README's first minute, `--demo qs --faults flip=400,seed=99`.
const FAULTS: &str = "flip=400,seed=99";
const SEED: u32 = 1;
/// Duration of the demo shown, in steps of 10 ms.
const STEPS: u32 = 2_100;
/// Columns and rows: few enough for the first page.
const SIZE: (u16, u16) = (80, 20);
/// The third loss, and two rows up.
const KEYS: &str = "xxxkk";

/// What the demo sends in some steps.
pub(crate) fn stream(proto: Proto, faults: &str, steps: u32) -> Vec<u8> {
    let mut target = Target::new(proto, &Faults::parse(faults).unwrap(), SEED).unwrap();
    let mut bytes = Vec::new();
    for _ in 0..steps {
        target.step();
        target.read(&mut bytes);
    }
    bytes
}

fn scene() -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("boiler.bin");
    fs::write(&file, stream(Proto::Qs, FAULTS, STEPS)).unwrap();
    let mut stage = stage_of(&file, &["ticks-per-second=1000000"], SIZE);
    stage.types(KEYS);
    stage
}

#[test]
fn the_picture_of_the_readme_is_what_the_program_draws() {
    if !AVAILABLE {
        // Without a C compiler there is no demo.
        return;
    }
    let mut stage = scene();
    let drawn = stage.frame();
    in_page("README.md", (BEGIN, END), &drawn);
    in_colour("screen", &mut stage);
}

/// The objects of a capture in the manual, and the coloured picture next to it.
#[test]
fn the_objects_of_the_manual_are_what_the_program_draws() {
    const BEGIN: &str = "<!-- the objects of oven-734.bin at #744: made by tui/tests/screens/picture -->\n```text\n";
    const END: &str = "```\n<!-- end of objects -->\n";
    let mut stage = super::oven(SIZE);
    let drawn = stage.types(":goto #744\r3").frame();
    in_page("docs/manual.md", (BEGIN, END), &drawn);
    in_colour("objects", &mut stage);
}

/// The pane of an 80-column screen in the manual, between `begin` and `end`, and the coloured picture next to it.
pub(super) fn in_manual(name: &str, marks: (&str, &str), stage: &mut Stage) {
    let screen = stage.frame();
    let below = super::parts(&screen).1.lines();
    let drawn: String = below.take_while(|line| !line.starts_with("1 Rec")).map(|line| format!("{line}\n")).collect();
    in_page("docs/manual.md", marks, &drawn);
    in_colour(name, stage);
}

/// The text of a page between two marks.
fn in_page(page: &str, (begin, end): (&str, &str), drawn: &str) {
    let page = project().join(page);
    let text = fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(begin).unwrap();
    let (shown, after) = rest.split_once(end).unwrap();
    same(&page, shown, drawn, &format!("{before}{begin}{drawn}{end}{after}"));
}

fn in_colour(name: &str, stage: &mut Stage) {
    let image = project().join(format!("docs/{name}.svg"));
    let svg = svg::of(stage.emulator().screen());
    same(&image, &fs::read_to_string(&image).unwrap_or_default(), &svg, &svg);
}

/// Checks that a file shows what was drawn, or writes the `whole` file.
fn same(file: &Path, shown: &str, drawn: &str, whole: &str) {
    if env::var_os("SPYTUI_WRITE_DOCS").is_some() {
        fs::write(file, whole).unwrap();
        return;
    }
    assert!(
        shown == drawn,
        "{} shows another screen; run the test again with SPYTUI_WRITE_DOCS=1 for this one:\n{drawn}",
        file.display()
    );
}

pub(super) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The screens that a user sees first, in three sizes; with `SPYTUI_SCREENS=FOLDER` each is written there for viewing.
#[test]
fn five_screens_are_full_and_fit() {
    if !AVAILABLE {
        return;
    }
    let folder = env::var_os("SPYTUI_SCREENS").map(PathBuf::from);
    let mut stage = scene();
    for size in [(80, 24), (120, 36), (200, 50)] {
        stage.size = size;
        for (name, keys) in
            [("first", "1g"), ("loss", "xx"), ("counters", "5"), ("target", "6"), ("details", "1:goto #164\r")]
        {
            let screen = stage.types(keys).frame();
            assert!(screen.lines().count() == usize::from(size.1) || name == "counters", "{name}\n{screen}");
            assert!(screen.lines().all(|line| line.chars().count() <= usize::from(size.0)), "{name}\n{screen}");
            if let Some(folder) = &folder {
                let file = folder.join(format!("{name}-{}x{}.svg", size.0, size.1));
                fs::write(file, svg::of(stage.emulator().screen())).unwrap();
            }
        }
    }
}
