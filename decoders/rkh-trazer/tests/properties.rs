//! Properties: chunking changes nothing, bytes add up, and undamaged frames are decoded whatever surrounds them.

use crate::common::{Stream, decode, file, items, sealed};
use proptest::prelude::*;
use spytui_decoder_harness::{
    Options,
    properties::{adds_up, damage, edits, runner},
};
use spytui_plugin_api::{Row, RowFlags, RowKind};

const STYLE: (&str, &[u8]) = ("reference", b"trazer-3.2");

#[test]
fn damaged_streams_add_up_and_do_not_depend_on_chunking() {
    let clean = [file("gh340-default.bin")[..8000].to_vec(), file("gh340-bare.bin")[..3000].to_vec()].concat();
    let strategy = (edits(), 1usize..400, 0usize..2);
    let test = |(edits, size, style): (Vec<_>, usize, usize)| {
        let mut bytes = clean.clone();
        damage(&mut bytes, &edits);
        let opts: Options<'_> = [vec![], vec![STYLE]][style].clone();
        let (whole, parts) = (decode(&bytes, &opts, 1 << 16), decode(&bytes, &opts, size));
        assert!(whole.run == parts.run);
        adds_up(&whole, &bytes);
        Ok(())
    };
    runner(60).run(&strategy, test).unwrap();
}

/// Whatever happens to other frames, intact frames between intact flags are decoded.
#[test]
fn every_undamaged_frame_is_decoded() {
    let clean = file("gh340-default.bin")[..9000].to_vec();
    let frames: Vec<&[u8]> = clean.split_inclusive(|&b| b == 0x7E).skip(2).collect();
    let frames = &frames[..frames.len() - 1];
    let head: Vec<u8> = clean[..clean.len() - frames.iter().map(|f| f.len()).sum::<usize>()].to_vec();
    let head = &head[..head.iter().skip(1).position(|&b| b == 0x7E).unwrap() + 2];
    let of = |bytes: &[u8]| items(&decode(bytes, &vec![], 4096), bytes);
    let plain = |item: &serde_json::Value| (item["id"].clone(), item["nseq"].clone(), item["args"].clone());
    let strategy = prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, 1u8..=255), 1..12);
    let test = |hits: Vec<(prop::sample::Index, usize, u8)>| {
        let mut stream = head.to_vec();
        let mut whole = Vec::new();
        for (i, frame) in frames.iter().enumerate() {
            let hit = hits.iter().find(|(at, ..)| at.index(frames.len()) == i);
            match hit {
                None => {
                    whole.push(&frame[..]);
                    stream.extend_from_slice(frame);
                }
                // A changed byte, a missing frame, a missing beginning.
                Some((_, 0, mask)) => {
                    let mut broken = frame.to_vec();
                    broken[1] ^= if broken[1] ^ mask == 0x7E || broken[1] ^ mask == 0x7D { mask ^ 1 } else { *mask };
                    stream.extend(broken);
                }
                Some((_, 1, _)) => {}
                Some(_) => stream.extend_from_slice(&frame[frame.len() / 2..]),
            }
        }
        let got: Vec<_> = of(&stream).iter().map(plain).collect();
        for frame in whole {
            let alone = [head, frame].concat();
            let expected = plain(of(&alone).last().unwrap());
            prop_assert!(got.contains(&expected), "{expected:?}");
        }
        Ok(())
    };
    runner(4).run(&strategy, test).unwrap();
}

/// The stream up to the first numbered frame, and one unstuffed frame of each id with a number and a time stamp.
fn samples() -> (Vec<u8>, Vec<Vec<u8>>) {
    let capture = file("gh340-default.bin");
    let host = decode(&capture, &vec![], 4096);
    let is_whole = |row: &&Row| row.has(RowFlags::TIME_OWN) && !row.has(RowFlags::MALFORMED);
    let rows: Vec<&Row> = host.run.rows.iter().filter(is_whole).collect();
    let mut ids = std::collections::HashSet::new();
    let plain = |row: &&Row| {
        let (start, len) = (row.pos as usize, row.len as usize);
        let mut frame = Vec::new();
        assert!(spytui_hdlc::unstuff(&capture[start..start + len - 1], &mut frame));
        frame
    };
    let frames = rows.iter().filter(|row| ids.insert(row.kind.0)).map(plain).collect();
    (capture[..rows[0].pos as usize].to_vec(), frames)
}

