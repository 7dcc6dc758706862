//! The two header lines: the link with what decides how its bytes are read, and the losses first; and the title of the list.

use std::time::{Duration, Instant};

use spytui_engine::{
    device::switches::Masked,
    io::{
        link::{LinkKind, LinkState},
        log::{RecordPhase, RecordState, format::size_text},
    },
    present::{
        clock::{grouped, short_count},
        sanitise,
    },
    store::Counters,
};
use spytui_plugin_api::{
    Info,
    batch::AttrId,
    info::{OptKind, prop, space},
};

use crate::{
    model::{
        Model,
        links::{Links, Source, WayBack},
        list::Collapse,
        loss_words::{drops as drops_text, loss_unit, lost, unchecked, unit_word},
        search, target,
    },
    term::{Role, cut_middle, end_marked, width},
    widget::TitleRule,
};

/// Repaint interval of the header while bytes arrive.
const EVERY: Duration = Duration::from_millis(500);
/// Minimum width for showing the target's build in the second line.
const WIDE: usize = 110;
/// Blanks between the parts on the right.
const GAP: usize = 3;
/// Percentage of the line rate above which the line is called too small.
const BUSY_LINE: u64 = 80;
/// Number of words listed of the target's filter.
const MASKED_LISTED: usize = 3;

pub type Piece = (String, Role);

#[derive(Debug, Clone, Default)]
pub struct ScreenHeader {
    pub link: Vec<Piece>,
    /// Second line, left: losses.
    pub losses: Vec<Piece>,
    /// The losses in few words, for screens with one header line; may be empty.
    pub short_losses: String,
    /// Second line, right: long and short form of each part, most important first.
    pub rest: Vec<[String; 2]>,
    /// Maximum width of each part of the losses so far.
    places: Vec<usize>,
    /// Time and inputs when it was made.
    made: Option<(Instant, HeaderKey)>,
}

/// Inputs of a header; when one changes, it is made again at once.
type HeaderKey = ((u16, u16), usize, LinkState, bool);

/// Updates the header lines if outdated.
pub fn refresh(model: &mut Model, now: Instant) {
    let link = worst_state(&model.links);
    let over = link.is_over();
    // The duration of silence alone does not cause an update.
    let state = if let LinkState::Quiet(_) = link { LinkState::Quiet(Duration::ZERO) } else { link.clone() };
    let recording = model.links.shown().any(|source| source.status.recording.is_some());
    let key = (model.screen.size, model.links.list_shown(), state, recording);
    let recent = |(at, made): &(Instant, HeaderKey)| now.duration_since(*at) < EVERY && *made == key;
    if !over && model.screen.header.made.as_ref().is_some_and(recent) {
        return;
    }
    let mut header = header(model, &link);
    let before = &mut model.screen.header;
    let is_same_list = before.made.as_ref().is_some_and(|(_, made)| (made.0, made.1) == (key.0, key.1));
    header.places = if is_same_list { std::mem::take(&mut before.places) } else { Vec::new() };
    in_places(&mut header.losses, &mut header.places);
    header.made = Some((now, key));
    model.screen.header = header;
}

/// Keeps figures in place: each has the maximum width it ever needed. `pieces` = blanks and figures, alternating.
fn in_places(pieces: &mut [Piece], places: &mut Vec<usize>) {
    places.resize(pieces.len(), 0);
    let mut spare = 0;
    for ((text, _), place) in pieces.iter_mut().zip(places) {
        if text.trim().is_empty() {
            text.push_str(&" ".repeat(spare));
        } else {
            *place = width(text).max(*place);
            spare = *place - width(text);
        }
    }
}

