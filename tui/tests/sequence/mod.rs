//! Sequence diagrams of captures: compared with those of reference hosts, and as written.

mod cases;
mod damaged;
mod reference;

use crate::perfetto::{folder_of, run, stderr};

/// The messages in the diagram of a QS capture with these lifelines, in order: from, to, what.
pub(crate) fn messages(capture: &str, lifelines: &str) -> Vec<(String, String, String)> {
    let steps = reference::of_mermaid(&diagram("qs", capture, "mmd", &["--lifelines", lifelines]).0);
    let messages = steps.into_iter().filter(|step| !step.2.is_empty());
    messages.map(|(_, from, to, what)| (from, to, what)).collect()
}

/// Exports a capture of a decoder; returns the text of the diagram and stderr.
fn diagram(proto: &str, capture: &str, ending: &str, options: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join(format!("diagram.{ending}")).display().to_string();
    let path = folder_of(if proto == "rkh" { "rkh-trazer" } else { proto }).join(capture).display().to_string();
    let args = [&["export", "sequence", "--proto", proto, &path, "-o", &out], options].concat();
    let output = run(&args);
    assert!(output.status.success(), "{capture}: {}", stderr(&output));
    (std::fs::read_to_string(out).unwrap(), stderr(&output))
}
