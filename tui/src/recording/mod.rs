//! How sources are recorded, on the screen and without one.
//!
//! | module | what is in it |
//! |---|---|
//! | `destination` | names of the files |
//! | `plan` | what the configuration says of recordings |

mod destination;
mod plan;

use spytui_engine::{io::log::MetaHead, open::Chosen};

pub use destination::{Destination, SourceName};
pub use plan::Plan;

/// Bytes of format lines that a recording keeps at most: more are a library, which whoever opens it has as files.
const MOST_FORMATS: usize = 64 << 10;

/// The header of a recording, with the lines of format files in use, the decoder and its options if they are known.
pub fn head(link: String, formats: String, chosen: Option<&Chosen>) -> MetaHead {
    let formats = if formats.len() > MOST_FORMATS { String::new() } else { formats };
    let head = MetaHead { link, formats, ..MetaHead::default() };
    match chosen {
        Some((decoder, options)) => {
            MetaHead { decoder: decoder.info.id.to_string(), options: options.to_keep(&decoder.info), ..head }
        }
        None => head,
    }
}
