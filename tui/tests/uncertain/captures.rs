//! The streams to damage: captures of each protocol, and streams of decoders on a page and of ITM.

use std::{fs, sync::Arc};

use spytui_decoder_harness::encode::qnx::{Trace, class};
use spytui_decoder_harness::{frames, stuff};
use spytui_engine::{
    analysis::Key,
    io::format_files::{FormatFiles, FormatPaths},
    open::{Decoder, Options, Origin, Registry},
};
use spytui_plugin_api::{Class, LibraryRef, Row};
use spytui_plugin_host::kit::Random;
use spytui_plugin_layer::{Check, Clock, Framing, Kind, Means, Protocol, Record, Space, decoder, named};

use crate::objects::PROTOCOLS;

#[path = "../../../examples/itm/tests/encoder/mod.rs"]
mod itm_encoder;

/// Units whose loss the stream reveals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// Nothing is numbered.
    Nothing,
    /// Numbered frames.
    Frame,
    /// Numbered buffers of frames.
    Buffer,
    /// Buffers numbered per core.
    BufferOfCore,
    /// Packets without numbers; a packet from the target reports lost ones.
    Overflow,
}

/// The numbering that a record belongs to, and that of an object.
pub(super) type Groups = (fn(&Row) -> u64, fn(&Key) -> u64);

/// A stream with its decoding parameters.
pub(super) struct Capture {
    pub(super) name: &'static str,
    pub(super) decoder: Arc<Decoder>,
    pub(super) options: Options,
    pub(super) bytes: Vec<u8>,
    pub(super) whole: Whole,
    /// With several sequences: a record in order shows that nothing is missing in its own.
    pub(super) groups: Option<Groups>,
    /// Times are sums: a missing record makes all later ones too small.
    pub(super) sums_times: bool,
}

impl Capture {
    fn new(name: &'static str, decoder: Arc<Decoder>, bytes: Vec<u8>, whole: Whole) -> Capture {
        let options = Options::default();
        Capture { name, decoder, options, bytes, whole, groups: None, sums_times: false }
    }

    /// The first bytes of a file in the folder of a protocol.
    fn of(protocol: usize, name: &'static str, most: usize, whole: Whole) -> Capture {
        let protocol = &PROTOCOLS[protocol];
        let decoder = protocol.decoder();
        let options = protocol.options(&decoder, name);
        let mut bytes = fs::read(protocol.path(name)).unwrap();
        bytes.truncate(most);
        Capture { options, ..Capture::new(name, decoder, bytes, whole) }
    }
}

pub(super) fn qs() -> Capture {
    Capture::of(0, "oven-734.bin", 12 << 10, Whole::Frame)
}

/// A format file gives states, values and spans to application records.
pub(super) fn qs_with_formats() -> Capture {
    const LINES: &str = "record qs USER+1 all:bytes span(begin,work)\n\
                         record qs USER+4 all:bytes span(end,work)\n\
                         record qs USER+9 _:u8 n:u8 state(n) value(n)\n";
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
    let built_in = vec![("own.fmt".to_owned(), LINES.to_owned())];
    registry.set_formats(Arc::new(FormatFiles::new(FormatPaths { built_in, ..FormatPaths::default() }).read()));
    assert_eq!(registry.formats.faults, Vec::<String>::new());
    let decoder = registry.find("qs").unwrap();
    Capture { name: "oven-734.bin with formats", decoder, ..qs() }
}

pub(super) fn rkh() -> Capture {
    Capture::of(1, "gh340-default.bin", 12 << 10, Whole::Frame)
}

/// The same from a target built without numbers.
pub(super) fn rkh_without_numbers() -> Capture {
    const NUMBERED: u8 = 0x80;
    let with = rkh();
    let mut bytes = vec![0x7E];
    let mut frames = frames(&with.bytes);
    // It may be truncated.
    frames.pop();
    for mut frame in frames {
        frame.pop();
        match frame[0] {
            0xAC => frame[4] &= !NUMBERED,
            _ => drop(frame.remove(1)),
        }
        let sum = frame.iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
        frame.push(sum);
        stuff(&frame, &mut bytes);
    }
    Capture { name: "gh340-default.bin without numbers", bytes, whole: Whole::Nothing, ..with }
}

pub(super) fn tband() -> Capture {
    Capture::of(2, "brew_stream.bin", 8 << 10, Whole::Nothing)
}

pub(super) fn qnx(name: &'static str) -> Capture {
    Capture::of(3, name, usize::MAX, Whole::Buffer)
}

