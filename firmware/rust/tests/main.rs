//! | module | what is tested |
//! |---|---|
//! | `same_as_c` | the bytes are those of the C library, drops included |
//! | `ring` | frames in a ring that is read at any time, and refused records |
//! | `rtt` | the control block, read as a debug probe does |

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod ring;
mod rtt;
mod same_as_c;

use spytui_target::{Clock, Tracer};

/// Reads all that waits.
fn read(tracer: &Tracer<impl Clock>) -> Vec<u8> {
    let mut bytes = Vec::new();
    tracer.serve(&mut |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        piece.len()
    });
    bytes
}
