//! Triggers: what is done when a row matches, on the screen and without one.

use std::io::Write;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use crate::lines::{command, refused};
use crate::port::Port;
use crate::rig::{bytes_of, folder, spytui};

#[test]
fn a_program_finds_the_row_in_its_environment() {
    let folder = folder();
    let file = folder.path().join("rows");
    // What is busy is counted, not queued: it sleeps until all rows are read.
    let run =
        format!(r#"echo "$SPYTUI_NUMBER $SPYTUI_KIND $SPYTUI_OBJECT: $SPYTUI_TEXT" >>{}; sleep 0.5"#, file.display());
    let on = format!("kind:Tran obj:motor run {run}");
    let output = command(["--proto", "qs", "--on", &on, "oven-734.bin"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("rows came while it was busy"), "{said}");
    let lines = std::fs::read_to_string(&file).unwrap();
    assert!(lines.lines().count() == 1 && lines.contains(" Tran motor: "), "{lines}");
    let (code, said) = refused(&["--proto", "qs", "--on", "kind:Tran mark", "oven-734.bin"]);
    assert!(code == 2 && said.contains("without a screen there is nothing to mark"), "{said}");
    let (code, said) = refused(&["--proto", "qs", "--on", "(kind:Tran bell", "oven-734.bin"]);
    assert!(code == 2 && said.contains("--on"), "{said}");
    // A program that fails is reported.
    let mut failing = command(["--proto", "qs", "--on", "kind:Tran obj:motor run exit 7", "oven-734.bin"]);
    let said = String::from_utf8(failing.output().unwrap().stderr).unwrap();
    assert!(said.contains("exit 7: exit status: 7"), "{said}");
}

#[test]
fn bytes_from_before_and_after_a_row_are_kept() {
    let folder = folder();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut child = command(["--proto", "qs", "--once", "--on", "kind:Tran record 100ms", "--tcp", &address]);
    let child = child.env("SPYTUI_RECORD_DIR", folder.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    let (mut peer, _) = server.accept().unwrap();
    let bytes = bytes_of("oven-734.bin");
    peer.write_all(&bytes[..30_000]).unwrap();
    let kept = || {
        let files = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
        files.filter(|path| path.extension().is_some_and(|end| end == "meta")).count()
    };
    for _ in 0..1_000 {
        if kept() > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(peer);
    let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    let name = said.split("30 000 bytes in ").nth(1).and_then(|rest| rest.lines().next()).expect(&said);
    assert!(std::fs::read(name).unwrap() == bytes[..30_000]);
    let meta = std::fs::read_to_string(name.replace(".bin", ".meta")).unwrap();
    assert!(meta.contains(r#""decoder":"qs""#), "{meta}");
}

#[test]
fn triggers_of_the_screen_judge_what_comes() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("live");
    let bytes = bytes_of("oven-734.bin");
    port.send(&bytes[..20_000]);
    stage.shows("840 rec");
    stage.settles();
    stage.command("on kind:Tran obj:heater mark");
    stage.shows("trigger 1: kind:Tran obj:heater mark");
    stage.command("on kind:Tran obj:heater hold");
    stage.shows("trigger 2");
    stage.command("on kind:Tran obj:heater bell");
    stage.shows("trigger 3");
    // A program is confirmed.
    let ran = folder.path().join("ran");
    stage.command(&format!("on kind:Tran obj:heater run touch {}", ran.display()));
    stage.shows("n no");
    stage.types("n");
    stage.command("on");
    stage.shows("3 triggers in the log");
    stage.types("1");
    stage.command(&format!("on kind:Tran obj:heater run touch {}", ran.display()));
    stage.shows("n no");
    stage.settles();
    stage.types("y");
    stage.shows("trigger 4");
    let rings = |stage: &crate::rig::Stage| stage.raw().contains(&7);
    assert!(!rings(&stage), "nothing has come since");
    port.send(&bytes[20_000..]);
    stage.until("the bell", rings);
    stage.until("the program", |_| ran.exists());
    stage.shows("─ held");
    // At the row, which the details name.
    stage.settles();
    stage.types("\r");
    stage.shows("QS_QEP_TRAN");
    stage.shows("heater");
    stage.types("\r");
    stage.settles();
    stage.command("on off 4");
    stage.shows("1 trigger removed");
    stage.types("'");
    stage.shows("kind:Tran obj:heater");
    stage.types("\x1b");
    stage.command("on off");
    stage.shows("3 triggers removed");
    stage.command("on");
    stage.shows("no trigger is set");
}

#[test]
fn a_file_sets_no_trigger_that_runs_and_a_project_none() {
    let folder = folder();
    let refusal = |name: &str, action: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("[[on]]\nwhen = \"kind:Tran\"\ndo = \"{action}\"\n")).unwrap();
        let mut command = command(["--proto", "qs", "--headless", "oven-734.bin"]);
        command.current_dir(folder.path()).env("XDG_CONFIG_HOME", folder.path().join("config"));
        let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
        std::fs::remove_file(path).unwrap();
        said
    };
    let said = refusal("config/spytui/spytui.toml", "run touch x");
    assert!(said.contains("spytui.toml:1") && said.contains("no file starts programs"), "{said}");
    let said = refusal(".spytui.toml", "bell");
    assert!(said.contains("a project's file may not set triggers"), "{said}");
    let said = refusal("config/spytui/spytui.toml", "bell");
    assert!(!said.contains("spytui.toml"), "{said}");
}
