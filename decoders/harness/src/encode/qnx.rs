//! Encodes traces of QNX's instrumented kernel.

/// Event classes.
pub mod class {
    /// Time and buffers.
    pub const CONTROL: u16 = 1;
    /// Kernel calls.
    pub const KER_CALL: u16 = 2;
    /// Interrupts.
    pub const INT: u16 = 3;
    /// Processes and threads.
    pub const THREAD: u16 = 4;
    pub const SYSTEM: u16 = 5;
    /// User events.
    pub const USER: u16 = 6;
    /// Messages.
    pub const COMM: u16 = 7;
}

/// Structure of an event part, 0 to 3.
const SIMPLE: u32 = 0;
const BEGIN: u32 = 1;
const CONTINUATION: u32 = 2;
const END: u32 = 3;

/// A trace of the instrumented kernel.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The bytes so far.
    pub bytes: Vec<u8>,
    /// The target is big-endian.
    pub big: bool,
    /// CPU of the following events.
    pub cpu: u32,
    /// Low half of the time of the following events.
    pub low: u32,
}

impl Trace {
    /// An empty trace.
    pub fn new(big: bool) -> Trace {
        Trace { big, ..Trace::default() }
    }

    /// Adds a header with these attributes and a system page of `system_page` bytes.
    pub fn header(&mut self, attributes: &[(&str, &str)], system_page: usize) -> &mut Trace {
        let order = if self.big { "BIG_ENDIAN" } else { "LITTLE_ENDIAN" };
        let mut text = format!("TRACE_HEADER_BEGIN::TRACE_{order}::TRUE");
        for (key, value) in attributes {
            text += &format!("TRACE_{key}::{value}");
        }
        text += &format!("TRACE_SYSPAGE_LEN::{system_page}TRACE_HEADER_END::");
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.extend((0..system_page).map(|i| (i * 7) as u8));
        self
    }

    /// Sets CPU and time of the following events.
    pub fn at(&mut self, cpu: u32, low: u32) -> &mut Trace {
        (self.cpu, self.low) = (cpu, low);
        self
    }

    /// Adds a part of an event.
    pub fn part(&mut self, structure: u32, class: u16, number: u16, words: [u32; 2]) -> &mut Trace {
        let header = structure << 30 | self.cpu << 24 | u32::from(class) << 10 | u32::from(number);
        for word in [header, self.low, words[0], words[1]] {
            let bytes = if self.big { word.to_be_bytes() } else { word.to_le_bytes() };
            self.bytes.extend_from_slice(&bytes);
        }
        self
    }

    /// Adds an event of two words, or a longer one in parts.
    pub fn event(&mut self, class: u16, number: u16, words: &[u32]) -> &mut Trace {
        let pair = |at: usize| [at, at + 1].map(|at| words.get(at).copied().unwrap_or(0));
        let parts = words.len().div_ceil(2).max(1);
        for part in 0..parts {
            let structure = match part {
                0 if parts == 1 => SIMPLE,
                0 => BEGIN,
                _ if part + 1 == parts => END,
                _ => CONTINUATION,
            };
            self.part(structure, class, number, pair(2 * part));
        }
        self
    }

    /// Adds an event of two words and a text.
    pub fn text(&mut self, class: u16, number: u16, words: [u32; 2], text: &str) -> &mut Trace {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let from = if self.big { u32::from_be_bytes } else { u32::from_le_bytes };
        let text = bytes.chunks_exact(4).map(|word| from([word[0], word[1], word[2], word[3]]));
        let words: Vec<u32> = words.into_iter().chain(text).collect();
        self.event(class, number, &words)
    }

    /// Adds the upper half of the time.
    pub fn time(&mut self, high: u32) -> &mut Trace {
        let low = self.low;
        self.event(class::CONTROL, 1, &[high, low])
    }

    /// Adds the beginning of a buffer with this many events.
    pub fn buffer(&mut self, number: u32, events: u32) -> &mut Trace {
        self.event(class::CONTROL, 2, &[number, events])
    }
}

/// A little-endian trace of at least `size` bytes: the events of `trace` repeated, with buffer numbers and clocks that
/// continue. `None` if `trace` has no header.
pub fn repeated(trace: &[u8], size: usize) -> Option<Vec<u8>> {
    const HEADER_END: &[u8] = b"TRACE_HEADER_END::";
    const LENGTH: &[u8] = b"TRACE_SYSPAGE_LEN::";
    let find = |what: &[u8]| trace.windows(what.len()).position(|window| window == what).map(|at| at + what.len());
    let digits = trace.get(find(LENGTH)?..)?.iter().take_while(|byte| byte.is_ascii_digit());
    let page = digits.fold(0, |page, digit| page * 10 + usize::from(digit - b'0'));
    let (head, events) = trace.split_at_checked(find(HEADER_END)? + page)?;
    let mut bytes = head.to_vec();
    let (mut buffers, mut time) = (0, 0);
    while bytes.len() < size {
        let (more, passed) = push_again(events, buffers, time, &mut bytes);
        buffers += more;
        time += passed;
    }
    Some(bytes)
}

/// Adds events with increased buffer numbers and times; returns their number of buffers and their duration.
fn push_again(events: &[u8], buffers: u32, time: u64, out: &mut Vec<u8>) -> (u32, u64) {
    const TIME: u32 = 1 << 10 | 1;
    const BUFFER: u32 = 1 << 10 | 2;
    let (mut more, mut first, mut last) = (0, None, 0);
    let mut high = 0_u64;
    for event in events.chunks_exact(16) {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(event.chunks_exact(4)) {
            *word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        let kind = words[0] & 0x7FFF;
        if kind == TIME {
            high = u64::from(words[2]);
            let now = (high << 32 | u64::from(words[1])) + time;
            (words[2], words[3]) = ((now >> 32) as u32, now as u32);
        } else if kind == BUFFER {
            words[2] = words[2].wrapping_add(buffers);
            more += 1;
        }
        let now = high << 32 | u64::from(words[1]);
        if high > 0 {
            first = first.or(Some(now));
            last = now.max(last);
        }
        words[1] = words[1].wrapping_add(time as u32);
        words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    }
    (more, last - first.unwrap_or(last) + 5_000)
}
