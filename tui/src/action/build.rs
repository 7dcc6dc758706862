//! Checked arguments to the [`Call`] they mean.

use std::path::PathBuf;

use spytui_engine::link::LinkSpec;
use spytui_engine::query::{Expr, parse, search};

use super::call::{Call, Filter};
use super::check::{baud, inside, read_key};
use super::names::Known;
use super::parse::{CommandError, Given};
use super::place::{read_range, read_where};
use super::words::Word;

/// Builds the call. Arguments that were checked are not refused here; what cannot be is an error all the same.
pub(super) fn build(given: &Given, known: &dyn Known) -> Result<Call, CommandError> {
    let text = |at: usize| given.text(at).unwrap_or_default().to_owned();
    let path = |at: usize| PathBuf::from(text(at));
    let some = |at: usize| given.text(at).map(str::to_owned);
    Ok(match given.command.words {
        ["proto"] => Call::Proto { name: text(0), options: given.args.get(1).map(|w| pairs(w)).unwrap_or_default() },
        ["set"] => Call::Set(given.args.first().map(|words| settings(words)).unwrap_or_default()),
        ["open"] => Call::Open(LinkSpec::parse(&text(0)).map_err(|e| CommandError::new(0, e.to_string()))?),
        ["show"] => Call::Show(text(0)),
        ["baud"] => Call::Baud(baud(&text(0)).map_err(|message| CommandError::new(0, message))?),
        ["record"] if given.text(0) == Some("stop") => Call::RecordStop,
        ["record"] => Call::Record(given.text(0).map(PathBuf::from)),
        ["write"] => {
            let range = given.text(1).and_then(read_range);
            Call::Write { path: path(0), range, expr: expr(given, 2, known)? }
        }
        ["export", "perfetto"] => Call::ExportPerfetto(path(0)),
        ["filter"] => Call::Filter(filter(given, known)?),
        ["filter", "save"] => Call::FilterSave(text(0)),
        ["find"] => Call::Find(find(given, known)?),
        ["goto"] => Call::Goto(read_where(&text(0)).map_err(|(message, _)| CommandError::new(0, message))?),
        ["mark"] => Call::Mark { name: some(0), note: some(1) },
        ["dict", "save"] => Call::DictSave(path(0)),
        ["dict", "load"] => Call::DictLoad(path(0)),
        ["dict", "clear"] => Call::DictClear,
        ["name"] => {
            let key = read_key(&text(1)).ok_or_else(|| CommandError::new(0, "KEY is missing"))?;
            Call::Name { space: text(0), key, name: text(2) }
        }
        ["plugin", "list"] => Call::PluginList,
        ["plugin", "load"] => Call::PluginLoad(path(0)),
        ["plugin", "reload"] => Call::PluginReload(some(0)),
        ["plugin", "enable"] => Call::PluginEnable(text(0)),
        ["plugin", "disable"] => Call::PluginDisable(text(0)),
        ["stats"] => Call::Stats,
        ["help"] => Call::Help(some(0)),
        ["q"] => Call::Quit,
        ["wq"] => Call::WriteQuit(path(0)),
        other => return Err(CommandError::new(0, format!("{} does nothing yet", other.join(" ")))),
    })
}

fn pairs(words: &[Word]) -> Vec<(String, String)> {
    let pair = |word: &Word| word.text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    words.iter().filter_map(pair).collect()
}

fn settings(words: &[Word]) -> Vec<(String, Option<String>)> {
    if let [name, value] = words
        && !name.text.contains('=')
    {
        return vec![(name.text.clone(), Some(value.text.clone()))];
    }
    let one = |word: &Word| match word.text.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (word.text.clone(), None),
    };
    words.iter().map(one).collect()
}

fn expr(given: &Given, at: usize, known: &dyn Known) -> Result<Option<Expr>, CommandError> {
    let word = given.args.get(at).and_then(|words| words.first());
    word.map(|word| parse(&word.text, &known.vocabulary()).map_err(|e| inside(word, e))).transpose()
}

