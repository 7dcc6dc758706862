//! Recent bytes of the stream, as far back as later rows may need them.

/// Bytes by position.
#[derive(Debug, Default)]
pub(super) struct StreamWindow {
    pos: u64,
    bytes: Vec<u8>,
}

impl StreamWindow {
    /// Clears the window; the stream continues at `pos`.
    pub(super) fn restart(&mut self, pos: u64) {
        self.bytes.clear();
        self.pos = pos;
    }

    /// Appends bytes and drops those before `needed`, but keeps at most `most` old bytes.
    pub(super) fn add(&mut self, bytes: &[u8], needed: u64, most: usize) {
        let unneeded = usize::try_from(needed.saturating_sub(self.pos)).unwrap_or(usize::MAX).min(self.bytes.len());
        let gone = unneeded.max(self.bytes.len().saturating_sub(most));
        // Moving the rest costs its length, so only do it if more than that is dropped.
        if gone > 0 && gone >= self.bytes.len() / 2 {
            self.bytes.drain(..gone);
            self.pos += gone as u64;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// A range of the stream, as far as it is still kept.
    #[inline]
    pub(super) fn get(&self, pos: u64, len: u64) -> &[u8] {
        self.whole(pos, len).unwrap_or_else(|| self.left_of(pos, len))
    }

    /// A range of the stream, if all of it is still kept.
    #[inline]
    pub(super) fn whole(&self, pos: u64, len: u64) -> Option<&[u8]> {
        // A position before the window wraps to one far behind it.
        let start = usize::try_from(pos.wrapping_sub(self.pos)).ok()?;
        self.bytes.get(start..)?.get(..usize::try_from(len).ok()?)
    }

    #[cold]
    fn left_of(&self, pos: u64, len: u64) -> &[u8] {
        let at = |p: u64| usize::try_from(p.saturating_sub(self.pos)).unwrap_or(usize::MAX).min(self.bytes.len());
        &self.bytes[at(pos)..at(pos.saturating_add(len))]
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::chunk::MAX_CHUNK;

    use super::*;

    #[test]
    fn what_is_needed_stays_and_the_rest_goes() {
        let mut window = StreamWindow::default();
        window.restart(1000);
        let chunk = |n: u8| vec![n; MAX_CHUNK];
        let len = MAX_CHUNK as u64;
        window.add(&chunk(1), 1000, 1 << 20);
        window.add(&chunk(2), 1000, 1 << 20);
        assert_eq!(window.get(1000, 2), [1, 1]);
        window.add(&chunk(3), 1000 + 2 * len - 1, 1 << 20);
        assert_eq!(window.get(1000 + 2 * len - 1, 2), [2, 3]);
        assert_eq!(window.get(1000, 5), b"");
        assert_eq!(window.bytes.len(), MAX_CHUNK + 1);
    }

    #[test]
    fn it_stays_small_whatever_is_open() {
        let mut window = StreamWindow::default();
        for _ in 0..100 {
            window.add(&vec![0; MAX_CHUNK], 0, 4 * MAX_CHUNK);
            assert!(window.bytes.len() <= 10 * MAX_CHUNK, "{}", window.bytes.len());
        }
        assert_eq!(window.get(u64::MAX - 1, u64::MAX), b"");
    }
}
