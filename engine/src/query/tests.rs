//! Property tests of the language.

use spytui_plugin_api::Severity;

use proptest::prelude::*;

use super::*;

/// A row for tests, with all properties given.
#[derive(Default)]
struct Row {
    names: Vec<(Name, &'static str, Option<u64>)>,
    numbers: Vec<(Name, i128, Option<i128>)>,
    fields: Vec<(&'static str, &'static str, Option<f64>)>,
    severity: Severity,
    text: &'static str,
}

impl QuerySubject for Row {
    fn names(&self, name: Name, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        let own = self.names.iter().filter(|(n, ..)| *n == name);
        own.map(|(_, text, key)| key.map_or(Fact::text(text), |key| Fact::key(text, key))).any(test)
    }

    fn number(&self, name: Name) -> Fact<'_> {
        if name == Name::Sev {
            return Fact::key("", self.severity.0.into());
        }
        let own = self.numbers.iter().find(|(n, ..)| *n == name);
        own.map(|(_, n, ns)| Fact { num: Some(Num::Int(*n)), ns: *ns, ..Fact::default() }).unwrap_or_default()
    }

    fn field(&self, field: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        let own = self.fields.iter().filter(|(name, ..)| *name == field);
        own.map(|(_, text, num)| Fact { text, num: num.map(Num::Float), ns: None, unix: None }).any(test)
    }

    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool {
        test(self.text)
    }
}

fn post() -> Row {
    Row {
        names: vec![
            (Name::Kind, "Post", Some(14)),
            (Name::Kind, "QS_QF_ACTIVE_POST", Some(14)),
            (Name::Group, "AO", None),
            (Name::Obj, "AO(l_motor)", Some(0x4112C0)),
            (Name::Obj, "motor", Some(0x4112C0)),
            (Name::Obj, "AO(l_door)", Some(0x411180)),
            (Name::From, "AO(l_door)", Some(0x411180)),
            (Name::To, "AO(l_motor)", Some(0x4112C0)),
            (Name::Sig, "SPIN_REQ_SIG", Some(8)),
            (Name::Task, "Tmr Svc", None),
        ],
        numbers: vec![
            (Name::N, 714, None),
            (Name::Core, 1, None),
            (Name::Time, 328_991_427, Some(328_991_427_000)),
            (Name::Dt, 3, Some(3_000)),
            (Name::Pos, 0x42ae, None),
        ],
        fields: vec![
            ("free", "6", Some(6.0)),
            ("min", "2", Some(2.0)),
            ("name", "l_door", None),
            ("info->pid", "4099", Some(4099.0)),
            ("new(sec)", "7", Some(7.0)),
            ("time left", "9", Some(9.0)),
            ("text", "of the field", None),
        ],
        severity: Severity::ERROR,
        text: "Post motor SPIN_REQ_SIG ← door  free 6 min 2",
    }
}

fn says(text: &str) -> bool {
    let expr = parse(text, &Vocabulary::open()).unwrap_or_else(|e| panic!("{text}: {e}"));
    expr.matches(&post())
}

#[test]
fn each_name_is_found_by_its_spellings() {
    for spelling in Name::spellings() {
        let name = Name::named(spelling).unwrap();
        assert_eq!(Name::named(name.word()), Some(name), "{spelling}");
    }
}

#[test]
fn what_passes() {
    for yes in [
        "",
        "kind:Tran,Post to:motor,AO(l_motor) -sig:TEMP*",
        "(kind:Tran or obj:AO(l_motor))",
        "not kind:Tran and free>5",
        "kind:14 n:700..720 n:..714 n:#714",
        "dt>2us core:1 cpu=1 time>=328.991s",
        "dt:3 dt=3t dt:1..1ms",
        "free<7 or kind:QUE_FULL",
        "sev>=warn sev:error sev!=fatal",
        "sig:8 sig:spin* sig!=TEMP_SIG sig~^SPIN.*SIG$",
        "task:\"Tmr Svc\" task:tmr*",
        "obj:0x4112C0 obj:l_door,motor pos:@0x42ae",
        "/req.*door/ \"← door\" motor",
        "-missing=5 -field.missing:x",
        "field.free:6 free=6 free!=7 name:l_* min:2..",
        "text:\"free 6\" text:post",
        "--motor",
        "kind:post,tran",
        "kind:POST obj:ao(L_MOTOR) from:AO(L_D*) sig:Spin_Req_Sig group:ao",
        "obj:\"motor\" kind:\"Post\" kind!=\"POST\"",
        "\"info->pid\":4099 field.\"new(sec)\">6 -\"time left\"<9 \"time left\":9",
        "\"text\":\"of the field\" field.text:of* -text:\"of the field\" -\"kind\":Post",
    ] {
        assert!(says(yes), "{yes}");
    }
}

