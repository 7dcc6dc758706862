//! What the diagrams of reference hosts show, ours show, too.

use std::collections::BTreeMap;

use super::{diagram, folder_of};

/// A step: time in ticks, who, to whom, what.
type Step = (String, String, String, String);

/// Column of the first lifeline of a sequence file, and distance to the next one.
const LANES: (usize, usize) = (19, 20);
/// Length to which signals are cut; those of posts in front and of publishes have one character more.
const CUT: usize = 15;

/// The steps of a sequence file of the QS reference host, without clock ticks, and its lifelines.
fn of_file(name: &str) -> (Vec<Step>, String) {
    let text = std::fs::read_to_string(folder_of("qs").join(name)).unwrap();
    let list = text.lines().next().unwrap().trim_start_matches("-g ").trim().to_owned();
    let lanes: Vec<&str> = list.split(',').collect();
    let stamped = |line: &&str| line.len() > 10 && line[..10].bytes().all(|b| b.is_ascii_digit());
    (text.lines().filter(stamped).map(|line| of_line(line, &lanes)).collect(), list)
}

fn of_line(line: &str, lanes: &[&str]) -> Step {
    let body: Vec<char> = line.chars().collect();
    let time = line[..10].trim_start_matches('0').to_owned();
    let at = |lane: usize| body.get(LANES.0 + lane * LANES.1).copied().unwrap_or(' ');
    let nearest = |text: &str| {
        let middle = line.find(text).unwrap() + text.len() / 2;
        lanes[(middle - LANES.0 + LANES.1 / 2) / LANES.1].to_owned()
    };
    let step = |from: String, to: &str, what: String| (time.clone(), from, to.to_owned(), what);
    for note in ["(Defer)", "(RCallA)", "(RCall)"] {
        if line.contains(note) {
            return step(nearest(note), "", note.to_owned());
        }
    }
    let word = |from: &str| -> String {
        let start = line.find(from).unwrap() + from.len();
        line[start..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    if let Some(state) = line.find('<').filter(|_| line.contains(">") && !line.contains("--") && !line.contains("~~")) {
        let name = word("<");
        assert_eq!(&line[state + 1 + name.len()..state + 2 + name.len()], ">", "{line}");
        return step(nearest(&line[state..state + name.len() + 2]), "", format!("<{name}>"));
    }
    let sender = (0..lanes.len()).find(|lane| matches!(at(*lane), '*' | 'A')).expect(line);
    let from = lanes[sender].to_owned();
    let failed = if at(sender) == 'A' { " refused" } else { "" };
    let signal =
        || line.split(|c: char| !(c.is_alphanumeric() || c == '_')).find(|w| w.ends_with("SIG") || w.len() >= CUT);
    if line.contains(" . . ") {
        return step(from, "", format!("{} published", signal().expect(line)));
    }
    let signal = signal().expect(line);
    if line.contains("<=") {
        return step("?".to_owned(), &from, format!("{signal} in front"));
    }
    let to = if line.contains(']') {
        sender
    } else {
        let is_end = |lane: &usize| {
            let x = LANES.0 + lane * LANES.1;
            *lane != sender && (body.get(x + 1) == Some(&'<') || body.get(x - 1) == Some(&'>'))
        };
        (0..lanes.len()).find(is_end).expect(line)
    };
    step(from, lanes[to], format!("{signal}{failed}"))
}

/// The steps of a diagram in Mermaid.
pub(super) fn of_mermaid(text: &str) -> Vec<Step> {
    let (mut names, mut steps, mut time) = (BTreeMap::new(), Vec::new(), String::new());
    for line in text.lines().map(str::trim) {
        let name = |p: &str| -> String { names.get(p.trim()).cloned().unwrap_or_else(|| panic!("{p} in {line}")) };
        if let Some((p, own)) = line.strip_prefix("participant ").and_then(|rest| rest.split_once(" as ")) {
            names.insert(p.to_owned(), own.replace("#62;", ">").replace("0x", "0X"));
        } else if let Some(place) = line.strip_prefix("%%") {
            time = place.split_once(" at ").map_or("", |(_, time)| time).replace(' ', "");
        } else if let Some((p, what)) = line.strip_prefix("Note over ").and_then(|rest| rest.split_once(": ")) {
            if !p.contains(',') {
                steps.push((time.clone(), name(p), String::new(), what.to_owned()));
            }
        } else if let Some((ends, what)) = line.split_once(": ") {
            let arrow = ["-->>", "->>", "-)", "-x"].into_iter().find(|arrow| ends.contains(arrow)).expect(line);
            let (from, to) = ends.split_once(arrow).unwrap();
            let failed = if arrow == "-x" { " refused" } else { "" };
            let what = what.replace("0x", "0X");
            steps.push((time.clone(), name(from), name(to), format!("{what}{failed}")));
        }
    }
    steps
}

/// Our step as a sequence file shows it: names cut, states without the part up to the first `_`.
fn as_in_file((time, from, to, what): Step) -> Step {
    let cut = |signal: &str, most: usize| signal.chars().take(most).collect::<String>();
    let what = match what.split_once(' ') {
        None if to.is_empty() => format!("<{}>", what.split_once('_').map_or(what.as_str(), |(_, state)| state)),
        None => cut(&what, CUT),
        Some((signal, "(in front)")) => format!("{} in front", cut(signal, CUT + 1)),
        Some((signal, "published")) => format!("{} published", cut(signal, CUT + 1)),
        Some((signal, "refused")) => format!("{} refused", cut(signal, CUT)),
        Some((_, "deferred")) => "(Defer)".to_owned(),
        Some((_, "recalled")) => "(RCall)".to_owned(),
        Some(("nothing", "to recall")) => "(RCallA)".to_owned(),
        Some(_) => what,
    };
    (time, from, to, what)
}

#[test]
fn the_sequence_files_of_the_qs_host_show_the_same() {
    for (capture, messages) in [("oven-734", 200), ("oven-693-32bit", 60)] {
        let (theirs, list) = of_file(&format!("{capture}.seq"));
        assert!(theirs.iter().filter(|step| !step.2.is_empty()).count() > messages, "{capture}: {}", theirs.len());
        let (text, _) = diagram("qs", &format!("{capture}.bin"), "mmd", &["--lifelines", &list]);
        let ours = of_mermaid(&text).into_iter().map(as_in_file);
        // They show neither ignored events nor the initial states of machines.
        let ours: Vec<Step> = ours.filter(|step| !step.3.contains(" ignored")).collect();
        let mut theirs = theirs.iter().peekable();
        for step in &ours {
            if theirs.next_if(|their| *their == step).is_none() {
                let is_first_state = step.2.is_empty() && step.3.starts_with('<');
                assert!(is_first_state, "{capture}: ours {step:?}, theirs {:?}", theirs.peek());
            }
        }
        assert_eq!(theirs.peek(), None, "{capture}");
    }
}

#[test]
fn the_chart_of_the_rkh_host_shows_the_same_messages() {
    let chart = std::fs::read_to_string(folder_of("rkh-trazer").join("gh340-default.msc")).unwrap();
    let is_message = |line: &&str| line.contains("[arrow.type=line]") || line.contains("Notify()");
    let of_line = |line: &str| {
        let (from, rest) = line.split_once("->").unwrap();
        let (to, rest) = rest.split_once(": ").unwrap();
        let what = rest.split('[').next().unwrap().trim_start_matches("\\-").trim_end_matches("()");
        (from.to_owned(), to.to_owned(), what.to_owned())
    };
    let theirs: Vec<_> = chart.lines().filter(is_message).map(of_line).collect();
    assert!(theirs.len() > 100, "{}", theirs.len());
    let (text, _) = diagram("rkh", "gh340-default.bin", "mmd", &[]);
    // Posts by timers are shown there when the timer expires, as a step of its owner.
    let is_message = |step: &Step| !step.2.is_empty() && !step.1.starts_with("m->tm");
    let messages = of_mermaid(&text).into_iter().filter(is_message);
    let number = |what: &str| {
        let what = what.trim_end_matches(" (in front)");
        let number = what.strip_prefix("sig ").and_then(|number| number.parse::<u32>().ok());
        number.map_or_else(|| what.to_owned(), |number| format!("0X{number:X}"))
    };
    let ours: Vec<_> = messages.map(|(_, from, to, what)| (from, to, number(&what))).collect();
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
}
