//! Encodes Tonbandgerät events as frames like a target.

#[derive(Clone, Debug, Default)]
pub struct Stream {
    pub bytes: Vec<u8>,
    event: Vec<u8>,
}

/// Appends a varint.
pub fn number(mut n: u64, out: &mut Vec<u8>) {
    while n > 0x7F {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Encodes a signed number with the sign in the lowest bit.
pub fn signed(n: i64) -> u64 {
    n.unsigned_abs() << 1 | u64::from(n < 0)
}

/// Appends the frame of an event. Targets omit the code byte after a full last block.
pub fn frame(event: &[u8], out: &mut Vec<u8>) {
    let mut rest = event;
    loop {
        let zero = rest.iter().take(254).position(|&b| b == 0);
        let len = zero.unwrap_or(rest.len().min(254));
        let (block, after) = rest.split_at(len);
        out.push(len as u8 + 1);
        out.extend_from_slice(block);
        rest = match (zero, after) {
            (Some(_), [_, after @ ..]) => after,
            (_, []) => break,
            (_, after) => after,
        };
    }
    out.push(0);
}

impl Stream {
    /// Appends a frame with any content.
    pub fn frame(&mut self, event: &[u8]) -> &mut Stream {
        frame(event, &mut self.bytes);
        self
    }

    /// Appends raw bytes.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Stream {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Appends an event with time stamp, numbers and text.
    pub fn event(&mut self, id: u8, stamp: u64, numbers: &[u64], text: &[u8]) -> &mut Stream {
        self.event.clear();
        self.event.push(id);
        number(stamp, &mut self.event);
        self.finish(numbers, text)
    }

    /// Appends a metadata event, which has no time stamp.
    pub fn meta(&mut self, id: u8, numbers: &[u64], text: &[u8]) -> &mut Stream {
        self.event.clear();
        self.event.push(id);
        self.finish(numbers, text)
    }

    fn finish(&mut self, numbers: &[u64], text: &[u8]) -> &mut Stream {
        for n in numbers {
            number(*n, &mut self.event);
        }
        self.event.extend_from_slice(text);
        frame(&self.event, &mut self.bytes);
        self
    }

    /// Switches to another core.
    pub fn core(&mut self, stamp: u64, core: u64) -> &mut Stream {
        self.event(0x00, stamp, &[core], b"")
    }

    /// Adds the number of events dropped so far.
    pub fn dropped(&mut self, stamp: u64, count: u64) -> &mut Stream {
        self.event(0x01, stamp, &[count], b"")
    }

    /// Sets the nanoseconds per tick.
    pub fn resolution(&mut self, ns: u64) -> &mut Stream {
        self.meta(0x02, &[ns], b"")
    }

    /// Switches to a task.
    pub fn run(&mut self, stamp: u64, task: u64) -> &mut Stream {
        self.event(0x54, stamp, &[task], b"")
    }
}
