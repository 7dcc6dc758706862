//! Format files: where they are, `--fmt`, and `spytui formats`.

use std::{
    fmt::Write as _,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    io::format_files::{FormatFiles, FormatPaths, FormatSet},
    open::Registry,
    unreadable,
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
/// Wrong lines printed on standard error; the others are counted.
const MOST_PRINTED: usize = 10;

/// The format files of this run.
///
/// # Errors
/// A named file can't be read (2).
pub fn files(args: &DecoderArgs, settings: &Settings) -> Result<FormatFiles, Failure> {
    let folders = [&settings.folders.system, &settings.folders.user].into_iter().flatten();
    let files = FormatFiles::new(FormatPaths {
        built_in: built_in(args),
        folders: folders.map(|folder| folder.join("formats")).collect(),
        named: args.formats.clone(),
    });
    match files.unreadable() {
        Some((path, error)) => Err(Failure::usage(format!("--fmt {}", unreadable(&path, &error)))),
        None => Ok(files),
    }
}

/// What other files replace: lines of the program, of the demo, and those that a recording keeps.
fn built_in(args: &DecoderArgs) -> Vec<(String, String)> {
    let own = BUILT_IN.into_iter().chain(args.demo.as_deref().and_then(demo::formats));
    let own = own.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let kept = Some(&args.recorded_formats).filter(|text| !text.is_empty());
    own.chain(kept.map(|text| ("the recording's formats".to_owned(), text.clone()))).collect()
}

/// The decoders with plugins and format files; says which lines are wrong.
///
/// # Errors
/// A plugin file named is refused (4), a format file named can't be read (2).
pub fn registry(args: &DecoderArgs, settings: &Settings) -> Result<Registry, Failure> {
    Ok(watched(args, settings)?.0)
}

/// The same for a run that may go on for long.
///
/// # Errors
/// As for [`registry`].
pub fn watched(args: &DecoderArgs, settings: &Settings) -> Result<(Registry, Watched), Failure> {
    let mut registry = decoders::registry(&args.plugins.plugins, settings)?;
    let mut files = files(args, settings)?;
    let set = files.read();
    say_faults(&set);
    registry.set_formats(Arc::new(set));
    Ok((registry, Watched { files, looked: Instant::now(), has_changed: false }))
}

fn say_faults(set: &FormatSet) {
    set.faults.iter().take(MOST_PRINTED).for_each(failure::say);
    if set.faults.len() > MOST_PRINTED {
        failure::say(&format!("{} more wrong lines in format files", set.faults.len() - MOST_PRINTED));
    }
}

/// Format files of a run without a screen.
pub struct Watched {
    files: FormatFiles,
    looked: Instant,
    /// A file had changed at the last look; its editor may have been at work still.
    has_changed: bool,
}

impl Watched {
    /// Uses files that changed for the rows from here on, and says which lines are wrong.
    pub fn look(&mut self, registry: &Registry) {
        if self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        let had_changed = std::mem::replace(&mut self.has_changed, self.files.have_changed());
        if had_changed && self.has_changed {
            self.has_changed = false;
            let set = self.files.read();
            say_faults(&set);
            registry.use_formats(&set);
        }
    }
}

/// `spytui formats`: lists what is loaded, shadowed, unused; `check` lists wrong lines.
///
/// # Errors
/// The output failed (3), a file named can't be read (2).
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
    if let Some((path, error)) = files.unreadable() {
        return Err(Failure::usage(unreadable(&path, &error)));
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
