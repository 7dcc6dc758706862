//! Differences from the QS reference host: the table in `docs/commands.md`, made from lines and their frames.

use serde_json::Value;

use super::{
    golden::{GOLDEN, LINES, REFUSED_HERE, target_at},
    target::{Target, unhex},
    versions::Qs,
};

const DOC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/commands.md");
const BEGIN: &str = "<!-- differences: made by tui/tests/commands/differences.rs -->\n";
const END: &str = "<!-- end of differences -->\n";

/// Lines for a target before QP 8, and what the host sends for them.
const EVENT_POOLS: [(&str, &[u8]); 2] =
    [("current ep 0x20001040", b"\x0D\x07\x40\x10\0\x20"), ("query ep", b"\x0F\x07")];

fn row(what: &str, line: &str, there: &[u8], target: &mut Target) -> String {
    let bytes: Vec<String> = there.iter().map(|byte| format!("{byte:02X}")).collect();
    let refusal = target.send(line).unwrap_err();
    let (_, why) = refusal.split_once(": ").unwrap();
    format!("| {what} | `{line}` | `{}` | {} |\n", bytes.join(" "), why.replace('|', "\\|"))
}

fn table() -> String {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let dictionaries = unhex(golden["stream_sent_to_host_hex"].as_str().unwrap());
    let mut table = "| | line | frame there: id, payload | here refused |\n|---|---|---|---|\n".to_owned();
    for (step, lines) in LINES.iter().filter(|(step, _)| REFUSED_HERE.contains(step)) {
        let reported = &golden["steps"][step];
        let frame = unhex(reported["target_frame_hex"].as_str().unwrap());
        let (line, before) = lines.split_once("; ").unwrap_or((lines, ""));
        let mut target = target_at(&dictionaries, 1);
        if !before.is_empty() {
            target.send(before).unwrap();
        }
        table += &row(reported["command"].as_str().unwrap(), line, &frame[1..frame.len() - 2], &mut target);
    }
    for (line, there) in EVENT_POOLS {
        table += &row("event pools, to a target before QP 8", line, there, &mut Qs::of_version(734).target());
    }
    table
}

/// With `SPYTUI_WRITE_DOCS` set, writes the table instead.
#[test]
fn what_differs_is_in_the_description() {
    let (text, table) = (std::fs::read_to_string(DOC).unwrap(), table());
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (now, after) = rest.split_once(END).unwrap();
    if std::env::var_os("SPYTUI_WRITE_DOCS").is_some() {
        std::fs::write(DOC, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(now, table, "run the test again with SPYTUI_WRITE_DOCS=1");
}
