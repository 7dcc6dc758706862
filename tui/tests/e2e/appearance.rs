//! Sizes, colours, glyphs and times; and what must never reach the terminal.

use std::time::{Duration, Instant, SystemTime};

use crate::rig::{Stage, file_args, folder, spytui};

/// A frame as sent by a target: sequence number, record, bytes, checksum; flags and escapes are stuffed.
fn frame(seq: u8, id: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![seq, id];
    bytes.extend_from_slice(payload);
    let sum = bytes.iter().fold(0_u8, |sum, &b| sum.wrapping_add(b));
    bytes.push(!sum);
    let mut out = Vec::new();
    for b in bytes {
        match b {
            0x7D | 0x7E => out.extend([0x7D, b ^ 0x20]),
            b => out.push(b),
        }
    }
    out.push(0x7E);
    out
}

/// The sequences in some output, and its non-ASCII characters.
fn sequences(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw);
    let mut found = Vec::new();
    let mut rest = text.as_ref();
    while let Some(at) = rest.find('\x1b') {
        let tail = &rest[at + 1..];
        let end = match tail.chars().next() {
            Some('[') => tail[1..].find(|c: char| ('@'..='~').contains(&c)).map_or(tail.len(), |end| end + 2),
            Some(']') => tail.find('\x07').map_or(tail.len(), |end| end + 1),
            _ => 1.min(tail.len()),
        };
        found.push(tail[..end].to_owned());
        rest = &tail[end..];
    }
    found
}

/// Visits every pane.
fn tour(stage: &mut Stage) {
    stage.shows("rec");
    for keys in
        ["j", "x", "2", "5", "9", "1", "?", "\x07", ":fil", "\t", "\x07", "G", "g", "-", "\x07", "v", "j", "v", "m"]
    {
        stage.types(keys);
        stage.settles();
    }
}

#[test]
fn ascii_means_no_byte_above_7e() {
    let mut args = file_args("oven-734-flips.bin");
    args.push("--ascii".into());
    let mut stage = spytui(args).start();
    tour(&mut stage);
    let raw = stage.raw();
    // A busy machine draws fewer frames.
    assert!(raw.len() > 5_000);
    let high: Vec<&u8> = raw.iter().filter(|&&b| b > 0x7E).collect();
    assert!(high.is_empty(), "{high:x?}");
    stage.types("1g");
    stage.shows("- Records ---");
    stage.shows("= QP 7.3.3 build");
    stage.until("the cursor's sign", |stage| stage.screen().lines().any(|line| line.starts_with('>')));
}

#[test]
fn a_locale_without_unicode_gets_ascii() {
    for (name, value) in [("LANG", "C"), ("LC_ALL", "ja_JP.UTF-8")] {
        let mut stage = spytui(file_args("oven-734.bin")).env(name, value).start();
        tour(&mut stage);
        assert!(stage.raw().iter().all(|&b| b <= 0x7E), "{name}={value}");
    }
}

#[test]
fn no_color_means_no_colour() {
    let mut stage = spytui(file_args("oven-734-flips.bin")).env("NO_COLOR", "1").start();
    tour(&mut stage);
    let raw = stage.raw();
    let colours: Vec<String> = sequences(&raw)
        .into_iter()
        .filter_map(|s| s.strip_prefix('[').and_then(|s| s.strip_suffix('m')).map(str::to_owned))
        .filter(|sgr| sgr.split(';').any(|p| p.parse::<u16>().is_ok_and(|n| (30..50).contains(&n) || n >= 90)))
        .collect();
    assert!(colours.is_empty(), "{colours:?}");
    // Losses, cursor and warnings are marked by attributes.
    assert!(sequences(&raw).iter().any(|s| s.ends_with('m') && s.contains('7')));
    // A loss row is reversed even without the cursor: the cursor has a sign there, and bookmarks stay visible.
    stage.types("1gxm");
    stage.until("cursor and bookmark", |stage| stage.cursor_line().starts_with("►• "));
    stage.types("k");
    stage.shows("░• ");
    stage.shows_not("►");
}

