//! Format files: their locations, `--fmt`, `spytui formats` and `spytui formats new`.

use std::{ffi::OsString, path::PathBuf, sync::Arc, thread, time::Duration};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use spytui_engine::{
    export::StartingLines,
    io::{
        format_files::{FormatFiles, FormatPaths, FormatSet},
        link::{LinkKind, LinkOptions, LinkSpec},
        log::LogOptions,
        watch::FileWatch,
    },
    open::Registry,
    trace::stream::{Targets, drive_targets},
};

use super::{
    args::{DecoderArgs, FormatsArgs, FormatsCommand, RowFormat},
    decoders,
    failure::{self, Failure, Stop},
    links::{self, LinkedTarget},
    output,
    settings::Settings,
};
use crate::demo;

const BUILT_IN: [(&str, &str); 1] = [("built-in example.fmt", include_str!("../../../config/formats/example.fmt"))];
/// Time for an editor to write a file that it truncates or removes first.
const WRITING: Duration = Duration::from_millis(100);
/// Maximum number of faulty lines printed on standard error; the others are counted.
const MOST_PRINTED: usize = 10;

/// The format files of this run. Errors: a named file can't be read (2).
fn files(args: &DecoderArgs, settings: &Settings) -> Result<FormatFiles, Failure> {
    let folders = [&settings.folders.system, &settings.folders.user].into_iter().flatten();
    let files = FormatFiles::new(FormatPaths {
        built_in: built_in(args),
        folders: folders.map(|folder| folder.join("formats")).collect(),
        named: args.formats.clone(),
    });
    files.unreadable().map_or(Ok(files), |why| Err(Failure::usage(format!("--fmt {why}"))))
}

/// These files and folders, and no others. Errors: a message if one can't be read.
pub fn named(named: Vec<PathBuf>) -> Result<FormatFiles, String> {
    let files = FormatFiles::new(FormatPaths { named, ..FormatPaths::default() });
    files.unreadable().map_or(Ok(files), Err)
}

/// What other files may override: lines of the program, of the demo, and from a recording.
fn built_in(args: &DecoderArgs) -> Vec<(String, String)> {
    let own = BUILT_IN.into_iter().chain(args.demo.as_deref().and_then(demo::formats));
    let own = own.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let kept = Some(&args.recorded_formats).filter(|text| !text.is_empty());
    own.chain(kept.map(|text| ("the recording's formats".to_owned(), text.clone()))).collect()
}

/// The decoders with plugins and format files; reports faulty lines. Errors: a named plugin file is refused (4), a
/// named format file can't be read (2).
pub fn registry(args: &DecoderArgs, settings: &Settings) -> Result<Registry, Failure> {
    let (registry, _) = read(args, settings)?;
    faults(&registry.formats).iter().for_each(failure::say_once);
    Ok(registry)
}

/// The decoders with plugins and format files, and the files, which may change. Errors: as for [`registry`].
pub fn read(args: &DecoderArgs, settings: &Settings) -> Result<(Registry, FormatFiles), Failure> {
    let mut registry = decoders::registry(&args.plugins.plugins, settings)?;
    let mut files = files(args, settings)?;
    registry.set_formats(Arc::new(files.read()));
    Ok((registry, files))
}

/// Messages about faulty lines.
pub fn faults(set: &FormatSet) -> Vec<String> {
    let more = set.faults.len().saturating_sub(MOST_PRINTED);
    let more = (more > 0).then(|| format!("{more} more wrong lines in format files"));
    set.faults.iter().take(MOST_PRINTED).map(ToString::to_string).chain(more).collect()
}

/// Watches format files on its own thread, because a slow file system must not stop the screen.
pub struct FormatWatch {
    changes: Receiver<FormatSet>,
    named: Sender<PathBuf>,
}

