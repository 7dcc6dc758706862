//! The recordings of a run without a screen: of every source, also of those that join. One that fails says why on
//! standard error at once; the others go on, and so does the run.

use std::{path::PathBuf, sync::Arc};

use spytui_engine::{
    link::{Link, LinkSpec},
    log::{MetaHead, RawLog, RecordPhase, RecordState, Recorder},
};

use super::{
    failure::{self, Failure},
    links::Target,
};
use crate::recording::{Plan, SourceName};

/// A source to record.
#[derive(Debug)]
pub struct Subject {
    /// Its name.
    pub name: SourceName,
    /// Its log.
    pub log: Arc<RawLog>,
    /// Header of the recording.
    pub head: MetaHead,
}

/// The sources of a target, to be recorded with the headers that `head` gives them.
pub fn subjects(target: &Target, head: impl Fn(&LinkSpec) -> MetaHead) -> Vec<Subject> {
    let subject = |(link, log): (&Link, &Arc<RawLog>)| {
        let spec = link.spec();
        Subject { name: SourceName::of_link(spec), log: log.clone(), head: head(spec) }
    };
    target.links.iter().zip(&target.logs).map(subject).collect()
}

/// The recordings of a run.
#[derive(Debug)]
pub struct Recordings {
    plan: Plan,
    list: Vec<Recording>,
    failed: bool,
}

#[derive(Debug)]
struct Recording {
    recorder: Recorder,
    /// Its failure was said.
    said: bool,
}

impl Recordings {
    /// Starts those of the sources that are there.
    ///
    /// # Errors
    /// A name is taken, or no file can be made at all (3).
    pub fn start(plan: Plan, subjects: Vec<Subject>) -> Result<Recordings, Failure> {
        let names: Vec<SourceName> = subjects.iter().map(|subject| subject.name.clone()).collect();
        let paths = plan.destination.paths(&names).map_err(Failure::input)?;
        let mut recordings = Recordings { plan, list: Vec::new(), failed: false };
        let mut failures = Vec::new();
        for (subject, path) in subjects.into_iter().zip(&paths) {
            match recordings.plan.start(subject.log, path, subject.head) {
                Ok(recorder) => recordings.add(recorder),
                Err(error) => failures.push(error.to_string()),
            }
        }
        if recordings.list.is_empty() && !failures.is_empty() {
            return Err(Failure::input(failures.join("; ")));
        }
        failures.iter().for_each(|text| recordings.fail(text));
        Ok(recordings)
    }

    /// Records a source that joined, by its number; `false` if that is not possible.
    pub fn join(&mut self, number: u16, subject: Subject) -> bool {
        let started = self.plan.join(subject.log, number, &subject.name, subject.head);
        match started {
            Ok(recorder) => {
                self.add(recorder);
                true
            }
            Err(error) => {
                self.fail(&format!("{} is not recorded: {error}", subject.name.word));
                false
            }
        }
    }

    /// File of the recording that was started last.
    pub fn newest(&self) -> Option<PathBuf> {
        self.list.last().map(|one| one.recorder.state().path)
    }

    fn add(&mut self, recorder: Recorder) {
        self.list.push(Recording { recorder, said: false });
    }

    /// Says what failed since the last look.
    pub fn look(&mut self) {
        let fresh: Vec<String> = self.list.iter_mut().filter_map(Recording::new_failure).collect();
        fresh.iter().for_each(|text| self.fail(text));
    }

    fn fail(&mut self, text: &str) {
        self.failed = true;
        failure::say(text);
    }

    /// `true` if none is written any more.
    pub fn are_over(&self) -> bool {
        self.list.iter().all(|one| one.recorder.state().phase != RecordPhase::Recording)
    }

    /// Writes the rest and ends them all; says what failed.
    pub fn finish(&mut self) -> Vec<RecordState> {
        let states = self.list.iter_mut().map(|one| one.recorder.stop()).collect();
        self.look();
        states
    }

    /// The exit code of the run: that of a failed recording goes first.
    pub fn code(&self, code: u8) -> u8 {
        if self.failed { 3 } else { code }
    }
}

impl Recording {
    fn new_failure(&mut self) -> Option<String> {
        let state = self.recorder.state();
        let failure = state.failure().filter(|_| !self.said)?;
        self.said = true;
        Some(format!("{}: {failure}", state.path.display()))
    }
}
