//! What the views draw beside the list: made before each frame, at most as often as it can have changed.

use spytui_engine::{
    export::stats,
    link::LinkState,
    log::RecordPhase,
    present::{
        clock::{grouped, short_count},
        sanitise,
        word::{group_name, key_word},
    },
    session::decoded::State,
};
use spytui_plugin_api::{Info, NONE, batch::count, info::SpaceInfo};

use super::{
    details::origin_text,
    state::{App, Pane},
};

/// One line of the Dictionary pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRow {
    /// Space.
    pub space: String,
    /// Key as shown.
    pub key: String,
    /// Scope as shown.
    pub scope: String,
    /// Name; `None` = it has none.
    pub name: Option<String>,
    /// Where it comes from.
    pub from: String,
    /// Rows that are about it.
    pub uses: u64,
    /// For sorting and for commands.
    pub id: (u16, u64, u64),
}

/// One line of the Counters pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CounterRow {
    /// Text.
    pub text: String,
    /// It tells of a loss.
    pub loss: bool,
    /// A row to go to with Enter.
    pub row: Option<u64>,
}

/// What is drawn.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// First header line: left, middle and right part.
    pub header: String,
    /// State of the link is a trouble.
    pub header_alarm: bool,
    /// Second header line: losses, and the rest.
    pub losses: (String, String),
    /// There are losses.
    pub lossy: bool,
    /// Title of the list: filter, hidden, following or held.
    pub list_title: String,
    /// Dictionary lines.
    pub names: Vec<NameRow>,
    /// Number of keys without a name.
    pub unnamed: usize,
    /// Counter lines.
    pub counters: Vec<CounterRow>,
    /// Sentence for an empty list.
    pub empty: String,
    made_names: Option<(usize, u64, u64)>,
}

impl App {
    /// Makes the header lines; twice a second at most, since rates are only taken then.
    pub fn make_headers(&mut self) {
        let source = self.source();
        let decoded = &self.decoded;
        let info = &decoded.decoder.info;
        let state = decoded.read();
        let c = &state.counters;
        let facts = source.facts();
        let link = source.state();
        let line = match facts.line_rate {
            Some(rate) if rate > 0 => {
                format!("  {}% of line", (source.rate.bytes * 100).div_ceil(u64::from(rate)).min(999))
            }
            _ => String::new(),
        };
        let baud = facts.baud.map(|b| format!(" {b}")).unwrap_or_default();
        let left = format!(" {}  {}{baud}", title_of(info), source.name());
        let middle = format!(
            "{}{}",
            link_words(self, &link),
            if link.is_over() { String::new() } else { format!("   {}", rate_text(source.rate.bytes)) }
        );
        let right = match source.recording() {
            Some(r) => match r.phase {
                RecordPhase::Recording => format!("rec {}", spytui_engine::log::units::size_text(r.bytes)),
                RecordPhase::Stopped => "rec stopped".to_owned(),
                RecordPhase::Failed(_) => "rec FAILED".to_owned(),
            },
            None => String::new(),
        };
        let width = usize::from(self.size.0);
        let header = spread(width, &[&left, &format!("{middle}{line}"), &right]);
        let at_least = if c.lost() > 0 { "≥" } else { "" };
        let losses = format!(
            " gaps {} ({at_least}{} lost)  bad {}  skipped {} B",
            grouped(c.gaps()),
            grouped(c.lost()),
            grouped(c.bad()),
            grouped(c.skipped_bytes)
        );
        let drops =
            if has_drops(info) { format!("drops {}", grouped(c.get(count::DROPPED))) } else { "drops n/a".to_owned() };
        let rate = if link.is_over() { String::new() } else { format!("{}/s", short_count(source.rate.records)) };
        let rest = format!("{} rec   {rate}   {drops}", grouped(c.records));
        let lossy = c.gaps() + c.bad() + c.skipped_bytes > 0;
        let alarm = matches!(link, LinkState::NoLink { .. } | LinkState::Failed(_)) || state.fault.is_some();
        drop(state);
        self.shown.header = header;
        self.shown.header_alarm = alarm;
        self.shown.losses = (losses, rest);
        self.shown.lossy = lossy;
    }

