//! Loads captures of a decoder, and compares texts.

/// The content of a capture of the crate at `root`.
pub fn file(root: &str, name: &str) -> Vec<u8> {
    let path = format!("{root}/tests/captures/{name}");
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Asserts that texts are equal; shows the first different lines.
pub fn same(name: &str, got: &[u8], expected: &[u8]) {
    if got == expected {
        return;
    }
    let lines =
        |t: &[u8]| t.split(|&b| b == b'\n').map(|l| String::from_utf8_lossy(l).into_owned()).collect::<Vec<_>>();
    let (got, expected) = (lines(got), lines(expected));
    let at = got.iter().zip(&expected).position(|(g, e)| g != e).unwrap_or(got.len().min(expected.len()));
    panic!("{name}: line {} is\n{:?}\nnot\n{:?}", at + 1, got.get(at), expected.get(at));
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    #[should_panic(expected = "a: line 2 is\nSome(\"3\")\nnot\nSome(\"2\")")]
    fn the_first_line_that_differs_is_shown() {
        same("b", b"1\n2", b"1\n2");
        same("a", b"1\n3", b"1\n2");
    }
}
