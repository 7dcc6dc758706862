//! The generated stream of the benches is valid and does not repeat.

use crate::common::{decoder, file};
use spytui_decoder_harness::varied;

#[test]
fn the_generated_stream_is_sound_and_does_not_repeat() {
    let bytes = varied::tband(&file("brew_stream.bin"), 1, 500_000);
    varied::sound_and_varied(decoder(), "tband-0.1.0", &bytes, &[]);
}
