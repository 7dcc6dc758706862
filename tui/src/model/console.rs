//! A console beside the trace: a link of text lines; and what the user sends on a link: text, a break, pulses of DTR and
//! RTS. Only a line that was typed leads here.

use std::{ffi::OsStr, time::Duration};

use spytui_engine::{
    io::link::{LineCommand, LinkSpec},
    open::{Options, Registry},
    query::NumberLiteral,
};

use super::{
    DecodeRequest, Effect, Model,
    links::{CONSOLE, Source, WayBack},
};

const LONGEST_PULSE: Duration = Duration::from_secs(2);

/// Parses a link; `DEVICE:RATE` is a serial port. Errors: it is no link.
pub fn link(text: &OsStr) -> Result<LinkSpec, String> {
    let serial = text.to_str().and_then(|text| text.rsplit_once(':')).filter(|(device, rate)| {
        device.starts_with('/') && !rate.is_empty() && rate.bytes().all(|digit| digit.is_ascii_digit())
    });
    match serial {
        Some((device, rate)) => LinkSpec::of_scheme("serial", &format!("{device}?baud={rate}")),
        None => LinkSpec::parse(text),
    }
}

/// How a console is decoded. Errors: there is no decoder for it.
pub fn request(registry: &Registry, target: usize, memory: usize) -> Result<DecodeRequest, String> {
    Ok(DecodeRequest { decoder: registry.find(CONSOLE)?, options: Options::default(), target, source: 0, memory })
}

/// Whether these are lines of text because the user said so: their bytes are not asked which decoder they are for.
pub fn is_for(request: &DecodeRequest) -> bool {
    request.decoder.info.id == CONSOLE
}

/// Opens a link of text lines, a separate target.
pub fn open(model: &mut Model, text: &OsStr) {
    let links = &model.links;
    let opened = link(text).and_then(|spec| Ok((spec, request(&links.registry, links.free_target(), links.memory)?)));
    match opened {
        Ok((spec, decode)) => model.ask_for(Effect::OpenLink(spec, decode)),
        Err(error) => model.fail(error),
    }
}

/// Sends text and a line end.
pub fn send(model: &mut Model, text: &str) {
    let source = model.links.focus;
    match can_send(&model.links.sources[source]).and_then(|()| line_of(text)) {
        Ok(bytes) => {
            let said = format!("sent to {}: {}", model.links.sources[source].name(), bytes.escape_ascii());
            model.ask_for(Effect::SendBytes { source, bytes, said });
        }
        Err(error) => model.fail(error),
    }
}

pub fn send_break(model: &mut Model, time: Option<&str>) {
    pulse(model, "break", (LineCommand::Break(true), LineCommand::Break(false)), time.unwrap_or("250ms"));
}

/// Turns a modem line to its other state for a while.
pub fn pulse_line(model: &mut Model, name: &str, toggle: LineCommand, time: Option<&str>) {
    pulse(model, &format!("pulse of {name}"), (toggle, toggle), time.unwrap_or("100ms"));
}

fn pulse(model: &mut Model, what: &str, (begin, end): (LineCommand, LineCommand), time: &str) {
    let source = model.links.focus;
    match can_pulse(&model.links.sources[source]).and_then(|()| pulse_time(time)) {
        Ok(time) => {
            let name = model.links.sources[source].name();
            model.ask_for(Effect::Pulse { source, begin, end, time });
            // Whether the port has such a line, it says itself.
            model.say(format!("{name}: {what} for {} ms", time.as_millis()));
        }
        Err(error) => model.fail(error),
    }
}

fn can_send(source: &Source) -> Result<(), String> {
    match &source.status.way_back {
        WayBack::Never => {
            Err(format!("{} is only read: it takes no bytes; ( and ) show the other sources", source.name()))
        }
        WayBack::NotNow(why) => Err(format!("{}: {why}", source.name())),
        WayBack::Open => Ok(()),
    }
}

fn can_pulse(source: &Source) -> Result<(), String> {
    can_send(source)?;
    // Only an open serial port knows its rate.
    match source.status.facts.baud {
        None => Err(format!("{} has no break and no DTR or RTS: show a source that is a serial port", source.name())),
        Some(_) => Ok(()),
    }
}

fn pulse_time(text: &str) -> Result<Duration, String> {
    let ns = NumberLiteral::read(text).and_then(|number| u64::try_from(number.nanoseconds()?).ok());
    let time = ns.map(Duration::from_nanos).filter(|time| (Duration::from_millis(1)..=LONGEST_PULSE).contains(time));
    time.ok_or_else(|| format!("{text}: write a time of at most 2s, as 250ms"))
}

/// The bytes of a line: escapes replaced, and a carriage return at its end unless it has a line end.
fn line_of(text: &str) -> Result<Vec<u8>, String> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        let (byte, len) =
            escaped(escape).ok_or_else(|| format!(r"\{escape}: write \n, \r, \t, \x1B or \\ for a backslash"))?;
        bytes.push(byte);
        rest = escape.get(len..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    if !matches!(bytes.last(), Some(b'\r' | b'\n')) {
        bytes.push(b'\r');
    }
    Ok(bytes)
}

/// The byte that an escape stands for, and its length without the backslash.
fn escaped(escape: &str) -> Option<(u8, usize)> {
    let hex = || escape.get(1..3).filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
    match escape.bytes().next()? {
        b'n' => Some((b'\n', 1)),
        b'r' => Some((b'\r', 1)),
        b't' => Some((b'\t', 1)),
        b'\\' => Some((b'\\', 1)),
        b'x' => Some((u8::from_str_radix(hex()?, 16).ok()?, 3)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_sent_with_its_escapes_and_an_end() {
        assert_eq!(line_of("help me").unwrap(), b"help me\r");
        assert_eq!(line_of("").unwrap(), b"\r");
        assert_eq!(line_of(r"a\tb\\n\x03é\n").unwrap(), "a\tb\\n\x03é\n".as_bytes());
        for wrong in [r"\q", r"a\", r"\x1", r"\x+1", r"\xé"] {
            assert!(line_of(wrong).unwrap_err().contains(r"\\ for a backslash"), "{wrong}");
        }
    }

    #[test]
    fn a_pulse_is_short() {
        assert_eq!(pulse_time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(pulse_time("2s"), Ok(LONGEST_PULSE));
        for wrong in ["2001ms", "0s", "-1s", "long", "5"] {
            assert!(pulse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_device_may_have_its_rate() {
        let text = |text: &str| link(OsStr::new(text)).map(|spec| spec.to_string());
        assert_eq!(text("/dev/ttyNO1:9600").unwrap(), "serial:/dev/ttyNO1?baud=9600");
        assert_eq!(text("/dev/ttyNO1").unwrap(), "/dev/ttyNO1");
        assert_eq!(text("tcp:localhost:9600").unwrap(), "tcp:localhost:9600");
        assert!(text("/dev/ttyNO1:99999999999").is_err());
    }
}
