//! Conformance to the plugin API, tested with captures.

use spytui_plugin_api::DecoderRef;
use spytui_plugin_host::kit::{Sample, conform};

use crate::file;

/// Runs the conformance kit on the first `most` bytes of each capture `NAME.bin` of the crate at `root`.
pub fn conform_captures(decoder: DecoderRef, root: &str, names: &[&str], most: usize, opts: &[(&str, &[u8])]) {
    let files: Vec<_> = names.iter().map(|name| (*name, file(root, &format!("{name}.bin")))).collect();
    let samples: Vec<_> = files
        .iter()
        .map(|(name, bytes)| Sample { name, opts: opts.to_vec(), bytes: &bytes[..bytes.len().min(most)] })
        .collect();
    conform(decoder, &samples);
}
