//! Without a terminal on stdout: formats, exit codes, pipes.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::rig::{bytes_of, capture, folder, set_environment};

pub fn command<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    let set = |name: &str, value| {
        command.env(name, value);
    };
    set_environment(set, Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/home-of-lines")));
    command.args(args).stdin(Stdio::null()).current_dir(capture(""));
    command
}

pub fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    command(args).output().unwrap()
}

/// Exit code and stderr.
pub fn refused(args: &[&str]) -> (i32, String) {
    let output = run(args);
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn every_format_is_that_of_decode() {
    for format in ["native", "reference", "jsonl", "csv"] {
        let decoded = run(["decode", "--proto", "qs", "--format", format, "oven-734.bin"]);
        let lines = run(["--proto", "qs", "--format", format, "oven-734.bin"]);
        assert_eq!((decoded.status.code(), lines.status.code()), (Some(0), Some(0)), "{format}");
        assert!(decoded.stdout == lines.stdout, "{format} differs");
        assert!(decoded.stdout.len() > 50_000 && lines.stderr.is_empty(), "{format}");
    }
}

/// A filter that keeps every line changes none, even if the target reports its clock in mid-stream.
#[test]
fn lines_do_not_depend_on_a_filter_that_keeps_them() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/tband/tests/captures/boiler_drops.bin");
    let all = run(["decode", "--proto", "tband", file]);
    let kept = run(["decode", "--proto", "tband", "--filter", "core:0", file]);
    assert_eq!(all.stdout.iter().filter(|&&b| b == b'\n').count(), 360);
    assert_eq!(String::from_utf8_lossy(&all.stdout), String::from_utf8_lossy(&kept.stdout));
}

#[test]
fn lines_are_flushed_as_they_come() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    for format in ["native", "reference", "jsonl", "csv"] {
        let mut child = command(["--proto", "qs", "--once", "--format", format, "--tcp", &address]);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (mut peer, _) = server.accept().unwrap();
        let bytes = bytes_of("oven-734.bin");
        peer.write_all(&bytes[..0x25f0]).unwrap();
        // The line is there although the stream continues.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains("Heater_ramp")), "{format}");
        peer.write_all(&bytes[0x25f0..]).unwrap();
        drop(peer);
        assert!(lines.count() > 1_000, "{format}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{format}");
    }
}

/// What the target reports first, for streams without their beginning.
pub const SIZES: [&str; 6] = ["--proto", "qs", "-o", "obj-ptr=8", "-o", "fun-ptr=8"];

#[test]
fn links_of_which_none_names_a_core_have_nothing_to_do_with_each_other() {
    // The second reports names, the first uses them: it is the rest of such a stream.
    let folder = folder();
    let rest = folder.path().join("rest.bin");
    std::fs::write(&rest, &bytes_of("oven-734.bin")[0x1000..]).unwrap();
    let files = [rest.to_str().unwrap(), "oven-734.bin"];
    let output = run(SIZES.iter().chain(&["--format", "jsonl"]).chain(&files));
    let text = String::from_utf8(output.stdout).unwrap();
    let of = |source| text.lines().filter(|line| line.contains(&format!("\"source\":{source},"))).collect::<Vec<_>>();
    let (bare, named) = (of(0), of(1));
    assert_eq!(bare.len() + named.len(), text.lines().skip(1).count());
    let is_named = |line: &&&str| line.contains("l_door");
    assert!(named.iter().filter(is_named).count() > 100 && bare.iter().filter(is_named).count() == 0);
    // In stats, each is also shown separately.
    let output = run(["stats", "--proto", "qs", "--json", "oven-734.bin", "oven-815.bin"]);
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&stats["records"], &stats["sources"][1]["records"]), (&4357.into(), &1997.into()));
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    for args in [
        &["decode", "--proto", "qs", "oven-734.bin"][..],
        &["--proto", "qs", "oven-734.bin"],
        &["--demo", "qs", "--format", "jsonl"],
    ] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{args:?}");
    }
}

