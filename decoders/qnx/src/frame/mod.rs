//! Where events lie in a stream: `plausible` says what may be an event, `assembly` puts events together that came in
//! parts.

mod assembly;
mod classic;
mod plausible;

pub(crate) use assembly::{Assembly, Part};
pub(crate) use classic::{Chain, chain, follows, records};
pub(crate) use plausible::{CHAIN, FIRST_CHAIN, Rules, WITH_COOKIE, near};
