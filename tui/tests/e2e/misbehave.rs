//! Misbehaving plugins: each is named with entry point and position, received bytes are kept, and the exit code is 4.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::lines::command;
use crate::rig::{Stage, capture, folder, set_environment, spytui, together};

/// Names what the library does, and where.
const WHAT: &str = "MISBEHAVE";
/// The first `!` is at 3.
const BYTES: &[u8] = b"mis!behaves!";

fn library() -> PathBuf {
    let path = std::env::current_exe().unwrap().parent().unwrap().join("libspytui_testing_misbehaves.so");
    assert!(path.exists(), "{} was not built", path.display());
    path
}

/// A folder with a file for the decoder.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let folder = folder();
        fs::write(folder.path().join("in.bin"), BYTES).unwrap();
        Scene { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program with the plugin, which does `what`.
    fn run(&self, what: &str, args: &[&str]) -> Said {
        let library = library().display().to_string();
        let mut args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        args.extend(["--plugin".to_owned(), library]);
        let mut command = command(&args);
        command.env(WHAT, what).current_dir(self.folder.path());
        Said::of(&command.output().unwrap())
    }

    /// Decodes a file with the library's decoder.
    fn decode(&self, what: &str) -> Said {
        self.run(what, &["decode", "--proto", "misbehaves", "in.bin"])
    }
}

/// The screen with the plugin, which does `what`, while recording.
fn screen(what: &str, args: &[&str]) -> Stage {
    let scene = Scene::new();
    let (library, input) = (library().display().to_string(), scene.path("in.bin"));
    let args = args.iter().copied().chain(["--plugin", &library, "--record", "kept", input.to_str().unwrap()]);
    let stage = spytui(args).env(WHAT, what).start();
    // It may be opened a moment later.
    std::mem::forget(scene.folder);
    stage
}

/// It ended because of the plugin: the terminal is restored, then one line reports it; the recording is complete.
fn ended(mut stage: Stage, parts: &[&str]) {
    assert_eq!(stage.code(), 4, "{}", stage.screen());
    stage.is_given_back();
    stage.until("the line", |stage| {
        let joined: String = stage.screen().lines().collect();
        parts.iter().all(|part| joined.contains(part))
    });
    is_recorded(&stage);
}

fn is_recorded(stage: &Stage) {
    assert_eq!(fs::read(stage.home.path().join("kept.bin")).unwrap(), BYTES);
    let meta = fs::read_to_string(stage.home.path().join("kept.meta")).unwrap();
    assert!(meta.ends_with("}\n"), "{meta}");
}

/// Output of a run.
#[derive(Debug)]
struct Said {
    out: String,
    err: String,
    code: Option<i32>,
}

impl Said {
    fn of(output: &Output) -> Said {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Said { out: text(&output.stdout), err: text(&output.stderr), code: output.status.code() }
    }

    /// It failed because of the plugin, as one line reports with all of these.
    fn names(&self, parts: &[&str]) {
        assert_eq!(self.code, Some(4), "{self:?}");
        let lines: Vec<&str> = self.err.lines().filter(|line| line.starts_with("spytui: ")).collect();
        let is_it = |line: &&&str| parts.iter().all(|part| line.contains(part));
        assert_eq!(lines.iter().filter(is_it).count(), 1, "{parts:?}: {self:?}");
        assert!(!self.err.contains(|c: char| c.is_control() && c != '\n'), "{self:?}");
    }
}

/// A busy machine may not give a call the time that it has.
fn in_time(run: impl Fn() -> Said) -> Said {
    std::iter::repeat_with(run).take(5).find(|said| !said.err.contains("has not returned")).unwrap()
}

fn name(library: &Path) -> String {
    format!("misbehaves ({})", library.display())
}

