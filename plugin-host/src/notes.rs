//! Text of notes, the same for all protocols, derived from kind and attachments. What only the decoder knows, such as
//! why a frame is damaged, follows as a short detail.

use std::io::Write as _;

use spytui_plugin_api::{
    Attachment, AttachmentId, Growth, Info, LossCause, RVec, RowIn, RowKind, batch::lost, console, text::grouped,
};

/// Words of notes, and whether a number of bytes follows.
const WORDS: [(RowKind, &str, bool); 13] = [
    (RowKind::BAD_CHECK, "damaged frame, wrong checksum", true),
    (RowKind::TOO_SHORT, "damaged frame, too short", true),
    (RowKind::TOO_LONG, "no end of frame", true),
    (RowKind::BAD_FRAME, "damaged frame", true),
    (RowKind::RESYNC, "skipped in search of the next frame", true),
    (RowKind::PARTIAL, "stream begins in the middle of a frame", true),
    (RowKind::TAIL, "stream ends in the middle of a frame", true),
    (RowKind::CUT_OFF, "frame cut off by the disconnect", true),
    (RowKind::ORPHANS, "parts without begin or end", true),
    (RowKind::RESTART, "the target restarted", false),
    (RowKind::DUPLICATE, "repeated frame", false),
    (RowKind::RESET, "the target was reset", false),
    (RowKind::CONFLICT, "the target contradicts the options", false),
];

/// A protocol's terms for use in notes.
#[derive(Clone, Debug)]
pub(super) struct NoteWords {
    sequence: String,
    /// Maximum sequence number.
    greatest: u64,
    unit: String,
    kinds: Vec<(RowKind, String)>,
}

impl NoteWords {
    pub(super) fn new(info: &Info) -> NoteWords {
        let or = |text: &str, usual: &str| if text.is_empty() { usual.to_owned() } else { text.to_owned() };
        let notes = info.kinds.iter().filter(|kind| kind.first.is_note());
        NoteWords {
            sequence: or(&info.sequence, "seq"),
            greatest: u64::MAX.checked_shr(64 - u32::from(info.sequence_bits.min(64))).unwrap_or(0),
            unit: or(&info.loss_unit, "record"),
            kinds: notes.map(|kind| (kind.first, kind.name.to_string())).collect(),
        }
    }

    /// Appends the text of a note: the host's words, then `detail`, which may be empty.
    pub(super) fn push_text(&self, row: &RowIn<'_>, detail: &[u8], out: &mut RVec<u8>) {
        if let Some(text) = row.attachment_bytes(AttachmentId::TEXT) {
            return out.extend_from_copy_slice(text);
        }
        let start = out.len();
        let (words, has_size) = self.words(row.row.kind);
        match row.row.kind {
            RowKind::GAP => self.push_gap(row, out),
            RowKind::DROP => self.push_drop(row, out),
            RowKind::LATE => self.push_late(row, out),
            RowKind::TIME_BACK => push_time_back(row, out),
            RowKind::CONFIG => push_options(row, out),
            RowKind::RESET | RowKind::RESTART if row.attachment(AttachmentId::TOTAL_FELL).is_some() => {
                push_total_fell(row, out);
            }
            RowKind::CONSOLE if detail.is_empty() => push_console(row.raw.as_slice(), out),
            _ => out.extend_from_copy_slice(words.as_bytes()),
        }
        let has_words = out.len() > start;
        if has_words && !detail.is_empty() {
            out.extend_from_copy_slice(b", ");
        }
        out.extend_from_copy_slice(detail);
        if has_words && has_size {
            push_size(row, out);
        }
    }

    /// The words of a kind, and whether its notes end with a number of bytes.
    fn words(&self, kind: RowKind) -> (&str, bool) {
        let known = WORDS.iter().find(|known| known.0 == kind).map(|known| (known.1, known.2));
        known.unwrap_or_else(|| {
            let own = self.kinds.iter().find(|own| own.0 == kind).map_or("", |own| &own.1);
            (own, kind >= RowKind::FIRST_OWN_NOTE)
        })
    }

