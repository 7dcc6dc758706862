//! Capabilities of the terminal, from the environment, and the byte budget of its line: when the next frame may be
//! drawn.

use std::time::{Duration, Instant};

use super::text::Glyphs;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// No colours: attributes only.
    Mono,
    /// Eight; bold means bright.
    Eight,
    /// Sixteen and more.
    #[default]
    Sixteen,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capability {
    /// Character set it can show.
    pub glyphs: Glyphs,
    /// Colours it has and that may be used.
    pub depth: Depth,
    /// 256 colours, most of which are the same on every terminal.
    pub many_colours: bool,
    pub light: bool,
    pub ssh: bool,
    /// Answers queries for its modes.
    pub answers: bool,
}

/// Terminals whose names don't reveal that they have 256 colours.
const MODERN: [&str; 6] = ["kitty", "alacritty", "foot", "wezterm", "ghostty", "direct"];

impl Capability {
    /// Reads the process environment.
    pub fn of_process() -> Capability {
        Capability::from(|name| std::env::var(name).ok())
    }

    /// Reads an environment given as a function.
    pub fn from(var: impl Fn(&str) -> Option<String>) -> Capability {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let dumb = term == "dumb" || term.is_empty();
        let console = term == "linux" || term.starts_with("vt");
        Capability {
            glyphs: glyphs(&term, set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"))),
            depth: if dumb || set("NO_COLOR").is_some() || term.starts_with("vt") {
                Depth::Mono
            } else if console || term == "screen" || term == "ansi" {
                Depth::Eight
            } else {
                Depth::Sixteen
            },
            many_colours: term.contains("256color")
                || MODERN.iter().any(|name| term.contains(name))
                || set("COLORTERM").is_some_and(|depth| depth == "truecolor" || depth == "24bit"),
            light: set("COLORFGBG").is_some_and(|value| light(&value)),
            ssh: set("SSH_TTY").is_some() || set("SSH_CONNECTION").is_some(),
            answers: !dumb && !console,
        }
    }

    /// The theme that suits the terminal.
    pub fn theme(&self) -> &'static str {
        match (self.depth, self.light) {
            (Depth::Mono, _) => "mono",
            (_, true) => "light",
            (_, false) => "dark",
        }
    }

    /// Bytes per second that suit the line.
    pub fn budget(&self) -> u32 {
        if self.ssh { SSH_BUDGET } else { LOCAL_BUDGET }
    }
}

fn glyphs(term: &str, locale: Option<String>) -> Glyphs {
    let locale = locale.unwrap_or_default().to_lowercase();
    let utf8 = locale.contains("utf-8") || locale.contains("utf8");
    // There the marks are two cells wide, which would shift every row.
    let cjk = ["zh", "ja", "ko"].iter().any(|language| locale.starts_with(language));
    if !utf8 || cjk {
        Glyphs::Ascii
    } else if term == "linux" || term.starts_with("putty") {
        Glyphs::Cp437
    } else {
        Glyphs::Unicode
    }
}

/// `COLORFGBG` ends with the number of the background colour; 7 and the bright ones except 8 are light.
fn light(value: &str) -> bool {
    value.rsplit(';').next().and_then(|last| last.parse::<u8>().ok()).is_some_and(|n| n == 7 || (9..=15).contains(&n))
}

/// Maximum wait, so that a burst of answers does not stop the display for long.
const LONGEST_DEBT: Duration = Duration::from_secs(2);

/// Bytes per second over SSH.
pub const SSH_BUDGET: u32 = 40_000;
/// Bytes per second with `--slow`.
pub const SLOW_BUDGET: u32 = 10_000;
/// Bytes per second on a local terminal.
pub const LOCAL_BUDGET: u32 = 400_000;

#[derive(Debug, Clone)]
pub struct FrameBudget {
    budget: u32,
    interval: Duration,
    /// The line is busy with earlier output until then.
    paid: Option<Instant>,
    last: Option<Instant>,
}

impl FrameBudget {
    /// `budget` in bytes per second and at most `fps` frames per second; zeros count as one.
    pub fn new(budget: u32, fps: u32) -> FrameBudget {
        FrameBudget { budget: budget.max(1), interval: Duration::from_secs(1) / fps.max(1), paid: None, last: None }
    }

