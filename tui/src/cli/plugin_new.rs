//! `spytui plugin new`: a crate for a new plugin, with the source of the plugin API.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::Path,
};

use spytui_engine::unwritable;
use spytui_plugin_api::{API_MAJOR, API_MINOR};

use super::{args::PluginKind, decoders, failure::Failure, output};

/// The source of the plugin API, which is on no registry.
const API: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/api_source.rs"));

const MANIFEST: &str = include_str!("../../assets/plugin/Cargo.toml.txt");

struct Template {
    source: &'static str,
    test: &'static str,
    example: (&'static str, &'static [u8]),
}

const RECORDS: Template = Template {
    source: include_str!("../../assets/plugin/records/lib.rs.txt"),
    test: include_str!("../../assets/plugin/records/test.rs.txt"),
    example: ("record.bin", include_bytes!("../../assets/plugin/records/record.bin")),
};

const DECODER: Template = Template {
    source: include_str!("../../assets/plugin/decoder/lib.rs.txt"),
    test: include_str!("../../assets/plugin/decoder/test.rs.txt"),
    example: ("capture.bin", include_bytes!("../../assets/plugin/decoder/capture.bin")),
};

/// Writes the crate to the folder `path`, whose last part is its name. Errors: invalid crate name (2); the folder
/// exists, or can't be written (3).
pub(super) fn run(path: &str, kind: PluginKind) -> Result<u8, Failure> {
    let folder = Path::new(path);
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !is_crate_name(name) {
        return Err(Failure::usage(format!(
            "{name}: a crate's name has small letters, digits, _ and -, and a letter first"
        )));
    }
    if let Some(why) = clash(name) {
        return Err(Failure::usage(format!("{name}: {why}; give it another name")));
    }
    if folder.symlink_metadata().is_ok() {
        return Err(Failure::input(format!("{} exists already and stays as it is", folder.display())));
    }
    let api = folder.with_file_name(format!("spytui-plugin-api-{API_MAJOR}.{API_MINOR}"));
    if api.symlink_metadata().is_err() {
        API.iter().try_for_each(|(name, text)| write(&api.join(name), text.as_bytes()))?;
    }
    let names = Names::of(name, &api);
    let template = if kind == PluginKind::Records { RECORDS } else { DECODER };
    write(&folder.join("Cargo.toml"), names.fill(MANIFEST).as_bytes())?;
    write(&folder.join("src/lib.rs"), names.fill(template.source).as_bytes())?;
    write(&folder.join("tests/conform.rs"), names.fill(template.test).as_bytes())?;
    write(&folder.join("tests").join(template.example.0), template.example.1)?;
    output::print(&names.next_steps(folder, kind)).map(|()| 0)
}

fn is_crate_name(name: &str) -> bool {
    let may_be = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.bytes().all(may_be)
}

/// Why a crate of this name would not build, or why its plugin would replace something else.
fn clash(name: &str) -> Option<&'static str> {
    let module = name.replace('-', "_");
    let type_name: String = module.split('_').map(capitalised).collect();
    if decoders::is_built_in(name) {
        Some("there is a decoder of this name, and a plugin would take its place")
    } else if WORDS_OF_RUST.contains(&module.as_str()) {
        Some("it is a Rust keyword, or a crate that comes with Rust")
    } else if module.starts_with("spytui_plugin_") || !type_name.starts_with(|c: char| c.is_ascii_uppercase()) {
        Some("a crate of this name does not build")
    } else if NAMES_IN_TEMPLATES.contains(&type_name.as_str()) {
        Some("the plugin API has a type of this name")
    } else {
        None
    }
}

/// Reserved words, and crates that every crate has.
#[rustfmt::skip]
const WORDS_OF_RUST: [&str; 60] = [
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue", "core", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "proc_macro", "pub", "ref", "return", "self", "static", "std",
    "struct", "super", "test", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where",
    "while", "yield", "build", "deps", "examples", "incremental",
];

