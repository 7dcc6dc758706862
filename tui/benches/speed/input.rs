//! The protocols and their two input files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use spytui_decoder_harness::varied;
use spytui_plugin_api::LibraryRef;

use crate::cpu::Answer;

const SEED: u64 = 1;

/// A protocol to measure.
pub(crate) struct Protocol {
    pub(crate) name: &'static str,
    pub(crate) plugin: fn() -> LibraryRef,
    /// Size of an input, bytes.
    size: usize,
    /// An object of each stream, and a number in some of its records.
    pub(crate) filters: [&'static str; 2],
    end: End,
    /// Makes a repeating stream of at least this size.
    repeated: fn(usize) -> Answer<Vec<u8>>,
    /// Makes a stream without repetition.
    varied: fn(usize) -> Answer<Vec<u8>>,
}

/// What ends a record, or a part of one.
enum End {
    Byte(u8),
    /// A number of bytes.
    After(usize),
}

pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) file: PathBuf,
    pub(crate) size: usize,
    pub(crate) records: usize,
}

pub(crate) const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        name: "qs",
        plugin: spytui_decoder_qs::plugin,
        size: 160_000_000,
        filters: ["obj:motor,w_b7", "free<2"],
        end: End::Byte(0x7E),
        repeated: |size| repeated(&capture("qs/tests/captures/oven-734.bin")?, size),
        varied: |size| Ok(varied::qs(&capture("qs/tests/captures/oven-734.bin")?, SEED, size)),
    },
    Protocol {
        name: "rkh",
        plugin: spytui_decoder_rkh::plugin,
        size: 52_000_000,
        filters: ["obj:door,t_8c6", "rt>100"],
        end: End::Byte(0x7E),
        repeated: |size| repeated(&capture("rkh-trazer/tests/captures/gh340-default.bin")?, size),
        varied: |size| Ok(varied::rkh(&capture("rkh-trazer/tests/captures/gh340-default.bin")?, SEED, size)),
    },
    Protocol {
        name: "tband",
        plugin: spytui_decoder_tband::plugin,
        size: 20_000_000,
        filters: ["obj:mailbox,u_733", "len_after>1000"],
        end: End::Byte(0),
        repeated: |size| repeated(&capture("tband/tests/captures/brew_stream.bin")?, size),
        varied: |size| Ok(varied::tband(&capture("tband/tests/captures/brew_stream.bin")?, SEED, size)),
    },
    Protocol {
        name: "qnx",
        plugin: spytui_decoder_qnx::plugin,
        size: 200_000_000,
        filters: ["obj:main:1", "took>1ms"],
        end: End::After(16),
        repeated: |size| kernel("fast-2cpu.kev", size),
        // Buffers and clocks advance here, too; the difference is that most events have several parts.
        varied: |size| kernel("qnx71-wide64.kev", size),
    },
];

impl Protocol {
    /// Writes both inputs, at `percent` percent of their size.
    pub(crate) fn inputs(&self, folder: &Path, percent: usize) -> Answer<[Input; 2]> {
        let size = self.size / 100 * percent;
        let write = |name: &'static str, bytes: Vec<u8>| -> Answer<Input> {
            let file = folder.join(format!("{}-{name}.bin", self.name));
            fs::write(&file, &bytes)?;
            let records = match self.end {
                End::Byte(end) => bytes.iter().filter(|&&b| b == end).count(),
                End::After(len) => bytes.len() / len,
            };
            Ok(Input { name, file, size: bytes.len(), records })
        };
        Ok([write("repeated", (self.repeated)(size)?)?, write("varied", (self.varied)(size)?)?])
    }

    /// The decoder's library, which `cargo build --release --workspace` puts next to the program.
    pub(crate) fn plugin(&self, program: &Path) -> Option<PathBuf> {
        use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
        let name = format!("{DLL_PREFIX}spytui_{}{DLL_SUFFIX}", self.name);
        let folder = program.parent()?;
        [folder.join(&name), folder.join("deps").join(&name)].into_iter().find(|path| path.is_file())
    }
}

fn capture(path: &str) -> Answer<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(path);
    fs::read(&path).map_err(|e| format!("{}: {e}", path.display()).into())
}

fn kernel(name: &str, size: usize) -> Answer<Vec<u8>> {
    let trace = capture(&format!("qnx/tests/captures/{name}"))?;
    spytui_decoder_harness::encode::qnx::repeated(&trace, size).ok_or_else(|| format!("{name} has no header").into())
}

fn repeated(capture: &[u8], size: usize) -> Answer<Vec<u8>> {
    Ok(capture.repeat(size.div_ceil(capture.len())))
}
