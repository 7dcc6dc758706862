//! `spytui cut`: a part of a capture as a recording.

use spytui_engine::{
    export::{
        capture::is_device,
        cut::{Cut, CutRequest, cut},
    },
    io::{
        link::LinkSpec,
        log::{RecordedMark, mark_recording, recorded_head, recorded_marks, recording_paths},
    },
    present::clock::grouped,
    unwritable,
};

use super::{
    args::{CutArgs, CutPlace},
    export::{self, Capture},
    failure::{self, Failure, Stop},
    filter, output,
    settings::Settings,
};
use crate::recording;

/// Runs the command. Errors: usage (2), input or output (3), decoder (4).
pub(super) fn run(args: &CutArgs, settings: &Settings) -> Result<u8, Failure> {
    let (decoder_args, out) = export::split(&args.export)?;
    let out = out.ok_or_else(|| Failure::usage("missing -o OUT"))?;
    if is_device(&out) {
        return Err(Failure::usage(format!("{}: a cut is written to a file", out.display())));
    }
    let (bin, meta) = recording_paths(&out);
    let stop = Stop::install().map_err(Failure::input)?;
    let capture = Capture::read(&args.export, &decoder_args, settings, &stop, |specs| {
        if specs.len() > 1 {
            return Err(Failure::usage("one file at a time: each source of a target is cut by itself"));
        }
        [&bin, &meta].into_iter().try_for_each(|path| export::is_free(path, args.export.force))?;
        export::is_no_input(&bin, specs, "cut")
    })?;
    let Some(capture) = capture else { return Ok(stop.code()) };
    let ([spec], [log], [source]) = (&*capture.specs, &*capture.target.logs, &*capture.sources) else {
        return Err(Failure::usage("which file?"));
    };
    let chosen = (capture.decoder.clone(), capture.options.clone());
    let expr = |text: &str| {
        filter::of_files(Some(text), (&capture.registry, settings), (&chosen.0, &chosen.1), &capture.specs)
    };
    // A mark is looked for as a position.
    let (text, margin) = match &args.around {
        Some(CutPlace::Record(n)) => (format!("n:{n}"), Some(args.margin)),
        Some(CutPlace::Mark(name)) => (format!("pos>={}", mark(spec, name)?), Some(args.margin)),
        None => (args.expression(), None),
    };
    let (link, formats) = spec
        .file()
        .and_then(recorded_head)
        .map_or_else(|| (spec.to_string(), capture.registry.formats.text()), |head| (head.link, head.formats));
    let head = recording::head(link, formats, Some(&chosen));
    let (replace, paths) = (args.export.force, [bin, meta]);
    let request =
        CutRequest { log, chosen: &chosen, source: *source, expr: expr(&text)?, margin, head, paths, replace };
    let cut = match cut(&request, &stop.flag) {
        Err(_) if stop.code() != 0 => return Ok(stop.code()),
        result => result.map_err(|error| export::failure(&error))?,
    };
    let Some(cut) = cut else {
        return Err(Failure::usage(format!("{text}: no record of {spec}; nothing was written")));
    };
    say(&cut);
    let marks = spec.file().and_then(recorded_marks).unwrap_or_default();
    let marks = marks.into_values().filter(|mark| cut.range.contains(&mark.pos));
    let marks: Vec<RecordedMark> =
        marks.map(|mark| RecordedMark { pos: mark.pos - cut.range.start + cut.at, ..mark }).collect();
    mark_recording(&request.paths[0], &marks, &[])
        .map_err(|error| Failure::input(unwritable(&request.paths[1], &error)))?;
    let in_front = match cut.in_front {
        0 => String::new(),
        1 => ", behind 1 record that they need".to_owned(),
        records => format!(", behind {} records that they need", grouped(records)),
    };
    let path = request.paths[0].display();
    output::print(&format!("#{} to #{} in {path}{in_front}\n", grouped(cut.first), grouped(cut.last)))?;
    stop.outcome(&capture.decoder, None)
}

/// Position of a mark. Errors: the recording has none of this name (2).
fn mark(spec: &LinkSpec, name: &str) -> Result<u64, Failure> {
    let marks = spec.file().and_then(recorded_marks).unwrap_or_default();
    let names: Vec<&str> = marks.keys().map(String::as_str).collect();
    marks.get(name).map(|mark| mark.pos).ok_or_else(|| {
        let known =
            if names.is_empty() { "it has none".to_owned() } else { format!("its marks are {}", names.join(" ")) };
        Failure::usage(format!("mark:{name}: {spec} has no such mark; {known}"))
    })
}

/// What may surprise.
fn say(cut: &Cut) {
    if cut.epochs > 0 {
        failure::say("the target was reset in between; --filter 'epoch:2 …' takes one epoch alone");
    }
    if let Some((is, was)) = &cut.times {
        failure::say(&format!(
            "times begin at {was} in the cut, at {is} in the capture: what was counted before is not there"
        ));
    }
    if cut.differs {
        failure::say("some rows differ from those of the capture, although all that was before them is there");
    }
}
