//! Lines of hexadecimal digits: plain, in lines of a log, or behind addresses and beside characters, as debuggers and dump
//! tools print them.
//!
//! | module | what is in it |
//! |---|---|
//! | `scan` | one line in parts: what stands before the data, address, digits, characters |
//! | `tokens` | words of a line, and which of them are digits |
//! | `characters` | the characters beside the digits, which show where these end and in which order they are |
//! | `layout` | what the lines of a text have in common |
//! | `reader` | lines to bytes |

mod characters;
mod layout;
mod reader;
mod scan;
mod tokens;

use super::lines::Line;

pub(super) use layout::Layout;
pub(super) use reader::DumpReader;

/// Whether a line has an address before digits, or characters beside them.
pub(super) fn has_address(line: &Line) -> bool {
    layout::scan_line(line, true).is_some_and(|scan| scan.at.is_some() || scan.shown.is_some())
}