fn header(model: &Model, link: &LinkState) -> ScreenHeader {
    let rows = &model.list.rows;
    let info = &model.list.decoding().decoder.info;
    let c = &rows.counters();
    let failed = rows.read_all().iter().any(|state| state.fault.is_some());
    let room = usize::from(model.screen.size.0);
    let drops = rows.drops();
    let reading = reading(model);
    let rate = if *link == LinkState::Live {
        // Constant width, so that the figures beside it don't jump.
        format!("{:>5}/s", short_count(model.links.shown().map(|s| s.rate.records).sum()))
    } else {
        String::new()
    };
    let shown = c.rows.records.saturating_sub(model.list.redundant_count());
    let same = |part: String| [part.clone(), part];
    let losses = if rows.is_joint { losses_by_source(model) } else { losses(info, c, drops) };
    let mut rest = vec![same(format!("{} rec", grouped(shown))), same(rate)];
    let sizes_at = rest.len();
    if drops.is_none() {
        rest.push(["target drops n/a".to_owned(), "drops n/a".to_owned()]);
    }
    // Sizes that the target did not report are more important.
    let sizes_at = if reading.is_known { rest.len() } else { sizes_at };
    rest.insert(sizes_at, same(reading.sizes.clone()));
    rest.push(same(unchecked(info)));
    let source = model.links.addressed();
    let masked = Masked::of(source.decoding(), &source.status.target, source.status.way_back != WayBack::Never);
    // Beside the number of records.
    let beside = width_of(&losses) + 3 + width(&rest[0][0]) + 2 * GAP;
    let [long, fewer] = masked_words(&masked, room.saturating_sub(beside));
    match masked {
        // Intentionally missing records are as important as losses.
        Masked::Off(_) | Masked::Unknown | Masked::Lost if room < WIDE => rest.insert(1, [long, fewer]),
        Masked::Off(_) | Masked::Unknown | Masked::Lost => rest.insert(1, same(long)),
        _ if room >= WIDE => rest.push(same(long)),
        _ => {}
    }
    let under_way = target::under_way(source, model.now);
    rest.splice(1..1, under_way);
    if room >= WIDE {
        rest.push(same(reading.build.clone()));
    }
    rest.retain(|part| !part[0].is_empty());
    let dropped = drops.map_or(0, |d| d.0.max(d.1));
    let sums = [("gaps", c.rows.gaps), ("bad", c.bad()), ("skipped", c.rows.skipped_bytes), ("target drops", dropped)];
    let own = c.header_losses(info);
    let worst = own.iter().chain(&sums).find(|s| s.1 > 0).map(|(word, n)| format!("{word} {}", grouped(*n)));
    let mut line = link_line(model, link, room, &reading);
    if matches!(link, LinkState::NoLink { .. } | LinkState::Failed(_) | LinkState::Changed(_)) || failed {
        line.iter_mut().for_each(|piece| piece.1 = Role::Error);
    }
    ScreenHeader {
        link: line,
        losses,
        short_losses: worst.map_or_else(String::new, |worst| {
            if c.rows.lost > 0 && !rows.is_joint { units_lost(info, c) } else { worst }
        }),
        rest,
        ..ScreenHeader::default()
    }
}

/// ` QS  ttyUSB0 115200   ● live 00:12:31    11.2 kB/s  97% of line     rec 4.1 MB`
fn link_line(model: &Model, link: &LinkState, room: usize, reading: &Reading) -> Vec<Piece> {
    let to_choose = model.links.addressed().autodetect.is_to_choose();
    let id = match to_choose {
        _ if model.list.rows.is_joint => "ALL".to_owned(),
        true => "AUTO".to_owned(),
        false => model.list.decoding().decoder.info.id.to_uppercase(),
    };
    let rates = rates(model, link);
    let right = [recording_text(model.links.shown()), open_front_end(model.links.shown())].join("  ");
    let right = right.trim();
    let end = if right.is_empty() { 0 } else { width(right) + 2 };
    let (name, words) = (names(&model.links, room), link_words(model, link));
    // If there is no room, the version is dropped first, then the share of the line, the rate, the middle of the name.
    let spare = room.saturating_sub(width(&id) + width(&words) + 6 + end);
    let fits = |rate: &&Vec<Piece>| width(&name) + width_of(rate) <= spare;
    let rate = rates.iter().find(fits).cloned().unwrap_or_default();
    let version = format!(" {}", reading.version);
    let has_version = !reading.version.is_empty() && !model.list.rows.is_joint;
    let with_version = has_version && width(&name) + width_of(&rate) + width(&version) <= spare;
    let version = if with_version { version.as_str() } else { "" };
    let name = cut_middle(&name, spare.max(8), "…");
    let mut line = vec![(format!(" {id}{version}  {name}   {words}"), Role::Title)];
    line.extend(rate);
    if !right.is_empty() {
        let gap = room.saturating_sub(width_of(&line) + width(right) + 1);
        line.push((format!("{}{right}", " ".repeat(gap.max(1))), Role::Title));
    }
    line
}

