//! Checks that all decoders have the same modules (`decoders/README.md`), and that only `decoder` imports the reference
//! host.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
};

const DECODERS: [&str; 4] = ["qs", "rkh-trazer", "tband", "qnx"];

const NEEDED: [&str; 8] = ["frame", "record", "layout", "config", "names", "probe", "receive", "decoder"];
const OPTIONAL: [&str; 6] = ["reference", "text", "plan", "command", "front_end", "lib"];

fn source(decoder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(decoder).join("src")
}

/// The modules of a decoder: the files and folders in its source folder.
fn modules(decoder: &str) -> Vec<String> {
    let entries = fs::read_dir(source(decoder)).unwrap();
    entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Whether code imports `reference`.
fn imports_reference(text: &str) -> bool {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut in_use_of_crate = false;
    for line in code {
        if line.contains("crate::reference") {
            return true;
        }
        in_use_of_crate |= line.starts_with("use crate::{");
        if in_use_of_crate && (line.trim_start().starts_with("reference::") || line.trim() == "reference,") {
            return true;
        }
        in_use_of_crate &= !line.ends_with("};");
    }
    false
}

#[test]
fn decoders_have_the_same_modules() {
    for decoder in DECODERS {
        let modules = modules(decoder);
        for module in NEEDED {
            assert!(modules.iter().any(|m| m == module), "{decoder} has no module {module}");
        }
        for module in &modules {
            let known = NEEDED.contains(&module.as_str()) || OPTIONAL.contains(&module.as_str());
            assert!(known, "{decoder} has a module {module}, which decoders/README.md does not name");
        }
    }
}

#[test]
fn only_the_decoder_and_its_front_end_import_the_reference_host() {
    for decoder in DECODERS {
        let source = source(decoder);
        let mut all = Vec::new();
        files(&source, &mut all);
        let outside = all.iter().filter(|path| {
            let place = path.strip_prefix(&source).unwrap();
            !place.starts_with("reference")
                && !["decoder.rs", "front_end.rs", "lib.rs"].iter().any(|file| place == Path::new(file))
        });
        for path in outside {
            assert!(!imports_reference(&fs::read_to_string(path).unwrap()), "{}", path.display());
        }
    }
}

#[test]
fn the_guide_names_every_module() {
    let guide = fs::read_to_string(source("qs").join("../../README.md")).unwrap();
    for module in NEEDED.iter().chain(&OPTIONAL).filter(|module| **module != "lib") {
        assert!(guide.contains(&format!("| `{module}` |")), "{module}");
    }
}

#[test]
fn imports_are_found() {
    assert!(imports_reference("use crate::reference::Block;\n"));
    assert!(imports_reference("use crate::{\n    config,\n    reference::{self, Block},\n};\n"));
    assert!(!imports_reference("// crate::reference\nuse crate::{\n    config,\n};\nlet reference = 1;\n"));
}
