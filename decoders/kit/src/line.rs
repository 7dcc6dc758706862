//! Lines being written: collected on the stack, handed on in few large pieces, cut where the host cuts.

/// Bytes of a block: see [`Line::put_block`].
pub const LITERAL: usize = 16;

/// Where text goes.
pub trait Sink {
    /// Adds bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Ends a row, the last `held` bytes of which are yet to come.
    fn end_row(&mut self, held: usize) {
        let _ = held;
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for spytui_plugin_api::TextWriter<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }

    #[inline]
    fn end_row(&mut self, held: usize) {
        spytui_plugin_api::TextWriter::end_row(self, held);
    }
}

/// Some lines.
const ROOM: usize = 1024;

/// Lines. Their text reaches the sink with `finish`, or when there is no more room for it here.
pub struct Line<'s, S: Sink> {
    sink: &'s mut S,
    held: [u8; ROOM],
    len: usize,
    /// Where in `held` the present line begins.
    start: usize,
    /// Where in `held` the present line is cut.
    most: usize,
    /// Characters of this line that have left `held`.
    gone: usize,
    /// Characters after which a line is cut.
    limit: usize,
}

impl<'s, S: Sink> Line<'s, S> {
    /// No line yet; each is cut after `limit` characters.
    pub fn new(sink: &'s mut S, limit: usize) -> Line<'s, S> {
        Line { sink, held: [0; ROOM], len: 0, start: 0, most: limit, gone: 0, limit }
    }

    /// Adds text.
    #[inline]
    pub fn put(&mut self, text: &[u8]) {
        match self.held.get_mut(self.len..self.len + text.len()) {
            Some(place) => {
                copy(place, text);
                self.len += text.len();
            }
            None => self.put_long(text),
        }
    }

    /// Adds the first `len` bytes of a block. What lies behind them is overwritten by what comes next.
    #[inline]
    pub fn put_block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        match self.held.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut::<N>) {
            Some(place) => {
                *place = *block;
                self.len += len;
            }
            None => self.put(block.get(..len).unwrap_or(block)),
        }
    }

    /// Adds `len` characters, at most `N`, that `write` puts where they belong.
    #[inline(always)]
    pub fn put_in_place<const N: usize>(&mut self, len: usize, write: impl FnOnce(&mut [u8; N])) {
        match self.held.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut::<N>) {
            Some(place) => {
                write(place);
                self.len += len;
            }
            None => {
                let mut block = [0; N];
                write(&mut block);
                self.put(block.get(..len).unwrap_or(&block));
            }
        }
    }

    #[cold]
    fn put_long(&mut self, text: &[u8]) {
        self.flush();
        match self.held.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text);
                self.len = text.len();
            }
            None => {
                let text = text.get(..self.most).unwrap_or(text);
                self.sink.put(text);
                self.go(text.len());
            }
        }
    }

    /// Adds one character.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        match self.held.get_mut(self.len) {
            Some(place) => {
                *place = byte;
                self.len += 1;
            }
            None => self.put_long(&[byte]),
        }
    }

    /// Ends the line and begins another.
    #[inline]
    pub fn end(&mut self) {
        self.cut();
        self.byte(b'\n');
        self.begin();
    }

    /// Ends a row: what comes next is another one's text.
    #[inline]
    pub fn end_row(&mut self) {
        if (self.start, self.gone) != (self.len, 0) {
            self.cut();
            self.begin();
        }
        self.sink.end_row(self.len);
    }

    /// Hands over what is left, without a line end.
    pub fn finish(&mut self) {
        if self.len > 0 {
            self.flush();
        }
    }

    #[inline]
    fn begin(&mut self) {
        (self.start, self.gone) = (self.len, 0);
        self.most = self.len.saturating_add(self.limit);
    }

    /// Drops what of the present line is beyond the limit.
    #[inline]
    fn cut(&mut self) {
        self.len = self.len.min(self.most);
    }

    fn flush(&mut self) {
        self.cut();
        self.sink.put(self.held.get(..self.len).unwrap_or(&[]));
        self.go(self.len - self.start);
    }

    /// Nothing is held any more: so many characters more of the present line have gone.
    fn go(&mut self, more: usize) {
        self.gone += more;
        (self.len, self.start, self.most) = (0, 0, self.limit.saturating_sub(self.gone));
    }
}

/// Copies a literal, a number or a name. The usual lengths go by two words that may overlap, without a call.
#[inline(always)]
pub fn copy(place: &mut [u8], text: &[u8]) {
    match text.len() {
        0..4 => place.iter_mut().zip(text).for_each(|(to, from)| *to = *from),
        4..8 => ends::<4>(place, text),
        8..=16 => ends::<8>(place, text),
        17..=32 => ends::<16>(place, text),
        _ => place.copy_from_slice(text),
    }
}

/// Copies the first and the last `N` bytes.
#[inline(always)]
fn ends<const N: usize>(place: &mut [u8], text: &[u8]) {
    if let (Some(to), Some(from)) = (place.first_chunk_mut::<N>(), text.first_chunk::<N>()) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (place.last_chunk_mut::<N>(), text.last_chunk::<N>()) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_copied() {
        let text: Vec<u8> = (0..=255).collect();
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, usize::MAX);
        let mut expected = Vec::new();
        for len in 0..=255 {
            line.put(&text[..len]);
            line.end();
            expected.extend_from_slice(&[&text[..len], b"\n"].concat());
        }
        line.finish();
        assert_eq!(out, expected);
    }

    #[test]
    fn a_line_is_cut_at_its_limit_and_the_next_begins_anew() {
        for limit in [0, 1, 5, 991, ROOM - 1, ROOM, ROOM + 1, 3 * ROOM] {
            for long in [1, 60, ROOM + 5] {
                let mut out = Vec::new();
                let mut line = Line::new(&mut out, limit);
                for _ in 0..3 {
                    (0..100).for_each(|_| line.put(&vec![b'x'; long]));
                    line.end();
                }
                line.finish();
                let one = [&vec![b'x'; limit.min(100 * long)][..], b"\n"].concat();
                assert_eq!(out, one.repeat(3), "{limit} {long}");
            }
        }
    }

    #[test]
    fn a_row_ends_where_its_text_does() {
        struct Ends(Vec<u8>, Vec<usize>);
        impl Sink for Ends {
            fn put(&mut self, bytes: &[u8]) {
                self.0.extend_from_slice(bytes);
            }

            fn end_row(&mut self, held: usize) {
                self.1.push(self.0.len() + held);
            }
        }
        let mut out = Ends(Vec::new(), Vec::new());
        let mut line = Line::new(&mut out, 991);
        for len in 0..1200 {
            line.put(&vec![b'x'; len]);
            line.end_row();
        }
        line.finish();
        let ends = (0..1200).scan(0, |end, len: usize| {
            *end += len.min(991);
            Some(*end)
        });
        assert_eq!(out.1, ends.collect::<Vec<_>>());
        assert_eq!(out.0.len(), out.1[1199]);
    }
}
