//! The rows admitted by a filter are those that its expression matches when every row is rendered: random expressions
//! over captures of all protocols, damaged and repeated, in streams and in growing lists.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    io::format_files::{FormatFiles, FormatPaths},
    io::log::{LogEvent, LogOptions, RawLog, kind},
    open::{Decoder, Options, Origin, Registry, load::load},
    present::RowRole,
    query::{Expr, Name, Needs, Num, QuerySubject, Vocabulary, parse},
    row::{RowFilter, RowView, subject::passes},
    store::View,
    trace::list::{Bookmark, Filter, ListGrowth, RenderRequest, RowList, RowRenderer},
    trace::session::{Decoding, thread::DecodeLoop},
    trace::stream::{Pipeline, Sink},
};
use spytui_plugin_api::{LibraryRef, Source, Want};
use spytui_plugin_host::kit::Random;

/// A protocol with its captures.
struct Protocol {
    plugin: fn() -> LibraryRef,
    captures: &'static [&'static [u8]],
}

macro_rules! captures {
    ($folder:literal: $($name:literal),*) => {
        &[$(include_bytes!(concat!("../../../decoders/", $folder, "/tests/captures/", $name))),*]
    };
}

const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        plugin: spytui_decoder_qs::plugin,
        captures: captures!("qs": "oven-734-flips.bin", "formats-734.bin", "every-record-812.bin",
            "oven-734-small-assert.bin", "oven-734-drops.bin", "oven-734-nodict.bin"),
    },
    Protocol {
        plugin: spytui_decoder_rkh::plugin,
        captures: captures!("rkh-trazer": "el340-filtered-mix.bin", "gh340-default-flip.bin", "el323-sig2-drop.bin"),
    },
    Protocol {
        plugin: spytui_decoder_tband::plugin,
        captures: captures!("tband": "boiler_drops.bin", "damaged_brew_gaps.bin", "brew_late.bin",
            "edge_frames_freertos.bin", "boiler_two_core.c1.bin"),
    },
    Protocol {
        plugin: spytui_decoder_qnx::plugin,
        captures: captures!("qnx": "gaps-damaged.kev", "fast-2cpu.kev", "ring-4cpu.kev", "smp-8.0.kev"),
    },
];

/// Lines for application records of all protocols.
const FORMATS: &str = "\
record qs USER+2 \"wide %hhd{sign} of {2}\"
record qs HEXES \"hexes %hhu %hx %lx %llx\"
record qs USER+1 \"nums {0} and {1}\"
record rkh 1 \"text %s|%hhd\"
record rkh USR+0 \"nums {0} and {1}\"
record tband marker:1 \"flame: {msg}, %.5s\"
record tband drum_temp \"%lld °C\"
record qnx 22 \"seen %x, %hx %hx\"
record qnx 7 \"little %x %hx %hx\"
";

impl Protocol {
    /// The protocol's decoder, with formatters if they are needed now or later.
    fn decoder(&self, formatted: bool) -> (Registry, Arc<Decoder>) {
        let mut registry = Registry::new();
        if formatted {
            // One of its formatters panics.
            registry.add(load(&formatter()).unwrap().library, &Origin::BuiltIn).unwrap();
        }
        registry.add((self.plugin)(), &Origin::BuiltIn).unwrap();
        let decoder = registry.decoders[0].clone();
        (registry, decoder)
    }

    /// One or more concatenated captures, most of them damaged; some begin in the middle, with names later.
    fn bytes(&self, random: &mut Random) -> Vec<u8> {
        let whole = self.captures[random.below(self.captures.len())];
        let other = self.captures[random.below(self.captures.len())];
        let first = random.below(3) / 2 * random.below(whole.len() / 2);
        let capture = &whole[first..whole.len().min(first + 16_000)];
        let edits = random.below(3) * random.below(12);
        let mut bytes = random.damage(capture, edits);
        for _ in 0..random.below(3) {
            let again = if random.below(3) == 0 { other } else { whole };
            let len = random.below(again.len().min(12_000));
            bytes.extend_from_slice(&again[..len]);
        }
        bytes
    }
}

fn formatter() -> std::path::PathBuf {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    deps.join(format!("{DLL_PREFIX}spytui_testing_formatter{DLL_SUFFIX}"))
}

