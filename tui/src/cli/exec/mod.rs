//! `--exec FILE` and `--target-filter` without a screen: runs command lines one after the other on a thread while rows
//! are printed. They send commands, wait for rows, print statistics and advice, and change the filter of the output.
//! `script` parses the lines.

pub(super) mod script;

use std::{
    cell::RefCell,
    collections::VecDeque,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::bounded;
use parking_lot::Mutex;
use spytui_engine::{
    decode::Chosen,
    device::{
        advise::{Advice, Question, advise},
        command::CommandError,
        control::{BYTES_TIME, Control, NAMES_TIME, Prepared, READ_ONLY},
        front_end::FrontEndServer,
        line::{TargetLine, expanded, needs_reset_for_names},
        traffic::Traffic,
    },
    export::{statistics::text, table::Report},
    io::{
        link::{LinkKind, LinkSender},
        log::RawLog,
    },
    present::clock::grouped,
    query::{Expr, Vocabulary},
    row::why_nothing_matches,
    trace::{
        list::{Direction, Filter, FindingWalk, RowList, StatisticsWalk, Walking},
        session::{Decoding, Session, SessionOptions},
        stream::NextFilter,
    },
};

use super::{
    args::Args,
    failure::{self, Failure, Stop},
    links::{self, LinkedTarget},
    settings::Settings,
};
use crate::model::{list::rows_before, target::NAMES_BY_RESET};
use script::{NextLine, Script, ScriptProblem, ScriptStep, ScriptWords, Stopped};

/// Several links were named.
pub const ONE_LINK: &str = "--target-filter is for one target: with several links use `target #2 filter …` in --exec";
/// Polling interval of waits.
const LOOK: Duration = Duration::from_millis(10);
/// Maximum time until there is something to measure, as a target names everything first.
const MEASURED: Duration = Duration::from_secs(8);

#[derive(Debug)]
pub struct ExecPlan {
    /// Target filter to send at the start.
    first: Option<String>,
    script: Option<Script>,
    link_wait: LinkWait,
}

impl ExecPlan {
    /// Reads the script. Errors: it can't be read, there are several links, or stdin would be both trace and script
    /// (2).
    pub fn of_args(args: &Args, settings: &Settings) -> Result<Option<ExecPlan>, Failure> {
        if args.exec.is_none() && args.target_filter.is_none() {
            return Ok(None);
        }
        let specs = if args.demo.proto.is_some() { Vec::new() } else { links::specs(&args.link)? };
        if specs.len() > 1 && args.target_filter.is_some() {
            return Err(Failure::usage(ONE_LINK));
        }
        if let Some(path) = &args.exec
            && path.as_os_str() == "-"
            && specs.iter().any(|spec| spec.kind == LinkKind::Stdin)
        {
            return Err(Failure::usage("--exec -: stdin can't be both the trace and the script"));
        }
        let first = settings.target_filter(args)?;
        let script = args.exec.as_deref().map(Script::open).transpose()?;
        let link_wait = LinkWait { since: Instant::now(), most: settings.link_wait() };
        Ok(Some(ExecPlan { first, script, link_wait }))
    }

    /// Checks whether the link came up in time, until something runs. Errors: it did not (3).
    pub fn look_for_link(&self, target: Option<&LinkedTarget>) -> Result<(), Failure> {
        let sender = target.and_then(|target| target.links.first()).and_then(|link| link.sender(0));
        self.link_wait.look(sender.as_ref()).map_err(Failure::input)
    }

    /// Checks for errors before anything is sent.
    fn check(&self, words: &ScriptWords, reads_only: Option<&str>) -> Result<(), String> {
        if let (Some(why), Some(_)) = (reads_only, &self.first) {
            return Err(format!("--target-filter: {why}"));
        }
        self.script.as_ref().map_or(Ok(()), |script| script.check(words, reads_only))
    }
}

/// The setting `link.wait`, and the start of the wait.
#[derive(Debug, Clone, Copy)]
struct LinkWait {
    since: Instant,
    /// `None` = no limit.
    most: Option<Duration>,
}

impl LinkWait {
    /// Fails if the link is not up in time; a read-only link is up at once.
    fn look(&self, sender: Option<&LinkSender>) -> Result<(), String> {
        let is_down = || sender.is_some_and(|sender| !sender.is_up());
        match self.most {
            Some(most) if self.since.elapsed() >= most && is_down() => {
                Err(format!("no link for {} s; link.wait sets how long to wait for it", most.as_secs()))
            }
            _ => Ok(()),
        }
    }
}

/// Checks the text of a script for one target, without a target.
pub fn check(text: &[u8], vocabulary: &Vocabulary, settings: &Settings) -> Result<(), Failure> {
    let words = ScriptWords::new(vocabulary.clone(), &settings.config, 1);
    Script::of("script".to_owned(), text)?.check(&words, None).map_err(expectation)
}

fn expectation(text: String) -> Failure {
    Failure { code: 1, text }
}

#[derive(Debug)]
pub struct Conductor {
    next: Arc<NextFilters>,
    over: Arc<AtomicBool>,
    cancel: Arc<AtomicBool>,
    thread: JoinHandle<Result<(), Stopped>>,
}

impl Conductor {
    /// Starts the script; lines that name no target go to the first one. `filter` is the current filter of the output.
    /// Errors: a line is wrong, or the link can't send (1); the options conflict (2).
    pub fn start(
        plan: ExecPlan,
        sides: Vec<Side>,
        vocabulary: Vocabulary,
        filter: Expr,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Conductor, Failure> {
        let words = ScriptWords::new(vocabulary, &settings.config, sides.len());
        let reads_only = sides.iter().all(|side| side.sender.is_none()).then_some(READ_ONLY);
        plan.check(&words, reads_only).map_err(expectation)?;
        let (next, over, cancel) = (Arc::<NextFilters>::default(), Arc::<AtomicBool>::default(), Arc::default());
        let stops = [stop.flag.clone(), Arc::clone(&cancel)];
        let (link_wait, previous) = (plan.link_wait, Expr::everything());
        let logs: Vec<_> = sides.iter().map(|side| side.log.clone()).collect();
        let runner = Runner { sides, link_wait, words, stops, next: next.clone(), filter, previous };
        let is_over = over.clone();
        let thread = std::thread::Builder::new().name("script".to_owned()).spawn(move || {
            let ends_run = plan.script.is_some();
            let result = runner.run(plan.first, plan.script);
            if ends_run || result.is_err() {
                is_over.store(true, Ordering::Release);
                logs.iter().for_each(|log| log.wake());
            }
            result
        });
        let thread = thread.map_err(|error| Failure::input(format!("can't start a thread for the script: {error}")))?;
        Ok(Conductor { next, over, cancel, thread })
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    pub fn filters(&self) -> NextFilter<'static> {
        let next = self.next.clone();
        Box::new(move |log, pos| next.take(log, pos))
    }

    /// Waits for the last line; `cancel` aborts the script. Errors: a line failed (1), or the link did not come up (3).
    pub fn finish(self, cancel: bool) -> Result<(), Failure> {
        self.cancel.store(cancel, Ordering::Relaxed);
        match self.thread.join() {
            Ok(Err(Stopped::Failed(problem))) => Err(expectation(problem.message)),
            Ok(Err(Stopped::NoLink(text))) => Err(Failure::input(text)),
            Ok(_) => Ok(()),
            Err(_) => Err(Failure::decoder("the script's thread failed")),
        }
    }
}

struct Runner {
    /// The links in the order named; at least one.
    sides: Vec<Side>,
    link_wait: LinkWait,
    words: ScriptWords,
    /// Set when the program must end.
    stops: [Arc<AtomicBool>; 2],
    next: Arc<NextFilters>,
    filter: Expr,
    previous: Expr,
}

impl Runner {
    /// Waits for the link, sends the initial filter, runs the script.
    fn run(mut self, first: Option<String>, script: Option<Script>) -> Result<(), Stopped> {
        self.until_up()?;
        if let (Some(spec), Some(side)) = (first, self.sides.first()) {
            self.send(side, &format!("filter {spec}"), "start").map_err(|stopped| stopped.at("--target-filter"))?;
        }
        let Some(mut script) = script else { return Ok(()) };
        let mut before: Vec<Mark> = self.sides.iter().map(Mark::start).collect();
        loop {
            let line = match script.next(LOOK) {
                NextLine::Line(line) => line,
                NextLine::NotYet => {
                    self.go_on().map_err(|stopped| stopped.at("reading the script"))?;
                    continue;
                }
                NextLine::End => return Ok(()),
            };
            let place = format!("{}:{}", script.name, line.number);
            let text = line.text.map_err(|why| ScriptProblem::of_run(format!("{place}: {why}")))?;
            let in_line = |problem: ScriptProblem| ScriptProblem::of_run(problem.in_line(&place, &text));
            let mut now: Vec<Mark> = self.sides.iter().map(Mark::now).collect();
            match script::read(&text, &self.words).map_err(in_line)? {
                None => continue,
                Some(ScriptStep::Quit) => return Ok(()),
                Some(ScriptStep::Filter(expr)) => {
                    let expr = expr.unwrap_or_else(|| self.previous.clone());
                    self.previous = std::mem::replace(&mut self.filter, expr);
                    self.next.push(self.filter.clone(), &self.sides);
                    // Expected rows must pass the new filter, so they are those received later.
                    for (mark, side) in now.iter_mut().zip(&self.sides) {
                        mark.pos = mark.pos.max(side.received().unwrap_or(0));
                    }
                }
                Some(step) => self.step(step, &before).map_err(|stopped| stopped.map(in_line))?,
            }
            before = now;
        }
    }

    fn step(&self, step: ScriptStep, before: &[Mark]) -> Result<(), Stopped> {
        match step {
            // Handled with the lines and the output.
            ScriptStep::Quit | ScriptStep::Filter(_) => Ok(()),
            ScriptStep::Wait(time) => self.wait(time),
            ScriptStep::Findings => self.sides.iter().try_for_each(|side| {
                let (list, walk) = self.walked::<FindingWalk>(side)?;
                failure::say_words(&walk.findings(&list, false).text(false));
                Ok(())
            }),
            ScriptStep::Expect { link, expr, within } => {
                self.wait_for_row(&self.sides[link].session, &before[link], &expr, within)
            }
            ScriptStep::Statistics { link, wanted } => {
                let (list, walk) = self.walked::<StatisticsWalk>(&self.sides[link])?;
                let tables = walk.tables(&list, false, |all| wanted.tables(|measure, by| all.table(measure, by)));
                failure::say_words(&text(&tables, false));
                Ok(())
            }
            ScriptStep::Target { link, line, column } => {
                let place = |own: usize| column.map_or(0, |before| before + own);
                self.target(&self.sides[link], &line).map_err(|stopped| stopped.map(|problem| problem.placed(place)))
            }
        }
    }

    /// Runs a line after `target`, as on the screen's command line. With `!`, `advise` and `dict` send what they would
    /// only fill in there.
    fn target(&self, side: &Side, line: &str) -> Result<(), Stopped> {
        let info = &side.session.current().decoder.info;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let sends = name == "advise!" || name == "dict!" && needs_reset_for_names(info);
        let line = if sends { format!("{} {rest}", name.trim_end_matches('!')) } else { line.to_owned() };
        match self.when_named(|| TargetLine::read(&line, info, |line| side.control.prepare(line)))? {
            TargetLine::Advice(rate) => match self.print_advice(side, rate)? {
                Some(filter) if sends => self.send(side, &filter, "script"),
                _ => Ok(()),
            },
            TargetLine::Names if sends => self.send(side, "reset!", "script"),
            TargetLine::Names => {
                let how = format!("{NAMES_BY_RESET}: in a script write dict!, which sends the reset");
                Err(ScriptProblem::at(0, how).into())
            }
            // A filter without a change: the encoder reports what is missing.
            TargetLine::Show => self.send(side, &expanded(&line).0, "script"),
            TargetLine::Send(prepared) => self.send_and_wait(side, *prepared, "script"),
        }
    }

    fn send(&self, side: &Side, line: &str, origin: &str) -> Result<(), Stopped> {
        let prepared = self.when_named(|| side.control.prepare(line))?;
        self.send_and_wait(side, prepared, origin)
    }

    /// Parses a line with `read`, waiting for names: targets send theirs soon after they start.
    fn when_named<T>(&self, read: impl Fn() -> Result<T, CommandError>) -> Result<T, Stopped> {
        let started = Instant::now();
        loop {
            match read() {
                Err(error) if error.is_unknown_name && started.elapsed() < NAMES_TIME => self.pause()?,
                read => return read.map_err(|error| ScriptProblem::at(error.column, error.message).into()),
            }
        }
    }

    /// Runs a command to its end. Errors: it was refused, timed out or failed, or the program must end.
    fn send_and_wait(&self, side: &Side, prepared: Prepared, origin: &str) -> Result<(), Stopped> {
        let command = &prepared.command;
        if command.confirm {
            // Replaces the second Enter.
            let how = format!("{0} is sent only after a second Enter: in a script write {0}!", command.name);
            return Err(ScriptProblem::at(0, how).into());
        }
        let number = side.control.send(prepared, origin).map_err(ScriptProblem::of_run)?;
        loop {
            let status = side.control.status();
            let state = status.commands.iter().find(|command| command.number == number).map(|command| &command.state);
            match state {
                Some(state) if state.is_done() => return Ok(()),
                Some(state) if state.is_over() => return Err(ScriptProblem::of_run(state.text()).into()),
                Some(_) => self.pause()?,
                None => return Err(ScriptProblem::of_run("its state is no longer known").into()),
            }
        }
    }

    /// Prints the advice; returns it as a line, if there is one. Errors: nothing can be advised, or the program must
    /// end.
    fn print_advice(&self, side: &Side, rate: Option<u64>) -> Result<Option<String>, Stopped> {
        let begun = Instant::now();
        loop {
            match side.advice(rate) {
                Advice::Missing(_) if begun.elapsed() < MEASURED => self.pause()?,
                Advice::Missing(why) => return Err(ScriptProblem::of_run(&why).into()),
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

    /// Reads all rows of a link once everything received is decoded; later rows don't count. Errors: the rows can't be
    /// read, or the program must end.
    fn walked<W: Walking>(&self, side: &Side) -> Result<(RowList, W), Stopped> {
        let come = side.log.len();
        while side.session.current().pos() < come && !side.session.current().ended() {
            self.pause()?;
        }
        let list = RowList::new(vec![side.session.current()]);
        let rows = list.len();
        let mut walk = W::new(&list);
        while walk.walked() < rows && walk.work(&list) {
            self.go_on()?;
        }
        match walk.failure() {
            Some(failure) => Err(ScriptProblem::of_run(failure).into()),
            None => Ok((list, walk)),
        }
    }

    /// Waits for a row since `mark`. Errors: none arrived in time, no more rows will arrive, or the program must end.
    fn wait_for_row(&self, session: &Session, mark: &Mark, expr: &Expr, within: Duration) -> Result<(), Stopped> {
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
            self.pause()?;
        }
    }

    /// Waits until commands can be sent, and for the first bytes; not for read-only links.
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

    /// Fails if all links with a target have ended.
    fn has_target(&self) -> Result<(), Stopped> {
        match self.sides.iter().all(|side| side.sender.is_some() && side.log.ended()) {
            true => Err(ScriptProblem::of_run("the link has ended").into()),
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

/// A link with its target, session and command queue.
pub struct Side {
    log: Arc<RawLog>,
    session: Arc<Session>,
    control: Arc<Control>,
    sender: Option<LinkSender>,
    traffic: RefCell<Traffic>,
    /// Bytes per second, if known.
    line_rate: Option<u64>,
}

impl Side {
    /// The first link of a target.
    pub fn open(target: &LinkedTarget, (decoder, options): &Chosen, settings: &Settings) -> Result<Side, Failure> {
        let Some((link, log)) = target.links.first().zip(target.logs.first()) else {
            return Err(Failure::usage("there is no link to send commands on"));
        };
        let sender = link.sender(0);
        let session_options =
            SessionOptions { core: link.spec().core, memory: settings.row_memory(), ..SessionOptions::default() };
        // Rows are polled, so nobody needs to be woken.
        let (wake, _) = bounded(1);
        let session = Session::start(log.clone(), decoder.clone(), options.clone(), session_options, wake.clone());
        let session = session.map_err(Failure::options)?;
        let control = Control::start(log.clone(), session.follow(), sender.clone(), wake);
        let line_rate = link.facts().line_rate.map(u64::from);
        let (session, control) = (Arc::new(session), Arc::new(control));
        Ok(Side { log: log.clone(), session, control, sender, traffic: RefCell::default(), line_rate })
    }

    /// Serves front ends with this target. Errors: there are none for its protocol, or the address is taken (3).
    pub fn serve(&self, address: SocketAddr) -> Result<ServedSide, Failure> {
        let server = FrontEndServer::start(address, &self.session.current(), &self.control);
        let server = server.map_err(Failure::input)?;
        failure::say(&format!("front ends are served at udp {}", server.status().address));
        Ok(ServedSide { server, _session: self.session.clone() })
    }

    /// Position up to which the link has received; `None` for a file, which is complete, and for an ended link.
    fn received(&self) -> Option<u64> {
        (!self.log.ended() && self.log.file_path().is_none()).then(|| self.log.len())
    }

    fn advice(&self, rate: Option<u64>) -> Advice {
        let decoding = self.session.current();
        let state = decoding.read();
        advise(&Question {
            info: &decoding.decoder.info,
            dictionary: &state.dictionary,
            known: &self.control.status().filter,
            window: &self.traffic.borrow().busiest(),
            capacity: rate.or(self.line_rate),
        })
    }
}

/// A target with its front end.
pub struct ServedSide {
    pub server: FrontEndServer,
    /// Commands are encoded by what it decodes.
    _session: Arc<Session>,
}

#[derive(Debug, Clone)]
struct Mark {
    decoding: Arc<Decoding>,
    rows: u64,
    /// Decoded up to this position.
    pos: u64,
}

impl Mark {
    /// For a file, which is complete, the beginning: decoding progress depends on the machine.
    fn now(side: &Side) -> Mark {
        let start = Mark::start(side);
        match side.log.file_path() {
            Some(_) => start,
            None => Mark { rows: start.decoding.len(), pos: start.decoding.pos(), ..start },
        }
    }

    fn start(side: &Side) -> Mark {
        Mark { rows: 0, pos: 0, decoding: side.session.current() }
    }

    /// The first row since then, even if everything was decoded again.
    fn first(&self, now: &Arc<Decoding>) -> u64 {
        let known = if Arc::ptr_eq(&self.decoding, now) { self.rows } else { 0 };
        rows_before(now, |pos| pos < self.pos).max(known)
    }
}

#[derive(Debug, Default)]
struct Search {
    decoding: Option<Arc<Decoding>>,
    /// Name changes: under another name, an earlier row may pass.
    names: u64,
    /// The first row not examined yet.
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

fn unmet(decoding: &Arc<Decoding>, mark: &Mark, expr: &Expr, ended: bool) -> ScriptProblem {
    let rows = grouped(decoding.len().saturating_sub(mark.first(decoding)));
    let state = decoding.read();
    let decoder = &decoding.decoder;
    let why = why_nothing_matches(expr, &decoder.info, &decoder.formatting, &[&state.dictionary]);
    let why = why.map_or_else(String::new, |why| format!("; {why}"));
    let since = if decoding.log.file_path().is_some() { "" } else { " since the line before" };
    let end = if ended { ", and no more will arrive" } else { "" };
    ScriptProblem::of_run(format!("0 of {rows} rows{since}{end}{why}"))
}

/// The filters set by lines, on their way to the output.
#[derive(Debug, Default)]
struct NextFilters(Mutex<VecDeque<WantedFilter>>);

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
    /// Applies a filter to everything received from now on; for a file, to everything not read yet.
    fn push(&self, expr: Expr, sides: &[Side]) {
        let mut list = self.0.lock();
        let from = |side: &Side| Some(From { log: side.log.clone(), pos: side.received()?, is_reached: false });
        list.push_back(WantedFilter { from: sides.iter().filter_map(from).collect(), expr });
    }

    /// Removes the filters that begin up to this position; returns the last of them and the position up to which the
    /// log can be read.
    fn take(&self, log: &Arc<RawLog>, pos: u64) -> (Option<Expr>, u64) {
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
        // It waits for the second one; a log without filters does not wait.
        assert_eq!(
            [take(&first, 100), take(&second, 10), take(&other, 0)],
            [100, 50, u64::MAX].map(|until| (None, until))
        );
        assert_eq!(take(&second, 50), (Some("obj:a".to_owned()), 80));
        assert_eq!([take(&second, 80), take(&second, 80)], [80; 2].map(|until| (None, until)));
        assert_eq!(take(&first, 100), (Some("obj:b".to_owned()), u64::MAX));
        // In a file, the filter applies to what is read next.
        push("obj:a", &[]);
        push("obj:b", &[]);
        assert_eq!(take(&other, 7), (Some("obj:b".to_owned()), u64::MAX));
    }
}
