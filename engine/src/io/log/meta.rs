//! `NAME.meta` of a recording: a header, then host times, link events, sent commands and marks, one JSON object per line.
//! `NAME.bin` can be read without it; a damaged line affects only itself.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::{
    event::{LogEvent, kind},
    raw::RawLog,
};
use crate::io::{
    file_error::open_regular,
    packed::Packing,
    text::{ByteOrder, hex_bytes},
};

const VERSION: u32 = 1;
const LINE_MAX: u64 = 1 << 20;

/// Header of a recording: the first line of `NAME.meta`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaHead {
    /// 0 before it is written.
    #[serde(rename = "spytui-recording", default)]
    pub version: u32,
    /// Name of the target, as given by the user.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The link as written by the user.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub link: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decoder: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Valid lines of the format files in use.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub formats: String,
    /// Host time of the first byte or of the start of the recording, Unix nanoseconds.
    #[serde(default)]
    pub start_ns: u64,
    /// Log position of the first recorded byte: above 0 if older bytes had already been dropped.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first: u64,
}

#[derive(Default, Serialize, Deserialize)]
struct MetaLine {
    pos: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    host_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    arg: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    /// Bytes sent to the target, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<String>,
    /// Name of a mark; `text` is its note. It may be at any position before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mark: Option<String>,
    /// The mark is no longer there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
}

/// What a mark's line has, to find one among millions of others.
const MARK: &[u8] = b"\"mark\":";
/// A recording has at most this many marks.
const MARKS: usize = 10_000;

/// A row marked by the user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedMark {
    pub name: String,
    /// Position in `NAME.bin`.
    pub pos: u64,
    /// Index among the rows at this position.
    pub nth: u64,
    pub note: String,
}

/// Names of stream events in the file; TIME has no name.
const EVENTS: [(u16, &str); 11] = [
    (kind::START, "start"),
    (kind::DATAGRAM, "datagram"),
    (kind::LINK_UP, "link-up"),
    (kind::LINK_DOWN, "link-down"),
    (kind::END, "end"),
    (kind::OPTIONS, "options"),
    (kind::HOST_LOSS, "host-loss"),
    (kind::LINE_ERROR, "line-error"),
    (kind::COMMAND, "command"),
    (kind::RESULT, "result"),
    (kind::FRONT_END, "front-end"),
];

/// The two files of a recording to `path`: a name without extension gets `.bin`; `.meta` replaces the extension.
pub fn recording_paths(path: &Path) -> (PathBuf, PathBuf) {
    let bin = if path.extension().is_none() { path.with_extension("bin") } else { path.to_path_buf() };
    let meta = meta_path(&bin);
    (bin, meta)
}

/// The `.meta` file of a capture: `NAME.bin` → `NAME.meta`; any other name gets `.meta` appended.
pub fn meta_path(bin: &Path) -> PathBuf {
    if bin.extension().is_some_and(|e| e == "bin") {
        return bin.with_extension("meta");
    }
    let mut name = bin.as_os_str().to_owned();
    name.push(".meta");
    PathBuf::from(name)
}

pub(super) fn head_line(head: &MetaHead) -> Vec<u8> {
    line_of(&MetaHead { version: VERSION, ..head.clone() })
}

pub(super) fn mark_line(event: &LogEvent, pos: u64) -> Vec<u8> {
    let mut line = MetaLine { pos, host_ns: event.host_ns, arg: event.arg.into(), ..MetaLine::default() };
    if event.kind == kind::SENT {
        line.sent = Some(event.text.iter().map(|byte| format!("{byte:02x}")).collect());
        return line_of(&line);
    }
    line.text = String::from_utf8_lossy(&event.text).into_owned();
    line.event = EVENTS.iter().find(|(k, _)| *k == event.kind).map(|(_, name)| (*name).to_string());
    line_of(&line)
}

