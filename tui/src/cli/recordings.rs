//! The recordings of a run without a screen: of every source, also of those that join. One that fails says why on
//! standard error at once; the others go on, and so does the run.

use std::{path::PathBuf, sync::Arc};

use spytui_engine::{
    io::link::{Link, LinkSpec},
    io::log::{MetaHead, RawLog, RecordPhase, RecordState, Recorder},
    open::{
        Chosen,
        guess::{self, SAMPLE},
    },
};

use super::{
    failure::{self, Failure},
    links::Target,
};
use crate::recording::{Plan, SourceName};

/// A source to record.
#[derive(Debug)]
pub struct Subject {
    pub name: SourceName,
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
    /// Decoder and options, as far as they are known without the bytes.
    chosen: Option<Chosen>,
    failed: bool,
}

#[derive(Debug)]
struct Recording {
    recorder: Recorder,
    log: Arc<RawLog>,
    /// Its header names how it is to be read.
    named: bool,
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
        let mut recordings = Recordings { plan, list: Vec::new(), chosen: None, failed: false };
        let mut failures = Vec::new();
        for (subject, path) in subjects.into_iter().zip(&paths) {
            match recordings.plan.start(subject.log.clone(), path, subject.head) {
                Ok(recorder) => recordings.add(recorder, subject.log),
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
        let started = self.plan.join(subject.log.clone(), number, &subject.name, subject.head);
        match started {
            Ok(recorder) => {
                self.add(recorder, subject.log);
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

    fn add(&mut self, recorder: Recorder, log: Arc<RawLog>) {
        self.list.push(Recording { recorder, log, named: false, said: false });
    }

    /// They are to be read with this decoder, these options, and those that are guessed from each.
    pub fn read_with(&mut self, chosen: &Chosen) {
        self.chosen = Some(chosen.clone());
    }

    /// Names in the headers how to read them, where all that is looked at for a guess is there; `last`: no more comes.
    fn name(&mut self, last: bool) {
        let Some(chosen) = &self.chosen else { return };
        for one in self.list.iter_mut().filter(|one| !one.named && (last || one.has_sample())) {
            one.name(chosen);
        }
    }

    /// Says what failed since the last look, and names in the headers what turned out.
    pub fn look(&mut self) {
        self.name(false);
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
        self.name(true);
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
    fn has_sample(&self) -> bool {
        self.log.ended() || self.log.len() >= SAMPLE as u64
    }

    fn name(&mut self, (decoder, options): &Chosen) {
        self.named = true;
        let guessed = guess::of_target(decoder, options, std::slice::from_ref(&self.log));
        let options = guessed.map_or_else(|| options.clone(), |(guessed, _)| guessed);
        // Without it, whoever opens the recording guesses from its bytes.
        let _ = self.recorder.name(&decoder.info.id, &options.to_keep(&decoder.info));
    }

    fn new_failure(&mut self) -> Option<String> {
        let state = self.recorder.state();
        let failure = state.failure().filter(|_| !self.said)?;
        self.said = true;
        Some(format!("{}: {failure}", state.path.display()))
    }
}
