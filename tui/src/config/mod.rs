//! Configuration: defaults, overridden by files, environment and flags.
//!
//! | module | what is in it |
//! |---|---|
//! | `schema` | all settings with their types |
//! | `layers` | the settings in force, with their origins |
//! | `load` | folders and files |

mod layers;
mod load;
mod schema;

#[cfg(test)]
mod tests;

pub use layers::{Config, ConfigError, DEFAULTS, Origin, Trust};
pub use load::{Folders, Profile, SAVED_FILTERS, save_filter, state_file};
pub use schema::{COLUMNS, Value, rotation, setting_named, values_of};

pub(crate) use layers::{TomlSource, items};
pub(crate) use load::read_text;
