//! The language of format files (`.fmt`): lines that define names for numbers and text for data. Knows neither files
//! nor protocols: text in, a [`FormatTable`] and a list of faults out.
//!
//! | module | what is in it |
//! |---|---|
//! | [`limits`] | limits of format files |
//! | `words` | splits bytes into lines, joining those that end in `\`; splits lines into words, strings and numbers |
//! | `statement` | parses a line; forms of dates, milliseconds and headers |
//! | [`data`] | the bytes that a template reads |
//! | [`template`] | templates: compiled once, rendered often |
//! | [`layout`] | the fields of a record: types, scales, units and words |
//! | [`table`] | definitions and lookups; the result of loading: table, faults, shadowed lines |
//! | `xml` | XML files with formats of user events |
//! | [`loader`] | loads several files into one table |
//!
//! ```
//! use spytui_formats::{Data, Loader};
//!
//! let mut loader = Loader::new();
//! loader.add_text(b"enum state 0 shut 1 open\nrecord qs USER+2 \"door %hhd{state}, %u mm\"\nrecord qs USER+3\n");
//! let loaded = loader.finish();
//! assert_eq!(loaded.faults[0].to_string(), "3:1: too few words; a line is: record PROTO ID|NAME \"TEMPLATE\" [drops(FIELD)]");
//!
//! let template = loaded.table.record("qs", "USER+2").unwrap();
//! let mut text = Vec::new();
//! template.render(&Data::new(&[1, 44, 1, 0, 0]), &|_, _| false, &mut text);
//! assert_eq!(text, b"door open(1), 300 mm");
//! ```
//!
//! # Lines
//!
//! Text in UTF-8. A line that begins with `#` is a comment; `\` at the end of a line joins it with the next.
//! Words are separated by blanks; strings stand in `"`, with `\"`, `\\`, `\n` and `\t`. Numbers are decimal or `0x`
//! hex. A later line replaces an earlier one. A wrong line is reported and skipped.
//!
//! | line | meaning |
//! |---|---|
//! | `(date) "%b %d %T"` | the date: `%b %d %e %T %Y %m %H %M %S %%`, UTC |
//! | `(milli) ".%03d"` | the milliseconds, a template with one integer |
//! | `(header) "%D%m %S %M:%N "` | what stands before each text: `%D` date, `%m` milliseconds, `%S` and `%s` name and number of the severity, `%M` `%N` names, `%J` `%I` numbers of major and minor, `%C` code, `%O` opcode, `%A` the 20 data bits |
//! | `severity NUM NAME` | names a severity |
//! | `enum NAME VALUE TEXT …` | texts of values |
//! | `words NAME VALUE WORD[!warning\|!error] …` | words of numbers, and how severe a record with them is |
//! | `bits NAME BIT WORD[!warning\|!error] …` | words of bits |
//! | `major NUM NAME` | names a major code; the minor codes below are its own |
//! | `minor NUM\|* NAME "TEMPLATE"` | a minor code, or every other one |
//! | `opcode NUM NAME "TEMPLATE"` | an event of the kernel profile |
//! | `user NUM NAME "TEMPLATE"` | a user event |
//! | `record PROTO ID\|NAME "TEMPLATE" [drops(FIELD)]` | the text of an application record of any protocol; which of its elements is the total of dropped records |
//! | `record PROTO ID\|NAME ["TEMPLATE"] FIELD … [state(FIELD)] [value(FIELD)] [span(begin\|end,NAME)]` | the fields of an application record, and what they mean |
//!
//! The language of QNX is everything but `record`, `{N}` and `{NAME}`, which are spytui's own.
//!
//! # Templates
//!
//! A cursor walks over the data. `%[flags][width][.precision][size]conversion`: flags, width and precision as in
//! `printf`; sizes `hh` 1, `h` 2, `l` 4 and `ll` 8 bytes, otherwise the record's own integer width.
//!
//! | conversion | shows |
//! |---|---|
//! | `d i` · `u` · `x X o` · `c` | an integer, signed · unsigned · hex, octal · as a character |
//! | `%d{NAME}` | directly behind an integer: `TEXT(value)` of an enum, the plain value if it has no text |
//! | `s` | text up to a NUL; with a precision, of exactly so many bytes |
//! | `b` | bytes in hex: all that is left, or as many as the precision says |
//! | `n` | nothing, skips an integer |
//! | `%@N` | nothing, puts the cursor at byte N |
//! | `%%` | a percent sign |
//! | `{N}` `{NAME}` | only in `record` lines, and not directly behind a conversion: an element or field; `{{` is a brace |
//!
//! An integer that is not there is `<?>`. ` [+K]` at the end says that K bytes lie behind the furthest place of the
//! cursor, without zeros that fill up the last piece; a `record` template that shows fields leaves it out.

pub mod data;
pub mod layout;
pub mod limits;
pub mod loader;
mod statement;
pub mod table;
pub mod template;
mod words;
mod xml;

pub use data::Data;
pub use layout::Layout;
pub use loader::Loader;
pub use table::{
    DropTotal, FormatCode, FormatFault, FormatTable, Loaded, LoadedFile, NamedTemplate, Shadowed, TextPlace,
};
pub use template::{FieldRef, Fields, Template};
