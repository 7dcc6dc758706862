//! Texts of application records from format files and formatters of a plugin.

use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

use tempfile::TempDir;

use crate::rig::{capture, folder, set_environment, spytui};

/// Lines for a record of each protocol.
const LINES: &str = r#"
enum sign 0 zero -7 "minus seven"
record qs USER+2 "wide %hhd{sign} of {2}, {{{0}} {99}"
record qs HEXES "hexes %hhu %hx %lx %llx"
record rkh 1 "text %s|%hhd"
record rkh USR+0 "nums {0} and {1}"
record tband marker:1 "flame: {msg}, %.5s"
record tband value:2 "%lld mV"
record tband drum_temp "%lld °C"
record qnx 22 "seen %x, %hx %hx"
record qnx 7 "little %x %hx %hx"
"#;

fn run(home: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    set_environment(
        |name, value| {
            command.env(name, value);
        },
        home.path(),
    );
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn captured(decoder: &str, name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders");
    root.join(decoder).join("tests/captures").join(name).display().to_string()
}

/// Texts of the rows that pass a filter, as in jsonl.
fn texts(home: &TempDir, args: &[&str]) -> Vec<String> {
    let output = run(home, &[&["decode", "--format", "jsonl"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = stdout(&output);
    let text = |row: &str| {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        row["text"].as_str().unwrap().to_owned()
    };
    rows.lines().filter(|row| row.contains("\"type\":\"record\"")).map(text).collect()
}

fn file(home: &TempDir, name: &str, text: &str) -> String {
    let path = home.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn lines_give_a_record_of_each_protocol_its_text() {
    let home = folder();
    let lines = file(&home, "all.fmt", LINES);
    let oven = captured("qs", "oven-734.bin");
    let wide = texts(&home, &["--fmt", &lines, "--filter", "kind:WIDE", "-p", "qs", &oven]);
    assert_eq!(wide[0], "U0 WIDE wide zero(0) of -32768, {0} <?>");
    assert_eq!(wide[1], "U0 WIDE wide minus seven(-7) of -32768, {-7} <?>");
    let hexes = texts(&home, &["--fmt", &lines, "--filter", "hexes 7d00", "-p", "qs", &oven]);
    assert_eq!(hexes[0], "U0 HEXES hexes 0 7d00 7e7d0000 123456789abcdef");
    let rkh = captured("rkh-trazer", "gh340-default.bin");
    let text = texts(&home, &["--fmt", &lines, "--filter", "text:\"text soil\"", "-p", "rkh", &rkh]);
    assert_eq!(text[0], "USR LOG_TEXT text soil 41%|1 [+1]");
    let nums = texts(&home, &["--fmt", &lines, "--filter", "text:\"nums -2\"", "-p", "rkh", &rkh]);
    assert_eq!(nums[0], "USR LOG_NUMS nums -2 and 2");
    let boiler = captured("tband", "boiler_basic.bin");
    let flame = texts(&home, &["--fmt", &lines, "--filter", "text:\"flame: flame\"", "-p", "tband", &boiler]);
    assert_eq!(flame[0], "MRK instant feedwater flame: flame seen in irq, flame");
    let value = texts(&home, &["--fmt", &lines, "--filter", "text:\"mV\"", "-p", "tband", &boiler]);
    assert_eq!(value[0], "VAL value edge_cases 0 mV");
    let drum = texts(&home, &["--fmt", &lines, "--filter", "text:\"173 °C\"", "-p", "tband", &boiler]);
    assert_eq!(drum[0], "VAL value drum_temp 173 °C");
    // Words are in the byte order of the stream.
    for (capture, filter, text) in [
        ("wide-be.kev", "text:\"seen\"", "USER 22 render:2 seen e75fda1d, 0 4"),
        ("fast-2cpu.kev", "text:\"little\"", "USER 7 main:1 little a417a0fe 33 0"),
    ] {
        let user = texts(&home, &["--fmt", &lines, "--filter", filter, "-p", "qnx", &captured("qnx", capture)]);
        assert_eq!(user[0], text);
    }
}

#[test]
fn the_users_folder_is_read_and_named_files_replace_it() {
    let home = folder();
    let oven = captured("qs", "oven-734.bin");
    let config = home.path().join("config-of-formats");
    file(&home, "config-of-formats/spytui/formats/a.fmt", "record qs USER+2 \"user\"\nrecord qs HEXES \"{0}\"");
    let named = file(&home, "named/n.fmt", "record qs USER+2 \"named {0}\"");
    let with = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        set_environment(
            |name, value| {
                command.env(name, value);
            },
            home.path(),
        );
        command.env("XDG_CONFIG_HOME", &config).args(args).stdin(Stdio::null()).output().unwrap()
    };
    let decode = |args: &[&str]| stdout(&with(&[&["decode", "-p", "qs", "--filter", "kind:WIDE"], args].concat()));
    if cfg!(target_os = "linux") {
        assert!(decode(&[&oven]).lines().all(|line| line.contains(" user [+")), "{}", decode(&[&oven]));
    }
    let folder = Path::new(&named).parent().unwrap().display().to_string();
    assert!(decode(&["--fmt", &folder, &oven]).contains("named -7\n"));
    // Reference text is never formatted.
    let reference = decode(&["--fmt", &folder, "--format", "reference", &oven]);
    assert!(!reference.contains("named") && reference.contains("WIDE"));
    let listed = stdout(&with(&["formats", "--fmt", &named]));
    assert!(listed.contains(&format!("{named}: 1 line\n")), "{listed}");
    assert!(listed.contains("record qs USER+2 is replaced by"), "{listed}");
}

#[test]
fn check_reports_wrong_lines_with_2() {
    let home = folder();
    let good = file(&home, "good.fmt", LINES);
    let bad = file(&home, "bad.fmt", "record qs USER+2 \"ok\"\nrecord qs USER+3 \"%513d\"\nminor 1 A \"x\"");
    let right = run(&home, &["formats", "check", &good]);
    assert_eq!((right.status.code(), stdout(&right)), (Some(0), format!("{good}: 10 lines\n")));
    let wrong = run(&home, &["formats", "check", &good, &bad]);
    assert_eq!(wrong.status.code(), Some(2));
    assert_eq!(
        stdout(&wrong),
        format!(
            "{bad}:2:19: width above 512 or precision above 512\n{bad}:3:1: no major line above\n{good}: 10 \
             lines\n{bad}: 1 line, 2 wrong\n"
        )
    );
    let typo = file(&home, "typo.fmt", "record rkh 3 \"ok\"\n\nrecord rhk 3 \"level\"");
    let refused = run(&home, &["formats", "check", &typo]);
    assert_eq!(
        (refused.status.code(), stdout(&refused)),
        (Some(2), format!("{typo}:3: no decoder rhk; nearest: rkh\n{typo}: 1 line, 1 wrong\n"))
    );
    let missing = run(&home, &["formats", "check", "no.fmt"]);
    assert_eq!(missing.status.code(), Some(2));
    // The rest of a faulty file is used.
    let oven = captured("qs", "oven-734.bin");
    let decoded = run(&home, &["decode", "-p", "qs", "--fmt", &bad, "--filter", "kind:WIDE", &oven]);
    assert!(stdout(&decoded).lines().next().unwrap().ends_with("ok [+54]"), "{}", stdout(&decoded));
    assert!(stderr(&decoded).starts_with(&format!("spytui: {bad}:2:19: ")), "{}", stderr(&decoded));
}

#[test]
fn an_edited_file_changes_the_rows_and_a_wrong_one_does_not() {
    let home = folder();
    let lines = file(&home, "m.fmt", "record qs USER+2 \"wide {0}\"");
    let args = ["--proto", "qs", "--fmt", &lines].map(OsString::from).into_iter();
    let mut stage = spytui(args.chain([capture("oven-734.bin").into()])).start();
    stage.shows("2 360 rec");
    stage.command("filter kind:WIDE");
    stage.shows("wide -7");
    fs::write(&lines, "record qs USER+2 \"broad {0}\"").unwrap();
    stage.shows("broad -7");
    stage.shows("formats read again");
    // Filters and searches see the new text.
    stage.command("filter text:\"broad -14\"");
    stage.shows("broad -14");
    fs::write(&lines, "# half of a line\nrecord qs USER+2 \"narrow %q\"").unwrap();
    stage.shows("m.fmt:2:26: unknown conversion %q");
    stage.shows("broad -14");
    fs::write(&lines, "record qs USER+2 \"slim {0}\"").unwrap();
    stage.command("filter kind:WIDE");
    stage.shows("slim -7");
    stage.command("formats");
    stage.shows("m.fmt: 1 line");
}

#[test]
fn details_have_word_and_text_of_a_format_line() {
    let home = folder();
    let lines =
        file(&home, "m.fmt", "record qs USER+2 \"motor {0} rpm\"\nuser 12 ONE \"first %x\"\nrecord qnx 7 \"seven %x\"");
    let args = ["--proto", "qs", "--fmt", &lines].map(OsString::from).into_iter();
    let mut stage = spytui(args.chain([capture("oven-734.bin").into()])).start();
    stage.shows("2 360 rec");
    stage.command("find motor -7");
    stage.shows("text  motor -7 rpm");
    stage.shows(" WIDE  USER+2 102 ");
    // The text follows the file.
    fs::write(&lines, "record qs USER+2 \"wheel {0} rpm\"").unwrap();
    stage.shows("text  wheel -7 rpm");
    fs::write(&lines, "# none").unwrap();
    stage.shows(" USER+2 102 ");
    stage.shows_not(" rpm");
    fs::write(&lines, "user 12 ONE \"first %x\"\nrecord qnx 7 \"seven %x\"").unwrap();
    let kev = captured("qnx", "fast-2cpu.kev");
    let args = ["--proto", "qnx", "--fmt", &lines, &kev].map(OsString::from);
    let mut stage = spytui(args).start();
    stage.command("find first");
    stage.shows("text       first 932d823f");
    stage.shows(" ONE  USER 12");
    stage.command("find seven a417a0fe");
    stage.shows("text       seven a417a0fe");
}

#[test]
fn the_word_of_a_format_line_is_the_kind_in_jsonl() {
    let home = folder();
    let lines = file(&home, "m.fmt", "user 12 ONE \"first %x\"");
    let kev = captured("qnx", "fast-2cpu.kev");
    let args = ["decode", "-p", "qnx", "--format", "jsonl", "--fmt", &lines, "--filter", "text:first", &kev];
    let rows = stdout(&run(&home, &args));
    assert!(rows.contains("\"kind\":\"ONE\",\"group\":\"USER\""), "{rows}");
}

#[test]
fn the_log_says_what_no_record_uses() {
    let home = folder();
    let text = "record qs USER+2 \"wide\"\nrecord qs USER+99 \"none\"\nrecord rkh 3 \"\"\nrecord rkh 4 \"\"\nuser 1 ONE \"\"\n";
    let lines = file(&home, "m.fmt", text);
    let args = ["--proto", "qs", "--fmt", &lines].map(OsString::from).into_iter();
    let mut stage = spytui(args.chain([capture("oven-734.bin").into()])).start();
    stage.shows("2 360 rec");
    stage.types("9");
    stage.shows("m.fmt: 5 lines");
    stage.shows("m.fmt:2: record qs");
    stage.shows("m.fmt: 2 lines for rkh");
    stage.shows("m.fmt: 1 line for QNX");
    // The message stays as long as it is true.
    fs::write(&lines, "record qs USER+2 \"wide\"\nrecord qs HEXES \"hexes\"\n").unwrap();
    stage.shows("m.fmt: 2 lines");
    stage.shows_not("unused");
}

#[test]
fn qnx_traces_get_the_lines_of_all_files() {
    let home = folder();
    let log = captured("qnx", "classic-qnx4.log");
    let lines = fs::read_to_string(captured("qnx", "classic-qnx4.fmt")).unwrap();
    // In two files that belong together.
    let (enums, codes) = lines.split_once("\nmajor 0x00002").unwrap();
    let folder = home.path().join("qnx").display().to_string();
    file(&home, "qnx/a.fmt", &format!("major 0x00002{codes}"));
    file(&home, "qnx/b.fmt", enums);
    let reference = run(&home, &["decode", "-p", "qnx", "--fmt", &folder, "--format", "reference", &log]);
    assert!(stdout(&reference) == fs::read_to_string(captured("qnx", "classic-qnx4.txt")).unwrap());
    let xml = "<datakey format='%4u1x first %4u1d second'><event class='6' id='7'/></datakey>";
    let xml = file(&home, "user.xml", xml);
    let kev = captured("qnx", "fast-2cpu.kev");
    let user = run(&home, &["decode", "-p", "qnx", "--fmt", &xml, "--filter", "text:\"first a417a0fe\"", &kev]);
    assert!(stdout(&user).ends_with("first a417a0fe  second 51\n"), "{}", stdout(&user));
}

#[test]
fn qnx_traces_follow_an_edited_file() {
    let home = folder();
    let text = fs::read_to_string(captured("qnx", "classic-qnx4.fmt")).unwrap();
    let lines = file(&home, "q.fmt", &text);
    let args = ["--proto", "qnx", "--fmt", &lines, &captured("qnx", "classic-qnx4.log")].map(OsString::from);
    let mut stage = spytui(args).start();
    stage.shows("220 rec");
    stage.command("goto #1");
    stage.shows("pid 131 forced ready");
    fs::write(&lines, text.replace("forced ready", "made ready")).unwrap();
    stage.shows("pid 131 made ready");
    fs::write(&lines, text.replace("forced ready, state %x", "%q")).unwrap();
    stage.shows("unknown conversion %q");
    stage.shows("pid 131 made ready");
}

#[test]
fn lines_of_a_live_link_follow_an_edited_file() {
    let home = folder();
    let lines = file(&home, "m.fmt", "record tband marker:1 \"old\"");
    let boiler = fs::read(captured("tband", "boiler_basic.bin")).unwrap();
    let trace = home.path().join("trace.bin");
    fs::write(&trace, &boiler).unwrap();
    let trace_name = trace.display().to_string();
    let stage = spytui(["--headless", "--proto", "tband", "--fmt", &lines, "--follow", &trace_name]).start();
    stage.shows("feedwater           old");
    fs::write(&lines, "record tband marker:1 \"new\"").unwrap();
    let append = fs::OpenOptions::new().append(true).open(&trace).unwrap();
    stage.until("the new text", |stage| {
        (&append).write_all(&boiler).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        stage.screen().contains("feedwater           new")
    });
}

#[test]
fn lines_of_a_live_qnx_trace_follow_an_edited_file() {
    let home = folder();
    for (name, first, second) in [
        ("fast-2cpu.kev", "user 7 SEVEN \"old %x\"", "user 7 SIEBEN \"new %x\""),
        (
            "classic-qnx4.log",
            "major 0x00002 ALT\nminor * M \"old %x\"",
            "major 0x00002 NEU\nminor * M \"new %x\"", //
        ),
    ] {
        let lines = file(&home, "q.fmt", first);
        let trace = home.path().join(name);
        fs::copy(captured("qnx", name), &trace).unwrap();
        let more = fs::read(&trace).unwrap();
        let filter = "text:\"old \" or text:\"new \"";
        let args = ["--headless", "--proto", "qnx", "--fmt", &lines, "--filter", filter, "--follow"];
        let args = args.map(OsString::from).into_iter();
        let stage = spytui(args.chain([trace.clone().into()])).start();
        let word = |lines: &str| lines.split_whitespace().nth(2).unwrap().to_owned();
        stage.until("the old text", |stage| stage.screen().contains(&word(first)) && stage.screen().contains("old "));
        fs::write(&lines, second).unwrap();
        let append = fs::OpenOptions::new().append(true).open(&trace).unwrap();
        stage.until("the new text", |stage| {
            (&append).write_all(&more).unwrap();
            std::thread::sleep(Duration::from_millis(100));
            stage.screen().contains(&word(second)) && stage.screen().contains("new ")
        });
    }
}

#[test]
fn wrong_lines_of_the_option_are_reported_with_its_file() {
    let home = folder();
    let log = captured("qnx", "classic-qnx4.log");
    let named = file(&home, "named.fmt", "major 0x00002 PROC\n# a line\nminor * OTHER \"%x\"\n");
    let own = file(&home, "own.fmt", "enum a 1 b\n\nmajor 0x00002 OWN\nminor 1 ONE \"%q\"\n");
    let option = format!("fmt={own}");
    for format in ["native", "reference"] {
        let args = ["decode", "-p", "qnx", "--fmt", &named, "-o", &option, "--format", format, &log];
        let output = run(&home, &args);
        assert_eq!(output.status.code(), Some(0));
        let reported = format!("spytui: {own}:4:14: unknown conversion %q; known are d i u x X o c s b n @ %\n");
        assert!(stderr(&output).ends_with(&reported), "{}", stderr(&output));
        assert!(!stdout(&output).contains("fmt:"), "{}", stdout(&output));
    }
}

fn library() -> PathBuf {
    let name = format!("{}spytui_testing_formatter{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    std::env::current_exe().unwrap().parent().unwrap().join(name)
}

#[test]
fn a_library_gives_word_text_and_fields() {
    let home = folder();
    let library = library().display().to_string();
    let oven = captured("qs", "oven-734.bin");
    let decode = |args: &[&str]| {
        let all = [&["decode", "-p", "qs", "--plugin", &library], args, &[&oven]].concat();
        let output = run(&home, &all);
        // Another formatter of the library panics when called.
        let code = if stderr(&output).contains("formatter panics (") { 4 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        stdout(&output)
    };
    let text = "axis -7 at -32.768 mm, load 1 %";
    for (format, row) in [
        ("native", format!("Axis                       {text}\n")),
        ("csv", format!(",USER+2,U0,,\"{text}\",-7,1,-32.768\n")),
        ("jsonl", "\"fields\":{\"axis\":-7,\"position\":-32.768,\"load\":1},\"items\":[{\"t\":0,".to_owned()),
        ("jsonl", format!("\"text\":\"U0 Axis {text}\"}}\n")),
    ] {
        let rows = decode(&["--format", format]);
        assert!(rows.contains(&row), "{format}: {row}");
    }
    let whole = decode(&["--filter", "kind:Axis"]);
    assert_eq!(whole.lines().count(), 32);
    assert_eq!(decode(&["--filter", "kind:USER+2"]), whole);
    assert_eq!(decode(&["--filter", "position<-32.7 axis:-200..200 text:\"mm, load\""]), whole);
    assert_eq!(decode(&["--filter", "load=1 kind:Axis"]).lines().count(), 1);
    let listed = stdout(&run(&home, &["plugins", "--plugin", &library]));
    let line = listed.lines().find(|line| line.starts_with("axis ")).unwrap();
    assert!(line.contains(" formatter of qs ") && line.ends_with(&format!("({library})")), "{listed}");
    let trace = home.path().join("oven.pftrace").display().to_string();
    let exported = run(&home, &["export", "perfetto", "-p", "qs", "--plugin", &library, &oven, "-o", &trace]);
    assert_eq!(exported.status.code(), Some(4), "{}", stderr(&exported));
    let trace = fs::read(trace).unwrap();
    assert!(trace.windows(text.len()).any(|window| window == text.as_bytes()));
    let reference = run(&home, &["decode", "-p", "qs", "--plugin", &library, "--format", "reference", &oven]);
    assert!(!stdout(&reference).contains("axis"));
}

#[test]
fn a_library_changes_list_details_and_search() {
    let args = ["--proto", "qs", "--plugin"].map(OsString::from).into_iter();
    let mut stage = spytui(args.chain([library().into(), capture("oven-734.bin").into()])).start();
    stage.shows("2 360 rec");
    stage.types(":filter kind:Axsi");
    stage.shows("unknown kind \"Axsi\"; nearest: Axis");
    stage.types("\x15filter load>1 kind:Axis\r");
    stage.shows("axis -14 at -32.768 mm, load 2 %");
    stage.command("filter");
    stage.command("find axis -21");
    stage.shows("axis -21 at -32.768 mm, load 3 %");
    stage.shows("position");
}

#[test]
fn a_formatter_takes_a_table_of_the_users_own() {
    let home = folder();
    let (library, oven) = (library().display().to_string(), captured("qs", "oven-734.bin"));
    let table = home.path().join("axes.txt");
    fs::write(&table, "-7 left arm\n-14 gripper\n").unwrap();
    let option = format!("axis-names={}", table.display());
    let args = ["decode", "-p", "qs", "--plugin", &library, "-o", &option, "--filter", "kind:Axis", &oven];
    let output = run(&home, &args);
    // Another formatter of the library panics.
    assert_eq!((output.status.code(), stderr(&output).contains("formatter axis")), (Some(4), false));
    let rows = stdout(&output);
    assert!(rows.contains("Axis                       left arm at -32.768 mm, load 1 %\n"), "{rows}");
    assert!(rows.contains("Axis                       axis -21 at -32.768 mm, load 3 %\n"), "{rows}");
    // Without its formatter, there is no such option.
    let output = run(&home, &["decode", "-p", "qs", "-o", &option, &oven]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("axis-names: qs has no such option"), "{}", stderr(&output));
    // At run time, another table is read at once.
    let live = ["--proto", "qs", "--plugin"].map(OsString::from).into_iter();
    let mut stage = spytui(live.chain([library.clone().into(), oven.clone().into()])).start();
    stage.shows("2 360 rec");
    stage.command("filter kind:Axis");
    stage.shows("axis -7 at -32.768 mm");
    stage.command(&format!("set {option}"));
    stage.shows("left arm at -32.768 mm");
    fs::write(&table, "left arm\n").unwrap();
    stage.command(&format!("set {option}"));
    stage.shows("names: left arm: write a number and a name");
    stage.shows("left arm at -32.768 mm");
    let output = run(&home, &args);
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()));
    assert!(stderr(&output).contains("formatter axis: names: left arm: write a number"), "{}", stderr(&output));
}

#[test]
fn a_formatter_that_panics_is_reported_once() {
    let home = folder();
    let library = library().display().to_string();
    let oven = captured("qs", "oven-734.bin");
    let output = run(&home, &["decode", "-p", "qs", "--plugin", &library, "--filter", "kind:HEXES", &oven]);
    let rows = stdout(&output);
    assert!(rows.lines().count() > 10);
    assert!(rows.lines().all(|row| row.starts_with('!') && row.ends_with(" [formatter panics failed]")), "{rows}");
    assert_eq!(output.status.code(), Some(4));
    assert!(rows.contains("0x0 0x7D00 0x7E7D0000 0x123456789ABCDEF [formatter"), "{rows}");
    assert_eq!(stderr(&output).matches("formatter panics: ").count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("as asked"), "{}", stderr(&output));
    // In the list, the end of a long text is not visible.
    let args = ["--proto", "qs", "--plugin"].map(OsString::from).into_iter();
    let mut stage = spytui(args.chain([library.into(), oven.into()])).start();
    stage.shows("2 360 rec");
    stage.command("filter kind:HEXES,Axis");
    stage.shows("!326 191 379 +400.1k U0   HEXES              0x11 0x7D01 0x7E7D0001");
    stage.shows(" 326 191 381      +2 U0   Axis               axis -7 at");
}

#[test]
fn a_file_is_loaded_on_the_screen() {
    let home = folder();
    let file = home.path().join("mine.fmt");
    fs::write(&file, "record qs HEXES \"mine %hhu\"\n").unwrap();
    let mut stage = spytui(["--proto".into(), "qs".into(), capture("oven-734.bin").into_os_string()]).start();
    stage.shows("2 360 rec");
    stage.command("filter kind:HEXES");
    stage.shows("0x11 0x7D01");
    stage.command("formats load /nowhere.fmt");
    stage.shows("/nowhere.fmt");
    stage.types("\x07");
    stage.command(&format!("formats load {}", file.display()));
    stage.shows("mine 17");
    // It is watched like the others.
    fs::write(&file, "record qs HEXES \"yours %hhu\"\n").unwrap();
    stage.shows("yours 17");
}

#[test]
fn check_finds_fields_and_words_that_are_not_there() {
    let home = folder();
    let text = "words mode 0 off 300 on\nbits mode2 0 a\nrecord qs USER+1 m:u8{mode}\nrecord qs USER+2 m:u8{mod}\nrecord \
                qs USER+3 \"{rmp} {0}\" rpm:u16\nrecord tband marker:1 \"{mgs}\"\nrecord tband value:1 a:u64 b:u8\nrecord qs \
                USER+4 a:u8 a:u8\nrecord qs USER+5 a:u8\nrecord qs USER+5 b:u8\nwords mode 0 off\n";
    let wrong = file(&home, "wrong.fmt", text);
    let output = run(&home, &["formats", "check", &wrong]);
    assert_eq!(output.status.code(), Some(2));
    let said = stdout(&output).replace(&wrong, "F");
    let lines: Vec<&str> = said.lines().collect();
    let near = "F:5: no field {rmp}; nearest: rpm; there are rpm rest";
    assert_eq!(lines[0], "F:4:1: no words or bits mod; known are mode mode2");
    assert_eq!(lines[1], "F:7:28: the fields up to here have 9 bytes, more than the maximum of 8");
    assert_eq!(lines[2], "F:8:23: duplicate field a");
    assert_eq!(lines[3], near);
    assert!(lines[4].starts_with("F:6: no field {mgs}; nearest: msg; there are "), "{}", lines[4]);
    assert_eq!(lines[5], "F:9: record qs USER+5 is replaced by line 10");
    assert_eq!(lines[6], "F:1: words mode 0 is replaced by line 11");
    assert_eq!(lines[7..], ["F: 6 lines, 5 wrong"]);
    let of_demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware/demo/boiler_qs.fmt");
    assert_eq!(run(&home, &["formats", "check", &of_demo.display().to_string()]).status.code(), Some(0));
    // Such a line is reported and not used.
    let typo = file(&home, "typo.fmt", "record qs USER+2 \"{rmp}\" rpm:u8");
    let oven = captured("qs", "oven-734.bin");
    let decoded = run(&home, &["decode", "--fmt", &typo, "--filter", "kind:WIDE", "-p", "qs", &oven]);
    assert!(!stdout(&decoded).contains("<?>") && stdout(&decoded).contains("-32768 65535"), "{}", stdout(&decoded));
    assert!(stderr(&decoded).contains(":1: no field {rmp}; nearest: rpm"), "{}", stderr(&decoded));
}

#[test]
fn a_file_begins_with_the_records_of_a_capture() {
    let home = folder();
    for (decoder, proto, capture, expected) in [
        ("qs", "qs", "oven-734.bin", "\nrecord qs TELEM f0:u8 f1:i16 f2:i16 f3:str\n"),
        ("rkh-trazer", "rkh", "gh340-default.bin", "\nrecord rkh LOG_TEXT f0:str f1:u8 f2:str\n"),
        ("tband", "tband", "boiler_basic.bin", "\nrecord tband feedwater f0:str\n"),
        ("qnx", "qnx", "fast-2cpu.kev", "\nrecord qnx 7 f0:u32 f1:u32"),
    ] {
        let capture = captured(decoder, capture);
        let output = run(&home, &["formats", "new", "--proto", proto, "--from", &capture]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let written = stdout(&output);
        assert!(written.contains(expected), "{written}");
        let begun = file(&home, &format!("{proto}.fmt"), &written);
        let check = run(&home, &["formats", "check", &begun]);
        assert_eq!(check.status.code(), Some(0), "{}", stdout(&check));
        // Each record has its fields.
        let rows = texts(&home, &["--fmt", &begun, "--filter", "f0:*", "-p", proto, &capture]);
        assert!(rows.len() > 10, "{proto}: {}", rows.len());
        assert!(rows.iter().all(|row| !row.contains("does not fit")), "{rows:?}");
    }
    let none = file(&home, "none.bin", "");
    let output = run(&home, &["formats", "new", "-p", "qs", "--from", &none]);
    assert_eq!((output.status.code(), stdout(&output).ends_with("# None occurs.\n")), (Some(0), true));
    assert_eq!(run(&home, &["formats", "new", "-p", "qs", "--from", "tcp:localhost:1"]).status.code(), Some(2));
}

#[test]
fn words_of_a_record_warn_in_every_text() {
    let home = folder();
    let lines = file(&home, "words.fmt", "words a 17 hot!error\nrecord qs HEXES \"a {a}\" a:u8{a}\n");
    let oven = captured("qs", "oven-734.bin");
    let rows = |args: &[&str]| -> Vec<String> {
        let output = run(&home, &[&["decode", "-p", "qs", "--fmt", &lines, &oven], args].concat());
        stdout(&output).lines().filter(|row| row.contains("HEXES ")).map(str::to_owned).collect()
    };
    let all = rows(&[]);
    assert!(all.iter().any(|row| row.starts_with('!')) && all.iter().any(|row| row.starts_with(' ')), "{all:?}");
    assert!(all.iter().all(|row| row.starts_with('!') == row.ends_with(" a hot")), "{all:?}");
    // The filter must know before a row is rendered. Times of neighbours differ from those of all rows.
    let begin = |rows: Vec<String>| rows.iter().map(|row| row[..13].to_owned()).collect::<Vec<_>>();
    let errors: Vec<String> = all.iter().filter(|row| row.starts_with('!')).cloned().collect();
    assert_eq!(begin(rows(&["--filter", "kind:HEXES"])), begin(all));
    assert_eq!(begin(rows(&["--filter", "sev>=error"])), begin(errors));
}

#[test]
fn a_trace_for_perfetto_has_states_values_and_spans_of_records() {
    let home = folder();
    let lines = "words sign 0 zero 249 \"minus seven\"\nrecord qs HEXES a:u8 b:x16 c:u32*0.1\"rpm\" d:u64 value(c)\nrecord qs WIDE \
                 v:u8{sign} state(v) span(begin,wide)\nrecord qs FLOATS a:f32 span(end,wide)\n";
    let lines = file(&home, "tracks.fmt", lines);
    let out = home.path().join("out.pftrace");
    let oven = captured("qs", "oven-734.bin");
    let args = ["export", "perfetto", "-p", "qs", "--fmt", &lines, "-O", &out.display().to_string(), &oven];
    let output = run(&home, &args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let trace = fs::read(out).unwrap();
    for name in ["HEXES c", "WIDE v State", "wide", "minus seven", "rpm"] {
        assert!(trace.windows(name.len()).any(|bytes| bytes == name.as_bytes()), "{name}");
    }
    let stats =
        |args: &[&str]| stdout(&run(&home, &[&["stats", "-p", "qs", "--fmt", &lines], args, &[&oven]].concat()));
    let objects = stats(&["--objects", "--at", "#200"]);
    let line = |name: &str| objects.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("WIDE v ").contains("minus seven") && line("HEXES c ").contains('.'), "{objects}");
    assert!(line("wide ").contains("begun"), "{objects}");
    assert!(stats(&["--measure", "span"]).contains("wide"), "spans are measured");
}