#[test]
fn what_does_not_pass() {
    for no in [
        "kind:Tran",
        "kind:\"POST\"",
        "obj:\"Motor\" or obj:\"mot*\" or task:\"tmr svc\"",
        "-kind:Post",
        "missing!=5",
        "missing=5",
        "state:Door_open",
        "state!=Door_open",
        "host>1ms",
        "epoch:1",
        "mark:*",
        "dt>3us",
        "from:AO(l_motor)",
        "sev<error",
        "text=post",
        "Motor",
        "free:7..9",
        "kind:Post -(sig:8 or kind:Tran)",
    ] {
        assert!(!says(no), "{no}");
    }
}

#[test]
fn mistakes_say_where_and_what() {
    let known = Vocabulary::with_fields(["free", "min"]);
    for (text, column, message) in [
        ("kind:Tran fre<2", 10, "unknown field \"fre\"; as plain text write \"fre<2\"; nearest: free"),
        ("m:x", 0, "unknown field \"m\"; as plain text write \"m:x\""),
        ("(a or b", 0, "the closing ) is missing"),
        ("a b)", 3, "this ) closes nothing; a name with parentheses that do not match needs quotes"),
        ("kind:", 5, "a value is missing after kind:"),
        ("kind:a,,b", 7, "a value is missing after kind:"),
        ("free < 2", 5, "< needs a name before it and a value after it, without blanks"),
        ("or a", 0, "a test is missing before or"),
        ("a or", 4, "a test is missing at the end"),
        ("a and", 5, "a test is missing at the end"),
        ("- a", 1, "- needs a test right after it"),
        ("sev:eror", 4, "unknown severity \"eror\"; nearest: error"),
        ("sev:notice", 4, "unknown severity \"notice\"; rows have debug, info, warning, error or fatal"),
        ("time>0.05", 5, "0.05 has no unit, and ticks are whole: write 0.05s, or ms us ns"),
        ("dt:1..2.5t", 3, "2.5t: ticks are whole numbers"),
        ("n:x", 2, "n needs a number, not x"),
        ("n>1ms", 2, "n is not a time"),
        ("host>5", 5, "host needs a unit: ns us ms s"),
        ("free>much", 5, "> needs a number, not much"),
        ("group>3", 0, "group is text, it has no order"),
        ("n~3", 0, "n is a number, ~ is for text"),
        ("a \"b", 2, "the closing quote is missing"),
        ("\"a\"b", 3, "a blank is missing here"),
        ("/a", 0, "the closing / is missing; text that starts with / needs quotes"),
        ("text~(", 5, "bad pattern: unclosed group"),
        ("n>1..2", 2, "> takes one number, no range"),
        ("time>2026-03-11..2026-03-12", 5, "> takes one number, no range"),
        ("time:09:14", 5, "09:14 has no day: write it as 2026-03-11T09:14"),
        ("time:2026-03-11T09:15..09:14", 5, "2026-03-11T09:15 to 09:14 is empty: the end is before the start"),
        ("dt:2s..1500ms", 3, "2s to 1500ms is empty: the end is before the start"),
        ("host:2026-03-11", 5, "host needs a number, not 2026-03-11"),
    ] {
        let error = parse(text, &known).expect_err(text);
        assert_eq!((error.column, error.to_string().as_str()), (column, message), "{text}");
    }
    let undated = Vocabulary { rate: TickRate::Undated, ..Vocabulary::open() };
    let error = parse("kind:a time:2026-03-11T09:14..09:15", &undated).expect_err("a date");
    let message = "2026-03-11T09:14: times have no date here, they count from the start of the target or trace";
    assert_eq!((error.column, error.message.as_str()), (12, message));
    assert!(parse("time:1s..2s dt>3ms", &undated).is_ok());
    let ticks = Vocabulary { rate: TickRate::Unknown("look at the clock".to_owned()), ..Vocabulary::open() };
    for text in ["dt>10ms", "time:1s..2s", "kind:Tran -dt<1us"] {
        let error = parse(text, &ticks).expect_err(text).to_string();
        let name = if text.starts_with("time") { "time" } else { "dt" };
        assert_eq!(error, format!("{name} has no units here, the rate of the ticks is unknown: look at the clock"));
    }
    assert_eq!(parse("time>0.05", &ticks).expect_err("a fraction").message, "0.05: ticks are whole numbers");
    assert!(parse("dt>10 time:5t host>5ms", &ticks).is_ok());
    let deep = "(".repeat(10_000);
    assert_eq!(parse(&deep, &known).unwrap_err().message, "too many groups inside each other");
    assert!(parse(&"-".repeat(10_000), &known).is_err());
}