/// Names used by the templates; a type with such a name would hide them.
const NAMES_IN_TEMPLATES: [&str; 19] = [
    "RecordText",
    "Record",
    "Option",
    "Some",
    "None",
    "Class",
    "Clock",
    "Protocol",
    "Framing",
    "Length",
    "Check",
    "Space",
    "Kind",
    "Means",
    "Self",
    "Sample",
    "Vec",
    "Ok",
    "String",
];

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, content))
        .map_err(|error| Failure::input(unwritable(path, &error)))
}

/// Replacements for the placeholders of a template.
struct Names([(&'static str, String); 5]);

impl Names {
    fn of(name: &str, api: &Path) -> Names {
        let module = name.replace('-', "_");
        Names([
            ("{{name}}", name.to_owned()),
            ("{{Type}}", module.split('_').map(capitalised).collect()),
            ("{{library}}", format!("{DLL_PREFIX}{module}{DLL_SUFFIX}")),
            ("{{module}}", module),
            ("{{api}}", api.file_name().unwrap_or_default().to_string_lossy().into_owned()),
        ])
    }

    fn fill(&self, template: &str) -> String {
        self.0.iter().fold(template.to_owned(), |text, (place, name)| text.replace(place, name))
    }

    fn next_steps(&self, folder: &Path, kind: PluginKind) -> String {
        let folder = folder.display();
        let example = match kind {
            PluginKind::Records => "--demo qs",
            PluginKind::Decoder => "--proto {{name}} tests/capture.bin",
        };
        self.fill(&format!(
            "{folder}: edit src/lib.rs, then\n    cd {folder}\n    cargo test\n    cargo build\n    \
             spytui --plugin target/debug/{{{{library}}}} {example}\n\
             In a program that runs: :plugin load target/debug/{{{{library}}}}, and after each build :plugin reload\n"
        ))
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_template_is_filled() {
        let names = Names::of("my-motor2", Path::new("spytui-plugin-api-9.9"));
        for text in [MANIFEST, RECORDS.source, RECORDS.test, DECODER.source, DECODER.test] {
            let filled = names.fill(text);
            assert!(!filled.contains("{{"), "{filled}");
        }
        assert!(names.fill(RECORDS.test).contains("use my_motor2::MyMotor2;"));
    }

    #[test]
    fn the_workspace_of_the_api_stands_alone() {
        let manifest = |of: &str| -> toml::Table {
            let found = API.iter().find(|(name, _)| *name == of).map_or("", |(_, text)| text);
            found.parse().expect("toml")
        };
        let workspace = manifest("Cargo.toml")["workspace"].clone();
        assert_eq!(workspace["package"]["license"].as_str(), Some("MIT OR Apache-2.0"));
        for name in ["plugin-api", "plugin-host", "plugin-layer"] {
            let table = manifest(&format!("{name}/Cargo.toml"));
            assert_eq!(table["package"]["name"].as_str(), Some(&*format!("spytui-{name}")));
            let dependencies = table["dependencies"].as_table().expect("dependencies");
            assert!(dependencies.keys().all(|key| workspace["dependencies"].get(key).is_some()));
            assert!(API.iter().any(|(path, _)| *path == format!("{name}/src/lib.rs")));
        }
    }

    #[test]
    fn a_name_is_that_of_a_crate() {
        assert!(["motor", "my-motor", "a5"].into_iter().all(is_crate_name));
        assert!(!["", "5a", "Motor", "a b", "ä"].into_iter().any(is_crate_name));
    }

    #[test]
    fn a_name_that_does_not_build_or_is_taken_is_refused() {
        for name in ["motor", "my-motor", "a5", "qs2", "records", "matcher"] {
            assert_eq!(clash(name), None, "{name}");
        }
        for name in ["fn", "self", "match", "test", "std", "core", "spytui-plugin-api", "option", "record", "proto_col"]
        {
            assert_eq!(clash(name).is_some(), name != "proto_col", "{name}");
        }
        #[cfg(feature = "decoders")]
        for name in ["qs", "rkh", "tband", "qnx"] {
            let why = "there is a decoder of this name, and a plugin would take its place";
            assert_eq!(clash(name), Some(why), "{name}");
        }
    }
}
