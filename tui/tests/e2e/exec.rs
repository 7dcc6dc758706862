//! Command lines without a screen: `--exec` and `--target-filter` with the target inside the program.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::lines::{command, run};
use crate::rig::{bytes_of, folder, spytui};

/// A script in its own folder.
struct Script {
    _folder: TempDir,
    path: PathBuf,
}

impl Script {
    fn of(text: &str) -> Script {
        let folder = folder();
        let path = folder.path().join("run.txt");
        std::fs::write(&path, text).unwrap();
        Script { _folder: folder, path }
    }

    fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// Standard error without the folder.
    fn said(&self, output: &Output) -> String {
        let folder = format!("{}/", self.path.parent().unwrap().display());
        String::from_utf8_lossy(&output.stderr).replace(&folder, "")
    }
}

/// If the target could not be built, there is nothing to test.
fn is_there() -> bool {
    spytui_demo_target::AVAILABLE
}

/// Exit code, stdout and stderr of a script with the demo.
fn demo(text: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let script = Script::of(text);
    let output = run(["--demo", "qs", "--exec", script.path()].iter().chain(more));
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), script.said(&output))
}

#[test]
fn a_script_filters_expects_and_resets() {
    if !is_there() {
        return;
    }
    let text = "\
        # stops the state machines, then starts the target again\n\
        :filter kind:command,result\n\
        \n\
        target local -obj:burner\n\
        target f -SM\n\
        expect kind:result text:\"#2 filter acknowledged\" within 2s\n\
        wait 20ms\n\
        target reset!\n\
        expect kind:Init obj:door\n\
        q\n\
        target nothing\n";
    let (code, rows, said) = demo(text, &[]);
    assert_eq!((code, said.as_str()), (Some(0), ""), "{rows}");
    let commands: Vec<&str> = rows.lines().filter(|line| line.starts_with("══ #")).collect();
    let begins = [
        "══ #1 target local -obj:burner · script · ",
        "══ #1 local acknowledged after ",
        "══ #2 target filter -SM · script · ",
        "══ #2 filter acknowledged after ",
        "══ #3 target reset! · script · ",
        "══ #3 reset done, the target was reset after ",
    ];
    assert_eq!(commands.len(), begins.len(), "{rows}");
    assert!(commands.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{rows}");
    // The filter changes what is printed, not what is expected.
    let behind = rows.split_once("══ #2 target").unwrap().1;
    assert!(!behind.contains("Init"), "{rows}");
}

#[test]
fn a_filter_of_the_script_knows_names_that_came_before() {
    if !is_there() {
        return;
    }
    let text = "expect obj:supervisor\nfilter obj:burner\nexpect kind:Tran obj:burner\nfilter -\nwait 600ms\n";
    let (code, rows, said) = demo(text, &["--filter", "kind:Usr-Dict", "--format", "csv"]);
    assert_eq!((code, said.as_str()), (Some(0), ""), "{rows}");
    let of = |text: &str| rows.lines().filter(|line| line.contains(text)).count();
    assert!(of("QS_USR_DICT") > 0 && of("QS_QEP_TRAN,") > 0 && of(",pump") == 0, "{rows}");
}

/// The reader of the rows, such as a pager, may be slower than the target.
#[cfg(target_os = "linux")]
#[test]
fn rows_that_wait_to_be_written_have_the_filter_they_were_received_under() {
    if !is_there() {
        return;
    }
    let lines = "wait 500ms\nfilter obj:burner\nexpect kind:Tran obj:burner\nfilter obj:nobody\nfindings\n";
    let script = Script::of(lines);
    let mut command = command(["--demo", "qs", "--format", "jsonl", "--exec", script.path()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut rows = child.stdout.take().unwrap();
    rustix::pipe::fcntl_setpipe_size(&rows, 4096).unwrap();
    // Its last line is run before anything is read.
    let (mut said, mut text) = (BufReader::new(child.stderr.take().unwrap()), String::new());
    said.read_line(&mut text).unwrap();
    assert!(!text.is_empty(), "no findings");
    rows.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(text.lines().any(|row| row.contains("burner") && row.contains("QS_QEP_TRAN")), "{text}");
}

#[test]
fn the_first_line_that_fails_ends_the_run_with_its_place() {
    if !is_there() {
        return;
    }
    for (line, says) in [
        (
            "target filter -U0 -SN",
            "run.txt:2:19: no \"SN\" in the global filter: SM AO EQ MP QF TE SC SEM MTX U0 U1 U2 U3 U4 UA ALL N N..N; \
             nearest: SM\n  target filter -U0 -SN\n                    ^\n",
        ),
        ("  target tick 7 7", "run.txt:2:17: too many arguments\n"),
        (
            "target reset",
            "run.txt:2:8: reset is sent only after a second Enter: in a script write reset!\n  target reset\n         ^\n",
        ),
        ("target test setup", "run.txt:2: target test setup: refused by the target: "),
        ("expect obj:nobody within 200ms", "run.txt:2: expect obj:nobody within 200ms: 0 of "),
    ] {
        let (code, rows, said) = demo(&format!("wait 20ms\n{line}\nq\n"), &[]);
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(said.starts_with(&format!("spytui: {says}")), "{line}: {said}");
        assert!(!rows.is_empty(), "{line}");
    }
}

#[test]
fn what_can_be_known_is_refused_before_anything_is_sent() {
    let words = "target, wait, expect, findings, statistics, filter and q";
    for (line, says) in [
        ("goto first", format!("run.txt:2:1: goto needs the screen; without one there are {words}\n")),
        (":filter why", format!("run.txt:2:2: filter why needs the screen; without one there are {words}\n")),
        ("trget info", "run.txt:2:1: unknown command \"trget\"; did you mean \"target\"?\n".to_owned()),
        ("expect knd:Tran", "run.txt:2:8: unknown field \"knd\"".to_owned()),
        ("wait a while", "run.txt:2:6: not a time: a while; use 2s or 500ms\n".to_owned()),
    ] {
        let (code, rows, said) = demo(&format!("target info\n{line}\n"), &[]);
        assert_eq!((code, rows.as_str()), (Some(1), ""), "{line}: {said}");
        assert!(said.starts_with(&format!("spytui: {says}")), "{line}: {said}");
    }
}

#[test]
fn statistics_are_those_of_the_command() {
    let script = Script::of("statistics latency,step by object sort count\nq\n");
    let output = run(["--proto", "qs", "oven-734.bin", "--exec", script.path()]);
    let said = script.said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let args = ["stats", "--proto", "qs", "--measure", "latency,step", "--by", "object", "--sort", "count"];
    let printed = run([&args[..], &["oven-734.bin"]].concat());
    assert_eq!(said, String::from_utf8_lossy(&printed.stdout));
    assert!(said.contains("AO(l_motor)"), "{said}");
    for (line, says) in [
        ("statistics latncy", "run.txt:1:12: unknown measure `latncy`; did you mean `latency`?"),
        ("statistics step by objct", "run.txt:1:20: unknown column `objct`"),
        ("statistics sort", "run.txt:1:16: `sort` needs a value"),
    ] {
        let script = Script::of(&format!("{line}\n"));
        let said = script.said(&run(["--proto", "qs", "oven-734.bin", "--exec", script.path()]));
        assert!(said.starts_with(&format!("spytui: {says}")), "{said}");
    }
}

#[test]
fn a_link_that_only_reads_says_so_at_once() {
    let script = Script::of("expect kind:Tran\n\ntarget info\n");
    let output = run(["--proto", "qs", "oven-734.bin", "--exec", script.path()]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = script.said(&output);
    assert_eq!(said, "spytui: run.txt:3: target info: this link only reads: there is no target to send to\n");
    let output = run(["--proto", "qs", "oven-734.bin", "--target-filter=-SM"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "spytui: --target-filter: this link only reads: there is no target to send to\n"
    );
}

#[test]
fn findings_are_those_of_the_statistics() {
    let script = Script::of("findings\n");
    let output = run(["--proto", "qs", "oven-734.bin", "--exec", script.path()]);
    let stats = run(["stats", "--findings", "--proto", "qs", "oven-734.bin"]);
    assert_eq!((output.status.code(), stats.status.code()), (Some(0), Some(0)));
    let (said, printed) = (script.said(&output), String::from_utf8_lossy(&stats.stdout).into_owned());
    assert!(printed.contains("event ignored in every state"), "{printed}");
    assert_eq!(said, printed);
}

#[test]
fn rows_of_a_file_can_be_expected() {
    // Also once everything is decoded.
    let script = Script::of("wait 300ms\nwait 1ms\nexpect kind:Tran to:motor\nexpect kind:ASSERT within 20s\n");
    let output = run(["--proto", "qs", "oven-734.bin", "--exec", script.path()]);
    assert_eq!(output.status.code(), Some(1));
    let all = run(["--proto", "qs", "oven-734.bin"]);
    assert!(output.stdout == all.stdout);
    let said = script.said(&output);
    assert!(said.starts_with("spytui: run.txt:4: expect kind:ASSERT within 20s: 0 of 2 360 rows, and"), "{said}");
    assert!(said.contains("no more will arrive"), "{said}");
}

#[test]
fn lines_of_stdin_are_run_as_they_come() {
    if !is_there() {
        return;
    }
    let mut child = command(["--demo", "qs", "--filter", "kind:result", "--exec", "-"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut script = child.stdin.take().unwrap();
    for number in 1..3 {
        writeln!(script, "target info").unwrap();
        let line = lines.find(|line| line.starts_with("══ #")).unwrap();
        assert!(line.starts_with(&format!("══ #{number} info acknowledged after ")), "{line}");
    }
    writeln!(script, "target nothing").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("spytui: stdin:3:8: the target has no command \"nothing\""), "{said}");
}

#[test]
fn arguments_that_cannot_be_obeyed_are_usage() {
    for (args, says) in [
        (&["--demo", "qs", "--exec", "none.txt"][..], "spytui: --exec none.txt: no such file"),
        (&["--proto", "qs", "-", "--exec", "-"], "spytui: --exec -: stdin can't be both the trace and the script\n"),
        (
            &["--proto", "qs", "a", "b", "--target-filter=-SM"],
            "spytui: --target-filter is for one target: with several links ",
        ),
        (&["--demo", "qs", "--target-filter=@x"], "spytui: --target-filter: @x: no such filter; [target-filters] in "),
    ] {
        let output = run(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.starts_with(says), "{said}");
    }
}

#[test]
fn a_link_that_fails_for_good_is_an_input_error() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let script = Script::of("target info\n");
    let output = run(["--proto", "qs", "--once", "--tcp", &address, "--exec", script.path()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(script.said(&output).contains("connection refused"), "{}", script.said(&output));
}

#[test]
fn a_target_that_does_not_answer_and_one_that_goes_away_are_reported() {
    for (goes_away, says) in [
        (false, "run.txt:2: target filter -SM: sent, no answer for 1 s. No receive part in this target? "),
        (true, "run.txt:2: target filter -SM: sent, but the link went down before an answer came\n"),
    ] {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap().to_string();
        let script = Script::of("expect kind:Tran\ntarget filter -SM\ntarget info\n");
        let mut child = command(["--proto", "qs", "--tcp", &address, "--exec", script.path()]);
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (mut target, _) = server.accept().unwrap();
        target.write_all(&bytes_of("oven-734.bin")[..0x2600]).unwrap();
        let mut sent = [0; 21];
        target.read_exact(&mut sent).unwrap();
        assert_eq!(sent[..2], [1, 10], "number of the frame, id of the global filter: {sent:?}");
        let target = Some(target).filter(|_| !goes_away);
        let output = child.wait_with_output().unwrap();
        drop(target);
        assert_eq!(output.status.code(), Some(1));
        let said = script.said(&output);
        assert!(said.contains(&format!("spytui: {says}")), "{said}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("══ #1 filter sent, "), "{said}");
    }
}

#[test]
fn a_number_names_the_link_that_a_line_is_for() {
    let servers = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    let [first, second] = servers.each_ref().map(|server| server.local_addr().unwrap().to_string());
    let script = Script::of("expect #2 kind:Tran\ntarget #2 filter -SM\n");
    let mut child = command(["--proto", "qs", "--tcp", &first, "--tcp", &second, "--exec", script.path()]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let [(mut one, _), (mut other, _)] = servers.each_ref().map(|server| server.accept().unwrap());
    one.write_all(&bytes_of("oven-734.bin")[..0x200]).unwrap();
    other.write_all(&bytes_of("oven-734.bin")[..0x2600]).unwrap();
    let mut sent = [0; 21];
    other.read_exact(&mut sent).unwrap();
    assert_eq!(sent[..2], [1, 10], "number of the frame, id of the global filter: {sent:?}");
    drop(other);
    let output = child.wait_with_output().unwrap();
    assert!(script.said(&output).contains("run.txt:2: target #2 filter -SM: sent, but the link went down"));
    one.set_nonblocking(true).unwrap();
    assert!(!matches!(one.read(&mut sent), Ok(1..)), "{sent:?}");
}

#[test]
fn a_script_is_advised_and_gets_the_names_by_a_reset() {
    if !is_there() {
        return;
    }
    let (code, rows, said) = demo("target advise! 150\ntarget filter -obj:burner\nwait 1s\ntarget dict!\n", &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("spytui: target filter -") && said.contains(" of the line"), "{said}");
    for row in
        ["══ #1 filter acknowledged", "-obj:burner · script · 9 B · sent as target local", "══ #2 local acknowledged"]
    {
        assert!(rows.contains(row), "{row}: {rows}");
    }
    let (code, _, said) = demo("wait 1s\ntarget dict\n", &[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("also for target info: in a script write dict!"), "{said}");
}

#[test]
fn a_signal_ends_the_wait_for_the_link() {
    let script = Script::of("target info\n");
    let mut child = command(["--proto", "qs", "--listen", "0", "--exec", script.path()]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{line}");
}

#[test]
fn the_target_filter_of_the_start_goes_before_the_script() {
    if !is_there() {
        return;
    }
    let (code, rows, said) = demo("target info\n", &["--target-filter", "-SM", "--filter", "kind:command,result"]);
    assert_eq!((code, said.as_str()), (Some(0), ""), "{rows}");
    let lines: Vec<&str> = rows.lines().collect();
    assert!(lines[0].starts_with("══ #1 target filter -SM · start · "), "{rows}");
    assert!(lines[1].starts_with("══ #1 filter acknowledged") && lines[2].contains("target info · script"), "{rows}");
    let (code, _, said) = demo("q\n", &["--target-filter=-SN"]);
    assert_eq!(code, Some(1));
    assert!(said.starts_with("spytui: --target-filter: no \"SN\" in the global filter: "), "{said}");
}

#[test]
fn the_screen_sends_the_target_filter_of_the_start() {
    if !is_there() {
        return;
    }
    let stage = spytui(["--demo", "qs", "--target-filter=-SM", "--filter", "kind:command,result"]).start();
    stage.shows("target filter -SM · start");
    stage.shows("filter acknowledged after");
}

/// A script that could not be read is never reported as done.
#[test]
fn a_script_that_can_not_be_read_fails_at_its_line() {
    if !is_there() {
        return;
    }
    let longest = [vec![b'x'; 70_000], b"\n".to_vec()].concat();
    for (bytes, says) in [
        (&b"\xEF\xBB\xBFwait 10ms\ntarget \xFF\n"[..], "spytui: stdin:2: byte 8 is not UTF-8\n"),
        (&longest[..], "spytui: stdin:1: the line is longer than 64 kB\n"),
    ] {
        let mut child = command(["--demo", "qs", "--filter", "kind:result", "--exec", "-"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        // It may end before everything is written.
        let _ = child.stdin.take().unwrap().write_all(bytes);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), says));
    }
}

#[test]
fn a_script_does_not_wait_for_ever_for_its_link_if_it_is_not_to() {
    let script = Script::of("target info\n");
    let folder = script.path.parent().unwrap();
    std::fs::write(folder.join(".spytui.toml"), "[link]\nwait = 1\n").unwrap();
    // Nobody listens: the listener is gone.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let link = format!("127.0.0.1:{port}");
    // With a named decoder, and with one detected from the bytes.
    for proto in ["qs", "auto"] {
        let mut child = command(["--proto", proto, "--tcp", &link, "--exec", script.path()]);
        let output = child.current_dir(folder).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{proto}");
        assert!(script.said(&output).contains("no link for 1 s; link.wait sets"), "{}", script.said(&output));
    }
}
