//! The Timeline pane as it is drawn.

use super::{
    BREW, DROPS, GREENHOUSE, KERNEL, LARGE, MEDIUM, OVEN, SMALL, Stage, parts,
    picture::{in_manual, project},
    shown, stage_with,
};

const WIDE: &str = "qnx/tests/captures/wide-be.kev";
const EVERY_RECORD: &str = "qs/tests/captures/every-record-734.bin";
const RESET: &str = "rkh-trazer/tests/captures/boiler-reset.bin";
const BOILER: &str = "tband/tests/captures/boiler_drops.bin";

screens! {
    timeline_of_qs_at_80x24: OVEN [], SMALL, "4";
    timeline_of_qs_at_120x36: OVEN [], MEDIUM, ":goto #744\r4iiii";
    timeline_of_qs_at_200x50: OVEN [], LARGE, ":goto #744\r4iiiiii";
    timeline_of_rkh_at_80x24: GREENHOUSE [], SMALL, "4";
    timeline_of_rkh_at_120x36: GREENHOUSE [], MEDIUM, ":goto #744\r4iiii";
    timeline_of_rkh_at_200x50: GREENHOUSE [], LARGE, ":goto #744\r4iiiiii";
    timeline_of_tband_at_80x24: BREW [], SMALL, "4";
    timeline_of_tband_at_120x36: BREW [], MEDIUM, ":goto #300\r4iiii";
    timeline_of_tband_at_200x50: BREW [], LARGE, ":goto #300\r4iiiiii";
    timeline_of_qnx_at_80x24: KERNEL [], SMALL, "4";
    timeline_of_qnx_at_120x36: KERNEL [], MEDIUM, ":goto #300\r4iiii";
    timeline_of_qnx_at_200x50: KERNEL [], LARGE, ":goto #300\r4iiiiii";
    timeline_with_losses_at_80x24: DROPS ["obj-ptr=8", "fun-ptr=8"], SMALL, ":goto #419\r4iiiii";
    timeline_with_drops_at_80x24: BOILER [], SMALL, "xx4ii";
    timeline_in_ascii_at_80x24: DROPS ["obj-ptr=8", "fun-ptr=8"], SMALL, ":set glyphs ascii\r:set theme mono\r:goto #419\r4iiiii";
    strip_of_tband_at_80x24: BREW [], SMALL, ":goto #300\rT";
    strip_of_qs_below_the_dictionary_at_80x24: OVEN [], SMALL, ":goto #744\rT2";
    strip_of_qnx_at_120x36: KERNEL [], MEDIUM, ":goto #300\rT";
    plot_of_tband_at_80x24: BREW [], SMALL, ":goto #300\r4/kettle\r\r";
    plot_of_tband_at_120x36: BREW [], MEDIUM, ":goto #300\r4/kettle\r\r";
    plot_of_tband_at_200x50: BREW [], LARGE, ":goto #300\r4/kettle\r\r";
    plot_in_ascii_with_losses_at_80x24: DROPS ["obj-ptr=8", "fun-ptr=8"], SMALL, ":set glyphs ascii\r:set theme mono\r:goto #419\r4jjjjjjjj\r";
    timeline_in_cp437_at_80x24: BREW [], SMALL, ":set glyphs cp437\r4ii";
}

const BEGIN: &str = "<!-- screen: made by tui/tests/screens/timeline.rs -->\n```text\n";
const END: &str = "```\n<!-- end of screen -->\n";

#[test]
fn the_manual_shows_the_pane() {
    let mut stage = shown(OVEN, &[], (80, 20));
    in_manual("timeline", (BEGIN, END), stage.types(":goto #744\r4i/motor\r"));
}

const PLOT_BEGIN: &str = "<!-- screen of a plot: made by tui/tests/screens/timeline.rs -->\n```text\n";
const PLOT_END: &str = "```\n<!-- end of plot -->\n";

#[test]
fn the_manual_shows_a_plot() {
    let mut stage = shown(OVEN, &[], (80, 16));
    in_manual("plot", (PLOT_BEGIN, PLOT_END), stage.types(":goto #744\r4/motor\rj\r"));
}

