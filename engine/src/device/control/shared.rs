//! What the handle and the thread share: link, log and decoding of a source, the queue, the encoder.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use parking_lot::Mutex;
use spytui_plugin_api::{Dict, EncodeError, EncoderInstance, Frames};

use super::{dispatcher::Dispatcher, first::FirstCommand, status::TargetStatus};
use crate::{
    device::command::{CommandError, ParsedCommand},
    io::link::LinkSender,
    io::log::RawLog,
    open::{Decoder, Options},
    store::{Names, View},
    trace::session::{CurrentDecoding, Decoding},
};

/// Why nothing can be sent to a file or a pipe.
pub const READ_ONLY: &str = "this link only reads: there is no target to send to";

/// Before so many records came since its start, the kinds seen say nothing of the target's filter.
const FEW_RECORDS: u64 = 100;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) log: Arc<RawLog>,
    pub(super) current: CurrentDecoding,
    pub(super) sender: Option<LinkSender>,
    pub(super) dispatcher: Mutex<Dispatcher>,
    /// Decoder and options of the encoder.
    pub(super) encodes: Mutex<Option<(Arc<Decoder>, Options)>>,
    /// Waits for the link.
    pub(super) first: Mutex<Option<FirstCommand>>,
    pub(super) changes: AtomicU64,
    /// The status as of a number of changes.
    pub(super) status: Mutex<(u64, Arc<TargetStatus>)>,
    pub(super) stopping: AtomicBool,
}

impl Shared {
    pub(super) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn cannot_send(&self) -> Option<String> {
        match &self.sender {
            None => Some(READ_ONLY.to_owned()),
            Some(sender) if !sender.is_up() => Some("the link is down: nothing is sent".to_owned()),
            Some(_) => None,
        }
    }

    /// Opens another encoder if the decoder changed, and passes other options on to it.
    pub(super) fn follow_decoder(&self, decoding: &Decoding) {
        let mut encodes = self.encodes.lock();
        let is_same = encodes.as_ref().is_some_and(|(decoder, _)| Arc::ptr_eq(decoder, &decoding.decoder));
        if is_same && encodes.as_ref().is_some_and(|(_, options)| *options == decoding.options) {
            return;
        }
        let mut dispatcher = self.dispatcher.lock();
        if !is_same || !dispatcher.set_options(&decoding.options) {
            let encoder = decoding.decoder.table.open_encoder(&decoding.options.vals());
            dispatcher.set_encoder(encoder.ok().flatten());
        }
        drop(dispatcher);
        *encodes = Some((decoding.decoder.clone(), decoding.options.clone()));
        drop(encodes);
        self.changed();
    }

    /// Frames of a command, and the encoder after them.
    pub(super) fn encode(
        &self,
        parsed: &ParsedCommand,
        decoding: &Decoding,
    ) -> Result<(Frames, EncoderInstance), CommandError> {
        let state = decoding.read();
        let is_new = state.records_seen() < FEW_RECORDS;
        let seen = if is_new { Vec::new() } else { state.kinds_seen() };
        let command = parsed.command(state.configuration(), &seen);
        let at_start = |message: String| CommandError::new(0, message);
        let no_encoder = || at_start(format!("{} has no commands to the target", decoding.decoder.info.title));
        let mut encoder = self.dispatcher.lock().fork().ok_or_else(no_encoder)?;
        let mut frames = Frames::default();
        let (view, dictionary) = (View::AsOf, &state.dictionary);
        let names = Names { dictionary, others: &[], row: u64::MAX, rows: &[], view, short: false };
        match encoder.encode(&command, &Dict::new(&names), &mut frames) {
            Ok(()) => {
                if !parsed.remark.is_empty() {
                    frames.remarks.insert(0, parsed.remark.as_str().into());
                }
                Ok((frames, encoder))
            }
            Err(EncodeError::Refused(refusal)) => {
                Err(CommandError::new(parsed.column(refusal.arg), refusal.message.as_str()))
            }
            Err(EncodeError::Fault(fault)) => Err(at_start(format!("the decoder failed: {fault}"))),
        }
    }
}
