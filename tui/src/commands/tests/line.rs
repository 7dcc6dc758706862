//! Completion, ghost, help and line editor together, as typed.

use spytui_engine::query::Vocabulary;

use super::Program;
use crate::{
    input::{
        Aid, ArgumentNames, EditOutcome, History, KeyPress, Keymap, KnownNames, LineEditor, PromptKind, RECORDS,
        complete, explain, ghost, help, narrow, parse,
    },
    pane::keys as pane_keys,
};

fn oven() -> Program {
    let words = |names: ArgumentNames<'_>| -> &'static [&'static str] {
        match names {
            ArgumentNames::Protocols => &["qs", "rkh", "qnx"],
            ArgumentNames::Options("qs") => &["version", "signal"],
            ArgumentNames::OptionValues("qs", "signal") => &["1", "2", "4"],
            ArgumentNames::Settings => &["theme", "fps", "signal"],
            ArgumentNames::Values("theme") => &["dark", "light"],
            ArgumentNames::SavedFilters => &["noise"],
            ArgumentNames::Kinds => &["Tran", "Tick", "Disp"],
            ArgumentNames::Objects => &["AO(l_motor)", "AO(l_door)", "Tmr Svc"],
            ArgumentNames::Fields => &["free", "info->pid", "pos"],
            ArgumentNames::Marks => &["start"],
            _ => &[],
        }
    };
    Program::new(words, Vocabulary::open())
}

fn completed(line: &str) -> Vec<String> {
    let done = complete(line, line.chars().count(), &oven());
    let head: String = line.chars().take(done.from).collect();
    done.items.iter().map(|choice| format!("{head}{}", choice.text)).collect()
}

#[test]
fn completions_follow_the_table() {
    assert_eq!(completed("pr"), ["proto"]);
    assert_eq!(completed("proto q"), ["proto qs", "proto qnx"]);
    assert_eq!(completed("p qs sig"), ["p qs signal="]);
    assert_eq!(
        completed("p qs version=7 signal="),
        ["p qs version=7 signal=1", "p qs version=7 signal=2", "p qs version=7 signal=4"]
    );
    assert_eq!(completed("set th"), ["set theme="]);
    assert_eq!(completed("set theme "), ["set theme dark", "set theme light"]);
    assert_eq!(completed("set fps=3 theme=l"), ["set fps=3 theme=light"]);
    assert_eq!(completed("f @"), ["f @noise"]);
    assert_eq!(completed("f -kind:T"), ["f -kind:Tran", "f -kind:Tick",]);
    assert_eq!(completed("f (kind:Tran,di"), ["f (kind:Tran,Disp"]);
    assert_eq!(completed("f kind:Tran to:tm"), ["f kind:Tran to:\"Tmr Svc\""]);
    assert_eq!(completed("f kind:Tran fr"), ["f kind:Tran from:", "f kind:Tran free"]);
    assert_eq!(completed("f info->p"), ["f \"info->pid\""]);
    assert_eq!(completed("f free -\"in"), ["f free -\"info->pid\""]);
    assert_eq!(completed("f po"), ["f pos:", "f epoch:", "f field.pos"]);
    assert_eq!(completed("f \"info->pid\":4 kind:T"), ["f \"info->pid\":4 kind:Tran", "f \"info->pid\":4 kind:Tick"]);
    assert_eq!(completed("goto 's"), ["goto 'start"]);
    assert_eq!(completed("dict "), ["dict save", "dict load", "dict clear"]);
    assert_eq!(completed("export "), ["export perfetto", "export sequence"]);
    assert_eq!(completed("filter sa"), ["filter save"]);
    assert_eq!(completed("w o.txt kind:D"), ["w o.txt kind:Disp"]);
    assert_eq!(completed("w o.txt #1.. kind:D"), ["w o.txt #1.. kind:Disp"]);
    assert!(completed("nonsense x").is_empty() && completed("stats ").is_empty());
    assert_eq!(completed("").len(), 31);
}

#[test]
fn every_completion_of_every_beginning_is_sane() {
    for line in [
        "proto qs signal=2",
        "w o.txt #1.. kind:Tran",
        "f (kind:Tran or obj:\"Tmr Svc\")",
        "name obj 0x1 x",
        "open serial:/dev/x",
    ] {
        for cursor in 0..=line.chars().count() + 2 {
            assert!(complete(line, cursor, &oven()).from <= cursor);
            let typed: String = line.chars().take(cursor).collect();
            let _ = (ghost(&typed, None, &oven()), parse(&typed, &oven()));
        }
    }
}

