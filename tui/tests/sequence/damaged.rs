//! Diagrams of damaged captures are complete diagrams.

use std::{
    collections::HashSet,
    sync::{Arc, atomic::AtomicBool},
};

use spytui_engine::{
    export::{
        capture::Inputs,
        sequence::{DiagramForm, DiagramRequest, export},
    },
    io::log::{LogOptions, RawLog},
    open::Options,
    query::Expr,
};
use spytui_plugin_api::Source;
use spytui_plugin_host::kit::Random;

use super::folder_of;

use crate::fuzzing::fixture::registry;

/// The diagram of a stream that ends or continues.
fn drawn(protocol: &str, bytes: &[u8], (form, ends): (DiagramForm, bool)) -> String {
    let registry = registry();
    let (decoder, options) = (registry.find(protocol).unwrap(), Options::default());
    let log = RawLog::new(&LogOptions::default());
    log.append(bytes, 1);
    if ends {
        log.end(1);
    }
    let (sources, logs) = ([Source::default()], [Arc::clone(&log)]);
    let inputs = Inputs { decoder: &decoder, options: &options, sources: &sources, logs: &logs };
    let wanted = DiagramRequest { form, lifelines: None, filter: Expr::everything(), taken: true };
    let mut out = Vec::new();
    let exported = export(&inputs, &wanted, &mut out, &AtomicBool::new(false)).unwrap();
    assert_eq!(exported.fault, None, "{protocol}");
    let text = String::from_utf8(out).unwrap();
    let declared = text.lines().filter(|line| line.trim_start().starts_with("participant ")).count();
    assert_eq!(declared as u64, exported.lifelines, "{protocol}");
    text
}

/// Each Mermaid line has a known form, and names lifelines declared before.
fn is_sound(text: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sequenceDiagram"));
    let mut known = HashSet::new();
    for line in lines.map(str::trim_start).filter(|line| !line.starts_with("%%")) {
        if let Some((own, name)) = line.strip_prefix("participant ").and_then(|rest| rest.split_once(" as ")) {
            assert!(known.insert(own.to_owned()) && !name.trim().is_empty(), "{line}");
            continue;
        }
        let (head, what) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
        let ends = head.strip_prefix("Note over ").unwrap_or(head);
        let named: Vec<&str> = ends.split(['-', '>', ')', 'x', ',']).filter(|part| !part.is_empty()).collect();
        assert!(!named.is_empty() && named.iter().all(|own| known.contains(*own)), "{line}");
        // Characters that begin a statement or comment are written as numbers.
        let is_number = |part: &str| part.split_once(';').is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        assert!(what.split('#').skip(1).all(is_number), "{line}");
        assert!(!what.trim().is_empty() && !what.contains(['%', '<', '"', ':', '\\']), "{line}");
    }
}

const CAPTURES: [(&str, &str); 4] =
    [("qs", "oven-734.bin"), ("rkh", "gh340-default.bin"), ("tband", "brew_stream.bin"), ("qnx", "fast-2cpu.kev")];

fn bytes(protocol: &str, capture: &str) -> Vec<u8> {
    std::fs::read(folder_of(if protocol == "rkh" { "rkh-trazer" } else { protocol }).join(capture)).unwrap()
}

#[test]
fn any_damage_gives_a_sound_diagram() {
    for (protocol, capture) in CAPTURES {
        let whole = bytes(protocol, capture);
        for seed in 0..8 {
            let damaged = Random::new(seed).damage(&whole, 1 << seed);
            is_sound(&drawn(protocol, &damaged, (DiagramForm::Mermaid, true)));
            let text = drawn(protocol, &damaged, (DiagramForm::PlantUml, true));
            assert!(text.starts_with("@startuml\n") && text.ends_with("@enduml\n"), "{text}");
        }
    }
}

#[test]
fn a_log_that_goes_on_is_exported_as_far_as_it_is() {
    for (protocol, capture) in CAPTURES {
        let bytes = bytes(protocol, capture);
        let open = drawn(protocol, &bytes, (DiagramForm::Mermaid, false));
        assert!(open.len() > 3_000, "{protocol}: {open}");
        assert_eq!(open, drawn(protocol, &bytes, (DiagramForm::Mermaid, true)), "{protocol}");
    }
}
