//! A filter that decides as much as possible before rows are rendered.

use spytui_plugin_api::{
    Batch, Info, KeyFormat, Request, Row, Want,
    batch::{AttrId, DictOp},
    info::{SpaceInfo, space},
    row::RowFlags,
};

use super::{
    RowView,
    asked::AskedFields,
    classes::Classes,
    in_force::Formatting,
    verdicts::{Judged, Verdicts},
};
use crate::{
    present::{
        sanitise,
        words::{short_form, source_form},
    },
    query::{Expr, Needs, Test},
    row::RowTraits,
    store::{Dictionary, NameChange, Names},
};

/// A filter with its results so far.
#[derive(Debug)]
pub struct RowFilter {
    expr: Expr,
    /// Id of the decoder whose names were tested.
    decoder: String,
    /// Tests of entities that are false as long as no known name matches.
    names: Vec<NameTest>,
    /// The expression without these tests.
    rest: Expr,
    needs: Needs,
    /// `rest` asks for more of an unrendered row than what its class says.
    asks_row: bool,
    /// Words are compared with the names of a kind once: where one is such a name, it decides.
    words_decide: bool,
    /// Results by class.
    classes: Classes,
    /// Results of tests of entities.
    verdicts: Verdicts,
    /// What these depend on.
    seen: Seen,
    fields: AskedFields,
    /// Number of rows that matched.
    matched: u64,
}

/// Stands for the decoder of a filter that did not see the beginning of its stream.
const ANY_DECODER: &str = "*";

#[derive(Debug)]
struct NameTest {
    test: Test,
    is_met: bool,
}

/// What results depend on besides the expression and the row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    /// The dictionary, by its address.
    names: usize,
    epoch: u32,
    rows: RowTraits,
}

impl RowFilter {
    /// A filter without results.
    pub fn new(expr: Expr) -> RowFilter {
        let (rest, needs) = (expr.clone(), expr.needs());
        RowFilter {
            expr,
            decoder: String::new(),
            names: Vec::new(),
            rest,
            needs,
            asks_row: true,
            words_decide: false,
            classes: Classes::default(),
            verdicts: Verdicts::default(),
            seen: Seen::default(),
            fields: AskedFields::all(),
            matched: 0,
        }
    }

    /// The same for a stream that has begun: names of its decoder may be known already, so none is taken as absent.
    pub fn midway(expr: Expr) -> RowFilter {
        RowFilter { decoder: ANY_DECODER.to_owned(), ..RowFilter::new(expr) }
    }

    /// The expression.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// `None` if every row passes.
    pub fn active(&mut self) -> Option<&mut RowFilter> {
        if self.expr.is_everything() { None } else { Some(self) }
    }

    /// Tests the names of a batch. Must be called with all names that rows are rendered with.
    pub fn learn(&mut self, info: &Info, formatting: &Formatting, batch: &Batch) {
        if self.decoder != info.id.as_str() {
            self.of_decoder(info);
        }
        self.meet_tracks(formatting);
        let names = batch.dict.iter().filter(|event| event.op == DictOp::SET && event.attr == AttrId::NAME);
        self.meet(names.map(|event| (info.space(event.space), event.text.of(&batch.bytes))));
    }

    /// Takes the changes of names that came into force.
    pub fn rename(&mut self, names: &mut Dictionary) {
        for change in names.take_changes() {
            if self.fields.depend_on(change.space()) {
                self.verdicts.rename(change);
                match change {
                    NameChange::Key(space, key) if space >= space::OWN => self.classes.forget(key),
                    _ => self.classes.clear(),
                }
            }
        }
    }

    /// Tests all names of a list. Returns `true` if a test that no name met before is met now: rows that were decided
    /// without it are to be decided again.
    pub fn learn_all(&mut self, info: &Info, formatting: &Formatting, dictionaries: &[&Dictionary]) -> bool {
        if self.decoder != info.id.as_str() {
            self.of_decoder(info);
        }
        let of_tracks = self.meet_tracks(formatting);
        let names = dictionaries.iter().flat_map(|dictionary| dictionary.iter());
        let of_names = self.meet(names.flat_map(|(space, .., names)| {
            let texts = names.iter().filter_map(|named| named.text.as_deref());
            texts.map(move |text| (info.space(space), text))
        }));
        of_tracks || of_names
    }

