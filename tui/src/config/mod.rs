//! Configuration: defaults, overridden by files, environment and flags.
//!
//! | module | what is in it |
//! |---|---|
//! | `schema` | which settings there are |
//! | `value` | what a setting may be, read and written |
//! | `layers` | the settings in force, with their origins |
//! | `load` | folders and files |
//! | `origin` | where a setting comes from, and how far that is trusted |
//! | `print` | the configuration as a file |
//! | `profile` | boards |
//! | `project` | what the file of a project may not say |
//! | `state_files` | where the program keeps what it remembers |
//! | `source` | a TOML file with line numbers for errors |

mod layers;
mod load;
mod origin;
mod print;
mod profile;
mod project;
mod schema;
mod source;
mod state_files;
mod value;

#[cfg(test)]
mod tests;

pub use layers::{Config, DEFAULTS};
pub use load::Folders;
pub(crate) use load::read_text;
pub use origin::{Origin, Trust};
pub use profile::Profile;
pub use schema::{COLUMNS, setting_named, values_of};
pub use source::ConfigError;
pub(crate) use source::{TomlSource, items};
pub use state_files::{SAVED_FILTERS, save_filter, state_file};
pub use value::{Value, rotation};
