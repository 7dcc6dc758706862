//! An encoder: events to frames, as a target writes them.

/// A stream being written.
#[derive(Default, Clone)]
pub(crate) struct Stream {
    pub(crate) bytes: Vec<u8>,
}

/// A number of variable length.
pub(crate) fn number(mut n: u64, out: &mut Vec<u8>) {
    while n > 0x7F {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// A signed one: the sign in the lowest bit.
pub(crate) fn signed(n: i64) -> u64 {
    n.unsigned_abs() << 1 | u64::from(n < 0)
}

/// A frame as targets write it: no code byte behind a full block at the end.
pub(crate) fn frame(event: &[u8], out: &mut Vec<u8>) {
    let mut blocks: Vec<&[u8]> = Vec::new();
    let parts = event.split(|&b| b == 0);
    for part in parts {
        let mut rest = part;
        while rest.len() >= 254 {
            let (full, after) = rest.split_at(254);
            blocks.push(full);
            rest = after;
        }
        blocks.push(rest);
    }
    // The block behind a full one at the end is empty.
    if blocks.len() > 1 && blocks[blocks.len() - 1].is_empty() && blocks[blocks.len() - 2].len() == 254 {
        blocks.pop();
    }
    for block in blocks {
        out.push(block.len() as u8 + 1);
        out.extend_from_slice(block);
    }
    out.push(0);
}

impl Stream {
    /// Adds a frame around bytes that may be no event.
    pub(crate) fn frame(&mut self, event: &[u8]) -> &mut Stream {
        frame(event, &mut self.bytes);
        self
    }

    /// Adds bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Stream {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Adds an event with a stamp, some numbers and a text.
    pub(crate) fn event(&mut self, id: u8, stamp: u64, numbers: &[u64], text: &[u8]) -> &mut Stream {
        let mut event = vec![id];
        number(stamp, &mut event);
        numbers.iter().for_each(|n| number(*n, &mut event));
        event.extend_from_slice(text);
        self.frame(&event)
    }

    /// Adds an event of metadata.
    pub(crate) fn meta(&mut self, id: u8, numbers: &[u64], text: &[u8]) -> &mut Stream {
        let mut event = vec![id];
        numbers.iter().for_each(|n| number(*n, &mut event));
        event.extend_from_slice(text);
        self.frame(&event)
    }

    /// Events of this core from here on.
    pub(crate) fn core(&mut self, stamp: u64, core: u64) -> &mut Stream {
        self.event(0x00, stamp, &[core], b"")
    }

    /// Events dropped so far.
    pub(crate) fn dropped(&mut self, stamp: u64, count: u64) -> &mut Stream {
        self.event(0x01, stamp, &[count], b"")
    }

    pub(crate) fn resolution(&mut self, ns: u64) -> &mut Stream {
        self.meta(0x02, &[ns], b"")
    }

    /// A task runs.
    pub(crate) fn run(&mut self, stamp: u64, task: u64) -> &mut Stream {
        self.event(0x54, stamp, &[task], b"")
    }
}