#[test]
fn sixteen_colours_are_written_as_every_terminal_reads_them() {
    let mut stage = spytui(file_args("oven-734-flips.bin")).env("TERM", "xterm").start();
    tour(&mut stage);
    let raw = stage.raw();
    let sgr: Vec<String> = sequences(&raw).into_iter().filter(|s| s.ends_with('m')).collect();
    assert!(sgr.iter().any(|s| s.contains("41")), "no red");
    assert!(!sgr.iter().any(|s| s.contains("38;") || s.contains("48;")), "{sgr:?}");
}

#[test]
fn reference_text_on_a_terminal_is_visible_and_in_a_pipe_byte_for_byte() {
    let mut stream = frame(1, 0, &[]);
    stream.extend(frame(2, 61, &[&0x2000_1000_u32.to_le_bytes()[..], b"door\x1b[2J\x07\0"].concat()));
    let folder = folder();
    let path = folder.path().join("nasty.bin");
    std::fs::write(&path, &stream).unwrap();
    let args = ["decode", "--proto", "qs", "--format", "reference", path.to_str().unwrap()];
    let mut stage = spytui(args).start();
    stage.shows("door\\x1b[2J\\x07");
    assert_eq!(stage.code(), 0);
    assert!(!stage.raw().contains(&0x1B));
    let piped = std::process::Command::new(env!("CARGO_BIN_EXE_spytui")).args(args).env("HOME", folder.path()).output();
    let piped = piped.unwrap().stdout;
    assert!(piped.windows(9).any(|text| text == b"door\x1b[2J\x07"));
}

#[test]
fn text_of_a_target_can_not_move_the_cursor() {
    let name = b"door\x1b[2J\x1b]0;owned\x07\x9b31m\xe2\x80\xae\r\n\0";
    let mut stream = frame(1, 0, &[]);
    let dict = [&0x2000_1000_u32.to_le_bytes()[..], name].concat();
    stream.extend(frame(2, 61, &dict));
    // A post to it, so that the name is also in the list.
    for seq in 3..40 {
        stream.extend(frame(seq, 61, &dict));
    }
    stream.extend(b"boot \x1b[31mred\x1b[5;5Hmoved\n\n\n");
    stream.extend(frame(40, 61, &dict));
    let folder = folder();
    let path = folder.path().join("nasty\x1b[31m.bin");
    std::fs::write(&path, &stream).unwrap();
    let mut stage = spytui(["--proto", "qs", path.to_str().unwrap()]).start();
    stage.shows("records of names");
    stage.types("gj\r");
    stage.shows("0x20001000 = door\\x1b[2J\\x1b]0;own…");
    stage.shows("QS  nasty\\x1b[31m.bin");
    tour(&mut stage);
    stage.types("2");
    stage.shows("door\\x1b");
    stage.command("goto #5");
    stage.command("name obj 0x20001000 a\x1b[31mb");
    stage.settles();
    let found = sequences(&stage.raw());
    let foreign = ["[31m", "[5;5H", "]0;owned\x07"];
    let bad: Vec<&String> = found.iter().filter(|s| foreign.contains(&s.as_str())).collect();
    assert!(bad.is_empty(), "{bad:?}");
    let raw = stage.raw();
    let text = String::from_utf8_lossy(&raw);
    assert!(!text.contains('\u{202e}') && !text.contains('\u{9b}') && !text.contains("owned\x07"));
    // The screen is cleared when claimed, and never because of a name.
    assert!(found.iter().filter(|s| s.as_str() == "[2J").count() <= 2);
}

