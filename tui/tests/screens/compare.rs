//! What objects have changed between two rows.

use super::{LARGE, MEDIUM, OVEN, SMALL, parts, picture::in_manual, shown};

screens! {
    changes_at_80x24: OVEN [], SMALL, ":compare #300 #744\r";
    changes_at_120x36: OVEN [], MEDIUM, ":compare #300 #744\r";
    changes_at_200x50: OVEN [], LARGE, ":compare #300 #744\r";
}

const BEGIN: &str = "<!-- screen: made by tui/tests/screens/compare.rs -->\n```text\n";
const END: &str = "```\n<!-- end of screen -->\n";

#[test]
fn the_manual_shows_what_has_changed() {
    let mut stage = shown(OVEN, &[], (80, 14));
    in_manual("changes", (BEGIN, END), stage.types(":goto #300\r:mark a\r:goto #744\r:mark b\r:compare 'a 'b\r"));
}

#[test]
fn changes_follow_the_cursor_until_they_are_closed() {
    let mut stage = shown(OVEN, &[], SMALL);
    stage.types(":goto #300\r:mark a\r:compare 'a\r");
    assert!(stage.frame().contains("no object has changed"), "{}", stage.frame());
    stage.types(":goto #744\r");
    assert!(stage.frame().contains("slow → fault"), "{}", stage.frame());
    stage.types("\u{1b}");
    let screen = stage.frame();
    assert!(screen.contains("Objects · by kind") && !screen.contains("slow → "), "{screen}");
    stage.types(":compare 'nowhere 'a\r");
    assert!(stage.frame().contains("nowhere"), "{}", stage.frame());
}
