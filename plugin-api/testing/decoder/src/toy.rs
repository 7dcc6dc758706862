//! The state of the decoder: configuration, cores, open parts, and the incomplete line.

use spytui_plugin_api::{
    NONE, Output, Row,
    batch::AttachmentId,
    row::{RowFlags, RowKind, Severity},
};

use crate::{
    counts::Counts,
    parts::{Open, Parts, Stretch},
};

/// State of a core.
#[derive(Debug, Clone, Copy, Default)]
pub struct Core {
    /// Last time, extended to 64 bits.
    pub time: Option<u64>,
    /// Last sequence number.
    pub seq: Option<u8>,
}

#[derive(Debug, Clone)]
pub struct Toy {
    /// Number of digits in a key, if set by the user.
    pub(crate) width_set: Option<u8>,
    pub(crate) reference: bool,
    pub(crate) names: Vec<u8>,
    pub(crate) begun: bool,
    cfgs: Vec<[u8; 2]>,
    pub(crate) cfg: u16,
    pub(crate) cores: [Core; 16],
    pub(crate) parts: Parts,
    pub(crate) counts: Counts,
    pub(crate) line: Vec<u8>,
    pub(crate) start: u64,
    pub(crate) pos: u64,
}

impl Toy {
    /// The state before the first byte.
    pub(crate) fn new(width_set: Option<u8>, reference: bool, names: Vec<u8>) -> Toy {
        Toy {
            width_set,
            reference,
            names,
            begun: false,
            cfgs: Vec::new(),
            cfg: 0,
            cores: [Core::default(); 16],
            parts: Parts::default(),
            counts: Counts::default(),
            line: Vec::new(),
            start: 0,
            pos: 0,
        }
    }

    /// Applies a configuration from the next row on; a known one keeps its id.
    pub(crate) fn configure(&mut self, width: u8, out: &mut Output<'_>) {
        let cfg = [width, u8::from(self.reference)];
        let known = self.cfgs.iter().position(|&c| c == cfg);
        self.cfg = known.unwrap_or(self.cfgs.len()) as u16;
        if known.is_none() {
            self.cfgs.push(cfg);
            out.cfg(self.cfg, &cfg);
        }
    }

    /// A note about all cores.
    pub(crate) fn note(&self, kind: RowKind, (pos, len): Stretch, flags: RowFlags) -> Row {
        Row { pos, len, kind, cfg: self.cfg, core: NONE, flags, ..Row::default() }
    }

    /// Adds a late row at the current position for open parts that will never be completed.
    pub(crate) fn give_up(&mut self, parts: &[Open], pos: u64, out: &mut Output<'_>) {
        if parts.is_empty() {
            return;
        }
        parts.iter().for_each(|part| part.give_up(out));
        out.attachment(AttachmentId::LOST, parts.len() as u64, 1);
        let flags = RowFlags::SKIPPED | RowFlags::FRAGMENTED;
        out.row(Row { severity: Severity::WARNING, ..self.note(RowKind::ORPHANS, (pos, 0), flags) });
    }
}
