//! The page of an incident: how it is drawn, how it is opened, and how it leads to the rows.

use std::path::Path;

use super::{LARGE, MEDIUM, OVEN, SMALL, Stage, parts, picture::in_manual, shown as capture, stage_with};

/// Seventy seconds of the demo, with its incident.
const BOILER: &str = "boiler-qs.bin";

fn shown(name: &str, options: &[&str], size: (u16, u16)) -> Stage {
    stage_with("qs", &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures").join(name), options, size)
}

screens! {
    incident_at_80x24: BOILER [], SMALL, ":incident\r";
    incident_at_120x36: BOILER [], MEDIUM, ":incident\r";
    incident_at_200x50: BOILER [], LARGE, ":incident\rnn";
}

const BEGIN: &str = "<!-- screen: made by tui/tests/screens/incident.rs -->\n```text\n";
const END: &str = "```\n<!-- end of screen -->\n";

#[test]
fn the_manual_shows_an_incident() {
    let mut stage = shown(BOILER, &[], (80, 20));
    in_manual("incident", (BEGIN, END), stage.types(":incident\r"));
}

/// The number of the record under the list's cursor, and whether the list is in front.
fn cursor(stage: &Stage) -> (String, bool) {
    let list = &stage.app.model.list;
    (list.rows.number(list.page.cursor).unwrap_or_default(), stage.app.model.panes.is_list_in_front())
}

fn title(stage: &mut Stage) -> String {
    let screen = stage.frame();
    screen.lines().find(|line| line.contains("Incident")).unwrap_or_default().to_owned()
}

#[test]
fn it_is_opened_by_enter_by_why_by_a_finding_and_by_name() {
    for keys in ["e\r", "ec", "0\r", "gg:incident\r", ":incident #1017\r"] {
        let mut stage = shown(BOILER, &[], SMALL);
        let title = title(stage.types(keys));
        assert!(title.starts_with("─ Incident · ASSERT control_task:210 at 62 510 002"), "{keys}: {title}");
        assert!(title.ends_with("#1017 ─"), "{keys}: {title}");
    }
}

#[test]
fn each_line_leads_to_the_row_that_shows_it() {
    let mut stage = shown(BOILER, &[], SMALL);
    stage.types(":incident\r");
    // The page stays where it is while the cursor of the list moves.
    stage.types("n");
    assert_eq!(cursor(&stage), ("#969".to_owned(), false));
    assert!(title(&mut stage).contains("ASSERT control_task"));
    stage.types("N");
    assert_eq!(cursor(&stage), ("#983".to_owned(), false));
    // The keys of causes do the same.
    stage.types("c");
    assert_eq!(cursor(&stage), ("#969".to_owned(), false));
    stage.types("C");
    assert_eq!(cursor(&stage), ("#983".to_owned(), false));
    stage.types("\r");
    assert_eq!(cursor(&stage), ("#983".to_owned(), true));
}

#[test]
fn the_page_looks_back_as_far_as_set() {
    let mut stage = shown(BOILER, &["ticks-per-second=1000000"], LARGE);
    let screen = stage.types(":incident\r").frame();
    assert!(screen.contains(" 57.000 030 task 1 is blocked") && screen.contains(" 62.500 004 "), "{screen}");
    let screen = stage.types(":set ui.look-back 1\r").frame();
    assert!(!screen.contains(" 57.000 030 ") && screen.contains(" 62.500 004 "), "{screen}");
}

#[test]
fn of_a_reset_the_page_shows_what_was_before_it() {
    let mut stage = shown(BOILER, &[], SMALL);
    stage.types("/epoch 2\r\r");
    let screen = stage.frame();
    assert!(screen.contains("Incident · target reset, epoch 2"), "{screen}");
    assert!(screen.contains("⇒ priority inversion: task 7 ← task 3 ← task 4"), "{screen}");
}

#[test]
fn without_a_failure_that_is_said() {
    let mut stage = capture(OVEN, &[], SMALL);
    let screen = stage.types(":incident\r").frame();
    assert!(screen.contains("no assertion, error or reset; :incident #744 shows"), "{screen}");
    let screen = stage.types(":incident #744\r").frame();
    assert!(screen.contains("Incident · ") && screen.contains("last record of each object"), "{screen}");
}
