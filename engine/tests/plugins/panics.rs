//! A panic in any entry point leaves the host running with its message, and nothing is written to stderr.

use std::process::Command;

use spytui_engine::open::{Origin, Registry};
use spytui_plugin_api::{
    Activity, Batch, Chunk, DecoderRef, Dict, Fault, Instance, RSlice, Rendered, Row, RowIn, Source, StreamEvent, Verb,
    chunk::StreamEventKind, guard::late_faults, render::Want,
};
use spytui_plugin_host::kit::opt_vals;
use spytui_testing_decoder::panics::{self, ENTRIES};

use super::common::{file, first};

const WHICH: &str = "SPYTUI_TEST_PANICS";

/// The host is this test program, started again: its stderr is what a user's terminal would show.
#[test]
fn nothing_reaches_stderr_and_every_message_is_there() {
    for which in ["file", "linked"] {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["plugins::panics::each_entry_in_a_child", "--exact", "--nocapture", "--test-threads=1"])
            .env(WHICH, which)
            .env("RUST_BACKTRACE", "1")
            .output()
            .unwrap();
        let (out, err) = (String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
        assert!(child.status.success(), "{which}: {out}\n{err}");
        assert_eq!(err, "", "{which}: stderr");
        for entry in &ENTRIES[..ENTRIES.len() - 1] {
            assert!(out.contains(&format!("{entry}: panicked at")), "{which}: no message of {entry} in {out}");
        }
    }
}

/// The child process; does nothing otherwise.
#[test]
fn each_entry_in_a_child() {
    let library = match std::env::var(WHICH).as_deref() {
        Ok("file") => spytui_engine::open::load::load(&file("panics")).unwrap().library,
        Ok(_) => panics::plugin(),
        Err(_) => return,
    };
    let mut registry = Registry::new();
    assert!(registry.add(library, &Origin::BuiltIn).is_err());
    assert!(registry.notes[0].contains("asked to panic in info"), "{:?}", &registry.notes);
    assert_eq!(registry.decoders.len(), 1, "the others of the library are usable");
    for entry in ENTRIES {
        for (at, fault) in life(first(library), entry) {
            assert!(fault.panicked && fault.text.contains(&format!("asked to panic in {entry}")), "{at}: {fault}");
            println!("{at}: {fault}");
        }
    }
}

/// Calls all entry points; returns the faults with the entry points.
fn life(decoder: DecoderRef, entry: &str) -> Vec<(&'static str, Fault)> {
    let mut faults = Vec::new();
    let mut note = |at, answer: Result<(), Fault>| faults.extend(answer.err().map(|fault| (at, fault)));
    let pairs = [("at", entry.as_bytes())];
    let opts = opt_vals(&pairs);
    note("probe", decoder.probe(b"sample", &opts).map(drop));
    match decoder.open(&opts, &Source::default()) {
        Ok(instance) => works(instance, entry, &mut note),
        Err(fault) => note("open", Err(fault)),
    }
    renders(decoder, entry.as_bytes(), &mut note);
    assert_eq!(faults.iter().map(|f| f.0).next(), (entry != "nowhere").then_some(entry_of(entry)), "{faults:?}");
    faults
}

fn entry_of(name: &str) -> &'static str {
    ENTRIES.iter().find(|e| **e == name).unwrap()
}

fn feed(instance: &mut Instance, bytes: &[u8], events: &[StreamEvent]) -> Result<Batch, Fault> {
    let mut batch = Batch::default();
    let chunk =
        Chunk { pos: 0, bytes: bytes.into(), events: events.into(), texts: RSlice::EMPTY, wants_activities: true };
    instance.feed(&chunk, &mut batch).map(|()| batch)
}

fn works(mut instance: Instance, entry: &str, note: &mut impl FnMut(&'static str, Result<(), Fault>)) {
    let error = StreamEvent { kind: StreamEventKind::LINE_ERROR, ..StreamEvent::default() };
    let fork = (entry != "fork").then(|| instance.fork().unwrap());
    note("bytes", feed(&mut instance, b"a!b", &[]).map(drop));
    note("event", feed(&mut instance, b"", &[error]).map(drop));
    let dead = ["bytes", "event"].contains(&entry);
    if dead {
        let again = feed(&mut instance, b"x", &[]).map(drop).expect_err("a dead instance stays dead");
        assert!(again.text.contains(entry), "{again}");
    }
    note("fork", instance.fork().map(drop));
    if let Some(mut fork) = fork.filter(|_| dead) {
        assert_eq!(feed(&mut fork, b"ab", &[]).map(|b| b.rows.len()).ok(), Some(2));
    }
    drop(instance);
    late_faults().into_iter().for_each(|fault| note("drop", Err(fault)));
}

fn renders(decoder: DecoderRef, cfg: &[u8], note: &mut impl FnMut(&'static str, Result<(), Fault>)) {
    let row = Row { len: 1, ..Row::default() };
    let input =
        |raw: &'static [u8]| RowIn { row: &row, raw: raw.into(), attachments: RSlice::EMPTY, blob: RSlice::EMPTY };
    let (mut out, names) = (Rendered::default(), ());
    let dict = Dict::new(&names);
    let all = Want::TEXT | Want::FIELDS;
    let answer = decoder.render(cfg, &[input(b"a"), input(b"!"), input(b"b")], &dict, all, &mut out);
    if let Err(fault) = &answer {
        assert_eq!((fault.row, out.rows.len(), out.fields.len()), (1, 1, 1), "the row before it stands, it does not");
        assert_eq!(out.text.as_slice(), b"half a byte [61]");
    }
    note("render", answer);
    out.clear();
    let answer = decoder.label(cfg, &input(b"!"), &Activity::new(Verb::BEGIN), &dict, &mut out);
    assert!(answer.is_ok() || out.text.is_empty(), "half a label");
    note("label", answer);
}
