//! The thread that runs a script beside the printing.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

use crossbeam_channel::bounded;
use spytui_engine::{
    device::control::{Control, READ_ONLY},
    io::link::LinkKind,
    open::Chosen,
    query::{Expr, Vocabulary},
    trace::{
        session::{Session, SessionOptions},
        stream::NextFilter,
    },
};

use super::{
    runner::{LinkWait, NextFilters, Runner, ShownFilter, Side},
    script::{Script, ScriptWords, Stopped},
};
use crate::cli::{
    args::Args,
    failure::{Failure, Stop},
    links::{self, Target},
    settings::Settings,
};

/// Several links were named.
pub const ONE_LINK: &str = "--target-filter goes to one target: with several links --exec has `target #2 filter …`";

/// What the arguments ask for.
#[derive(Debug)]
pub struct Plan {
    /// Target filter to send at the start.
    first: Option<String>,
    script: Option<Script>,
    link_wait: LinkWait,
}

impl Plan {
    /// Reads the script.
    /// Errors: it can't be read, there are several links, stdin is to be both trace and script (2).
    pub fn of_args(args: &Args, settings: &Settings) -> Result<Option<Plan>, Failure> {
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
        Ok(Some(Plan { first, script, link_wait: LinkWait::start(settings) }))
    }

    /// Looks whether the link came in time, as long as nothing is run yet.
    /// Errors: it did not (3).
    pub fn look_for_link(&self, target: Option<&Target>) -> Result<(), Failure> {
        let sender = target.and_then(|target| target.links.first()).and_then(|link| link.sender(0));
        self.link_wait.look(sender.as_ref()).map_err(Failure::input)
    }

    /// Looks for mistakes before anything is sent.
    fn check(&self, words: &ScriptWords, reads_only: Option<&str>) -> Result<(), String> {
        if let (Some(why), Some(_)) = (reads_only, &self.first) {
            return Err(format!("--target-filter: {why}"));
        }
        self.script.as_ref().map_or(Ok(()), |script| script.check(words, reads_only))
    }
}

/// Looks for mistakes in the text of a script for one target, without a target.
pub fn check(text: &[u8], vocabulary: &Vocabulary, settings: &Settings) -> Result<(), Failure> {
    let words = ScriptWords::new(vocabulary.clone(), settings, 1);
    Script::of("script".to_owned(), text)?.check(&words, None).map_err(expectation)
}

/// What a script is run with.
pub struct Around<'a> {
    /// The targets; a line is for the first one unless it names another.
    pub targets: &'a [Target],
    pub chosen: &'a Chosen,
    /// What filters may name.
    pub vocabulary: Vocabulary,
    pub filter: &'a Expr,
    pub settings: &'a Settings,
    /// Set by signals.
    pub stop: &'a Stop,
}

#[derive(Debug)]
pub struct Conductor {
    next: Arc<NextFilters>,
    /// The script is at its end.
    over: Arc<AtomicBool>,
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), Stopped>>>,
}

impl Conductor {
    /// Starts.
    /// Errors: a line is wrong, or the link can't send (1); the options do not fit together (2).
    pub fn start(plan: Plan, around: &Around<'_>) -> Result<Conductor, Failure> {
        let sides = around.targets.iter().map(|target| side(target, around)).collect::<Result<Vec<Side>, Failure>>()?;
        let words = ScriptWords::new(around.vocabulary.clone(), around.settings, sides.len());
        let reads_only = sides.iter().all(|side| side.sender.is_none()).then_some(READ_ONLY);
        plan.check(&words, reads_only).map_err(expectation)?;
        let conductor = Conductor { next: Arc::default(), over: Arc::default(), cancel: Arc::default(), thread: None };
        let current = around.filter.clone();
        let filter = ShownFilter { next: conductor.next.clone(), current, previous: Expr::everything() };
        let stops = [around.stop.flag.clone(), conductor.cancel.clone()];
        let link_wait = plan.link_wait;
        let logs: Vec<_> = sides.iter().map(|side| side.log.clone()).collect();
        let runner = Runner { sides, link_wait, words, stops, filter };
        let over = conductor.over.clone();
        let thread = std::thread::Builder::new().name("script".to_owned()).spawn(move || {
            let Plan { first, script, .. } = plan;
            let ends_run = script.is_some();
            let result = runner.run(first, script);
            if ends_run || result.is_err() {
                over.store(true, Ordering::Release);
                logs.iter().for_each(|log| log.wake());
            }
            result
        });
        let thread = thread.map_err(|error| Failure::input(format!("no thread for the script: {error}")))?;
        Ok(Conductor { thread: Some(thread), ..conductor })
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// The filters that lines ask for.
    pub fn filters(&self) -> NextFilter<'static> {
        let next = self.next.clone();
        Box::new(move |log, pos| next.take(log, pos))
    }

    /// Waits for the last line; with `cancel` it is given up.
    /// Errors: a line failed (1), or the link did not come up (3).
    pub fn finish(mut self, cancel: bool) -> Result<(), Failure> {
        self.cancel.store(cancel, Ordering::Relaxed);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Err(Stopped::Failed(problem)))) => Err(expectation(problem.message)),
            Some(Ok(Err(Stopped::NoLink(text)))) => Err(Failure::input(text)),
            Some(Err(_)) => Err(Failure::decoder("the script's thread failed")),
            _ => Ok(()),
        }
    }
}

/// The first link of a target, with a session and a command queue of its own.
fn side(target: &Target, around: &Around<'_>) -> Result<Side, Failure> {
    let Some((link, log)) = target.links.first().zip(target.logs.first()) else {
        return Err(Failure::usage("there is no link to send commands on"));
    };
    let sender = link.sender(0);
    let (decoder, options) = around.chosen.clone();
    let session_options =
        SessionOptions { core: link.spec().core, memory: around.settings.row_memory(), ..SessionOptions::default() };
    // Rows are looked for now and then, so nobody needs to be woken.
    let (wake, _) = bounded(1);
    let session = Session::start(log.clone(), decoder, options, session_options, wake.clone());
    let session = session.map_err(Failure::options)?;
    let control = Control::start(log.clone(), session.follow(), sender.clone(), wake);
    let line_rate = link.facts().line_rate.map(u64::from);
    Ok(Side { log: log.clone(), session, control, sender, traffic: RefCell::default(), line_rate })
}

fn expectation(text: String) -> Failure {
    Failure { code: 1, text }
}
