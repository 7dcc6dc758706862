//! Runs the lines of a script, one after the other: sends commands, waits for rows, prints statistics and advice, changes
//! the filter of what is printed.

use std::{
    cell::RefCell,
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use spytui_engine::{
    device::{
        advise::{Advice, Question, Traffic, advise},
        command::CommandError,
        control::{BYTES_TIME, Control, NAMES_TIME, Prepared},
        line::{TargetLine, expanded, needs_reset_for_names},
    },
    export::{
        findings::NamedFindings,
        statistics::{Wanted, text},
        table::Report,
    },
    io::{link::LinkSender, log::RawLog},
    present::clock::grouped,
    query::Expr,
    row::why_nothing_matches,
    trace::{
        list::{Direction, Filter, FindingWalk, RowList, StatisticsWalk, Walking},
        session::{Decoding, Session},
    },
};

use super::script::{self, Line, Next, Problem, Script, ScriptWords, Step, Stopped};
use crate::{
    cli::{failure, settings::Settings},
    model::target::NAMES_BY_RESET,
};

/// How often everything that is waited for is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Everything that lines use.
pub(super) struct Runner {
    /// The links in the order named; at least one.
    pub(super) sides: Vec<Side>,
    pub(super) link_wait: LinkWait,
    pub(super) words: ScriptWords,
    /// Somebody wants the program to end.
    pub(super) stops: [Arc<AtomicBool>; 2],
    pub(super) filter: ShownFilter,
}

pub(super) struct ShownFilter {
    pub(super) next: Arc<NextFilters>,
    pub(super) current: Expr,
    pub(super) previous: Expr,
}

impl ShownFilter {
    fn set(&mut self, expr: Option<Expr>, sides: &[Side]) {
        let expr = expr.unwrap_or_else(|| self.previous.clone());
        self.previous = std::mem::replace(&mut self.current, expr);
        self.next.push(self.current.clone(), sides);
    }
}

impl Runner {
    /// Waits for the link, sends the filter of the start, runs the script.
    pub(super) fn run(mut self, first: Option<String>, script: Option<Script>) -> Result<(), Stopped> {
        self.until_up()?;
        if let (Some(spec), Some(side)) = (first, self.sides.first()) {
            self.send(side, &format!("filter {spec}"), "start").map_err(|stopped| stopped.at("--target-filter"))?;
        }
        let Some(mut script) = script else { return Ok(()) };
        let mut before: Vec<Mark> = self.sides.iter().map(|side| Mark::start(&side.session)).collect();
        loop {
            let line = match script.next(LOOK) {
                Next::Line(line) => line,
                Next::Bad(bad) => {
                    return Err(Problem::of_run(format!("{}:{}: {}", script.name, bad.number, bad.why)).into());
                }
                Next::NotYet => {
                    self.go_on().map_err(|stopped| stopped.at("reading the script"))?;
                    continue;
                }
                Next::End => return Ok(()),
            };
            let now: Vec<Mark> = self.sides.iter().map(|side| Mark::now(&side.session)).collect();
            let done = self.line(&line, &before);
            let place = format!("{}:{}", script.name, line.number);
            let in_line = |problem: Problem| Problem::of_run(problem.in_line(&place, &line.text));
            match done.map_err(|stopped| stopped.map(in_line))? {
                Done::Nothing => {}
                Done::Line => before = now,
                Done::Filter => {
                    let marks = now.into_iter().zip(&self.sides);
                    before = marks.map(|(mark, side)| mark.not_before(side.received().unwrap_or(0))).collect();
                }
                Done::Quit => return Ok(()),
            }
        }
    }

    fn line(&mut self, line: &Line, before: &[Mark]) -> Result<Done, Stopped> {
        match script::read(&line.text, &self.words)? {
            None => return Ok(Done::Nothing),
            Some(Step::Quit) => return Ok(Done::Quit),
            Some(Step::Filter(expr)) => {
                self.filter.set(expr, &self.sides);
                return Ok(Done::Filter);
            }
            Some(Step::Wait(time)) => self.wait(time)?,
            Some(Step::Findings) => {
                self.sides.iter().try_for_each(|side| findings(side, || self.pause(), || self.go_on()))?;
            }
            Some(Step::Expect { link, expr, within }) => {
                if let (Some(side), Some(before)) = (self.sides.get(link), before.get(link)) {
                    wait_for_row(&side.session, before, (&expr, within), || self.pause())?;
                }
            }
            Some(Step::Statistics { link, wanted }) => {
                if let Some(side) = self.sides.get(link) {
                    statistics(side, &wanted, || self.pause(), || self.go_on())?;
                }
            }
            Some(Step::Target { link, line, column }) => {
                let place = |own: usize| column.map_or(0, |before| before + own);
                let Some(side) = self.sides.get(link) else { return Ok(Done::Line) };
                self.target(side, &line).map_err(|stopped| stopped.map(|problem| problem.placed(place)))?;
            }
        }
        Ok(Done::Line)
    }

    /// A line behind `target`, as the command line of the screen takes it. With a `!`, `advise` and `dict` send what they
    /// only fill in there.
    fn target(&self, side: &Side, line: &str) -> Result<(), Stopped> {
        let info = &side.session.current().decoder.info;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let sends = name == "advise!" || name == "dict!" && needs_reset_for_names(info);
        let line = if sends { format!("{} {rest}", name.trim_end_matches('!')) } else { line.to_owned() };
        let read = || TargetLine::read(&line, info, |line| side.control.prepare(line));
        match when_named(read, || self.pause())? {
            TargetLine::Advice(rate) => {
                let filter = print_advice(side, rate, || self.pause())?;
                filter.filter(|_| sends).map_or(Ok(()), |filter| self.send(side, &filter, "script"))
            }
            TargetLine::Names if sends => self.send(side, "reset!", "script"),
            TargetLine::Names => {
                let how = format!("{NAMES_BY_RESET}: in a script write dict!, which sends the reset");
                Err(Problem::at(0, how).into())
            }
            // A filter without a change: what is missing is said.
            TargetLine::Show => self.send(side, &expanded(&line).0, "script"),
            TargetLine::Send(prepared) => send_and_wait(&side.control, (*prepared, "script"), || self.pause()),
        }
    }

    fn send(&self, side: &Side, line: &str, origin: &str) -> Result<(), Stopped> {
        let prepared = when_named(|| side.control.prepare(line), || self.pause())?;
        send_and_wait(&side.control, (prepared, origin), || self.pause())
    }

    /// Waits until there is somebody to send to, and for the first bytes; a link that only reads is there at once.
    fn until_up(&self) -> Result<(), Stopped> {
        let failed = |stopped: Stopped| stopped.at("waiting for the link");
        for side in &self.sides {
            while side.sender.as_ref().is_some_and(|sender| !sender.is_up()) {
                self.has_target().and_then(|()| self.pause()).map_err(failed)?;
                self.link_wait.look(side.sender.as_ref()).map_err(Stopped::NoLink)?;
            }
            let up = Instant::now();
            while side.sender.is_some() && side.log.is_empty() && up.elapsed() < BYTES_TIME {
                self.pause().map_err(failed)?;
            }
        }
        Ok(())
    }

    fn wait(&self, time: Duration) -> Result<(), Stopped> {
        let started = Instant::now();
        while started.elapsed() < time {
            self.has_target()?;
            self.pause()?;
        }
        Ok(())
    }

    /// Fails when all links with a target are at their end.
    fn has_target(&self) -> Result<(), Stopped> {
        match self.sides.iter().all(|side| side.sender.is_some() && side.log.ended()) {
            true => Err(Problem::of_run("the link has ended").into()),
            false => Ok(()),
        }
    }

    fn pause(&self) -> Result<(), Stopped> {
        std::thread::sleep(LOOK);
        for side in &self.sides {
            side.traffic.borrow_mut().sample(Instant::now(), &side.session.current());
        }
        self.go_on()
    }

    fn go_on(&self) -> Result<(), Stopped> {
        match self.stops.iter().any(|stop| stop.load(Ordering::Relaxed)) {
            true => Err(Stopped::Asked),
            false => Ok(()),
        }
    }
}

enum Done {
    /// It was no line.
    Nothing,
    Line,
    /// What is expected next is to be printed by the filter: it is received later.
    Filter,
    Quit,
}

/// A moment of a decoding.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    decoding: Arc<Decoding>,
    rows: u64,
    /// Position up to which they were decoded.
    pos: u64,
}

