//! Available decoders, built in and from plugin files; `spytui ports` and `spytui plugins`; and the decoder that
//! the bytes of the links are for.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use spytui_engine::{
    decode::{Chosen, Opener, guess::SAMPLE, has_frame, quality::is_noise},
    distrust,
    io::{
        link::{self, FrameTest, Link},
        log::RawLog,
        text::text_hint,
    },
    open::{LoadNotes, Options, Origin, Reactions, Registry, contain},
};

use super::{
    args::{DecoderArgs, PluginArgs, RowFormat},
    failure::{self, Failure, Stop},
    links::{self, LinkedTarget},
    output::{self, end, leave_screen, report},
    settings::Settings,
};
use crate::{config::state_file, model::links::CONSOLE};

/// All decoders: built in, from plugin folders, then from named files. Of two with the same name the later one is used,
/// so the first folder of the list is loaded last. Errors: a named file is refused (exit code 4). Refused files of a
/// folder become notes.
pub fn registry(files: &[PathBuf], settings: &Settings) -> Result<Registry, Failure> {
    // If this fails, a crashing plugin ends the program like any other crash.
    let _ = contain(Reactions { say: report, end, leave_screen });
    let mut registry = Registry::new();
    registry.loading = LoadNotes { folder: state_file("loading") };
    #[cfg(feature = "decoders")]
    {
        registry.front_ends.push(("qs", spytui_decoder_qs::QsFrontEnd::open));
        registry.plans.push(("qs", spytui_decoder_qs::plans));
        registry.plans.push(("rkh", spytui_decoder_rkh::plans));
    }
    for library in built_in() {
        registry.add(library, &Origin::BuiltIn).map_err(Failure::decoder)?;
    }
    folders().iter().rev().for_each(|folder| load_folder(&mut registry, folder));
    for path in settings.config.list("plugins.path").iter().rev().map(PathBuf::from) {
        if path.is_dir() {
            load_folder(&mut registry, &path);
        } else {
            registry.load_unasked(&path).map_err(Failure::decoder)?.iter().for_each(failure::say_once);
        }
    }
    for name in settings.config.list("plugins.order").iter().rev() {
        // A missing or unopposed decoder needs no precedence.
        let _ = registry.set_enabled(name, true);
    }
    registry.order_formatters(settings.config.list("plugins.order"));
    for name in settings.config.list("plugins.disabled") {
        // A missing decoder needs no disabling.
        let _ = registry.set_enabled(name, false);
    }
    for file in files {
        registry.load(file).map_err(Failure::decoder)?;
    }
    Ok(registry)
}

/// Loads a plugin folder; if somebody else may have put plugins there, prints that instead of just noting it.
fn load_folder(registry: &mut Registry, folder: &Path) {
    match distrust(folder) {
        None => registry.load_folder(folder).iter().for_each(failure::say_once),
        Some(why) => {
            let text = format!("plugin folder {} is ignored: {why}", folder.display());
            failure::say_once(&text);
            registry.notes.push(text);
        }
    }
}

pub fn is_built_in(name: &str) -> bool {
    let mut registry = Registry::new();
    built_in().into_iter().any(|library| {
        // A refused built-in decoder occupies no name.
        let _ = registry.add(library, &Origin::BuiltIn);
        registry.decoders.iter().any(|decoder| decoder.info.id == name)
    })
}

fn built_in() -> Vec<spytui_plugin_api::LibraryRef> {
    vec![
        #[cfg(feature = "decoders")]
        spytui_decoder_qs::plugin(),
        #[cfg(feature = "decoders")]
        spytui_decoder_rkh::plugin(),
        #[cfg(feature = "decoders")]
        spytui_decoder_tband::plugin(),
        #[cfg(feature = "decoders")]
        spytui_decoder_qnx::plugin(),
        #[cfg(feature = "decoders")]
        spytui_decoder_console::plugin(),
    ]
}

