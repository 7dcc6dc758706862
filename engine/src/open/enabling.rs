//! Decoders and formatters that the user enables and disables.

use std::{path::Path, sync::Arc};

use super::{
    decoder::Decoder,
    origin::Origin,
    registry::{Registry, is_file_of},
};
use crate::row::PluginFormatter;

impl Registry {
    /// Enables or disables a decoder or formatter. If disabled, the one it replaced is used again.
    ///
    /// # Errors
    /// If there is nothing of that name, or nothing to replace a decoder.
    pub fn set_enabled(&mut self, name: &str, on: bool) -> Result<String, String> {
        let is_decoder = self.decoders.iter().chain(&self.aside).any(|decoder| decoder.info.id == name);
        match self.set_formatter_enabled(name, on) {
            Some(said) if !is_decoder => said,
            _ => self.set_decoder_enabled(name, on),
        }
    }

    /// `None` = there is no formatter of that name.
    fn set_formatter_enabled(&mut self, name: &str, on: bool) -> Option<Result<String, String>> {
        let fits = |f: &PluginFormatter| f.info.id == name || is_file_of(Path::new(&f.origin), name);
        let (from, to) = match on {
            true => (&mut self.formatters_aside, &mut self.formatters),
            false => (&mut self.formatters, &mut self.formatters_aside),
        };
        let Some(at) = from.iter().rposition(fits) else {
            let there = to.iter().any(fits);
            return there.then(|| Err(format!("{name} is {}", if on { "in use" } else { "disabled already" })));
        };
        let formatter = from.remove(at);
        let id = formatter.info.id.to_string();
        // The one that it takes the place of, or that it was in place of.
        let other = to.iter().rposition(|other| other.info.id == id).map(|at| to.remove(at));
        let said = match (on, &other) {
            (true, _) => format!("{id}: {} is in use now", formatter.origin),
            (false, Some(other)) => format!("{id}: {} is in use now", other.origin),
            (false, None) => format!("{id} is disabled"),
        };
        to.push(formatter);
        from.extend(other);
        self.formatters_changed();
        Some(Ok(said))
    }

    fn set_decoder_enabled(&mut self, name: &str, on: bool) -> Result<String, String> {
        let fits =
            |d: &Arc<Decoder>| d.info.id == name || matches!(&d.origin, Origin::File(path) if is_file_of(path, name));
        let Some(aside) = self.aside.iter().rposition(|d| fits(d) && (on || d.info.id == name)) else {
            return Err(match (self.decoders.iter().any(fits), on) {
                (true, true) => format!("{name} is in use"),
                (true, false) => format!("{name}: nothing could take its place"),
                (false, _) => self.unknown(name).to_string(),
            });
        };
        let new = self.aside.remove(aside);
        let text = format!("{}: {} is in use now", new.info.id, new.origin);
        if let Some(old) = self.decoders.iter_mut().find(|d| d.info.id == new.info.id) {
            self.aside.push(std::mem::replace(old, new));
        } else {
            self.decoders.push(new);
        }
        Ok(text)
    }
}