#[test]
fn the_ghost_says_what_is_wanted() {
    let help = |line| ghost(line, None, &oven()).help;
    assert_eq!(help("proto "), "NAME|auto [key=value …]  switch the decoder and decode the log again");
    assert!(help("proto qs ").starts_with("[key=value …]  switch"));
    assert_eq!(help("mark a note"), "mark the cursor row");
    assert_eq!(help("nonsense"), "");
    assert_eq!(ghost("prot", None, &oven()).take, "o");
    assert_eq!(ghost("f kind:Tr", None, &oven()).take, "an");
    assert_eq!(ghost("f k", Some("f kind:Tick free<2"), &oven()).take, "ind:Tick free<2");
    assert_eq!(ghost("", Some("q"), &oven()).take, "");
}

#[test]
fn a_question_mark_explains_a_command() {
    let reported = |line| -> Vec<String> { explain(line, &oven()).into_iter().map(|line| line.left).collect() };
    assert_eq!(reported("goto"), [":goto WHERE", "WHERE"]);
    assert_eq!(reported("g "), [":goto WHERE", "WHERE"]);
    assert_eq!(reported("dict"), [":dict save PATH", ":dict load PATH", ":dict clear"]);
    assert_eq!(reported("dict lo"), [":dict load PATH", "PATH"]);
    assert_eq!(reported("filter "), [":filter [EXPR|@name|-]", ":filter why", ":filter save NAME", "[EXPR|@name|-]"]);
    assert_eq!(reported("quiet"), [":quiet"]);
    // After an argument it is a character: of a regular expression, of a link.
    for line in ["find /a", "open serial:/dev/ttyUSB0", "nonsense", "fi"] {
        assert_eq!(reported(line), [""; 0], "{line}");
    }
    let goto = &explain("goto", &oven())[1].right;
    assert!(goto.contains("12.5ms") && goto.contains("@0x1a4f0"), "{goto}");
}

#[test]
fn help_comes_from_the_tables() {
    let keys = Keymap::built_in(&pane_keys());
    let all = help(RECORDS, &keys, Vec::new(), oven().commands());
    assert!(all.len() > oven().commands().len() + 40);
    assert_eq!(narrow(&all, ":goto")[0].left, ":goto WHERE");
    assert_eq!(narrow(&all, "next loss")[0].left, "x ]");
    assert_eq!(narrow(&all, "fold equal")[0].left, "=");
    assert_eq!(narrow(&all, "NEXT LOSS").len(), 1);
}

/// Types keys into a new line; returns it with the cursor as `|`, or what it ran.
fn typed(history: &History, keys: &str) -> String {
    let mut editor = LineEditor::new(PromptKind::Command, "");
    let complete = |line: &str, cursor| complete(line, cursor, &oven());
    let mut last = EditOutcome::Nothing;
    for key in keys.split(' ') {
        let before = editor.at_end().then(|| history.newest(PromptKind::Command, editor.text())).flatten();
        let ghost = ghost(editor.text(), before, &oven()).take;
        let aid = Aid { complete: &complete, ghost: &ghost, history };
        last = match KeyPress::read(key) {
            Some(key) => editor.key(key, &aid),
            None => key.chars().map(|c| editor.key(KeyPress::read(&c.to_string()).unwrap(), &aid)).last().unwrap(),
        };
    }
    match last {
        EditOutcome::Run(line) => format!("run {line}"),
        EditOutcome::Leave => "left".into(),
        _ => {
            let mut line: Vec<char> = editor.text().chars().collect();
            line.insert(editor.cursor(), '|');
            line.into_iter().collect()
        }
    }
}

