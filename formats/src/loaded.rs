//! What came of loading files.

use std::fmt;

use crate::table::Table;

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index of the file, in the order added.
    pub file: usize,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
}

/// A wrong line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Fault {
    /// Line, column and message; only the caller knows the name of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.message)
    }
}

/// A line that a later one replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadowed {
    /// What it defines: the beginning of the line.
    pub what: String,
    /// Where it is.
    pub place: Place,
    /// The line that replaces it.
    pub by: Place,
}

/// The result of loading.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What all right lines define.
    pub table: Table,
    /// The wrong lines, by file and line.
    pub faults: Vec<Fault>,
    /// Number of wrong lines that [`Loaded::faults`] leaves out.
    pub more_faults: usize,
    /// Lines that later ones replace.
    pub shadowed: Vec<Shadowed>,
    /// Number of right lines of each file.
    pub lines: Vec<usize>,
    /// How many of them are about codes of QNX traces.
    pub qnx_lines: Vec<usize>,
    /// Application records that lines define: protocol, id, and where.
    pub records: Vec<(String, String, Place)>,
    /// The right lines of each file, as text: together they mean the same as all files.
    pub texts: Vec<String>,
}
