//! Random keys, commands, pastes, clicks, sizes and stops: afterwards keys are still answered, and the terminal is
//! restored. `RANDOM_KEYS=600` continues for that many seconds; `RANDOM_KEYS=0,7` replays the session of seed 7.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::rig::{Stage, file_args, spytui, together};

/// Number of sessions in the gate.
const SESSIONS: u64 = 6;
const ACTIONS: usize = 240;
/// Number of actions between checks that keys are answered.
const BETWEEN: usize = 40;
/// Number of times that a user on a busy machine presses Esc until an answer appears.
const TRIES: usize = 10;

const LETTERS: &str = "jkgGpFbnNfyAqz:/?TtrvVmMuUxXeEwWcCaAdsSlhHLio<>().,+-[]='0123456789\"&YZ@#$%^!~;*|\\ é→";
const SEQUENCES: [&str; 34] = [
    "\x1b",
    "\x1b",
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[H",
    "\x1b[F",
    "\x1b[2~",
    "\x1b[3~",
    "\x1bOP",
    "\x1bOQ",
    "\t",
    "\x1b[Z",
    "\r",
    "\x7f",
    "\x04",
    "\x15",
    "\x0c",
    "\x0f",
    "\x17",
    "\x01",
    "\x05",
    "\x0b",
    "\x1bx",
    "\x1b[1;5C",
    "\x1b[I",
    "\0",
    "-k",
    "+o",
    "-s",
    "+f",
];
const COMMANDS: [&str; 24] = [
    "proto",
    "set",
    "show",
    "filter",
    "filter why",
    "filter save",
    "target",
    "find",
    "goto",
    "mark",
    "names clear",
    "name",
    "formats",
    "plugin list",
    "stats",
    "help",
    "nonsense",
    "5",
    "#7",
    "dict save",
    "write",
    "export sequence",
    "record",
    "open",
];
const WORDS: [&str; 24] = [
    "motor",
    "AO(l_door)",
    "*",
    "\"",
    "\\",
    "-",
    "@x",
    "'a",
    "#5",
    "12.5ms",
    "@0x1a4f0",
    "gap",
    "error",
    "first",
    "kind:Tran",
    "sev>=warning",
    "(",
    "not",
    "/[/",
    "ui.theme",
    "light",
    "18446744073709551616",
    "x.csv",
    "demo:qs",
];
const PASTES: [&str; 6] = ["line1\nline2\r\nline3", ":q\r", "\x1b]52;c;AA\x07", "\x1b[A\x1b", "\0\x01\x02é", ""];
const SIZES: [(u16, u16); 9] =
    [(80, 24), (80, 24), (5, 2), (1, 1), (300, 100), (20, 5), (160, 40), (60, 20), (170, 24)];

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn keys(&mut self) -> String {
        let letters: Vec<char> = LETTERS.chars().collect();
        let count = [1, 1, 2, 5, 20][self.below(5)];
        let mut key = || match self.below(10) {
            0..7 => self.one(&letters).to_string(),
            _ => (*self.one(&SEQUENCES)).to_owned(),
        };
        (0..count).map(|_| key()).collect()
    }

    fn command(&mut self) -> String {
        let words: Vec<&str> = (0..self.below(3)).map(|_| *self.one(&WORDS)).collect();
        let (command, tabs) = (self.one(&COMMANDS).to_string(), "\t".repeat(self.below(3)));
        let end = *self.one(&["\r", "\r", "\r\r", "\x1b", "?"]);
        format!("\x1b\x1b:{command} {}{tabs}{end}", words.join(" "))
    }

    fn click(&mut self) -> String {
        let (button, end) = (*self.one(&[0, 0, 1, 2, 32, 35, 64, 65]), *self.one(&['M', 'm']));
        let place = [0, 1, 99_999, self.below(310), self.below(110)];
        format!("\x1b[<{button};{};{}{end}", self.one(&place), self.one(&place))
    }

    fn typed(&mut self) -> String {
        match self.below(20) {
            0..12 => self.keys(),
            12..16 => self.command(),
            16..18 => self.click(),
            _ => format!("\x1b[200~{}\x1b[201~", self.one(&PASTES).repeat([1, 1, 300][self.below(3)])),
        }
    }
}

/// Types in pieces that end anywhere, as on a slow line.
fn type_in_pieces(stage: &Stage, random: &mut Random, text: &str) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(1 + random.below(rest.len()));
        stage.types_bytes(piece);
        std::thread::sleep(Duration::from_millis([0, 0, 0, 2, 20][random.below(5)]));
        rest = behind;
    }
}

fn act(stage: &Stage, random: &mut Random) {
    match random.below(30) {
        0 => {
            let (width, height) = *random.one(&SIZES);
            stage.resize(width, height);
        }
        1 => {
            stage.types_bytes(b"\x1a");
            std::thread::sleep(Duration::from_millis(5));
            stage.signal(Signal::CONT);
        }
        _ => {
            let text = random.typed();
            type_in_pieces(stage, random, &text);
        }
    }
}

/// Leaves whatever is open, like users do, and types a word into the command line. `false` if the program has ended.
fn answers(stage: &Stage, word: &str) -> bool {
    stage.resize(80, 24);
    for _ in 0..TRIES {
        // A requested stop may come late.
        stage.signal(Signal::CONT);
        stage.types_bytes(b"\x1b");
        std::thread::sleep(Duration::from_millis(200));
        stage.types_bytes(format!("\x1b\x1b\x1b:{word}").as_bytes());
        if stage.comes_within(Duration::from_secs(3), |stage| stage.screen().contains(word) || stage.has_ended()) {
            return !stage.has_ended();
        }
    }
    panic!("no key is answered; {word} is not in the screen:\n{}\n----", stage.screen());
}

fn session(seed: u64) {
    let mut random = Random(seed);
    let is_live = spytui_demo_target::AVAILABLE && seed.is_multiple_of(2);
    let args = if is_live { vec!["--demo".into(), "qs".into()] } else { file_args("oven-734.bin") };
    let mut stage = spytui(args).env("SPYTUI_UI_MOUSE", "true").start();
    stage.is_claimed();
    for turn in 0..ACTIONS {
        act(&stage, &mut random);
        if turn % BETWEEN == BETWEEN - 1 && !answers(&stage, &format!("zq{seed}x{turn}")) {
            break;
        }
    }
    if answers(&stage, &format!("zq{seed}last")) {
        stage.types("\x15q\r");
    }
    let code = stage.code();
    assert_eq!(code, 0, "seed {seed}; the screen:\n{}", stage.screen());
    stage.is_left();
}

#[test]
fn keys_are_answered_after_random_ones() {
    let asked = std::env::var("RANDOM_KEYS").unwrap_or_default();
    let (seconds, first) = asked.split_once(',').unwrap_or((&asked, "1"));
    let time = Duration::from_secs(seconds.parse().unwrap_or(0));
    let (first, start): (u64, _) = (first.parse().unwrap(), Instant::now());
    let sessions = if asked.contains(',') { 1 } else { SESSIONS };
    together(&(first..first + sessions).collect::<Vec<_>>(), |seed| session(*seed));
    (first + sessions..).take_while(|_| start.elapsed() < time).for_each(session);
}
