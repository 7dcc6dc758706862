//! PROTOCOL.md names a test for each rule; each of them exists.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

fn source(parts: &[&str]) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if let [module @ .., "tests"] = parts {
        let path = module.join("/");
        let file = root.join(format!("src/{path}.rs"));
        return fs::read_to_string(file).or_else(|_| fs::read_to_string(root.join(format!("src/{path}/mod.rs")))).ok();
    }
    fs::read_to_string(root.join(format!("tests/{}.rs", parts.join("/")))).ok()
}

#[test]
fn the_tests_that_rules_name_exist() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/PROTOCOL.md")).unwrap();
    let named = text.split('`').skip(1).step_by(2).filter(|t| t.contains("::") && *t != "file::test");
    let mut count = 0;
    for test in named.filter(|t| !t.starts_with("module::")) {
        let parts: Vec<&str> = test.split("::").collect();
        let (name, place) = parts.split_last().unwrap();
        let source = source(place).unwrap_or_else(|| panic!("{test}: no such file"));
        assert!(*name == "*" || source.contains(&format!("fn {name}(")), "{test}: no such test");
        count += 1;
    }
    assert!(count > 60, "{count}");
}
