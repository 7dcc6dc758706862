//! Where a setting comes from, and how far that is trusted.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// In the built-in defaults.
    BuiltIn,
    /// In a file of the user or the administrator, at a line.
    File(String, usize),
    /// In the file of a project, at a line.
    Project(String, usize),
    /// In an environment variable.
    Variable(String),
    Flag(String),
    /// On the command line of the screen.
    Typed,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::BuiltIn => f.write_str("built in"),
            Origin::File(file, line) | Origin::Project(file, line) => write!(f, "{file}:{line}"),
            Origin::Variable(name) => f.write_str(name),
            Origin::Flag(flag) => f.write_str(flag),
            Origin::Typed => f.write_str(":set"),
        }
    }
}

/// Trust in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The user's own, or the administrator's.
    Own,
    /// It came with a project, perhaps from somebody else: it must not load code, nor reach the target.
    Project,
}