/// Applies the lines of the format file.
fn format(registry: &mut Registry) {
    let built_in = vec![("own.fmt".to_owned(), FORMATS.to_owned())];
    registry.set_formats(Arc::new(FormatFiles::new(FormatPaths { built_in, ..FormatPaths::default() }).read()));
}

/// Texts and numbers in rows of a capture, by property or field.
#[derive(Default)]
struct Words {
    known: BTreeMap<String, (BTreeSet<String>, BTreeSet<i128>)>,
    text: BTreeSet<String>,
}

const NAMES: [(&str, Name); 9] = [
    ("kind", Name::Kind),
    ("group", Name::Group),
    ("obj", Name::Obj),
    ("from", Name::From),
    ("to", Name::To),
    ("sig", Name::Sig),
    ("state", Name::State),
    ("task", Name::Task),
    ("mark", Name::Mark),
];
const NUMBERS: [(&str, Name); 7] = [
    ("core", Name::Core),
    ("epoch", Name::Epoch),
    ("n", Name::N),
    ("pos", Name::Pos),
    ("time", Name::Time),
    ("dt", Name::Dt),
    ("host", Name::Host),
];
/// Properties that are compared with times.
const TIMES: [&str; 3] = ["time", "dt", "host"];

impl Words {
    fn add(&mut self, head: &str, text: &str, num: Option<Num>) {
        let (texts, nums) = self.known.entry(head.to_owned()).or_default();
        if !text.is_empty() {
            texts.insert(text.to_owned());
        }
        if let Some(Num::Int(num)) = num {
            nums.insert(num);
        }
    }

    /// Adds the texts and numbers of a rendered row.
    fn learn(&mut self, item: &RowView<'_>) {
        for (head, name) in NAMES {
            item.names(name, &mut |fact| {
                self.add(head, fact.text, fact.num);
                false
            });
        }
        for (head, name) in NUMBERS {
            let fact = item.number(name);
            for number in [fact.num, fact.ns.map(Num::Int)].into_iter().flatten() {
                self.add(head, "", Some(number));
            }
        }
        let own = item.rendered.fields.iter().map(|field| String::from_utf8_lossy(field.name.of(item.rendered.blob)));
        let measured = item.info.attachments.iter().filter(|spec| spec.id.is_own()).map(|spec| (&*spec.name).into());
        for name in own.chain(measured) {
            let head = spytui_engine::query::field_name(&name).into_owned();
            item.field(&name, &mut |fact| {
                self.add(&head, fact.text, fact.num);
                false
            });
        }
        item.text(&mut |text| {
            self.text.extend(text.split_whitespace().map(str::to_owned));
            false
        });
    }

    fn of(list: &RowList, rows: &[u64]) -> Words {
        let mut words = Words::default();
        RowRenderer::default().views(list, rows.iter().copied(), ALL, |_, item| {
            words.learn(item);
            true
        });
        words
    }

    /// A random expression.
    fn expr(&self, random: &mut Random) -> Expr {
        loop {
            let text = self.any(random, 3);
            // Not every operator fits every property.
            if let Ok(expr) = parse(&text, &Vocabulary::open()) {
                return expr;
            }
        }
    }

    fn any(&self, random: &mut Random, depth: usize) -> String {
        match random.below(if depth == 0 { 4 } else { 9 }) {
            0..4 => self.atom(random),
            4 | 5 => format!("({} {})", self.any(random, depth - 1), self.any(random, depth - 1)),
            6 | 7 => format!("({} or {})", self.any(random, depth - 1), self.any(random, depth - 1)),
            _ => format!("-({})", self.any(random, depth - 1)),
        }
    }

    fn atom(&self, random: &mut Random) -> String {
        match random.below(12) {
            0 | 1 => {
                // Names of kinds are words, too.
                let kinds = self.known.get("kind").map_or(&self.text, |(names, _)| names);
                let of = if random.below(3) == 0 { kinds } else { &self.text };
                let word = pick(random, of);
                let word = if random.below(2) == 0 { word.to_owned() } else { shortened(random, word) };
                match random.below(6) {
                    0 => quoted(&word),
                    1 => format!("text~{}", quoted(&escaped(&word))),
                    2 => format!("text:{}", quoted(&format!("*{word}*"))),
                    _ => word,
                }
            }
            2 => {
                let op = pick_one(random, &[":", "=", "!=", "<", "<=", ">", ">="]);
                format!("sev{op}{}", pick_one(random, &["trace", "debug", "info", "warn", "error"]))
            }
            3 => format!("{}:nobody", pick_one(random, &["obj", "sig", "state", "task", "from", "to"])),
            4..8 => {
                let head = pick_one(random, &["obj", "from", "to", "sig", "state", "task", "kind", "group", "mark"]);
                match self.known.contains_key(head) {
                    true => self.test(random, head),
                    false => format!("{head}!=nobody"),
                }
            }
            _ => {
                let head = self.known.keys().nth(random.below(self.known.len())).unwrap();
                self.test(random, head)
            }
        }
    }

