//! How sources are recorded, on the screen and without one.
//!
//! | module | what is in it |
//! |---|---|
//! | `destination` | names of the files |
//! | `plan` | what the configuration says of recordings |

mod destination;
mod plan;

use std::sync::Arc;

use spytui_engine::{
    log::MetaHead,
    plugin::{Decoder, Options},
};

pub use destination::{Destination, SourceName};
pub use plan::Plan;

/// The header of a recording, with the decoder and its options if they are known.
pub fn head(link: String, chosen: Option<&(Arc<Decoder>, Options)>) -> MetaHead {
    let head = MetaHead { link, ..MetaHead::default() };
    match chosen {
        Some((decoder, options)) => {
            MetaHead { decoder: decoder.info.id.to_string(), options: options.to_keep(&decoder.info), ..head }
        }
        None => head,
    }
}
