//! The Statistics pane: how it is drawn, and where its keys lead.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use spytui::model::Message;

use super::{BREW, DROPS, GREENHOUSE, KERNEL, LARGE, MEDIUM, OVEN, SMALL, Stage, parts, picture::in_manual, shown};

screens! {
    statistics_of_qs_at_80x24: OVEN [], SMALL, "8lll";
    statistics_of_qs_at_120x36: OVEN [], MEDIUM, "8llll+k";
    statistics_of_qs_at_200x50: OVEN [], LARGE, "8z";
    statistics_of_rkh_at_80x24: GREENHOUSE [], SMALL, "8h";
    statistics_of_rkh_at_120x36: GREENHOUSE [], MEDIUM, "8lll";
    statistics_of_rkh_at_200x50: GREENHOUSE [], LARGE, "8llz";
    statistics_of_tband_at_80x24: BREW [], SMALL, "8hhhd";
    statistics_of_tband_at_120x36: BREW [], MEDIUM, "8ll";
    statistics_of_tband_at_200x50: BREW [], LARGE, "8z";
    statistics_of_qnx_at_80x24: KERNEL [], SMALL, "8lll";
    statistics_of_qnx_at_120x36: KERNEL [], MEDIUM, "8h";
    statistics_of_qnx_at_200x50: KERNEL [], LARGE, "8hhz";
    statistics_with_losses_at_80x24: DROPS ["obj-ptr=8", "fun-ptr=8"], SMALL, "8llll-s";
    statistics_in_ascii_at_80x24: DROPS ["obj-ptr=8", "fun-ptr=8"], SMALL, ":set glyphs ascii\r:set theme mono\r8lll";
}

const BEGIN: &str = "<!-- screen: made by tui/tests/screens/statistics.rs -->\n```text\n";
const END: &str = "```\n<!-- end of screen -->\n";

#[test]
fn the_manual_shows_the_pane() {
    in_manual("statistics", (BEGIN, END), shown(OVEN, &[], SMALL).types("8lll"));
}

/// The number of the record under the list's cursor.
fn cursor(stage: &Stage) -> String {
    let list = &stage.app.model.list;
    list.rows.number(list.page.cursor).unwrap_or_default()
}

#[test]
fn enter_goes_to_the_record_of_the_maximum() {
    let mut stage = shown(OVEN, &[], SMALL);
    let screen = stage.types("8lll").frame();
    assert!(screen.contains("motor  SPIN_DONE_SIG") && screen.contains("#2071"), "{screen}");
    stage.types("\r");
    assert!(stage.app.model.panes.is_list_in_front());
    assert_eq!(cursor(&stage), "#2071");
    // For free elements it is the minimum.
    let mut stage = shown(OVEN, &[], SMALL);
    let screen = stage.types("8h").frame();
    assert!(screen.contains("min at") && screen.contains("l_super.raw"), "{screen}");
    stage.types("\r");
    assert_eq!(cursor(&stage), "#179");
    // A filter that hides it is named.
    let screen = stage.types(":filter kind:Disp\r8\r").frame();
    assert!(screen.contains("#179 is hidden by the filter"), "{screen}");
}

/// Each line of the front page leads to the line of its table that has the same record, although an idle task may be
/// above it.
#[test]
fn the_front_page_leads_to_the_worst_record_of_each_measure() {
    for capture in [OVEN, BREW] {
        let front = shown(capture, &[], SMALL).types("8").frame();
        let lines = front.lines().skip_while(|line| !line.starts_with(" measure")).skip(1);
        let records = lines.map(|line| line.split_whitespace().last().filter(|word| word.starts_with('#')));
        let mut asked = 0;
        for (line, record) in records.enumerate().filter_map(|(line, record)| Some((line, record?))) {
            let mut stage = shown(capture, &[], SMALL);
            stage.types("8").frame();
            stage.types(&"j".repeat(line)).frame();
            stage.types("\r").frame();
            stage.types("\r");
            assert_eq!(cursor(&stage), record, "{line}: {front}");
            asked += 1;
        }
        assert!(asked > 3, "{front}");
    }
}

#[test]
fn enter_goes_to_where_a_time_began_that_goes_on() {
    let mut stage = shown(BREW, &[], SMALL);
    let screen = stage.types("8hhhhhh").frame();
    assert!(screen.lines().any(|line| line.contains("IDLE") && line.trim_end().ends_with("open")), "{screen}");
    let screen = stage.types("\r").frame();
    assert!(stage.app.model.panes.is_list_in_front());
    assert!(screen.contains("activation IDLE: max ≥52.6ms, begins here and has not ended"), "{screen}");
}

