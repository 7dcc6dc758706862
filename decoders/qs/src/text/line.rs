//! A line being written: collected on the stack, handed on in few large pieces, cut where the host cuts.

/// Where text goes.
pub(crate) trait Sink {
    /// Adds bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for spytui_plugin_api::Text<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }
}

const ROOM: usize = 256;

/// A line. Its text reaches the sink with `end`, `finish`, or when it grows long.
pub(crate) struct Line<'s, S: Sink> {
    sink: &'s mut S,
    held: [u8; ROOM],
    len: usize,
    /// Characters after which a line is cut.
    limit: usize,
    /// Characters of this line that have left `held`.
    gone: usize,
}

impl<'s, S: Sink> Line<'s, S> {
    pub(crate) fn new(sink: &'s mut S, limit: usize) -> Line<'s, S> {
        Line { sink, held: [0; ROOM], len: 0, limit, gone: 0 }
    }

    /// Adds text.
    #[inline]
    pub(crate) fn put(&mut self, text: &[u8]) {
        match self.held.get_mut(self.len..self.len + text.len()) {
            Some(place) => {
                copy(place, text);
                self.len += text.len();
            }
            None => self.put_long(text),
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
                let text = cut(text, self.limit.saturating_sub(self.gone));
                self.gone += text.len();
                self.sink.put(text);
            }
        }
    }

    /// Adds one character.
    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// Ends the line and begins another.
    pub(crate) fn end(&mut self) {
        if self.gone == 0 && self.len < self.limit {
            self.byte(b'\n');
            self.sink.put(self.held.get(..self.len).unwrap_or(&[]));
            self.len = 0;
        } else {
            self.flush();
            self.sink.put(b"\n");
        }
        self.gone = 0;
    }

    /// Hands over what is left, without a line end.
    pub(crate) fn finish(mut self) {
        self.flush();
    }

    fn flush(&mut self) {
        let text = self.held.get(..self.len).unwrap_or(&[]);
        let text = cut(text, self.limit.saturating_sub(self.gone));
        self.gone += text.len();
        self.len = 0;
        self.sink.put(text);
    }
}

fn cut(text: &[u8], room: usize) -> &[u8] {
    text.get(..room).unwrap_or(text)
}

/// Copies a literal or a name; the usual lengths without a call.
#[inline]
fn copy(place: &mut [u8], text: &[u8]) {
    place.copy_from_slice(text);
}
