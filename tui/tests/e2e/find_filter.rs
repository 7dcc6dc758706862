//! Finding things: a name means the same everywhere, and missing ones are reported.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::rig::{Stage, capture, file_args, folder, set_environment, spytui};

/// A capture of the tband decoder.
fn brew() -> OsString {
    tband("brew_stream.bin").into()
}

fn tband(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/tband/tests/captures").join(name)
}

fn decode(protocol: &str, filter: &str, file: OsString) -> Output {
    decode_at_home(&folder(), protocol, filter, file)
}

/// Decodes with the configuration in a home folder.
fn decode_at_home(home: &TempDir, protocol: &str, filter: &str, file: OsString) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    set_environment(
        |name, value| {
            command.env(name, value);
        },
        home.path(),
    );
    command.args(["decode", "--proto", protocol, "--filter", filter]).arg(file);
    command.stdin(Stdio::null()).output().unwrap()
}

/// The lines of a QS capture that pass a filter.
fn passing(filter: &str) -> Vec<String> {
    let output = decode("qs", filter, capture("oven-734.bin").into());
    assert_eq!(output.status.code(), Some(0), "{filter}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn oven() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage
}

#[test]
fn every_name_of_a_thing_means_the_same() {
    for same in [
        &["obj:motor", "obj:l_motor", "obj:AO(l_motor)", "obj:MOTOR", "obj:ao(L_MOTOR)"][..],
        &["kind:Ignore", "kind:Ignored", "kind:IGNORED", "kind:QS_QEP_IGNORED", "kind:7"],
        &["kind:Tran", "kind:tran", "kind:TRAN", "kind:QS_QEP_TRAN", "kind:6"],
        &["sig:TEMP*", "sig:temp_sig", "sig:\"TEMP_SIG\"", "sig:4"],
        &["group:SM", "group:sm", "group:\"SM\""],
        &["state:motor_Faul*", "state:Motor_fault", "state:MOTOR_FAULT"],
    ] {
        let rows = passing(same[0]);
        assert!(rows.len() > 10, "{}: {}", same[0], rows.len());
        for filter in &same[1..] {
            assert!(passing(filter) == rows, "{filter}");
        }
    }
    assert_eq!(passing("kind:Tran").len(), 51);
    // `sig 17 of door` is about the door, too.
    assert_eq!(passing("obj:door kind:NAMES").len(), 32);
    // Quoted text is matched exactly.
    assert_eq!(passing("obj:\"Motor\" or obj:\"mot*\" or kind:\"TRAN\" or sig:\"temp_sig\"").len(), 0);
}

#[test]
fn the_screen_means_the_same_as_decode() {
    let mut stage = oven();
    for filter in ["obj:motor", "obj:l_motor", "obj:AO(l_motor)", "obj:0x4112C0", "obj:\"l_motor\""] {
        stage.command(&format!("filter {filter}"));
        stage.shows(&format!("filter {filter}  hides 2 034"));
    }
}

/// `+` and `-` do what they offer.
#[test]
fn offers_are_counted_by_the_same_test() {
    let mut stage = spytui([OsString::from("--proto"), "tband".into(), brew()]).start();
    stage.shows("file 100 %");
    stage.command("find task:Mash");
    stage.until("a row of Mash", |stage| stage.cursor_line().contains(" Mash "));
    stage.types("+");
    stage.until("a count", |stage| offered(stage).is_some());
    let offered = offered(&stage).unwrap();
    let all = decode("tband", "n>0", brew()).stdout;
    let of_mash = decode("tband", "obj:Mash", brew()).stdout;
    let lines = |text: &[u8]| text.iter().filter(|&&b| b == b'\n').count();
    assert_eq!(offered, lines(&of_mash));
    stage.types("o");
    stage.shows(&format!("hides {}", lines(&all) - offered));
}

/// Rows that pass every filter say so instead of an offer; notes can only be hidden by kind.
#[test]
fn only_what_works_is_offered() {
    let folder = folder();
    let path = folder.path().join("boiler.bin");
    let bytes = std::fs::read(tband("boiler_drops.bin")).unwrap();
    std::fs::write(&path, [b"the boiler starts\n".as_slice(), &bytes].concat()).unwrap();
    let mut stage = spytui([OsString::from("--proto"), "tband".into(), path.into()]).start();
    stage.shows("file 100 %");
    stage.types("g");
    stage.until("the text", |stage| stage.cursor_line().contains("the boiler starts"));
    stage.types("-");
    stage.shows(" -  k console 1");
    assert!(!stage.screen().contains("  g "), "{}", stage.screen());
    stage.types("k");
    stage.shows("hides 1");
    stage.types("x-");
    stage.shows(" -  losses, resets and link rows pass every filter");
}

/// Number of rows that the menu offers for the object.
fn offered(stage: &Stage) -> Option<usize> {
    let screen = stage.screen();
    let (_, rest) = screen.lines().last()?.split_once("  o Mash ")?;
    rest.split("  ").next()?.replace(' ', "").parse().ok()
}

/// The message about a filter, with the exit code.
fn said(protocol: &str, filter: &str, file: OsString) -> (i32, String) {
    let output = decode(protocol, filter, file);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap().replace("spytui: ", ""))
}

