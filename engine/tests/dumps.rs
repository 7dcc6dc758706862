//! Converts the output of tools back to bytes. `captures/dumps/` contains their output for `want.bin`, or for
//! `NAME.bin` in `NAME.txt`.

use std::path::{Path, PathBuf};

use spytui_engine::io::text::{TextDecoder, TextForm, recognise};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/dumps")
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn decoded(text: &[u8], form: TextForm, size: usize) -> Result<Vec<u8>, String> {
    let (mut decoder, mut bytes) = (TextDecoder::new(form), Vec::new());
    let fed = text.chunks(size).try_for_each(|piece| decoder.feed(piece, &mut bytes));
    fed.and_then(|()| decoder.finish(&mut bytes)).map(|()| bytes).map_err(|error| error.to_string())
}

/// All dumps, with their form and the bytes they represent.
fn dumps() -> Vec<(String, TextForm, Vec<u8>, Vec<u8>)> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension != "bin"));
    names.sort();
    let dump = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let form = match () {
            () if name.contains("b64") => TextForm::Base64,
            () if name.contains("big") => TextForm::HexBig,
            () => TextForm::Hex,
        };
        let own = path.with_extension("bin");
        let want = if own.exists() {
            own
        } else {
            folder().join(if name.starts_with("odd-") { "odd.bin" } else { "want.bin" })
        };
        (name, form, read(path), read(&want))
    };
    names.iter().map(dump).collect()
}

#[test]
fn what_tools_print_stands_for_the_same_bytes() {
    let dumps = dumps();
    assert!(dumps.len() > 120, "{}", dumps.len());
    let mut wrong = Vec::new();
    for (name, form, text, want) in &dumps {
        for size in [7, usize::MAX] {
            let bytes = decoded(text, *form, size);
            if bytes.as_ref() != Ok(want) {
                let differs = bytes.map(|bytes| (bytes.len(), bytes.iter().zip(want).position(|(a, b)| a != b)));
                wrong.push(format!("{name} in pieces of {size}: {differs:?} of {}", want.len()));
                break;
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_tools_print_is_recognised() {
    for (name, form, text, _) in dumps() {
        let input = if form == TextForm::Base64 { "base64" } else { "hex" };
        assert!(recognise(&name, &text).is_some_and(|hint| hint.contains(&format!("--input {input} "))), "{name}");
    }
}