impl Mark {
    /// Of a file, which is all there, the beginning: how far it is decoded depends on the machine.
    pub(super) fn now(session: &Session) -> Mark {
        if session.log().file_path().is_some() {
            return Mark::start(session);
        }
        let decoding = session.current();
        Mark { rows: decoding.len(), pos: decoding.pos(), decoding }
    }

    /// The same, no earlier than a position up to which nothing may be decoded yet.
    fn not_before(self, pos: u64) -> Mark {
        Mark { pos: self.pos.max(pos), ..self }
    }

    /// The beginning of all rows.
    pub(super) fn start(session: &Session) -> Mark {
        Mark { rows: 0, pos: 0, decoding: session.current() }
    }

    /// The first row since then, also if all was decoded again.
    fn first(&self, now: &Arc<Decoding>) -> u64 {
        let known = if Arc::ptr_eq(&self.decoding, now) { self.rows } else { 0 };
        let is_before = |row: u64| {
            now.ensure_loaded(row);
            now.read().rows.row(row).is_some_and(|row| row.pos < self.pos)
        };
        let (mut first, mut end) = (known, now.len());
        while first < end {
            let middle = first + (end - first) / 2;
            if is_before(middle) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }
}

/// Waits for a row since `mark`. `pause` is called while waiting.
/// Errors: there is none in that time, or no more rows come, or `pause` wants to stop.
fn wait_for_row(
    session: &Session,
    mark: &Mark,
    (expr, within): (&Expr, Duration),
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let started = Instant::now();
    let mut search = Search::default();
    loop {
        let decoding = session.current();
        let (ended, late) = (decoding.ended(), started.elapsed() >= within);
        if search.finds(&decoding, mark, expr) {
            return Ok(());
        }
        if ended || late {
            return Err(unmet(&decoding, mark, expr, ended).into());
        }
        pause()?;
    }
}

#[derive(Debug, Default)]
struct Search {
    decoding: Option<Arc<Decoding>>,
    /// Name changes: with another name an earlier row may pass.
    names: u64,
    /// The first row that was not looked at.
    next: u64,
}

impl Search {
    fn finds(&mut self, decoding: &Arc<Decoding>, mark: &Mark, expr: &Expr) -> bool {
        let list = RowList::new(vec![decoding.clone()]);
        let names = list.name_changes();
        let goes_on = self.names == names && self.decoding.as_ref().is_some_and(|of| Arc::ptr_eq(of, decoding));
        if !goes_on {
            *self = Search { decoding: Some(decoding.clone()), names, next: 0 };
        }
        let len = decoding.len();
        let next = std::mem::replace(&mut self.next, len).max(mark.first(decoding));
        if next >= len {
            return false;
        }
        let (mut matches, mut all) = (Filter::strict(expr.clone()), Filter::new(Expr::everything()));
        matches.follow_names(&list, Instant::now());
        matches.seek(&list, next, Direction::Forward, &mut all, usize::MAX).is_ok_and(|row| row.is_some())
    }
}

fn unmet(decoding: &Arc<Decoding>, mark: &Mark, expr: &Expr, ended: bool) -> Problem {
    let rows = grouped(decoding.len().saturating_sub(mark.first(decoding)));
    let state = decoding.read();
    let decoder = &decoding.decoder;
    let why = why_nothing_matches(expr, &decoder.info, &decoder.formatting, &[&state.dictionary]);
    let why = why.map_or_else(String::new, |why| format!("; {why}"));
    let since = if decoding.log.file_path().is_some() { "" } else { " since the line before" };
    let end = if ended { ", and no more will come" } else { "" };
    Problem::of_run(format!("0 of {rows} rows{since}{end}{why}"))
}

/// Prints the figures of a link. `pause` is called while what has come is decoded, `go_on` while it is looked through.
/// Errors: the rows can't be read, or `pause` or `go_on` wants to stop.
pub(super) fn statistics(
    side: &Side,
    wanted: &Wanted,
    pause: impl FnMut() -> Result<(), Stopped>,
    go_on: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let (list, walk) = walked::<StatisticsWalk>(side, pause, go_on)?;
    let tables = wanted.tables(|measure, by| walk.table(&list, (measure, by), false));
    failure::say_words(&text(&tables, false));
    Ok(())
}

/// Prints what an expert would spot on a link; otherwise as [`statistics`].
pub(super) fn findings(
    side: &Side,
    pause: impl FnMut() -> Result<(), Stopped>,
    go_on: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let (list, walk) = walked::<FindingWalk>(side, pause, go_on)?;
    failure::say_words(&NamedFindings::of(walk.findings(&list, false), false).text());
    Ok(())
}

/// Walks over the rows of a link; those that come meanwhile do not count.
fn walked<W: Walking>(
    side: &Side,
    mut pause: impl FnMut() -> Result<(), Stopped>,
    mut go_on: impl FnMut() -> Result<(), Stopped>,
) -> Result<(RowList, W), Stopped> {
    side.decoded(&mut pause)?;
    let list = RowList::new(vec![side.session.current()]);
    let rows = list.len();
    let mut walk = W::new(&list);
    while walk.walked() < rows && walk.work(&list) {
        go_on()?;
    }
    match walk.failure() {
        Some(failure) => Err(Problem::of_run(failure).into()),
        None => Ok((list, walk)),
    }
}

/// How long it takes at most until there is something to measure: a target names everything first.
const MEASURED: Duration = Duration::from_secs(8);

/// Prints the advice; the line that it is, if there is one.
/// Errors: nothing can be advised, or `pause` wants to stop.
fn print_advice(
    side: &Side,
    rate: Option<u64>,
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<Option<String>, Stopped> {
    let begun = Instant::now();
    loop {
        match advice(side, rate) {
            Advice::Missing(_) if begun.elapsed() < MEASURED => pause()?,
            Advice::Missing(why) => return Err(Problem::of_run(&why).into()),
            Advice::Nothing(why) => {
                failure::say(&why);
                return Ok(None);
            }
            Advice::Filter(proposal) => {
                failure::say(&format!("target {}: {}", proposal.line(), proposal.text()));
                return Ok(Some(proposal.line()));
            }
        }
    }
}

fn advice(side: &Side, rate: Option<u64>) -> Advice {
    let decoding = side.session.current();
    let state = decoding.read();
    advise(&Question {
        info: &decoding.decoder.info,
        dictionary: &state.dictionary,
        known: &side.control.status().filter,
        window: &side.traffic.borrow().busiest(),
        capacity: rate.or(side.line_rate),
    })
}

/// A link with its target.
pub(super) struct Side {
    pub(super) log: Arc<RawLog>,
    pub(super) session: Session,
    pub(super) control: Control,
    pub(super) sender: Option<LinkSender>,
    /// What comes over the link.
    pub(super) traffic: RefCell<Traffic>,
    /// Bytes a second that the link carries, if that is known.
    pub(super) line_rate: Option<u64>,
}

impl Side {
    /// Position up to which the link has received; `None` of a file, which is all there, and of a link that has ended.
    pub(super) fn received(&self) -> Option<u64> {
        (!self.log.ended() && self.log.file_path().is_none()).then(|| self.log.len())
    }

    /// Waits until everything that has come is decoded. `pause` is called meanwhile.
    pub(super) fn decoded(&self, mut pause: impl FnMut() -> Result<(), Stopped>) -> Result<(), Stopped> {
        let come = self.log.len();
        while self.session.current().pos() < come && !self.session.current().ended() {
            pause()?;
        }
        Ok(())
    }
}

/// Reads a line by `read`. `pause` is called while names are waited for: targets send theirs soon after they start.
/// Errors: the line is wrong, or `pause` wants to stop.
fn when_named<T>(
    read: impl Fn() -> Result<T, CommandError>,
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<T, Stopped> {
    let started = Instant::now();
    loop {
        match read() {
            Err(error) if error.is_unknown_name && started.elapsed() < NAMES_TIME => pause()?,
            read => return read.map_err(|error| Problem::at(error.column, error.message).into()),
        }
    }
}

/// Runs a command to its end. `pause` is called while waiting.
/// Errors: it was refused, timed out or failed, or `pause` wants to stop.
fn send_and_wait(
    control: &Control,
    (prepared, origin): (Prepared, &str),
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let command = &prepared.command;
    if command.confirm {
        // What stands for the second Enter.
        let how = format!("{0} is sent only after a second Enter: in a script write {0}!", command.name);
        return Err(Problem::at(0, how).into());
    }
    let number = control.send(prepared, origin).map_err(Problem::of_run)?;
    loop {
        let status = control.status();
        let state = status.commands.iter().find(|command| command.number == number).map(|command| &command.state);
        match state {
            Some(state) if state.is_done() => return Ok(()),
            Some(state) if state.is_over() => return Err(Problem::of_run(state.text()).into()),
            Some(_) => pause()?,
            None => return Err(Problem::of_run("nothing is known of it any more").into()),
        }
    }
}

/// The filters that lines asked for, on their way to the output.
#[derive(Debug, Default)]
pub(super) struct NextFilters(Mutex<VecDeque<WantedFilter>>);

#[derive(Debug)]
struct WantedFilter {
    from: Vec<From>,
    expr: Expr,
}

/// Where a filter begins in a log.
#[derive(Debug)]
struct From {
    log: Arc<RawLog>,
    pos: u64,
    is_reached: bool,
}

impl NextFilters {
    /// Lets a filter hold for all that is received from now on; of a file, for all that is not yet read.
    pub(super) fn push(&self, expr: Expr, sides: &[Side]) {
        let mut list = self.0.lock();
        let from = |side: &Side| Some(From { log: side.log.clone(), pos: side.received()?, is_reached: false });
        list.push_back(WantedFilter { from: sides.iter().filter_map(from).collect(), expr });
    }

    /// Removes the filters that hold from this position on, and returns the last one and the position up to which the log
    /// can be read.
    pub(super) fn take(&self, log: &Arc<RawLog>, pos: u64) -> (Option<Expr>, u64) {
        let mut list = self.0.lock();
        let mut taken = None;
        while let Some(next) = list.front_mut() {
            let own = next.from.iter_mut().find(|from| Arc::ptr_eq(&from.log, log));
            let until = own.map_or(u64::MAX, |own| {
                own.is_reached |= pos >= own.pos;
                // From there on it waits for the other logs.
                own.pos.max(pos)
            });
            if next.from.iter().any(|from| !from.is_reached) {
                return (taken, until);
            }
            taken = list.pop_front().map(|next| next.expr);
        }
        (taken, u64::MAX)
    }
}

/// The setting `link.wait`, and since when.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkWait {
    since: Instant,
    /// `None` = as long as it takes.
    most: Option<Duration>,
}

impl LinkWait {
    pub(super) fn start(settings: &Settings) -> LinkWait {
        LinkWait { since: Instant::now(), most: settings.link_wait() }
    }

    /// Fails when the link was waited for so long and is not there; a link that only reads is there at once.
    pub(super) fn look(&self, sender: Option<&LinkSender>) -> Result<(), String> {
        let is_down = || sender.is_some_and(|sender| !sender.is_up());
        match self.most {
            Some(most) if self.since.elapsed() >= most && is_down() => {
                Err(format!("no link for {} s; link.wait says how long to wait for it", most.as_secs()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use spytui_engine::{io::log::LogOptions, query::Vocabulary};

    use super::*;

    #[test]
    fn a_filter_holds_from_where_it_was_asked_for_in_each_log() {
        let [first, second, other] = [(); 3].map(|()| RawLog::new(&LogOptions::default()));
        let filters = NextFilters::default();
        let push = |text: &str, at: &[(&Arc<RawLog>, u64)]| {
            let from = at.iter().map(|(log, pos)| From { log: (*log).clone(), pos: *pos, is_reached: false }).collect();
            let expr = spytui_engine::query::parse(text, &Vocabulary::open()).unwrap();
            filters.0.lock().push_back(WantedFilter { from, expr });
        };
        let take = |log, pos| {
            let (expr, until) = filters.take(log, pos);
            (expr.map(|expr| expr.to_string()), until)
        };
        assert_eq!(take(&first, 0), (None, u64::MAX));
        push("obj:a", &[(&first, 100), (&second, 50)]);
        push("obj:b", &[(&first, 100), (&second, 80)]);
        assert_eq!(take(&first, 20), (None, 100));
        // It waits for the second one; a log that nobody filters by does not.
        assert_eq!(
            [take(&first, 100), take(&second, 10), take(&other, 0)],
            [100, 50, u64::MAX].map(|until| (None, until))
        );
        assert_eq!(take(&second, 50), (Some("obj:a".to_owned()), 80));
        assert_eq!([take(&second, 80), take(&second, 80)], [80; 2].map(|until| (None, until)));
        assert_eq!(take(&first, 100), (Some("obj:b".to_owned()), u64::MAX));
        // Of a file, from what is read next.
        push("obj:a", &[]);
        push("obj:b", &[]);
        assert_eq!(take(&other, 7), (Some("obj:b".to_owned()), u64::MAX));
    }
}
