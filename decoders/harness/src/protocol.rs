//! Checks that the tests named in a `PROTOCOL.md` exist.

use std::{fs, path::Path};

/// Checks that `PROTOCOL.md` of the crate at `root` names more than `fewest` tests, and that each of them exists.
pub fn named_tests_exist(root: &str, fewest: usize) {
    let text = fs::read_to_string(format!("{root}/PROTOCOL.md")).unwrap();
    let named = text.split('`').skip(1).step_by(2).filter(|t| t.contains("::") && *t != "file::test");
    let mut count = 0;
    for test in named.filter(|t| !t.starts_with("module::")) {
        let parts: Vec<&str> = test.split("::").collect();
        let (name, place) = parts.split_last().unwrap();
        let source = source(Path::new(root), place).unwrap_or_else(|| panic!("{test}: no such file"));
        assert!(*name == "*" || source.contains(&format!("fn {name}(")), "{test}: no such test");
        count += 1;
    }
    assert!(count > fewest, "{count}");
}

fn source(root: &Path, parts: &[&str]) -> Option<String> {
    // The shared crates are next to the decoders; the program has tests of its own.
    let (root, parts) = match parts {
        [shared @ ("hdlc" | "kit" | "companion"), parts @ ..] => (root.join("..").join(shared), parts),
        ["program", parts @ ..] => (root.join("../../tui"), parts),
        ["layer", parts @ ..] => (root.join("../../plugin-layer"), parts),
        ["host", parts @ ..] => (root.join("../../plugin-host"), parts),
        _ => (root.to_owned(), parts),
    };
    if let [module @ .., "tests"] = parts {
        let path = module.join("/");
        let file = root.join(format!("src/{path}.rs"));
        return fs::read_to_string(file).or_else(|_| fs::read_to_string(root.join(format!("src/{path}/mod.rs")))).ok();
    }
    fs::read_to_string(root.join(format!("tests/{}.rs", parts.join("/")))).ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::source;

    #[test]
    fn a_test_is_looked_for_in_modules_in_tests_and_in_the_shared_crates() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let has = |parts: &[&str], text: &str| source(here, parts).is_some_and(|s| s.contains(text));
        assert!(has(&["protocol", "tests"], "fn source"));
        assert!(has(&["hdlc", "splitter", "tests"], "struct Splitter"));
        assert!(has(&["kit", "posts", "tests"], "struct Posts"));
        assert!(has(&["host", "drops", "tests"], "struct DropTracker"));
        assert!(source(here, &["nowhere", "tests"]).is_none() && source(here, &["nowhere"]).is_none());
    }
}