#[test]
fn decode_says_that_nothing_passes_and_why() {
    let said = |filter| said("qs", filter, capture("oven-734.bin").into());
    assert_eq!(
        said("obj:AO(l_mottor)"),
        (0, "--filter: 0 of 2 360; no object \"AO(l_mottor)\" here, nearest: motor\n".into())
    );
    assert_eq!(
        said("sig:TMEP_SIG"),
        (0, "--filter: 0 of 2 360; no signal \"TMEP_SIG\" here, nearest: TEMP_SIG\n".into())
    );
    let (code, text) = said("obj:AO(x)");
    assert!(
        code == 0 && text.starts_with("--filter: 0 of 2 360; no object \"AO(x)\" here; there are BLOB, "),
        "{text}"
    );
    assert_eq!(said("n>5000"), (0, "--filter: 0 of 2 360\n".into()));
    assert_eq!(said("kind:Tran"), (0, String::new()));
}

#[test]
fn units_without_a_meaning_are_refused_with_the_next_step() {
    let oven = |filter| said("qs", filter, capture("oven-734.bin").into());
    let unknown = "the rate of the ticks is unknown: -o ticks-per-second=N; a number without a unit is ticks";
    assert_eq!(oven("dt>10ms"), (2, format!("--filter: dt has no units here, {unknown}\n")));
    assert_eq!(
        oven("time>0.05"),
        (2, "--filter: 0.05 has no unit, and ticks are whole: write 0.05s, or ms us ns\n".into())
    );
    assert_eq!(oven("dt>10000").0, 0);
    assert_eq!(
        oven("sev:notice"),
        (2, "--filter: unknown severity \"notice\"; rows have debug, info, warning, error or fatal\n".into())
    );
    assert_eq!(
        oven("took>100"),
        (2, "--filter: no field \"took\" here, only in qnx; as plain text write \"took>100\"\n".into())
    );
    // This target reports its rate.
    assert_eq!(said("tband", "time>50ns", brew()), (0, String::new()));
    assert_eq!(said("tband", "time>0.05", brew()).0, 2);
    let mut stage = self::oven();
    stage.command("filter dt>10ms");
    stage.shows("dt has no units here, the rate of the ticks is unknown: :set");
    stage.shows("ticks-per-second=N;");
    stage.types("\x07");
    stage.command("set pointer 4");
    stage.shows("pointer: an option of rkh, this is qs");
    stage.types("\x07");
    stage.command("set ticks-per-second=1000000");
    stage.shows("1 us a tick");
    stage.command("filter dt>10ms");
    stage.shows("filter dt>10ms  hides 2 ");
}

#[test]
fn a_saved_filter_is_named_in_every_place() {
    let home = folder();
    let config = home.path().join("config/spytui");
    std::fs::create_dir_all(&config).unwrap();
    let oven = capture("oven-734.bin");
    let text = format!(
        "[filters]\nsteps = \"kind:Tran\"\n[profile.board1]\nfile = \"{}\"\nproto = \"qs\"\nfilter = \"@steps\"\n",
        oven.display()
    );
    std::fs::write(config.join("spytui.toml"), text).unwrap();
    let output = decode_at_home(&home, "qs", "@steps", oven.clone().into());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 51);
    let output = decode_at_home(&home, "qs", "@step", oven.clone().into());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), said.as_str()),
        (Some(2), "spytui: --filter: @step: no such filter; did you mean \"@steps\"?\n")
    );
    for args in [vec!["@board1".into()], [file_args("oven-734.bin"), vec!["--filter".into(), "@steps".into()]].concat()]
    {
        let stage = spytui(args).env("XDG_CONFIG_HOME", home.path().join("config")).start();
        stage.shows("filter kind:Tran  hides 2 308");
    }
}

