//! The reference host's lines in its colours for dark and light terminals, byte for byte. A line is split into time
//! stamp, tag and text.

use spytui_plugin_api::TextWriter;

use crate::{
    config::{ReferenceForm, Style},
    layout::{self, id},
    text::Context,
};

/// Where the tag of a line begins, and where it ends.
const TAG: usize = 11;
const TAG_END: usize = 19;

/// The colours of a group of records.
struct Colours {
    tag: &'static str,
    /// Of the text, by terminal: dark, light. `None` = it has those of the tag.
    text: Option<[&'static str; 2]>,
}

const STAMP: [&str; 2] = ["\x1b[40m\x1b[36m", "\x1b[47m\x1b[30;1m"];
const ERROR: Colours = Colours { tag: "\x1b[41m\x1b[33;1m", text: None };
const INFO: Colours =
    Colours { tag: "\x1b[0m\x1b[44m\x1b[33;1m", text: Some(["\x1b[0m\x1b[40m\x1b[33;1m", "\x1b[0m\x1b[47m\x1b[31m"]) };
const TEST: Colours =
    Colours { tag: "\x1b[0m\x1b[46m\x1b[37;1m", text: Some(["\x1b[0m\x1b[40m\x1b[33m", "\x1b[0m\x1b[47m\x1b[34m"]) };
const MACHINE: Colours = Colours { tag: "\x1b[44m\x1b[37m", text: Some(["\x1b[40m\x1b[37;1m", "\x1b[47m\x1b[34m"]) };
const FRAMEWORK: Colours =
    Colours { tag: "\x1b[0m\x1b[45m\x1b[37m", text: Some(["\x1b[40m\x1b[37m", "\x1b[47m\x1b[35m"]) };
const USER: [&str; 2] = ["\x1b[0m\x1b[47m\x1b[30m", "\x1b[0m\x1b[40m\x1b[37m"];

/// Writes the lines of a row in colour.
pub(super) fn lines(ctx: &Context<'_, '_>, frame: &[u8], text: &[u8], out: &mut TextWriter<'_>) {
    let place = usize::from(ctx.config.form == ReferenceForm::Light);
    let colours = match frame {
        [_, id, _, ..] if ctx.row.row.is_record() => of_record(ctx, *id, place),
        _ => ERROR,
    };
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let (stamp, rest) = line.split_at(line.len().min(TAG));
        let end = if colours.text.is_some() { TAG_END - TAG } else { rest.len() };
        let (tag, behind) = rest.split_at(rest.len().min(end));
        out.put(STAMP[place].as_bytes());
        out.put(stamp);
        out.put(colours.tag.as_bytes());
        out.put(tag);
        if let Some(text) = colours.text.filter(|_| !behind.is_empty()) {
            out.put(text[place].as_bytes());
            out.put(behind);
        }
        out.put(b"\x1b[0m");
        out.end_line();
    }
}

fn of_record(ctx: &Context<'_, '_>, id: u8, place: usize) -> Colours {
    match id {
        _ if id >= layout::user_base(ctx.config.version, ctx.config.style) => Colours { tag: USER[place], text: None },
        id::EMPTY | id::INFO | id::RUN => INFO,
        id::ENUM_DICT | id::SIG_DICT..=id::USR_DICT => Colours { tag: STAMP[place], text: None },
        id::PAUSED | id::PROBE | id::DONE..=id::PEEK => TEST,
        1..id::DEFER | id::TRAN_HIST..=id::TRAN_XP => MACHINE,
        id::DEFER..=id::IDLE | id::SEM_TAKE..=id::MTX_UNLOCK_ATTEMPT => FRAMEWORK,
        id::DEFER_ATTEMPT if ctx.config.style == Style::Qspy813 => FRAMEWORK,
        _ => ERROR,
    }
}