    /// Makes what the pane in front shows, and the title of the list.
    pub fn make_panes(&mut self, height: usize) {
        self.make_title();
        if self.pane == Pane::Dictionary {
            self.make_names();
            self.dictionary.fit(self.shown.names.len(), height);
        }
        if self.pane == Pane::Counters {
            self.make_counters();
            self.counters.fit(self.shown.counters.len(), height);
        }
        if self.pane == Pane::Log {
            let lines = crate::journal::since(0).len();
            let at_end = self.log.cursor + 1 >= self.log.len;
            if at_end {
                self.log.cursor = lines.saturating_sub(1);
            }
            self.log.fit(lines, height);
        }
        self.make_empty();
    }

    fn make_title(&mut self) {
        let mut parts = Vec::new();
        if !self.list.filter.is_everything() {
            let more = if self.filter_unfinished() { "+" } else { "" };
            parts.push(format!(
                "filter {}  hides {}{more}",
                self.list.filter.expr(),
                grouped(self.list.filter.hidden())
            ));
        }
        if let Some(search) = &self.search {
            parts.push(format!("/{}", search.text));
        }
        let held = match self.list.follow {
            true => "follow".to_owned(),
            false if self.source().state().is_over() => position(self),
            false => format!("held +{}", grouped(self.decoded.len().saturating_sub(self.list.held_at.max(1)))),
        };
        parts.push(held);
        if self.list.unfinished {
            parts.push("looking…".to_owned());
        }
        self.shown.list_title = parts.join(" · ");
    }

    /// Rows that the filter has not looked at yet.
    #[must_use]
    pub fn filter_unfinished(&self) -> bool {
        self.list.filter.looked_at() < self.decoded.len()
    }

    fn make_names(&mut self) {
        let state = self.decoded.read();
        let sort = self.dictionary.sort * 2 + usize::from(self.dictionary.reverse);
        let key = (sort, state.dictionary.changes(), state.rows.records() / 2_000);
        if self.shown.made_names == Some(key) {
            return;
        }
        let info = &self.decoded.decoder.info;
        let mut rows = named(info, &state);
        let unnamed = unnamed(info, &state, &rows);
        self.shown.unnamed = unnamed.len();
        rows.extend(unnamed);
        sort_names(&mut rows, self.dictionary.sort, self.dictionary.reverse);
        drop(state);
        self.shown.names = rows;
        self.shown.made_names = Some(key);
    }

    fn make_counters(&mut self) {
        let state = self.decoded.read();
        let info = &self.decoded.decoder.info;
        let c = &state.counters;
        let plain = |text: String| CounterRow { text, ..CounterRow::default() };
        let mut rows: Vec<CounterRow> = Vec::new();
        rows.push(plain(format!(
            " received {} B = records {} + other {} + skipped {} + pending {}   {}",
            grouped(c.fed),
            grouped(c.record_bytes),
            grouped(c.other_bytes),
            grouped(c.skipped_bytes),
            grouped(c.pending_bytes),
            if c.adds_up() { "adds up" } else { "DOES NOT ADD UP" }
        )));
        let lost = if c.lost() > 0 { format!("≥{}", grouped(c.lost())) } else { "0".to_owned() };
        rows.push(CounterRow {
            text: format!(
                " records {}   lost {lost} in {} places   bad frames {}   unknown ids {}",
                grouped(c.records),
                c.gaps(),
                c.bad(),
                c.get(count::UNKNOWN)
            ),
            loss: c.lost() > 0,
            row: None,
        });
        let others: Vec<String> = stats::counters(info, c)
            .into_iter()
            .skip(8)
            .filter(|(name, val)| *val != 0 && name != "unknown")
            .map(|(name, val)| format!("{} {}", name.replace('_', " "), grouped(val)))
            .collect();
        if !others.is_empty() {
            rows.push(plain(format!(" {}", others.join("   "))));
        }
        let link = self.source().link_counters();
        if link.line_errors + link.breaks + link.refused > 0 || link.kernel_drops.unwrap_or(0) > 0 {
            rows.push(plain(format!(
                " line errors {}   breaks {}   datagrams dropped here {}   senders refused {}",
                link.line_errors,
                link.breaks,
                link.kernel_drops.map_or("n/a".to_owned(), grouped),
                link.refused
            )));
        }
        let host = self.source().log().lost();
        if host > 0 {
            rows.push(CounterRow { text: format!(" lost on this side {} B", grouped(host)), loss: true, row: None });
        }
        rows.push(plain(String::new()));
        rows.push(plain(" group      rec        bytes   share".to_owned()));
        rows.extend(groups(info, &state).into_iter().map(plain));
        rows.push(plain(String::new()));
        rows.push(plain(format!(" losses {}   Enter goes to", state.losses.len())));
        rows.extend(state.losses.iter().rev().take(500).map(|&(row, lost, exact)| {
            let at_least = if exact { "" } else { "≥" };
            let n = state.rows.records_before(row).map_or_else(|| "?".to_owned(), |n| format!("#{n}"));
            CounterRow { text: format!("   after {n:<9} {at_least}{lost} records"), loss: true, row: Some(row) }
        }));
        drop(state);
        self.shown.counters = rows;
    }