    /// Marks the tests that names of tracks and of states on them may meet; `true` if there was one.
    fn meet_tracks(&mut self, formatting: &Formatting) -> bool {
        let open = || self.names.iter().any(|name| !name.is_met);
        let Some(formatters) = open().then(|| formatting.get()).flatten() else { return false };
        let mut is_news = false;
        for name in self.names.iter_mut().filter(|name| !name.is_met) {
            let patterns = name.test.name_patterns().unwrap_or_default();
            name.is_met = formatters.may_be_called(|called| patterns.iter().any(|pattern| pattern.matches(called)));
            is_news |= name.is_met;
        }
        if is_news {
            self.reduce();
        }
        is_news
    }

    /// Marks the tests that these names meet; `true` if there was one.
    fn meet<'a>(&mut self, texts: impl Iterator<Item = (Option<&'a SpaceInfo>, &'a [u8])>) -> bool {
        let mut is_news = false;
        for (space, text) in texts {
            if self.names.iter().all(|name| name.is_met) {
                break;
            }
            let short = space.and_then(|space| short_form(space, text));
            let source = space.and_then(|space| source_form(space, text));
            let forms: Vec<String> = [Some(text), short, source].into_iter().flatten().map(sanitise).collect();
            for name in self.names.iter_mut().filter(|name| !name.is_met) {
                let mut patterns = name.test.name_patterns().into_iter().flatten();
                name.is_met = patterns.any(|pattern| forms.iter().any(|form| pattern.matches(form)));
                is_news |= name.is_met;
            }
        }
        if is_news {
            self.reduce();
        }
        is_news
    }

    /// Finds the tests that names alone decide. With several decoders there are none, because their names are not kept
    /// apart.
    fn of_decoder(&mut self, info: &Info) {
        let is_first = self.decoder.is_empty();
        self.decoder = info.id.to_string();
        let by_names = |test: &&Test| {
            let patterns = test.name_patterns();
            patterns.is_some_and(|patterns| {
                info.spaces.iter().all(|space| !patterns.iter().any(|p| may_be_key(space, |s, f| p.may_match(s, f))))
            })
        };
        let tests = self.expr.tests();
        let names = tests.into_iter().filter(by_names).map(|test| NameTest { test: test.clone(), is_met: !is_first });
        self.names = names.collect();
        self.fields = if is_first { AskedFields::of(&self.expr, info) } else { AskedFields::all() };
        self.reduce();
    }

    /// Whether another name changes a result by what entities are called. `names` are those of an epoch as the first row
    /// sees them that is not before this one.
    pub fn is_outdated<'n>(&self, info: &Info, names: impl Fn(u32, u64) -> Names<'n>) -> bool {
        self.verdicts.are_outdated(&self.rest, info, names)
    }

    /// Forgets what follows from names.
    pub fn forget_names(&mut self) {
        self.verdicts.clear();
        self.classes.clear();
    }

    fn reduce(&mut self) {
        let names = &self.names;
        self.rest = self.expr.without(&|test| names.iter().any(|name| !name.is_met && name.test == *test));
        self.needs = self.rest.needs();
        self.words_decide = self.rest.is_decided_by_words();
        self.asks_row = self.needs.intersects(Needs::OF_ROW) || self.fields.are_measured();
        self.verdicts.clear();
        self.classes.clear();
    }

    /// What is left of the expression where names decided tests.
    pub fn rest(&self) -> &Expr {
        &self.rest
    }

    /// Whether no row can pass, except losses.
    pub fn rejects_all(&self) -> bool {
        self.rest == Expr::nothing()
    }

    /// Number of rows that matched, as far as they were counted.
    pub fn matched(&self) -> u64 {
        self.matched
    }

    /// Counts a row that matched.
    pub(crate) fn count(&mut self) {
        self.matched += 1;
    }

    /// What to render of an undecided row.
    pub fn request(&self) -> Request<'_> {
        let mut want = Want::empty();
        want.set(Want::TEXT, self.needs.intersects(Needs::TEXT | Needs::KIND));
        want.set(Want::FIELDS, self.needs.intersects(Needs::ROLES | Needs::FIELDS));
        self.fields.request(want)
    }

    /// What decides a row that its names alone do not.
    pub fn needs(&self) -> Needs {
        self.needs
    }

    /// Whether any of these properties may decide.
    pub fn asks(&self, needs: Needs) -> bool {
        self.needs.intersects(needs)
    }

    /// Starts a block, whose rows may see other names.
    pub fn begin_block(&mut self, names: &Names<'_>, epoch: u32, rows: RowTraits) {
        let names = std::ptr::from_ref(names.dictionary).addr();
        let before = std::mem::replace(&mut self.seen, Seen { names, epoch, rows });
        if self.seen.names != before.names {
            self.verdicts.clear();
        }
        if self.seen != before {
            self.classes.clear();
        }
    }

    /// Whether a row, which has a number, matches, if that is decided without rendering it. `view` gives the row without
    /// rendered parts.
    #[inline]
    pub fn decide<'i>(&mut self, (row, number): (&Row, u64), view: impl Fn() -> RowView<'i>) -> Option<bool> {
        let RowFilter { classes, rest, verdicts, seen: Seen { rows, .. }, needs, .. } = self;
        let of_class = classes.verdict((row, number), needs.intersects(Needs::ROLES), || {
            let view = view();
            let known = Needs::SHAPE.intersection(unrendered(has_own_word(&view, *rows)));
            let verdict = rest.decide(&Judged { view: &view, verdicts, is_class: true, rows: *rows }, known);
            (verdict, verdicts.rows())
        });
        if of_class.is_some() || !self.asks_row {
            return of_class;
        }
        let view = view();
        let own_word = has_own_word(&view, self.seen.rows);
        let known = unrendered(own_word) | self.words_of_kind(own_word);
        self.rest.decide(&self.judged(&view), known)
    }

    /// Whether a rendered row matches that was left undecided before.
    pub fn matches(&self, view: &RowView<'_>) -> bool {
        let known = Needs::ALL | self.words_of_kind(has_own_word(view, self.seen.rows));
        self.rest.decide(&self.judged(view), known).unwrap_or(false)
    }

    fn judged<'a>(&'a self, view: &'a RowView<'a>) -> Judged<'a> {
        Judged { view, verdicts: &self.verdicts, is_class: false, rows: self.seen.rows }
    }

    /// What the kind of an undecided row says of words: they were compared with its names, unless it has one of its own.
    fn words_of_kind(&self, own_word: bool) -> Needs {
        if own_word || !self.words_decide { Needs::empty() } else { Needs::KIND_IS_NO_WORD }
    }
}

/// Whether a row may have a kind word of its own.
fn has_own_word(view: &RowView<'_>, rows: RowTraits) -> bool {
    rows.is_formatted && view.row.has(RowFlags::APPLICATION) || view.kind.own_word
}

/// Properties of an unrendered row.
fn unrendered(own_word: bool) -> Needs {
    if own_word { Needs::UNRENDERED } else { Needs::UNRENDERED | Needs::KIND }
}

/// Whether the text of a key without a name may match, see [`crate::present::words::key_word`].
fn may_be_key(space: &SpaceInfo, may_match: impl Fn(&str, fn(char) -> bool) -> bool) -> bool {
    match space.key_format {
        KeyFormat::HEX => may_match("0x", |c| c.is_ascii_hexdigit()),
        KeyFormat::LARGE_HEX => may_match(&format!("{} ", space.name), |c| c.is_ascii_hexdigit() || c == 'x'),
        _ => may_match(&format!("{} ", space.name), |c| c.is_ascii_digit()),
    }
}
