//! The nearest word to a mistyped one.

/// The word of `words` that is nearest to `word`, unless even that is far off.
#[must_use]
pub fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words
        .map(|w| (distance(word, w), w))
        .min_by_key(|(d, _)| *d)
        .filter(|(d, w)| *d <= 1 + w.chars().count().max(word.chars().count()) / 3)
        .map(|(_, w)| w)
}

/// Edit distance (Damerau–Levenshtein, adjacent swaps count one), ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = vec![];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = a[i - 1] == b[j - 1];
            let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(!same));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_swaps_and_typos_but_not_strangers() {
        let words = ["signal", "timestamp", "reference"];
        assert_eq!(nearest("singal", words.into_iter()), Some("signal"));
        assert_eq!(nearest("timestmp", words.into_iter()), Some("timestamp"));
        assert_eq!(nearest("xyz", words.into_iter()), None);
    }
}