fn width_of(pieces: &[Piece]) -> usize {
    pieces.iter().map(|(text, _)| width(text)).sum()
}

/// Rates of the links shown, longest text first: with and without the share of the line.
fn rates(model: &Model, link: &LinkState) -> Vec<Vec<Piece>> {
    let links = &model.links;
    // No rates if no bytes may arrive.
    if *link != LinkState::Live {
        let tick = model.list.rows.clock().tick_text();
        return tick.into_iter().map(|tick| vec![(format!("    {tick}"), Role::Title)]).collect();
    }
    let bytes = links.shown().map(|s| s.rate.bytes).sum();
    let rate = vec![(format!("    {:>9}", rate_text(bytes)), Role::Title)];
    let source = links.addressed();
    let (Some(line @ 1..), [_]) = (source.status.facts.line_rate, links.scope.as_slice()) else { return vec![rate] };
    let with_share = [rate.clone(), line_share(source.rate.bytes, line.into())].concat();
    vec![with_share, rate]
}

/// `  97% of line`, as a warning if the line is nearly full.
fn line_share(bytes: u64, line: u64) -> Vec<Piece> {
    let share = (bytes * 100).div_ceil(line).min(999);
    let (sign, role) = if share > BUSY_LINE { ("!", Role::Warning) } else { (" ", Role::Title) };
    vec![(" ".to_owned(), Role::Title), (format!("{sign}{share}% of line"), role)]
}

fn names(links: &Links, room: usize) -> String {
    match links.scope.as_slice() {
        [_] => name_of(links.addressed(), room),
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

/// The losses of each source that has some.
fn losses_by_source(model: &Model) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (source, part) in model.links.shown().zip(&*model.list.rows.parts) {
        let (info, state) = (&part.decoder.info, part.read());
        let drops = state.counters.report_drops(info).then(|| state.drops());
        let own = losses(info, &state.counters, drops);
        // Only what is lost, on a narrow screen only the first of it: several sources have to fit.
        let most = if usize::from(model.screen.size.0) < WIDE { 1 } else { usize::MAX };
        let lost = own.chunks(2).filter(|pair| pair[1].1 == Role::Loss).take(most);
        let mut lost: Vec<Piece> = lost.flatten().cloned().collect();
        let Some((gap, _)) = lost.first_mut() else { continue };
        *gap = " ".to_owned();
        pieces.push((format!("  {}:", source.name()), Role::Title));
        pieces.extend(lost);
    }
    if pieces.is_empty() { vec![("  nothing lost".to_owned(), Role::Plain)] } else { pieces }
}

/// ` gaps 14 (≥58 lost)  bad 9  skipped 212 B`: losses known from the protocol, and drops of the target. Only non-zero
/// figures look like losses.
fn losses(info: &Info, c: &Counters, drops: Option<(u64, u64)>) -> Vec<Piece> {
    let mut figures = Vec::new();
    let own = c.header_losses(info);
    if !own.is_empty() {
        let unit = loss_unit(info);
        figures.push((c.rows.lost, format!("{unit}s lost {}", lost(info, c))));
        figures.extend(own.iter().map(|(word, n)| (*n, format!("{word} {}", grouped(*n)))));
    } else if !c.reports_losses(info) {
        // The stream does not report it, or not yet.
        figures.push((0, "gaps n/a".to_owned()));
    } else if info.has_sequence() {
        let lost = if c.rows.lost > 0 { format!(" ({})", units_lost(info, c)) } else { String::new() };
        figures.push((c.rows.gaps, format!("gaps {}{lost}", grouped(c.rows.gaps))));
    }
    if own.is_empty() || c.bad() > 0 {
        let is_known = c.reports_losses(info) || c.bad() > 0;
        figures.push((c.bad(), format!("bad {}", if is_known { grouped(c.bad()) } else { "n/a".to_owned() })));
    }
    figures.push((c.rows.skipped_bytes, format!("skipped {} B", grouped(c.rows.skipped_bytes))));
    match drops {
        // Beside many other figures, in short.
        Some((0, places @ 1..)) if !own.is_empty() => figures.push((places, format!("drops ≥{}", grouped(places)))),
        // The places are gaps, shown beside it.
        Some((dropped, _)) if c.rows.drop_reports > 0 => {
            figures.push((dropped, format!("target drops {}", grouped(dropped))));
        }
        Some((dropped @ 1.., _)) if !own.is_empty() => figures.push((dropped, format!("drops {}", grouped(dropped)))),
        Some(drops) => figures.push((drops.0.max(drops.1), format!("target drops {}", drops_text(drops)))),
        None => {}
    }
    let mut pieces = Vec::new();
    for (n, text) in figures {
        let gap = if pieces.is_empty() { " " } else { "  " };
        pieces.push((gap.to_owned(), Role::Plain));
        pieces.push((text, if n > 0 { Role::Loss } else { Role::Plain }));
    }
    pieces
}

/// `≥58 lost`, `3 buffers lost`
fn units_lost(info: &Info, c: &Counters) -> String {
    let unit = if info.loss_unit.is_empty() { String::new() } else { format!(" {}", unit_word(info, c.rows.lost)) };
    format!("{}{unit} lost", lost(info, c))
}

/// Name of the link, with the driver's rate or the file's size.
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

/// Where front ends are served, if other machines reach it.
fn open_front_end<'a>(mut sources: impl Iterator<Item = &'a Source>) -> String {
    let served =
        sources.find_map(|source| source.status.front_end.as_ref().filter(|served| !served.address.ip().is_loopback()));
    served.map_or_else(String::new, |served| format!("open: udp {}", served.address))
}

