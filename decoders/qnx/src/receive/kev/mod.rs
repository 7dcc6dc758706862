//! Events of the instrumented kernel. `receiver` takes bytes; `header` and `search` say where events lie, `event` makes
//! rows of them, `buffers` watches the trace buffers they came in (`buffer`), `cpu` keeps time and threads of each CPU,
//! `notes` are the rows of what is missing.

mod buffer;
mod buffers;
mod cpu;
mod event;
mod header;
mod notes;
mod receiver;
mod search;

pub(crate) use receiver::Kev;
