//! Valid and invalid keys and commands.

use crate::rig::{Stage, file_args, spytui};
use std::os::unix::fs::PermissionsExt;

fn oven() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage
}

#[test]
fn going_about_the_list() {
    let mut stage = oven();
    stage.shows("times are ticks; :set ticks-per-second 1000000");
    stage.command("goto #722");
    stage.shows("#722 @0x4358");
    stage.command("goto #714");
    stage.shows("#714 @0x42ae");
    stage.shows("SPIN_REQ_SIG ← door");
    stage.types("<");
    stage.shows("#722");
    stage.types(">");
    stage.shows("#714");
    stage.types("j");
    stage.shows("#715");
    stage.types("kk");
    stage.shows("#713");
    stage.types("G");
    stage.shows("100 %");
    stage.shows("#2360");
    stage.types("gjj\r");
    stage.shows("names are shown as rows");
    stage.types("g");
    stage.shows("#1 @0x0");
    stage.types("\x04");
    stage.shows("#7 ");
    stage.types("\x15");
    stage.shows("#1 @0x0");
    stage.types(" ");
    stage.shows("#13 ");
    stage.types("b");
    stage.shows("#1 @0x0");
    stage.types("d");
    stage.shows_not("d hide");
    stage.types("\r");
    stage.shows("d hide");
    stage.types("x");
    stage.shows("no losses");
    stage.types("e");
    stage.shows("no errors");
    stage.types("9");
    stage.shows("app: no errors");
    stage.types("1");
    stage.command("goto error");
    stage.shows(" no errors");
    stage.types("\x07");
    stage.command("goto @0x42ae");
    stage.shows("#714");
    stage.command("goto 328991427t");
    stage.shows("#713");
    stage.command("goto #9999");
    stage.shows("#9999: there are 2 360 records");
    stage.types("\x07");
    stage.command("goto last");
    stage.shows("#2360");
    stage.types("W");
    stage.until("a warning", |stage| stage.cursor_line().starts_with('!') || stage.cursor_line().starts_with('═'));
}

#[test]
fn searching_filtering_and_hiding() {
    let mut stage = oven();
    stage.types("/Motor_fault\r");
    stage.until("a match", |stage| stage.cursor_line().contains("Motor_fault"));
    stage.shows("/Motor_fault");
    let first = stage.cursor_line();
    stage.types("n");
    stage.until("another match", |stage| stage.cursor_line().contains("Motor_fault") && stage.cursor_line() != first);
    stage.types("N");
    stage.until("the first match", |stage| stage.cursor_line() == first);
    stage.types("/no such text\r");
    stage.shows("no match: 0 of 2 360");
    stage.command("find kind:Tran to:motor");
    stage.until("a transition", |stage| stage.cursor_line().contains("└Tran     motor"));
    stage.types("-");
    stage.shows("-  k Tran 51  g SM 544  o motor ");
    stage.types("k");
    stage.shows("filter -kind:Tran  hides 51");
    stage.types("+o");
    stage.shows("this row has no object");
    stage.types("k+o");
    stage.shows("-kind:Tran obj:motor");
    stage.types("a");
    stage.shows_not("hides");
    stage.types("a");
    stage.shows("-kind:Tran obj:motor");
    stage.command("filter save mine");
    stage.shows("@mine = ");
    stage.command("filter");
    stage.shows_not("hides");
    stage.command("filter @mine");
    stage.shows("-kind:Tran obj:motor");
    stage.command("filter -");
    stage.shows_not("hides");
    stage.command("filter knd:Tran");
    stage.shows("knd");
    stage.shows("\"kind\"?");
    stage.types("\x07f");
    stage.types("group:QF\r");
    stage.shows("filter group:QF  hides ");
    stage.command("f");
    stage.types("=");
    stage.shows("· folded ·");
}

#[test]
fn what_does_nothing_says_so() {
    let mut stage = oven();
    stage.types("a");
    stage.shows("no filter: every row is shown");
    stage.command("goto @0xffffff");
    stage.shows("@0xffffff is beyond the end: 56 986 B were received");
    // The refused line stays open.
    stage.types("\x079");
    stage.command("goto #714");
    stage.shows("#714 @0x42ae");
    stage.types("/Motor_fault\r");
    stage.until("a match", |stage| stage.cursor_line().contains("Motor_fault"));
    let first = stage.cursor_line();
    stage.shows("/Motor_fault");
    stage.types("\x1b");
    stage.shows_not("/Motor_fault");
    stage.types("\x1b");
    stage.shows("nothing is open");
    // It can be repeated.
    stage.types("n");
    stage.until("another match", |stage| stage.cursor_line().contains("Motor_fault") && stage.cursor_line() != first);
    stage.shows("/Motor_fault");
}

