//! `spytui record`: a link to NAME.bin and NAME.meta, until it ends or a signal arrives; and the recordings of any run
//! without a screen. A failed recording is reported on standard error at once; the others and the run continue.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, sync_channel},
    },
    thread,
    time::Duration,
};

use spytui_engine::{
    decode::{
        Chosen, Opener,
        guess::{self, SAMPLE},
    },
    io::{
        link::{Link, LinkOptions, LinkSource, LinkSpec},
        log::{Delivery, MetaHead, RawLog, RecordPhase, RecordState, Recorder},
    },
    open::Registry,
    present::clock::grouped,
};
use spytui_plugin_api::Source;

use super::{
    args::{AUTO, DecoderArgs, DemoArgs, RecordArgs, RowFormat, WriteArgs},
    decoders,
    failure::{self, Failure, Stop},
    formats,
    links::{self, LinkedTarget},
    settings::Settings,
    tee::Tee,
};
use crate::{
    demo,
    recording::{self, Destination, RecordedSource, RecordingPlan, SourceName},
    writing::{ONE_SOURCE, WrittenFiles},
};

const LOOK: Duration = Duration::from_millis(100);

/// Runs the command, and delivers what is finished on a thread of its own. Errors: usage (2), link or disk (3).
pub fn run(args: &RecordArgs, settings: &Settings) -> Result<u8, Failure> {
    let (Some(name), Some(to)) = (args.name.clone(), args.deliver.clone()) else {
        return record(args, settings, &|| {});
    };
    let from = Path::new(".").join(settings.config.text("record.dir"));
    let delivery = Delivery { from, name, to, keep: args.keep, ..Delivery::default() };
    let (finished, woken) = sync_channel(1);
    thread::scope(|scope| {
        let deliver = scope.spawn(move || deliver(delivery, &woken));
        let code = record(args, settings, &|| finished.try_send(()).unwrap_or_default());
        drop(finished);
        // What is left must not be taken away from a thread that copies.
        let is_delivered = deliver.join().unwrap_or(false);
        code.map(|code| if is_delivered { code } else { 3 })
    })
}

/// Delivers at the start, whenever files are finished, and at the end; returns whether everything was delivered.
fn deliver(mut delivery: Delivery, woken: &Receiver<()>) -> bool {
    let (mut failed, mut is_over) = (None, false);
    loop {
        let failure = delivery.run().err();
        // Said once, however often it is tried again.
        failure.iter().filter(|_| failure != failed).for_each(failure::say);
        failed = failure;
        if is_over {
            break;
        }
        is_over = woken.recv().is_err();
    }
    let [moved, deleted] = [delivery.moved, delivery.deleted].map(grouped);
    failure::say(&format!("{}: recordings delivered {moved}, old ones deleted {deleted}", delivery.to.display()));
    failed.is_none()
}

