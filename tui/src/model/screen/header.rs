//! The two header lines: the link, and the losses first.

use std::time::{Duration, Instant};

use spytui_engine::{
    link::{LinkKind, LinkState},
    list::{RenderRequest, RowRenderer, RowSource},
    log::{RecordPhase, RecordState, format::size_text},
    present::clock::{grouped, short_count},
    store::{Counters, View},
};
use spytui_plugin_api::{Info, render::Want};

use crate::{
    model::{
        Model,
        links::{Links, Source},
    },
    term::{cut_middle, width},
};

/// While bytes come the header is painted again twice a second.
const EVERY: Duration = Duration::from_millis(500);
/// Minimum width for the build of the target in the second line.
const WIDE: usize = 110;

/// The header as it is drawn.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// First line.
    pub link: String,
    /// The link or the decoder is in trouble.
    pub alarm: bool,
    /// Second line, left: losses.
    pub losses: String,
    /// The losses in few words, for screens with one header line.
    pub short_losses: String,
    /// There are losses.
    pub lossy: bool,
    /// Second line, right: parts, the first ones matter most.
    pub rest: Vec<String>,
    /// Time and inputs when it was made.
    made: Option<(Instant, HeaderKey)>,
    /// The newest reset with its text.
    target: Option<(u64, String)>,
}

/// Inputs of a header; when one changes, the header is made again at once.
type HeaderKey = ((u16, u16), usize, LinkState, bool);

/// Makes the header lines again if they are outdated.
pub fn refresh(model: &mut Model, now: Instant) {
    let link = worst_state(&model.links);
    let over = link.is_over();
    // The duration of silence alone does not make a new header.
    let state = if let LinkState::Quiet(_) = link { LinkState::Quiet(Duration::ZERO) } else { link.clone() };
    let recording = model.links.shown().any(|source| source.status.recording.is_some());
    let key = (model.screen.size, model.links.list_shown(), state, recording);
    let recent = |(at, made): &(Instant, HeaderKey)| now.duration_since(*at) < EVERY && *made == key;
    if !over && model.screen.header.made.as_ref().is_some_and(recent) {
        return;
    }
    follow_target(model);
    let target = model.screen.header.target.take();
    let title = target.as_ref().map(|t| t.1.clone()).unwrap_or_default();
    let mut header = header(model, &link, title);
    header.made = Some((now, key));
    header.target = target;
    model.screen.header = header;
}

fn header(model: &Model, link: &LinkState, target: String) -> Header {
    let rows = &model.list.rows;
    let info = &model.list.decoding().decoder.info;
    let c = &rows.counters();
    let failed = rows.read_all().iter().any(|state| state.fault.is_some());
    let room = usize::from(model.screen.size.0);
    let drops = rows.drops();
    let rate = if is_up(link) {
        format!("{}/s", short_count(model.links.shown().map(|s| s.rate.records).sum()))
    } else {
        String::new()
    };
    let sizes = if model.links.first().autodetect.is_used() { "sizes: guess" } else { "" };
    let shown = c.rows.records.saturating_sub(model.list.redundant_count());
    let mut rest = vec![format!("{} rec", grouped(shown)), rate, sizes.to_owned(), unchecked(info)];
    if drops.is_none() {
        rest.insert(2, "drops n/a".to_owned());
    }
    if room >= WIDE {
        rest.push(target);
    }
    rest.retain(|part| !part.is_empty());
    let dropped = drops.map_or(0, |d| d.0);
    let sums = [("gaps", c.rows.gaps), ("bad", c.bad()), ("skipped", c.rows.skipped_bytes), ("target drops", dropped)];
    let worst = sums.iter().find(|s| s.1 > 0).map(|(word, n)| format!("{word} {}", grouped(*n)));
    Header {
        link: link_line(model, link, room),
        alarm: matches!(link, LinkState::NoLink { .. } | LinkState::Failed(_) | LinkState::Changed(_)) || failed,
        losses: losses(info, c, drops),
        lossy: worst.is_some(),
        short_losses: if c.rows.lost > 0 {
            format!("≥{} lost", grouped(c.rows.lost))
        } else {
            worst.unwrap_or_default()
        },
        rest,
        ..Header::default()
    }
}

