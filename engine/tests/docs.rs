//! The pages: links and keys, the size of the first one, and the table of contents of the manual.

#![allow(clippy::expect_used)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use spytui_engine::query::Name;

/// Maximum number of lines and words of a first page.
const MOST: (usize, usize) = (100, 900);

#[test]
fn the_first_page_is_short() {
    let text = page("README.md");
    let size = (text.lines().count(), text.split_whitespace().count());
    assert!(size.0 <= MOST.0 && size.1 <= MOST.1, "README.md has {} lines and {} words", size.0, size.1);
}

#[test]
fn links_lead_somewhere() {
    let pages = pages(&project());
    assert!(pages.iter().any(|path| path.ends_with("docs/manual.md")));
    let broken: Vec<String> = pages.iter().flat_map(|path| broken_links(path)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_manual_lists_its_sections() {
    let text = page("docs/manual.md");
    let (contents, _) = text.split_once("\n## ").expect("sections");
    let listed: Vec<&str> = contents.lines().filter(|line| line.trim_start().starts_with("- ")).collect();
    let sections: Vec<String> = headings(&text)
        .filter(|(level, _)| *level > 1)
        .map(|(level, title)| format!("{}- [{title}](#{})", "  ".repeat(level - 2), anchor(title)))
        .collect();
    assert_eq!(listed, sections);
}

#[test]
fn the_manual_names_what_filters_test() {
    let text = page("docs/manual.md");
    for name in Name::spellings() {
        assert!(text.contains(&format!("`{name}:`")) || text.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_keys_of_the_pages_exist() {
    let known = page("config/keys.toml");
    for (path, heading, columns) in
        [("README.md", "\n## Twelve keys\n", &[1, 3][..]), ("docs/manual.md", "\n## Keys\n", &[1])]
    {
        let text = page(path);
        let (_, section) = text.split_once(heading).expect("a section of keys");
        let rows = section.lines().skip_while(|line| !line.starts_with("| `")).take_while(|line| line.starts_with('|'));
        let cells = rows.flat_map(|row| columns.iter().map(|column| row.split('|').nth(*column).unwrap_or_default()));
        let keys: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        assert!(keys.len() > 12, "{keys:?}");
        // A single key, or the first of a sequence.
        let is_known =
            |key: &&str| known.contains(&format!("\n\"{key}\" = ")) || known.contains(&format!("\n\"{key} "));
        let unknown: Vec<&str> = keys.into_iter().filter(|key| !is_known(key)).collect();
        assert!(unknown.is_empty(), "{path}: {unknown:?}");
    }
}

/// Links in code are ignored, and anchors drop punctuation.
#[test]
fn links_and_anchors_are_read() {
    let text = "[a](b.md) `[no](x)` [c\nd](#e) ![f](g.svg)\n```text\n[no](y)\n```\n[web](https://example.org)";
    assert_eq!(links(text), ["b.md", "#e", "g.svg", "https://example.org"]);
    assert_eq!(anchor("60 seconds: `x`, and (then) y_z"), "60-seconds-x-and-then-y_z");
    let headings: Vec<(usize, &str)> = headings("# A\n```sh\n# no\n```\n### B c\n#no").collect();
    assert_eq!(headings, [(1, "A"), (3, "B c")]);
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page(path: &str) -> String {
    read(&project().join(path))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// All pages below a folder, except in build folders.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !name.starts_with('.') && name != "target" && name != "build" {
            found.extend(pages(&path));
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found
}

/// Links of a page to missing files or sections.
fn broken_links(path: &Path) -> Vec<String> {
    let text = read(path);
    let leads = |link: &str| {
        let (file, section) = link.split_once('#').unwrap_or((link, ""));
        let to = if file.is_empty() { path.to_owned() } else { path.with_file_name(file) };
        to.exists() && (section.is_empty() || headings(&read(&to)).any(|(_, title)| anchor(title) == section))
    };
    let own = links(&text).into_iter().filter(|link| !link.contains("://"));
    own.filter(|link| !leads(link)).map(|link| format!("{}: {link}", path.display())).collect()
}

/// Targets of the links of a page.
fn links(text: &str) -> Vec<String> {
    let prose = outside_blocks(text).map(without_code).collect::<Vec<String>>().join("\n");
    let ends = prose.split("](").skip(1);
    ends.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link.to_owned()).collect()
}

/// Level and title of each heading.
fn headings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    outside_blocks(text).filter_map(|line| {
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        title.strip_prefix(' ').filter(|_| level > 0).map(|title| (level, title.trim()))
    })
}

/// Lines outside fenced blocks.
fn outside_blocks(text: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_inside ^= is_fence;
        !is_inside && !is_fence
    })
}

/// A line without its code.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The anchor that forges generate for a heading.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}
