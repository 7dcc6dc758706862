//! Events of the terminal and the system.

use crossterm::event::Event;

#[derive(Debug, Clone, PartialEq)]
pub enum TermEvent {
    /// A key; pasted text, which never runs as keys; the mouse, if it was taken.
    Input(Event),
    /// The size changed; ask for it.
    Resize,
    /// The terminal puts updates between marks.
    Synchronises,
    /// Asked to end: the signal's number. Exit code 128 plus that.
    Terminate(i32),
    /// The terminal goes away.
    Hangup,
    /// Asked to stop.
    Suspend,
    /// Went on after a stop.
    Continued,
    /// The keyboard is gone.
    Gone,
}
