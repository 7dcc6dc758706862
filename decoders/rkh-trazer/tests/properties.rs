//! Properties: chunking changes nothing, bytes add up, and what is undamaged is decoded whatever stands beside it.

use crate::common::{Stream, decode, file, items};
use proptest::prelude::*;
use spytui_decoder_harness::{
    Options,
    properties::{adds_up, damage, edits, runner},
};

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

/// Whatever is done to some frames, those between flags of their own are decoded as if nothing had happened.
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
                // A byte that changes, the frame left out, its beginning left out.
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

/// Every version reads any record without a word too much.
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