    fn push_gap(&self, row: &RowIn<'_>, out: &mut RVec<u8>) {
        let (count, exact) = numbers(row, AttachmentId::LOST).unwrap_or((0, lost::EXACT));
        let damaged = numbers(row, AttachmentId::DAMAGED).map_or(0, |n| n.0);
        let (expected, got) = numbers(row, AttachmentId::EXPECTED).unwrap_or_default();
        if count == 0 && !lost::is_exact(exact) {
            return push(out, format_args!("{} {got} instead of {expected}: later frames decide", self.sequence));
        }
        if matches!(exact, lost::AT_LEAST | lost::PART_OF_SUM) {
            out.extend_from_copy_slice("≥".as_bytes());
        }
        self.push_count(count, out);
        out.extend_from_copy_slice(b" lost");
        if count == 0 && exact == lost::EXACT {
            return push(out, format_args!(": {} {got} was wrong, from another sender, or early", self.sequence));
        }
        if row.attachment(AttachmentId::EXPECTED).is_some() {
            self.push_missing(count, expected, got, out);
        }
        if count == 0 {
            return out.extend_from_copy_slice(b", all arrived late");
        }
        match exact {
            lost::BY_TARGET => out.extend_from_copy_slice(OWN_COUNT.as_bytes()),
            lost::IN_SUM => push(out, format_args!("{OWN_COUNT}, perhaps not all of them here")),
            _ => {}
        }
        push_damaged(damaged, count, out);
        if let Some((from, to)) = numbers(row, AttachmentId::SPAN) {
            let ticks = to.saturating_sub(from);
            push(out, format_args!(" · {} {}", grouped(ticks), if ticks == 1 { "tick" } else { "ticks" }));
        }
        let cause = match numbers(row, AttachmentId::CAUSE).map_or(LossCause::NONE, |n| LossCause(n.0)) {
            LossCause::TARGET => " · ring",
            LossCause::LINE => " · line",
            LossCause::HOST => " · host",
            _ if damaged >= count => "",
            _ if lost::is_of_target(exact) && damaged == 0 => " · ring",
            _ if lost::is_of_target(exact) => " · ring and line",
            _ => " · ring or line",
        };
        out.extend_from_copy_slice(cause.as_bytes());
    }

    /// Appends the numbers missing in a gap; `count` = how many are still missing.
    fn push_missing(&self, count: u64, expected: u64, got: u64, out: &mut RVec<u8>) {
        let last = got.wrapping_sub(1) & self.greatest;
        let of = if count < (got.wrapping_sub(expected) & self.greatest) { "of " } else { "" };
        push(out, format_args!(", {of}{} {expected}", self.sequence));
        if last != expected {
            push(out, format_args!("-{last}"));
        }
    }

    fn push_late(&self, row: &RowIn<'_>, out: &mut RVec<u8>) {
        let (_, got) = numbers(row, AttachmentId::EXPECTED).unwrap_or_default();
        push(out, format_args!("{} {got} arrived late, not lost", self.sequence));
        // Later frames may still reduce the number of missing records.
        if let Some((pos, _)) = numbers(row, AttachmentId::FILLS) {
            push(out, format_args!("; the gap at byte {} counted it", grouped(pos)));
        }
    }

    fn push_drop(&self, row: &RowIn<'_>, out: &mut RVec<u8>) {
        self.push_count(numbers(row, AttachmentId::LOST).map_or(0, |n| n.0), out);
        out.extend_from_copy_slice(b" dropped by the target");
        let total = numbers(row, AttachmentId::TOTAL);
        if let Some((total, _)) = total {
            push(out, format_args!(" (total {}", grouped(total)));
            if let Some((before, _)) = numbers(row, AttachmentId::TOTAL_FELL).filter(|(before, _)| *before > total) {
                push(out, format_args!(", {} before the reset", grouped(before)));
            }
            out.push(b')');
        }
        if let Some((from, to)) = numbers(row, AttachmentId::SPAN).filter(|_| row.row.has_time()) {
            match total.map_or(0, |t| t.1) {
                0 => push(out, format_args!(", between ticks {} and {}", grouped(from), grouped(to))),
                ns => push(out, format_args!(", between {} and {} ms", millis(from, ns), millis(to, ns))),
            }
        }
    }

    /// `1 record`, `2 000 records`.
    fn push_count(&self, count: u64, out: &mut RVec<u8>) {
        push(out, format_args!("{} {}{}", grouped(count), self.unit, if count == 1 { "" } else { "s" }));
    }
}

const OWN_COUNT: &str = ", by the target's own count";

/// Updates of earlier gaps in this row: the number of additional lost records, and of records that were never missing.
pub(super) fn changes(row: &RowIn<'_>) -> (u64, u64) {
    let sum = |of: fn(&Growth) -> bool| -> u64 {
        row.attachments.iter().filter_map(Growth::of).filter(of).map(|growth| growth.more).sum()
    };
    (sum(|growth| !growth.is_less()), sum(|growth| growth.how == lost::EXACT))
}

