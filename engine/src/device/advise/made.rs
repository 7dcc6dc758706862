//! What a target made, whether it came or not.

use spytui_plugin_api::RowKind;

use super::traffic::{KindCount, Window};

/// Minimum number of records before a rate is trusted.
const ENOUGH: u64 = 100;

/// How the target's filter treats a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    /// Always, as names: they come when the target starts.
    Always,
    /// As long as it is not switched off.
    Now,
    /// It was switched off.
    NoMore,
}

/// The kinds that a target made in a time. Lost records are shared out as what came while nothing was lost, else as what
/// came at all.
pub(super) fn made(window: &Window, sent: impl Fn(RowKind) -> Sent) -> Vec<KindCount> {
    let of = |kinds: &[KindCount], wanted: Sent| -> Vec<KindCount> {
        kinds.iter().copied().filter(|count| sent(count.kind) == wanted).collect()
    };
    let records = |kinds: &[KindCount]| kinds.iter().map(|count| count.records).sum::<u64>();
    let (mut made, came, clean) =
        (of(&window.kinds, Sent::Always), of(&window.kinds, Sent::Now), of(&window.clean, Sent::Now));
    if window.lost == 0 {
        made.extend(came);
        return made;
    }
    let model = if records(&clean) >= ENOUGH { &clean } else { &came };
    let (whole, of_model) = (records(&came) + window.lost, records(model).max(1));
    let share = |n: u64| u64::try_from(u128::from(n) * u128::from(whole) / u128::from(of_model)).unwrap_or(u64::MAX);
    made.extend(model.iter().map(|count| KindCount {
        records: share(count.records),
        bytes: share(count.bytes),
        ..*count
    }));
    made
}

pub(super) fn bytes(kinds: &[KindCount]) -> u64 {
    kinds.iter().map(|kind| kind.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(kind: u16, records: u64, bytes: u64) -> KindCount {
        KindCount { kind: RowKind(kind), records, bytes }
    }

    #[test]
    fn what_was_lost_is_as_what_came_without_losses() {
        let short = count(1, 150, 1500);
        let long = count(2, 50, 2000);
        let window = Window { kinds: vec![short, long], lost: 200, ..Window::default() };
        assert_eq!(made(&window, |_| Sent::Now), [count(1, 300, 3000), count(2, 100, 4000)]);
        let first = |sent| move |kind| if kind == RowKind(1) { sent } else { Sent::Now };
        assert_eq!(made(&window, first(Sent::NoMore)), [count(2, 250, 10_000)]);
        assert_eq!(made(&window, first(Sent::Always)), [short, count(2, 250, 10_000)]);
        let clean = vec![count(1, 50, 500), count(2, 50, 2000)];
        let window = Window { clean, ..window };
        assert_eq!(made(&window, |_| Sent::Now), [count(1, 200, 2000), count(2, 200, 8000)]);
        assert_eq!(made(&Window { lost: 0, ..window }, |_| Sent::Now), [short, long]);
    }
}
