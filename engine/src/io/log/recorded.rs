//! Opens a capture file in place, with the `.meta` of its recording, if any.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::{
    event::{LogEvent, kind},
    meta::{MetaHead, meta_path, scan_meta},
    raw::RawLog,
};
use crate::io::packed::Packing;

/// A file opened as a log.
#[derive(Debug)]
pub struct Recorded {
    /// The log, read in place; not ended yet.
    pub log: Arc<RawLog>,
    /// Header of the recording; `None` for a plain file.
    pub head: Option<MetaHead>,
    /// Note for the user about an odd `.meta`.
    pub note: Option<String>,
}

/// Opens the regular file `path`. Host times, link events and commands of a recording become stream events.
///
/// # Errors
/// If the file can't be opened, or is packed; a bad `.meta` is only a note.
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
    let (head, note) = match scan_meta(&meta_path, take) {
        Ok(Some((head, 0))) => (Some(head), None),
        Ok(Some((head, skipped))) => (Some(head), Some(format!("{name}: {skipped} lines not understood, left out."))),
        Ok(None) => (None, None),
        Err(error) => (None, Some(format!("{name}: {error}; opened without host times."))),
    };
    Ok(Recorded { log, head, note })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::log::{LogOptions, Recorder, host_now};

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
