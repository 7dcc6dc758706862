//! The parsers of what a stream consists of, which define the formats: `event` of the instrumented kernel's events,
//! `words` of their payload, `whole` is a whole one, `header` of the header of a `.kev` file.

mod classic;
mod event;
mod header;
mod whole;
mod words;

pub(crate) use classic::{Classic, Format, Read};
pub(crate) use event::{EVENT, Event, Structure, event};
pub(crate) use header::{ATTRIBUTES, Attributes, BEGIN, END, attributes};
pub(crate) use whole::Whole;
pub(crate) use words::{Value, Words};
