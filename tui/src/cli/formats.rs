//! Format files: where they are, `--fmt`, and `spytui formats`.

use std::{fmt::Write as _, path::PathBuf, sync::Arc, thread, time::Duration};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use spytui_engine::{
    io::format_files::{FormatFiles, FormatPaths, FormatSet},
    open::Registry,
};

use super::{
    args::{DecoderArgs, FormatsArgs, FormatsCommand},
    decoders,
    failure::{self, Failure},
    output,
    settings::Settings,
};
use crate::demo;

/// Format files that are part of the program.
const BUILT_IN: [(&str, &str); 1] = [("built-in example.fmt", include_str!("../../../config/formats/example.fmt"))];
/// Time between two looks at files that may change.
const LOOK: Duration = Duration::from_millis(300);
/// Time that an editor gets to write a file which it empties or removes first.
const WRITING: Duration = Duration::from_millis(100);
/// Wrong lines printed on standard error; the others are counted.
const MOST_PRINTED: usize = 10;

/// The format files of this run.
/// Errors: a named file can't be read (2).
fn files(args: &DecoderArgs, settings: &Settings) -> Result<FormatFiles, Failure> {
    let folders = [&settings.folders.system, &settings.folders.user].into_iter().flatten();
    let files = FormatFiles::new(FormatPaths {
        built_in: built_in(args),
        folders: folders.map(|folder| folder.join("formats")).collect(),
        named: args.formats.clone(),
    });
    files.unreadable().map_or(Ok(files), |why| Err(Failure::usage(format!("--fmt {why}"))))
}

/// What other files replace: lines of the program, of the demo, and those that a recording keeps.
fn built_in(args: &DecoderArgs) -> Vec<(String, String)> {
    let own = BUILT_IN.into_iter().chain(args.demo.as_deref().and_then(demo::formats));
    let own = own.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let kept = Some(&args.recorded_formats).filter(|text| !text.is_empty());
    own.chain(kept.map(|text| ("the recording's formats".to_owned(), text.clone()))).collect()
}

/// The decoders with plugins and format files; says which lines are wrong.
/// Errors: a plugin file named is refused (4), a format file named can't be read (2).
pub fn registry(args: &DecoderArgs, settings: &Settings) -> Result<Registry, Failure> {
    let (registry, _) = read(args, settings)?;
    say_faults(registry.formats());
    Ok(registry)
}

/// The decoders with plugins and format files, and the files, which may change.
/// Errors: as for [`registry`].
pub fn read(args: &DecoderArgs, settings: &Settings) -> Result<(Registry, FormatFiles), Failure> {
    let mut registry = decoders::registry(&args.plugins.plugins, settings)?;
    let mut files = files(args, settings)?;
    registry.set_formats(Arc::new(files.read()));
    Ok((registry, files))
}

/// Says on standard error which lines are wrong.
pub fn say_faults(set: &FormatSet) {
    set.faults.iter().take(MOST_PRINTED).for_each(failure::say);
    if set.faults.len() > MOST_PRINTED {
        failure::say(&format!("{} more wrong lines in format files", set.faults.len() - MOST_PRINTED));
    }
}

/// Watches format files on a thread of its own, because a slow file system must not stop the screen.
pub struct FormatWatch {
    changes: Receiver<FormatSet>,
    named: Sender<PathBuf>,
}

impl FormatWatch {
    /// Watches files that were read; `None` without a thread. `wake` gets a message when they changed.
    pub fn start(mut files: FormatFiles, wake: Sender<()>) -> Option<FormatWatch> {
        let (send, changes) = bounded(1);
        let (named, names) = unbounded();
        let watch = move || {
            loop {
                match names.recv_timeout(LOOK) {
                    Ok(path) => files.add(path),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if files.have_changed() {
                    thread::sleep(WRITING);
                    // Nobody takes it any more when the program ends.
                    if send.send(files.read()).is_err() {
                        return;
                    }
                    let _ = wake.try_send(());
                }
            }
        };
        thread::Builder::new().name("formats".into()).spawn(watch).ok()?;
        Some(FormatWatch { changes, named })
    }

    /// Reads a file or folder, too.
    /// Errors: it can't be read; in words.
    pub fn add(&self, path: PathBuf) -> Result<(), String> {
        let files = FormatFiles::new(FormatPaths { named: vec![path.clone()], ..FormatPaths::default() });
        if let Some(why) = files.unreadable() {
            return Err(why);
        }
        // Without the thread the program is about to end.
        let _ = self.named.send(path);
        Ok(())
    }

    /// What the files say, if they changed.
    pub fn changed(&self) -> Option<Arc<FormatSet>> {
        self.changes.try_recv().ok().map(Arc::new)
    }
}

/// `spytui formats`: lists what is loaded, shadowed, unused; `check` lists wrong lines.
/// Errors: the output failed (3), a file named can't be read (2).
pub fn run(args: &FormatsArgs, settings: &Settings) -> Result<u8, Failure> {
    if let Some(FormatsCommand::Check { paths }) = &args.command {
        return check(paths.clone(), settings);
    }
    let decoder = DecoderArgs { formats: args.formats.clone(), ..DecoderArgs::default() };
    let registry = decoders::registry(&[], settings)?;
    let set = files(&decoder, settings)?.read();
    let mut text = String::new();
    for line in set.listing(&registry.protocols()) {
        let _ = writeln!(text, "{line}");
    }
    for fault in &set.faults {
        let _ = writeln!(text, "wrong: {fault}");
    }
    for folder in [&settings.folders.system, &settings.folders.user].into_iter().flatten() {
        let _ = writeln!(text, "looked in {}", folder.join("formats").display());
    }
    output::print(&text)?;
    Ok(0)
}

/// Lists wrong lines of files; exit code 2 if there are any.
fn check(named: Vec<PathBuf>, settings: &Settings) -> Result<u8, Failure> {
    let mut files = FormatFiles::new(FormatPaths { named, ..FormatPaths::default() });
    if let Some(why) = files.unreadable() {
        return Err(Failure::usage(why));
    }
    let mut set = files.read();
    set.refuse_unknown(&decoders::registry(&[], settings)?.protocols());
    output::print(&report(&set))?;
    Ok(if set.faults.is_empty() { 0 } else { 2 })
}

fn report(set: &FormatSet) -> String {
    let mut text = String::new();
    for fault in &set.faults {
        let _ = writeln!(text, "{fault}");
    }
    for file in &set.files {
        let _ = writeln!(text, "{file}");
    }
    text
}