#[test]
fn the_screen_says_what_a_filter_does() {
    let mut stage = oven();
    stage.command("filter obj:AO(l_mottor)");
    stage.shows("0 of 2 360; no object \"AO(l_mottor)\" here, nearest: motor");
    stage.command("filter kind:Tran to:motor");
    stage.shows_not("0 of 2 360");
    stage.command("filter why");
    stage.shows("kind:Tran passes 51, hides 2 308 · to:motor passes ");
    // The target information is always shown; with it, each term accounts for all rows.
    stage.shows("21, hides 2 338 · always shown 1 (losses, resets, links) · 2 360 rows in all");
    stage.command("filter");
    stage.command("filter why");
    stage.shows("no filter: every row is shown");
    let rows = stage.home.path().join("rows.txt");
    for (range, lines) in [("..", 2360), ("#700..#722", 23), ("..#10", 10), ("#2351..", 10), (".. kind:Tran", 51)] {
        stage.command(&format!("write {} {range}", rows.display()));
        stage.shows(" rows in ");
        let text = std::fs::read_to_string(&rows).unwrap();
        assert_eq!(text.lines().count(), lines, "{range}");
        std::fs::remove_file(&rows).unwrap();
        stage.types("\x1b");
        stage.shows_not(" rows in ");
    }
}

/// A QS stream that names this many objects.
fn named_objects(count: u64) -> Vec<u8> {
    let mut stream = crate::rig::bytes_of("oven-734.bin")[..24].to_vec();
    for n in 0..count {
        // The first records of the capture have the numbers 1 and 2.
        let mut record = vec![(n + 3) as u8, 61];
        record.extend((0x2000_0000 + 16 * n).to_le_bytes());
        record.extend(format!("l_object_number_{n}\0").bytes());
        record.push(!record.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
        for byte in record {
            match byte {
                0x7D | 0x7E => stream.extend([0x7D, byte ^ 0x20]),
                byte => stream.push(byte),
            }
        }
        stream.push(0x7E);
    }
    stream
}

#[test]
fn names_without_room_are_counted_and_said() {
    let home = folder();
    let file = home.path().join("names.bin");
    std::fs::write(&file, named_objects(240_000)).unwrap();
    let mut stage = spytui(["--proto".into(), "qs".into(), OsString::from(&file)]).start();
    stage.shows("240 002 rec");
    stage.types("9");
    stage.shows(" names were not kept: they take 64 MB at most");
    stage.types("2");
    stage.shows(" refused: 64 MB are full");
    stage.types("s");
    stage.shows("Dictionary · by name");
}

#[test]
fn what_is_typed_is_searched_and_shown_at_once() {
    let mut stage = oven();
    // A frame is read in pieces: the header may appear before the rows.
    stage.until("the first row", |stage| stage.cursor_line().contains("TI   Empty"));
    let start = stage.cursor_line();
    stage.types("/Motor_fau");
    stage.until("the first match", |stage| stage.cursor_line().contains("Motor_fault"));
    stage.shows("/Motor_fau 1 of ");
    stage.until("underlined matches", |stage| stage.underlined().contains("Motor_fau"));
    // This only looks.
    stage.types("\x07");
    stage.until("the line of before", |stage| stage.cursor_line() == start);
    stage.until("nothing underlined", |stage| stage.underlined().is_empty());
    let all = passing("Motor_fault").len();
    stage.types("/Motor_fault\r");
    stage.shows(&format!("/Motor_fault 1 of {all}"));
    stage.types("n");
    stage.shows(&format!("/Motor_fault 2 of {all}"));
    stage.types("N");
    stage.shows(&format!("/Motor_fault 1 of {all}"));
    stage.types("N");
    stage.shows(&format!("/Motor_fault {all} of {all}"));
    stage.shows("wrapped to end");
    stage.types("n");
    stage.shows(&format!("/Motor_fault 1 of {all}"));
    stage.shows("wrapped to top");
    // Only shown rows are found.
    stage.command("filter kind:Tran");
    stage.shows("/Motor_fault");
    stage.types("gn");
    stage.shows(&format!(" of {} ", passing("kind:Tran Motor_fault").len()));
    stage.until("a transition", |stage| stage.cursor_line().contains("Tran"));
    stage.types("/nobody at all\r");
    stage.shows("no match: 0 of 2 360");
}

/// The first error of a damaged capture: where it is, and what it is about.
#[test]
fn finding_the_first_error() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/rkh-trazer/tests/captures/gh340-default-flip.bin");
    let mut stage = spytui(["--proto", "rkh", file]).start();
    stage.shows("file 100 %");
    stage.types("gx");
    stage.shows("nseq 110");
    stage.until("a loss under the cursor", |stage| stage.cursor_line().contains("lost"));
    stage.shows("frame damaged");
    stage.command("filter sev>=error");
    stage.shows("14 losses, ≥14 records, 15 frames damaged");
}