#[test]
fn marks_times_and_copies() {
    let mut stage = oven();
    stage.command("goto #418");
    stage.types("m");
    stage.shows("mark 1; '1 in :goto");
    stage.command("goto #714");
    stage.command("mark here it begins");
    stage.shows("mark here");
    stage.types("'");
    stage.shows("#418");
    stage.shows("#714     it begins");
    stage.types("\x1b[B\r");
    stage.shows("#714 @0x42ae");
    stage.types("U");
    stage.shows("#418");
    stage.types("u");
    stage.shows("#714");
    stage.command("goto '1");
    stage.shows("#418 @0x25e9");
    stage.types("r");
    stage.shows("times are relative to this row");
    stage.until("time zero", |stage| stage.cursor_line().contains("        +0 "));
    stage.types("t");
    stage.shows("time in ticks · no host times: a file");
    stage.types("vjjy");
    stage.shows("copied 3 rows to ");
    let kept = stage.home.path().join("state/spytui/last-copy.txt");
    let text = std::fs::read_to_string(&kept).unwrap();
    assert_eq!(text.lines().count(), 3);
    assert!(text.contains("BEAT_SIG waited 264  queue empty"), "{text}");
    // Also through the terminal, for the clipboard.
    assert!(stage.raw().windows(7).any(|w| w == b"\x1b]52;c;"));
    stage.types("Y");
    stage.shows("copied the details");
    assert!(std::fs::read_to_string(&kept).unwrap().contains("EvtPool1"));
    // Typed and copied text is private, even if a file was created with other permissions.
    let mode = |name: &str| kept.with_file_name(name).metadata().unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(&kept, PermissionsExt::from_mode(0o644)).unwrap();
    stage.types("Y");
    stage.until("another copy", |_| mode("last-copy.txt") == 0o600);
    assert_eq!((mode("history"), mode("log")), (0o600, 0o600));
}

#[test]
fn the_command_line_helps() {
    let mut stage = oven();
    stage.types(":");
    stage.shows("a command; Tab completes");
    stage.types("goto #1o");
    stage.shows("not a location: #1o");
    stage.types("\x07");
    stage.types(":fil");
    stage.shows("filter  ");
    stage.shows("show only rows that pass");
    stage.types("\t");
    stage.shows(":filter");
    stage.types("kind:Tra\t");
    stage.shows(":filter kind:Tran");
    stage.types("\x7fn");
    stage.shows("unknown kind \"Trann\"; nearest: Tran");
    stage.types("\x7f\r");
    stage.shows("hides 2 308");
    stage.types(":\x1b[A");
    stage.shows(":filter kind:Tran");
    stage.types("\x15\x07");
    stage.command("fliter x");
    stage.shows("unknown command \"fliter\"; did you mean \"filter\"?");
    stage.types("\x07");
    stage.command("g 'nowhere");
    stage.shows("'nowhere: no such mark");
    stage.types("\x07");
    stage.command("");
    stage.types("\x1b[200~:q\r\x1b[201~");
    stage.shows("paste works in the command line only");
    // Rows hidden by a filter can't be reached.
    stage.command("f");
    stage.shows_not("hides");
    stage.types(":\x1b[200~goto\n#5\x1b[201~");
    stage.shows(":goto #5");
    stage.types("\r");
    stage.shows("#5 ");
    stage.types("\"");
    stage.shows("\" does nothing here; ? shows the keys");
}

#[test]
fn help_is_for_what_is_valid_now() {
    let mut stage = oven();
    stage.types("?");
    stage.shows("─ Help ─");
    stage.shows("half a page up");
    stage.until("a heading", |stage| stage.screen().lines().any(|line| line.trim() == "Move"));
    // Letters filter from the first one on.
    stage.types("j");
    stage.shows("─ Help · j ─");
    stage.types("\x7floss");
    stage.shows("next loss");
    stage.shows_not("half a page up");
    stage.types("\x07");
    stage.shows("─ Records ─");
    stage.types("2?sort");
    stage.shows("sort by the next column");
    stage.types("\x07");
    stage.command("help goto");
    stage.shows(":goto WHERE");
    stage.types("\x07");
    stage.command("help gotoo");
    stage.shows("did you mean \"goto\"?");
    stage.types("\x07");
}

#[test]
fn names_and_the_dictionary() {
    let mut stage = oven();
    stage.command("name obj 0x4110E0 pump");
    stage.shows("obj 0x4110E0 is pump");
    stage.types("2");
    stage.shows("68 names, 4 keys without one");
    stage.types("s");
    stage.shows("Dictionary · by name");
    stage.types("s");
    stage.shows("by uses");
    stage.types("S");
    stage.shows("by uses, reversed");
    stage.types("Sg");
    // Enter shows its subject.
    stage.types("\r");
    stage.shows("hides ");
    stage.command("f");
    let path = stage.home.path().join("oven.names");
    stage.command(&format!("dict save {}", path.display()));
    stage.shows("68 names in ");
    stage.command("dict clear");
    stage.shows("all names cleared");
    stage.types("2");
    stage.shows(" 0 names");
    stage.command(&format!("dict load {}", path.display()));
    stage.shows("68 of 68 names loaded");
    stage.shows("68 names,");
    stage.command("name wat 5 x");
    stage.shows("wat");
    let missing = stage.home.path().join("no/such.dic").display().to_string();
    stage.command(&format!("dict load {missing}"));
    stage.shows(&missing);
    stage.types("\x07");
}