fn rate_text(bytes: u64) -> String {
    match bytes {
        0..=999 => format!("{bytes} B/s"),
        1_000..=999_999 => format!("{}.{} kB/s", bytes / 1000, bytes / 100 % 10),
        _ => format!("{}.{} MB/s", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// What the target's filter suppresses, in a long form and a short form of `room` cells; may be empty.
fn masked_words(masked: &Masked, room: usize) -> [String; 2] {
    let both = |text: &str| [format!("target filter: {text}"), format!("filter: {text}")];
    match masked {
        Masked::NoFilter => [String::new(), String::new()],
        Masked::Inferred => both("as seen"),
        Masked::Nothing => both("all on"),
        Masked::Lost => ["filter lost: 6 Enter restores".to_owned(), "filter lost (6)".to_owned()],
        Masked::Unknown => ["filter: unknown".to_owned(), "filter: ?".to_owned()],
        Masked::Off(words) => {
            let shown = words.iter().take(MASKED_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = words.len().saturating_sub(MASKED_LISTED);
            let more = if more > 0 { format!(" +{more}") } else { String::new() };
            let off = format!("{shown}{more} off");
            let long = format!("target filter: {off}");
            let fewer = if width(&off) <= room { off } else { "masked".to_owned() };
            [long, fewer]
        }
    }
}

/// The state of the link: `● live 00:12:31`, `file 100 %`, `quiet 6 s`.
fn link_words(model: &Model, link: &LinkState) -> String {
    let links = &model.links;
    match link {
        LinkState::Ended if links.shown().all(|s| s.log().file_path().is_some()) => {
            let pos: u64 = links.shown().map(|s| s.decoding().pos()).sum();
            let len = links.shown().map(|s| s.log().len()).sum::<u64>().max(1);
            format!("file {} %", pos * 100 / len)
        }
        LinkState::Live => {
            let s = model.now.saturating_duration_since(links.addressed().opened).as_secs();
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

/// What decides how bytes are read, as texts for the header; empty if unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Version of the framework, otherwise the system: `3.4.00`, `bare-metal`.
    pub(super) version: String,
    /// `build 261120_100946`.
    pub(super) build: String,
    /// Origin of the field sizes: `sizes: TCFG`.
    pub(super) sizes: String,
    /// The target reported its version, and the sizes with it.
    pub(super) is_known: bool,
}

pub(super) fn reading(model: &Model) -> Reading {
    let info = &model.list.decoding().decoder.info;
    let states = model.list.rows.read_all();
    let text = |key| {
        let found = states.iter().find_map(|state| state.dictionary.attr(space::PROPS, key, 0, AttrId::VALUE));
        found.map(|attr| sanitise(&attr.text)).unwrap_or_default()
    };
    let version = text(prop::VERSION);
    let build = text(prop::BUILD_ID);
    let is_known = !version.is_empty();
    let sizes = sizes(model, info, is_known);
    Reading {
        version: if version.is_empty() { text(prop::SYSTEM) } else { version },
        build: if build.is_empty() { build } else { format!("build {build}") },
        sizes,
        is_known,
    }
}

/// Origin of the field sizes. A target that reports its version reports its sizes with it.
fn sizes(model: &Model, info: &Info, reported: bool) -> String {
    let options = &model.list.decoding().options;
    // Sizes are numeric options with a fixed set of values.
    let is_size = |key: &str| info.option(key).is_some_and(|o| o.ty == OptKind::INT && !o.choices.is_empty());
    // A version may be guessed although the sizes are known.
    let is_layout = |key: &str| info.option(key).is_some_and(|o| matches!(o.ty, OptKind::INT | OptKind::BOOL));
    let from = if info.sizes_from.is_empty() {
        return String::new();
    } else if model.links.addressed().autodetect.guessed().any(is_layout) {
        "guess"
    } else if reported {
        info.sizes_from.as_str()
    } else if options.get("cfg").is_some() {
        "cfg"
    } else if model.links.addressed().autodetect.guessed().next().is_some() {
        "guess"
    } else if options.iter().any(|(key, _)| is_size(key)) {
        "set"
    } else {
        "default"
    };
    format!("sizes: {from}")
}

/// Frames closer together are not compared.
const SHORTEST: Duration = Duration::from_millis(25);
/// Update interval for the number of rows since the list was held.
const HELD_EVERY: Duration = Duration::from_millis(500);
/// Bursts are shorter.
const LONG: Duration = Duration::from_secs(1);

pub const TITLE: &str = "Records";
const BETWEEN: &str = " · ";
const LEAST_FILTER: usize = 18;
/// Maximum width of the search text, and its width if a filter needs the room.
const SEARCH: usize = 24;
const LEAST_SEARCH: usize = 6;

/// Updates the title once per frame, because it counts the rows since the last one.
pub fn refresh_list_title(model: &mut Model) {
    let not_shown = not_shown(model);
    let held = held(model);
    let list = &model.list;
    let page = &list.page;
    let mut parts = Vec::new();
    parts.extend(list.redundant_text());
    if page.collapse == Collapse::Equal {
        parts.push("folded".to_owned());
    }
    parts.extend(not_shown);
    let mut state = match page.follow {
        true => "follow".to_owned(),
        false if model.links.is_over() => format!("{} %", percent(page.cursor, list.rows.len())),
        false => {
            let came = if held > 0 { format!(" +{}", grouped(held)) } else { String::new() };
            format!("held{came} · {} %", percent(page.cursor, page.held_at + held))
        }
    };
    if page.unfinished {
        state.push_str(" · searching…");
    }
    model.screen.list_title = laid_out(model, &parts, &state);
}

fn filter(model: &Model) -> Option<(String, String)> {
    let filter = &model.list.page.filter;
    // Rows that the filter has not examined yet.
    let rows = model.list.rows.len();
    let more = match filter.looked_at() < rows {
        true => format!("+ {}", search::share_text(filter, rows)),
        false => String::new(),
    };
    let hides = format!("  hides {}{more}", grouped(filter.hidden));
    (!filter.is_everything()).then(|| (format!("filter {}", filter.expr()), hides))
}

/// Lays out the parts of the title: the state is always complete, the filter gets the remaining room.
fn laid_out(model: &Model, parts: &[String], state: &str) -> String {
    let layout = &model.screen.layout;
    let cells = usize::from(if layout.beside { layout.list_area.width } else { model.screen.size.0 });
    let glyphs = model.screen.look.glyphs;
    let width = |text: &str| width(&glyphs.spell(text));
    let room = TitleRule::room(cells, TITLE).saturating_sub(width(state));
    let others = |search: usize| -> String {
        let parts = search::title(model, search).into_iter().chain(parts.iter().cloned());
        parts.map(|part| format!("{part}{BETWEEN}")).collect()
    };
    let front = match filter(model) {
        None => others(SEARCH),
        Some((expr, hides)) => {
            let least = width(&expr) + width(&hides) + width(BETWEEN);
            let is_room = least + width(&others(SEARCH)) <= room;
            let others = others(if is_room { SEARCH } else { LEAST_SEARCH });
            let room = room.saturating_sub(width(&others) + width(&hides) + width(BETWEEN));
            format!("{}{hides}{BETWEEN}{others}", end_marked(&expr, room.max(LEAST_FILTER), "…"))
        }
    };
    if width(&front) <= room {
        return format!("{front}{state}");
    }
    let room = room.saturating_sub(width(BETWEEN));
    format!("{}{BETWEEN}{state}", end_marked(front.trim_end_matches(BETWEEN), room, "…"))
}

/// Number of rows since the list was held, updated twice a second.
fn held(model: &mut Model) -> u64 {
    let page = &model.list.page;
    if page.follow {
        model.screen.held = None;
        return 0;
    }
    let came = model.list.rows.len().saturating_sub(page.held_at.max(1));
    let recent = |(at, from, _): &(Instant, u64, u64)| {
        *from == page.held_at && model.now.saturating_duration_since(*at) < HELD_EVERY
    };
    if let Some((.., shown)) = model.screen.held.filter(recent) {
        return shown.min(came);
    }
    model.screen.held = Some((model.now, page.held_at, came));
    came
}

#[derive(Debug, Default)]
pub struct Flow {
    /// Time and number of rows at an earlier frame.
    before: Option<(Instant, u64)>,
    /// Since when more than a page arrives per frame.
    fast_since: Option<Instant>,
}

impl Flow {
    /// Records the number of rows at a frame of `height` lines; `true` if for long more arrived than can be drawn.
    fn is_too_fast(&mut self, rows: u64, height: usize, now: Instant) -> bool {
        // Frames that answer keys follow each other closely.
        if self.before.is_none_or(|(at, _)| now.duration_since(at) >= SHORTEST) {
            let came = self.before.map_or(0, |(_, before)| rows.saturating_sub(before));
            self.before = Some((now, rows));
            let is_fast = came / height as u64 > 1;
            self.fast_since = if is_fast { self.fast_since.or(Some(now)) } else { None };
        }
        self.fast_since.is_some_and(|since| now.duration_since(since) > LONG)
    }
}

/// Message while more than a page arrives per frame.
fn not_shown(model: &mut Model) -> Option<String> {
    if !model.list.page.follow || model.links.is_over() {
        model.screen.flow = Flow::default();
        return None;
    }
    let (rows, height) = (model.list.rows.len(), model.screen.list_height());
    let is_too_fast = model.screen.flow.is_too_fast(rows, height, model.now);
    is_too_fast.then(|| "too fast to draw all; all kept".to_owned())
}

fn percent(row: u64, len: u64) -> u64 {
    ((row + 1) * 100 / len.max(1)).min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stay_where_they_are() {
        let mut places = Vec::new();
        let mut line = |figures: [&str; 3]| {
            let pieces = figures.map(|text| [("  ".to_owned(), Role::Plain), (text.to_owned(), Role::Loss)]);
            let mut pieces = pieces.concat();
            in_places(&mut pieces, &mut places);
            pieces.iter().map(|(text, _)| text.as_str()).collect::<String>()
        };
        assert_eq!(line(["gaps 1", "bad 12", "skipped 3 B"]), "  gaps 1  bad 12  skipped 3 B");
        assert_eq!(line(["gaps 1 (≥2 lost)", "bad 12", "skipped 30 B"]), "  gaps 1 (≥2 lost)  bad 12  skipped 30 B");
        assert_eq!(line(["gaps 1", "bad 9", "skipped 30 B"]), "  gaps 1            bad 9   skipped 30 B");
    }

    #[test]
    fn a_line_that_is_nearly_full_is_a_warning() {
        let share = |bytes| line_share(bytes, 11_520).remove(1);
        assert_eq!(share(9_216), (" 80% of line".to_owned(), Role::Title));
        assert_eq!(share(9_217), ("!81% of line".to_owned(), Role::Warning));
    }

    #[test]
    fn a_burst_is_no_news_and_a_flood_is() {
        let start = Instant::now();
        let mut flow = Flow::default();
        let mut too_fast = |ms: u64, rows: u64| flow.is_too_fast(rows, 20, start + Duration::from_millis(ms));
        let rows = |ms: u64| ms * 100;
        assert!((0..=1_000).step_by(50).all(|ms| !too_fast(ms, rows(ms))));
        assert!(too_fast(1_100, rows(1_100)));
        // A frame for a key, with few new rows.
        assert!(too_fast(1_101, rows(1_100) + 1));
        assert!(!too_fast(1_200, rows(1_100) + 10));
        assert!(!too_fast(1_300, rows(1_300)));
    }
}