/// One object of many, by its name in the list, and back.
#[test]
fn filtering_one_object() {
    let mut stage = oven();
    stage.types("/motor\r");
    stage.until("a row of the motor", |stage| stage.cursor_line().contains(" motor "));
    stage.types("+");
    stage.shows("  o motor 325");
    stage.types("o");
    stage.shows("filter obj:motor  hides 2 034");
    stage.types("a");
    stage.shows_not("hides");
    stage.command("filter obj:moter");
    stage.shows("0 of 2 360; no object \"moter\" here, nearest: motor");
}

/// In any role that refers to a name, and for every kind of name.
#[test]
fn every_use_of_a_name_is_counted() {
    let mut stage = spytui(["--proto".into(), "tband".into(), brew()]).start();
    stage.types("2");
    stage.shows("task        1   –       Mash                    stream @0xba       151     #948");
    stage.shows("marker      10  –       batch                   stream @0x21        31     #933");
    stage.types("G");
    stage.shows("queue       11  –       temp crates             stream @0xc3d        4     #402");
    stage.shows("task-marker 7   Hops    no name                 –                    8     #934");
    let rkh = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/rkh-trazer/tests/captures/gh340-default.bin");
    let mut stage = spytui(["--proto", "rkh", rkh]).start();
    stage.types("2");
    stage.shows("usr   193       –       LOG_TEXT                stream @0x7d7        6    #1756");
    stage.types(" ");
    stage.shows("state 0x804E700 logger  Logging                 stream @0x75a       75    #1834");
}

#[test]
fn the_dictionary_and_the_log_are_searched_and_narrowed() {
    let mut stage = oven();
    stage.types("2");
    stage.shows("Dictionary · by key · 1 %");
    stage.types("/l_heater");
    stage.shows("/l_heater 1 of 3");
    stage.until("an underlined name", |stage| stage.underlined().contains("l_heater"));
    stage.until("a line of the heater", |stage| stage.screen().contains("AO(l_heater)"));
    stage.types("\rn");
    stage.shows("/l_heater 2 of 3");
    stage.types("nn");
    stage.shows("/l_heater 1 of 3");
    stage.shows("wrapped to top");
    stage.types("-");
    stage.shows("  s obj ");
    stage.shows("  f stream ");
    stage.types("s");
    stage.shows("Dictionary · hides ");
    stage.shows_not("  0x4112");
    stage.types("/nothing like it\r");
    stage.shows("no match in this pane");
    stage.types("a");
    stage.shows_not("hides");
    stage.command("filter knd:Tran");
    stage.types("\x079");
    stage.shows("Log");
    stage.command("goto nowhere");
    stage.types("\x07");
    stage.shows("app: not a location: nowhere");
    stage.types("/UNKNOWN fi\r");
    stage.shows("no match in this pane");
    stage.types("/unknown fi\r");
    stage.shows("/unknown fi 1 of 1");
    stage.types("+");
    stage.shows("  l warning ");
    stage.types("o");
    stage.shows("Log");
    stage.types("a");
    stage.shows_not("hides");
}

#[test]
fn a_trace_is_compared_with_a_recording() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage.command(&format!("compare {}", capture("oven-734.bin").display()));
    stage.shows("no difference: 2 291 records alike, in the same order");
    stage.types("\x1b");
    stage.command(&format!("compare {}", capture("oven-734-rx.bin").display()));
    stage.shows("first divergence");
    stage.shows("+                #961  Trg-Info");
    stage.shows("Esc goes to #961, the first difference");
    stage.types("\x1b");
    stage.shows("#961 @");
    // A row that the filter hides is not promised.
    stage.command("filter kind:Tran");
    stage.command(&format!("compare {}", capture("oven-734-rx.bin").display()));
    stage.shows("first divergence");
    stage.shows_not("Esc goes to");
    stage.types("\x1b");
    stage.command("compare none-such");
    stage.shows("none-such: no such file");
    let rkh = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/rkh-trazer/tests/captures/gh340-default.bin");
    stage.command(&format!("compare {}", rkh.display()));
    stage.shows("it has no record of qs; captures of one protocol can be compared");
    // A wrong row is no file.
    stage.command("compare 'nowhere");
    stage.shows("'nowhere: no such mark");
    stage.types("\x1b\x1bq");
}
