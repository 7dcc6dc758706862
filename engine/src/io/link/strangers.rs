//! Senders of datagrams in which no frames have been seen yet. Noise and scans must not take the place of a target.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

/// Bytes kept of a sender: enough for a frame that is spread over several datagrams.
const KEPT: usize = 16 << 10;
/// Senders kept.
const MOST: usize = 64;

type Test = dyn Fn(&[u8]) -> bool + Send + Sync;

/// Whether bytes contain frames of the protocol, as many as noise does not have by chance.
#[derive(Clone)]
pub struct FrameTest(Arc<Test>);

impl FrameTest {
    /// A test by this function.
    pub fn new(test: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> FrameTest {
        FrameTest(Arc::new(test))
    }

    fn has_frame(&self, bytes: &[u8]) -> bool {
        (self.0)(bytes)
    }
}

impl fmt::Debug for FrameTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FrameTest")
    }
}

/// The senders without a frame, with their latest datagrams.
#[derive(Debug)]
pub(super) struct Strangers {
    /// `None`: every datagram counts as a frame.
    test: Option<FrameTest>,
    kept: HashMap<SocketAddr, Datagrams>,
}

#[derive(Debug, Default)]
struct Datagrams {
    list: Vec<Vec<u8>>,
    bytes: usize,
}

impl Strangers {
    pub(super) fn new(test: Option<FrameTest>) -> Strangers {
        Strangers { test, kept: HashMap::new() }
    }

    /// The datagrams that a stream of this sender begins with: this one if it contains a frame, or with those before it
    /// if they contain one together. `None` if there is no frame yet.
    pub(super) fn first_with_frame(&mut self, from: SocketAddr, datagram: &[u8]) -> Option<Vec<Vec<u8>>> {
        let Some(test) = self.test.as_ref().filter(|test| !test.has_frame(datagram)) else {
            self.kept.remove(&from);
            return Some(vec![datagram.to_vec()]);
        };
        if self.kept.len() >= MOST && !self.kept.contains_key(&from) {
            self.kept.clear();
        }
        let kept = self.kept.entry(from).or_default();
        if kept.bytes + datagram.len() > KEPT {
            *kept = Datagrams::default();
        }
        kept.bytes += datagram.len();
        kept.list.push(datagram.to_vec());
        // Seldom again for one who sends much noise.
        let due = kept.list.len() > 1 && (kept.list.len() <= 8 || kept.list.len().is_power_of_two());
        if due && test.has_frame(&kept.list.concat()) { self.kept.remove(&from).map(|kept| kept.list) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strangers() -> Strangers {
        Strangers::new(Some(FrameTest::new(|bytes| bytes.windows(3).any(|w| w == b"<f>"))))
    }

    fn from(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    #[test]
    fn a_stream_begins_with_the_datagram_in_which_a_frame_is_seen() {
        let mut all = strangers();
        assert_eq!(all.first_with_frame(from(1), b"noise"), None);
        assert_eq!(all.first_with_frame(from(1), b"x<f>y"), Some(vec![b"x<f>y".to_vec()]));
        assert_eq!(Strangers::new(None).first_with_frame(from(1), b"any"), Some(vec![b"any".to_vec()]));
    }

    #[test]
    fn a_frame_may_be_spread_over_datagrams_of_one_sender() {
        let mut all = strangers();
        assert_eq!(all.first_with_frame(from(1), b"<"), None);
        assert_eq!(all.first_with_frame(from(2), b"f>"), None);
        assert_eq!(all.first_with_frame(from(1), b"f>"), Some(vec![b"<".to_vec(), b"f>".to_vec()]));
    }

    #[test]
    fn noise_takes_little_memory() {
        let mut all = strangers();
        for n in 0..10_000 {
            assert_eq!(all.first_with_frame(from(n % 1000), &[0; 1000]), None);
        }
        assert!(all.kept.len() <= MOST && all.kept.values().all(|kept| kept.bytes <= KEPT));
    }
}