#[test]
fn sizes_come_and_go_and_the_cursor_row_stays() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage.command("goto #418");
    stage.shows("#418 @0x25e9");
    let row = "327 391 259";
    let on_row = |stage: &Stage| stage.cursor_line().contains(row);
    stage.until("the cursor row", on_row);
    stage.resize(200, 50);
    stage.shows("build 261120_100946");
    stage.until("the cursor row", on_row);
    stage.types("2");
    stage.shows("─┬─ Dictionary · by key");
    assert!(stage.screen().contains(row), "{}", stage.screen());
    stage.types("1");
    stage.resize(40, 8);
    stage.until("the small screen", |stage| !stage.screen().contains("Dict"));
    stage.until("the cursor row", |stage| stage.screen().contains(row));
    stage.resize(30, 5);
    stage.shows("30x5: spytui needs 40x8");
    stage.resize(60, 15);
    stage.until("the cursor row", on_row);
    stage.resize(80, 24);
    stage.shows("#418 @0x25e9");
    stage.until("the cursor row", on_row);
    // Every line is full: nothing of another size is left.
    stage.types("5");
    stage.shows("adds up");
    assert_eq!(stage.screen().matches("QS 7.3.3  oven-734.bin").count(), 1);
}

#[test]
fn no_key_is_lost_while_the_size_changes() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    // The names are unfolded.
    stage.types("gjj\r");
    stage.shows("names are shown as rows");
    stage.types("g");
    stage.shows("#1 @0x0");
    for i in 0..100 {
        stage.resize(80 + i % 2, 24);
        stage.types("j");
        stage.shows(&format!("#{} @", i + 2));
    }
}

#[test]
fn a_screen_of_one_size_is_the_same_however_it_came_to_be() {
    let mut a = spytui(file_args("oven-734.bin")).start();
    a.shows("2 360 rec");
    a.resize(200, 50);
    a.shows("build 261120");
    a.resize(40, 8);
    a.settles();
    a.resize(100, 30);
    a.shows("d hide");
    a.types("xG");
    a.shows("100 %");
    a.settles();
    let mut b = spytui(file_args("oven-734.bin")).size(100, 30).start();
    b.shows("2 360 rec");
    b.types("xG");
    b.until(&format!("the screen\n{}", a.screen()), |b| b.screen() == a.screen());
}

#[test]
fn host_times_and_dates_are_of_the_local_zone() {
    // Five hours behind UTC, so that no machine's time zone passes by chance.
    let hour = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() / 3_600;
    let local = |hour: u64| format!(" {:02}:", (hour + 24 - 5) % 24);
    let before = hour();
    let stage = spytui(["--demo", "qs"]).env("TZ", "<-05>5").env("SPYTUI_UI_TIME", "host").size(100, 24).start();
    stage.shows("AO-Post");
    let is_local = |stage: &Stage| (before..=hour()).any(|hour| stage.screen().contains(&local(hour)));
    stage.until("the local hour", is_local);
    let digits = |stage: &Stage| {
        let screen = stage.screen();
        let mut times = screen.lines().filter_map(|line| line.get(10..17));
        times.any(|fraction| {
            fraction.bytes().enumerate().all(|(i, b)| if i == 3 { b == b' ' } else { b.is_ascii_digit() })
        })
    };
    stage.until("microseconds", digits);
}

#[test]
fn over_ssh_panes_are_stacked() {
    let mut stage = spytui(file_args("oven-734.bin")).env("SSH_TTY", "/dev/pts/9").size(140, 30).start();
    stage.shows("2 360 rec");
    stage.types("2");
    stage.shows("─ Dictionary · by key");
    stage.has_never_shown("─┬─ Dictionary");
    let mut side = spytui(file_args("oven-734.bin"))
        .env("SSH_TTY", "/dev/pts/9")
        .env("SPYTUI_UI_LAYOUT", "side")
        .size(140, 30)
        .start();
    side.shows("2 360 rec");
    side.types("2");
    side.shows("─┬─ Dictionary");
}

#[test]
fn the_count_of_a_held_list_changes_twice_a_second() {
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.shows("AO-Post");
    stage.types("p");
    stage.shows("held +");
    let count = |stage: &Stage| {
        let screen = stage.screen();
        screen.split("held +").nth(1).and_then(|rest| rest.split('─').next()).unwrap_or_default().to_owned()
    };
    let (start, span) = (Instant::now(), Duration::from_secs(2));
    let mut counts = vec![count(&stage)];
    while start.elapsed() < span {
        let now = count(&stage);
        if counts.last() != Some(&now) {
            counts.push(now);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(counts.len() <= 6, "{counts:?}");
    stage.until("another count", |stage| count(stage) != counts[0]);
}