    /// Time until an ordinary frame may be drawn, at least `least` after the last one; zero if it may be drawn now.
    pub fn wait(&self, now: Instant, least: Duration) -> Duration {
        let paid = self.paid.map_or(Duration::ZERO, |paid| paid.saturating_duration_since(now));
        let due = self.last.map_or(now, |last| last + self.interval.max(least));
        paid.max(due.saturating_duration_since(now))
    }

    /// Records that a frame of `bytes` was written at `now`.
    pub fn spent(&mut self, now: Instant, bytes: usize) {
        let cost = Duration::from_secs_f64(bytes as f64 / f64::from(self.budget));
        let from = self.paid.map_or(now, |paid| paid.max(now));
        self.paid = Some((from + cost.min(LONGEST_DEBT)).min(now + LONGEST_DEBT));
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &[(&str, &str)]) -> Capability {
        let found = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        Capability::from(found)
    }

    #[test]
    fn the_environment_decides() {
        let xterm = with(&[("TERM", "xterm-256color"), ("LANG", "en_US.UTF-8")]);
        assert_eq!(xterm, Capability { answers: true, many_colours: true, ..Capability::default() });
        assert_eq!(xterm.budget(), LOCAL_BUDGET);
        let console = with(&[("TERM", "linux"), ("LANG", "C.UTF-8")]);
        assert_eq!((console.glyphs, console.depth, console.answers), (Glyphs::Cp437, Depth::Eight, false));
        assert!(!console.many_colours && with(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]).many_colours);
        let remote =
            with(&[("TERM", "xterm"), ("LC_ALL", "ja_JP.UTF-8"), ("SSH_TTY", "/dev/pts/1"), ("NO_COLOR", "1")]);
        assert_eq!((remote.glyphs, remote.depth, remote.budget()), (Glyphs::Ascii, Depth::Mono, SSH_BUDGET));
        assert_eq!((remote.theme(), xterm.theme()), ("mono", "dark"));
        assert!(!with(&[("TERM", "dumb")]).answers && !with(&[]).answers);
        assert_eq!(with(&[("TERM", "xterm"), ("LANG", "C"), ("NO_COLOR", "")]).glyphs, Glyphs::Ascii);
        assert_eq!(with(&[("TERM", "xterm"), ("NO_COLOR", "")]).depth, Depth::Sixteen);
        assert!(with(&[("TERM", "xterm"), ("COLORFGBG", "0;default;15")]).light);
        assert!(!with(&[("TERM", "xterm"), ("COLORFGBG", "15;0")]).light);
    }

    const ANY: Duration = Duration::ZERO;

    #[test]
    fn a_frame_waits_until_the_last_is_paid() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(10_000, 30);
        assert_eq!(pace.wait(start, ANY), Duration::ZERO);
        pace.spent(start, 5_000);
        assert_eq!(pace.wait(start, ANY), Duration::from_millis(500));
        assert_eq!(pace.wait(start + Duration::from_millis(200), ANY), Duration::from_millis(300));
        assert_eq!(pace.wait(start + Duration::from_millis(500), ANY), Duration::ZERO);
    }

    #[test]
    fn small_frames_keep_the_frame_cap() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(400_000, 20);
        pace.spent(start, 10);
        assert_eq!(pace.wait(start, ANY), Duration::from_millis(50));
    }

    #[test]
    fn frames_that_are_wanted_less_often_wait_longer() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(400_000, 20);
        assert_eq!(pace.wait(start, Duration::from_millis(80)), Duration::ZERO);
        pace.spent(start, 10);
        assert_eq!(pace.wait(start, Duration::from_millis(80)), Duration::from_millis(80));
        assert_eq!(pace.wait(start, Duration::from_millis(20)), Duration::from_millis(50));
    }

    #[test]
    fn debts_add_up_to_a_limit() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(10_000, 30);
        pace.spent(start, 5_000);
        pace.spent(start, 5_000);
        assert_eq!(pace.wait(start, ANY), Duration::from_secs(1));
        (0..100).for_each(|_| pace.spent(start, 50_000));
        assert_eq!(pace.wait(start, ANY), LONGEST_DEBT);
    }
}
