//! `spytui cut`: what it writes decodes alone to the same rows.

use std::path::{Path, PathBuf};

use spytui_engine::io::log::recorded_marks;

use crate::lines::{refused, run};
use crate::rig::folder;

fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(name)
}

/// The lines of records that a filter passes; the first without the time since the row before.
fn records(file: &Path, filter: &str) -> Vec<String> {
    let output = run(["decode".as_ref(), "--filter".as_ref(), filter.as_ref(), file.as_os_str()]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let is_record = |line: &&str| line.starts_with([' ', '!']);
    let mut lines: Vec<String> = text.lines().filter(is_record).map(str::to_owned).collect();
    // The column of the time since the row before.
    if let Some(line) = lines.first_mut() {
        line.replace_range(12..20, "");
    }
    lines
}

#[test]
fn a_cut_decodes_alone_to_the_same_rows() {
    let folder = folder();
    let captures = [
        ("qs/tests/captures/oven-734.bin", 700, 1_500),
        ("qs/tests/captures/oven-734-flips.bin", 900, 950),
        ("rkh-trazer/tests/captures/gh340-default.bin", 300, 350),
        ("tband/tests/captures/brew_stream.bin", 700, 720),
        ("qnx/tests/captures/ring-4cpu.kev", 600, 620),
    ];
    for (name, from, to) in captures {
        let (file, out) = (capture(name), folder.path().join(format!("cut-{from}-{to}.bin")));
        let range = format!("{from}..{to}");
        let args =
            ["cut".as_ref(), file.as_os_str(), "--records".as_ref(), range.as_ref(), "-o".as_ref(), out.as_os_str()];
        let output = run(args);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let in_front: u64 = said
            .split("behind ")
            .nth(1)
            .and_then(|rest| rest.split(" records").next())
            .map_or(0, |n| n.replace(' ', "").parse().unwrap());
        let cut = records(&out, &format!("n>{in_front}"));
        assert_eq!(cut, records(&file, &format!("n:{range}")), "{name}: {said}");
        assert_eq!(cut.len(), to - from + 1, "{name}");
        let (whole, part) = (std::fs::metadata(&file).unwrap().len(), std::fs::metadata(&out).unwrap().len());
        assert!(part < whole, "{name}: {part} of {whole} bytes");
    }
}

#[test]
fn a_cut_keeps_decoder_and_options_and_never_overwrites() {
    let folder = folder();
    let file = capture("qs/tests/captures/oven-734.bin").display().to_string();
    let out = folder.path().join("part").display().to_string();
    let args = ["cut", "-p", "qs", "-o", "ticks-per-second=1000000", &file, "--time", "329s..330s", "-o", &out];
    assert_eq!(run(args).status.code(), Some(0));
    let meta = std::fs::read_to_string(folder.path().join("part.meta")).unwrap();
    assert!(meta.contains(r#""decoder":"qs""#) && meta.contains("ticks-per-second"), "{meta}");
    let text = String::from_utf8(run(["decode", &format!("{out}.bin"), "--filter", "time>=0"]).stdout).unwrap();
    assert!(text.lines().any(|line| line.trim_start().starts_with("329.1")), "{text}");
    let (code, said) = refused(&args);
    assert!(code == 2 && said.contains("exists already; --force replaces it"), "{said}");
    let (code, said) = refused(&["cut", "-p", "qs", &file, "--records", "9000..9001", "-o", &format!("{out}2")]);
    assert!(code == 2 && said.contains("no record"), "{said}");
    assert!(!folder.path().join("part2.bin").exists());
    let (code, said) = refused(&["cut", "-p", "qs", &file, "--time", "1s..2s", "-o", &format!("{out}2")]);
    assert!(code == 2 && said.contains("ticks-per-second"), "{said}");
    let (code, said) = refused(&["cut", &file, "-o", &format!("{out}2")]);
    assert!(code == 2 && said.contains("--records"), "{said}");
    let around = run(["cut", "-p", "qs", &file, "--around", "#744", "--margin", "5", "-o", &format!("{out}2")]);
    assert!(String::from_utf8(around.stdout).unwrap().starts_with("#739 to #749 in "));
    // Around a mark of the cut, at its last record but one.
    let meta = folder.path().join("part2.meta");
    let end = std::fs::metadata(folder.path().join("part2.bin")).unwrap().len();
    let mut lines = std::fs::read_to_string(&meta).unwrap();
    lines.push_str(&format!("{{\"pos\":{},\"mark\":\"x\"}}\n", end - 30));
    std::fs::write(&meta, lines).unwrap();
    let whole = format!("{out}2.bin");
    let around = run(["cut", &whole, "--around", "mark:x", "--margin", "1", "-o", &format!("{out}3")]);
    assert_eq!(around.status.code(), Some(0), "{}", String::from_utf8_lossy(&around.stderr));
    // The mark comes along, at the same bytes.
    let marked = |cut: &str| {
        let bin = PathBuf::from(format!("{out}{cut}.bin"));
        let pos = recorded_marks(&bin).unwrap()["x"].pos as usize;
        std::fs::read(&bin).unwrap()[pos..][..10].to_vec()
    };
    assert_eq!(marked("3"), marked("2"));
    let (code, said) = refused(&["cut", &whole, "--around", "mark:y", "-o", &format!("{out}4")]);
    assert!(code == 2 && said.contains("its marks are x"), "{said}");
    let (code, said) = refused(&["cut", &file, "-o", &format!("{out}2")]);
    assert!(code == 2 && said.contains("--records"), "{said}");
}