/// `SPYTUI_PLUGIN_PATH` (like `PATH`), `plugins/` in the data directory, and the folder of the program.
pub fn folders() -> Vec<PathBuf> {
    let named = std::env::var_os("SPYTUI_PLUGIN_PATH");
    let mut folders: Vec<PathBuf> =
        named.iter().flat_map(std::env::split_paths).filter(|p| !p.as_os_str().is_empty()).collect();
    if let Some(dirs) = directories::ProjectDirs::from("", "", "spytui") {
        folders.push(dirs.data_dir().join("plugins"));
    }
    folders.extend(program_folder());
    folders
}

/// The folder of the program, unless it is cargo's build folder, whose libraries are for tests.
fn program_folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    let folder = program.parent()?;
    (!folder.join(".cargo-lock").exists()).then(|| folder.to_owned())
}

/// What a sender of datagrams must have sent to get a stream: frames of the chosen decoder, otherwise of any.
pub fn frame_test(registry: &Registry, chosen: Option<&Chosen>) -> FrameTest {
    let all = registry.decoders.to_vec();
    let tried = match chosen {
        Some(chosen) => vec![chosen.clone()],
        // Any lines would be frames of a console.
        None => all.iter().filter(|one| one.info.id != CONSOLE).map(|one| (one.clone(), Options::default())).collect(),
    };
    FrameTest(Arc::new(move |bytes: &[u8]| has_frame(&tried, &all, bytes)))
}

pub fn ports() -> Result<u8, Failure> {
    let ports = link::ports();
    let mut text = String::new();
    for port in &ports {
        text.push_str(&format!("{}  {}\n", port.path.display(), port.description));
        text.extend(port.by_id.iter().map(|name| format!("    {}\n", name.display())));
        text.extend(port.in_use.iter().map(|holder| format!("    in use by {holder}\n")));
    }
    if ports.is_empty() {
        text.push_str("no serial ports\n");
    }
    output::print(&text).map(|()| 0)
}

/// Lists decoders and formatters with their origins, then what was replaced or refused. Errors: a named file is refused
/// (4), the output failed (3).
pub fn plugins(args: &PluginArgs, settings: &Settings) -> Result<u8, Failure> {
    let registry = registry(&args.plugins, settings)?;
    let mut text: String = registry.listed().iter().map(|listed| format!("{listed}\n")).collect();
    text.extend(registry.notes.iter().map(|note| format!("note: {note}\n")));
    text.extend(folders().iter().map(|folder| format!("looked in {}\n", folder.display())));
    output::print(&text).map(|()| 0)
}

/// `--print-config`: the whole configuration with the origin of each value, and where files are looked for.
pub fn configuration(settings: &Settings) -> Result<u8, Failure> {
    let folders = settings.folders.system.iter().chain(&settings.folders.user);
    let files: String = folders.map(|folder| format!("# {}\n", folder.join("spytui.toml").display())).collect();
    output::print(&(files + &settings.config.print())).map(|()| 0)
}

/// Interval for checking what was received.
const LOOK: Duration = Duration::from_millis(20);

pub fn opener<'a>(
    registry: &'a Registry,
    settings: &'a Settings,
    args: &'a DecoderArgs,
    format: RowFormat,
) -> Opener<'a> {
    Opener {
        registry,
        proto: args.proto.as_deref(),
        given: &args.options,
        recorded: &args.recorded,
        configured: Box::new(|proto| settings.config.options_of(proto)),
        reference_form: format.reference_form(),
        say: |text| failure::say(text),
    }
}