/// The first records of a capture describe the target, but not what it does.
#[test]
fn without_lanes_the_pane_says_what_it_needs() {
    let bytes = std::fs::read(project().join("decoders").join(OVEN)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("few.bin");
    std::fs::write(&file, &bytes[..80]).unwrap();
    let screen = stage_with("qs", &file, &[], SMALL).types("4").frame();
    assert!(screen.contains("Timeline needs states, tasks, interrupts"), "{screen}");
}

/// The record under the cursor, from the title; `None` for a note.
fn number(stage: &mut Stage) -> Option<u64> {
    let screen = stage.frame();
    let title = screen.lines().find(|line| line.contains("─ Timeline")).unwrap();
    let (_, number) = title.rsplit_once('#')?;
    number.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

#[test]
fn columns_and_rows_are_one_cursor_both_ways() {
    for capture in [OVEN, BREW, KERNEL, GREENHOUSE] {
        let mut stage = shown(capture, &[], (100, 24));
        stage.types("4iii");
        let mut numbers = Vec::new();
        for _ in 0..25 {
            stage.types("l");
            numbers.extend(number(&mut stage));
        }
        assert!(numbers.len() > 20, "{capture}: {numbers:?}");
        assert!(numbers.is_sorted_by(|a, b| a < b), "{capture}: {numbers:?}");
        for _ in 0..25 {
            stage.types("h");
        }
        assert!(number(&mut stage) <= Some(numbers[1]), "{capture}");
        stage.types("L");
        let half = number(&mut stage);
        stage.types("h");
        assert!(number(&mut stage) < half && half > Some(numbers[0]), "{capture}");
        // The cursor is where the list went.
        stage.types("1:goto #200\r4");
        assert_eq!(number(&mut stage), Some(200), "{capture}");
        stage.types("\r");
        assert!(stage.frame().contains("#200 @"), "{capture}");
    }
}

/// Both the queue and its owner report its level; after the reset it is unknown.
#[test]
fn a_queue_is_one_lane_that_is_as_high_as_it_is_full() {
    let mut stage = shown(RESET, &[], (120, 40));
    stage.types("4/door\rj");
    let screen = stage.frame();
    let (_, pane) = screen.split_once("─ Timeline").unwrap();
    assert!(!pane.contains("door_queue") && pane.matches("   q ").count() == 4, "{pane}");
    let mut lanes = pane.lines().skip_while(|line| !line.trim_start().starts_with("door "));
    let queue = lanes.nth(1).unwrap().trim_start().trim_start_matches("q 0/8").trim();
    // Of its eight elements, two are used for some milliseconds.
    assert!(queue.chars().all(|cell| "·▁▂▃".contains(cell)) && queue.matches('▃').count() == 2, "{queue}");
    stage.types(".");
    assert!(stage.frame().contains("door q: 1/8"), "{}", stage.frame());
}

/// Its own records and those of its events are about one pool.
#[test]
fn a_pool_is_one_lane() {
    let screen = shown(RESET, &[], (120, 40)).types("4G/readings\r").frame();
    assert!(screen.contains("/readings 1 of 1") && screen.contains(" readings 0/10"), "{screen}");
}

#[test]
fn a_key_goes_to_the_changes_of_a_lane() {
    let mut stage = shown(OVEN, &[], SMALL);
    stage.types(":goto #744\r4/motor\r,");
    assert!(stage.frame().contains("motor: Motor_fault"));
    assert_eq!(number(&mut stage), Some(537));
    stage.types("..");
    let after = number(&mut stage);
    stage.types(",");
    assert!(after > Some(744) && number(&mut stage) < after);
}

/// The names of some lanes, from the one with this name on.
fn lanes_from(stage: &mut Stage, first: &str, count: usize) -> Vec<String> {
    let screen = stage.frame();
    let names = screen.lines().skip_while(|line| !line.contains("─ Timeline")).skip(1).map(str::trim_start);
    let words = names.map(|line| line.split("  ").next().unwrap().to_owned());
    words.skip_while(|name| name != first).take(count).collect()
}

#[test]
fn the_most_urgent_lanes_come_first() {
    for (capture, most_urgent, then) in [
        // Priorities 6, 3, 2 of the cleaners, 1 of Mash, which inherits 4 in between, and 0; for others no record has
        // one.
        (BREW, "Tmr Svc", &["Probe", "Clean0", "Clean1"][..]),
        (BREW, "Clean5", &["Mash", "Victim_with_lon", "IDLE", "Bottle", "Ferment"]),
        // 63, 61, 60, 60: as first reported, because a server runs with the priority of its clients.
        (WIDE, "sensord:3", &["slogger:1", "12301:1", "devb-eide:3"]),
        // A task is named by its priority.
        (EVERY_RECORD, "task 62", &["task 61", "task 57", "task 53", "task 40"]),
        // 0, 1, 2, 3: here the lower number runs first.
        (GREENHOUSE, "climate", &["q", "irrig", "q", "door", "q", "logger"]),
    ] {
        let mut stage = shown(capture, &[], (120, 100));
        let lanes = lanes_from(stage.types("4"), most_urgent, then.len() + 1);
        assert_eq!(lanes[1..], *then, "{capture}");
    }
}