/// ` QS  ttyUSB0 115200   ● live 00:12:31    11.2 kB/s  97% of line     rec 4.1 MB`
fn link_line(model: &Model, link: &LinkState, room: usize) -> String {
    let links = &model.links;
    let source = links.first();
    let id = model.list.decoding().decoder.info.id.to_uppercase();
    let mut rates = vec![String::new()];
    if is_up(link) {
        let bytes = links.shown().map(|s| s.rate.bytes).sum();
        let rate = format!("    {:>9}", rate_text(bytes));
        rates.insert(0, rate.clone());
        if let (Some(line @ 1..), true) = (source.status.facts.line_rate, links.scope.len() == 1) {
            let share = (source.rate.bytes * 100).div_ceil(u64::from(line)).min(999);
            rates.insert(0, format!("{rate}  {share}% of line"));
        }
    }
    let right = recording_text(links.shown());
    let end = if right.is_empty() { 0 } else { width(&right) + 2 };
    let (name, words) = (names(links, room), link_words(model, link));
    if let (false, Some(tick)) = (is_up(link), model.list.rows.clock().tick_text()) {
        rates.insert(0, format!("    {tick}"));
    }
    // What does not fit goes: the share of the line, the rate, the middle of the name.
    let spare = room.saturating_sub(width(&id) + width(&words) + 6 + end);
    let fits = |rate: &&String| width(&name) + width(rate) <= spare;
    let rate = rates.iter().find(fits).cloned().unwrap_or_default();
    let name = cut_middle(&name, spare.max(8), "…");
    let left = format!(" {id}  {name}   {words}{rate}");
    let gap = room.saturating_sub(width(&left) + width(&right) + 1);
    if right.is_empty() { left } else { format!("{left}{}{right}", " ".repeat(gap.max(1))) }
}

/// Names of the links shown.
fn names(links: &Links, room: usize) -> String {
    match links.scope.as_slice() {
        [_] => name_of(links.first(), room),
        all => {
            let names: Vec<String> = links.shown().map(Source::name).collect();
            format!("{} sources: {}", all.len(), names.join(" "))
        }
    }
}

/// The most urgent state of the links shown.
fn worst_state(links: &Links) -> LinkState {
    let urgency = |state: &LinkState| match state {
        LinkState::Failed(_) | LinkState::Changed(_) => 5,
        LinkState::NoLink { .. } => 4,
        LinkState::Waiting(_) => 3,
        LinkState::Live => 2,
        LinkState::Quiet(_) => 1,
        LinkState::Ended => 0,
    };
    let states = links.shown().map(|source| source.status.state.clone());
    states.rev().max_by_key(urgency).unwrap_or(LinkState::Ended)
}

/// Text of the newest reset: which build of the target this is.
fn follow_target(model: &mut Model) {
    let decoding = model.list.decoding().clone();
    let newest = decoding.read().resets.back().copied();
    let known = model.screen.header.target.as_ref().map(|t| t.0);
    if newest == known {
        return;
    }
    let ask = RenderRequest { want: Want::TEXT, view: View::Effective, short: true, before: None };
    let mut target = None;
    RowRenderer::default().items(&*decoding, newest, ask, |row, item| {
        let what = item.line().what;
        // What the host says of the reset comes first, the sizes follow after a comma.
        let told = what.rsplit(" · ").next().and_then(|told| told.split(", ").next());
        target = Some((row, told.unwrap_or_default().to_owned()));
        false
    });
    model.screen.header.target = target;
}

/// `true` if bytes may arrive, so that rates are meaningful.
fn is_up(link: &LinkState) -> bool {
    matches!(link, LinkState::Live)
}

