//! Compares the log with a plain vector, across the boundaries of blocks, memory and spool.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::raw::Backing;
use super::*;

const BLOCK: usize = 64;

fn spool(limit: u64) -> Spool {
    Spool::with(Box::new(tempfile::tempfile), limit, |_| None)
}

fn small(memory: u64, spool: Option<Spool>) -> Arc<RawLog> {
    RawLog::with_blocks(BLOCK, memory, spool)
}

fn full_disk() -> Spool {
    Spool::with(Box::new(|| File::options().read(true).write(true).open("/dev/full")), u64::MAX, |_| None)
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + i / 256) as u8).collect()
}

/// Waits until the background thread has reached a state.
fn until(done: impl Fn() -> bool) {
    for _ in 0..2000 {
        if done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the state did not come");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn reads_equal_a_vector(pieces in prop::collection::vec(0usize..300, 1..30),
                            reads in prop::collection::vec((0u64..6000, 0usize..500), 30),
                            memory in 0u64..1000) {
        let log = small(memory, Some(spool(1 << 20)));
        let mut model = Vec::new();
        for (n, piece) in pieces.into_iter().enumerate() {
            let part = &bytes(model.len() + piece)[model.len()..];
            log.append(part, n as u64);
            model.extend_from_slice(part);
            for (pos, len) in &reads {
                let mut out = vec![0; *len];
                let n = log.read_at(*pos, &mut out).unwrap();
                let from = model.len().min(*pos as usize);
                let expect = &model[from..model.len().min(from + len)];
                prop_assert_eq!(&out[..n], expect);
            }
        }
        prop_assert_eq!((log.len(), log.first(), log.lost()), (model.len() as u64, 0, 0));
    }
}

#[test]
fn readers_beside_the_writer_see_only_what_was_written() {
    let log = small(4 * BLOCK as u64, Some(spool(1 << 20)));
    let expect = bytes(100_000);
    let readers: Vec<_> = (0..2)
        .map(|start| {
            let (log, expect) = (log.clone(), expect.clone());
            std::thread::spawn(move || {
                let mut pos = start;
                let mut out = [0; 333];
                while !(log.ended() && pos as u64 >= log.len()) {
                    let n = log.read_at(pos as u64, &mut out).unwrap();
                    assert_eq!(&out[..n], &expect[pos..pos + n]);
                    pos += n;
                }
            })
        })
        .collect();
    for piece in expect.chunks(777) {
        log.append(piece, 1);
    }
    log.end(2);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}

#[test]
fn a_full_disk_drops_the_oldest_says_so_once_and_goes_on() {
    let log = small(4 * BLOCK as u64, Some(full_disk()));
    let all = bytes(BLOCK * 100 + 10);
    for piece in all.chunks(50) {
        log.append(piece, 1);
    }
    until(|| log.lost() >= 96 * BLOCK as u64);
    assert_eq!((log.first(), log.lost()), (96 * BLOCK as u64, 96 * BLOCK as u64));
    let mut out = Vec::new();
    log.read_into(log.first(), 1 << 20, &mut out).unwrap();
    assert_eq!(out, &all[96 * BLOCK..]);
    assert!(matches!(log.read_at(0, &mut [0; 4]), Err(LogError::Gone { first, .. }) if first == log.first()));
    let problem = log.take_problem().unwrap();
    assert!(problem.starts_with("The log cannot grow: disk full."), "{problem}");
    assert_eq!(log.take_problem(), None);
}

#[test]
fn a_spool_at_its_limit_uses_its_oldest_slots_again() {
    let log = small(2 * BLOCK as u64, Some(spool(5 * BLOCK as u64)));
    let all = bytes(BLOCK * 50 + 3);
    for piece in all.chunks(31) {
        log.append(piece, 1);
        log.consumed(log.len());
        until(|| log.len().saturating_sub(log.first()) <= 9 * BLOCK as u64);
    }
    until(|| log.first() == 43 * BLOCK as u64);
    let mut out = Vec::new();
    log.read_into(log.first(), 1 << 20, &mut out).unwrap();
    assert_eq!(out, &all[43 * BLOCK..]);
    assert_eq!(log.lost(), 0, "all of it had been decoded");
}