/// Records. Further senders of a link with several streams are recorded to separate files. `finished` is called when files
/// may be finished. Errors: usage (2), link or disk (3).
fn record(args: &RecordArgs, settings: &Settings, finished: &dyn Fn()) -> Result<u8, Failure> {
    args.demo.check()?;
    let spec = args.demo.proto.is_none().then(|| links::one(&args.link)).transpose()?;
    // Nothing decodes here, so nothing is throttled.
    let mut options = LinkOptions { throttle: None, ..settings.link_options(&args.link) };
    let wanted = DecoderArgs { proto: args.proto.clone(), demo: args.demo.proto.clone(), ..DecoderArgs::default() };
    let registry = formats::registry(&wanted, settings);
    let wanted = settings.decoder(&wanted, args.demo.proto.as_deref(), spec.as_slice())?;
    let named = args.proto.as_ref().is_some_and(|proto| proto != AUTO);
    // Recording works even if decoders can't be loaded.
    let registry = match registry {
        Err(failure) if named => return Err(failure),
        registry => registry.unwrap_or_else(|_| Registry::new()),
    };
    let opener = decoders::opener(&registry, settings, &wanted, RowFormat::Native);
    let mut chosen = match opener.named() {
        Err(text) if named => return Err(Failure::usage(text)),
        known => known.unwrap_or(None),
    };
    // If nobody named a decoder, everything received is kept.
    options.frames = chosen.as_ref().map(|chosen| decoders::frame_test(&registry, Some(chosen)));
    let link = open(spec, &args.demo, &registry, options)?;
    let mut head = recording::head(link.spec().to_string(), registry.formats.text(), chosen.as_ref());
    head.name = args.name.clone().unwrap_or_default();
    let mut plan = RecordingPlan::new(&settings.config, args.out.as_ref().or(args.named.as_ref()).cloned());
    plan.rotation = args.rotate.or(plan.rotation);
    if let Destination::Automatic(_, target) = &mut plan.destination {
        target.clone_from(&args.name);
    }
    let stop = Stop::install().map_err(Failure::input)?;
    let first = link.sources().remove(0);
    let subject = RecordedSource { name: SourceName::of_link(link.spec()), log: first.log.clone(), head: head.clone() };
    let mut tee = args.tee.as_ref().map(|at| Tee::open(at, &first.log)).transpose()?;
    let recordings = Recordings::start(plan, vec![subject])?;
    let mut recorded = Recorded { recordings, head, sources: 1, opener, looked: 0 };
    if let Some(chosen) = &chosen {
        recorded.recordings.read_with(chosen);
    }
    // What can't be written besides does not end the recording.
    let mut has_failed = false;
    let mut start = |chosen: &Option<Chosen>| {
        let chosen = chosen.as_ref()?;
        let mut written = WrittenFiles::of_link(SourceName::of_link(link.spec()).word);
        for file in args.write.files.chunks(1) {
            let started = written.start(file, &first.log, chosen, Source::default());
            has_failed |= started.inspect_err(failure::say).is_err();
        }
        Some(written)
    };
    let mut written = start(&chosen);
    recorded.say_newest(&first);
    let mut files = 0;
    while !stop.flag.load(Ordering::Relaxed) && !recorded.recordings.are_over() {
        recorded.join(&link);
        if chosen.is_none() {
            chosen = recorded.find_decoder(&link);
            written = start(&chosen);
        }
        if let Some(written) = &mut written {
            written.take_failures().iter().for_each(failure::say);
        }
        tee.iter_mut().for_each(Tee::look);
        links::say_notes(&link);
        if recorded.recordings.files() > files {
            files = recorded.recordings.files();
            finished();
        }
        thread::sleep(LOOK);
    }
    // Senders that have just joined are recorded, too.
    recorded.join(&link);
    if chosen.is_none() {
        written = start(&recorded.find_decoder(&link));
    }
    let code = match written {
        Some(mut written) => finish_written(&mut written, if has_failed { 3 } else { stop.code() }, &stop),
        None if args.write.files.is_empty() => stop.code(),
        None => return Err(Failure::usage("--write: the bytes show no decoder; name it with --proto NAME")),
    };
    let states = recorded.recordings.finish();
    tee.into_iter().for_each(Tee::finish);
    links::verdict(&link, stop.code() != 0)?;
    states.iter().for_each(|state| failure::say(&format!("{} bytes in {}", grouped(state.bytes), state.names())));
    Ok(recorded.recordings.code(code))
}

/// Opens the link, or the demo if there is none.
fn open(spec: Option<LinkSpec>, demo: &DemoArgs, registry: &Registry, options: LinkOptions) -> Result<Link, Failure> {
    let Some(spec) = spec else {
        let proto = demo.proto.as_deref().unwrap_or_default();
        return demo::open(proto, demo.faults.as_deref(), registry, options).map_err(Failure::usage);
    };
    Link::open(spec, options).map_err(Failure::input)
}

/// Starts the files of a run. Errors: there are several sources (2), or one can't be written (3).
pub fn start_written(
    args: &WriteArgs,
    sources: &[(&LinkSpec, &Arc<RawLog>)],
    chosen: &Chosen,
) -> Result<WrittenFiles, Failure> {
    match sources {
        [(link, log)] => {
            let mut written = WrittenFiles::of_link(SourceName::of_link(link).word);
            written.start(&args.files, log, chosen, Source::default()).map_err(Failure::input)?;
            Ok(written)
        }
        _ if args.files.is_empty() => Ok(WrittenFiles::default()),
        _ => Err(Failure::usage(ONE_SOURCE)),
    }
}

/// Completes the files of a run, until a signal arrives; returns its exit code.
pub fn finish_written(written: &mut WrittenFiles, code: u8, stop: &Stop) -> u8 {
    while !stop.flag.load(Ordering::Relaxed) && !written.are_over() {
        thread::sleep(LOOK / 10);
    }
    written.finish().1.iter().for_each(failure::say);
    if written.has_failed { 3 } else { code }
}

/// The recordings, and the number of their sources.
struct Recorded<'a> {
    recordings: Recordings,
    head: MetaHead,
    sources: usize,
    opener: Opener<'a>,
    /// Number of bytes when the decoder was last searched.
    looked: u64,
}

