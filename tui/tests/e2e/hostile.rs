//! Control sequences in names of files, arguments, scripts and configurations are shown, not obeyed.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::lines::command;
use crate::rig::{bytes_of, folder};

/// A title, a colour, a bell, a C1 control, a direction mark and a delete.
const EVIL: &str = "\x1b]0;x\x07\x1b[31m\r\u{9b}2J\u{202e}\x7f\x01";
/// Its beginning as shown: as target text, or quoted.
const SHOWN: [&str; 3] = ["\\x1b]0;x", "\\u{1b}]0;x", "\\u001b]0;x"];

/// An output stream of a program that contains nothing for a terminal to obey.
fn tame(stream: &[u8], args: &[String]) -> String {
    let text = String::from_utf8(stream.to_vec()).unwrap();
    let obeyed = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || c == '\u{202e}';
    assert!(!text.contains(obeyed), "{args:?}: {text:?}");
    text
}

/// A run in its own folder with files of such names.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let scene = Scene { folder: folder() };
        let write = |name: &str, bytes: &[u8]| fs::write(scene.path().join(name), bytes).unwrap();
        write(&format!("{EVIL}.bin"), &bytes_of("oven-734.bin"));
        write(&format!("{EVIL}.fmt"), format!("{EVIL}\nqs record {EVIL}\n").as_bytes());
        write(&format!("{EVIL}.txt"), format!("target\t{EVIL}\n").as_bytes());
        write(&format!("{EVIL}.so"), b"no library");
        write("trazer.cfg", format!("{EVIL}=1\n").as_bytes());
        write("value.cfg", format!("TRAZER_SIZEOF_SIG={EVIL}\n").as_bytes());
        scene
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, args: &[String]) -> Command {
        let mut command = command(args);
        command.current_dir(self.path());
        command
    }

    /// Both output streams of a run, in which `E` stands for the control sequences: all of them are shown.
    fn shows(&self, args: &[&str]) {
        let args: Vec<String> = args.iter().map(|arg| arg.replace('E', EVIL)).collect();
        let Output { stdout, stderr, .. } = self.command(&args).output().unwrap();
        let text = tame(&stdout, &args) + &tame(&stderr, &args);
        assert!(SHOWN.iter().any(|shown| text.contains(shown)), "{args:?}: {text}");
    }
}

#[test]
fn what_is_wrong_with_arguments_is_shown_and_not_obeyed() {
    let scene = Scene::new();
    for args in [
        &["--E"][..],
        &["--format", "E", "x"],
        &["--baud", "E", "--port", "x"],
        &["decode", "--E", "x"],
        &["stats", "--input", "E"],
        &["completions", "E"],
        &["export", "E"],
        &["export", "perfetto", "--input", "E", "x"],
        &["formats", "E"],
        &["plugins", "E"],
        &["@E"],
        &["E"],
        &["--demo", "E"],
        &["--demo", "qs", "--faults", "E"],
        &["--proto", "E", "E.bin"],
        &["--proto", "qs", "-o", "E=1", "E.bin"],
        &["--proto", "qs", "-o", "version=E", "E.bin"],
        &["--proto", "qs", "--filter", "@E", "E.bin"],
        &["--once", "--tcp", "E"],
        &["--listen", "E"],
        &["--udp", "E"],
        &["--fmt", "E", "E.bin"],
        &["--plugin", "E.so", "E.bin"],
        &["--exec", "E", "E.bin"],
    ] {
        scene.shows(args);
    }
}

#[test]
fn names_of_files_are_shown_by_every_command_and_not_obeyed() {
    let scene = Scene::new();
    fs::create_dir(scene.path().join(EVIL)).unwrap();
    for args in [
        &["decode", "E.bim"][..],
        &["decode", "E"],
        &["decode", "--proto", "E", "E.bin"],
        &["decode", "--proto", "qs", "--filter", "@E", "E.bin"],
        &["decode", "--proto", "qs", "--fmt", "E.fmt", "E.bin"],
        &["decode", "--proto", "qs", "--stats", "E.bin", "E.bin"],
        &["decode", "--proto", "rkh", "-o", "cfg=trazer.cfg", "E.bin"],
        &["decode", "--proto", "rkh", "-o", "cfg=value.cfg", "E.bin"],
        &["decode", "--proto", "rkh", "-o", "cfg=E", "E.bin"],
        &["--proto", "qs", "--record", "E.bin", "E.bin"],
        &["record", "E.bim"],
        &["record", "--proto", "E", "E.bin"],
        &["record", "E.bin", "-O", "E.bin"],
        &["record", "E.bin", "-O", "E.new"],
        &["record", "E.bin", "-O", "E-/x"],
        &["stats", "E.bim"],
        &["stats", "--proto", "E", "E.bin"],
        &["stats", "--proto", "qs", "E.bin@0", "E.bin@1"],
        &["export", "perfetto", "E.bim", "-O", "x"],
        &["export", "perfetto", "E.bin", "-O", "E.bin"],
        &["export", "perfetto", "E.bin", "-O", "E.pftrace"],
        &["export", "perfetto", "E.bin", "-o", "E.a", "-o", "E.b"],
        &["formats", "--fmt", "E.fmt"],
        &["formats", "--fmt", "E.none"],
        &["formats", "check", "E.fmt"],
        &["plugins", "--plugin", "E.so"],
    ] {
        scene.shows(args);
    }
    for format in ["native", "jsonl", "csv"] {
        let args = ["--proto", "qs", "--format", format, "E.bin", "E.bin"].map(|arg| arg.replace('E', EVIL));
        let output = scene.command(&args).output().unwrap();
        tame(&output.stdout, &args);
        tame(&output.stderr, &args);
    }
}

#[test]
fn configurations_are_shown_and_not_obeyed() {
    let scene = Scene::new();
    let config = scene.path().join("config/spytui");
    fs::create_dir_all(&config).unwrap();
    let quoted = EVIL.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect::<String>();
    let shown = |text: &str| SHOWN.iter().any(|shown| text.to_lowercase().contains(shown));
    let print = |text: String| {
        fs::write(config.join("spytui.toml"), text).unwrap();
        let args = ["--print-config".to_owned()];
        let mut command = scene.command(&args);
        let output = command.env("XDG_CONFIG_HOME", scene.path().join("config")).output().unwrap();
        tame(&output.stdout, &args) + &tame(&output.stderr, &args)
    };
    for text in [format!("\"{quoted}\" = 1\n"), format!("[filters]\n\"{quoted}\" = \"{quoted}\"\n")] {
        let printed = print(text.clone());
        assert!(shown(&printed), "{text}: {printed}");
    }
}

#[cfg(feature = "demo-target")]
#[test]
fn lines_of_scripts_are_shown_and_not_obeyed() {
    if !spytui_demo_target::AVAILABLE {
        return;
    }
    let scene = Scene::new();
    scene.shows(&["--demo", "qs", "--exec", "E.txt"]);
    scene.shows(&["--demo", "qs", "--target-filter", "E"]);
    // The error is marked below the line as shown.
    let args = ["--demo", "qs", "--exec", "run.txt"].map(str::to_owned);
    fs::write(scene.path().join("run.txt"), "expect obj:\x1b[31m溫\u{202e} )\n").unwrap();
    let said = tame(&scene.command(&args).output().unwrap().stderr, &args);
    let (line, mark) = ("  expect obj:\\x1b[31m溫\\u{202e} )\n", "                                ^\n");
    assert!(said.contains(&format!("{line}{mark}")), "{said}");
}