#[test]
fn the_line_is_edited_as_in_a_shell() {
    let none = History::default();
    for (keys, line) in [
        ("stats Enter", "run stats"),
        ("goto Space gap ^w", "goto |"),
        ("f Space kind:Tran Space obj:AO(l_x) Space ^w", "f kind:Tran |"),
        ("abc Left Left x", "ax|bc"),
        ("abc ^a x ^e y", "xabcy|"),
        ("abc Home Delete End Backspace", "b|"),
        ("ab Space cd ^Left ^k", "ab |"),
        ("ab Space cd Left ^u", "|d"),
        ("ab Space cd Home ^Right", "ab |cd"),
        ("abc ^u ^y", "abc|"),
        ("abc Esc", "left"),
        ("abc ^g", "left"),
        ("a Backspace Backspace", "left"),
        ("Enter", "left"),
        ("é日 Left x", "éx|日"),
    ] {
        assert_eq!(typed(&none, keys), line, "{keys}");
    }
}

#[test]
fn tab_goes_through_completions() {
    let none = History::default();
    for (keys, line) in [
        ("pro Tab", "proto |"),
        ("proto Space q Tab", "proto qs|"),
        ("proto Space q Tab Tab", "proto qnx|"),
        ("proto Space q Tab Tab Tab", "proto qs|"),
        ("proto Space q S-Tab", "proto qnx|"),
        ("proto Space q Tab Esc", "proto q|"),
        ("proto Space q Tab Space x", "proto qs x|"),
        ("p Space qs Space sig Tab 2", "p qs signal=2|"),
        ("f Space kind:Tr Right", "f kind:Tran|"),
        ("xyz Tab", "xyz|"),
    ] {
        assert_eq!(typed(&none, keys), line, "{keys}");
    }
}

#[test]
fn the_history_is_walked_and_searched() {
    let mut history = History::default();
    for line in ["goto #1", "stats", "goto #2", "f kind:Tran"] {
        history.add(PromptKind::Command, line);
    }
    for (keys, line) in [
        ("Up", "f kind:Tran|"),
        ("go Up", "goto #2|"),
        ("go Up Up", "goto #1|"),
        ("go Up Up Up Down Down", "go|"),
        ("Enter", "run f kind:Tran"),
        ("^r got", "goto #2|"),
        ("^r got ^r", "goto #1|"),
        ("^r got ^r ^r Enter", "run goto #1"),
        ("ab ^r got Esc", "ab|"),
        ("^r stat Left x", "statx|s"),
        ("go Right", "goto #2|"),
    ] {
        assert_eq!(typed(&history, keys), line, "{keys}");
    }
}

#[test]
fn a_paste_never_runs() {
    let mut editor = LineEditor::new(PromptKind::Command, "f ");
    assert_eq!(editor.paste("kind:Tran\r\n:q\n\x1b[2J\tx\n"), EditOutcome::Changed);
    assert_eq!(editor.text(), "f kind:Tran :q [2J x");
    editor.paste(&"x".repeat(100_000));
    assert_eq!(editor.text().chars().count(), 4_000);
}

#[test]
fn no_line_and_no_key_is_a_fault() {
    let pieces = [
        "proto", "set", "f", "w", "goto", "dict", "save", "plugin", "name", "mark", " ", " ", "\"", "=", ",", ":",
        "..", "@", "#", "'", "-", "(", ")", "/", "kind:", "obj:\"", "é", "日", "0x", "1ms", "\\", "$", "sel", "*", "~",
        "auto",
    ];
    let keys = [
        "Tab", "S-Tab", "Up", "Down", "Left", "Right", "^w", "^u", "^k", "^y", "^r", "^Left", "^Right", "Esc", "Delete",
    ];
    let mut history = History::default();
    history.add(PromptKind::Command, "f kind:Tran obj:\"é\"");
    let mut seed = 7_u64;
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    for _ in 0..2_000 {
        let line: String = (0..below(8)).map(|_| pieces[below(pieces.len())]).collect();
        let cursor = below(line.chars().count() + 2);
        let _ = (parse(&line, &oven()), complete(&line, cursor, &oven()), ghost(&line, None, &oven()));
        if let Err(error) = parse(&line, &oven()) {
            assert!(error.column <= line.chars().count(), "{line:?}: {error:?}");
        }
        let mut editor = LineEditor::new(PromptKind::Command, &line);
        let complete = |line: &str, cursor| complete(line, cursor, &oven());
        let aid = Aid { complete: &complete, ghost: "x", history: &history };
        for _ in 0..6 {
            editor.key(KeyPress::read(keys[below(keys.len())]).unwrap(), &aid);
            assert!(editor.cursor() <= editor.text().chars().count());
        }
    }
}