    fn make_empty(&mut self) {
        let c = self.decoded.read().counters.clone();
        let source = self.source();
        self.shown.empty = if c.fed == 0 {
            source
                .hint()
                .or_else(|| source.state().text().map(str::to_owned))
                .unwrap_or_else(|| "nothing received yet".to_owned())
        } else if !self.list.filter.is_everything() && self.list.entries.is_empty() {
            format!("the filter hides all {} rows: a shows them", grouped(self.decoded.len()))
        } else {
            String::new()
        };
    }
}

fn title_of(info: &Info) -> String {
    info.id.to_uppercase()
}

fn has_drops(info: &Info) -> bool {
    spytui_plugin_api::info::more(&info.more, "drops").is_some()
}

fn position(app: &App) -> String {
    let len = app.decoded.len().max(1);
    format!("{} %", (app.list.cursor + 1) * 100 / len)
}

fn rate_text(bytes: u64) -> String {
    match bytes {
        0..=999 => format!("{bytes} B/s"),
        1_000..=999_999 => format!("{}.{} kB/s", bytes / 1000, bytes / 100 % 10),
        _ => format!("{}.{} MB/s", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// The state of the link in words: `● live 00:12:31`, `file 100 %`, `quiet 6 s`.
fn link_words(app: &App, link: &LinkState) -> String {
    let source = app.source();
    let file = source.log().file_path().is_some();
    match link {
        LinkState::Ended if file => {
            let (pos, len) = (app.decoded.pos(), source.log().len().max(1));
            format!("file {} %", pos * 100 / len)
        }
        LinkState::Live => {
            let s = source.opened.elapsed().as_secs();
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

/// Parts over a line: the first at the left, the last at the right, the others evenly between.
#[must_use]
pub fn spread(width: usize, parts: &[&str]) -> String {
    let used: usize = parts.iter().map(|p| crate::term::width(p)).sum();
    let gaps = parts.len().saturating_sub(1).max(1);
    let room = width.saturating_sub(used + 1);
    let gap = (room / gaps).max(2);
    let mut line = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            let at = crate::term::width(&line);
            let fill =
                if i == gaps { width.saturating_sub(at + crate::term::width(part) + 1).max(1) } else { gap.min(12) };
            line.push_str(&" ".repeat(fill));
        }
        line.push_str(part);
    }
    line
}

fn named(info: &Info, state: &State) -> Vec<NameRow> {
    let objs: std::collections::HashMap<u64, u64> = state.rows.tables().objs.iter().collect();
    let auxs: std::collections::HashMap<u64, u64> = state.rows.tables().auxs.iter().collect();
    let spaces = SpacesOfKeys::of(info);
    let mut rows = Vec::new();
    for (space, key, scope, names) in state.dictionary.iter() {
        let Some(last) = names.iter().rev().find(|n| n.text.is_some()) else { continue };
        let spec = info.space(space);
        let uses = if spaces.obj == Some(space) { &objs } else { &auxs };
        rows.push(NameRow {
            space: spec.map_or_else(|| space.to_string(), |s| s.name.to_string()),
            key: key_text(spec, key),
            scope: scope_text(info, state, spec, scope),
            name: last.text.as_deref().map(sanitise),
            from: origin_text(last.origin),
            uses: if spaces.counts(space) { uses.get(&key).copied().unwrap_or(0) } else { 0 },
            id: (space, key, scope),
        });
    }
    rows
}

/// Which space the keys of rows belong to, where all kinds agree.
struct SpacesOfKeys {
    obj: Option<u16>,
    aux: Option<u16>,
}

impl SpacesOfKeys {
    fn of(info: &Info) -> SpacesOfKeys {
        let one = |pick: fn(&spytui_plugin_api::info::KindInfo) -> u16| {
            let mut all: Vec<u16> = info.kinds.iter().map(pick).filter(|&s| s != NONE).collect();
            all.sort_unstable();
            all.dedup();
            if let [one] = all.as_slice() { Some(*one) } else { None }
        };
        SpacesOfKeys { obj: one(|k| k.obj_space), aux: one(|k| k.aux_space) }
    }

    fn counts(&self, space: u16) -> bool {
        self.obj == Some(space) || self.aux == Some(space)
    }
}

/// Keys that rows carry and nobody named.
fn unnamed(info: &Info, state: &State, named: &[NameRow]) -> Vec<NameRow> {
    let spaces = SpacesOfKeys::of(info);
    let known: std::collections::HashSet<(u16, u64)> = named.iter().map(|r| (r.id.0, r.id.1)).collect();
    let tables = state.rows.tables();
    let mut rows = Vec::new();
    for (space, keys) in [(spaces.obj, &tables.objs), (spaces.aux, &tables.auxs)] {
        let Some(space) = space else { continue };
        let spec = info.space(space);
        rows.extend(keys.iter().filter(|&(key, uses)| uses > 0 && key != 0 && !known.contains(&(space, key))).map(
            |(key, uses)| NameRow {
                space: spec.map_or_else(|| space.to_string(), |s| s.name.to_string()),
                key: key_text(spec, key),
                scope: "–".to_owned(),
                name: None,
                from: "–".to_owned(),
                uses,
                id: (space, key, 0),
            },
        ));
    }
    rows
}

fn key_text(spec: Option<&SpaceInfo>, key: u64) -> String {
    match spec {
        Some(s) if s.key_format == 0 => format!("0x{key:X}"),
        _ => key.to_string(),
    }
}

fn scope_text(info: &Info, state: &State, spec: Option<&SpaceInfo>, scope: u64) -> String {
    let Some(space) = spec.map(|s| s.scope_space).filter(|&s| s != NONE) else { return "–".to_owned() };
    if scope == 0 {
        return "–".to_owned();
    }
    match state.dictionary.effective(u64::MAX, space, scope, 0) {
        Some(named) => sanitise(state.dictionary.short(space, named)),
        None => key_word(info.space(space), scope),
    }
}

fn sort_names(rows: &mut [NameRow], column: usize, reverse: bool) {
    match column {
        1 => rows.sort_by(|a, b| a.name.is_none().cmp(&b.name.is_none()).then_with(|| a.name.cmp(&b.name))),
        2 => rows.sort_by_key(|r| std::cmp::Reverse(r.uses)),
        _ => rows.sort_by_key(|r| r.id),
    }
    if reverse {
        rows.reverse();
    }
}

/// Bandwidth by group.
fn groups(info: &Info, state: &State) -> Vec<String> {
    let mut sums: std::collections::BTreeMap<u8, (u64, u64)> = std::collections::BTreeMap::new();
    for (shape, rows, bytes) in state.rows.tables().shapes.tally().filter(|(s, ..)| s.row().is_record()) {
        let sum = sums.entry(shape.group).or_default();
        sum.0 += rows;
        sum.1 += bytes;
    }
    let total: u64 = sums.values().map(|s| s.1).sum::<u64>().max(1);
    let mut list: Vec<(u8, (u64, u64))> = sums.into_iter().collect();
    list.sort_by_key(|g| std::cmp::Reverse(g.1.1));
    list.into_iter()
        .map(|(group, (rows, bytes))| {
            let permille = bytes * 1000 / total;
            let name = group_name(info, group);
            let name = if name.is_empty() { "other" } else { name };
            let bar = "█".repeat((permille / 50) as usize);
            format!(
                " {name:<6} {:>9} {:>12}   {:>2}.{} %  {bar}",
                grouped(rows),
                grouped(bytes),
                permille / 10,
                permille % 10
            )
        })
        .collect()
}
