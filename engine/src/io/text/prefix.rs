//! What stands before the data of a line: the tag of a log, the name of a channel.

/// A prefix with its numbers left out.
pub(super) fn shape(prefix: &str) -> String {
    let mut shape = String::new();
    for c in prefix.trim().chars() {
        let c = match c {
            c if c.is_ascii_digit() => '#',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if !(matches!(c, '#' | ' ') && shape.ends_with(c)) {
            shape.push(c);
        }
    }
    shape
}