#[test]
fn a_panic_in_rendering_marks_its_rows_and_is_said_at_the_end() {
    let scene = Scene::new();
    let plugin = name(&library());
    let said = scene.decode("panic@render");
    assert_eq!(said.out.lines().count(), BYTES.len(), "{said:?}");
    assert_eq!(said.out.matches("[not rendered: ").count(), 2, "{said:?}");
    said.names(&[&plugin, "failed in render at @0x3: ", "asked to panic in render", "2 times"]);
    let said = scene.decode("panic@format");
    assert_eq!(said.out.matches(" [formatter words failed]").count(), 2, "{said:?}");
    said.names(&["formatter words (", "failed at @0x3; 2 times"]);
    said.names(&["formatter words: ", "asked to panic in format"]);
    let args = ["export", "perfetto", "--proto", "misbehaves", "in.bin", "-o", "out.pftrace"];
    let said = scene.run("panic@render", &args);
    said.names(&[&plugin, "failed in render at @0x3: "]);
    assert!(scene.path("out.pftrace").exists());
    let good = scene.decode("nothing@render");
    assert_eq!((good.code, good.err.as_str()), (Some(0), ""), "{good:?}");
}

#[test]
fn what_a_terminal_would_obey_is_shown() {
    let scene = Scene::new();
    let said = scene.run("control@info", &["plugins"]);
    assert!(said.out.contains("Mis\\x1b[31mbehaves\\x07"), "{said:?}");
    let said = scene.decode("control@open");
    assert!(said.err.contains("it said \\x1b[31mno\\x07\\nand more\n"), "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
}

const CRASHES: [(&str, &str); 4] =
    [("exit", "it called exit"), ("abort", "SIGABRT"), ("overflow", "SIGSEGV"), ("segv", "SIGSEGV")];

#[test]
fn what_ends_the_program_is_put_down_to_the_entry() {
    let scene = Scene::new();
    let library = library().display().to_string();
    let plugin = format!("misbehaves ({library})");
    for (what, how) in CRASHES {
        for (entry, who) in [
            ("load", format!("{library} in its start")),
            ("info", format!("a decoder ({library}) in info")),
            ("open", format!("{plugin} in open")),
            ("bytes", format!("{plugin} in feed of bytes from @0x0")),
            ("render", format!("{plugin} in render of rows from @0x0")),
            ("format", format!("formatter words ({library}) in format of a row from @0x3")),
            ("open-format", format!("formatter words ({library}) in open")),
            ("drop", format!("{plugin} in drop")),
        ] {
            let said = scene.decode(&format!("{what}@{entry}"));
            said.names(&[&format!("spytui: {who} ended the program: "), how]);
        }
        let said = scene.run(&format!("{what}@probe"), &["decode", "in.bin"]);
        said.names(&[&format!("spytui: {plugin} in probe ended the program: "), how]);
    }
}

#[test]
fn rows_before_a_crash_are_written() {
    let scene = Scene::new();
    // More than the sample examined before.
    let mut bytes = b"mis".repeat(400_000);
    bytes.extend_from_slice(b"!");
    fs::write(scene.path("in.bin"), &bytes).unwrap();
    let said = scene.decode("abort@bytes");
    said.names(&["ended the program"]);
    assert!(said.out.lines().count() > 1_000_000, "{} lines", said.out.lines().count());
    assert!(said.out.ends_with('\n'));
}

#[test]
fn a_crash_on_the_screen_gives_the_terminal_back_and_leaves_the_recording_whole() {
    for (what, how) in CRASHES {
        for (entry, from) in
            [("bytes", "feed of bytes from @0x0"), ("clone", "clone"), ("render", "render of rows from @0x")]
        {
            let stage = screen(&format!("{what}@{entry}"), &["--proto", "misbehaves"]);
            ended(stage, &["spytui: misbehaves (", &format!("in {from}"), "ended the program: ", how]);
        }
    }
}

/// A library that ends the program when loaded does so only once.
#[test]
fn a_library_that_ends_the_program_is_left_out_at_the_next_start() {
    let scene = Scene::new();
    let plugins = scene.path("plugins");
    fs::create_dir(&plugins).unwrap();
    let bad = plugins.join("libbad.so");
    fs::copy(library(), &bad).unwrap();
    let home = folder();
    let run = |what: &str, args: &[&str]| {
        let mut command = command(args);
        let set = |name: &str, value| {
            command.env(name, value);
        };
        set_environment(set, home.path());
        Said::of(&command.env(WHAT, what).env("SPYTUI_PLUGIN_PATH", &plugins).output().unwrap())
    };
    let oven = capture("oven-734.bin").display().to_string();
    let left_out = format!("{}: not loaded: a program ended while loading it; --plugin ", bad.display());
    for entry in ["load", "info"] {
        let what = format!("abort@{entry}");
        run(&what, &["decode", &oven]).names(&[&bad.display().to_string(), "ended the program: it aborted"]);
        for _ in 0..2 {
            let said = run(&what, &["decode", &oven]);
            assert_eq!((said.code, said.out.lines().count() > 2_000), (Some(0), true), "{said:?}");
            assert!(said.err.starts_with(&format!("spytui: {left_out}")), "{said:?}");
        }
        let said = run(&what, &["plugins"]);
        assert!(said.out.contains(&format!("note: {left_out}")) && !said.out.contains("misbehaves "), "{said:?}");
        // Naming it explicitly tries it again.
        run(&what, &["plugins", "--plugin", bad.to_str().unwrap()]).names(&["ended the program: it aborted"]);
        let said = run("nothing@load", &["plugins", "--plugin", bad.to_str().unwrap()]);
        assert!(said.code == Some(0) && said.out.contains("misbehaves "), "{said:?}");
        let said = run("nothing@load", &["plugins"]);
        assert!(said.err.is_empty() && said.out.contains("misbehaves "), "{said:?}");
    }
    run("abort@load", &["plugins"]).names(&["ended the program"]);
    let mut stage = spytui(["--proto", "qs", &oven]).home(home).env("SPYTUI_PLUGIN_PATH", &plugins).start();
    stage.shows("2 360 rec");
    stage.command("plugin list");
    stage.shows("libbad.so: not loaded: a");
    stage.command(&format!("plugin load {}", bad.display()));
    stage.shows("loaded");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn an_entry_that_does_not_return_is_named_after_a_while() {
    let scene = Scene::new();
    let library = library().display().to_string();
    let plugin = format!("misbehaves ({library})");
    let late = |who: &str| format!("spytui: {who} has not returned for 2 s");
    let cases = [
        ("loop@load", format!("{library}: its start")),
        ("loop@info", format!("{library} in info")),
        ("sleep@open", format!("{plugin} in open")),
        ("loop@bytes", format!("{plugin} in feed of bytes from @0x0")),
        ("sleep@render", format!("{plugin} in render of rows from @0x0")),
        ("loop@format", format!("formatter words ({library}) in format of a row from @0x3")),
        ("loop@open-format", format!("formatter words ({library}) in open")),
        ("loop@drop", format!("{plugin} in drop")),
    ];
    together(&cases, |(what, who)| scene.decode(what).names(&[&late(who)]));
    let oven = capture("oven-734.bin").display().to_string();
    let said = scene.run("loop@probe", &["decode", &oven]);
    said.names(&[&late(&format!("{plugin} in probe"))]);
    assert!(said.out.lines().count() > 2_000, "the others are asked: {said:?}");
    together(&[&["stats", "in.bin"][..], &["export", "perfetto", "in.bin", "-o", "out.pftrace"]], |args| {
        scene
            .run("loop@bytes", &[*args, &["--proto", "misbehaves"]].concat())
            .names(&[&late(&format!("{plugin} in feed of bytes from @0x0"))]);
    });
}

#[test]
fn the_screen_goes_on_without_a_decoder_that_does_not_return() {
    together(&[("spin@bytes", "feed of bytes from @0x0"), ("sleep@clone", "clone")], |(what, entry)| {
        let mut stage = screen(what, &["--proto", "misbehaves"]);
        stage.until("the line", |stage| {
            let joined = joined(stage);
            joined.contains(&format!("in {entry} has not returned for 2 s. Receiving and recording continue"))
        });
        stage.types("5");
        stage.shows("Counters");
        stage.types("1");
        stage.command("plugin disable misbehaves");
        stage.shows("misbehaves: nothing could take its place");
        stage.types("\x07");
        stage.command("proto qs");
        stage.shows("console: mis!behaves!");
        if what.starts_with("sleep") {
            // It returns at last, and nothing comes of it.
            stage.types("9");
            stage.shows("slept in clone");
            stage.types("1");
            stage.shows("console: mis!behaves!");
        }
        stage.command("q");
        assert_eq!(stage.code(), 0);
        stage.is_given_back();
        is_recorded(&stage);
        let mut stage = screen(what, &["--proto", "misbehaves"]);
        stage.shows("Records");
        stage.command("q");
        assert_eq!(stage.code(), 0);
        stage.is_given_back();
    });
    let mut stage = screen("loop@open", &["--proto", "qs"]);
    stage.shows("console: mis!behaves!");
    stage.command("proto misbehaves");
    stage.until("the line", |stage| {
        let joined = joined(stage);
        joined.contains("in open has not returned for 2 s")
    });
    stage.types("\x07");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    is_recorded(&stage);
}

#[test]
fn the_screen_goes_on_without_a_rendering_that_does_not_return() {
    let mut stage = screen("loop@render", &["--proto", "misbehaves"]);
    stage.shows("6d [not rendered]");
    stage.until("the reason", |stage| {
        joined(stage).contains("misbehaves: render of rows from @0x0 has not returned for 2 s: its rows are raw")
    });
    stage.types("5");
    stage.shows("adds up");
    stage.types("1");
    // Keys are answered, and nothing is waited for again.
    stage.types("/21\r");
    stage.until("the match", |stage| stage.cursor_line().contains("21 [not rendered]"));
    stage.command("plugin reload misbehaves");
    stage.shows("misbehaves reloaded");
    stage.command("proto qs");
    stage.shows("console: mis!behaves!");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    is_recorded(&stage);
    let mut stage = screen("loop@format", &["--proto", "misbehaves"]);
    stage.shows("byte !");
    // Another message may follow at once; the log has all.
    stage.types("9");
    let reason = "words: format of a row from @0x3 has not returned for 2 s";
    stage.until("the reason", |stage| joined(stage).contains(reason));
    stage.types("1");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    is_recorded(&stage);
}

fn joined(stage: &Stage) -> String {
    stage.screen().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_signal_from_outside_is_not_put_down_to_the_plugin() {
    let scene = Scene::new();
    let library = library().display().to_string();
    let mut command = command(["decode", "--proto", "misbehaves", "in.bin", "--plugin", &library]);
    let mut decode = command.env(WHAT, "loop@bytes").current_dir(scene.folder.path()).spawn().unwrap();
    // Long enough to be in the call, which never returns.
    std::thread::sleep(Duration::from_millis(500));
    kill_process(Pid::from_child(&decode), Signal::ABORT).unwrap();
    assert_eq!(decode.wait().unwrap().signal(), Some(Signal::ABORT.as_raw()));
}

#[test]
fn what_a_plugin_prints_is_in_no_output() {
    let scene = Scene::new();
    let quiet = scene.decode("nothing@render");
    for entry in ["load", "info", "open", "bytes", "render", "format", "drop"] {
        let said = scene.decode(&format!("print@{entry}"));
        assert_eq!((said.code, &said.out), (Some(0), &quiet.out), "{said:?}");
        assert!(said.err.contains(&format!("printed in {entry}\n")), "{said:?}");
        assert!(said.err.contains(&format!("complained in {entry}\n")), "{said:?}");
    }
    let said = scene.run("print@probe", &["decode", "in.bin"]);
    assert_eq!((said.code, &said.out), (Some(0), &quiet.out), "{said:?}");
    let said = scene.run("print@bytes", &["stats", "--json", "--proto", "misbehaves", "in.bin"]);
    assert!(serde_json::from_str::<serde_json::Value>(&said.out).is_ok(), "{said:?}");
    let said = scene.run("print@info", &["plugins"]);
    assert!(said.out.starts_with("qs ") && !said.out.contains("printed"), "{said:?}");
    for entry in ["bytes", "render"] {
        let mut stage = screen(&format!("print@{entry}"), &["--proto", "misbehaves"]);
        stage.shows(" 12 rec");
        stage.types("9");
        stage.shows(&format!("printed in {entry}"));
        stage.types("1");
        stage.shows_not("printed in");
        stage.command("q");
        assert_eq!(stage.code(), 0);
        stage.is_given_back();
        // Bytes fed before the screen is up may be printed before it.
        assert!(entry == "bytes" || !stage.screen().contains("printed"), "{}", stage.screen());
    }
}

#[test]
fn a_breach_of_the_contract_is_named_and_ends_the_decoder() {
    let scene = Scene::new();
    let plugin = name(&library());
    for (what, breach) in [
        ("rows@bytes", "it made far more rows than"),
        ("counts@bytes", "it made far more entries than"),
        ("twice@bytes", "it broke the contract: the byte at @0x3 is in two rows"),
        ("none@bytes", "it broke the contract: 2 bytes pending after END, from @0x3 on, are in no row"),
    ] {
        let said = in_time(|| scene.decode(what));
        said.names(&[&format!("{plugin} failed: "), breach]);
        assert!(said.out.contains(breach), "{said:?}");
        in_time(|| scene.run(what, &["stats", "--proto", "misbehaves", "in.bin"])).names(&[&plugin, breach]);
        let mut stage = screen(what, &["--proto", "misbehaves"]);
        stage.shows("misbehaves failed: ");
        stage.command("q");
        assert_eq!(stage.code(), 0);
        stage.is_given_back();
        is_recorded(&stage);
    }
    let said = in_time(|| scene.decode("text@render"));
    said.names(&[&plugin, "failed in render at @0x3: ", "it wrote far more than fits in a row"]);
    assert_eq!(said.out.lines().count(), BYTES.len());
    fs::write(scene.path("in.bin"), [b'!'; 2_000_000]).unwrap();
    let said = in_time(|| scene.decode("none@bytes"));
    said.names(&[&plugin, "1048576"]);
}

/// Names of a capture are decoded on the screen's thread, which draws nothing meanwhile.
#[test]
fn the_screen_is_left_while_its_thread_is_in_a_plugin() {
    let scene = Scene::new();
    let names = format!("dict load {}", scene.path("in.bin").display());
    let started = |what: &str| {
        let mut stage = screen(what, &["--proto", "misbehaves"]);
        stage.until("the reason", |stage| joined(stage).contains("has not returned for 2 s"));
        stage.command(&names);
        stage.shows("so there is no screen now. Receiving and recording continue");
        stage
    };
    let interrupted = || {
        let mut stage = started("loop@bytes");
        stage.is_given_back();
        stage.types("\x03");
        std::thread::sleep(Duration::from_millis(250));
        stage.types("\x03");
        assert_eq!(stage.code(), 130);
        is_recorded(&stage);
    };
    let hung_up = || {
        let mut stage = started("loop@bytes");
        stage.hang_up();
        assert_eq!(stage.code(), 129);
    };
    let waited_for = || {
        let mut stage = started("sleep@bytes");
        stage.shows("no names in");
        // A refused line stays open for correction.
        stage.types("\x1b");
        stage.command("q");
        assert_eq!(stage.code(), 0);
        stage.is_given_back();
    };
    together::<&(dyn Fn() + Sync)>(&[&interrupted, &hung_up, &waited_for], |case| case());
}