fn filter(given: &Given, known: &dyn Known) -> Result<Filter, CommandError> {
    Ok(match given.text(0) {
        None => Filter::Clear,
        Some("-") => Filter::Previous,
        Some(text) => match text.strip_prefix('@') {
            Some(name) => Filter::Saved(name.to_owned()),
            None => expr(given, 0, known)?.map_or(Filter::Clear, Filter::Expr),
        },
    })
}

fn find(given: &Given, known: &dyn Known) -> Result<Expr, CommandError> {
    let word = given.args.first().and_then(|words| words.first());
    let word = word.ok_or_else(|| CommandError::new(0, "EXPR is missing"))?;
    search(&word.text, &known.vocabulary()).map_err(|e| inside(word, e))
}

#[cfg(test)]
mod tests {
    use spytui_engine::query::Vocabulary;

    use super::super::command::COMMANDS;
    use super::super::names::{Choice, Names, Unknown};
    use super::super::parse::parse;
    use super::super::place::{RowRange, Where};
    use super::*;

    /// A program that knows a few words.
    struct Few;

    impl Known for Few {
        fn names(&self, names: Names<'_>) -> Vec<Choice> {
            let words: &[&str] = match names {
                Names::Protocols => &["qs", "rkh"],
                Names::Options("qs") => &["version", "signal"],
                Names::OptionValues("qs", "signal") => &["1", "2", "4"],
                Names::Settings => &["theme", "cfg", "pool-lwm"],
                Names::SavedFilters => &["noise"],
                Names::Marks => &["start"],
                Names::Spaces => &["obj", "sig"],
                _ => &[],
            };
            words.iter().map(|word| Choice::new(*word, "")).collect()
        }

        fn vocabulary(&self) -> Vocabulary {
            Vocabulary::with_fields(["free"])
        }

        fn alias(&self, name: &str) -> Option<String> {
            (name == "quiet").then(|| "filter -kind:Tick".to_owned())
        }
    }