fn line_of(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

pub fn recorded_head(bin: &Path) -> Option<MetaHead> {
    if !bin.is_file() {
        return None;
    }
    read_head(&mut BufReader::new(open_regular(&meta_path(bin)).ok()?)).ok()?
}

/// `Ok(None)` if it is the start of another format.
fn read_head(input: &mut impl BufRead) -> io::Result<Option<MetaHead>> {
    let mut line = Vec::new();
    next_line(input, &mut line)?;
    Ok(serde_json::from_slice::<MetaHead>(&line).ok().filter(|head| head.version > 0))
}

/// Reads the content of a `.meta` file; `Ok(None)` if it has another format. Passes on events, whose positions are relative
/// to `NAME.bin`, one at a time and in order, because long recordings have millions. Returns the header, and the number of
/// lines that could not be parsed (truncated, damaged, from a newer version).
pub fn read_meta(mut input: impl BufRead, mut each: impl FnMut(LogEvent)) -> io::Result<Option<(MetaHead, u64)>> {
    let Some(head) = read_head(&mut input)? else { return Ok(None) };
    let (mut line, mut pos, mut skipped) = (Vec::new(), 0, 0);
    while next_line(&mut input, &mut line)? {
        let parsed = serde_json::from_slice::<MetaLine>(&line).ok();
        if parsed.as_ref().is_some_and(|line| line.mark.is_some()) {
            continue;
        }
        match parsed.and_then(|line| mark_of(&line)) {
            Some(event) if event.pos >= pos => {
                pos = event.pos;
                each(event);
            }
            _ => skipped += 1,
        }
    }
    Ok(Some((head, skipped)))
}

/// The marks of a recording, by name; `None` if the file is none.
pub fn recorded_marks(bin: &Path) -> Option<BTreeMap<String, RecordedMark>> {
    recorded_head(bin)?;
    let mut input = BufReader::new(open_regular(&meta_path(bin)).ok()?);
    let (mut line, mut marks) = (Vec::new(), BTreeMap::new());
    while next_line(&mut input, &mut line).ok()? {
        if memmem::find(&line, MARK).is_none() {
            continue;
        }
        let Ok(MetaLine { mark: Some(name), pos, arg, text, removed, .. }) = serde_json::from_slice(&line) else {
            continue;
        };
        if removed {
            marks.remove(&name);
        } else if marks.len() < MARKS {
            marks.insert(name.clone(), RecordedMark { name, pos, nth: arg, note: text });
        }
    }
    Some(marks)
}

/// Adds and removes marks of a recording, by lines at the end of its `.meta`: what other programs add at the same time is
/// kept, too.
///
/// # Errors
/// If the file can't be written.
pub fn mark_recording(bin: &Path, added: &[RecordedMark], removed: &[String]) -> io::Result<()> {
    let mut file = File::options().read(true).append(true).open(meta_path(bin))?;
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(-1)).is_ok() {
        file.read_exact(&mut last)?;
    }
    // The last line of an interrupted recording is incomplete.
    let mut lines = if last == *b"\n" { Vec::new() } else { b"\n".to_vec() };
    for name in removed {
        lines.extend(line_of(&MetaLine { mark: Some(name.clone()), removed: true, ..MetaLine::default() }));
    }
    for RecordedMark { name, pos, nth, note } in added {
        let (mark, text) = (Some(name.clone()), note.clone());
        lines.extend(line_of(&MetaLine { pos: *pos, arg: *nth, mark, text, ..MetaLine::default() }));
    }
    file.write_all(&lines)
}

/// Reads a line of bounded length; `false` at the end. Longer lines are truncated, so they fail to parse.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(LINE_MAX).read_until(b'\n', line)?;
    Ok(read > 0)
}

