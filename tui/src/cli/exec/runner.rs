//! Runs the lines of a script, one after the other.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use spytui_engine::{
    device::{
        control::BYTES_TIME,
        line::{TargetLine, expanded, needs_reset_for_names},
    },
    query::Expr,
};

use super::{
    advice,
    expect::{self, Mark},
    filters::NextFilters,
    link_wait::LinkWait,
    problem::{Problem, Stopped},
    script::{Line, Next, Script},
    statistics,
    step::{self, Step},
    target::{self, Side},
    words::ScriptWords,
};
use crate::model::target::NAMES_BY_RESET;

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
    pub(super) filter: Filter,
}

/// The filter of what is printed.
pub(super) struct Filter {
    pub(super) next: Arc<NextFilters>,
    pub(super) current: Expr,
    pub(super) previous: Expr,
}

impl Filter {
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
        match step::read(&line.text, &self.words)? {
            None => return Ok(Done::Nothing),
            Some(Step::Quit) => return Ok(Done::Quit),
            Some(Step::Filter(expr)) => {
                self.filter.set(expr, &self.sides);
                return Ok(Done::Filter);
            }
            Some(Step::Wait(time)) => self.wait(time)?,
            Some(Step::Findings) => {
                self.sides.iter().try_for_each(|side| statistics::findings(side, || self.pause(), || self.go_on()))?;
            }
            Some(Step::Expect { link, expr, within }) => {
                if let (Some(side), Some(before)) = (self.sides.get(link), before.get(link)) {
                    expect::run(&side.session, before, (&expr, within), || self.pause())?;
                }
            }
            Some(Step::Statistics { link, wanted }) => {
                if let Some(side) = self.sides.get(link) {
                    statistics::statistics(side, &wanted, || self.pause(), || self.go_on())?;
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
        match target::when_named(read, || self.pause())? {
            TargetLine::Advice(rate) => {
                let filter = advice::run(side, rate, || self.pause())?;
                filter.filter(|_| sends).map_or(Ok(()), |filter| self.send(side, &filter, "script"))
            }
            TargetLine::Names if sends => self.send(side, "reset!", "script"),
            TargetLine::Names => {
                let how = format!("{NAMES_BY_RESET}: in a script write dict!, which sends the reset");
                Err(Problem::at(0, how).into())
            }
            // A filter without a change: what is missing is said.
            TargetLine::Show => self.send(side, &expanded(&line).0, "script"),
            TargetLine::Send(prepared) => target::run(&side.control, (*prepared, "script"), || self.pause()),
        }
    }

    fn send(&self, side: &Side, line: &str, origin: &str) -> Result<(), Stopped> {
        let prepared = target::when_named(|| side.control.prepare(line), || self.pause())?;
        target::run(&side.control, (prepared, origin), || self.pause())
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