    fn call(line: &str) -> Call {
        parse(line, &Few).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn lines_become_calls() {
        let expr = |text| spytui_engine::query::parse(text, &Few.vocabulary()).unwrap();
        assert_eq!(call("p auto"), Call::Proto { name: "auto".into(), options: vec![] });
        let options = vec![("version".into(), "7.3".into()), ("signal".into(), "2".into())];
        assert_eq!(call("proto qs version=7.3 signal=2"), Call::Proto { name: "qs".into(), options });
        assert_eq!(call("set"), Call::Set(vec![]));
        assert_eq!(call("set theme"), Call::Set(vec![("theme".into(), None)]));
        assert_eq!(call("set theme light"), Call::Set(vec![("theme".into(), Some("light".into()))]));
        let both = vec![("cfg".into(), Some("a.cfg".into())), ("pool-lwm".into(), Some("1".into()))];
        assert_eq!(call("set cfg=a.cfg pool-lwm=1"), Call::Set(both));
        assert_eq!(call("baud 115200"), Call::Baud(Some(115_200)));
        assert_eq!(call("r"), Call::Record(None));
        assert_eq!(call("rec stop"), Call::RecordStop);
        assert_eq!(call("g #714"), Call::Goto(Where::Row(714)));
        assert_eq!(call("go 'start"), Call::Goto(Where::Mark("start".into())));
        assert_eq!(call("f free<2"), Call::Filter(Filter::Expr(expr("free<2"))));
        assert_eq!(call("f"), Call::Filter(Filter::Clear));
        assert_eq!(call("f -"), Call::Filter(Filter::Previous));
        assert_eq!(call("f @noise"), Call::Filter(Filter::Saved("noise".into())));
        assert_eq!(call("filter save mine"), Call::FilterSave("mine".into()));
        assert_eq!(call("filter sav mine"), Call::Filter(Filter::Expr(expr("sav mine"))));
        assert_eq!(call("quiet"), Call::Filter(Filter::Expr(expr("-kind:Tick"))));
        assert_eq!(
            call("mark a the note  here"),
            Call::Mark { name: Some("a".into()), note: Some("the note  here".into()) }
        );
        assert_eq!(
            call("name obj 0x4110E0 the pump"),
            Call::Name { space: "obj".into(), key: 0x4110e0, name: "the pump".into() }
        );
        assert_eq!(call("dict l \"a b.dic\""), Call::DictLoad("a b.dic".into()));
        assert_eq!(call("plug list"), Call::PluginList);
        assert_eq!(call(" q "), Call::Quit);
        assert_eq!(call("quit"), Call::Quit);
        assert_eq!(call("wq run.bin"), Call::WriteQuit("run.bin".into()));
        assert_eq!(call("h x"), Call::Help(Some("x".into())));
    }

    #[test]
    fn write_takes_a_range_an_expression_or_both() {
        let range = Some(RowRange::Between(Some(Where::Row(1)), None));
        let write = |range, expr| Call::Write { path: "o.txt".into(), range, expr };
        let tran = spytui_engine::query::parse("kind:Tran x", &Vocabulary::open()).ok();
        assert_eq!(call("w o.txt"), write(None, None));
        assert_eq!(call("w o.txt #1.."), write(range.clone(), None));
        assert_eq!(call("w o.txt kind:Tran x"), write(None, tran.clone()));
        assert_eq!(call("w o.txt #1.. kind:Tran x"), write(range, tran));
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
            ("p qs signal=3", 12, "unknown value \"3\""),
            ("p qs signal", 5, "signal needs a value: signal=VALUE"),
            ("set them dark", 4, "unknown setting \"them\"; did you mean \"theme\"?"),
            ("baud 0", 5, "not a baud rate: 0; use 115200 or auto"),
            ("goto 'strat", 6, "unknown mark \"strat\"; did you mean \"start\"?"),
            ("f @nois", 3, "unknown filter \"nois\"; did you mean \"noise\"?"),
            (
                "f kind:Tran fre<2",
                12,
                "nothing here is called fre; as plain text write \"fre<2\"; did you mean \"free\"?",
            ),
            ("dict", 4, "dict needs one of: save load clear"),
            ("dict sav", 8, "PATH is missing: dict save PATH"),
            ("dict lod x", 5, "unknown form \"dict lod\"; use one of: save load clear; did you mean \"load\"?"),
            ("stats now", 6, "too many arguments: stats"),
            ("w \"o", 2, "the closing quote is missing"),
            ("name obj x y", 9, "not a key: x; use 8 or 0x4110E0"),
            ("help fitler", 5, "no help for \"fitler\"; did you mean \"filter\"?"),
        ] {
            let error = parse(line, &Few).expect_err(line);
            assert_eq!((error.column, error.to_string().as_str()), (column, message), "{line}");
        }
    }

    #[test]
    fn every_command_of_the_table_is_built() {
        for command in COMMANDS {
            let sample = |name: &str| match name {
                "N|auto" => "auto",
                "WHERE" => "first",
                "KEY" => "1",
                "WORD" => "help",
                _ => "x",
            };
            let args: Vec<&str> =
                command.args.iter().filter(|a| !a.name.contains('=')).map(|a| sample(a.name)).collect();
            let line = format!("{} {}", command.name(), args.join(" "));
            let outcome = parse(&line, &Unknown);
            assert!(outcome.is_ok(), "{line}: {outcome:?}");
        }
    }

    #[test]
    fn unknown_programs_refuse_nothing_for_its_name() {
        assert!(parse("proto anything a=b", &Unknown).is_ok());
        assert!(parse("set anything x", &Unknown).is_ok());
    }
}
