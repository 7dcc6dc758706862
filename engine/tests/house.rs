//! The house rules on modules: no circles of imports.
//!
//! A module here is a folder or file directly under a crate's `src/`, except `lib.rs` and `main.rs`. Modules that reach
//! each other by `crate::` paths (or by `super::` paths that leave the folder) can only be read together.

#![allow(clippy::expect_used)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The crates checked, by folder.
const CRATES: [&str; 18] = [
    "plugin-api",
    "plugin-api/testing/decoder",
    "plugin-host",
    "plugin-layer",
    "decoders/companion",
    "decoders/console",
    "decoders/harness",
    "decoders/hdlc",
    "decoders/kit",
    "decoders/qnx",
    "decoders/qs",
    "decoders/rkh-trazer",
    "decoders/tband",
    "engine",
    "firmware/bindings",
    "firmware/rust",
    "formats",
    "tui",
];

#[test]
fn no_modules_import_each_other() {
    let circles: Vec<String> = CRATES.iter().flat_map(|name| circles_of(name, Level::Module)).collect();
    assert!(circles.is_empty(), "{} circles of modules:\n{}", circles.len(), circles.join("\n"));
}

/// The same for single files.
#[test]
fn no_files_import_each_other() {
    let circles: Vec<String> = CRATES.iter().flat_map(|name| circles_of(name, Level::File)).collect();
    assert!(circles.is_empty(), "{} circles of files:\n{}", circles.len(), circles.join("\n"));
}

/// If the tests of a crate are one program, each file must be part of it, or it would never run.
#[test]
fn every_file_of_tests_is_part_of_a_program() {
    for name in CRATES {
        let folder = workspace().join(name).join("tests");
        let Ok(main) = fs::read_to_string(folder.join("main.rs")) else { continue };
        for entry in fs::read_dir(&folder).expect("readable").map(|entry| entry.expect("readable").path()) {
            let stem = entry.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let is_module = entry.extension().is_some_and(|end| end == "rs") || entry.join("mod.rs").exists();
            let is_named = stem == "main" || main.contains(&format!("mod {stem};"));
            assert!(!is_module || is_named, "{}: not in main.rs", entry.display());
        }
    }
}

/// Plugin authors begin with a trait: its page shows how.
#[test]
fn every_trait_of_the_plugin_api_has_an_example() {
    let mut seen = 0;
    let crates = ["plugin-api/src", "plugin-host/src", "plugin-layer/src"];
    for path in crates.iter().flat_map(|name| rust_files(&workspace().join(name))) {
        let text = fs::read_to_string(&path).expect("readable");
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("pub trait ")) {
            let is_doc = |line: &&&str| line.starts_with("///") || line.starts_with("#[");
            let mut docs = lines[..at].iter().rev().take_while(is_doc);
            assert!(docs.any(|line| *line == "/// ```"), "{}: {line}: it has no example", path.display());
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen} traits");
}