/// Appends how the number of records lost in earlier gaps changes.
pub(super) fn push_changes((more, fewer): (u64, u64), out: &mut RVec<u8>) {
    if more > 0 {
        push(out, format_args!(" · {} more lost before{OWN_COUNT}", grouped(more)));
    }
    if fewer > 0 {
        let fewer = grouped(fewer);
        push(out, format_args!(" · {fewer} fewer lost before, as a number was wrong, from another sender, or early"));
    }
}

pub(super) fn numbers(row: &RowIn<'_>, id: AttachmentId) -> Option<(u64, u64)> {
    row.attachment(id).map(|attachment| (attachment.a, attachment.b))
}

/// Appends how many of the lost records arrived as damaged frames.
fn push_damaged(damaged: u64, lost: u64, out: &mut RVec<u8>) {
    match (damaged, lost) {
        (0, _) => {}
        (_, 1) => out.extend_from_copy_slice(b": frame damaged"),
        (damaged, lost) if damaged >= lost => out.extend_from_copy_slice(b": frames damaged"),
        (1, _) => out.extend_from_copy_slice(b", one frame damaged"),
        (damaged, _) => push(out, format_args!(", {damaged} frames damaged")),
    }
}

/// Appends the first text in `raw`.
fn push_console(raw: &[u8], out: &mut RVec<u8>) {
    let text = raw.iter().position(|&byte| console::is_text_byte(byte)).and_then(|start| raw.get(start..));
    let text = text.unwrap_or_default();
    out.extend_from_copy_slice(&console::shown(&text[..console::text_len(text)]));
}

fn push_time_back(row: &RowIn<'_>, out: &mut RVec<u8>) {
    out.extend_from_copy_slice(b"time went back");
    if let Some((from, to)) = numbers(row, AttachmentId::SPAN) {
        push(out, format_args!(" from tick {} to {}", grouped(from), grouped(to)));
    }
    if let Some((from, to)) = numbers(row, AttachmentId::TOTAL_FELL) {
        push(out, format_args!(", drop count from {from} to {to}"));
    }
}

/// Appends that the target restarted, as its drop total shows.
fn push_total_fell(row: &RowIn<'_>, out: &mut RVec<u8>) {
    let (from, to) = numbers(row, AttachmentId::TOTAL_FELL).unwrap_or_default();
    let (from, to) = (grouped(from), grouped(to));
    match row.row.kind {
        RowKind::RESET => push(out, format_args!("target reset: drop count back from {from}")),
        _ => push(out, format_args!("drop count fell from {from} to {to}: target reset, or another target")),
    }
}

/// Appends `learned from the target: obj-ptr 4 version 734`.
fn push_options(row: &RowIn<'_>, out: &mut RVec<u8>) {
    out.extend_from_copy_slice(b"learned from the target");
    let options = row.attachment_bytes(AttachmentId::OPTIONS).unwrap_or_default();
    for (i, option) in options.split(|&b| b == b'\n').filter(|option| !option.is_empty()).enumerate() {
        out.extend_from_copy_slice(if i == 0 { b": " } else { b" " });
        out.extend(option.iter().map(|&b| if b == b'=' { b' ' } else { b }));
    }
}

/// Appends the size of a row including fragments: ` · 12 B`.
fn push_size(row: &RowIn<'_>, out: &mut RVec<u8>) {
    let fragments = row.attachments.iter().filter(|a: &&Attachment| a.id == AttachmentId::FRAGMENT);
    let bytes = u64::from(row.row.len) + fragments.map(|fragment| fragment.b).sum::<u64>();
    if bytes > 0 {
        push(out, format_args!(" · {} B", grouped(bytes)));
    }
}

/// Ticks as milliseconds with three decimals; saturates.
fn millis(ticks: u64, tick_ns: u64) -> String {
    let micros = (u128::from(ticks) * u128::from(tick_ns) + 500) / 1000;
    let micros = u64::try_from(micros).unwrap_or(u64::MAX);
    format!("{}.{:03}", grouped(micros / 1000), micros % 1000)
}