#[test]
fn statistics_are_one_object_on_stderr() {
    let output = run(["decode", "--proto", "qs", "--filter", "kind:ASSERT", "--stats=json", "oven-734.bin"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("{\"schema\":1,\"bytes\":56986,") && text.ends_with("}\n"), "{text}");
    assert_eq!(text.lines().count(), 1);
    for key in ["record_bytes", "other_bytes", "skipped_bytes", "pending_bytes", "records", "gaps", "lost", "unknown"] {
        assert!(text.contains(&format!("\"{key}\":")), "{key}");
    }
}

/// The rows of the tables below a heading of `docs/output.md`: words of their first column.
fn documented(heading: &str) -> Vec<String> {
    let text = include_str!("../../../docs/output.md");
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(word, _)| word.to_owned()).collect()
}

#[test]
fn the_object_of_stats_has_the_keys_of_its_documentation() {
    let object = |args: &[&str], of: fn(Output) -> Vec<u8>| -> serde_json::Value {
        serde_json::from_slice(&of(run(args))).unwrap()
    };
    let stats = object(&["stats", "--proto", "qs", "--format", "json", "oven-734.bin"], |output| output.stdout);
    let documented = documented("stats:");
    let (own, of_kinds) = documented.split_at(documented.iter().position(|key| key == "kind").unwrap());
    let keys: Vec<&String> = stats.as_object().unwrap().keys().collect();
    let missing: Vec<&String> = own.iter().filter(|key| !keys.contains(key)).collect();
    assert_eq!(missing, Vec::<&String>::new());
    // In the order of the table, then the decoder's own, then lists.
    let text = String::from_utf8(run(["stats", "--proto", "qs", "--json", "oven-734.bin"]).stdout).unwrap();
    let places: Vec<usize> = own.iter().map(|key| text.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    let kinds = stats["kinds"].as_array().unwrap();
    let named = kinds.iter().find(|kind| kind["name"] == "NAMES").unwrap();
    let of_named: Vec<&String> = named.as_object().unwrap().keys().collect();
    assert!(of_named.iter().all(|key| of_kinds.contains(key)) && of_named.len() == of_kinds.len(), "{of_named:?}");
    let sum = |key: &str| kinds.iter().map(|kind| kind[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("bytes"), &stats["schema"]), (stats["bytes"].as_u64().unwrap(), &1.into()));
    assert!(sum("rows") >= stats["records"].as_u64().unwrap());
    let waited = &stats["rt"].as_array().unwrap()[0];
    assert!(waited["median"].is_u64() && waited["object"].is_string(), "{waited}");
    // The same at the end of another command.
    let at_end =
        object(&["decode", "--proto", "qs", "--filter", "kind:none", "--stats=json", "oven-734.bin"], |output| {
            let text = String::from_utf8(output.stderr).unwrap();
            text.lines().find(|line| line.starts_with('{')).unwrap().as_bytes().to_vec()
        });
    assert_eq!(at_end, stats);
}

#[test]
fn stats_say_what_each_kind_takes() {
    let output = run(["stats", "--proto", "qs", "oven-734.bin"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let kinds: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("kind ")).collect();
    assert!(kinds[0].ends_with("rows         bytes   share"), "{text}");
    assert!(kinds[1].starts_with("QS_") && kinds[1].ends_with(" %"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn options_may_stand_before_the_command() {
    let same = |before: &[&str], behind: &[&str]| {
        let (before, behind) = (run(before), run(behind));
        let all = |output: &Output| (output.status.code(), output.stdout.clone(), output.stderr.clone());
        assert_eq!(all(&before), all(&behind));
        assert!(!String::from_utf8_lossy(&before.stderr).contains("no such command"));
    };
    same(&["--plugin", "oven-734.bin", "plugins"], &["plugins", "--plugin", "oven-734.bin"]);
    same(&["--proto", "qs", "stats", "oven-734.bin"], &["stats", "--proto", "qs", "oven-734.bin"]);
}

#[test]
fn usage_is_2_and_names_the_nearest_word() {
    for (args, text) in [
        (&["decode", "--proto", "qx", "oven-734.bin"][..], "--proto qx: unknown; nearest: qs"),
        (&["decode", "--proto", "qs", "-o", "sgnal=2", "oven-734.bin"], "nearest: signal"),
        (&["decode", "--proto", "qs", "-o", "signal=3", "oven-734.bin"], "-o signal=3: must be 1, 2 or 4"),
        (&["decode", "--proto", "qnx", "-o", "kprof=zz", "oven-734.bin"], "-o kprof=zz: must be 64 hex digits"),
        (&["--proto", "qnx", "-o", "kprof=zz", "oven-734.bin"], "-o kprof=zz: must be 64 hex digits"),
        (&["record", "-o", "signal=2", "oven-734.bin"], "recording takes no options of a decoder"),
        (&["decode", "--proto", "qs", "-o", "reference=qspy-7.3.5", "oven-734.bin"], "nearest: qspy-7.3.4"),
        (&["decode", "--proto", "qs", "--formt", "native", "oven-734.bin"], "'--format'"),
        (&["decode", "--proto", "qs", "--format", "natve", "oven-734.bin"], "'native'"),
        (&["decode", "--proto", "qs", "--filter", "knd:x", "oven-734.bin"], "nearest: kind"),
        (&["--proto", "qs", "--tcp", "nowhere"], "tcp takes HOST:PORT"),
        (&["--proto", "qs", "--listen", "99999"], "is not a port"),
        (
            &["--proto", "qs", "-o", "dic=oven-73.bin", "x"],
            "-o dic=oven-73.bin: no such file. Nearest here: oven-734.bin.",
        ),
        (
            &["--proto", "rkh", "-o", "cfg=MISSING", "x"],
            "It takes: configuration: a trazer.cfg, or the target's rkhcfg.h",
        ),
        (&["--proto", "rkh", "-o", "cfg=MISSING", "x"], "-o cfg=MISSING: no such file in /"),
        (
            &["--proto", "rkh", "-o", "cfg=../../../rkh-trazer/Cargo.toml", "oven-734.bin"],
            "line 1: `[package]` is not KEY=VALUE",
        ),
        (&["--proto", "qs"], "which link?"),
        (&["decode", "/dev/null"], "/dev/null is empty, so its decoder is not known; --proto NAME names one\n"),
        (&["decode", "README.md"], "README.md is text, not a trace (no decoder sees a frame). --proto forces one."),
        (&["stat"], "stat: no such command or file; did you mean \"stats\"?"),
        (
            &["frobnicate"],
            "frobnicate: no such command or file; the commands are decode record play cut stats check compare",
        ),
        (&["--demo", "qx"], "--demo qx: no such demo; available: qs rkh tband"),
        (&["--faults", "flip=200"], "--faults needs a demo: --demo PROTO starts one"),
        (&["--faults", "flip=200", "oven-734.bin"], "--faults needs a demo: --demo PROTO starts one"),
    ] {
        let (code, stderr) = refused(args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert!(stderr.contains(text), "{args:?}: {stderr}");
    }
}

#[test]
fn input_is_3_and_names_the_nearest_file() {
    for (args, text) in [
        (&["decode", "--proto", "qs", "oven-743.bin"][..], "oven-743.bin: no such file. Nearest here: oven-734.bin."),
        (&["--proto", "qs", "oven-743.bin"], "oven-743.bin: no such file. Nearest here: oven-734.bin."),
        (&["--proto", "qs", "--file", "oven-743.bin"], "Nearest here: oven-734.bin."),
        (
            &["--proto", "qs", "--record", "none/x", "oven-734.bin"],
            "none/x.bin: there is no folder none; make it first",
        ),
        (&["decode", "--proto", "qs", "../captures"], "../captures is a folder; name a file in it."),
        (&["--proto", "qs", "../captures"], "../captures is a folder; name a file in it."),
        (&["--proto", "qs", "--once", "--port", "/dev/ttyNOSUCH"], "/dev/ttyNOSUCH does not exist."),
        (&["--proto", "qs", "--once", "--tcp", "127.0.0.1:1"], "connection refused; is the target listening?"),
    ] {
        let (code, stderr) = refused(args);
        assert_eq!(code, 3, "{args:?}: {stderr}");
        assert!(stderr.contains(text), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    }
}

#[test]
fn damage_is_no_error_and_a_recording_is_never_overwritten() {
    let output = run(["decode", "--proto", "qs", "oven-734-flips.bin"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("░░ ≥1 record lost, seq 28"));
    assert_eq!(output.stderr, b"");
    let output = run(["decode", "--proto", "rkh", "oven-734.bin"]);
    assert_eq!(output.status.code(), Some(0));
    let hint = "oven-734.bin: read as rkh, but it looks like qs, 100 % of the bytes fit: 2 360 frames";
    assert!(String::from_utf8_lossy(&output.stderr).contains(hint), "{output:?}");

    let folder = folder();
    let out = folder.path().join("copy");
    let record = |option, expected| {
        let output = run(["record", option, out.to_str().unwrap(), "oven-734.bin"]);
        assert_eq!(output.status.code(), Some(expected), "{}", String::from_utf8_lossy(&output.stderr));
    };
    record("-o", 0);
    assert_eq!(std::fs::read(out.with_extension("bin")).unwrap(), bytes_of("oven-734.bin"));
    record("-O", 3);
}

#[test]
fn stdin_is_read_in_any_pieces() {
    let mut child = command(["decode", "--proto", "qs", "--format", "reference", "-"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for piece in bytes_of("oven-734.bin").chunks(777) {
            stdin.write_all(piece).unwrap();
        }
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.stdout == bytes_of("oven-734.txt"));
}

/// A capture of the Tonbandgerät decoder.
fn tband(name: &str) -> String {
    format!("{}/../decoders/tband/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn bytes_may_come_as_text() {
    let (hex, expected) = (tband("boiler_basic.hex"), std::fs::read(tband("boiler_basic.txt")).unwrap());
    let reference = ["--proto", "tband", "--format", "reference", "--input", "hex"];
    for start in [&["decode"][..], &[]] {
        let output = run([start, &reference, &[hex.as_str()]].concat());
        assert!(output.stdout == expected && output.status.code() == Some(0), "{start:?}");
    }
}

#[test]
fn text_that_stands_for_no_bytes_is_an_error_with_its_place() {
    let folder = folder();
    let path = folder.path().join("odd.hex");
    std::fs::write(&path, "--- begin ---\n03 02 0a 00\n0302\n0").unwrap();
    let path = path.to_str().unwrap();
    let arguments = ["--proto", "tband", "--format", "reference", "--input", "hex", path];
    for start in [&["decode"][..], &[]] {
        let output = run([start, &arguments].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("odd.hex: line 4: an odd number of digits in \"0\""), "{text}");
        assert_eq!(output.stdout, b"{\"BaseMetadata\":{\"TsResolutionNs\":{\"ns_per_ts\":10}}}\n");
    }
}

#[test]
fn a_gzip_file_is_opened_and_other_packed_files_are_named() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let packed = format!("{}/../engine/tests/captures/trace.bin.gz", env!("CARGO_MANIFEST_DIR"));
    let of = |args: &[&str]| {
        let output = run(args);
        (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    let (code, rows, text) = of(&["decode", &packed]);
    assert!(code == Some(0) && rows.len() > 1000, "{code:?} {text}");
    assert_eq!(of(&["decode", "--proto", "qs", &packed]).1, rows);
    let bytes = std::fs::read(&packed).unwrap();
    std::fs::write(path("cut.gz"), &bytes[..700]).unwrap();
    let (code, part, text) = of(&["decode", "--proto", "qs", &path("cut.gz")]);
    assert!(code == Some(3) && text.contains("the gzip file is cut off") && !part.is_empty(), "{code:?} {text}");
    let (code, _, text) = of(&["--headless", "--follow", "--proto", "qs", &packed]);
    assert!(code == Some(3) && text.contains("can't be followed"), "{code:?} {text}");
    std::fs::write(path("trace.zip"), b"PK\x03\x04 and so on").unwrap();
    for args in [&["decode", "--proto", "qs"][..], &["decode"]] {
        let (code, _, text) = of(&[args, &[&path("trace.zip")]].concat());
        assert!(code == Some(3) && text.contains("a zip archive: unpack it, as in  unzip -p"), "{code:?} {text}");
    }
}

#[test]
fn a_hex_dump_is_read_said_and_offered() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let bytes = std::fs::read(tband("boiler_basic.bin")).unwrap();
    let row = |(n, row): (usize, &[u8])| {
        let words: Vec<String> =
            row.chunks(4).map(|word| word.iter().rev().map(|b| format!("{b:02x}")).collect()).collect();
        format!("0x{:08x}: {}\n", 0x2000_0000 + n * 32, words.join(" "))
    };
    let whole = bytes.len() / 32 * 32;
    let dump: Vec<String> = bytes[..whole].chunks(32).enumerate().map(row).collect();
    std::fs::write(path("dump.txt"), dump.concat()).unwrap();
    std::fs::write(path("gap.txt"), [&dump[..9], &dump[10..]].concat().concat()).unwrap();
    std::fs::write(path("dump.bin"), &bytes[..whole]).unwrap();
    let of = |args: &[&str]| {
        let output = run([&["decode", "--format", "reference"], args].concat());
        (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    let dump = path("dump.txt");
    let read = of(&["--proto", "tband", "--input", "hex", &dump]);
    assert_eq!(read.1, of(&["--proto", "tband", &path("dump.bin")]).1);
    assert!(read.2.contains("words of 4 bytes, least significant byte first"), "{}", read.2);
    let hint = format!("{dump} is a hex dump: --input hex reads the bytes it encodes");
    let (code, _, text) = of(&[&dump]);
    assert!(code == Some(2) && text.contains(&hint), "{text}");
    assert!(of(&["--proto", "tband", &dump]).2.contains(&hint));
    let output = run(["decode", "--proto", "tband", "--input", "hex", &path("gap.txt")]);
    let rows = String::from_utf8(output.stdout).unwrap();
    assert!(rows.contains("32 bytes lost on this side (before line 10, address 20000140)"), "{rows}");
}

#[test]
fn names_and_variables_need_not_be_utf_8() {
    let odd = OsStr::from_bytes(b"od\xffd");
    let home = folder();
    let work = home.path().join(odd);
    std::fs::create_dir_all(&work).unwrap();
    let file = work.join(OsStr::from_bytes(b"\xfe.bin"));
    std::fs::write(&file, bytes_of("oven-734.bin")).unwrap();
    let run = |args: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        let set = |name: &str, value| {
            command.env(name, value);
        };
        set_environment(set, &work);
        command.env("ODD", odd).env(odd, "x").env("SPYTUI_PLUGIN_PATH", &work).env("LANG", odd).env("TERM", odd);
        command.args(args).stdin(Stdio::null()).current_dir(&work).output().unwrap()
    };
    let file = file.as_os_str();
    let name = OsStr::from_bytes(b"\xfe.bin");
    let out = OsStr::from_bytes(b"\xfd.pftrace");
    for args in [
        &["--help"][..],
        &["--version"],
        &["--print-config"],
        &["ports"],
        &["plugins"],
        &["completions", "bash"],
        &["man"],
        &["decode", "--proto", "qs", "FILE"],
        &["stats", "--proto", "qs", "NAME"],
        &["--proto", "qs", "--file", "NAME"],
        &["--proto", "qs", "FILE"],
        &["export", "perfetto", "--proto", "qs", "NAME", "--out", "OUT"],
        &["record", "--file", "NAME", "-O", "RECORDING"],
    ] {
        let words = args.iter().map(|arg| match *arg {
            "FILE" => file,
            "NAME" => name,
            "OUT" => out,
            "RECORDING" => odd,
            word => OsStr::new(word),
        });
        let output = run(&words.collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty() || args[0] == "record", "{args:?}");
    }
    let decoded = run(&[OsStr::new("decode"), OsStr::new("-pqs"), file]);
    assert!(decoded.stdout == self::run(["decode", "-pqs", "oven-734.bin"]).stdout);
}

#[test]
fn without_a_link_six_lines_start_somebody() {
    let (code, stderr) = refused(&[]);
    assert_eq!((code, stderr.lines().count()), (2, 6), "{stderr}");
    for line in stderr.lines().skip(1) {
        assert!(line.starts_with("  spytui ") && line.len() <= 100, "{line}");
    }
}

#[test]
fn every_command_finds_the_decoder() {
    let same = |with: &[&str], without: &[&str]| {
        let (with, without) = (run(with), run(without));
        assert_eq!(without.status.code(), Some(0), "{}", String::from_utf8_lossy(&without.stderr));
        assert!(with.stdout == without.stdout);
        let said = String::from_utf8(without.stderr).unwrap();
        assert!(said.starts_with("spytui: qs, 100 % of the bytes fit: "), "{said}");
    };
    same(&["decode", "--proto", "qs", "oven-734.bin"], &["decode", "oven-734.bin"]);
    same(&["decode", "--proto", "qs", "oven-734.bin"], &["decode", "--proto", "auto", "oven-734.bin"]);
    same(&["stats", "--proto", "qs", "oven-734.bin"], &["stats", "oven-734.bin"]);
    same(&["--proto", "qs", "oven-734.bin"], &["--proto", "auto", "oven-734.bin"]);
    let folder = folder();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    for (proto, out) in [("qs", &one), ("auto", &other)] {
        let export = ["export", "perfetto", "--proto", proto, "oven-734.bin", "--out", out.to_str().unwrap()];
        assert_eq!(run(export).status.code(), Some(0));
    }
    assert!(std::fs::read(&one).unwrap() == std::fs::read(&other).unwrap());
    // Non-seekable input is also decoded from its first byte.
    let all = run(["decode", "-p", "qs", "oven-734.bin"]).stdout;
    for args in [&["decode", "-"][..], &["stats", "-"], &["--headless", "-"]] {
        let file = std::fs::File::open(capture("oven-734.bin")).unwrap();
        let output = command(args).stdin(file).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(args[0] == "stats" || output.stdout == all, "{args:?}");
    }
    let kept = folder.path().join("kept");
    let record = run(["record", "--proto", "auto", "--file", "oven-734.bin", "-O", kept.to_str().unwrap()]);
    assert_eq!(record.status.code(), Some(0));
    // It names what was detected, so nothing is detected again.
    let decoded = run(["decode", kept.with_extension("bin").to_str().unwrap()]);
    assert_eq!((decoded.status.code(), String::from_utf8(decoded.stderr).unwrap().as_str()), (Some(0), ""));
    assert!(decoded.stdout == all);
}

#[test]
fn files_of_several_protocols_are_to_be_read_one_by_one() {
    let rkh = "../../../rkh-trazer/tests/captures/gh340-default.bin";
    for words in [&["decode"][..], &["stats"], &["--headless"], &["export", "perfetto", "-o", "/nonexistent/x"]] {
        let (code, said) = refused(&[words, &["oven-734.bin", rkh]].concat());
        assert_eq!(code, 2, "{words:?}: {said}");
        assert!(said.contains("gh340-default.bin is rkh: the rows of one output are of one protocol."), "{said}");
        assert!(said.contains("Read each by itself, or open all on the screen"), "{said}");
    }
}

#[test]
fn kernel_traces_of_different_profiles_are_read_together() {
    let of = |name: &str| format!("{}/../decoders/qnx/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"));
    let output = run(["stats", "--json", &of("fast-2cpu.kev"), &of("classic-qnx4.log")]);
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let decoded = run(["decode", "--stats=json", &of("fast-2cpu.kev"), &of("classic-qnx4.log")]);
    let messages = String::from_utf8(decoded.stderr).unwrap();
    let of_decode = serde_json::from_str(messages.lines().find(|line| line.starts_with('{')).unwrap()).unwrap();
    for stats in [stats, of_decode] {
        assert_eq!((&stats["records"], &stats["skipped_bytes"]), (&(981 + 220).into(), &0.into()), "{stats}");
    }
}

/// Each record of a recording has the arrival time of its last byte, however the file is read.
#[test]
fn records_of_a_recording_have_their_own_host_times() {
    let folder = folder();
    let file = folder.path().join("run.bin");
    std::fs::write(&file, bytes_of("oven-734.bin")).unwrap();
    let times =
        "{\"spytui-recording\":1,\"decoder\":\"qs\"}\n{\"pos\":0,\"host_ns\":1000}\n{\"pos\":9000,\"host_ns\":2000}\n";
    std::fs::write(folder.path().join("run.meta"), times).unwrap();
    let output = run([OsStr::new("decode"), file.as_os_str(), OsStr::new("--format"), OsStr::new("jsonl")]);
    let mut seen = [0, 0];
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let (Some(pos), Some(len), Some(host)) = (row["pos"].as_u64(), row["len"].as_u64(), row["host"].as_u64())
        else {
            continue;
        };
        let is_late = pos + len > 9000;
        assert_eq!(host, if is_late { 2000 } else { 1000 }, "{line}");
        seen[usize::from(is_late)] += 1;
    }
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
}