/// Frames of every record with every number, whose time stamps read as text.
#[test]
fn frames_that_read_as_text_are_decoded() {
    let (head, frames) = samples();
    assert!(frames.len() > 20, "{}", frames.len());
    let byte = prop_oneof![Just(b'\n'), Just(b'}'), b' '..=b'~', any::<u8>()];
    let stamped = (any::<prop::sample::Index>(), prop::array::uniform4(byte));
    let start = prop_oneof![123u8..=126, 1u8..=255];
    let strategy = (start, prop::collection::vec(stamped, 4), "([ -}]{9}\n){0,1}", 0usize..4);
    let test = |(start, chosen, text, at): (u8, Vec<(prop::sample::Index, [u8; 4])>, String, usize)| {
        let mut bytes = head.clone();
        let mut seq = 0u8;
        let mut add = |bytes: &mut Vec<u8>, frame: &[u8], stamp: [u8; 4]| {
            let args = &frame[6..frame.len() - 1];
            bytes.extend(sealed(&[&[frame[0], seq][..], &stamp, args].concat(), true));
            seq = seq.wrapping_add(1);
        };
        for number in 0..start {
            add(&mut bytes, &frames[0], u32::from(number).to_le_bytes());
        }
        let before = decode(&bytes, &vec![], 4096).run.rows.len();
        for (i, (frame, stamp)) in chosen.iter().enumerate() {
            if i == at {
                bytes.extend(text.as_bytes());
            }
            add(&mut bytes, &frames[frame.index(frames.len())], *stamp);
        }
        for size in [1, 4096] {
            let rows = &decode(&bytes, &vec![], size).run.rows[before..];
            let skipped: Vec<_> = rows.iter().filter(|row| row.has(RowFlags::SKIPPED)).collect();
            let count = rows.iter().filter(|row| row.is_record()).count();
            assert_eq!((count, skipped), (4, vec![]), "from number {start} on: {chosen:x?}, {text:?} before {at}");
            let lines = rows.iter().filter(|row| row.kind == RowKind::CONSOLE).count();
            assert_eq!(lines, usize::from(!text.is_empty()), "{text:?}");
        }
        Ok(())
    };
    runner(200).run(&strategy, test).unwrap();
}

/// Text between frames, even with flags, hides no record and is not damage.
#[test]
fn text_between_frames_costs_no_record() {
    let (head, samples) = samples();
    let frames: Vec<Vec<u8>> = (0u8..200)
        .map(|seq| {
            let frame = &samples[usize::from(seq) % samples.len()];
            sealed(&[&[frame[0], seq][..], &[seq, 1, 0, 0], &frame[6..frame.len() - 1]].concat(), true)
        })
        .collect();
    let text = "[ -~\r\n\t]{1,60}|[ -~]{1,4}";
    let texts = prop::collection::vec((2usize..199, text), 1..20);
    let test = |texts: Vec<(usize, String)>| {
        let mut bytes = head.clone();
        for (i, frame) in frames.iter().enumerate() {
            texts.iter().filter(|(at, _)| *at == i).for_each(|(_, text)| bytes.extend(text.as_bytes()));
            bytes.extend_from_slice(frame);
        }
        let host = decode(&bytes, &vec![], 4096);
        let of = |is: &dyn Fn(&&Row) -> bool| host.run.rows.iter().filter(is).count();
        let is_untrue = |row: &&Row| row.has(RowFlags::SKIPPED) || row.kind == RowKind::GAP;
        assert_eq!((of(&|row| row.has(RowFlags::TIME_OWN)), of(&is_untrue)), (200, 0), "{texts:?}");
        Ok(())
    };
    runner(200).run(&texts, test).unwrap();
}

#[test]
fn any_record_is_rendered() {
    let strategy =
        (any::<u8>(), prop::collection::vec(any::<u8>(), 0..80), 0u32..8, prop::sample::select(vec![1u8, 2, 4]));
    let test = |(id, args, bits, size): (u8, Vec<u8>, u32, u8)| {
        let flags = crate::common::FULL ^ (bits << 15);
        let mut stream = Stream::reported(&crate::common::tcfg(0xAC, 0x3400, flags, [size, 4, size]));
        stream.add(id, &args).add(160, &[]);
        for opts in [vec![], vec![STYLE]] {
            let host = decode(&stream.bytes, &opts, 4096);
            adds_up(&host, &stream.bytes);
            host.text(&stream.bytes).unwrap();
        }
        Ok(())
    };
    runner(300).run(&strategy, test).unwrap();
}

/// Every version reads every record without complaints.
#[test]
fn every_version_reads_everything() {
    let strategy = (any::<u8>(), prop::collection::vec(any::<u8>(), 0..40));
    let test = |(id, args): (u8, Vec<u8>)| {
        for version in ["2.3", "2.4.3", "2.4.4", "2.4.6", "3.4"] {
            let mut stream = Stream::of(crate::common::FULL, 4);
            stream.add(id, &args);
            for style in [&b""[..], b"trazer-3.2"] {
                let host = decode(&stream.bytes, &vec![("version", version.as_bytes()), ("reference", style)], 4096);
                host.text(&stream.bytes).unwrap();
            }
        }
        Ok(())
    };
    runner(100).run(&strategy, test).unwrap();
}
