//! Properties: chunking changes nothing, bytes add up, encoded events are decoded.

use crate::common::{decode, fields, file, reference};
use proptest::prelude::*;
use spytui_decoder_harness::encode::qnx::{Trace, class};
use spytui_decoder_harness::properties::{adds_up, damage, edits, runner};
use spytui_plugin_api::Want;

#[test]
fn damaged_streams_add_up_and_do_not_depend_on_chunking() {
    let clean = ["fast-2cpu", "wide-be", "qnx71-wide64"].map(|name| file(&format!("{name}.kev")));
    runner(60)
        .run(&(edits(), 1usize..400, 0usize..3, any::<bool>()), |(edits, size, which, as_reference)| {
            let mut bytes = clean[which][..5_000].to_vec();
            damage(&mut bytes, &edits);
            let opts = if as_reference { reference() } else { vec![] };
            let (whole, parts) = (decode(&bytes, &opts, 1 << 16), decode(&bytes, &opts, size));
            assert!(whole.run == parts.run);
            adds_up(&whole, &bytes);
            assert_eq!(whole.text(&bytes).unwrap(), parts.text(&bytes).unwrap());
            Ok(())
        })
        .unwrap();
}

#[test]
fn what_is_encoded_comes_back() {
    let text = "[ -~]{9,120}";
    let event = (0u32..2, any::<u32>(), any::<u32>(), text, 0u32..5_000);
    runner(60)
        .run(&(prop::collection::vec(event, 1..20), any::<bool>()), |(events, big)| {
            let mut trace = Trace::new(big);
            trace.header(&[("SYS_RELEASE", "6.5.0"), ("CPU_NUM", "2"), ("CYCLES_PER_SEC", "1000")], 9);
            trace.buffer(1, 0).time(7).at(1, 0).time(7);
            for (cpu, first, second, text, later) in &events {
                trace.at(*cpu, trace.low + later);
                trace.event(class::COMM, 0, &[*first, *second]);
                trace.text(class::SYSTEM, 2, [*first, *second], text);
            }
            let host = decode(&trace.bytes, &vec![], 100);
            let all = fields(&host, &trace.bytes);
            let records = all.iter().zip(&host.run.rows).filter(|(_, row)| row.is_record()).skip(3);
            let records: Vec<_> = records.collect();
            assert_eq!(records.len(), 2 * events.len());
            for ((cpu, first, second, text, _), pair) in events.iter().zip(records.chunks(2)) {
                assert_eq!(
                    (pair[0].0["rcvid"].as_u64(), pair[0].0["pid"].as_u64()),
                    (Some((*first).into()), Some((*second).into()))
                );
                assert_eq!(pair[1].0["path"].as_str(), Some(text.as_str()));
                assert_eq!(pair[1].0["tid"].as_i64(), Some(i64::from(*second as i32)));
                assert!(pair.iter().all(|(_, row)| u32::from(row.core) == *cpu && row.time >> 32 == 7));
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_event_is_rendered() {
    let part = (0u32..4, 0u16..12, 0u16..1024, any::<[u32; 2]>());
    let release = prop::sample::select(vec!["6.4", "7.1", "8.0"]);
    runner(100)
        .run(&(prop::collection::vec(part, 1..60), release, any::<bool>()), |(parts, release, as_reference)| {
            let mut trace = Trace::default();
            trace.header(&[("SYS_RELEASE", release)], 0);
            for (structure, class, number, words) in parts {
                trace.part(structure, class, number, words);
            }
            let opts = if as_reference { reference() } else { vec![] };
            let host = decode(&trace.bytes, &opts, 4096);
            host.render(&trace.bytes, Want::all(), |_, _| {}).unwrap();
            adds_up(&host, &trace.bytes);
            Ok(())
        })
        .unwrap();
}