impl FormatWatch {
    /// Watches files that were read; `None` without a thread. `wake` is notified when they changed.
    pub fn start(mut files: FormatFiles, wake: Sender<()>) -> Option<FormatWatch> {
        let (send, changes) = bounded(1);
        let (named, names) = unbounded();
        let watch = move || {
            loop {
                let watch = FileWatch::new(files.stamps.iter().map(|(path, _)| path.as_path()));
                if !files.have_changed() {
                    let waited = select! {
                        recv(names) -> path => path.map(|path| files.add(path)),
                        recv(watch.changed) -> _ => Ok(()),
                    };
                    let Ok(()) = waited else { return };
                }
                thread::sleep(WRITING);
                if files.have_changed() {
                    // Nobody receives it once the program ends.
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

    /// Also reads a file or folder. Errors: a message if it can't be read.
    pub fn add(&self, path: PathBuf) -> Result<(), String> {
        named(vec![path.clone()])?;
        // Without the thread, the program is about to end.
        let _ = self.named.send(path);
        Ok(())
    }

    /// The format set, if the files changed.
    pub fn changed(&self) -> Option<Arc<FormatSet>> {
        self.changes.try_recv().ok().map(Arc::new)
    }
}

/// `spytui formats`: lists loaded, shadowed and unused lines; `check` lists faulty lines. Errors: the output failed
/// (3), a named file can't be read (2).
pub fn run(args: &FormatsArgs, settings: &Settings) -> Result<u8, Failure> {
    if let Some(FormatsCommand::Check { paths }) = &args.command {
        return check(paths.clone(), settings);
    }
    let decoder = DecoderArgs { formats: args.formats.clone(), ..DecoderArgs::default() };
    let registry = decoders::registry(&[], settings)?;
    let set = files(&decoder, settings)?.read();
    let folders = settings.folders.system.iter().chain(&settings.folders.user);
    let mut text: String = set.listing(&registry.protocols()).iter().map(|line| format!("{line}\n")).collect();
    text.extend(set.faults.iter().map(|fault| format!("wrong: {fault}\n")));
    text.extend(folders.map(|folder| format!("looked in {}\n", folder.join("formats").display())));
    output::print(&text).map(|()| 0)
}

/// Lists faulty lines of files; exit code 2 if there are any.
fn check(paths: Vec<PathBuf>, settings: &Settings) -> Result<u8, Failure> {
    let mut set = named(paths).map_err(Failure::usage)?.read();
    set.refuse_unknown(&decoders::registry(&[], settings)?.protocols());
    let faults = set.faults.iter().map(|fault| format!("{fault}\n"));
    let report: String = faults.chain(set.files.iter().map(|file| format!("{file}\n"))).collect();
    output::print(&report)?;
    Ok(if set.faults.is_empty() { 0 } else { 2 })
}

/// Prints a line for each kind of application record.
/// Errors: usage (2), input (3), decoder (4).
pub fn print_lines_for(from: &OsString, args: &DecoderArgs, settings: &Settings) -> Result<u8, Failure> {
    let spec = LinkSpec::parse(from).map_err(Failure::usage)?;
    if !matches!(spec.kind, LinkKind::Path(_) | LinkKind::Stdin) {
        return Err(Failure::usage(format!("--from {}: a file, or - for stdin", from.display())));
    }
    let inputs = [spec];
    let named = settings.decoder(args, None, &inputs)?;
    // Texts from other files would hide the content of records.
    let registry = decoders::registry(&named.plugins.plugins, settings)?;
    let opener = decoders::opener(&registry, settings, &named, RowFormat::Native);
    let named = opener.named().map_err(Failure::usage)?;
    let log = LogOptions { memory: links::MEMORY, spool: None };
    let options = LinkOptions { once: true, log, throttle: Some(links::WINDOW), ..LinkOptions::default() };
    let target = LinkedTarget::open(inputs.to_vec(), &options)?;
    let stop = Stop::default();
    let chosen = decoders::known(&opener, named, std::slice::from_ref(&target), &stop, || Ok(()))?;
    let Some((decoder, options)) = chosen else { return Ok(stop.code()) };
    let mut lines = StartingLines::new(&decoder.info.id);
    let mut flows = Targets::default();
    flows.add(target.start(&decoder, &options, true)?);
    let read = drive_targets(&mut flows, &mut lines, &stop.flag, None, |_| Ok(()), || Ok(()));
    target.verdict(false)?;
    output::ended(read)?;
    output::print(&lines.text(&from.to_string_lossy()))?;
    stop.outcome(&decoder, flows.fault())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_in_a_folder_that_appears_is_read_and_one_that_vanishes_is_not() {
        let home = tempfile::tempdir().expect("folder");
        let folder = home.path().join("spytui/formats");
        let mut files = FormatFiles::new(FormatPaths { folders: vec![folder.clone()], ..FormatPaths::default() });
        assert!(files.read().files.is_empty());
        let (wake, woken) = bounded(1);
        let watch = FormatWatch::start(files, wake).expect("a thread");
        let until = |count: usize| {
            while watch.changed().is_none_or(|set| set.files.len() != count) {
                woken.recv_timeout(Duration::from_secs(10)).expect("a change");
            }
        };
        fs::create_dir_all(&folder).expect("folder");
        fs::write(folder.join("a.fmt"), "record qs USER+2 \"a\"").expect("written");
        until(1);
        fs::write(folder.join("b.fmt"), "record qs USER+3 \"b\"").expect("written");
        until(2);
        fs::remove_dir_all(&folder).expect("removed");
        until(0);
    }
}