    /// A test of a property or field that rows have.
    fn test(&self, random: &mut Random, head: &str) -> String {
        let (texts, nums) = &self.known[head];
        let text = |random: &mut Random| {
            let word = pick(random, texts);
            value(random, word)
        };
        let num = |random: &mut Random| number(random, head, nums);
        if nums.is_empty() || !texts.is_empty() && random.below(3) > 0 {
            return match random.below(6) {
                0 => format!("{head}!={}", text(random)),
                1 => format!("{head}={}", text(random)),
                2 => {
                    let word = pick(random, texts);
                    format!("{head}~{}", quoted(&escaped(&shortened(random, word))))
                }
                3 => format!("{head}:{},{}", text(random), text(random)),
                _ => format!("{head}:{}", text(random)),
            };
        }
        match random.below(10) {
            0 => format!("{head}:{}..{}", num(random), num(random)),
            1 => format!("{head}:{}..", num(random)),
            2 => format!("{head}:..{}", num(random)),
            3 => format!("{head}:{},{}", num(random), num(random)),
            _ => {
                let op = pick_one(random, &[":", "=", "!=", "<", "<=", ">", ">="]);
                format!("{head}{op}{}", num(random))
            }
        }
    }
}

fn pick<'a>(random: &mut Random, of: &'a BTreeSet<String>) -> &'a str {
    of.iter().nth(random.below(of.len())).map_or("nothing", String::as_str)
}

fn pick_one<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    of[random.below(of.len())]
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn escaped(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() { c } else { '.' }).collect()
}

fn shortened(random: &mut Random, text: &str) -> String {
    let len = text.chars().count();
    let (skip, take) = if random.below(2) == 0 { (0, len) } else { (random.below(len), 1 + random.below(len)) };
    text.chars().skip(skip).take(take).collect()
}

/// A name as an operand: quoted, plain, a glob, or in capitals.
fn value(random: &mut Random, text: &str) -> String {
    match random.below(6) {
        0 | 1 => quoted(text),
        2 => shortened(random, text) + "*",
        3 => format!("*{}*", shortened(random, text)),
        4 => text.to_uppercase(),
        _ => text.to_owned(),
    }
}

/// A number near existing ones, for times sometimes with a unit.
fn number(random: &mut Random, head: &str, nums: &BTreeSet<i128>) -> String {
    let num = nums.iter().nth(random.below(nums.len())).copied().unwrap_or(7);
    let num = if random.below(4) == 0 { num + 1 } else { num };
    match random.below(6) {
        0..3 if TIMES.contains(&head) => format!("{num}ns"),
        3 if TIMES.contains(&head) => format!("{}us", num % 100_000),
        4 if num >= 0 => format!("{num:#x}"),
        _ => num.to_string(),
    }
}

const ALL: RenderRequest =
    RenderRequest { want: Want::TEXT.union(Want::FIELDS), view: View::Effective, short: true, before: None };

/// Results of an expression.
#[derive(Default)]
struct Tally {
    cases: usize,
    reporting: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn count(&mut self, passed: usize, of: usize) {
        self.cases += 1;
        self.reporting += usize::from(passed > 0 && passed < of);
    }

    fn check(&self) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        assert!(self.reporting * 3 > self.cases, "{} of {} expressions distinguish rows", self.reporting, self.cases);
    }
}

/// Whether a rendered row matches, evaluated with everything known.
fn matches(expr: &Expr, item: &RowView<'_>) -> bool {
    let is_match = expr.decide(item, Needs::ALL) == Some(true);
    assert!(expr.matches(item) == is_match, "{expr}: {:?}", item.row);
    assert!(passes(expr, item) == (is_match || item.row.kind.is_loss()), "{expr}: {:?}", item.row);
    is_match
}