#[test]
fn a_plain_search_is_plain_text() {
    let known = Vocabulary::with_fields(["free"]);
    for text in ["foo:bar", "-> door", "in Door_open", "a or b", "AO(l_x", "50%", "\"half", "/dev", "St-*"] {
        let Expr::Test(Test::Word(pattern)) = search(text, &known).unwrap() else { panic!("{text}") };
        assert_eq!(pattern.source(), text);
        assert!(pattern.matches(text) && !pattern.matches("Q"), "{text}");
    }
    for text in ["kind:Tran", "-kind:Tick", "free<2 x", "/a b/", "\"a\" b", "(sig:8 or sig:9)"] {
        assert_eq!(search(text, &known).unwrap(), parse(text, &known).unwrap(), "{text}");
    }
    assert!(search("  ", &known).is_err());
}

#[test]
fn names_of_fields_need_no_quotes_where_they_are_known() {
    let known = Vocabulary::with_fields(["info->pid", "info->pid2", "new(sec)", "time left", "free"]);
    for (text, printed) in [
        ("info->pid:4099", "\"info->pid\":4099"),
        ("-info->pid>5", "-\"info->pid\">5"),
        ("(info->pid2=5 x)", "\"info->pid2\"=5 x"),
        ("new(sec)<=8 free:6", "\"new(sec)\"<=8 free:6"),
        ("field.free:6", "free:6"),
    ] {
        let expr = parse(text, &known).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(expr.to_string(), printed, "{text}");
        assert_eq!(search(text, &known), Ok(expr), "{text}");
    }
    // Anything else remains a word.
    for text in ["info->pid", "info->tid:5", "new(sec):5x\"", "a->b:5"] {
        assert!(parse(text, &Vocabulary::open()).unwrap().needs() == Needs::TEXT | Needs::KIND, "{text}");
    }
    let error = parse("\"info->tid\":5", &known).unwrap_err();
    assert_eq!(error.message, "unknown field \"info->tid\"; as plain text write \"info->tid:5\"");
}

#[test]
fn columns_decide_before_rendering() {
    let expr = |text| parse(text, &Vocabulary::open()).unwrap();
    assert!(Needs::COLUMNS.contains(expr("kind:Tran n>5 sev:error core:1 time>3").needs()));
    assert!(!Needs::COLUMNS.contains(expr("kind:Tran or free<2").needs()));
    let rendering = Needs::ROLES | Needs::FIELDS | Needs::TEXT;
    assert!(expr("sig:8").needs().intersects(rendering) && !expr("dt>3 mark:x").needs().intersects(rendering));
    let shape = |text| expr(text).decide(&post(), Needs::SHAPE);
    assert_eq!(shape("kind:Tran free<2"), Some(false));
    assert_eq!(shape("kind:Post or free<2"), Some(true));
    assert_eq!(shape("kind:Post free<2"), None);
    assert_eq!(shape("-(kind:Post or free<2)"), Some(false));
}

#[test]
fn a_name_of_the_kind_decides_a_word_before_rendering() {
    let decide = |text: &str, known| parse(text, &Vocabulary::open()).unwrap().decide(&post(), known);
    assert_eq!(decide("qs_qf_active_post", Needs::SHAPE), Some(true));
    assert_eq!(decide("-qs_qf_active_post", Needs::SHAPE), Some(false));
    assert_eq!(decide("qs_qf_active_post", Needs::GROUP | Needs::TEXT), None);
    for word in ["active", "motor", "nobody"] {
        assert_eq!(decide(word, Needs::SHAPE), None, "{word}");
    }
    // The kind is not tested twice.
    let rest = Needs::ALL | Needs::KIND_IS_NO_WORD;
    assert_eq!(decide("qs_qf_active_post", rest), Some(false));
    assert_eq!(decide("motor", rest), Some(true));
}

#[test]
fn a_name_of_the_kind_is_found_where_it_does_not_decide() {
    let expr = |text| parse(text, &Vocabulary::open()).unwrap();
    for text in ["qs_qf_active_post free<9", "(qs_qf_active_post or nobody) free<9", "-(-qs_qf_active_post or free>=9)"]
    {
        assert!(expr(text).matches(&post()) && !expr(text).is_decided_by_words(), "{text}");
    }
    for text in ["motor", "-motor", "motor or (nobody or free<9)", "-motor free<9", "free<9", "-(motor or pump) free<9"]
    {
        assert!(expr(text).is_decided_by_words(), "{text}");
    }
}

