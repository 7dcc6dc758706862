//! The first lines of the pane: what was lost, why, and what to do about it.

use spytui_engine::{
    device::advise::{Prices, records_not_sent},
    io::link::LinkKind,
    io::log::format::size_text,
    present::clock::grouped,
    store::Counters,
};
use spytui_plugin_api::Info;

use super::{CounterRow, losses::LISTED};
use crate::{
    input::Action,
    model::{
        Model,
        loss_words::{unchecked, units},
    },
    term::{Role, wrap},
};

/// What is known of losses.
pub(super) struct Found<'a> {
    pub(super) model: &'a Model,
    pub(super) info: &'a Info,
    pub(super) now: &'a Counters,
    /// Records dropped by the target, and in how many places.
    pub(super) drops: Option<(u64, u64)>,
    /// Number of losses in the list below.
    pub(super) listed: usize,
    /// What records cost the link.
    pub(super) costs: &'a Prices,
    /// Columns of the pane.
    pub(super) width: usize,
}

/// One line for each cause; without one, a line that says what the list of losses says, or that nothing was lost, as far
/// as that can be seen.
pub(super) fn verdict(found: &Found<'_>) -> Vec<CounterRow> {
    let Found { model, info, now, listed, .. } = *found;
    let mut lines: Vec<CounterRow> = not_received(found).into_iter().collect();
    if now.bad() > 0 {
        let text = format!("{} damaged on the line{}", grouped(now.bad()), cause_of_damage(model));
        lines.extend(wrap(&text, found.width.saturating_sub(1)).iter().map(|line| loss(line)));
    } else if now.rows.skipped_bytes > 0 {
        let skipped = grouped(now.rows.skipped_bytes);
        lines.push(CounterRow::plain(&format!(" {skipped} B skipped: begin or end of a frame that is not there")));
    }
    lines.extend(on_this_side(model).iter().map(|text| loss(text)));
    if lines.is_empty() && listed > 0 {
        let places = match listed {
            1..=LISTED => units(listed as u64, "place"),
            _ => format!("more than {} places", grouped(LISTED as u64)),
        };
        lines.push(loss(&format!("losses in {places}, listed below")));
    } else if lines.is_empty() && now.rows.lost == 0 {
        lines.push(CounterRow::plain(&format!(" {}", no_losses(info, now))));
    }
    lines
}

/// Records that did not arrive. Of some drops the target reports the place, and not how many they are.
fn not_received(found: &Found<'_>) -> Option<CounterRow> {
    let (dropped, places) = found.drops.unwrap_or_default();
    let gaps = records_not_sent(found.info, found.now);
    let most = gaps.max(dropped).max(places);
    let is_exact = match most {
        _ if dropped == most => true,
        _ if gaps == most => found.now.is_lost_exact(found.info),
        _ => false,
    };
    let lost = format!("{}{}", if is_exact { "" } else { "≥" }, units(most, "record"));
    (most > 0).then(|| loss(&of_target(found.model, found.costs, &lost, dropped.max(places))))
}

/// What was lost between the link and the log.
fn on_this_side(model: &Model) -> Vec<String> {
    let mut texts = Vec::new();
    let unread: u64 = model.links.shown().filter_map(|source| source.status.counters.kernel_drops).sum();
    if unread > 0 {
        texts.push(format!("{} lost on this side: this machine did not read them in time", units(unread, "datagram")));
    }
    let bytes: u64 = model.links.shown().map(|source| source.log().lost()).sum();
    if bytes > 0 {
        texts.push(format!("{} B lost on this side: no memory, no disk", grouped(bytes)));
    }
    texts
}

/// What is known where no loss was noticed: `nothing noticed: most losses can't be seen (no checksum, no seq)`.
fn no_losses(info: &Info, now: &Counters) -> String {
    if !now.reports_losses(info) {
        return "this stream does not report losses".to_owned();
    }
    let missing = unchecked(info);
    match (info.has_checksum, info.has_sequence()) {
        (true, true) if !now.is_lost_exact(info) => "no loss was seen".to_owned(),
        (true, true) => "nothing was lost".to_owned(),
        (false, true) => format!("nothing was lost; most damage can't be seen ({missing})"),
        (_, false) => format!("none detected; this protocol hides most losses ({missing})"),
    }
}

fn loss(text: &str) -> CounterRow {
    CounterRow::of(vec![(" ".to_owned(), Role::Plain), (text.to_owned(), Role::Loss)])
}

/// `482 records lost in the target: its buffer was full, link 250 of 491 B/s → A`
fn of_target(model: &Model, costs: &Prices, lost: &str, dropped: u64) -> String {
    let is_live = !model.links.is_over() && costs.made > 0;
    // What the link carries, if the target makes more.
    let too_much = costs.capacity.filter(|carries| is_live && costs.made > *carries);
    let cause = match (dropped, &too_much) {
        (0, None) => return format!("{lost} lost in the target or on the line: no damaged frames"),
        _ => format!("{lost} lost in the target: its buffer was full"),
    };
    let keys = model.settings.keymap.keys(model.panes.front(), Action::Advise);
    let key = keys.first().map_or(String::new(), |key| format!(" → {key}"));
    match too_much {
        Some(carries) => {
            format!("{cause}, link {} of {}/s{key}", without_unit(carries, costs.made), size_text(costs.made))
        }
        None if is_live => format!("{cause}{key}"),
        None => cause,
    }
}

/// A size without its unit, if a second one has the same.
fn without_unit(size: u64, other: u64) -> String {
    let (text, other) = (size_text(size), size_text(other));
    let unit = |text: &str| text.rsplit(' ').next().map(str::to_owned);
    match text.rsplit_once(' ') {
        Some((number, own)) if unit(&other).as_deref() == Some(own) => number.to_owned(),
        _ => text,
    }
}

/// Why frames come damaged, as far as it is known, and what to look at.
fn cause_of_damage(model: &Model) -> String {
    match model.links.first().autodetect.pattern() {
        Some(pattern) => format!(": {pattern}"),
        None => line_advice(model).to_owned(),
    }
}

/// What to look at where frames come damaged.
fn line_advice(model: &Model) -> &'static str {
    let kinds = model.links.shown().filter_map(|source| source.link().map(|spec| &spec.kind));
    let mut kinds = kinds.filter(|_| !model.links.is_over()).peekable();
    match kinds.peek() {
        Some(LinkKind::Serial(_)) => ": check cable, baud rate, ground",
        Some(_) => ": check what is between the target and this link",
        None => "",
    }
}