/// The rows passed to a sink, each as text.
struct Rows<'a> {
    names: (View, bool),
    filter: Option<RowFilter>,
    /// Number of unfiltered batches at the start.
    unfiltered: usize,
    batches: usize,
    lines: Vec<String>,
    /// Expressions to test on each row, and whether it passed; `true` also in unfiltered batches.
    asked: &'a [(Expr, usize)],
    passed: Vec<Vec<bool>>,
}

impl<'a> Rows<'a> {
    fn new(names: (View, bool), filter: Option<(RowFilter, usize)>, asked: &'a [(Expr, usize)]) -> Rows<'a> {
        let (filter, unfiltered) = filter.map_or((None, 0), |(filter, unfiltered)| (Some(filter), unfiltered));
        Rows { names, filter, unfiltered, batches: 0, lines: Vec::new(), asked, passed: vec![Vec::new(); asked.len()] }
    }
}

impl Sink for Rows<'_> {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS
    }

    fn names(&self) -> (View, bool) {
        self.names
    }

    fn filter(&mut self) -> Option<&mut RowFilter> {
        if self.batches <= self.unfiltered { None } else { self.filter.as_mut()?.active() }
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        for ((expr, unfiltered), passed) in self.asked.iter().zip(&mut self.passed) {
            passed.push(self.batches <= *unfiltered || item.row.kind.is_loss() || matches(expr, item));
        }
        let mut line = format!("{:?} {:?} {:?} {} ", item.n, item.row, item.before, item.epoch);
        item.text(&mut |text| {
            line.push_str(text);
            true
        });
        for (name, field) in item.fields() {
            let text = field.text.of(item.rendered.blob);
            write!(line, " {name:?} {:?} {} {} {} {text:?}", field.tag, field.num, field.space, field.scope).unwrap();
        }
        self.lines.push(line);
        Ok(())
    }
}

/// Streams the sources of a target in pieces of this size.
fn stream(decoder: &Arc<Decoder>, options: &Options, sources: &[Vec<u8>], size: usize, sink: &mut Rows<'_>) {
    let described: Vec<Source> =
        (0..sources.len()).map(|index| Source { index: index as u16, ..Source::default() }).collect();
    let mut pipeline = Pipeline::open(decoder, options, &described).unwrap();
    let mut at = vec![None; sources.len()];
    while !pipeline.is_over() {
        for (input, bytes) in sources.iter().enumerate().filter(|(input, _)| pipeline.wants(*input)).collect::<Vec<_>>()
        {
            sink.batches += 1;
            let event = |kind, pos| [LogEvent { pos, host_ns: 0, kind, arg: 0, text: Vec::new() }];
            match at[input] {
                None => {
                    pipeline.feed(input, 0, b"", &event(kind::START, 0), sink);
                    at[input] = Some(0);
                }
                Some(pos) if pos < bytes.len() => {
                    let end = (pos + size).min(bytes.len());
                    pipeline.feed(input, pos as u64, &bytes[pos..end], &[], sink);
                    at[input] = Some(end);
                }
                Some(pos) if pos == bytes.len() => {
                    pipeline.feed(input, pos as u64, b"", &event(kind::END, pos as u64), sink);
                    at[input] = Some(pos + 1);
                }
                Some(_) => pipeline.end(input),
            }
        }
        pipeline.advance(sink, |_| false).unwrap();
    }
}