#[test]
fn what_is_false_leaves_the_rest() {
    let expr = |text| parse(text, &Vocabulary::open()).unwrap();
    let without_obj = |text| expr(text).without(&|test| test.name_patterns().is_some());
    assert_eq!(without_obj("obj:nobody"), Expr::nothing());
    assert_eq!(without_obj("kind:Tran obj:nobody"), Expr::nothing());
    assert!(without_obj("-obj:nobody").is_everything());
    assert!(without_obj("kind:Tran or -obj~nobody").is_everything());
    assert!(Needs::COLUMNS.contains(without_obj("kind:Tran or obj:nobody").needs()));
    for text in ["obj!=nobody", "obj:5", "obj:5..7", "obj:a,5", "kind:nobody", "text:nobody"] {
        assert_eq!(without_obj(text), expr(text), "{text}");
    }
}

#[test]
fn what_nothing_here_is_called_is_reported() {
    let known = |name: Name| match name {
        Name::Obj | Name::To => vec![("AO(l_motor)".to_owned(), "motor".to_owned()), ("motor".into(), "motor".into())],
        Name::Sig => vec![("TEMP_SIG".to_owned(), "TEMP_SIG".to_owned())],
        _ => Vec::new(),
    };
    let said = |text: &str| {
        let expr = parse(text, &Vocabulary::open()).unwrap();
        absent(&expr, &known).map(|absent| absent.to_string()).unwrap_or_default()
    };
    assert_eq!(said("obj:AO(x)"), "no object \"AO(x)\" here; there are motor");
    assert_eq!(said("obj:motor sig:TMEP_SIG"), "no signal \"TMEP_SIG\" here, nearest: TEMP_SIG");
    assert_eq!(said("kind:Tran (to:door or n>5)"), "no object \"door\" here; there are motor");
    for text in ["obj:Motor", "sig:temp*", "-obj:door", "obj!=door", "obj~door", "sig:18", "obj:0x4*", "task:x", "x"] {
        assert_eq!(said(text), "", "{text}");
    }
}

#[test]
fn doubtful_kinds_are_reported() {
    let vocabulary = Vocabulary { kinds: vec!["Tran".into(), "Post".into()], ..Vocabulary::open() };
    let expr = parse("kind:Trann,Po* -kind:Post,14", &vocabulary).unwrap();
    assert_eq!(doubt(&expr, &vocabulary).as_deref(), Some("unknown kind \"Trann\"; nearest: Tran"));
}

/// Tokens that make most random strings almost valid.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "kind:Tran",
        "sig:8..12",
        "obj:AO(l_motor)",
        "free<2",
        "field.kind!=3",
        "dt>10ms",
        "n:#5,7..",
        "\"a b\"",
        "/x\\/y/",
        "text~\"a b(\"",
        "sev>=warn",
        "m->x",
        "a::b",
        "x(",
        "y)",
        "or",
        "and",
        "not",
        "-",
        "(",
        ")",
        " ",
        " ",
        ",",
        "\"",
        "/",
        ":",
        "=",
        "..",
        "*",
        "\\",
        "é",
        "task:\"Tmr Svc\",IDLE",
        "field.0=5",
        "time:2026-03-11T09:14..09:15",
        "time>=2026-03-11",
        "field.field.x=1",
        "a~b{1,2}",
        "mark:",
        "0x",
        "\"info->pid\":5",
        "field.\"a \\\"b\">5",
    ];
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

proptest! {
    #[test]
    fn printing_and_parsing_agree(pieces in prop::collection::vec(piece(), 0..12), glue in prop::bool::ANY) {
        let text = pieces.join(if glue { " " } else { "" });
        let open = Vocabulary::open();
        if let Ok(expr) = parse(&text, &open) {
            let printed = expr.to_string();
            let again = parse(&printed, &open);
            prop_assert_eq!(again.as_ref(), Ok(&expr), "{}", printed);
            let is_false = |test: &Test| !Expr::Test(test.clone()).matches(&post());
            prop_assert_eq!(expr.without(&is_false).matches(&post()), expr.matches(&post()), "{}", printed);
            let _ = expr.matches(&post());
            prop_assert_eq!(expr.decide(&post(), Needs::ALL), Some(expr.matches(&post())));
        }
        let _ = search(&text, &open);
    }
}
