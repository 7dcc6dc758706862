//! The packed record of a motor controller, written to QS as a block of memory (`QS_MEM`).
//!
//! ```sh
//! cargo build -p motor
//! spytui --plugin target/debug/libmotor.so trace.bin
//! ```

use spytui_plugin_api::Severity;
use spytui_plugin_layer::*;

spytui_plugin_layer::plugin!(formatters: [Motor]);

/// `struct { uint16_t rpm_x10; int8_t celsius; uint8_t mode; uint8_t flags; float amps; }`, packed.
pub struct Motor;

const RPM: Named = named("rpm").scale(0.1).unit("rpm").value();
const WORDS: &[(u64, &str)] = &[(0, "off"), (1, "run"), (7, "fault")];
const MODE: Named = named("mode").words(WORDS).severe(&[(7, Severity::ERROR)]).state();
const FLAGS: Named = named("flags").bits(&[(0, "brake"), (1, "hot"), (7, "limit")]);

impl RecordText for Motor {
    const OF: (&'static str, &'static str) = ("qs", "USER+5");

    fn read(_: &[u8], r: &mut Record<'_>) -> Option<()> {
        // A block of memory begins with its length.
        r.take(1)?;
        r.number::<u16>(RPM)?;
        r.number::<i8>(named("temp").unit("°C"))?;
        r.number::<u8>(MODE)?;
        r.number::<u8>(FLAGS)?;
        r.number::<f32>(named("amps").unit("A"))
    }
}
