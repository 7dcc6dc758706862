//! Frames of a small tracer: `A5 length type sequence time payload crc8`.
//!
//! ```sh
//! cargo build -p a5
//! spytui --plugin target/debug/liba5.so --proto a5 trace.bin
//! ```

use spytui_plugin_api::Class;
use spytui_plugin_layer::*;

spytui_plugin_layer::plugin!(decoders: [A5]);

/// The protocol. All numbers are little-endian.
pub struct A5;

const OBJECT: usize = 0;
const CHANNEL: usize = 1;
const STATE: usize = 2;

impl Protocol for A5 {
    const ID: &'static str = "a5";
    const TITLE: &'static str = "A5 frames";
    const CHECK_BITS: u32 = 8;
    const CLOCK: Clock = Clock::millis(32);
    const SPACES: &'static [Space] =
        &[Space::objects("object"), Space::of("channel", Class::CHANNEL), Space::of("state", Class::STATE)];
    const KINDS: &'static [Kind] = &[
        Kind::new(1, "LOG", "LG", Means::Instant),
        Kind::new(2, "SAMPLE", "SA", Means::Value),
        Kind::new(3, "STATE", "ST", Means::Transition),
        Kind::new(4, "DROP", "IN", Means::Drop),
        Kind::new(5, "NAME", "IN", Means::Name),
    ];
    const MAX_FRAME: usize = 260;

    fn split(bytes: &[u8]) -> Split {
        let &[0xA5, ref rest @ ..] = bytes else { return Split::Junk };
        let Some(&len) = rest.first() else { return Split::More };
        let Some(frame) = bytes.get(..usize::from(len) + 5) else { return Split::More };
        let (front, sum) = frame.split_at(frame.len() - 1);
        if Check::CRC8.fits(&front[1..], sum) { Split::Frame(frame.len()) } else { Split::BadChecksum(frame.len()) }
    }

    fn read(frame: &[u8], r: &mut Record<'_>) -> Option<()> {
        r.kind(frame[2].into());
        r.sequence(frame[3].into(), 8);
        r.payload(4..frame.len() - 1);
        r.time::<u32>()?;
        match frame[2] {
            1 => r.text("text"),
            2 => {
                r.object::<u8>("channel", CHANNEL)?;
                r.number::<i16>("value")
            }
            3 => {
                r.object::<u8>("object", OBJECT)?;
                r.key::<u8>("from", STATE)?;
                r.key::<u8>("to", STATE)
            }
            4 => r.number::<u16>("count"),
            5 => {
                let space = r.get::<u8>()?;
                (space < 3).then_some(())?;
                r.names::<u8>(space.into())
            }
            _ => None,
        }
    }
}
