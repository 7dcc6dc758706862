//! The pane of issues: how it is drawn, how it leads to the rows that show a finding, and that it equals the command's
//! output.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{BREW, DROPS, KERNEL, LARGE, MEDIUM, OVEN, SMALL, Stage, parts, picture::in_manual, stage_with};

const ELEVATOR: &str = "rkh-trazer/tests/captures/el323-sig2.bin";
const BOILER: &str = "tband/tests/captures/damaged_boiler_flips.bin";

fn path(capture: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(capture)
}

/// A capture of a protocol, by its path below `decoders`.
fn shown(capture: &str, options: &[&str], size: (u16, u16)) -> Stage {
    let protocol = capture.split(['/', '-']).next().unwrap();
    let cfg = path(capture).with_extension("cfg");
    let cfg = cfg.exists().then(|| format!("cfg={}", cfg.display()));
    let options: Vec<&str> = options.iter().copied().chain(cfg.as_deref()).collect();
    stage_with(protocol, &path(capture), &options, size)
}

screens! {
    findings_of_qs_at_80x24: OVEN [], SMALL, "0";
    findings_of_qs_at_120x36: OVEN [], MEDIUM, "0j";
    findings_of_qs_at_200x50: OVEN [], LARGE, "0jn";
    findings_of_rkh_at_80x24: ELEVATOR [], SMALL, "0jn";
    findings_of_rkh_at_120x36: ELEVATOR [], MEDIUM, "0";
    findings_of_rkh_at_200x50: ELEVATOR [], LARGE, "0G";
    findings_of_tband_at_80x24: BOILER [], SMALL, "0";
    findings_of_tband_at_120x36: BREW [], MEDIUM, "0";
    findings_of_tband_at_200x50: BREW [], LARGE, "0";
    findings_of_qnx_at_80x24: KERNEL [], SMALL, "0";
    findings_of_qnx_at_120x36: KERNEL [], MEDIUM, "0";
    findings_of_qnx_at_200x50: KERNEL [], LARGE, "0";
}

#[test]
fn findings_need_no_colour_and_no_unicode() {
    let mut stage = shown(DROPS, &["obj-ptr=8", "fun-ptr=8"], SMALL);
    let screen = stage.types(":set glyphs ascii\r:set theme mono\r0Gn").frame();
    assert!(screen.is_ascii(), "{screen}");
    insta::assert_snapshot!("findings_in_ascii_at_80x24", parts(&screen).1);
}

const BEGIN: &str = "<!-- screen: made by tui/tests/screens/findings.rs -->\n```text\n";
const END: &str = "```\n<!-- end of screen -->\n";

#[test]
fn the_manual_shows_the_findings() {
    let mut stage = shown(OVEN, &[], (80, 20));
    in_manual("findings", (BEGIN, END), stage.types("0jn"));
}

/// The number of the record under the list's cursor.
fn cursor(stage: &mut Stage) -> String {
    stage.frame();
    let list = &stage.app.model.list;
    list.rows.number(list.page.cursor).unwrap_or_default()
}

#[test]
fn n_goes_to_the_rows_that_show_it_one_after_the_other() {
    let mut stage = shown(OVEN, &[], SMALL);
    stage.types("0jj\r");
    assert!(stage.app.model.panes.is_list_in_front());
    assert_eq!(cursor(&mut stage), "#179");
    let next = |stage: &mut Stage, keys: &str| {
        stage.types(keys);
        cursor(stage)
    };
    // In the pane, the list's cursor follows, and Enter goes to the same row.
    assert_eq!([next(&mut stage, "0n"), next(&mut stage, "nn"), next(&mut stage, "N")], ["#312", "#738", "#476"]);
    assert_eq!(next(&mut stage, "\r"), "#476");
    stage.types("0");
    // Before the first one comes the last one.
    assert_eq!(next(&mut stage, "NN"), "#179");
    assert_eq!([next(&mut stage, "N"), next(&mut stage, "N"), next(&mut stage, "nn")], ["#2286", "#2140", "#179"]);
    assert!(!stage.app.model.panes.is_list_in_front());
    // For another finding, its first row comes first.
    assert_eq!(next(&mut stage, "kn"), "#504");
}

#[test]
fn of_thousands_of_rows_each_is_reached() {
    let mut stage = stage_with("qs", &crate::findings::often_full(), &[], SMALL);
    let mut says = |keys: &str| {
        stage.types(keys).frame();
        let screen = stage.frame();
        screen.lines().last().unwrap_or_default().split(": ").next().unwrap_or_default().trim().to_owned()
    };
    assert_eq!(
        [says("0N"), says("N"), says("N")],
        ["#18007 9 000 of 9 000", "#18005 8 999 of 9 000", "#18003 8 998 of 9 000"]
    );
    assert_eq!(says("nnn"), "#9 1 of 9 000");
    // Its next row is not among those kept.
    assert_eq!([says("n"), says("n"), says("N")], ["#11 2 of 9 000", "#13 3 of 9 000", "#11 2 of 9 000"]);
}

