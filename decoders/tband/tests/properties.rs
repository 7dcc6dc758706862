//! Properties: chunking changes nothing, bytes add up, undamaged frames are decoded whatever surrounds them, and
//! encoded events are decoded.

use crate::common::{decode, file, reference};
use proptest::prelude::*;
use spytui_decoder_harness::encode::tband::{Stream, signed};
use spytui_decoder_harness::properties::{adds_up, damage, edits, runner};
use spytui_plugin_api::{Row, Want};

#[test]
fn damaged_streams_add_up_and_do_not_depend_on_chunking() {
    let clean = file("brew_late.bin")[..3_000].to_vec();
    runner(60)
        .run(&(edits(), 1usize..400, 0usize..3), |(edits, size, style)| {
            let mut bytes = clean.clone();
            damage(&mut bytes, &edits);
            let opts = [vec![], reference(""), vec![("max-frame", &b"30"[..])]][style].clone();
            let (whole, parts) = (decode(&bytes, &opts, 1 << 16), decode(&bytes, &opts, size));
            assert!(whole.run == parts.run);
            adds_up(&whole, &bytes);
            assert_eq!(whole.text(&bytes).unwrap(), parts.text(&bytes).unwrap());
            Ok(())
        })
        .unwrap();
}

#[test]
fn the_reference_text_has_a_line_for_each_frame() {
    let clean = file("brew_late.bin")[..3_000].to_vec();
    runner(60)
        .run(&edits(), |edits| {
            let mut bytes = clean.clone();
            damage(&mut bytes, &edits);
            let text = crate::common::text(&bytes, &reference(""), 997);
            let ends = bytes.iter().filter(|b| **b == 0).count();
            assert_eq!(text.iter().filter(|b| **b == b'\n').count(), ends);
            for line in String::from_utf8(text).unwrap().lines() {
                serde_json::from_str::<serde_json::Value>(line).unwrap();
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn every_undamaged_frame_is_decoded() {
    let clean = file("brew_stream.bin");
    let frames: Vec<&[u8]> = clean.split_inclusive(|&b| b == 0).take(400).collect();
    let flips = prop::collection::vec((0usize..400, any::<prop::sample::Index>(), 1u8..=255), 1..30);
    runner(100)
        .run(&flips, |flips| {
            let mut broken: Vec<Vec<u8>> = frames.iter().map(|f| f.to_vec()).collect();
            for (frame, at, flip) in &flips {
                // The end stays, so that the next frame is intact.
                let at = at.index(broken[*frame].len() - 1);
                broken[*frame][at] ^= flip;
            }
            let bytes = broken.concat();
            let host = decode(&bytes, &vec![], 4096);
            let is_record = |r: &&Row| r.is_record();
            let ends: Vec<u64> = host.run.rows.iter().filter(is_record).map(|r| r.pos + u64::from(r.len)).collect();
            let mut end = 0;
            for (i, frame) in broken.iter().enumerate() {
                end += frame.len() as u64;
                assert!(frame.as_slice() != frames[i] || ends.binary_search(&end).is_ok(), "frame {i} is lost");
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn what_is_encoded_comes_back() {
    let message = prop::collection::vec(any::<char>(), 0..300).prop_map(String::from_iter);
    let events = prop::collection::vec((any::<u64>(), any::<u32>(), any::<i64>(), message), 1..10);
    runner(100)
        .run(&events, |events| {
            let mut s = Stream::default();
            for (stamp, id, value, message) in &events {
                s.event(0x0B, *stamp, &[u64::from(*id), signed(*value)], b"");
                s.event(0x7C, *stamp, &[u64::from(*id)], message.as_bytes());
            }
            let text = String::from_utf8(crate::common::text(&s.bytes, &reference(""), 100)).unwrap();
            let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
            for ((stamp, id, value, message), pair) in events.iter().zip(lines.chunks(2)) {
                let number = &pair[0]["Base"]["kind"]["Valmarker"];
                // The minimum has no 63-bit magnitude: it becomes "minus zero".
                assert_eq!(number["val"].as_i64(), Some(*value));
                assert_eq!(number["valmarker_id"].as_u64(), Some((*id).into()));
                let marker = &pair[1]["FreeRTOS"];
                assert_eq!(marker["ts"].as_u64(), Some(*stamp));
                assert_eq!(marker["kind"]["TaskEvtmarkerBegin"]["msg"].as_str(), Some(message.as_str()));
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_event_is_rendered() {
    let frames = prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..80)), 1..40);
    runner(200)
        .run(&(frames, any::<bool>()), |(frames, as_reference)| {
            let opts = if as_reference { reference("") } else { vec![] };
            let mut s = Stream::default();
            for (id, rest) in &frames {
                s.frame(&[&[*id & 0x7F][..], rest].concat());
            }
            let host = decode(&s.bytes, &opts, 4096);
            host.render(&s.bytes, Want::all(), |_, _| {}).unwrap();
            adds_up(&host, &s.bytes);
            assert!(host.run.rows.iter().filter(|r| r.is_record()).all(|r| r.kind.0 < 0x80));
            Ok(())
        })
        .unwrap();
}
