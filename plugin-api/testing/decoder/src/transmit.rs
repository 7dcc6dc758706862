//! Commands: lines `>SX args*CC` with a sequence number of their own, answered by `A` frames.

use spytui_plugin_api::{
    ArgVal, Call, Cut, Dict, Fault, FilterState, Opts, RVec, Transmit, TxFrame, TxOut,
    tx::{FilterOp, cmd, event},
};

use crate::{
    frame::check,
    info::{SAY, SET},
};

/// State of the way back.
#[derive(Debug, Clone, Default)]
pub struct Line {
    seq: u8,
    mask: u64,
    /// The mask is as sent to the target since it started.
    known: bool,
    answers: u64,
}

/// Bits of the stages that a command waits for: accepted and done.
const STAGES: u16 = 1 << 1 | 1 << 2;

impl Transmit for Line {
    fn open(_: &Opts<'_>) -> Result<Line, Fault> {
        Ok(Line::default())
    }

    fn encode(&mut self, cfg: &[u8], call: &Call<'_>, dict: &Dict<'_>, out: &mut TxOut) -> Result<(), Fault> {
        let args = call.args.as_slice();
        let text = match call.cmd {
            cmd::FILTER => self.filter(call.filters.as_slice()),
            cmd::INFO => "I".to_owned(),
            cmd::RESET => "Z".to_owned(),
            SET => set(cfg, args, dict)?,
            SAY => say(args, call.texts.as_slice())?,
            other => return Err(Fault::new(format!("command {other} is not known here"))),
        };
        self.frame(&text, out);
        Ok(())
    }

    fn event(&mut self, what: u32, a: u64, b: u64) {
        match what {
            event::LINK_UP => self.seq = 0,
            event::EPOCH => (self.seq, self.known) = (0, false),
            event::ANSWER => self.answers = self.answers.wrapping_add(a ^ b),
            _ => {}
        }
    }

    fn filters(&self, out: &mut RVec<FilterState>) {
        for item in 1..=3_u32 {
            let on = self.mask >> item & 1;
            let state = if self.known { on as u8 } else { 2 };
            out.push(FilterState { item, lo: 0, hi: u64::MAX, state });
        }
    }
}

impl Line {
    fn frame(&mut self, text: &str, out: &mut TxOut) {
        let body = format!("{:x}{text}", self.seq);
        let bytes = format!(">{body}*{:02x}\n", check(body.as_bytes())).into_bytes();
        let cut = Cut { off: out.bytes.len() as u32, len: bytes.len() as u32 };
        out.bytes.extend_from_slice(&bytes);
        out.echo.extend_from_slice(text.as_bytes());
        let token = u64::from(self.seq);
        out.frames.push(TxFrame { bytes: cut, token, stages: STAGES, timeout_ms: 500, ..TxFrame::default() });
        self.seq = (self.seq + 1) & 15;
    }

    fn filter(&mut self, ops: &[FilterOp]) -> String {
        for op in ops {
            let bit = 1 << op.item.min(63);
            self.mask = match op.op {
                0 => self.mask | bit,
                1 => self.mask & !bit,
                _ => bit,
            };
        }
        self.known = true;
        format!("F {:x}", self.mask)
    }
}

fn set(cfg: &[u8], args: &[ArgVal], dict: &Dict<'_>) -> Result<String, Fault> {
    let (Some(object), Some(level)) = (args.first(), args.get(1)) else {
        return Err(Fault::new("set takes an object and a level"));
    };
    let width = u32::from(cfg.first().copied().unwrap_or(4)).min(16);
    if width < 16 && object.num >> (4 * width) != 0 {
        let name = dict.name(crate::info::OBJECTS, object.num, 0).unwrap_or_default();
        let text = format!("object {:#x} {} has more than {width} digits", object.num, String::from_utf8_lossy(name));
        return Err(Fault::new(text).at_column(object.column));
    }
    Ok(format!("S {:x} {:x}", object.num, level.num))
}

fn say(args: &[ArgVal], texts: &[u8]) -> Result<String, Fault> {
    let text = args.first().map(|a| a.text.of(texts)).unwrap_or_default();
    let text = std::str::from_utf8(text).map_err(|e| Fault::new(format!("say takes text: {e}")))?;
    if text.contains(['$', '\n']) {
        return Err(
            Fault::new("the text may hold no $ and no line end").at_column(args.first().map_or(0, |a| a.column))
        );
    }
    Ok(format!("T {text}"))
}