/// The screen is a function of its messages: these parts of `tui/src` use no files, threads, environment or clock.
#[test]
fn the_screen_does_no_input_or_output() {
    let root = workspace().join("tui/src");
    let mut found = Vec::new();
    let parts = ["model", "update", "view.rs", "pane", "commands", "widget.rs"];
    for part in parts.map(|part| root.join(part)) {
        for path in if part.is_dir() { rust_files(&part) } else { vec![part] } {
            let code = without_tests(&without_comments(&fs::read_to_string(&path).expect("readable")));
            let uses = outside_uses(&tokens(&code));
            let is_test = path.iter().any(|part| part == "tests") || path.ends_with("keys_tests.rs");
            found.extend(uses.into_iter().filter(|_| !is_test).map(|what| format!("{}: {what}", path.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The reference host is known to its decoder and to the command line; everything between knows no protocol.
#[test]
fn the_reference_host_is_named_by_its_decoder_and_the_command_line_alone() {
    let may = ["decoders/qs", "tui/src/cli", "tui/src/commands"].map(|folder| workspace().join(folder));
    let crates =
        ["plugin-api/src", "plugin-host/src", "plugin-layer/src", "engine/src", "tui/src", "formats/src", "decoders"];
    for path in crates.iter().flat_map(|name| rust_files(&workspace().join(name))) {
        let code = without_tests(&fs::read_to_string(&path).expect("readable")).to_lowercase();
        let is_test = path.iter().any(|part| part == "tests");
        let is_named = !is_test && may.iter().all(|folder| !path.starts_with(folder)) && code.contains("qspy");
        assert!(!is_named, "{} names the reference host of QS", path.display());
    }
}

/// Paths into the input and output parts of the standard library, and uses of the clock.
fn outside_uses(tokens: &[&str]) -> Vec<String> {
    const OUTSIDE: [&str; 6] = ["env", "fs", "net", "os", "process", "thread"];
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if tokens[at] == "std" && tokens.get(at + 1) == Some(&"::") {
            let mut paths = Vec::new();
            path_tree(tokens, at, &[], &mut paths);
            let outside = |path: &&Vec<String>| path.get(1).is_some_and(|part| OUTSIDE.contains(&part.as_str()));
            found.extend(paths.iter().filter(outside).map(|path| path.join("::")));
        }
        if let [clock @ ("Instant" | "SystemTime"), "::", "now", ..] | [".", clock @ "elapsed", ..] = tokens[at..] {
            found.push(format!("{clock} reads the clock"));
        }
    }
    found
}

/// A new pane or command touches its own folder or file, and one list. So nothing else may name one.
#[test]
fn panes_and_commands_are_named_in_their_list_only() {
    let src = workspace().join("tui/src");
    let imports = Sources::read(&src).imports(Level::File);
    for (module, list) in [("pane", "PANES"), ("commands", "COMMANDS")] {
        let text = without_comments(&fs::read_to_string(src.join(module).join("mod.rs")).expect("readable"));
        let code = tokens(&text);
        let list = &code[code.iter().position(|token| *token == list).expect("a list")..];
        for name in parts_of(&src.join(module)) {
            let own = format!("{module}::{name}");
            let inside = |file: &str| file == own || file.starts_with(&format!("{own}::"));
            for (from, to) in &imports {
                let reached = to.keys().find(|to| inside(to)).filter(|_| !inside(from) && !SHARED.contains(&&*own));
                assert_eq!(reached, None, "{from} names {own}; only the list may");
            }
            let is_listed = list.windows(2).any(|pair| pair == [name.as_str(), "::"]);
            assert!(is_listed != SHARED.contains(&own.as_str()), "{own} is missing in the list");
        }
    }
}

/// Helpers of all panes, not panes themselves.
const SHARED: [&str; 2] = ["pane::live", "pane::table"];

/// The folders and files in a folder, by name, without tests.
fn parts_of(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path());
    let names = entries.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    names.filter(|name| name != "mod" && !name.ends_with("tests")).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Module,
    File,
}

/// Imports between modules by name, each with one file that has it.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

fn circles_of(folder: &str, level: Level) -> Vec<String> {
    let sources = Sources::read(&workspace().join(folder).join("src"));
    let imports = sources.imports(level);
    groups(&imports).iter().map(|group| format!("{folder}: {}", describe(group, &imports))).collect()
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_path_buf()
}

fn describe(group: &BTreeSet<String>, imports: &Imports) -> String {
    let inside = |from: &String| imports[from].iter().filter(|(to, _)| group.contains(*to)).collect::<Vec<_>>();
    let edges = group.iter().flat_map(|from| {
        inside(from).into_iter().map(move |(to, by)| format!("    {from} -> {to} (in {by})")).collect::<Vec<_>>()
    });
    let names: Vec<&str> = group.iter().map(String::as_str).collect();
    format!("{}\n{}", names.join(", "), edges.collect::<Vec<_>>().join("\n"))
}

/// Groups of modules that reach each other.
fn groups(imports: &Imports) -> Vec<BTreeSet<String>> {
    let reach: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|from| (from, reached(from, imports))).collect();
    let mut groups: Vec<BTreeSet<String>> = Vec::new();
    for (from, to) in &reach {
        if !to.contains(*from) || groups.iter().any(|group| group.contains(*from)) {
            continue;
        }
        let mutual = to.iter().filter(|other| reach.get(other).is_some_and(|back| back.contains(*from)));
        groups.push(mutual.cloned().collect());
    }
    groups
}

fn reached(from: &String, imports: &Imports) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        for to in imports.get(at).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(to.clone()) {
                open.push(to);
            }
        }
    }
    seen
}

/// The files of a crate by module path: `store/rows.rs` is `store::rows`, `store/mod.rs` is `store`, `lib.rs` is empty.
struct Sources {
    files: BTreeMap<String, SourceFile>,
}

struct SourceFile {
    name: String,
    /// Paths used, from the root of the crate.
    paths: Vec<Vec<String>>,
    /// Re-exports of a module file: name and path from the root of the crate.
    exports: Vec<(String, Vec<String>)>,
}

