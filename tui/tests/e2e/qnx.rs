//! QNX: dates of the classic logs, classes of kernel events, in lists and filters.

use std::{
    ffi::OsString,
    io::Write,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::rig::{folder, set_environment, spytui};

const QNX4: &str = "classic-qnx4.log";
const NTO1: &str = "classic-nto1.bin";
const KEV: &str = "fast-2cpu.kev";

fn captured(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/qnx/tests/captures").join(name)
}

fn decode(path: &Path, args: &[&str]) -> Output {
    let home = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    set_environment(
        |name, value| {
            command.env(name, value);
        },
        home.path(),
    );
    command.args(["decode", "--proto", "qnx"]).args(args).arg(path).output().unwrap()
}

/// Number of records that pass a filter.
fn passes(name: &str, filter: &str) -> usize {
    let output = decode(&captured(name), &["--format", "jsonl", &format!("--filter={filter}")]);
    assert!(output.status.success(), "{filter}: {}", String::from_utf8_lossy(&output.stderr));
    let rows = String::from_utf8(output.stdout).unwrap();
    rows.lines().filter(|row| row.contains(r#""type":"record""#)).count()
}

#[test]
fn filters_take_dates_severities_and_codes() {
    for (name, filter, records) in [
        (QNX4, "time:1998-05-12T19:23..19:24", 16),
        (QNX4, "time:1998-05-12", 220),
        (QNX4, "time>=1998-05-12T19:24", 204),
        (NTO1, "time:1999-06-21T21:20:02..21:20:05", 67),
        (NTO1, "-time:1999-06-21T21:20:02..21:20:05", 193),
        (QNX4, "major:1 -minor:3", 85),
        (QNX4, "level<=2", 86),
        (NTO1, "level<=2 group:exc", 54),
    ] {
        assert_eq!(passes(name, filter), records, "{name} {filter}");
    }
}

#[test]
fn classes_have_a_short_and_a_long_name() {
    for (short, long) in [
        ("COMM", "COMM"),
        ("THR", "THREAD"),
        ("PROC", "PROCESS"),
        ("CTRL", "CONTROL"),
        ("INT", "INT_ENTR,INT_EXIT,INT_HANDLER_ENTR,INT_HANDLER_EXIT"),
    ] {
        let records = passes(KEV, &format!("group:{short}"));
        assert!(records > 0);
        assert_eq!((passes(KEV, &format!("group:{long}")), passes(KEV, &format!("class:{short}"))), (records, records));
        assert_eq!(passes(KEV, &format!("-class:{long}")), 981 - records);
    }
    assert_eq!(passes(KEV, "group:CALL"), passes(KEV, "group:KER_CALL,KER_EXIT,INT_CALL"));
}

#[test]
fn a_range_of_times_that_makes_no_sense_is_reported() {
    for (name, filter, message) in [
        (QNX4, "time:09:14..09:15", "09:14 has no day: write it as 2026-03-11T09:14"),
        (QNX4, "time:1998-05-12T19:24..19:23", "1998-05-12T19:24 to 19:23 is empty: the end is before the start"),
        (
            KEV,
            "time:1998-05-12",
            "1998-05-12: times have no date here, they count from the start of the target or trace",
        ),
    ] {
        let output = decode(&captured(name), &["--filter", filter]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("spytui: --filter: {message}\n"));
    }
}

#[test]
fn a_second_run_counts_from_its_own_start() {
    let home = folder();
    let file = home.path().join("runs.kev");
    let runs = [KEV, "wide-be.kev", KEV].map(|name| std::fs::read(captured(name)).unwrap());
    std::fs::write(&file, runs.concat()).unwrap();
    let mut stage = spytui([&file]).start();
    stage.shows("2 437 rec");
    stage.command("goto #982");
    stage.types("kkkk");
    stage.shows("══ new trace run, epoch 2 · trace of QNX 6.5.0");
    stage.shows("  0.000 000 00         0  CTRL  TIME");
    stage.command("filter time:..1us kind:TIME");
    stage.shows("CTRL  TIME ");
    stage.until("no row of a run before it", |stage| !stage.screen().contains("-0.") && !stage.screen().contains("-6"));
    let rows =
        String::from_utf8(decode(&file, &["--format", "native", "--filter=kind:TIME time:..1us"]).stdout).unwrap();
    let starts: Vec<&str> = rows.lines().filter(|row| row.contains("TIME")).map(|row| &row[..24]).collect();
    assert_eq!(starts, ["  0.000 000 00         0"; 3]);
}

#[test]
fn a_logger_that_was_started_again_is_no_reset_of_the_target() {
    let home = folder();
    let file = home.path().join("two.kev");
    let first = std::fs::read(captured(KEV)).unwrap();
    let end = position(&first, b"TRACE_HEADER_END::") + b"TRACE_HEADER_END::".len();
    let mut booted = first.clone();
    let date = position(&first, b"TRACE_BOOT_DATE::");
    booted[date..][..b"TRACE_BOOT_DATE::Sun".len()].copy_from_slice(b"TRACE_BOOT_DATE::Sun");
    for (second, starts) in [
        (&first[..], "new trace run, epoch 2 · trace of QNX 6.4.1, "),
        // Without its header and the following system page of 512 bytes.
        (&first[end + 512..], "new trace run, epoch 2 · buffer numbers and times restarted"),
        (&booted, "target reset, epoch 2 · trace of QNX 6.4.1, "),
    ] {
        std::fs::write(&file, [&first, second].concat()).unwrap();
        let rows = String::from_utf8(decode(&file, &["--format", "native"]).stdout).unwrap();
        let words: Vec<&str> = rows.lines().filter(|row| row.contains("epoch")).collect();
        assert!(matches!(words[..], [row] if row.trim_start_matches(['═', ' ']).starts_with(starts)), "{words:?}");
    }
}

/// Position of a word in some bytes.
fn position(bytes: &[u8], word: &[u8]) -> usize {
    bytes.windows(word.len()).position(|window| window == word).unwrap()
}

#[test]
fn folded_losses_keep_their_bounds() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut stage = spytui(["--proto", "qnx", "--tcp", &address]).start();
    let bytes = std::fs::read(captured(KEV)).unwrap();
    let (before, behind) = bytes.split_at(9001);
    server.accept().unwrap().0.write_all(before).unwrap();
    let (mut peer, _) = server.accept().unwrap();
    peer.write_all(behind).unwrap();
    stage.shows("980 rec");
    stage.types("ggx");
    stage.shows("losses: short buffer, up to 215 events; ");
}

#[test]
fn the_time_column_and_the_details_show_dates() {
    let mut stage = spytui([captured(QNX4)]).start();
    stage.shows("220 rec");
    stage.types("gg");
    stage.shows(" 0.461 045 76");
    stage.types("t");
    stage.shows("date and time, UTC");
    stage.shows("05-12 19:23:20.598 999 +461");
    stage.shows("date   1998-05-12 19:23:20.137 953 280 UTC");
    stage.shows("─ 0x00001:0x003   #1 @0x0");
    stage.command("goto 1998-05-12T19:24");
    stage.shows("─ 0x00003:0x300   #17 @0x157");
    stage.command("filter time:1998-05-12T19:23..19:24");
    stage.shows("hides 222");
    stage.types(":filter time:19:23\r");
    stage.shows("19:23 has no day: write it as 2026-03-11T19:23");
    stage.types("\x1b");
    stage.resize(120, 40);
    stage.shows("1998-05-12 19:23:20.598 999 +461");
    // Other traces have no dates, so the key skips them.
    let mut stage = spytui([captured(KEV)]).start();
    stage.shows("981 rec");
    stage.types("t");
    stage.shows("time since the row above");
    stage.has_never_shown("date");
    stage.command("set time date");
    stage.shows("no dates: the target reports none");
    stage.command("goto 1998-05-12");
    stage.shows("times have no date here: go to seconds, as 12.5s");
}

#[test]
fn the_dictionary_counts_uses_of_channels_and_shows_bits_of_interrupts() {
    let mut stage = spytui([captured(KEV)]).size(100, 40).start();
    stage.shows("981 rec");
    stage.types("2G");
    stage.shows("slogger      slogger channel 1            stream @0xe4e       16     #897");
    let rows = String::from_utf8(decode(&captured(KEV), &["--filter=obj:\"irq 0x80000000\""]).stdout).unwrap();
    assert_eq!(rows.lines().filter(|row| row.contains(" irq 0x80000000 ")).count(), 28);
    assert_eq!(passes(KEV, "obj:0x80000000"), 28);
}

#[test]
fn wrong_values_of_options_are_reported() {
    let digits = "must be 64 hex digits";
    for (option, message) in [
        ("profile=foo", "must be kev, qnx4 or nto1"),
        ("endian=middle", "must be little or big"),
        ("release=9", "must be 6, 7 or 8"),
        ("cpus=65", "must be a whole number from 1 to 64"),
        ("cycles-per-sec=0", "must be a whole number from 1 to 9223372036854775807"),
        ("exc-opcode=256", "must be a whole number from 0 to 255"),
        ("kprof=12", digits),
        ("fmt=/nonexistent", "no such file"),
    ] {
        let output = decode(&captured(NTO1), &["-o", option]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(&format!("{option}: {message}")), "{said}");
    }
    let mut stage = spytui([captured(KEV)]).start();
    stage.shows("981 rec");
    stage.types(":set kprof=12\r");
    stage.shows(digits);
    stage.types("\x1b");
    // Escape and an immediately following byte are one key.
    stage.shows_not(digits);
    stage.command("set endian=big");
    stage.types("gg");
    stage.shows("endian is little, not big as set");
    stage.command("set endian=");
    stage.shows_not("endian is little, not big as set");
    stage.command("set profile=nto1");
    stage.shows("profile is kev, not nto1 as set");
    stage.command("set profile=");
    stage.shows_not("profile is kev, not nto1 as set");
}

#[test]
fn why_a_call_failed_is_found_by_its_name() {
    assert!(passes(KEV, "errno:2") > 0);
    assert_eq!(passes(KEV, "errno:ENOENT"), passes(KEV, "errno:2"));
    assert_eq!(passes(KEV, "errno:EPERM"), 0);
    let mut stage = spytui([captured(KEV)]).start();
    stage.shows("981 rec");
    stage.command("filter errno:ENOENT");
    stage.types("gg");
    stage.shows("errno      2       ENOENT");
}

#[test]
fn details_show_addresses_as_the_list_does() {
    let mut stage = spytui([captured(KEV)]).start();
    stage.shows("981 rec");
    stage.command("filter coid>0");
    stage.types("gg");
    stage.shows("coid       0x");
}

#[test]
fn everything_a_process_does_is_found_by_its_name_or_number() {
    let by_name = passes(KEV, "obj:hmi");
    assert!(by_name > 130);
    assert_eq!((passes(KEV, "pid:8196"), passes(KEV, "pid:hmi")), (by_name, by_name));
    assert!(passes(KEV, "pid:8196 group:CALL") > 0);
    // A thread does what its process does; messages to it are not its own.
    let calls = passes(KEV, "task:hmi group:CALL");
    assert_eq!(calls, passes(KEV, "pid:8196 group:CALL"));
    assert_eq!(passes(KEV, "from:hmi group:CALL"), calls);
    assert_eq!(passes(KEV, "to:hmi group:CALL"), 0);
    let output = decode(&captured(KEV), &["--format", "jsonl", "--filter", "group:COMM from:hmi"]);
    let rows = String::from_utf8(output.stdout).unwrap();
    let records: Vec<&str> = rows.lines().filter(|row| row.contains(r#""type":"record""#)).collect();
    assert!(!records.is_empty() && records.iter().all(|row| row.contains(r#""owner":{"pid":8196,"tid":"#)), "{rows}");
}

#[test]
fn kinds_are_found_by_their_plain_and_their_full_names() {
    let kinds = "qnx71-wide64.kev";
    let wide = passes(kinds, r#"kind:"MSG_SENDV|64""#);
    assert!(wide > 0 && passes(kinds, "kind:MSG_SENDV") > wide);
    assert_eq!(passes(KEV, "SND_MESSAGE"), passes(KEV, "kind:SND_MESSAGE"));
    assert!(passes(KEV, "SND_MESSAGE") > 0);
}

#[test]
fn names_of_the_dictionary_lead_to_their_uses() {
    let mut stage = spytui([captured(KEV)]).start();
    stage.shows("981 rec");
    for name in ["MSG_SENDV", "slogger channel 1", "devb-eide:2"] {
        stage.types("2");
        stage.shows("Dictionary");
        stage.types(&format!("/{name}\r"));
        stage.until("the uses are counted", |stage| uses(&stage.screen(), name).is_some_and(|uses| uses > 0));
        let uses = uses(&stage.screen(), name).unwrap();
        stage.types("\r");
        stage.shows("filter obj:");
        stage.command("filter why");
        stage.shows(&format!("passes {uses},"));
        stage.command("filter");
    }
    stage.types("2");
    stage.types("/RING0\r");
    stage.shows(" decoder ");
}

/// The uses in the line of a name in the dictionary.
fn uses(screen: &str, name: &str) -> Option<u64> {
    let line = screen.lines().find(|line| line.contains(&format!(" {name} ")))?;
    line.split_whitespace().rfind(|word| !word.starts_with('#'))?.parse().ok()
}

#[test]
fn kinds_of_classic_logs_have_their_codes() {
    let mut stage = spytui([captured(QNX4)]).start();
    stage.shows("220 rec");
    stage.types("2");
    stage.shows("0 names, ");
    stage.shows("rec   0x00001:0x003");
    stage.shows("no name");
    stage.types("\r");
    stage.shows("filter kind:0x00001:0x003");
    stage.command("filter why");
    stage.shows(&format!("passes {},", passes(QNX4, "kind:0x00001:0x003")));
    stage.command("filter kind:4099");
    stage.command("filter why");
    stage.shows(&format!("passes {},", passes(QNX4, "kind:0x00001:0x003")));
}

#[test]
fn losses_that_classic_logs_do_not_report_are_no_zeros() {
    for name in [QNX4, NTO1] {
        let mut stage = spytui([captured(name)]).start();
        stage.shows("gaps n/a  bad n/a  skipped 0 B");
        stage.types("5");
        stage.shows("buffers lost n/a");
        stage.shows("bad frames n/a");
        stage.shows("skipped 0 B");
    }
    let mut stage = spytui([captured(KEV)]).start();
    stage.shows("981 rec");
    stage.until("figures", |stage| !stage.screen().contains("n/a  bad"));
    stage.types("5");
    stage.shows("buffers lost 0");
}

#[test]
fn all_rows_are_those_that_are_masked_too() {
    let mask = "kprof=0040000000000800000000000000000000000100000000000000000000000000";
    let file = captured(NTO1).display().to_string();
    let mut stage = spytui(["--proto", "qnx", "-o", mask, &file]).start();
    stage.shows("43 masked records hidden");
    stage.types("a");
    stage.shows("every row is shown, also 43 masked records");
    stage.shows_not("43 masked records hidden");
    stage.types("a");
    stage.shows("43 masked records hidden");
    stage.command("filter level<=2");
    stage.shows("hides ");
    stage.types("a");
    stage.shows_not("hides ");
    stage.types("a");
    stage.shows("filter level<=2");
}

#[test]
fn details_say_who_called_and_where() {
    let mut stage = spytui([captured(KEV)]).start();
    stage.shows("981 rec");
    stage.command("filter kind:MSG_SENDV");
    stage.types("gg");
    stage.shows("owner pid");
    stage.shows("owner tid");
    stage.types("\r");
    stage.shows("core ");
    stage.command("filter group:USER");
    stage.types("gg");
    stage.shows("─ USER ");
}

#[test]
fn the_cursor_of_ascii_leaves_the_sign_of_an_error() {
    let mut stage = spytui([OsString::from("--ascii"), captured(NTO1).into()]).start();
    stage.shows("rec");
    stage.command("filter sev:error");
    stage.types("gg");
    stage.shows(">!0.011");
}
