//! What libraries bring, as lists of plugins show it.

use spytui_plugin_api::{API_MAJOR, API_MINOR};

/// A decoder or formatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    /// `decoder`, or `formatter of qs`.
    pub what: String,
    /// Version of the library's crate, or its own.
    pub version: String,
    /// Name for display; empty = none.
    pub title: String,
    /// Where it comes from.
    pub origin: String,
    /// Whether it is in use.
    pub use_of: Use,
}

/// Whether something that a library brings is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    InUse,
    /// Another one of its name is, from there.
    Shadowed(String),
    /// The user disabled it.
    Disabled,
}

impl std::fmt::Display for Listed {
    /// `motor      formatter of qs  0.1.0    API 0.10  (libmotor.so), disabled`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Listed { name, what, version, title, origin, use_of } = self;
        write!(f, "{name:<10} {what:<16} {version:<8} API {API_MAJOR}.{API_MINOR}  ")?;
        write!(f, "{title}{}({origin})", if title.is_empty() { "" } else { " " })?;
        match use_of {
            Use::InUse => Ok(()),
            Use::Shadowed(by) => write!(f, ", shadowed by {by}"),
            Use::Disabled => f.write_str(", disabled"),
        }
    }
}
