//! How long commands wait for their link.

use std::time::{Duration, Instant};

use spytui_engine::io::link::LinkSender;

use crate::cli::settings::Settings;

/// The setting `link.wait`, and since when.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkWait {
    since: Instant,
    /// `None` = as long as it takes.
    most: Option<Duration>,
}

impl LinkWait {
    /// Begins now.
    pub(super) fn start(settings: &Settings) -> LinkWait {
        LinkWait { since: Instant::now(), most: settings.link_wait() }
    }

    /// Fails when the link was waited for so long and is not there; a link that only reads is there at once.
    pub(super) fn look(&self, sender: Option<&LinkSender>) -> Result<(), String> {
        let is_down = || sender.is_some_and(|sender| !sender.is_up());
        match self.most {
            Some(most) if self.since.elapsed() >= most && is_down() => {
                Err(format!("no link for {} s; link.wait says how long to wait for it", most.as_secs()))
            }
            _ => Ok(()),
        }
    }
}
