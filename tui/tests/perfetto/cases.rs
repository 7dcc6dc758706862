//! What the command refuses, and what it leaves behind.

use super::{folder_of, run, stderr};

fn brew() -> String {
    folder_of("tband").join("brew_stream.bin").display().to_string()
}

#[test]
fn an_existing_file_is_replaced_only_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("t.pftrace");
    let (path, brew) = (out.display().to_string(), brew());
    let export = |extra: &[&str]| run(&[&["export", "perfetto", "--proto", "tband", &brew][..], extra].concat());
    std::fs::write(&out, b"mine").unwrap();
    let refused = export(&["-o", &path]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--force"), "{}", stderr(&refused));
    assert_eq!(std::fs::read(&out).unwrap(), b"mine");
    assert_eq!(export(&["-o", &path, "--force"]).status.code(), Some(0));
    let first = std::fs::read(&out).unwrap();
    // The same input gives the same trace, by whichever flag the file is named; nothing else is left in the folder.
    assert_eq!(export(&["--out", &path, "--force", "-o", "mode=free-rtos"]).status.code(), Some(0));
    assert!(first.len() > 50_000 && std::fs::read(&out).unwrap() == first);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn mistakes_are_said_with_their_code() {
    let (brew, folder) = (brew(), tempfile::tempdir().unwrap());
    let out = folder.path().join("t.pftrace").display().to_string();
    let code = |args: &[&str]| {
        let output = run(&[&["export", "perfetto", "--proto", "tband"][..], args].concat());
        (output.status.code().unwrap(), stderr(&output))
    };
    for (args, expected, word) in [
        (&[&brew[..]][..], 2, "where to?"),
        (&[&brew, "-o", &out, "-o", "b.pftrace"], 2, "one file at a time"),
        (&[&brew, "-o", &out, "-o", "mod=x"], 2, "nearest: mode"),
        (&["nothing-here.bin", "-o", &out], 3, "no"),
        (&[&brew, "-o", "/nonexistent/t.pftrace"], 3, "/nonexistent/t.pftrace"),
    ] {
        let (got, text) = code(args);
        assert!(got == expected && text.contains(word), "{args:?}: {got} {text}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_pipe_is_read_to_its_end() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("t.pftrace").display().to_string();
    let mut child = super::spytui(&["export", "perfetto", "--proto", "tband", "-", "-o", &out])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(brew()).unwrap()).unwrap();
    assert!(child.wait().unwrap().success());
    let piped = std::fs::read(&out).unwrap();
    let again = folder.path().join("u.pftrace").display().to_string();
    assert!(run(&["export", "perfetto", "--proto", "tband", &brew(), "-o", &again]).status.success());
    assert!(piped == std::fs::read(again).unwrap());
}

#[test]
fn text_stands_for_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let export = |file: &str, extra: &[&str]| {
        let (input, out) = (folder_of("tband").join(file).display().to_string(), folder.path().join(file));
        let args = ["export", "perfetto", "--proto", "tband", &input, "-o", out.to_str().unwrap()];
        let output = run(&[&args[..], extra].concat());
        (output.status.code(), stderr(&output), std::fs::read(out).unwrap_or_default())
    };
    let of_text = export("boiler_basic.hex", &["--input", "hex"]);
    assert!(of_text.2.len() > 10_000 && of_text == export("boiler_basic.bin", &[]));
    let (code, text, trace) = export("boiler_drops.bin", &["--input", "hex"]);
    assert!(code == Some(3) && text.contains("line 6, column 2") && trace.is_empty(), "{code:?} {text}");
}

#[test]
fn completions_and_manual_come_from_the_arguments() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("perfetto") && text.contains("force"), "{shell}");
    }
    assert_eq!(run(&["completions", "tcsh"]).status.code(), Some(2));
    let man = run(&["man"]);
    let text = String::from_utf8_lossy(&man.stdout).into_owned();
    assert!(man.status.success() && text.contains(".TH spytui") && text.contains("EXPORT PERFETTO"), "{text}");
}
