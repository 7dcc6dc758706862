//! What a target has reported, and the encoder of its commands.

use std::sync::Arc;

use spytui_engine::{
    device::command::{ParsedCommand, parse},
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options},
    trace::session::{Decoding, thread::DecodeLoop},
};
use spytui_plugin_api::{Dict, EncodeError, EncoderInstance, Frames};

use crate::fuzzing::fixture::registry;

pub const PROTOCOLS: [&str; 4] = ["qs", "rkh", "tband", "qnx"];

pub fn decoder(proto: &str) -> Arc<Decoder> {
    let registry = registry();
    registry.find(proto).unwrap()
}

pub fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).unwrap() as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Encodes commands for a target.
pub struct Target {
    pub decoding: Arc<Decoding>,
    pub encoder: EncoderInstance,
}

impl Target {
    /// A target that has sent these bytes.
    pub fn of(proto: &str, sent: &[u8]) -> Target {
        let log = RawLog::new(&LogOptions::default());
        log.append(sent, 1);
        log.end(1);
        let decoding = Arc::new(Decoding::new(decoder(proto), Options::default(), log, 0, 0, 1 << 20));
        let mut runner = DecodeLoop::open(decoding.clone()).unwrap();
        while runner.step().unwrap() {}
        let encoder = decoding.decoder.table.open_encoder(&[]).unwrap().unwrap();
        Target { decoding, encoder }
    }

    pub fn parse(&self, line: &str) -> Result<ParsedCommand, String> {
        let state = self.decoding.read();
        parse(line, &self.decoding.decoder.info, &state.dictionary)
            .map_err(|error| format!("{}: {error}", error.column))
    }

    /// The frames of a line, or column and message.
    pub fn send(&mut self, line: &str) -> Result<Frames, String> {
        let parsed = self.parse(line)?;
        let mut frames = Frames::default();
        let configuration = self.decoding.read().configuration().to_vec();
        let command = parsed.command(&configuration, &[]);
        match self.encoder.encode(&command, &Dict::new(&()), &mut frames) {
            Ok(()) => Ok(frames),
            Err(EncodeError::Refused(refusal)) => Err(format!("{}: {}", parsed.column(refusal.arg), refusal.message)),
            Err(EncodeError::Fault(fault)) => panic!("{line}: {fault}"),
        }
    }
}