fn push(out: &mut RVec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to memory does not fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::{
        info::KindInfo,
        row::{Row, RowFlags},
    };

    /// The text of a note with these attachments.
    fn text(row: Row, numbers: &[(AttachmentId, u64, u64)], detail: &str) -> String {
        let attachment = |&(id, a, b)| Attachment { at: 0, id, is_bytes: false, a, b };
        let attachments: Vec<Attachment> = numbers.iter().map(attachment).collect();
        let input = RowIn {
            row: &row,
            raw: [][..].into(),
            attachments: attachments.as_slice().into(),
            blob: b"width=2\nname=x\n"[..].into(),
        };
        let idle = KindInfo::new(RowKind(0xFF40), "idle flags", 0);
        let info = Info {
            sequence: "nseq".into(),
            sequence_bits: 8,
            loss_unit: "event".into(),
            kinds: [idle].into_iter().collect(),
            ..Info::default()
        };
        let mut out = RVec::new();
        NoteWords::new(&info).push_text(&input, detail.as_bytes(), &mut out);
        String::from_utf8(out.into_vec()).expect("UTF-8")
    }

    #[test]
    fn a_gap_says_what_is_lost_and_why() {
        use AttachmentId as Id;
        let gap = |numbers: &[(Id, u64, u64)]| text(Row::gap(40), numbers, "");
        let (one, nine) = ((Id::LOST, 1, 1), (Id::LOST, 9, 1));
        let of_nine = (Id::EXPECTED, 250, 3);
        assert_eq!(gap(&[one, (Id::EXPECTED, 7, 8)]), "1 event lost, nseq 7 · ring or line");
        assert_eq!(
            gap(&[nine, of_nine, (Id::DAMAGED, 1, 0)]),
            "9 events lost, nseq 250-2, one frame damaged · ring or line"
        );
        assert_eq!(
            gap(&[nine, of_nine, (Id::DAMAGED, 3, 0)]),
            "9 events lost, nseq 250-2, 3 frames damaged · ring or line"
        );
        assert_eq!(gap(&[one, (Id::DAMAGED, 1, 0), (Id::SPAN, 4, 5)]), "1 event lost: frame damaged · 1 tick");
        assert_eq!(gap(&[(Id::LOST, 2, 0), (Id::DAMAGED, 2, 0)]), "≥2 events lost: frames damaged");
        assert_eq!(gap(&[nine, (Id::SPAN, 5, 2_005), (Id::CAUSE, 3, 0)]), "9 events lost · 2 000 ticks · host");
        assert_eq!(gap(&[(Id::LOST, 0, lost::NONE), of_nine]), "0 events lost, of nseq 250-2, all arrived late");
        let taken_back = "0 events lost: nseq 3 was wrong, from another sender, or early";
        assert_eq!(gap(&[(Id::LOST, 0, lost::EXACT), of_nine]), taken_back);
        let grown = (Id::LOST, 4_000, lost::BY_TARGET);
        assert_eq!(
            gap(&[grown, (Id::EXPECTED, 1, 161), (Id::SPAN, 5, 25)]),
            "4 000 events lost, nseq 1-160, by the target's own count · 20 ticks · ring"
        );
    }

    #[test]
    fn a_drop_says_how_many_and_when() {
        let timed = Row { flags: RowFlags::TIME_INHERITED, ..Row::note(RowKind::DROP, 0, 0) };
        let numbers =
            |tick| [(AttachmentId::LOST, 1, 1), (AttachmentId::TOTAL, 1_000, tick), (AttachmentId::SPAN, 9, 40_000)];
        assert_eq!(
            text(timed, &numbers(0), ""),
            "1 event dropped by the target (total 1 000), between ticks 9 and 40 000"
        );
        assert_eq!(
            text(timed, &numbers(25), ""),
            "1 event dropped by the target (total 1 000), between 0.000 and 1.000 ms"
        );
        assert_eq!(
            text(Row { flags: RowFlags::empty(), ..timed }, &[(AttachmentId::LOST, 2, 1)], ""),
            "2 events dropped by the target"
        );
    }

    #[test]
    fn the_detail_of_the_decoder_stands_behind() {
        let damaged = Row::skipped(RowKind::BAD_FRAME, 0, 1_234);
        assert_eq!(text(damaged, &[], ""), "damaged frame · 1 234 B");
        assert_eq!(text(damaged, &[(AttachmentId::FRAGMENT, 0, 6)], "no id"), "damaged frame, no id · 1 240 B");
        assert_eq!(text(Row::note(RowKind(0xFF40), 0, 3), &[], ""), "idle flags · 3 B");
        assert_eq!(text(Row::note(RowKind::CONSOLE, 0, 3), &[], "hello"), "hello");
        assert_eq!(
            text(Row::note(RowKind::TIME_BACK, 0, 0), &[(AttachmentId::SPAN, 1_000, 7)], ""),
            "time went back from tick 1 000 to 7"
        );
    }
}
