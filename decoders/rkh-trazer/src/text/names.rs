//! Names in text, and the fallback for keys without a name.

use spytui_plugin_api::{Dict, RowIn, TextWriter, info::space as host_space};

use super::number;
use crate::{
    config::{Config, Style},
    layout::{USER, space},
};

/// Everything besides its frame that the text of a row depends on.
pub(crate) struct Context<'a, 'd> {
    pub(crate) config: Config,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) names: &'a Dict<'d>,
}

impl Context<'_, '_> {
    pub(crate) fn native(&self) -> bool {
        self.config.style == Style::Native
    }

    /// Writes the name of an object, or its address.
    pub(crate) fn object(&self, line: &mut TextWriter<'_>, key: u64) {
        named(line, self.names.name(space::OBJECTS, key, 0), key);
    }

    /// Writes the name of a state of an object. Old targets name states like objects.
    pub(crate) fn state(&self, line: &mut TextWriter<'_>, key: u64, object: u64) {
        let name = self.names.name(space::STATES, key, object);
        named(line, name.or_else(|| self.names.name(space::OBJECTS, key, 0)), key);
    }

    /// Writes the name of a function.
    pub(crate) fn function(&self, line: &mut TextWriter<'_>, key: u64) {
        let name = self.names.name(space::FUNCTIONS, key, 0);
        named(line, name.or_else(|| self.names.name(space::OBJECTS, key, 0)), key);
    }

    /// Writes the name of a signal; the two greatest numbers have fixed names.
    pub(crate) fn signal(&self, line: &mut TextWriter<'_>, signal: u64, size: u8) {
        let most = u64::MAX >> (64 - 8 * u32::from(size.clamp(1, 8)));
        match self.names.name(space::SIGNALS, signal, 0) {
            Some(name) => line.put(name),
            None if signal == most => line.put(b"any"),
            None if signal == most - 1 => line.put(b"completion"),
            None => {
                line.put(b"sig ");
                number::decimal(line, signal);
            }
        }
    }

    /// Writes the name of an event pool by its number, counted from 1.
    pub(crate) fn pool(&self, line: &mut TextWriter<'_>, pool: u64) {
        match self.names.name(space::POOLS, pool, 0) {
            Some(name) => line.put(name),
            None if pool == 0 => line.put(b"static"),
            None => {
                line.put(b"pool ");
                number::decimal(line, pool);
            }
        }
    }

    /// Name of a user event, in both styles.
    pub(crate) fn user(&self, id: u8) -> Option<&[u8]> {
        self.names.name(host_space::KINDS, id.into(), 0)
    }
}

fn named(line: &mut TextWriter<'_>, name: Option<&[u8]>, key: u64) {
    match name {
        Some(name) => line.put(name),
        None if key == 0 => line.put(b"NULL"),
        None => address(line, key),
    }
}

/// An address without leading zeros.
pub(crate) fn address(line: &mut TextWriter<'_>, key: u64) {
    line.put(b"0x");
    number::hex(line, key, 1);
}

/// Number of a user event.
pub(crate) fn user_number(id: u8) -> u64 {
    id.wrapping_sub(USER).into()
}
