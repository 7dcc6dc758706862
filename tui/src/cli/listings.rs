//! `spytui ports` and `spytui plugins`.

use std::fmt::Write as _;

use spytui_engine::io::link;

use super::{args::PluginArgs, decoders, failure::Failure, output, settings::Settings};

/// Lists the serial ports.
pub fn ports() -> Result<u8, Failure> {
    let ports = link::ports();
    let mut text = String::new();
    for port in &ports {
        let _ = writeln!(text, "{}  {}", port.path.display(), port.description);
        for name in &port.by_id {
            let _ = writeln!(text, "    {}", name.display());
        }
        for holder in &port.in_use {
            let _ = writeln!(text, "    in use by {holder}");
        }
    }
    if ports.is_empty() {
        text.push_str("no serial ports\n");
    }
    output::print(&text)?;
    Ok(0)
}

/// Lists decoders and formatters with their origins, then what was replaced or refused.
///
/// # Errors
/// A file named is refused (4), the output failed (3).
pub fn plugins(args: &PluginArgs, settings: &Settings) -> Result<u8, Failure> {
    let registry = decoders::registry(&args.plugins, settings)?;
    let mut text = String::new();
    for listed in registry.listed() {
        let _ = writeln!(text, "{listed}");
    }
    for note in registry.notes() {
        let _ = writeln!(text, "note: {note}");
    }
    for folder in decoders::folders() {
        let _ = writeln!(text, "looked in {}", folder.display());
    }
    output::print(&text)?;
    Ok(0)
}

/// `--print-config`: the whole configuration with the origin of each value, and where files are looked for.
pub fn configuration(settings: &Settings) -> Result<u8, Failure> {
    let mut text = String::new();
    for folder in [&settings.folders.system, &settings.folders.user].into_iter().flatten() {
        let _ = writeln!(text, "# {}", folder.join("spytui.toml").display());
    }
    text.push_str(&settings.config.print());
    output::print(&text)?;
    Ok(0)
}
