//! Parses lines into commands and arguments, and checks the error messages.

use spytui_engine::query::{Expr, Vocabulary};

use super::{super::COMMANDS, Program};
use crate::input::{ArgumentNames, FilterArg, Given, KnownNames, RowRange, Where, parse};

/// A program that knows a few words.
fn few() -> Program {
    let words = |names: ArgumentNames<'_>| -> &'static [&'static str] {
        match names {
            ArgumentNames::Protocols => &["qs", "rkh"],
            ArgumentNames::Options("qs") => &["version", "signal"],
            ArgumentNames::OptionValues("qs", "signal") => &["1", "2", "4"],
            ArgumentNames::Settings => &["theme", "cfg", "pool-lwm"],
            ArgumentNames::SavedFilters => &["noise"],
            ArgumentNames::Marks => &["start"],
            ArgumentNames::Spaces => &["obj", "sig"],
            _ => &[],
        }
    };
    Program::new(words, Vocabulary::with_fields(["free"]))
}

/// A line parsed into a command and its arguments.
fn given(line: &str) -> Given {
    parse(line, &few()).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The command of a line with these words.
fn of(line: &str, words: &[&str]) -> Given {
    let given = given(line);
    assert_eq!(given.command.words, words, "{line}");
    given
}

fn expr(text: &str) -> Expr {
    spytui_engine::query::parse(text, &few().vocabulary()).unwrap()
}

#[test]
fn lines_become_commands() {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let proto = of("p auto", &["proto"]);
    assert_eq!((proto.must(0), proto.pairs(1)), ("auto".into(), vec![]));
    let proto = of("proto qs version=7.3 signal=2", &["proto"]);
    assert_eq!((proto.must(0), proto.pairs(1)), ("qs".into(), vec![pair("version", "7.3"), pair("signal", "2")]));
    assert_eq!(of("set", &["set"]).settings(0), []);
    assert_eq!(of("set theme", &["set"]).settings(0), [("theme".into(), None)]);
    assert_eq!(of("set theme light", &["set"]).settings(0), [("theme".into(), Some("light".into()))]);
    let both = [("cfg".into(), Some("a.cfg".into())), ("pool-lwm".into(), Some("1".into()))];
    assert_eq!(of("set cfg=a.cfg pool-lwm=1", &["set"]).settings(0), both);
    assert_eq!(of("baud 115200", &["baud"]).baud(0), Some(115_200));
    assert_eq!(of("baud 1MHz", &["baud"]).baud(0), Some(1_000_000));
    assert_eq!(of("r", &["record"]).text(0), None);
    assert_eq!(of("rec stop", &["record"]).text(0), Some("stop"));
    assert_eq!(of("g #714", &["goto"]).location(0), Some(Where::Row(714)));
    assert_eq!(of("go 'start", &["goto"]).location(0), Some(Where::Mark("start".into())));
    let mark = of("mark a the note  here", &["mark"]);
    assert_eq!((mark.text(0), mark.text(1)), (Some("a"), Some("the note  here")));
    let name = of("name obj 0x4110E0 the pump", &["name"]);
    assert_eq!((name.must(0), name.key(1), name.must(2)), ("obj".into(), Some(0x4110e0), "the pump".into()));
    assert_eq!(of("dict l \"a b.dic\"", &["dict", "load"]).path(0).to_str(), Some("a b.dic"));
    of("plug list", &["plugin", "list"]);
    of(" q ", &["q"]);
    of("quit", &["q"]);
    assert_eq!(of("wq run.bin", &["wq"]).path(0).to_str(), Some("run.bin"));
    assert_eq!(of("h x", &["help"]).text(0), Some("x"));
}

#[test]
fn filters_are_read() {
    let filter = |line: &str| of(line, &["filter"]).filter(0, &few());
    assert_eq!(filter("f free<2"), FilterArg::Expr(expr("free<2")));
    assert_eq!(filter("f"), FilterArg::Clear);
    assert_eq!(filter("f -"), FilterArg::Previous);
    assert_eq!(filter("f @noise"), FilterArg::Saved("noise".into()));
    assert_eq!(filter("filter sav mine"), FilterArg::Expr(expr("sav mine")));
    assert_eq!(filter("quiet"), FilterArg::Expr(expr("-kind:Tick")));
    assert_eq!(of("filter save mine", &["filter", "save"]).must(0), "mine");
}

#[test]
fn a_range_and_an_expression_may_be_left_out() {
    let range = Some(RowRange::Between(Some(Where::Row(1)), None));
    let tran = spytui_engine::query::parse("kind:Tran x", &Vocabulary::open()).ok();
    for (line, rows, filter) in [
        ("w o.txt", None, None),
        ("w o.txt #1..", range.clone(), None),
        ("w o.txt kind:Tran x", None, tran.clone()),
        ("w o.txt #1.. kind:Tran x", range, tran),
    ] {
        let write = of(line, &["write"]);
        assert_eq!(write.path(0).to_str(), Some("o.txt"));
        assert_eq!((write.range(1), write.expr(2, &few())), (rows, filter), "{line}");
    }
}

#[test]
fn mistakes_say_where_and_what() {
    for (line, column, message) in [
        ("", 0, "a command is missing; :help lists them"),
        ("fitler x", 0, "unknown command \"fitler\"; did you mean \"filter\"?"),
        ("fi", 0, "ambiguous: fi may be filter or find"),
        ("proto rkj", 6, "unknown decoder \"rkj\"; did you mean \"rkh\"?"),
        ("proto", 5, "NAME|auto is missing: proto NAME|auto [key=value …]"),
        ("p qs signl=2", 5, "unknown option \"signl\"; did you mean \"signal\"?"),
        ("p qs signal=3", 12, "unknown value \"3\"; there are 1 2 4"),
        ("p qs signal", 5, "signal needs a value: signal=VALUE"),
        ("set them dark", 4, "unknown setting \"them\"; did you mean \"theme\"?"),
        ("baud 0", 5, "not a baud rate: 0; use 115200, 1MHz or auto"),
        ("goto 'strat", 6, "unknown mark \"strat\"; did you mean \"start\"?"),
        ("f @nois", 3, "unknown filter \"nois\"; did you mean \"noise\"?"),
        ("f kind:Tran fre<2", 12, "unknown field \"fre\"; as plain text write \"fre<2\"; did you mean \"free\"?"),
        ("dict", 4, "dict needs one of: save load clear"),
        ("dict sav", 8, "PATH is missing: dict save PATH"),
        ("dict lod x", 5, "unknown form \"dict lod\"; use one of: save load clear; did you mean \"load\"?"),
        ("stats now", 6, "\"now\" is unexpected: stats takes no argument"),
        ("foo", 0, "unknown command \"foo\"; :help lists them, ? after one explains it"),
        ("1000", 0, "\"1000\" is not a command; :goto #1000 goes there"),
        ("proto xyz", 6, "unknown decoder \"xyz\"; there are qs rkh"),
        ("formats foo", 8, "unknown form \"formats foo\"; use one of: load check, or formats alone"),
        ("w \"o", 2, "the closing quote is missing"),
        ("name obj x y", 9, "not a key: x; use 8 or 0x4110E0"),
        ("help fitler", 5, "no help for \"fitler\"; did you mean \"filter\"?"),
    ] {
        let error = parse(line, &few()).expect_err(line);
        assert_eq!((error.column, error.to_string().as_str()), (column, message), "{line}");
    }
}

#[test]
fn every_command_of_the_table_is_built() {
    for command in COMMANDS.iter().map(|command| &command.spec) {
        let sample = |name: &str| match name {
            "N|auto" => "auto",
            "WHERE" => "first",
            "KEY" => "1",
            "on|off" => "on",
            "WORD" => "help",
            _ => "x",
        };
        let args: Vec<&str> = command.args.iter().filter(|a| !a.name.contains('=')).map(|a| sample(a.name)).collect();
        let line = format!("{} {}", command.name(), args.join(" "));
        let outcome = parse(&line, &Program::unknown());
        assert!(outcome.is_ok(), "{line}: {outcome:?}");
    }
}

#[test]
fn unknown_programs_refuse_nothing_for_its_name() {
    assert!(parse("proto anything a=b", &Program::unknown()).is_ok());
    assert!(parse("set anything x", &Program::unknown()).is_ok());
}
