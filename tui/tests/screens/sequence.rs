//! The Sequence pane: how it is drawn, and its messages compared with those of the export.

use super::{BREW, DROPS, GREENHOUSE, KERNEL, LARGE, MEDIUM, OVEN, SMALL, Stage, parts, picture::in_manual, shown};

screens! {
    sequence_of_qs_at_80x24: OVEN [], SMALL, ":goto #724\r7";
    sequence_of_qs_at_120x36: OVEN [], MEDIUM, ":goto #724\r7";
    sequence_of_qs_at_200x50: OVEN [], LARGE, ":goto #724\r7z";
    sequence_with_losses_at_80x24: DROPS ["obj-ptr=8", "fun-ptr=8"], SMALL, "xx7t";
    sequence_of_rkh_at_80x24: GREENHOUSE [], SMALL, "xx7";
    sequence_of_rkh_at_120x36: GREENHOUSE [], MEDIUM, "xx7";
    sequence_of_rkh_at_200x50: GREENHOUSE [], LARGE, "xx7z";
    sequence_of_tband_at_80x24: BREW [], SMALL, ":goto #200\r7l";
    sequence_of_tband_at_120x36: BREW [], MEDIUM, ":goto #200\r7";
    sequence_of_tband_at_200x50: BREW [], LARGE, ":goto #200\r7z";
    sequence_of_qnx_at_80x24: KERNEL [], SMALL, ":goto #200\r7";
    sequence_of_qnx_at_120x36: KERNEL [], MEDIUM, ":goto #200\r7";
    sequence_of_qnx_at_200x50: KERNEL [], LARGE, ":goto #200\r7z";
    sequence_in_ascii_at_80x24: DROPS ["obj-ptr=8", "fun-ptr=8"], SMALL, ":set glyphs ascii\r:set theme mono\rxx7";
}

const BEGIN: &str = "<!-- screen: made by tui/tests/screens/sequence.rs -->\n```text\n";
const END: &str = "```\n<!-- end of screen -->\n";

#[test]
fn the_manual_shows_the_pane() {
    let mut stage = shown(OVEN, &[], (80, 20));
    in_manual("sequence", (BEGIN, END), stage.types(":goto #724\r7"));
}

/// The messages in a frame that shows all of them, by lifelines in these columns.
fn messages(screen: &str) -> Vec<(String, String, String)> {
    let mut lines = screen.lines().skip_while(|line| !line.starts_with("─ Sequence")).skip(1);
    let heading: Vec<char> = lines.next().unwrap().chars().collect();
    let lanes: Vec<(usize, String)> = (9..heading.len())
        .filter(|x| heading[*x] != ' ' && heading[x - 1] == ' ')
        .map(|x| (x, heading[x..].iter().take_while(|c| **c != ' ').collect()))
        .collect();
    let mut found = Vec::new();
    for line in lines {
        let cells: Vec<char> = line.chars().collect();
        let at = |x: usize| cells.get(x).copied().unwrap_or(' ');
        let lane = |is: &dyn Fn(usize) -> bool| lanes.iter().find(|(x, _)| is(*x)).map(|(_, name)| name.clone());
        let is_head = |c: char| matches!(c, '►' | '◄' | '×');
        let to = lane(&|x| {
            at(x) == '│' && ((is_head(at(x - 1)) && at(x - 2) != ' ') || (is_head(at(x + 1)) && at(x + 2) != ' '))
        });
        let Some(to) = to else { continue };
        let from = lane(&|x| matches!(at(x), '├' | '┤')).unwrap_or_else(|| to.clone());
        let inside = line.trim_start_matches(|c: char| !"►◄×├".contains(c));
        let text = inside.split(['─', '┼', '│', '├', '┤', '►', '◄', '×', '┘']).find(|part| !part.trim().is_empty());
        let refused = if line.contains('×') { " refused" } else { "" };
        found.push((from, to, format!("{}{refused}", text.unwrap_or_default().trim())));
    }
    found
}

