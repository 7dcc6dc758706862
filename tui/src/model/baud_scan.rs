//! `:baud auto`: which rates are listened at, and what came of it.

use std::time::Instant;

/// Usual rates, the likeliest first.
const RATES: [u32; 10] = [115_200, 921_600, 1_000_000, 460_800, 230_400, 57_600, 38_400, 19_200, 9_600, 2_000_000];

/// Progress of the scan.
#[derive(Debug, Clone)]
pub struct BaudScan {
    /// The source.
    pub source: usize,
    /// The rates, the present one first.
    rates: Vec<u32>,
    /// Evidence for each rate that was listened at, in bits.
    scores: Vec<u32>,
    /// Start of listening at the current rate.
    pub since: Option<Instant>,
    /// Length of the log at that time.
    pub from: u64,
}

impl BaudScan {
    /// Begins with the present rate of a source.
    pub fn start(source: usize, present: u32) -> BaudScan {
        let others = RATES.into_iter().filter(|rate| *rate != present);
        let rates = [present].into_iter().chain(others).collect();
        BaudScan { source, rates, scores: Vec::new(), since: None, from: 0 }
    }

    /// The rate to listen at; `None` if all are done.
    pub fn rate(&self) -> Option<u32> {
        self.rates.get(self.scores.len()).copied()
    }

    /// The rate from before the scan.
    pub fn present(&self) -> u32 {
        self.rates.first().copied().unwrap_or_default()
    }

    /// Takes the evidence for the current rate.
    pub fn score(&mut self, bits: u32) {
        self.scores.push(bits);
    }

    /// The rate with the most evidence; of equal ones the first, so that a tie keeps the present rate. `None` without
    /// any evidence.
    pub fn best(&self) -> Option<u32> {
        let most = self.scores.iter().max().filter(|most| **most > 0)?;
        self.scored().find(|(_, bits)| bits == most).map(|(rate, _)| rate)
    }

    /// `921600: 412, 115200: 8, others 0`: the evidence so far, in bits.
    pub fn scores(&self) -> String {
        let mut scored: Vec<(u32, u32)> = self.scored().filter(|(_, bits)| *bits > 0).collect();
        scored.sort_by_key(|(_, bits)| std::cmp::Reverse(*bits));
        let mut words: Vec<String> = scored.iter().map(|(rate, bits)| format!("{rate}: {bits}")).collect();
        if scored.len() < self.scores.len() {
            words.push(if scored.is_empty() { "all 0".to_owned() } else { "others 0".to_owned() });
        }
        words.join(", ")
    }

    fn scored(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rates.iter().copied().zip(self.scores.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(present: u32, evidence: impl Fn(u32) -> u32) -> BaudScan {
        let mut scan = BaudScan::start(0, present);
        while let Some(rate) = scan.rate() {
            scan.score(evidence(rate));
        }
        scan
    }

    #[test]
    fn the_rate_with_the_most_evidence_wins_and_a_tie_keeps_the_present_one() {
        let scan = scanned(9_600, |rate| if rate == 921_600 { 412 } else { u32::from(rate == 115_200) * 8 });
        assert_eq!((scan.best(), scan.scores().as_str()), (Some(921_600), "921600: 412, 115200: 8, others 0"));
        assert_eq!(scanned(38_400, |_| 7).best(), Some(38_400));
        // Also one that is not usual.
        let scan = scanned(250_000, |rate| u32::from(rate == 250_000 || rate == 115_200) * 20);
        assert_eq!((scan.best(), scan.rates.len()), (Some(250_000), 11));
        let scan = scanned(57_600, |_| 0);
        assert_eq!((scan.best(), scan.present(), scan.scores().as_str()), (None, 57_600, "all 0"));
    }
}