#[test]
fn settings_decoder_links_and_plugins() {
    let mut stage = oven();
    stage.command("set");
    stage.shows("Not as by default");
    stage.shows("obj-ptr          8 (reported by the target)");
    stage.types("ticks");
    stage.shows("ticks-per-second 0 (default)");
    stage.types("\x07");
    stage.command("set signal 3");
    stage.shows("signal=3: must be 1, 2 or 4");
    stage.types("\x07");
    stage.command("set sgnal 2");
    stage.shows("did you mean \"signal\"?");
    stage.types("\x07");
    stage.command("set theme light");
    stage.command("set theme nose");
    stage.shows("nose");
    stage.types("\x07");
    stage.command("proto qs reference=qspy-7.3.4");
    stage.shows("decoding 56 986 B again");
    stage.types("1G");
    stage.shows("Tick<0>");
    stage.command("proto qs");
    stage.shows_not("Tick<0>");
    stage.command("proto auto");
    stage.shows(" % of the bytes fit: ");
    assert!(stage.screen().lines().any(|line| line.starts_with(" qs, ")), "{}", stage.screen());
    stage.command("proto rkj");
    stage.shows("rkj");
    stage.types("\x07");
    stage.command("baud 9600");
    stage.shows("this link has no baud rate");
    stage.types("\x07");
    stage.command("open nosuch.bin");
    stage.shows("nosuch.bin: no such file in /");
    stage.types("\x07");
    stage.command(&format!("open {}", crate::rig::capture("oven-815.bin").display()));
    stage.shows("source 2 of 2");
    stage.shows("1 997 rec");
    stage.types("(");
    stage.shows("2 360 rec");
    stage.command("plugin list");
    stage.shows("built in");
    let missing = stage.home.path().join("no/such.so").display().to_string();
    stage.command(&format!("plugin load {missing}"));
    stage.shows(&missing);
    stage.types("\x07");
    stage.command("plugin disable qs");
    stage.shows("qs: ");
    stage.types("\x07");
    stage.command("stats");
    stage.shows("frames");
}

#[test]
fn copies_go_where_the_settings_say() {
    let folder = crate::rig::folder();
    let tmux = folder.path().join("tmux");
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("tmux"), format!("#!/bin/sh\nexec cat > {}\n", tmux.display())).unwrap();
    let runnable = PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("tmux"), runnable).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let mut stage = spytui(file_args("oven-734.bin")).env("TMUX", "x").env("PATH", path).start();
    stage.shows("2 360 rec");
    let file = stage.home.path().join("state/spytui/last-copy.txt");
    let osc = |stage: &Stage| stage.raw().windows(7).filter(|w| w == b"\x1b]52;c;").count();
    stage.types("y");
    stage.shows("copied 1 row to the terminal, tmux, ");
    assert!(osc(&stage) == 1 && file.exists() && tmux.exists());
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_file(&tmux).unwrap();
    for name in ["osc52", "tmux", "file"] {
        stage.command(&format!("set copy.{name} off"));
        stage.shows(&format!("copy.{name} = false (:set)"));
    }
    stage.types("y");
    stage.shows("copied 1 row to nowhere: copy.osc52, copy.tmux and copy.file are off");
    assert!(osc(&stage) == 1 && !file.exists() && !tmux.exists());
}

#[test]
fn an_error_is_shown_whole_beside_completions() {
    let mut stage = oven();
    stage.command("filter sev:notices_of_all_kinds");
    stage.until("the error and the words that are right", |stage| {
        let screen = stage.screen();
        screen.contains("or fatal") && screen.lines().any(|line| line.trim() == "warning")
    });
}

#[test]
fn the_dictionary_distinguishes_groups_of_values() {
    let mut stage = oven();
    stage.types("2G");
    stage.until("the first value of two enumerations", |stage| {
        let line = |name: &str| stage.screen().lines().find(|line| line.contains(name)).map(str::to_owned);
        let scope = |name: &str| line(name)?.split_whitespace().nth(2).map(str::to_owned);
        scope(" OFF ").as_deref() == Some("–") && scope(" LEFT ").as_deref() == Some("1")
    });
}

/// However a slow line splits them, and however fast they are typed.
#[test]
fn pastes_and_keys_behind_an_esc_are_taken() {
    let mut stage = spytui(file_args("oven-734.bin")).env("SPYTUI_UI_ESC_WAIT", "1000").start();
    stage.shows("2 360 rec");
    let paste = "\x1b[200~abc\x1b[201~";
    for cut in 0..paste.len() {
        let (begin, end) = paste.split_at(cut);
        stage.types(&format!("\x1b:{begin}"));
        stage.types(&format!("{end}x{cut}x"));
        stage.shows(&format!(":abcx{cut}x"));
    }
    stage.types(&format!("\x1b{paste}:word"));
    stage.shows(":word");
    stage.types("\x1b:fil");
    stage.shows("show only rows that pass");
    stage.types("\x1b:q\r");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
}
