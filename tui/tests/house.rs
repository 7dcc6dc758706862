//! The modules of this crate form no import circle.
//!
//! A module is a file or a folder directly under `src/`, `lib.rs` and `main.rs` aside; an import is a `crate::` path.

#![allow(clippy::unwrap_used)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_form_no_circle() {
    let imports = imports(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
    let circles = circles(&imports);
    assert!(circles.is_empty(), "modules that import each other: {circles:?}");
}

/// Which modules each module imports.
fn imports(src: &Path) -> Imports {
    let mut all = Imports::new();
    for entry in fs::read_dir(src).unwrap().flatten() {
        let path = entry.path();
        let module = path.file_stem().unwrap().to_string_lossy().into_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        let mut text = String::new();
        read_all(&path, &mut text);
        all.insert(module, crate_paths(&text));
    }
    let modules: BTreeSet<String> = all.keys().cloned().collect();
    for (module, imported) in &mut all {
        imported.retain(|other| other != module && modules.contains(other));
    }
    all
}

/// The code of a file, or of all files of a folder, without comments.
fn read_all(path: &Path, text: &mut String) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            read_all(&entry.path(), text);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        for line in fs::read_to_string(path).unwrap().lines() {
            text.push_str(line.split("//").next().unwrap_or_default());
            text.push('\n');
        }
    }
}

/// First segments of all `crate::…` paths, grouped imports included.
fn crate_paths(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        // `$crate` and names that end in `crate` are something else.
        if text[..at].ends_with(|c: char| c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_heads(group)),
            None => found.extend(head(rest)),
        }
    }
    found
}

/// First segments of the members of a group, up to its closing brace.
fn group_heads(group: &str) -> Vec<String> {
    let (mut depth, mut heads, mut begin) = (0, Vec::new(), true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begin = true,
            c if begin && !c.is_whitespace() => {
                heads.extend(head(&group[at..]));
                begin = false;
            }
            _ => {}
        }
    }
    heads
}

fn head(path: &str) -> Option<String> {
    let word: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// Groups of modules that reach each other.
fn circles(imports: &Imports) -> Vec<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|module| (module.as_str(), reach(imports, module))).collect();
    let mut found: Vec<Vec<&str>> = Vec::new();
    for (module, theirs) in &reached {
        let circle: Vec<&str> = theirs.iter().copied().filter(|other| reached[other].contains(module)).collect();
        if circle.len() > 1 && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

/// All modules that can be reached from one by imports; with itself if there is a way back.
fn reach<'a>(imports: &'a Imports, module: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = imports[module].iter().map(String::as_str).collect();
    while let Some(other) = next.pop() {
        if reached.insert(other) {
            next.extend(imports[other].iter().map(String::as_str));
        }
    }
    reached
}

#[test]
fn a_circle_is_found() {
    let text = "use crate::{b::X, c::{self, Y}};\nfn f() { crate::d::g(); }";
    assert_eq!(crate_paths(text).into_iter().collect::<Vec<_>>(), ["b", "c", "d"]);
    let edges = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["a"]), ("d", vec!["a"])];
    let imports: Imports =
        edges.iter().map(|(m, to)| (m.to_string(), to.iter().map(ToString::to_string).collect())).collect();
    assert_eq!(circles(&imports), [["a", "b", "c"]]);
}