#[test]
fn logs_share_a_spool_and_the_oldest_bytes_of_all_go() {
    let spool = spool(10 * BLOCK as u64);
    let logs = [0, 1].map(|_| small(2 * BLOCK as u64, Some(spool.clone())));
    let all = bytes(BLOCK * 40);
    let fill = |log: &Arc<RawLog>, from: usize, to: usize| {
        for at in from..to {
            log.append(&all[at * BLOCK..(at + 1) * BLOCK], 1_000_000_000 * (at as u64 + 1));
            log.consumed(log.len());
            let Backing::Blocks(blocks) = &log.backing else { panic!("a file") };
            until(|| blocks.excess() == 0);
        }
    };
    // The first log takes all slots; the bytes of the second one are newer.
    fill(&logs[0], 0, 12);
    assert_eq!(logs[0].first(), 0);
    fill(&logs[1], 12, 22);
    assert_eq!((logs[0].first(), logs[1].first()), (8 * BLOCK as u64, 0));
    // The oldest blocks of all logs go first, also those of the first log.
    fill(&logs[1], 22, 26);
    assert_eq!((logs[0].first(), logs[1].first()), (10 * BLOCK as u64, 2 * BLOCK as u64));
    let mut out = Vec::new();
    logs[1].read_into(logs[1].first(), 1 << 20, &mut out).unwrap();
    assert!(out == all[14 * BLOCK..26 * BLOCK]);
    assert!(logs.iter().all(|log| log.lost() == 0), "all of it had been decoded");
    // A reader from the start sees the loss in its place.
    let mut reader = LogReader::new(logs[1].clone(), Cursor::default());
    assert!(reader.next(u64::MAX).unwrap());
    let loss = reader.events.iter().find(|event| event.kind == kind::HOST_LOSS).unwrap();
    assert_eq!((loss.pos, loss.arg), (2 * BLOCK as u64, 2 * BLOCK as u32));
    // A closed log frees its slots.
    drop(reader);
    let [first, second] = logs;
    drop(second);
    let before = first.first();
    fill(&first, 26, 34);
    assert_eq!(first.first(), before);
}

#[test]
fn the_spool_leaves_some_of_the_disk_to_others() {
    let open = Box::new(tempfile::tempfile);
    let log = small(2 * BLOCK as u64, Some(Spool::with(open, u64::MAX, |_| Some(1 << 30))));
    log.append(&bytes(BLOCK * 20), 1);
    until(|| log.first() > 0);
    let problem = log.take_problem().unwrap();
    assert!(problem.starts_with("The log cannot grow: less than 1 GiB is free on the disk."), "{problem}");
}

#[test]
fn without_a_spool_only_unread_bytes_count_as_lost() {
    let log = small(2 * BLOCK as u64, None);
    log.append(&bytes(BLOCK * 2), 1);
    log.consumed(BLOCK as u64);
    log.append(&bytes(BLOCK * 2), 1);
    until(|| log.lost() > 0);
    assert_eq!((log.first(), log.lost()), (2 * BLOCK as u64, BLOCK as u64));
}

#[test]
fn marks_added_late_at_the_same_place_come_once_and_in_order() {
    let log = small(1000, None);
    log.append(b"abc", 1_000_000);
    let mut seen = Vec::new();
    let next = log.events_from(0, log.len(), &mut seen);
    log.add_event(kind::LINK_DOWN, 0, b"unplugged", 2_000_000);
    log.add_event(kind::SENT, 0, b"\x01", 2_000_000);
    log.add_event(kind::LINK_UP, 0, b"", 3_000_000);
    let next = log.events_from(next, log.len(), &mut seen);
    log.append(b"def", 4_000_000);
    log.end(5_000_000);
    log.append(b"late", 6_000_000);
    log.events_from(next, log.len(), &mut seen);
    let kinds: Vec<_> = seen.iter().map(|m| (m.kind, m.pos)).collect();
    let expect =
        [(kind::START, 0), (kind::TIME, 0), (kind::LINK_DOWN, 3), (kind::LINK_UP, 3), (kind::TIME, 3), (kind::END, 6)];
    assert_eq!(kinds, expect);
    assert_eq!(log.events(0, 6), seen);
    assert_eq!((log.len(), log.lost()), (6, 4));
    assert_eq!((log.host_time_at(2), log.host_time_at(3)), (Some(1_000_000), Some(4_000_000)));
}

#[test]
fn followers_are_woken_and_forgotten() {
    let log = small(1000, None);
    let follower = log.subscribe();
    drop(log.subscribe());
    log.append(b"a", 1);
    log.append(b"b", 1);
    assert!(follower.try_recv().is_ok() && follower.try_recv().is_err());
    log.end(2);
    assert!(follower.try_recv().is_ok() && log.ended());
}

#[test]
fn a_file_is_read_in_place_grows_and_must_not_shrink() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"0123456789").unwrap();
    let log = RawLog::in_file(file.reopen().unwrap(), file.path(), 10);
    let mut out = Vec::new();
    log.read_into(4, 100, &mut out).unwrap();
    assert_eq!(out, b"456789");
    file.write_all(b"abc").unwrap();
    log.grown(13, 1);
    log.read_into(9, 100, &mut out).unwrap();
    assert_eq!(out, b"9abc");
    file.as_file().set_len(5).unwrap();
    let error = log.read_into(4, 100, &mut out).unwrap_err().to_string();
    assert!(error.contains("shrank from 13 to 5 bytes"), "{error}");
}