/// Two CPUs with their own buffers and threads.
pub(super) fn qnx_8() -> Capture {
    const RELEASE: [(&str, &str); 3] = [("SYS_RELEASE", "8.0.0"), ("CPU_NUM", "2"), ("CYCLES_PER_SEC", "1000000000")];
    let mut random = Random::new(3);
    let mut trace = Trace::new(false);
    trace.header(&RELEASE, 0);
    let (mut running, mut calls) = ([1; 2], [[false; 4]; 2]);
    for number in 1..40 {
        for cpu in 0..2_u32 {
            let on = PROCESS + cpu;
            trace.at(cpu, 1_000 * number + 10 * cpu).time(5).buffer(number, 0);
            for _ in 0..6 {
                let runs = running[cpu as usize];
                trace.low += 10 + random.below(60) as u32;
                trace.event(class::THREAD, 2, &[on, 1 + runs % 3]);
                trace.low += 10 + random.below(60) as u32;
                if random.below(2) > 0 {
                    running[cpu as usize] = 1 + (runs + random.below(2) as u32) % 3;
                    trace.event(class::THREAD, 5, &[on, runs]).event(class::THREAD, 1, &[on, running[cpu as usize]]);
                }
                trace.low += 10 + random.below(60) as u32;
                let calls = &mut calls[cpu as usize][running[cpu as usize] as usize];
                if random.below(2) > 0 {
                    *calls = !*calls;
                    trace.event(class::KER_CALL, if *calls { 14 } else { 14 + LEAVE }, &[1, 1]);
                }
            }
            trace.event(class::CONTROL, 4, &[0xE6E6_E6E6; 2]);
        }
    }
    let bytes = trace.bytes;
    Capture {
        groups: Some((|row| row.core.into(), core_of)),
        ..Capture::new("QNX 8", PROTOCOLS[3].decoder(), bytes, Whole::BufferOfCore)
    }
}

/// Added to the number of a kernel call when it returns.
const LEAVE: u16 = 128;

/// Process of the threads on the first CPU; the next one is on the second.
const PROCESS: u32 = 7;

fn core_of(key: &Key) -> u64 {
    let process = key.key >> 32;
    if process == 0 { key.key } else { process - u64::from(PROCESS) }
}

/// Uses the example's library from the test build, because linking it would duplicate the symbols of the other example.
pub(super) fn itm() -> Capture {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    let path = std::env::current_exe().unwrap().with_file_name(format!("{DLL_PREFIX}itm{DLL_SUFFIX}"));
    let mut registry = Registry::new();
    registry.load(&path).unwrap();
    let bytes = itm_encoder::session(40);
    Capture { sums_times: true, ..Capture::new("ITM", registry.find("itm").unwrap(), bytes, Whole::Overflow) }
}

pub(super) fn a5() -> Capture {
    let frame = |kind: u8, number: u8, time: u32, payload: &[u8]| {
        let content = [&time.to_le_bytes(), payload].concat();
        let mut frame = [&[0xA5, content.len() as u8, kind, number][..], &content].concat();
        frame.push(Check::CRC8.of(&frame[1..]) as u8);
        frame
    };
    let mut random = Random::new(1);
    let mut state = [1, 1, 1];
    let frames = (0..600_u32).flat_map(|n| {
        let machine = random.below(3);
        let payload = match random.below(3) {
            0 => vec![1, random.below(200) as u8, 0],
            1 => b"all is well".to_vec(),
            _ => {
                let before = std::mem::replace(&mut state[machine], 1 + random.below(5) as u8);
                vec![machine as u8, before, state[machine]]
            }
        };
        let kind = match payload.len() {
            3 if payload[2] == 0 => 2,
            3 => 3,
            _ => 1,
        };
        frame(kind, n as u8, n * 7, &payload)
    });
    let library = spytui_plugin_api::library!("a5", decoders: [decoder::<a5::A5>()]);
    Capture::new("A5", only_decoder(library, "a5"), frames.collect(), Whole::Frame)
}

/// Frames `KIND NUMBER SENDER TIME OBJECT ITEM` of a decoder on a page.
struct Page<const NUMBERED: bool, const SENDERS: bool>;

const TASK: usize = 0;
const INTERRUPT: usize = 1;
const MACHINE: usize = 2;
const STATE: usize = 3;
const VALUE: usize = 4;
const SPAN: usize = 5;