/// Those of the export are compared with the files of the reference host.
#[test]
fn the_messages_of_the_pane_are_those_of_the_export() {
    for (capture, lifelines) in [
        ("oven-734.bin", "?,l_clock,AO(l_motor),AO(l_heater),AO(l_door),AO(l_super)"),
        ("oven-693-32bit.bin", "?,AO(l_motor),AO(l_door)"),
    ] {
        let mut stage = shown(&format!("qs/tests/captures/{capture}"), &[], SMALL);
        stage.types(":set short-names false\r").types(&format!(":set ui.lifelines {lifelines}\r")).types("7z");
        stage.size = (200, 700);
        let screen = stage.frame();
        let (ours, exported) = (messages(&screen), crate::sequence::messages(capture, lifelines));
        assert!(exported.len() > 60);
        for (ours, exported) in ours.iter().zip(&exported) {
            assert_eq!(ours, exported, "{capture}");
        }
        assert_eq!(ours.len(), exported.len(), "{capture}");
    }
}

/// The number of the record under the list's cursor.
fn cursor(stage: &Stage) -> String {
    let list = &stage.app.model.list;
    list.rows.number(list.page.cursor).unwrap_or_default()
}

#[test]
fn the_cursor_is_that_of_the_list_both_ways() {
    let mut stage = shown(OVEN, &[], (120, 40));
    stage.types(":goto #724\r7");
    let down = |stage: &mut Stage, keys: &str| {
        stage.types(keys);
        cursor(stage)
    };
    // Up: to what was ignored before, then the two earlier posts.
    assert_eq!(down(&mut stage, "k"), "#720");
    assert_eq!([down(&mut stage, "k"), down(&mut stage, "k")], ["#714", "#696"]);
    // The pane follows the list everywhere.
    stage.types(":goto #1500\r");
    let screen = stage.frame();
    assert!(screen.contains("#14") || screen.contains("#15"), "{screen}");
    assert!(!screen.contains("#696 to"), "{screen}");
    let there = down(&mut stage, "j");
    assert!(*there > *"#1500", "{there}");
    // Enter goes to the record.
    stage.types("\r");
    assert!(stage.app.model.panes.is_list_in_front());
    assert_eq!(cursor(&stage), there);
}

#[test]
fn a_filter_that_hides_a_row_does_not_stop_the_cursor() {
    let mut stage = shown(OVEN, &[], (120, 40));
    stage.types(":filter kind:Disp\r:goto #700\r7");
    let first = stage.types("g").frame();
    for _ in 0..40 {
        stage.types("j");
    }
    let later = stage.frame();
    assert!(first != later && later.contains("to #"), "{later}");
}

#[test]
fn lifelines_are_chosen_and_shown_again() {
    let mut stage = shown(OVEN, &[], SMALL);
    let heading = |stage: &mut Stage, keys: &str| {
        let screen = stage.types(keys).frame();
        let line = screen.lines().skip_while(|line| !line.starts_with("─ Sequence")).nth(1).unwrap();
        line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(heading(&mut stage, ":goto #714\r7"), ["super", "motor", "l_super.raw", "l_clock", "door"]);
    assert_eq!(heading(&mut stage, "l"), ["motor", "l_super.raw", "l_clock", "door", "heater"]);
    assert_eq!(heading(&mut stage, "lllllllll").last().unwrap(), "?");
    assert_eq!(heading(&mut stage, "hhhhhhhhh")[0], "super");
    // Under the cursor: the post from door to motor.
    assert_eq!(heading(&mut stage, "+o"), ["motor", "door"]);
    assert_eq!(heading(&mut stage, "a").len(), 5);
    assert!(!heading(&mut stage, ":goto #714\r-o").contains(&"door".to_owned()));
    assert_eq!(heading(&mut stage, ":set lifelines heater,AO(l_d*)\r"), ["heater", "door"]);
    assert!(stage.types(":set lifelines nobody\r").frame().contains("no messages and no states"));
}

/// A loss is on no lifeline: what chooses lifelines is not offered there.
#[test]
fn a_key_that_does_nothing_has_no_hint() {
    let mut stage = shown(DROPS, &["obj-ptr=8", "fun-ptr=8"], SMALL);
    let hint = |stage: &mut Stage| stage.frame().lines().last().unwrap_or_default().to_owned();
    // The last keys remove a message.
    stage.types("x7jk");
    assert!(hint(&mut stage).contains("lifelines") && !hint(&mut stage).contains("only these"), "{}", stage.frame());
    stage.types("j");
    assert!(hint(&mut stage).contains("+ only these"), "{}", stage.frame());
}
