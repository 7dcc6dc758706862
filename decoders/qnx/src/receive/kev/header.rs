//! The header of a file or live stream, and the system page after it.

use memchr::memmem;
use spytui_plugin_api::{AttachmentId, Output, Row, RowFlags, RowKind, info::prop};

use super::{Buffers, Kev, Stage};
use crate::{
    config::{MOST_CPUS, Target},
    layout::{NEW_RUN, note},
    receive::{Companion, Ending, Search},
    record::{Attributes, BEGIN, END, attributes},
};

/// Maximum length of a header; anything longer is not a header.
const LONGEST: usize = 64 * 1024;
const COMPANION: &str = "STY";
/// Maximum number of system page bytes per row.
const PIECE: u64 = 64 * 1024;

impl Kev {
    pub(super) fn header(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> (usize, bool) {
        let window = bytes.get(..LONGEST).unwrap_or(bytes);
        let searched = (self.no_end_before.saturating_sub(pos) as usize).min(window.len());
        let rest = window.get(searched..).unwrap_or(&[]);
        let len = memmem::find(rest, END).map(|at| searched + at + END.len());
        if len.is_none() {
            self.no_end_before = pos + (window.len() + 1).saturating_sub(END.len()) as u64;
        }
        match len.and_then(|len| bytes.get(..len)) {
            Some(header) => {
                // A header that was cut off, and the next one.
                if let Some(at) = memmem::rfind(header, BEGIN).filter(|&at| at > 0) {
                    self.skipped(Search::default(), pos, header.get(..at).unwrap_or(header), out);
                    self.stage = Stage::Header;
                    return (at, true);
                }
                self.begin_run(pos, header, out);
                (header.len(), true)
            }
            None if bytes.len() >= LONGEST || ending.is_some() => {
                self.stage = Stage::Search(Search::PAST_FIRST);
                (0, true)
            }
            None => (0, false),
        }
    }

    /// Starts a new run, after which nothing from before applies.
    fn begin_run(&mut self, pos: u64, header: &[u8], out: &mut Output<'_>) {
        self.give_up_all(pos, out);
        self.end_buffer(pos, None, out);
        self.buffers = Buffers::default();
        self.cpus.restart();
        self.now = 0;
        self.last = None;
        if self.begun {
            self.known.clear(out);
        }
        let attributes = attributes(header);
        let target = self.target_of(&attributes);
        let row = self.row(Row::note(RowKind::PROLOG, pos, header.len()));
        let epoch = if self.begun { RowFlags::EPOCH } else { RowFlags::empty() };
        self.release_is_known = self.options.release.is_some() || attributes.number("SYS_RELEASE").is_some();
        self.companion = Companion::new(attributes.number(COMPANION) == Some(1));
        self.configure(target, out);
        if !self.is_another_boot(&attributes) && self.begun {
            out.attachment_bytes(AttachmentId::NEW_EPOCH, NEW_RUN);
        }
        out.row(Row { flags: row.flags | epoch, cfg: self.cfg, ..row });
        out.clock(self.cpus.clock());
        let end = pos + header.len() as u64;
        self.contradictions(end, target, out);
        properties(&attributes, target, out);
        let left = attributes.number("SYSPAGE_LEN").unwrap_or(0);
        self.stage = if left > 0 { Stage::SystemPage { left } } else { Stage::Events };
    }

    /// Whether the target has been restarted since the previous run; a run begins whenever the logger starts.
    fn is_another_boot(&mut self, attributes: &Attributes<'_>) -> bool {
        let Some(boot) = attributes.get("BOOT_DATE") else { return false };
        let before = self.boot.replace(boot.to_vec());
        before.is_some_and(|before| before != boot)
    }

    /// The target according to the header, completed by options.
    fn target_of(&self, attributes: &Attributes<'_>) -> Target {
        let otherwise = self.options.target();
        let release = attributes.number("SYS_RELEASE").map(|release| release.clamp(6, 8) as u8);
        let cpus = attributes.number("CPU_NUM").and_then(|cpus| u8::try_from(cpus).ok());
        Target {
            big: attributes.is_big().unwrap_or(otherwise.big),
            release: release.unwrap_or(otherwise.release),
            cpus: cpus.filter(|cpus| (1..=MOST_CPUS).contains(cpus)).unwrap_or(otherwise.cpus),
            rate: attributes.number("CYCLES_PER_SEC").filter(|&rate| rate > 0).unwrap_or(otherwise.rate),
        }
    }

    /// Notes where the header contradicts the options.
    fn contradictions(&self, pos: u64, target: Target, out: &mut Output<'_>) {
        let order = |big: bool| if big { "big" } else { "little" }.to_owned();
        let said = |key: &str, given: Option<String>, found: String| {
            given.filter(|given| *given != found).map(|given| format!("{key} is {found}, not {given} as set"))
        };
        let options = &self.options;
        let all = [
            said("profile", options.profile.map(|profile| profile.name().to_owned()), "kev".to_owned()),
            said("endian", options.big.map(order), order(target.big)),
            said("release", options.release.map(|n| n.to_string()), target.release.to_string()),
            said("cpus", options.cpus.map(|n| n.to_string()), target.cpus.to_string()),
            said("cycles-per-sec", options.rate.map(|n| n.to_string()), target.rate.to_string()),
        ];
        for text in all.into_iter().flatten() {
            self.say(RowKind::CONFLICT, pos, &text, out);
        }
    }

    /// Takes the system page, in pieces if it is long.
    pub(super) fn system_page(
        &mut self,
        pos: u64,
        bytes: &[u8],
        left: u64,
        ending: Ending,
        out: &mut Output<'_>,
    ) -> (usize, bool) {
        let piece = left.min(PIECE);
        let there = piece.min(bytes.len() as u64);
        if there < piece && ending.is_none() {
            return (0, false);
        }
        if there > 0 {
            self.note(Row::note(note::SYSTEM_PAGE, pos, there as usize), out);
        }
        let left = left - there;
        self.stage = if left > 0 { Stage::SystemPage { left } } else { Stage::Events };
        (there as usize, there == piece)
    }
}

fn properties(attributes: &Attributes<'_>, target: Target, out: &mut Output<'_>) {
    let release = attributes.text("SYS_RELEASE").unwrap_or_default();
    let system = format!("kev {release}  {} CPU", target.cpus);
    out.prop(prop::SYSTEM, 0, system.as_bytes());
}
