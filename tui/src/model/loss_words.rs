//! Texts about losses, in the unit of the decoder.

use spytui_engine::{
    present::{clock::grouped, words::counted},
    store::Counters,
    trace::session::news::{Loss, LossSize},
};
use spytui_plugin_api::{Info, RowKind};

/// Unit of losses reported by sequence numbers.
pub fn loss_unit(info: &Info) -> &str {
    if info.has_sequence() && !info.loss_unit.is_empty() { &info.loss_unit } else { "record" }
}

/// Missing means of detecting damage and losses: `no checksum, no seq`.
pub fn unchecked(info: &Info) -> String {
    let what = [(info.has_checksum, "no checksum"), (info.has_sequence(), "no seq")];
    let missing: Vec<&str> = what.into_iter().filter(|w| !w.0).map(|w| w.1).collect();
    missing.join(", ")
}

/// `97 in 5 places`.
pub fn in_places(n: u64, places: u64) -> String {
    format!("{} in {}", grouped(n), counted(places, "place"))
}

/// Number of lost records: `58`, `≥58` if a lower bound, `0 seen`.
pub fn lost(info: &Info, c: &Counters) -> String {
    match (c.is_lost_exact(info), c.rows.gaps) {
        (true, _) => grouped(c.rows.lost),
        (false, 0) => "0 seen".to_owned(),
        (false, _) => format!("≥{}", grouped(c.rows.lost)),
    }
}

/// Drops of the target and their places: `97 in 5 places`, `≥2 in 2 places` if their number is unknown.
pub fn drops((dropped, places): (u64, u64)) -> String {
    match (dropped, places) {
        (0, 0) => "0".to_owned(),
        (0, places) => format!("≥{}", in_places(places, places)),
        (dropped, 0) => grouped(dropped),
        _ => in_places(dropped, places),
    }
}

/// A loss row in few words: `≥3 records`, `short buffer, 9 events missing`, `7 B skipped`.
pub fn loss_words(info: &Info, loss: &Loss) -> String {
    match loss.size {
        LossSize::Units { lost, .. } if loss.kind == RowKind::DROP && !counts_drops(info) => {
            format!("{} dropped by the target", grouped(lost))
        }
        LossSize::Units { lost, exact } => {
            let at_least = if exact { "" } else { "≥" };
            format!("{at_least}{} {}", grouped(lost), unit_word(info, lost))
        }
        LossSize::Own(..) if loss.kind == RowKind::DROP => "dropped by the target".to_owned(),
        LossSize::Own(id, n) => {
            let kind = info.kind(loss.kind).map_or("", |kind| &kind.name);
            let (unit, name) =
                info.attachments.iter().find(|a| a.id == id).map_or(("", ""), |a| (a.unit.as_str(), a.name.as_str()));
            let unit = if n == 1 { unit.trim_end_matches('s') } else { unit };
            format!("{kind}, {} {unit} {name}", grouped(n))
        }
        LossSize::Bytes(n) => of_bytes(loss.kind, n),
    }
}

/// Why it was lost, if known; empty if the amount already says it.
pub fn cause_words(loss: &Loss) -> String {
    match (loss.kind, loss.size) {
        (RowKind::GAP, LossSize::Units { lost, .. }) if loss.damaged >= lost => "damaged on the line".to_owned(),
        (RowKind::GAP, _) if loss.damaged > 0 => format!("{} damaged, others in ring or line", grouped(loss.damaged)),
        (RowKind::GAP, _) => "ring or line".to_owned(),
        (RowKind::DROP, _) => "its buffer was full".to_owned(),
        (RowKind::BAD_CHECK, _) => "checksum".to_owned(),
        (RowKind::HOST_LOSS, _) => "no memory, no disk".to_owned(),
        _ => String::new(),
    }
}

/// Whether losses and drops have the same unit: a lost buffer contains many events.
pub fn counts_drops(info: &Info) -> bool {
    matches!(info.loss_unit.as_str(), "" | "record" | "event")
}

fn of_bytes(kind: RowKind, n: u64) -> String {
    let bytes = format!("{} B", grouped(n));
    match kind {
        RowKind::RESYNC => format!("{bytes} skipped"),
        RowKind::CUT_OFF => format!("{bytes} cut off"),
        RowKind::ORPHANS => format!("parts without begin or end, {bytes}"),
        RowKind::DROP => "dropped by the target".to_owned(),
        RowKind::HOST_LOSS => "lost on this side".to_owned(),
        RowKind::FAULT => format!("decoder fault, {bytes}"),
        kind if kind >= RowKind::FIRST_OWN_NOTE => "lost".to_owned(),
        _ => format!("{bytes} damaged"),
    }
}

/// The unit for a number of losses of all kinds: `event`, `events`.
pub fn unit_word(info: &Info, number: u64) -> String {
    let unit = if info.loss_unit.is_empty() { "record" } else { &info.loss_unit };
    format!("{unit}{}", if number == 1 { "" } else { "s" })
}
