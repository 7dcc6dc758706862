//! `spytui export vcd` and `ctf`: files for other viewers, as written, and what the commands refuse. `check_vcd.py` and
//! `check_ctf.py` read them back with readers of another make.

use std::collections::BTreeSet;

use crate::perfetto::{folder_of, run, stderr};

/// Exports a capture of a decoder; returns the file and stderr.
fn value_changes(proto: &str, capture: &str, options: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.vcd").display().to_string();
    let path = folder_of(if proto == "rkh" { "rkh-trazer" } else { proto }).join(capture).display().to_string();
    let args = [&["export", "vcd", "--proto", proto, &path, "-o", &out], options].concat();
    let output = run(&args);
    assert!(output.status.success(), "{capture}: {}", stderr(&output));
    (std::fs::read_to_string(out).unwrap(), stderr(&output))
}

#[test]
fn a_file_begins_with_its_variables() {
    let (text, said) = value_changes("qs", "oven-734.bin", &[]);
    let begin: Vec<&str> = text.lines().take(110).collect();
    insta::assert_snapshot!("vcd_of_qs", begin.join("\n").replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    assert!(said.contains("unknown clock rate: one tick is shown as 1 ns"), "{said}");
    let (text, said) = value_changes("tband", "brew_stream.bin", &["-o", "mode=free-rtos"]);
    assert!(text.contains("$var string 1") && !text.contains("clock rate") && said.is_empty(), "{said}");
}

/// Right after a loss nothing is known: what was, is unknown at the time of the last row before it.
#[test]
fn after_a_loss_all_is_unknown() {
    let (text, _) = value_changes("qs", "oven-734-flips.bin", &[]);
    let (mut known, mut losses, mut at) = (BTreeSet::new(), 0, Vec::new());
    for line in text.lines().skip_while(|line| *line != "$enddefinitions $end").skip(1) {
        if line.starts_with('#') {
            at.clear();
            continue;
        }
        let (value, id) = line.split_once(' ').unwrap();
        let is_unknown = ["sx", "bx", "rNaN"].contains(&value);
        at.push(is_unknown);
        if is_unknown {
            known.remove(id)
        } else {
            known.insert(id.to_owned())
        };
        losses += u64::from(known.is_empty() && at.iter().filter(|is_unknown| **is_unknown).count() > 1);
    }
    assert!(losses > 5, "{losses} times");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder_of("qs").join("oven-734.bin").display().to_string();
    let out = folder.path().join("mine.vcd").display().to_string();
    let refused = |options: &[&str]| {
        let output = run(&[&["export", "vcd", "--proto", "qs", &capture], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        stderr(&output)
    };
    assert!(refused(&[]).contains("missing -o OUT.vcd"));
    std::fs::write(&out, "mine").unwrap();
    assert!(refused(&["-o", &out]).contains("exists already; --force replaces it"));
    assert_eq!(std::fs::read(&out).unwrap(), b"mine");
    let lost = folder.path().join("nowhere/x.vcd").display().to_string();
    let output = run(&["export", "vcd", "--proto", "qs", &capture, "-o", &lost]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    // Nothing else is left in the folder.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Exports a damaged capture with two cores, and one whose clock is unknown.
#[test]
fn a_folder_has_metadata_and_a_stream_for_each_core() {
    let folder = tempfile::tempdir().unwrap();
    let export = |proto: &str, capture: &str, name: &str| {
        let out = folder.path().join(name);
        let path = folder_of(proto).join(capture).display().to_string();
        let output = run(&["export", "ctf", "--proto", proto, &path, "-O", out.to_str().unwrap()]);
        (out, output.status.code(), stderr(&output))
    };
    let (out, code, said) = export("qnx", "gaps-damaged.kev", "qnx");
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let mut names: Vec<_> = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["metadata", "stream_0", "stream_1", "stream_65535"]);
    let metadata = std::fs::read_to_string(out.join("metadata")).unwrap();
    let begin: Vec<&str> = metadata.lines().take(60).collect();
    insta::assert_snapshot!("ctf_of_qnx", begin.join("\n"));
    let stream = std::fs::read(out.join("stream_0")).unwrap();
    assert_eq!(stream[..4], 0xC1FC_1FC1_u32.to_le_bytes());

    // What is there is never replaced.
    let (_, code, said) = export("qnx", "gaps-damaged.kev", "qnx");
    assert!(code == Some(2) && said.contains("exists already; choose another name"), "{said}");
    let path = folder_of("qnx").join("gaps-damaged.kev").display().to_string();
    let forced = run(&["export", "ctf", "--proto", "qnx", &path, "--force", "-O", out.to_str().unwrap()]);
    assert!(forced.status.code() == Some(2) && stderr(&forced).contains("choose another name"), "{}", stderr(&forced));
    assert_eq!(std::fs::read(out.join("stream_0")).unwrap(), stream);

    let (out, code, said) = export("qs", "oven-734.bin", "qs");
    assert!(code == Some(0) && said.contains("unknown clock rate"), "{said}");
    assert!(std::fs::read_to_string(out.join("metadata")).unwrap().contains("description = \"unknown clock rate"));
    // Nothing hidden is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}
