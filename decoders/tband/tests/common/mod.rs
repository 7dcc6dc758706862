//! Captures, and a shortcut for decoding them.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_decoder_harness::Options;

spytui_decoder_harness::shortcuts!(spytui_decoder_tband::Tband, spytui_decoder_tband::TbandEncoder);

/// Captures of one core, and one of the two files of a dual-core capture.
pub(crate) const CAPTURES: [(&str, &str); 13] = [
    ("boiler_basic", "bare-metal"),
    ("boiler_drops", "bare-metal"),
    ("boiler_long_text", "bare-metal"),
    ("boiler_two_core.c0", "bare-metal"),
    ("boiler_two_core.c1", "bare-metal"),
    ("brew_late", "free-rtos"),
    ("brew_snapshot", "free-rtos"),
    ("brew_stream", "free-rtos"),
    ("damaged_boiler_flips", "bare-metal"),
    ("damaged_boiler_noise", "bare-metal"),
    ("damaged_brew_gaps", "free-rtos"),
    ("edge_frames_baremetal", "bare-metal"),
    ("edge_frames_freertos", "free-rtos"),
];

/// Options of the reference style.
pub(crate) fn reference(mode: &str) -> Options<'_> {
    let mut opts: Options<'_> = vec![("reference", b"tband-0.1.0")];
    if !mode.is_empty() {
        opts.push(("mode", mode.as_bytes()));
    }
    opts
}
