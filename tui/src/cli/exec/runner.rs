//! Runs the lines of a script, one after the other.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use spytui_engine::{
    control::{BYTES_TIME, Control},
    link::LinkSender,
    log::RawLog,
    query::Expr,
    session::Session,
};

use super::{
    expect::{self, Mark},
    link_wait::LinkWait,
    printing::NextFilter,
    problem::{Ending, Problem, Stopped},
    script::{Line, Next, Script},
    step::{self, Step},
    target,
    words::ScriptWords,
};
use crate::model::target::expanded;

/// How often everything that is waited for is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Everything that lines use.
pub(super) struct Runner {
    pub(super) log: Arc<RawLog>,
    pub(super) session: Session,
    pub(super) control: Control,
    pub(super) sender: Option<LinkSender>,
    pub(super) link_wait: LinkWait,
    pub(super) words: ScriptWords,
    /// Somebody wants the program to end.
    pub(super) stops: [Arc<AtomicBool>; 2],
    pub(super) filter: Filter,
}

/// The filter of what is printed.
pub(super) struct Filter {
    pub(super) next: Arc<NextFilter>,
    pub(super) current: Expr,
    pub(super) previous: Expr,
}

impl Filter {
    fn set(&mut self, expr: Option<Expr>) {
        let expr = expr.unwrap_or_else(|| self.previous.clone());
        self.previous = std::mem::replace(&mut self.current, expr);
        self.next.set(self.current.clone());
    }
}

impl Runner {
    /// Waits for the link, sends the filter of the start, runs the script.
    pub(super) fn run(mut self, first: Option<String>, script: Option<Script>) -> Result<(), Ending> {
        let at_start =
            |what: &'static str| move |stopped: Stopped| stopped.ending(|problem| format!("{what}: {problem}"));
        self.until_up()?;
        if let Some(spec) = first {
            self.send(&format!("filter {spec}"), "start").map_err(at_start("--target-filter"))?;
        }
        let Some(mut script) = script else { return Ok(()) };
        let mut before = Mark::start(&self.session);
        loop {
            let line = match script.next(LOOK) {
                Next::Line(line) => line,
                Next::Bad(bad) => return Err(Ending::Failed(format!("{}:{}: {}", script.name, bad.number, bad.why))),
                Next::NotYet => {
                    self.go_on().map_err(at_start("reading the script"))?;
                    continue;
                }
                Next::End => return Ok(()),
            };
            let now = Mark::now(&self.session);
            let done = self.line(&line, &before);
            let place = format!("{}:{}", script.name, line.number);
            match done.map_err(|stopped| stopped.ending(|problem| problem.in_line(&place, &line.text)))? {
                Done::Nothing => {}
                Done::Line => before = now,
                Done::Quit => return Ok(()),
            }
        }
    }

    fn line(&mut self, line: &Line, before: &Mark) -> Result<Done, Stopped> {
        match step::read(&line.text, &self.words)? {
            None => return Ok(Done::Nothing),
            Some(Step::Quit) => return Ok(Done::Quit),
            Some(Step::Filter(expr)) => self.filter.set(expr),
            Some(Step::Wait(time)) => self.wait(time)?,
            Some(Step::Expect { expr, within }) => {
                expect::run(&self.session, before, (&expr, within), || self.pause())?;
            }
            Some(Step::Target { line, column }) => {
                let (line, longer) = expanded(&line);
                let place = |own: usize| column.map_or(0, |before| before + own.saturating_sub(longer));
                self.send(&line, "script").map_err(|stopped| match stopped {
                    Stopped::Failed(problem) => Stopped::Failed(problem.placed(place)),
                    Stopped::Asked => Stopped::Asked,
                })?;
            }
        }
        Ok(Done::Line)
    }

    fn send(&self, line: &str, origin: &str) -> Result<(), Stopped> {
        target::run((&self.control, &self.session), (line, origin), || self.pause())
    }

    /// Waits until there is somebody to send to, and for the first bytes; a link that only reads is there at once.
    fn until_up(&self) -> Result<(), Ending> {
        let failed = |stopped: Stopped| stopped.ending(|problem| format!("waiting for the link: {problem}"));
        while self.sender.as_ref().is_some_and(|sender| !sender.is_up()) {
            self.has_target().and_then(|()| self.pause()).map_err(failed)?;
            self.link_wait.look(self.sender.as_ref()).map_err(Ending::NoLink)?;
        }
        let up = Instant::now();
        while self.sender.is_some() && self.log.is_empty() && up.elapsed() < BYTES_TIME {
            self.pause().map_err(failed)?;
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

    /// Fails when a link with a target is at its end.
    fn has_target(&self) -> Result<(), Stopped> {
        match self.sender.is_some() && self.log.ended() {
            true => Err(Problem::of_run("the link has ended").into()),
            false => Ok(()),
        }
    }

    fn pause(&self) -> Result<(), Stopped> {
        std::thread::sleep(LOOK);
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
    Quit,
}