/// Filters in a stream, some of which begin after some batches: with reference text, with formatters, or with neither.
fn streams_agree(protocol: &Protocol, seed: u64, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let style = random.below(4);
    let (mut registry, decoder) = protocol.decoder(style == 1);
    if style == 1 {
        format(&mut registry);
    }
    let mut options = Options::default();
    if style == 0 {
        options.set(&decoder.info, "reference", &decoder.info.option("reference").unwrap().choices[0]).unwrap();
    }
    let sources: Vec<Vec<u8>> = (0..1 + random.below(2)).map(|_| protocol.bytes(&mut random)).collect();
    let names = (if random.below(2) == 0 { View::AsOf } else { View::Effective }, random.below(2) == 0);
    let size = 500 + random.below(3_500);
    let words = {
        let list = decoded(&decoder, &sources[0]);
        let rows: Vec<u64> = (0..60).map(|_| random.number() % list.len().max(1)).collect();
        Words::of(&list, &rows)
    };
    let asked: Vec<(Expr, usize)> =
        (0..12).map(|_| (words.expr(&mut random), random.below(2) * (1 + random.below(20)))).collect();
    let mut all = Rows::new(names, None, &asked);
    stream(&decoder, &options, &sources, size, &mut all);
    for ((expr, unfiltered), passed) in asked.iter().zip(&all.passed) {
        let filter = if *unfiltered == 0 { RowFilter::new(expr.clone()) } else { RowFilter::midway(expr.clone()) };
        let mut own = Rows::new(names, Some((filter, *unfiltered)), &[]);
        stream(&decoder, &options, &sources, size, &mut own);
        let expected: Vec<&String> =
            all.lines.iter().zip(passed).filter(|(_, passed)| **passed).map(|(l, _)| l).collect();
        tally.count(expected.len(), all.lines.len());
        if let Some(at) =
            (0..expected.len().max(own.lines.len())).find(|&at| expected.get(at).copied() != own.lines.get(at))
        {
            tally.wrong.push(format!(
                "stream {} {seed} style {style} after {unfiltered}: {expr}\n expected {:?}\n      got {:?}",
                decoder.info.id,
                expected.get(at),
                own.lines.get(at)
            ));
        }
    }
}

/// A decoded list.
fn decoded(decoder: &Arc<Decoder>, bytes: &[u8]) -> RowList {
    let log = RawLog::new(&LogOptions::default());
    log.append(bytes, 1);
    log.end(1);
    let decoding = Arc::new(Decoding::new(decoder.clone(), Options::default(), log, 0, 0, 512 << 20));
    let mut runner = DecodeLoop::open(decoding.clone()).unwrap();
    while runner.step().unwrap() {}
    RowList::new(vec![decoding])
}

/// For each row of a list, `None` if exempt, otherwise whether it matches each expression.
fn truth(list: &RowList, filters: &[(Filter, bool)]) -> Vec<Option<(bool, Vec<bool>)>> {
    let mut truth = vec![None; list.len() as usize];
    RowRenderer::default().views(list, 0..list.len(), ALL, |row, item| {
        let is_exempt = matches!(RowRole::of(item.row), RowRole::Loss | RowRole::Event);
        let matches = filters.iter().map(|(filter, _)| matches(filter.expr(), item)).collect();
        truth[row as usize] = Some((is_exempt, matches));
        true
    });
    truth
}

/// Compares up-to-date filters with the expected results.
fn check(list: &RowList, filters: &mut [(Filter, bool)], now: Instant, tally: &mut Tally, what: &str) {
    let truth = truth(list, filters);
    for (i, (filter, is_strict)) in filters.iter_mut().enumerate() {
        assert!(!filter.follow_names(list, now), "postponed");
        while filter.work(list, 2, now) {}
        let listed = truth.iter().flatten().count() as u64;
        let (mut shown, mut matched) = (0, 0);
        let mut wrong = Vec::new();
        for (row, known) in truth.iter().enumerate() {
            let Some((is_exempt, matches)) = known else { continue };
            let passes = matches[i] || *is_exempt && !*is_strict;
            matched += u64::from(matches[i] && (*is_strict || !is_exempt));
            shown += u64::from(passes);
            if filter.shows(list, row as u64) != passes {
                wrong.push(row);
            }
        }
        let counted = (filter.matched, filter.hidden) == (matched, listed - shown);
        if !wrong.is_empty() || !counted && !filter.is_everything() {
            let kind = if *is_strict { "strict" } else { "" };
            tally.wrong.push(format!("list {what} {kind} {}: counted {counted}, rows {wrong:?}", filter.expr()));
        }
        tally.count(shown as usize, truth.len());
    }
}