impl<const NUMBERED: bool, const SENDERS: bool> Protocol for Page<NUMBERED, SENDERS> {
    const ID: &'static str = "page";
    const TITLE: &'static str = "Page";
    const FRAMING: Framing = Framing::cobs(Check::CRC16);
    const CHECK_BITS: u32 = 16;
    const CLOCK: Clock = Clock::millis(32);
    const SPACES: &'static [Space] = &[
        Space::of("task", Class::TASK),
        Space::of("interrupt", Class::ISR),
        Space::objects("machine"),
        Space::of("state", Class::STATE),
        Space::of("value", Class::VALUE),
        Space::of("span", Class::MARKER),
    ];
    const KINDS: &'static [Kind] = &[
        Kind::new(1, "RUN", "OS", Means::Run),
        Kind::new(2, "ENTER", "OS", Means::IsrIn),
        Kind::new(3, "EXIT", "OS", Means::IsrOut),
        Kind::new(4, "STATE", "SM", Means::State),
        Kind::new(5, "VALUE", "VA", Means::Value),
        Kind::new(6, "BEGIN", "SP", Means::Begin),
        Kind::new(7, "END", "SP", Means::End),
    ];

    fn read(_: &[u8], r: &mut Record<'_>) -> Option<()> {
        let (kind, number, sender) = (r.get::<u8>()?, r.get::<u8>()?, r.get::<u8>()?);
        r.kind(kind.into());
        if NUMBERED {
            r.sequence(number.into(), 8);
        }
        if SENDERS {
            r.sender(sender.into());
        }
        r.time::<u32>()?;
        let space = match kind {
            1 => TASK,
            2 | 3 => INTERRUPT,
            4 => MACHINE,
            5 => VALUE,
            _ => SPAN,
        };
        r.object::<u8>("object", space)?;
        match kind {
            4 => r.key::<u8>("state", STATE),
            _ => r.number::<u8>(named("value")),
        }
    }
}

/// Number of a sender's first object.
const OBJECTS: u64 = 16;

/// A stream of a decoder on a page.
fn page(name: &'static str, library: LibraryRef, whole: Whole, senders: usize) -> Capture {
    let mut random = Random::new(2);
    let (mut numbers, mut is_open) = ([0_u8, 100], [[false; 2]; 2]);
    let mut bytes = Vec::new();
    for time in 0..600_u32 {
        let sender = random.below(senders);
        // No task is switched to within an interrupt.
        let first = usize::from(senders > 1) + usize::from(senders > 1 || is_open[0][0]);
        // One sender owns the processor.
        let kind = [1, 2, 4, 5, 6][first + random.below(5 - first)];
        let other = 1 + u8::from(random.below(2) > 0);
        let (kind, object) = match kind {
            2 | 6 => {
                let open = &mut is_open[sender][kind / 4];
                *open = !*open;
                (kind + usize::from(!*open), 1)
            }
            _ => (kind, other),
        };
        let sends = OBJECTS as u8 * sender as u8;
        let head = [kind as u8, numbers[sender], sender as u8];
        let frame = [&head[..], &(time * 5).to_le_bytes(), &[sends + object, random.below(6) as u8]].concat();
        numbers[sender] = numbers[sender].wrapping_add(1);
        let sum = Check::CRC16.of(&frame) as u16;
        spytui_decoder_harness::encode::tband::frame(&[&frame[..], &sum.to_be_bytes()].concat(), &mut bytes);
    }
    Capture::new(name, only_decoder(library, "page"), bytes, whole)
}

pub(super) fn page_with_numbers() -> Capture {
    let library = spytui_plugin_api::library!("page", decoders: [decoder::<Page<true, false>>()]);
    page("page with numbers", library, Whole::Frame, 1)
}

pub(super) fn page_without_numbers() -> Capture {
    let library = spytui_plugin_api::library!("page", decoders: [decoder::<Page<false, false>>()]);
    page("page without numbers", library, Whole::Nothing, 1)
}

/// A number reveals only what is missing from its sender.
pub(super) fn page_with_senders() -> Capture {
    let library = spytui_plugin_api::library!("page", decoders: [decoder::<Page<true, true>>()]);
    Capture {
        groups: Some((|row| row.obj / OBJECTS, |key| key.key / OBJECTS)),
        ..page("page with senders", library, Whole::Frame, 2)
    }
}

fn only_decoder(library: LibraryRef, id: &str) -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(library, &Origin::BuiltIn).unwrap();
    registry.find(id).unwrap()
}
