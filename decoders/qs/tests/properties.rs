//! Properties: chunking changes nothing, bytes add up, and undamaged frames are decoded whatever surrounds them.

use crate::common::{Stream, decode, file, frame};
use proptest::prelude::*;
use spytui_decoder_harness::{
    Options,
    properties::{adds_up, damage, edits, runner},
};
use spytui_plugin_api::{Row, RowFlags, RowKind, Want};
use spytui_plugin_host::kit::Host;

const V7: (&str, &[u8]) = ("reference", b"qspy-7.3.4");
const V8: (&str, &[u8]) = ("reference", b"qspy-8.1.3");

/// Frames of a capture including their flags.
fn frames(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&b| b == 0x7E).collect()
}

fn records(host: &Host) -> Vec<(u64, u32)> {
    let is_record = |r: &&spytui_plugin_api::Row| r.is_record();
    host.run.rows.iter().filter(is_record).map(|r| (r.pos + u64::from(r.len), r.len)).collect()
}

#[test]
fn damaged_streams_add_up_and_do_not_depend_on_chunking() {
    let clean = file("oven-734.bin")[..12_000].to_vec();
    let strategy = (edits(), 1usize..400, 0usize..3);
    let test = |(edits, size, style): (Vec<_>, usize, usize)| {
        let mut bytes = clean.clone();
        damage(&mut bytes, &edits);
        let opts: Options<'_> = [vec![], vec![V7], vec![V8]][style].clone();
        let (whole, parts) = (decode(&bytes, &opts, 1 << 16), decode(&bytes, &opts, size));
        assert!(whole.run == parts.run);
        adds_up(&whole, &bytes);
        if style > 0 {
            assert_eq!(whole.text(&bytes).unwrap(), parts.text(&bytes).unwrap());
        }
        Ok(())
    };
    runner(60).run(&strategy, test).unwrap();
}

#[test]
fn every_undamaged_frame_is_decoded() {
    let clean = file("oven-734.bin");
    let frames = frames(&clean)[..500].to_vec();
    let flips = prop::collection::vec((70usize..499, any::<prop::sample::Index>(), 1u8..255), 1..30);
    runner(100)
        .run(&flips, |flips| {
            let mut broken: Vec<Vec<u8>> = frames.iter().map(|f| f.to_vec()).collect();
            for (frame, at, flip) in &flips {
                // The flag stays, so that the next frame is intact.
                let at = at.index(broken[*frame].len() - 1);
                broken[*frame][at] ^= flip;
            }
            let bytes = broken.concat();
            let ends: std::collections::HashSet<u64> =
                records(&decode(&bytes, &vec![], 4096)).iter().map(|r| r.0).collect();
            let mut end = 0;
            for (i, frame) in broken.iter().enumerate() {
                end += frame.len() as u64;
                assert!(frame.as_slice() != frames[i] || ends.contains(&end), "frame {i} is lost");
            }
            Ok(())
        })
        .unwrap();
}