fn mark_of(line: &MetaLine) -> Option<LogEvent> {
    let mut event = LogEvent {
        pos: line.pos,
        host_ns: line.host_ns,
        kind: kind::TIME,
        arg: u32::try_from(line.arg).unwrap_or(u32::MAX),
        text: line.text.clone().into_bytes(),
    };
    if let Some(sent) = &line.sent {
        event.kind = kind::SENT;
        event.text = hex_bytes(sent, ByteOrder::Written)?;
    } else if let Some(name) = &line.event {
        event.kind = EVENTS.iter().find(|(_, n)| n == name)?.0;
    }
    Some(event)
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

#[derive(Debug)]
pub struct Recorded {
    /// Read in place; not ended yet.
    pub log: Arc<RawLog>,
    /// `None` for a plain file.
    pub head: Option<MetaHead>,
    /// Note for the user about an unusual `.meta`.
    pub note: Option<String>,
}

/// Opens the regular file `path`. Host times, link events and commands of a recording become stream events.
///
/// # Errors
/// If the file can't be opened or is compressed; a bad `.meta` only causes a note.
pub fn open_recorded(path: &Path) -> io::Result<Recorded> {
    let file = File::open(path)?;
    if let Some(packing) = Packing::of_file(&file)? {
        return Err(io::Error::other(packing.refusal()));
    }
    let len = file.metadata()?.len();
    let log = RawLog::in_file(file, path, len);
    let meta_path = meta_path(path);
    let name = meta_path.display();
    let take = |event: LogEvent| {
        if !matches!(event.kind, kind::START | kind::END) {
            log.take_over(event);
        }
    };
    let (head, note) = match open_regular(&meta_path).and_then(|file| read_meta(BufReader::new(file), take)) {
        Ok(Some((head, 0))) => (Some(head), None),
        Ok(Some((head, skipped))) => (Some(head), Some(format!("{name}: {skipped} lines not understood, skipped."))),
        Ok(None) => (None, None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
        Err(error) => (None, Some(format!("{name}: {error}; opened without host times."))),
    };
    Ok(Recorded { log, head, note })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::log::{LogOptions, Recorder, host_now};

    fn parsed(bytes: &[u8]) -> Option<(MetaHead, Vec<LogEvent>, u64)> {
        let mut events = Vec::new();
        let found = read_meta(bytes, |event| events.push(event)).unwrap();
        found.map(|(head, skipped)| (head, events, skipped))
    }

    #[test]
    fn names_of_the_two_files() {
        let names = |name: &str| {
            let (bin, meta) = recording_paths(Path::new(name));
            (bin.display().to_string(), meta.display().to_string())
        };
        assert_eq!(names("a/run"), ("a/run.bin".into(), "a/run.meta".into()));
        assert_eq!(names("run.bin"), ("run.bin".into(), "run.meta".into()));
        assert_eq!(names("run.dat"), ("run.dat".into(), "run.dat.meta".into()));
    }

    #[test]
    fn all_kinds_come_back() {
        let head = MetaHead {
            version: VERSION,
            name: "board7".into(),
            link: "serial:/dev/ttyUSB0?baud=115200".into(),
            decoder: "qs".into(),
            options: vec![("version".into(), "7.3".into())],
            formats: "user 1 A \"%d\"\nrecord qs 2 \"é\"\n".into(),
            start_ns: 1_700_000_000_000_000_000,
            first: 12,
        };
        let kinds = [1, 2, 3, 4, 5, 6, 7, 8, 9, kind::SENT, kind::COMMAND, kind::RESULT, kind::FRONT_END];
        let events: Vec<LogEvent> = (0..12u16)
            .map(|n| LogEvent {
                pos: u64::from(n) * 3,
                host_ns: 1_700_000_000_000_000_000 + u64::from(n),
                kind: kinds[usize::from(n)],
                arg: u32::from(n),
                text: if n == 9 { vec![0, 0xff, 0x7e] } else { b"say \"\xc3\xa9\"".to_vec() },
            })
            .collect();
        let mut file = head_line(&head);
        events.iter().for_each(|event| file.extend(mark_line(event, event.pos)));
        assert_eq!(parsed(&file), Some((head, events, 0)));
    }

    #[test]
    fn a_cut_or_strange_line_costs_itself_only() {
        let text = b"{\"spytui-recording\":1,\"new\":[]}\n{\"pos\":1,\"host_ns\":5}\n{\"pos\":2,\"event\":\"comet\"}\nrubbish\n\
            {\"pos\":0,\"host_ns\":9}\n{\"pos\":3,\"event\":\"link-up\",\"x\":1}\n{\"pos\":4,\"ho";
        let (_, events, skipped) = parsed(text).unwrap();
        assert_eq!(events.iter().map(|m| (m.pos, m.kind)).collect::<Vec<_>>(), [(1, 2), (3, 4)]);
        assert_eq!(skipped, 4);
        assert_eq!(parsed(b"{\"pos\":1}\n"), None);
        assert_eq!(parsed(b""), None);
    }

    #[test]
    fn marks_come_back_and_no_event_is_lost_by_them() {
        let dir = tempfile::tempdir().unwrap();
        let bin = dir.path().join("m.bin");
        std::fs::write(&bin, b"abcdef").unwrap();
        assert_eq!(recorded_marks(&bin), None);
        std::fs::write(dir.path().join("m.meta"), b"{\"spytui-recording\":1}\n{\"pos\":5,\"host_ns\":5}\n{\"po")
            .unwrap();
        let mark = |name: &str, pos| RecordedMark { name: name.into(), pos, nth: 1, note: "say \"é\"".into() };
        mark_recording(&bin, &[mark("a", 4), mark("b", 2)], &[]).unwrap();
        mark_recording(&bin, &[mark("a", 3)], &["b".into()]).unwrap();
        assert_eq!(recorded_marks(&bin), Some([("a".into(), mark("a", 3))].into()));
        let meta = std::fs::read(dir.path().join("m.meta")).unwrap();
        let (_, events, skipped) = parsed(&meta).unwrap();
        assert_eq!((events.len(), skipped), (1, 1));
    }

    proptest! {
        #[test]
        fn any_file_is_read_without_harm(noise in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..200) {
            let mut file = head_line(&MetaHead::default());
            file.extend(mark_line(&LogEvent { pos: 7, host_ns: 1, kind: 2, arg: 0, text: vec![] }, 7));
            file.extend(&noise);
            file.drain(..cut.min(file.len()));
            let _ = parsed(&file);
        }
    }

    #[test]
    fn a_recording_comes_back_with_its_marks() {
        let dir = tempfile::tempdir().unwrap();
        let log = RawLog::new(&LogOptions::default());
        log.append(b"one", 1_000_000);
        log.add_event(kind::LINK_DOWN, 0, b"unplugged", 3_000_000);
        log.add_event(kind::LINK_UP, 0, b"/dev/ttyX", 5_000_000);
        log.append(b"two", 7_000_000);
        log.end(host_now());
        let head = MetaHead { decoder: "rkh".into(), ..MetaHead::default() };
        Recorder::start(log.clone(), &dir.path().join("r"), head, None).unwrap().stop();

        let back = open_recorded(&dir.path().join("r.bin")).unwrap();
        assert_eq!((back.head.unwrap().decoder.as_str(), back.note), ("rkh", None));
        assert_eq!((back.log.len(), back.log.host_time_at(4)), (6, Some(7_000_000)));
        back.log.end(0);
        let plain = |log: &RawLog| log.events(0, 6).into_iter().map(|m| (m.pos, m.kind, m.text)).collect::<Vec<_>>();
        assert_eq!(plain(&back.log), plain(&log));
    }

    #[test]
    fn marks_behind_the_end_of_a_cut_file_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("c.bin"), b"abc").unwrap();
        let meta = b"{\"spytui-recording\":1}\n{\"pos\":3,\"host_ns\":5}\n{\"pos\":4,\"host_ns\":6}\n{\"po";
        std::fs::write(dir.path().join("c.meta"), meta).unwrap();
        let back = open_recorded(&dir.path().join("c.bin")).unwrap();
        assert!(back.note.unwrap().contains("1 lines not understood"));
        assert_eq!(back.log.events(0, 9).len(), 2);
    }
}
