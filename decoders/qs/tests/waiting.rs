//! Measures how long events wait, from post to get, and never reports a wrong time.

use std::collections::BTreeMap;

use crate::common::{Stream, decode, file, frame};
use proptest::prelude::*;
use spytui_decoder_harness::{attachment_of, lines};
use spytui_plugin_api::batch::AttachmentId;
use spytui_plugin_host::kit::Host;

const RT: AttachmentId = AttachmentId(67);
const POST: u8 = 14;
const LIFO: u8 = 15;
const GET: u8 = 16;
const LAST: u8 = 17;

fn times(host: &Host) -> Vec<Option<u64>> {
    let rows = 0..host.run.rows.len();
    let gets = rows.filter(|i| [GET, LAST].map(u16::from).contains(&host.run.rows[*i].kind.0));
    gets.map(|i| attachment_of(host, i, RT).map(|(a, _)| a)).collect()
}

/// A target that posts and gets every ten ticks. Its queues have room for six events.
struct Target {
    stream: Stream,
    time: u32,
}

impl Target {
    fn start() -> Target {
        Target { stream: Stream::start(), time: 100 }
    }

    fn add(&mut self, id: u8, object: u32, signal: u16, free: Option<u8>) -> &mut Target {
        self.time += 10;
        let sender = [0; 4];
        let parts: [&[u8]; 8] = [
            &self.time.to_le_bytes(),
            if id == POST { &sender } else { &[] },
            &signal.to_le_bytes(),
            &object.to_le_bytes(),
            &[1, 1],
            free.as_slice(),
            if id < GET { &[0] } else { &[] },
            &[],
        ];
        self.stream.add(id, &parts.concat());
        self
    }

    fn post(&mut self, object: u32, signal: u16, free: u8) -> &mut Target {
        self.add(POST, object, signal, Some(free))
    }

    fn get(&mut self, object: u32, signal: u16, free: u8) -> &mut Target {
        self.add(GET, object, signal, Some(free))
    }

    fn last(&mut self, object: u32, signal: u16) -> &mut Target {
        self.add(LAST, object, signal, None)
    }

    fn times(&self) -> Vec<Option<u64>> {
        times(&decode(&self.stream.bytes, &vec![], 4096))
    }
}

#[test]
fn response_times_are_from_post_to_get() {
    let mut target = Target::start();
    target.post(1, 5, 5).post(1, 6, 4).get(1, 5, 5).last(1, 6);
    // An event posted in front is taken first.
    target.post(1, 5, 5).add(LIFO, 1, 7, Some(4)).get(1, 7, 5).last(1, 5);
    // Each object separately.
    target.post(1, 5, 5).post(2, 5, 5).last(2, 5).last(1, 5);
    assert_eq!(target.times(), [20, 20, 10, 30, 10, 30].map(Some));
    let host = decode(&target.stream.bytes, &vec![], 4096);
    assert_eq!(lines(&host, &target.stream.bytes)[4], "sig 5 waited 20  free 5  pool 1 refs 1");
}

#[test]
fn no_response_time_is_better_than_a_wrong_one() {
    let mut target = Target::start();
    target.post(1, 5, 5);
    target.stream.lose(2);
    // Of two queued events, it is unknown which was posted before the loss until the queue is empty.
    target.get(1, 5, 4).post(1, 5, 3).get(1, 5, 4).get(1, 5, 5).last(1, 5);
    assert_eq!(target.times(), [None, None, None, Some(30)]);
    // A filter change in the target hides posts and gets.
    let mut target = Target::start();
    target.post(1, 5, 5);
    target.stream.add(66, &[10]);
    target.last(1, 5).post(1, 5, 5).last(1, 5);
    assert_eq!(target.times(), [None, Some(10)]);
}

/// The frames of a capture: id and payload.
fn frames() -> Vec<(u8, Vec<u8>)> {
    let bytes = file("oven-734.bin");
    let unstuffed = |body: &[u8]| {
        let mut plain = Vec::new();
        spytui_hdlc::unstuff(body, &mut plain);
        plain
    };
    let all = bytes.split(|b| *b == 0x7E).filter(|body| !body.is_empty()).map(unstuffed);
    all.map(|plain| (plain[1], plain[2..plain.len() - 1].to_vec())).collect()
}

/// The response times in a stream of some of these frames, by frame index. Hidden frames use no sequence number, lost
/// ones do.
fn times_of(frames: &[(u8, Vec<u8>)], is_hidden: impl Fn(u8) -> bool, lost: &[usize]) -> BTreeMap<usize, u64> {
    let (mut bytes, mut seq, mut at) = (Vec::new(), 1_u8, BTreeMap::new());
    for (index, (id, payload)) in frames.iter().enumerate().filter(|(_, (id, _))| !is_hidden(*id)) {
        if !lost.contains(&index) {
            at.insert(bytes.len() as u64, index);
            bytes.extend(frame(seq, *id, payload));
        }
        seq = seq.wrapping_add(1);
    }
    let host = decode(&bytes, &vec![("obj-ptr", b"8"), ("fun-ptr", b"8")], 4096);
    let of = |row: usize| Some((*at.get(&host.run.rows[row].pos)?, attachment_of(&host, row, RT)?.0));
    (0..host.run.rows.len()).filter_map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is lost or left out, a time equals that of the whole stream, or is missing.
    #[test]
    fn times_are_those_of_the_whole_stream(
        lost in proptest::collection::vec(2_usize..2_360, 0..12),
        hidden in proptest::collection::btree_set(prop_oneof![Just(POST), Just(LIFO), Just(GET), Just(LAST), 1_u8..58], 0..3),
    ) {
        let frames = frames();
        let whole = times_of(&frames, |_| false, &[]);
        prop_assert!(whole.len() > 150, "{}", whole.len());
        let part = times_of(&frames, |id| hidden.contains(&id), &lost);
        for (index, time) in &part {
            prop_assert_eq!(whole.get(index), Some(time), "frame {} with {:?} hidden and {:?} lost", index, hidden, lost);
        }
        if hidden.iter().all(|id| !(POST..=LAST).contains(id)) {
            prop_assert!(part.len() * 10 > whole.len() * 7, "{} of {}", part.len(), whole.len());
        }
    }
}