impl Sources {
    fn read(src: &Path) -> Sources {
        let mut files = BTreeMap::new();
        for path in rust_files(src) {
            let name = path.strip_prefix(src).expect("inside").to_string_lossy().replace('\\', "/");
            let module = name.trim_end_matches(".rs").replace('/', "::");
            let module = match module.as_str() {
                "lib" | "main" => "",
                other => other.strip_suffix("::mod").unwrap_or(other),
            };
            if module.ends_with("tests") {
                continue;
            }
            let code = without_tests(&without_comments(&fs::read_to_string(&path).expect("readable")));
            let is_contents = module.is_empty() || name.ends_with("/mod.rs");
            files.insert(module.to_owned(), SourceFile::new(name.clone(), module, is_contents, &code));
        }
        Sources { files }
    }

    fn imports(&self, level: Level) -> Imports {
        let mut imports = Imports::new();
        for (module, file) in self.files.iter().filter(|(module, _)| !module.is_empty()) {
            let from = level.name(module);
            let known = imports.entry(from.clone()).or_default();
            for path in &file.paths {
                let to = level.name(&self.resolve(path));
                if !to.is_empty() && to != from {
                    known.entry(to).or_insert_with(|| file.name.clone());
                }
            }
        }
        imports
    }

    /// The module that a path leads to, through re-exports.
    fn resolve(&self, path: &[String]) -> String {
        let mut module = String::new();
        for (i, part) in path.iter().enumerate() {
            let inner = if module.is_empty() { part.clone() } else { format!("{module}::{part}") };
            if self.files.contains_key(&inner) {
                module = inner;
                continue;
            }
            let exports = self.files.get(&module).map_or(&[][..], |file| &file.exports);
            return match exports.iter().find(|(name, to)| name == part && to[..] != path[..=i]) {
                Some((_, to)) => self.resolve(to),
                None => module,
            };
        }
        module
    }
}

impl Level {
    fn name(self, module: &str) -> String {
        match self {
            Level::Module => module.split("::").next().unwrap_or_default().to_owned(),
            Level::File => module.to_owned(),
        }
    }
}

impl SourceFile {
    fn new(name: String, module: &str, is_contents: bool, code: &str) -> SourceFile {
        let here: Vec<String> = module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let mut file = SourceFile { name, paths: Vec::new(), exports: Vec::new() };
        let tokens = tokens(code);
        let mut at = 0;
        while at < tokens.len() {
            let is_export = is_contents && tokens[at] == "pub" && tokens.get(at + 1) == Some(&"use");
            if is_export {
                let mut paths = Vec::new();
                at = path_tree(&tokens, at + 2, &[], &mut paths);
                for path in paths.iter().filter_map(|path| absolute(path, &here, true)) {
                    file.exports.push((path.last().cloned().unwrap_or_default(), path));
                }
            } else if matches!(tokens[at], "crate" | "super" | "self")
                && tokens.get(at + 1) == Some(&"::")
                && (at == 0 || tokens[at - 1] != "::")
            {
                let mut paths = Vec::new();
                at = path_tree(&tokens, at, &[], &mut paths);
                file.paths.extend(paths.iter().filter_map(|path| absolute(path, &here, false)));
            } else {
                at += 1;
            }
        }
        file
    }
}

/// A path from the root of the crate; a re-export may begin with a module in its folder.
fn absolute(path: &[String], here: &[String], may_be_inner: bool) -> Option<Vec<String>> {
    let mut base = here.to_vec();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &path[1..];
        }
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ if may_be_inner => {}
        _ => return None,
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// All paths of a tree like `a::{b, c::d}` that begins at a token; returns the first token after it.
fn path_tree(tokens: &[&str], mut at: usize, before: &[String], out: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(at) {
            Some(&"{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = if tokens[at] == "," { at + 1 } else { path_tree(tokens, at, &path, out) };
                }
                return at + 1;
            }
            Some(&"*") => at += 1,
            Some(token) if is_word(token) => {
                path.push((*token).to_owned());
                at += 1;
            }
            _ => {}
        }
        if tokens.get(at) == Some(&"::") && tokens.get(at + 1).is_some_and(|t| is_word(t) || *t == "{" || *t == "*") {
            at += 1;
            continue;
        }
        if tokens.get(at) == Some(&"as") {
            at += 2;
        }
        out.push(path);
        return at.max(1);
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let len = if is_word(rest) {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            tokens.push(&rest[..len]);
        }
        rest = &rest[len..];
    }
    tokens
}

/// Removes text after `//`: paths in comments are for readers. Strings that contain `//` lose their end, too, but have
/// no paths there.
fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Removes the unit tests at the end of a file.
fn without_tests(code: &str) -> String {
    code.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()) {
        if entry.is_dir() {
            files.extend(rust_files(&entry));
        } else if entry.extension().is_some_and(|ext| ext == "rs") {
            files.push(entry);
        }
    }
    files
}