/// Filters of a list that are used while it grows; formatters are there, are added later, or are missing.
fn lists_agree(protocol: &Protocol, seed: u64, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let style = random.below(4);
    let (mut registry, decoder) = protocol.decoder(style < 2);
    if style == 1 {
        format(&mut registry);
    }
    let sources: Vec<Vec<u8>> = (0..1 + random.below(3) / 2).map(|_| protocol.bytes(&mut random)).collect();
    let mut bookmarks = Vec::new();
    let words = {
        let list = decoded(&decoder, &sources[0]);
        let rows: Vec<u64> = (0..60).map(|_| random.number() % list.len().max(1)).collect();
        let marked = rows.iter().take(4).filter_map(|row| Some((row, list.row(*row)?.pos)));
        bookmarks.extend(marked.map(|(row, pos)| Bookmark { name: format!("m{row}"), source: 0, pos, nth: 0 }));
        list.set_bookmarks(bookmarks.clone());
        Words::of(&list, &rows)
    };
    let mut filters: Vec<(Filter, bool)> = (0..16)
        .map(|i| {
            let expr = words.expr(&mut random);
            if i % 2 == 0 { (Filter::new(expr), false) } else { (Filter::strict(expr), true) }
        })
        .collect();
    let logs: Vec<Arc<RawLog>> = sources.iter().map(|_| RawLog::new(&LogOptions::default())).collect();
    let mut options = Options::default();
    if decoder.info.option("ticks-per-second").is_some() && random.below(2) == 0 {
        options.set(&decoder.info, "ticks-per-second", "1000000").unwrap();
    }
    let open = |(index, log): (usize, &Arc<RawLog>)| {
        Arc::new(Decoding::new(decoder.clone(), options.clone(), log.clone(), index as u16, 0, 512 << 20))
    };
    let decodings: Vec<Arc<Decoding>> = logs.iter().enumerate().map(open).collect();
    let mut runners: Vec<DecodeLoop> =
        decodings.iter().map(|decoding| DecodeLoop::open(decoding.clone()).unwrap()).collect();
    let list = RowList::new(decodings);
    list.set_bookmarks(bookmarks);
    let start = Instant::now();
    let mut now = start;
    let mut at = vec![0; sources.len()];
    let midway = random.below(sources[0].len().max(1));
    let mut is_midway = true;
    let mut rebuilt = 0;
    let what = format!("{} {seed} style {style}", decoder.info.id);
    while at.iter().zip(&sources).any(|(at, bytes)| *at < bytes.len()) {
        let source = random.below(sources.len());
        let end = (at[source] + 1 + random.below(4_000)).min(sources[source].len());
        logs[source].append(&sources[source][at[source]..end], 1 + (now - start).as_nanos() as u64);
        at[source] = end;
        if random.below(12) == 0 {
            let kind = [kind::LINK_DOWN, kind::LINK_UP, kind::COMMAND, kind::LINE_ERROR][random.below(4)];
            logs[source].add_event(kind, 1, b"said by the host", 1);
        }
        while runners[source].step().unwrap() {}
        now += Duration::from_millis(random.below(400) as u64);
        while list.grow(now) == ListGrowth::More {}
        if std::mem::replace(&mut rebuilt, list.rebuilt()) != rebuilt {
            filters.iter_mut().for_each(|(filter, _)| filter.reset());
        }
        for (filter, _) in &mut filters {
            match random.below(4) {
                0 => {
                    filter.work(&list, 1 + random.below(2), now);
                }
                1 => {
                    filter.follow_names(&list, now);
                    (0..20).for_each(|_| {
                        let row = random.number() % list.len().max(1);
                        if row < list.len() {
                            filter.shows(&list, row);
                        }
                    });
                }
                _ => {}
            }
        }
        if is_midway && at[0] > midway {
            is_midway = false;
            if style == 0 {
                format(&mut registry);
            }
            now += Duration::from_secs(1);
            if sources.len() == 1 {
                check(&list, &mut filters, now, tally, &format!("midway {what}"));
            }
        }
    }
    for (log, runner) in logs.iter().zip(&mut runners) {
        log.end(1);
        while runner.step().unwrap() {}
    }
    for _ in 0..50 {
        now += Duration::from_secs(1);
        while list.grow(now) == ListGrowth::More {}
    }
    if list.rebuilt() != rebuilt {
        filters.iter_mut().for_each(|(filter, _)| filter.reset());
    }
    check(&list, &mut filters, now, tally, &what);
}

/// Cases per protocol.
const CASES: u64 = 3;

#[test]
fn a_filtered_stream_has_the_rows_that_match() {
    let mut tally = Tally::default();
    for seed in 0..CASES {
        PROTOCOLS.iter().for_each(|protocol| streams_agree(protocol, seed, &mut tally));
    }
    tally.check();
}

#[test]
fn a_filtered_list_has_the_rows_that_match() {
    let mut tally = Tally::default();
    for seed in 0..CASES {
        PROTOCOLS.iter().for_each(|protocol| lists_agree(protocol, seed, &mut tally));
    }
    tally.check();
}