/// ` gaps 14 (≥58 lost)  bad 9  skipped 212 B`: losses known from the protocol, and drops of the target.
fn losses(info: &Info, c: &Counters, drops: Option<(u64, u64)>) -> String {
    let mut text = String::new();
    if info.has_sequence() {
        text = format!(" gaps {}", grouped(c.rows.gaps));
        if c.rows.lost > 0 {
            text.push_str(&format!(" (≥{} lost)", grouped(c.rows.lost)));
        }
        text.push(' ');
    }
    text.push_str(&format!(" bad {}  skipped {} B", grouped(c.bad()), grouped(c.rows.skipped_bytes)));
    match drops {
        Some((0, _)) => text.push_str("  target drops 0"),
        Some((dropped, places)) => text.push_str(&format!("  target drops {}", in_places(dropped, places))),
        None => {}
    }
    text
}

/// `97 in 5 places`.
pub fn in_places(n: u64, places: u64) -> String {
    format!("{} in {} {}", grouped(n), grouped(places), if places == 1 { "place" } else { "places" })
}

/// Missing means of detecting damage and losses: `no checksum, no seq`.
fn unchecked(info: &Info) -> String {
    let what = [(info.has_checksum, "no checksum"), (info.has_sequence(), "no seq")];
    let missing: Vec<&str> = what.into_iter().filter(|w| !w.0).map(|w| w.1).collect();
    missing.join(", ")
}

/// Name of the link: with the rate that the driver has, or the size of the file.
fn name_of(source: &Source, room: usize) -> String {
    let name = source.name();
    let Some(spec) = source.link() else { return name };
    match &spec.kind {
        LinkKind::Serial(serial) => {
            let baud = source.status.facts.baud.unwrap_or(serial.baud);
            let format = serial.format();
            if room >= 100 || format != "8N1" { format!("{name} {baud} {format}") } else { format!("{name} {baud}") }
        }
        _ if source.log().file_path().is_some() => format!("{name}  {}", size_text(source.log().len())),
        _ => name,
    }
}

fn recording_text<'a>(sources: impl Iterator<Item = &'a Source>) -> String {
    let all: Vec<&RecordState> = sources.filter_map(|source| source.status.recording.as_ref()).collect();
    let is = |phase: fn(&RecordPhase) -> bool| all.iter().any(|r| phase(&r.phase));
    if all.is_empty() {
        String::new()
    } else if is(|p| matches!(p, RecordPhase::Failed(_))) {
        "rec FAILED".to_owned()
    } else if is(|p| matches!(p, RecordPhase::Recording)) {
        format!("rec {}", size_text(all.iter().map(|r| r.bytes).sum()))
    } else {
        "rec stopped".to_owned()
    }
}

fn rate_text(bytes: u64) -> String {
    match bytes {
        0..=999 => format!("{bytes} B/s"),
        1_000..=999_999 => format!("{}.{} kB/s", bytes / 1000, bytes / 100 % 10),
        _ => format!("{}.{} MB/s", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// The state of the link in words: `● live 00:12:31`, `file 100 %`, `quiet 6 s`.
fn link_words(model: &Model, link: &LinkState) -> String {
    let links = &model.links;
    match link {
        LinkState::Ended if links.shown().all(|s| s.log().file_path().is_some()) => {
            let pos: u64 = links.shown().map(|s| s.decoding().pos()).sum();
            let len = links.shown().map(|s| s.log().len()).sum::<u64>().max(1);
            format!("file {} %", pos * 100 / len)
        }
        LinkState::Live => {
            let s = model.now.saturating_duration_since(links.first().opened).as_secs();
            format!("● live {:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
        }
        LinkState::Quiet(time) => {
            let s = time.as_secs();
            let s = if s < 10 { s } else { s / 10 * 10 };
            format!("quiet {s} s")
        }
        other => other.words(),
    }
}
