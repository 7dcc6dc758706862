//! The inputs of an export, read to their end, and the decoder that they are for.

use std::{path::PathBuf, sync::Arc, sync::atomic::Ordering, time::Duration};

use super::super::{
    args::{DecoderArgs, ExportArgs, Format},
    auto,
    failure::{self, Failure},
    formats,
    links::Target,
    settings::Settings,
    stop::Stop,
};
use spytui_engine::{
    export::capture::Inputs,
    io::link::{LinkOptions, LinkSpec},
    io::text::TextForm,
    open::{Decoder, Options, Registry, guess},
};
use spytui_plugin_api::Source;

/// Polling interval of waits that can be stopped.
const LOOK: Duration = Duration::from_millis(20);

/// What is exported.
pub(super) struct Capture {
    /// Everything that can decode.
    pub(super) registry: Registry,
    /// The inputs.
    pub(super) specs: Vec<LinkSpec>,
    pub(super) decoder: Arc<Decoder>,
    pub(super) options: Options,
    target: Target,
    sources: Vec<Source>,
}

impl Capture {
    /// Reads all inputs to their end; `None` if a signal came first. `check` looks at the inputs before the work begins.
    ///
    /// # Errors
    /// What `check` said; usage (2), input (3), decoder (4).
    pub(super) fn read(
        args: &ExportArgs,
        decoder_args: &DecoderArgs,
        settings: &Settings,
        stop: &Stop,
        check: impl FnOnce(&[LinkSpec]) -> Result<(), Failure>,
    ) -> Result<Option<Capture>, Failure> {
        let specs = args.inputs.iter().map(LinkSpec::parse).collect::<Result<Vec<_>, _>>();
        let specs = specs.map_err(Failure::usage)?;
        let named = settings.decoder(decoder_args, None, &specs)?;
        let registry = formats::registry(&named, settings)?;
        let opener = auto::opener(&registry, settings, &named, Format::Native);
        let named = opener.named().map_err(Failure::usage)?;
        check(&specs)?;
        let Some(target) = taken(specs.clone(), args, stop)? else { return Ok(None) };
        let known = auto::known(&opener, named, std::slice::from_ref(&target), stop, || Ok(()))?;
        let Some((decoder, options)) = known else { return Ok(None) };
        drop(opener);
        let guessed = guess::of_target(&decoder, &options, &target.logs);
        guessed.iter().for_each(|(_, suggestion)| failure::say(suggestion));
        let options = guessed.map_or(options, |(options, _)| options);
        let sources = target.sources(&decoder.info);
        Ok(Some(Capture { registry, specs, decoder, options, target, sources }))
    }

    /// The inputs, as an export takes them.
    pub(super) fn inputs(&self) -> Inputs<'_> {
        Inputs { decoder: &self.decoder, options: &self.options, sources: &self.sources, logs: &self.target.logs }
    }

    /// The exit code after an export.
    ///
    /// # Errors
    /// The decoder failed before the end (4).
    pub(super) fn ended(&self, fault: Option<String>, what: &str, stop: &Stop) -> Result<u8, Failure> {
        match fault {
            Some(fault) => {
                Err(Failure::decoder(format!("{} failed: {fault}; the {what} ends there", self.decoder.called())))
            }
            None => stop.outcome(&self.decoder, None),
        }
    }
}

/// `-o` names options of the decoder here as everywhere, and the file to write: options have a `=`.
///
/// # Errors
/// Several files (2).
pub(super) fn split(args: &ExportArgs) -> Result<(DecoderArgs, Option<PathBuf>), Failure> {
    let mut decoder = args.decoder.clone();
    let mut outs: Vec<PathBuf> = args.out.iter().cloned().collect();
    outs.extend(decoder.options.extract_if(.., |o| !o.contains('=')).map(PathBuf::from));
    match outs.as_slice() {
        [] => Ok((decoder, None)),
        [one] => Ok((decoder, Some(one.clone()))),
        [first, second, ..] => Err(Failure::usage(format!(
            "one file at a time: {} or {}? Options of the decoder are KEY=VALUE",
            first.display(),
            second.display()
        ))),
    }
}

/// Reads all inputs to their end; `None` if a signal came first.
fn taken(specs: Vec<LinkSpec>, args: &ExportArgs, stop: &Stop) -> Result<Option<Target>, Failure> {
    let input = args.text.map(TextForm::from);
    // Nothing decodes yet, so nothing is ahead of a decoder.
    let undo = args.undo.map(Into::into);
    let options = LinkOptions { once: true, throttle: None, input, undo, ..LinkOptions::default() };
    let target = Target::open(specs, &options)?;
    while !target.logs.iter().all(|log| log.ended()) {
        if stop.flag.load(Ordering::Relaxed) {
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
    target.verdict(false)?;
    Ok(Some(target))
}