#[test]
fn columns_come_and_go_and_rows_are_sorted_by_any() {
    let mut stage = shown(OVEN, &[], (120, 40));
    let mut first = |keys: &str| {
        let screen = stage.types(keys).frame();
        let mut lines = screen.lines().skip_while(|line| !line.starts_with("─ Statistics"));
        let words =
            |line: Option<&str>| line.unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        (words(lines.next()), words(lines.next()), words(lines.next()))
    };
    let (title, heading, row) = first("8llll");
    assert!(title.contains("step: run to completion, ticks · by object, signal"), "{title}");
    assert_eq!(heading, "object signal count min median p95 p99 max max at");
    assert!(row.starts_with("super BEAT_SIG 32 29"), "{row}");
    let (_, heading, row) = first("-s");
    assert_eq!(
        (heading.as_str(), row.as_str()),
        ("object count min median p95 p99 max max at", "super 90 3 23 41 53 53 #1388")
    );
    // By name, then reversed.
    assert!(first("s").2.starts_with("door 32"));
    assert!(first("S").2.starts_with("super 90"));
    assert!(first("+g-o").1.starts_with("group count"));
    assert_eq!(first("-g").2, "214 0 5 39 42 53 #1388");
    assert!(first("a").1.starts_with("object signal count"));
}

#[test]
fn a_search_finds_names() {
    let screen = shown(OVEN, &[], SMALL).types("8lll/heater\r").frame();
    assert!(screen.contains("/heater 1 of 5"), "{screen}");
    assert!(screen.contains("heater RAMP_SIG: 5 values"), "{screen}");
}

#[test]
fn the_pane_fits_screens_of_any_size() {
    for (capture, keys) in [(OVEN, "8lll+k+g+c"), (BREW, "8hh+k"), (KERNEL, "8llll")] {
        let mut stage = shown(capture, &[], LARGE);
        stage.types(keys);
        for width in [20, 30, 38, 41, 60, 79, 100, 159, 160, 300] {
            for height in [5, 7, 8, 10, 15, 16, 23, 31, 60] {
                stage.size = (width, height);
                let screen = stage.types("j").frame();
                assert!(width < 41 || height < 16 || screen.contains("Statistics"), "{width}x{height}: {screen}");
            }
        }
    }
}

#[test]
fn a_click_on_a_heading_sorts_by_it() {
    let mut stage = shown(OVEN, &[], SMALL);
    let screen = stage.types(":set ui.mouse on\r8lll").frame();
    let (row, heading) = screen.lines().enumerate().find(|(_, line)| line.starts_with(" object signal")).unwrap();
    let columns = ["count", "min", "object"].map(|word| heading.find(word).unwrap() as u16 + 1);
    let mut first = |column: u16| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let event = MouseEvent { kind, column, row: row as u16, modifiers: KeyModifiers::NONE };
        stage.app.send(Message::Mouse(event), None).unwrap();
        stage.frame();
        // The row under the cursor stays visible: to the first one.
        let screen = stage.types("g").frame();
        let line = screen.lines().nth(row + 1).unwrap();
        line.split_whitespace().take(3).map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    let [count, least, object] = columns;
    assert_eq!(first(count), "heater TEMP_SIG 32");
    assert_eq!(first(least), "motor SPIN_DONE_SIG 8");
    assert_eq!(first(object), "door MOVE_SIG 20");
    assert_eq!(first(object), "super TEMP_SIG 32");
}

#[test]
fn the_front_page_names_the_worst_of_each_measure_and_leads_to_its_table() {
    let mut stage = shown(BREW, &[], SMALL);
    let screen = stage.types("8").frame();
    let lines: Vec<&str> = screen.lines().skip_while(|line| !line.starts_with("─ Statistics · the worst")).collect();
    // That an idle task is ready for long says nothing.
    assert!(lines.len() > 5 && lines.iter().all(|line| !line.contains("IDLE")), "{screen}");
    let measure = lines[2].split_whitespace().next().unwrap().to_owned();
    let screen = stage.types("\r").frame();
    assert!(screen.contains(&format!("Statistics · {measure}: ")), "{screen}");
    let screen = stage.types("8").types("hhhhhhhhhhhhhhhhhhhhhhhhhhh").frame();
    assert!(screen.contains("─ Statistics · "), "{screen}");
}

/// First what is over its deadline, then what is furthest from its median, last shares.
#[test]
fn the_front_page_begins_with_the_worst() {
    let mut stage = shown(BREW, &[], SMALL);
    let measures = |stage: &mut Stage| -> Vec<String> {
        let screen = stage.types("8").frame();
        let lines = screen.lines().skip_while(|line| !line.starts_with(" measure ")).skip(1);
        let words = lines.map_while(|line| Some(line.split_whitespace().next()?.to_owned()));
        words.collect()
    };
    let rest = ["blocked", "used", "value", "cpu", "rate"];
    let times = ["interrupt", "span", "run", "ready", "activation"];
    assert_eq!(measures(&mut stage), [times, rest].concat());
    stage.types(":set deadlines.activation 100\r1");
    assert_eq!(measures(&mut stage), [["activation", "interrupt", "span", "run", "ready"], rest].concat());
}

#[test]
fn the_front_page_marks_what_is_over_its_deadline() {
    let mut stage = shown(BREW, &[], SMALL);
    stage.types("8");
    let line = |screen: &str| screen.lines().find(|line| line.starts_with(" run ")).unwrap().to_owned();
    assert!(!line(&stage.frame()).contains("over"));
    stage.types(":set deadlines.run 1\r");
    let screen = stage.types("1").types("8").frame();
    assert!(line(&screen).contains(" over 1.00us"), "{screen}");
}