/// Frames of every record with every number, whose time stamps read as text.
#[test]
fn frames_that_read_as_text_are_decoded() {
    let capture = file("every-record-734.bin");
    let host = decode(&capture, &vec![], 4096);
    let is_whole = |row: &&Row| row.has(RowFlags::TIME_OWN) && !row.has(RowFlags::MALFORMED) && row.kind.0 < 125;
    let records: Vec<Vec<u8>> = host.run.rows.iter().filter(is_whole).map(|row| plain(&capture, row)).collect();
    assert!(records.len() > 50, "{}", records.len());
    let byte = prop_oneof![Just(b'\n'), Just(b'}'), b' '..=b'~', any::<u8>()];
    let stamped = (any::<prop::sample::Index>(), prop::array::uniform4(byte));
    let start = prop_oneof![123u8..=126, any::<u8>()];
    let strategy = (start, prop::collection::vec(stamped, 4), "([ -}]{9}\n){0,1}", 0usize..4);
    let test = |(start, chosen, text, at): (u8, Vec<(prop::sample::Index, [u8; 4])>, String, usize)| {
        let mut stream = Stream::start();
        while stream.seq != start {
            stream.stamp(stream.seq.into());
        }
        let before = decode(&stream.bytes, &vec![], 4096).run.rows.len();
        for (i, (record, stamp)) in chosen.iter().enumerate() {
            let [_, id, payload @ .., _] = &records[record.index(records.len())][..] else { unreachable!() };
            if i == at {
                stream.raw(text.as_bytes());
            }
            stream.add(*id, &[&stamp[..], &payload[4..]].concat());
        }
        for size in [1, 4096] {
            let rows = &decode(&stream.bytes, &vec![], size).run.rows[before..];
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

/// The unstuffed bytes of a frame.
fn plain(bytes: &[u8], row: &Row) -> Vec<u8> {
    let (start, len) = (row.pos as usize, row.len as usize);
    let mut frame = Vec::new();
    assert!(spytui_hdlc::unstuff(&bytes[start..start + len - 1], &mut frame));
    frame
}

#[test]
fn text_between_frames_costs_no_record() {
    let clean = file("oven-734.bin");
    let frames = frames(&clean)[..400].to_vec();
    let text = "[ -~\r\n\t]{1,60}|[ -~]{1,4}";
    let texts = prop::collection::vec((2usize..399, text), 1..20);
    let expected = records(&decode(&frames.concat(), &vec![], 4096));
    runner(200)
        .run(&texts, |texts| {
            let mut bytes = Vec::new();
            for (i, frame) in frames.iter().enumerate() {
                texts.iter().filter(|(at, _)| *at == i).for_each(|(_, text)| bytes.extend(text.as_bytes()));
                bytes.extend_from_slice(frame);
            }
            let host = decode(&bytes, &vec![], 4096);
            let found = records(&host);
            assert_eq!(found.len(), expected.len(), "{texts:?}");
            assert!(found.iter().zip(&expected).all(|(f, e)| f.1 >= e.1), "{texts:?}");
            let is_untrue = |row: &&Row| row.has(RowFlags::SKIPPED) || row.kind == RowKind::GAP;
            assert_eq!(host.run.rows.iter().find(is_untrue), None, "{texts:?}");
            Ok(())
        })
        .unwrap();
}

#[test]
fn noise_without_a_flag_costs_no_record() {
    let clean = file("oven-734.bin");
    let frames = frames(&clean)[..400].to_vec();
    let noise = prop::collection::vec(any::<u8>().prop_filter("no flag", |b| *b != 0x7E), 1..30);
    let noises = prop::collection::vec((70usize..399, noise), 1..10);
    runner(100)
        .run(&noises, |noises| {
            let mut bytes = Vec::new();
            let mut ends = Vec::new();
            for (i, frame) in frames.iter().enumerate() {
                noises.iter().filter(|(at, _)| *at == i).for_each(|(_, noise)| bytes.extend(noise));
                bytes.extend_from_slice(frame);
                ends.push(bytes.len() as u64);
            }
            let host = decode(&bytes, &vec![], 4096);
            let found: Vec<u64> = records(&host).iter().map(|r| r.0).collect();
            assert!(found == ends, "{noises:?}");
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_record_is_rendered() {
    let strategy = (prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..80)), 1..40), 0usize..3);
    runner(200)
        .run(&strategy, |(records, style)| {
            let opts: Options<'_> = [vec![], vec![V7], vec![V8]][style].clone();
            let bytes: Vec<u8> = records.iter().zip(1..).flat_map(|((id, p), seq)| frame(seq, *id, p)).collect();
            let host = decode(&bytes, &opts, 4096);
            host.render(&bytes, Want::all(), |_, _| {}).unwrap();
            adds_up(&host, &bytes);
            Ok(())
        })
        .unwrap();
}