impl Recorded<'_> {
    /// The decoder that the bytes of the first source show, if certain. They are examined again when their number has
    /// doubled, and at the end.
    fn find_decoder(&mut self, link: &Link) -> Option<Chosen> {
        let log = link.sources().into_iter().next()?.log;
        let len = log.len();
        if len <= self.looked || len < self.looked.saturating_mul(2) && !log.ended() {
            return None;
        }
        self.looked = len;
        let found = self.opener.of_found(&self.opener.sure(&log)?).ok()?;
        self.recordings.read_with(&found);
        Some(found)
    }

    /// Starts a recording for each source without one, and reports failures.
    fn join(&mut self, link: &Link) {
        self.recordings.look();
        for source in link.sources().into_iter().skip(self.sources) {
            self.sources += 1;
            let number = u16::try_from(source.index).unwrap_or(u16::MAX);
            let name = SourceName::of_word(&source.name);
            let subject = RecordedSource { name, log: Arc::clone(&source.log), head: self.head.clone() };
            if self.recordings.join(number, subject) {
                self.say_newest(&source);
            }
        }
    }

    fn say_newest(&self, source: &LinkSource) {
        if let Some(path) = self.recordings.newest() {
            failure::say(&format!("recording {} to {}", source.name, path.display()));
        }
    }
}

/// The sources of a target to record, with headers from `head`.
pub fn subjects(target: &LinkedTarget, head: impl Fn(&LinkSpec) -> MetaHead) -> Vec<RecordedSource> {
    let subject = |(link, log): (&Link, &Arc<RawLog>)| {
        let spec = link.spec();
        RecordedSource { name: SourceName::of_link(spec), log: log.clone(), head: head(spec) }
    };
    target.links.iter().zip(&target.logs).map(subject).collect()
}

#[derive(Debug)]
pub struct Recordings {
    plan: RecordingPlan,
    list: Vec<Recording>,
    /// Decoder and options, as far as known without the bytes.
    chosen: Option<Chosen>,
    failed: bool,
}

#[derive(Debug)]
struct Recording {
    recorder: Recorder,
    log: Arc<RawLog>,
    /// The recording's header says how to read it.
    named: bool,
    said: bool,
}

impl Recordings {
    /// Starts recording the present sources. Errors: a name is taken, or no file can be created (3).
    pub fn start(plan: RecordingPlan, subjects: Vec<RecordedSource>) -> Result<Recordings, Failure> {
        let logs: Vec<Arc<RawLog>> = subjects.iter().map(|subject| subject.log.clone()).collect();
        let started = plan.start(subjects).map_err(Failure::input)?;
        let mut recordings = Recordings { plan, list: Vec::new(), chosen: None, failed: false };
        for (log, started) in logs.into_iter().zip(started) {
            match started {
                Ok((recorder, _)) => recordings.add(recorder, log),
                Err(text) => recordings.fail(&text),
            }
        }
        Ok(recordings)
    }

    /// Records a source that joined, by its number; `false` if that is impossible.
    pub fn join(&mut self, number: u16, subject: RecordedSource) -> bool {
        let log = subject.log.clone();
        match self.plan.join(number, subject) {
            Ok(recorder) => {
                self.add(recorder, log);
                true
            }
            Err(text) => {
                self.fail(&text);
                false
            }
        }
    }

    /// File of the recording started last.
    pub fn newest(&self) -> Option<PathBuf> {
        self.list.last().map(|one| one.recorder.state().path)
    }

    /// Number of files; one more says that another is finished.
    pub fn files(&self) -> u64 {
        self.list.iter().map(|one| one.recorder.state().files).sum()
    }

    fn add(&mut self, recorder: Recorder, log: Arc<RawLog>) {
        self.list.push(Recording { recorder, log, named: false, said: false });
    }

    /// Sets the decoder and options for reading them, plus options guessed from each.
    pub fn read_with(&mut self, chosen: &Chosen) {
        self.chosen = Some(chosen.clone());
    }

    /// Writes into the headers how to read them, once the sample for a guess is complete; `last` = no more bytes will
    /// arrive.
    fn name(&mut self, last: bool) {
        let Some(chosen) = &self.chosen else { return };
        let has_sample = |log: &RawLog| log.ended() || log.len() >= SAMPLE as u64;
        for one in self.list.iter_mut().filter(|one| !one.named && (last || has_sample(&one.log))) {
            one.name(chosen);
        }
    }

    /// Reports recordings that failed since the last call, and updates headers.
    pub fn look(&mut self) {
        self.name(false);
        let fresh: Vec<String> = self.list.iter_mut().filter_map(Recording::new_failure).collect();
        fresh.iter().for_each(|text| self.fail(text));
    }

    fn fail(&mut self, text: &str) {
        self.failed = true;
        failure::say(text);
    }

    /// `true` if none is being written any more.
    pub fn are_over(&self) -> bool {
        self.list.iter().all(|one| one.recorder.state().phase != RecordPhase::Recording)
    }

    /// Completes all recordings and reports failures.
    pub fn finish(&mut self) -> Vec<RecordState> {
        self.name(true);
        let states = self.list.iter_mut().map(|one| one.recorder.stop()).collect();
        self.look();
        states
    }

    /// The exit code of the run; that of a failed recording takes precedence.
    pub fn code(&self, code: u8) -> u8 {
        if self.failed { 3 } else { code }
    }
}

impl Recording {
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