/// The named decoder, or the one that the bytes of a link show; `None` if a signal arrived before that. `idle` is
/// called while waiting. Errors: no decoder is certain (2), a link failed (3), or that of `idle`.
pub fn known(
    opener: &Opener<'_>,
    named: Option<Chosen>,
    targets: &[LinkedTarget],
    stop: &Stop,
    mut idle: impl FnMut() -> Result<(), Failure>,
) -> Result<Option<Chosen>, Failure> {
    if named.is_some() {
        let paths = targets.iter().flat_map(|target| &target.logs).filter_map(|log| log.file_path());
        paths.filter_map(text_hint).for_each(|hint| failure::say(&hint));
        return Ok(named);
    }
    let all: Vec<(&String, &Arc<RawLog>)> =
        targets.iter().flat_map(|target| target.names.iter().zip(&target.logs)).collect();
    // Bytes are examined again when their number has doubled. Noise is reported once.
    let mut looks = vec![(1, false); all.len()];
    let links: Vec<&Link> = targets.iter().flat_map(|target| &target.links).collect();
    while !stop.flag.load(Ordering::Relaxed) {
        idle()?;
        let over = all.iter().all(|(_, log)| log.ended() || log.len() >= SAMPLE as u64);
        for (((next, said), (name, log)), link) in looks.iter_mut().zip(&all).zip(&links) {
            if log.len() < *next {
                continue;
            }
            *next = log.len() * 2;
            if let Some(found) = opener.sure(log) {
                return opener.of_all(&found, name, &all).map(Some).map_err(Failure::usage);
            }
            if !*said && link.is_live() && is_noise(&opener.registry.decoders, log) {
                links::say(&links::line(Some(*link), log, name, None).no_frame(log.len()));
                *said = true;
            }
        }
        if over {
            targets.iter().try_for_each(|target| target.verdict(false))?;
            return opener.at_last(&all).map_err(Failure::usage);
        }
        std::thread::sleep(LOOK);
    }
    Ok(None)
}

#[cfg(feature = "decoders")]
#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURES: [(&str, &[u8]); 3] = [
        ("qs", include_bytes!("../../../decoders/qs/tests/captures/oven-734.bin")),
        ("rkh", include_bytes!("../../../decoders/rkh-trazer/tests/captures/gh340-default.bin")),
        ("tband", include_bytes!("../../../decoders/tband/tests/captures/brew_stream.bin")),
    ];

    #[test]
    fn a_frame_is_seen_wherever_a_stream_is_joined_and_not_in_noise() {
        let mut registry = Registry::new();
        built_in().into_iter().for_each(|library| drop(registry.add(library, &Origin::BuiltIn)));
        let test = |proto: &str, bytes: &[u8]| {
            has_frame(&[(registry.find(proto).unwrap(), Options::default())], &registry.decoders, bytes)
        };
        for (proto, capture) in CAPTURES {
            for at in [0, capture.len() / 3, capture.len() / 2] {
                assert!(test(proto, &capture[at..at + 300]), "{proto} at {at}");
            }
            // Even with the wrong decoder, so that the user notices.
            let others = CAPTURES.iter().filter(|other| other.0 != proto);
            others.for_each(|(other, _)| assert!(test(other, &capture[1_000..6_000]), "{proto} as {other}"));
            let ssdp = b"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\n\r\n";
            let dns = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01";
            for noise in [&b""[..], b"hello\n", ssdp, dns, &[0; 64], &[0xFF; 64]] {
                assert!(!test(proto, noise), "{proto}: {noise:?}");
            }
        }
    }

    /// One in 256 pieces of noise has a valid 8-bit checksum.
    #[test]
    fn random_senders_take_no_place() {
        let mut registry = Registry::new();
        built_in().into_iter().for_each(|library| drop(registry.add(library, &Origin::BuiltIn)));
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for proto in ["qs", "rkh"] {
            let tried = [(registry.find(proto).unwrap(), Options::default())];
            let mut datagram = || -> Vec<u8> { (0..100 + random() % 1_300).map(|_| random() as u8).collect() };
            let taken = (0..500).filter(|_| has_frame(&tried, &registry.decoders, &datagram())).count();
            assert_eq!(taken, 0, "{proto}");
            // Nor does a sender of more and more noise.
            let all: Vec<Vec<u8>> = (0..12).map(|_| datagram()).collect();
            assert!(!has_frame(&tried, &registry.decoders, &all.concat()), "{proto}");
        }
    }
}