#[test]
fn of_thousands_of_a_rule_a_line_says_how_many_more_there_are() {
    let path = crate::findings::many_full_queues();
    for (size, line) in [
        (SMALL, " warning full                 and 1 234 more of this rule                  1 234"),
        ((60, 24), " and 1 234…   1 234"),
    ] {
        let mut stage = stage_with("qs", &path, &[], size);
        let screen = stage.types("0/more\r").frame();
        assert!(screen.contains(line), "{screen}");
        assert!(screen.contains("1 254 warnings") && screen.contains("Begin with what those above"), "{screen}");
        // There is no row to go to.
        let at = cursor(&mut stage);
        assert_eq!(cursor(stage.types("n\r")), at);
        assert!(!stage.app.model.panes.is_list_in_front());
    }
}

#[test]
fn enter_stays_where_the_list_is_shown_with_the_pane() {
    for size in [MEDIUM, LARGE] {
        let mut stage = shown(OVEN, &[], size);
        let there: Vec<String> = ["0jj\r", "n", "\r"].map(|keys| cursor(stage.types(keys))).into();
        assert_eq!(there, ["#179", "#312", "#312"], "{size:?}");
    }
}

#[test]
fn a_filter_that_hides_the_row_is_said() {
    let mut stage = shown(OVEN, &[], SMALL);
    let screen = stage.types(":filter kind:Disp\r0jn").frame();
    assert!(screen.contains("#504 is hidden by the filter"), "{screen}");
}

/// Severity and headline of all findings on the screen.
fn on_screen(stage: &mut Stage) -> Vec<(String, String)> {
    stage.size = (200, 60);
    stage.types("0zg");
    let mut found = Vec::new();
    loop {
        let screen = stage.frame();
        let lines: Vec<&str> = screen.lines().collect();
        let findings = lines.iter().skip_while(|line| !line.starts_with("─ Issues")).skip(1);
        let lines: Vec<&&str> = findings.take_while(|line| !line.trim().is_empty()).collect();
        let Some(line) = lines.get(found.len()) else { return found };
        let severity = line.split_whitespace().next().unwrap().to_owned();
        // After an empty line follow details of the one under the cursor.
        let below = screen.lines().skip_while(|line| !line.starts_with("─ Issues"));
        let mut below = below.skip_while(|line| !line.trim().is_empty());
        let headline = below.find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned();
        found.push((severity, headline));
        stage.types("j");
    }
}

/// The same from the command, with full names.
fn by_command(capture: &str) -> Vec<(String, String)> {
    let protocol = capture.split(['/', '-']).next().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    // Not a setting of the program.
    command.env_remove("SPYTUI_WRITE_DOCS");
    command.args(["stats", "--findings", "--format", "json", "--proto", protocol]);
    let cfg = path(capture).with_extension("cfg");
    if cfg.exists() {
        command.arg("-o").arg(format!("cfg={}", cfg.display()));
    }
    let output = command.arg("--file").arg(path(capture)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = json["findings"].as_array().unwrap().iter().map(|finding| {
        let object = text(finding, "object");
        let object = if object.is_empty() { object } else { format!("{object}: ") };
        let detail = text(finding, "detail");
        let detail = if detail.is_empty() { detail } else { format!(", {detail}") };
        (text(finding, "severity"), format!("{object}{}{detail}", text(finding, "title")))
    });
    findings.collect()
}

#[test]
fn the_pane_says_what_the_command_says() {
    for capture in [OVEN, ELEVATOR, BOILER] {
        let mut stage = shown(capture, &[], (200, 60));
        stage.types(":set short-names false\r");
        let (shown, printed) = (on_screen(&mut stage), by_command(capture));
        assert!(!printed.is_empty());
        assert_eq!(shown, printed, "{capture}");
    }
}

#[test]
fn errors_are_the_rows_that_e_goes_to() {
    for (capture, options) in [(DROPS, &["obj-ptr=8", "fun-ptr=8"][..]), (KERNEL, &[])] {
        let mut stage = shown(capture, options, SMALL);
        let screen = stage.types("0").frame();
        let title = screen.lines().find(|line| line.starts_with("─ Issues")).unwrap();
        let (_, rows) = title.split_once(" in ").unwrap();
        let rows = rows.split_once(" place").unwrap().0.to_owned();
        let screen = stage.types("1gge").frame();
        assert!(screen.contains(&format!("error 1 of {rows}")), "{title}\n{screen}");
    }
}
