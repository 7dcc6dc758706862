//! The back end that QUTest and QView expect of the reference host (`PROTOCOL.md` §9): packets of a front end become
//! frames to the target, rows become packets. Extension `frontend/1` of the plugin contract.

use std::{borrow::Cow, fmt::Write as _};

use nom::{
    IResult, Parser,
    bytes::complete::{take, take_till},
    multi::length_data,
    number::complete::{le_u8, le_u16},
};
use spytui_hdlc::frame;
use spytui_plugin_api::{Batch, DecoderOptions, Fault, Output, RowIn, Severity, info::space as host_space};
use spytui_plugin_layer::{FrontEnd, FrontEndOutput};

use crate::{
    command::{MACHINES, rx},
    config::{Config, INFO_FORM, InfoForm, REFERENCE, ReferenceForm, Style},
    decoder::QsOptions,
    layout::{id, space},
    names::{DictionaryFile, NamingRecord},
    record::TargetInfo,
    reference::HostNames,
};

/// Ids of packets for the host itself; smaller ones are frames for the target.
mod packet {
    pub(super) const ATTACH: u8 = 128;
    pub(super) const DETACH: u8 = 129;
    pub(super) const SAVE_DICTIONARIES: u8 = 130;
    pub(super) const TEXT_FILE: u8 = 131;
    pub(super) const SEQUENCE_FILE: u8 = 134;
    pub(super) const EVENT: u8 = 135;
    pub(super) const AO_FILTER: u8 = 136;
    pub(super) const CURRENT_OBJECT: u8 = 137;
    pub(super) const COMMAND: u8 = 138;
    pub(super) const TEST_PROBE: u8 = 139;
    pub(super) const CLEAR: u8 = 140;
    pub(super) const NOTE: u8 = 141;
}

/// Bits of the channels that a front end attaches to.
const BINARY: u8 = 1;
const TEXT: u8 = 2;

/// Number of kinds of current objects.
const KINDS: u8 = 8;

/// The style of the reference host that reads targets of QP 8.
const NEWER_HOST: &str = "qspy-8.1.3";

type Parsed<'a, T> = IResult<&'a [u8], T, ()>;

/// Serves a front end like the reference host.
#[derive(Clone, Debug)]
pub struct QsFrontEnd {
    config: Config,
    info_form: InfoForm,
    /// The reference host follows the target, as nobody chose one.
    follows_target: bool,
    dic: Option<DictionaryFile>,
    has_sequence: bool,
    names: HostNames,
    /// The current state machine or active object; the scope of signals.
    object: u64,
    /// Channels of the attached front end; `None` if there is none.
    channels: Option<u8>,
    /// Number of the last packet received and sent.
    received: u8,
    sent: u8,
    /// Id of the last record or packet, which the text of a later error carries.
    last: u8,
}

impl FrontEnd for QsFrontEnd {
    fn packet(&mut self, packet: &[u8], out: &mut FrontEndOutput) {
        match packet {
            [seq, id, payload @ ..] => self.numbered(*seq, *id, payload, out),
            _ => out.note(Severity::WARNING, "front end: a packet without number and id"),
        }
    }

    fn row(&mut self, cfg: &[u8], row: &RowIn<'_>, text: &[u8], out: &mut FrontEndOutput) {
        if row.row.is_record() {
            let before = std::mem::replace(&mut self.config, Config::from_blob(cfg));
            if before.style != self.config.style {
                self.names = HostNames::new(self.config.style, ReferenceForm::Dictionary);
            }
            let mut room = Vec::new();
            if let [seq, id, payload @ .., _] = frame(row.raw.as_slice(), true, &mut room) {
                if self.is_for_newer_host(*id, payload) {
                    out.option = format!("{}={NEWER_HOST}", REFERENCE.key);
                }
                self.record(*seq, *id, payload, text, out);
            }
        }
        if self.channels.is_some_and(|channels| channels & TEXT != 0) {
            // Information of the host itself is for its screen only.
            let is_for_front_end =
                |line: &&[u8]| !line.starts_with(b"   <") || line.windows(7).any(|tag| tag == b"> ERROR");
            let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n');
            lines.filter(|line| !line.is_empty()).filter(is_for_front_end).for_each(|line| self.text(line, out));
        }
    }

    fn unsent(&mut self, len: usize, out: &mut FrontEndOutput) {
        self.error(&format!("   <COMMS> ERROR    Sedning Data to the Target Rec={},Len={len}", self.last), out);
    }

    fn end(&mut self, out: &mut FrontEndOutput) {
        if self.channels.take().is_some() {
            self.send(&[packet::DETACH], out);
        }
    }
}

impl QsFrontEnd {
    /// Opens it with the decoder's options.
    pub fn open(opts: &DecoderOptions<'_>) -> Result<Box<dyn FrontEnd>, Fault> {
        let options = QsOptions::read(opts)?;
        Ok(Box::new(QsFrontEnd {
            config: options.config,
            follows_target: REFERENCE.given(opts)?.is_none(),
            info_form: INFO_FORM.given(opts)?.unwrap_or_default(),
            dic: options.dic,
            has_sequence: !options.objects.is_empty(),
            // In this form, the names are kept.
            names: HostNames::new(options.config.style, ReferenceForm::Dictionary),
            object: 0,
            channels: None,
            received: 0,
            sent: 0,
            last: 0,
        }))
    }

    /// Whether only the newer reference host reads this target info, and nothing was sent yet as by the older one.
    fn is_for_newer_host(&mut self, id: u8, payload: &[u8]) -> bool {
        let is_info = id == id::INFO && self.follows_target && self.config.style == Style::Qspy734;
        self.follows_target &= id == id::EMPTY || is_info;
        is_info
            && TargetInfo::parse(payload, Style::Qspy734).is_none()
            && TargetInfo::parse(payload, Style::Qspy813).is_some()
    }

    fn send(&mut self, rest: &[u8], out: &mut FrontEndOutput) {
        self.sent = self.sent.wrapping_add(1);
        out.packets.push([&[self.sent], rest].concat());
    }

    /// Sends a line on the text channel. Lines of dictionaries, target info and empty records are not sent.
    fn text(&mut self, line: &[u8], out: &mut FrontEndOutput) {
        let is_silent = matches!(self.last, id::EMPTY | id::ENUM_DICT | id::SIG_DICT..=id::INFO);
        if self.channels.is_some_and(|channels| channels & TEXT != 0) && !is_silent {
            self.send(&[&[0, self.last], line].concat(), out);
        }
    }

    fn error(&mut self, line: &str, out: &mut FrontEndOutput) {
        out.note(Severity::WARNING, line.trim_start());
        self.text(line.as_bytes(), out);
    }

    fn numbered(&mut self, seq: u8, id: u8, payload: &[u8], out: &mut FrontEndOutput) {
        let expected = self.received.wrapping_add(1);
        if self.channels.is_some_and(|channels| channels != 0) && seq != expected && id != packet::ATTACH {
            self.error(&format!("   <F-END> ERROR    Data Discontinuity Seq={expected}->{seq}"), out);
        }
        (self.received, self.last) = (seq, id);
        if id < packet::ATTACH {
            return raw(id, payload, out);
        }
        let frame = match id {
            packet::EVENT => self.event(payload),
            packet::AO_FILTER => self.ao_filter(payload),
            packet::CURRENT_OBJECT => self.current_object(payload, out),
            packet::COMMAND => self.command(payload),
            packet::TEST_PROBE => self.test_probe(payload),
            _ => return self.for_host(id, payload, out),
        };
        match frame {
            Ok((id, payload)) => raw(id, &payload, out),
            Err(text) => self.error(&text, out),
        }
    }

    fn for_host(&mut self, id: u8, payload: &[u8], out: &mut FrontEndOutput) {
        match id {
            packet::ATTACH => {
                let channels = payload.first().copied().unwrap_or(BINARY);
                (self.channels, self.received, self.sent) = (Some(channels), 0, 0);
                out.is_attached = true;
                self.send(&[packet::ATTACH], out);
                out.note(Severity::INFO, &format!("front end attached, channels {channels:08b}"));
            }
            packet::DETACH => {
                self.channels = None;
                out.is_attached = false;
                out.ends_host = !payload.is_empty();
                out.note(Severity::INFO, "front end detached");
            }
            packet::SAVE_DICTIONARIES if self.dic.is_none() => {
                self.error("   <QSPY-> Dictionaries NOT configured (no -d option)", out);
            }
            packet::SEQUENCE_FILE if !self.has_sequence => {
                self.error("   <QSPY-> Sequence list NOT provided (no -g option) ", out);
            }
            packet::SAVE_DICTIONARIES => out.files.push(("dictionary", Some(true))),
            packet::TEXT_FILE..=packet::SEQUENCE_FILE => {
                let kind = ["text", "binary", "matlab", "sequence"][usize::from(id - packet::TEXT_FILE)];
                out.note(Severity::INFO, &format!("front end switches the {kind} file on or off"));
                out.files.push((kind, payload.first().filter(|&&on| on < 2).map(|&on| on == 1)));
            }
            // The records on the screen are the user's.
            packet::CLEAR => out.note(Severity::INFO, "front end cleared its host's screen"),
            packet::NOTE => {
                let text = payload.get(1..).and_then(|rest| rest.split(|&byte| byte == 0).next());
                out.note(Severity::INFO, &String::from_utf8_lossy(text.unwrap_or_default()));
            }
            _ => self.error(&format!("   <F-END> ERROR    Unrecognized command Rec={id}"), out),
        }
    }

    fn event(&self, payload: &[u8]) -> Result<(u8, Vec<u8>), String> {
        let size = usize::from(self.config.sizes.sig);
        let parsed: Parsed<'_, _> = (le_u8, take(size), length_data(le_u16), name).parse(payload);
        let incorrect = |_| "   <F-END> ERROR    command 'SEND_EVENT' incorrect".to_owned();
        let (_, (priority, _, parameters, name)) = parsed.map_err(incorrect)?;
        let length = (parameters.len() as u16).to_le_bytes();
        let signal = self.signal(name).to_le_bytes();
        Ok((rx::EVENT, [&[priority], &signal[..size], &length, parameters].concat()))
    }

    fn ao_filter(&self, payload: &[u8]) -> Result<(u8, Vec<u8>), String> {
        let (removes, name) = self.number_and_name("SEND_AO_FILTER", 1, self.config.sizes.obj, payload)?;
        let object = self.object(name)?;
        Ok((rx::AO_FILTER, [removes, &self.address(object, self.config.sizes.obj)].concat()))
    }

    fn current_object(&mut self, payload: &[u8], out: &mut FrontEndOutput) -> Result<(u8, Vec<u8>), String> {
        let (kind, name) = self.number_and_name("SEND_CURR_OBJ", 1, self.config.sizes.obj, payload)?;
        let object = self.object(name)?;
        match kind {
            [number] if MACHINES.contains(&u64::from(*number)) => self.object = object,
            [number] if *number >= KINDS => {
                self.error(&format!("   <F-END> ERROR    Incorrect Object Kind={number}"), out);
            }
            _ => {}
        }
        Ok((rx::CURRENT_OBJECT, [kind, &self.address(object, self.config.sizes.obj)].concat()))
    }

    fn command(&self, payload: &[u8]) -> Result<(u8, Vec<u8>), String> {
        let (parameters, name) = self.number_and_name("SEND_COMMAND", 1 + 3 * 4, 0, payload)?;
        let command = match self.config.version {
            space::COMMAND_GROUP_FROM.. => self.names.command(name),
            _ => self.key(host_space::KINDS, name),
        };
        let command = command.ok_or_else(|| unknown("Command", name))?;
        Ok((rx::COMMAND, [&[command as u8], &parameters[1..]].concat()))
    }

    fn test_probe(&self, payload: &[u8]) -> Result<(u8, Vec<u8>), String> {
        let size = self.config.sizes.fun;
        let (data, name) = self.number_and_name("SEND_TEST_PROBE", 4, size, payload)?;
        let function = self.key(space::FUNCTIONS, name).ok_or_else(|| unknown("Function", name))?;
        Ok((rx::TEST_PROBE, [data, &self.address(function, size)].concat()))
    }

    /// Splits the payload of a packet with a name: `bytes` of numbers, `zeros` in the place of the address, the name.
    fn number_and_name<'a>(
        &self,
        packet: &str,
        bytes: u8,
        zeros: u8,
        payload: &'a [u8],
    ) -> Result<(&'a [u8], &'a [u8]), String> {
        let parsed: Parsed<'a, _> = (take(bytes), take(zeros), name).parse(payload);
        let (_, (number, _, name)) = parsed.map_err(|_| format!("   <F-END> ERROR    command '{packet}' incorrect"))?;
        Ok((number, name))
    }

    fn address(&self, address: u64, size: u8) -> Vec<u8> {
        address.to_le_bytes().into_iter().take(size.into()).collect()
    }

    fn object(&self, name: &[u8]) -> Result<u64, String> {
        self.key(space::OBJECTS, name).ok_or_else(|| unknown("Object", name))
    }

    /// The first key with a name.
    fn key(&self, space: u16, name: &[u8]) -> Option<u64> {
        self.names.list(space).find(|(.., text)| *text == name).map(|(key, ..)| key)
    }

    /// The first signal with a name for the current object or for all; 0 if there is none.
    fn signal(&self, name: &[u8]) -> u64 {
        let is_it = |(_, object, text): &(u64, u64, &[u8])| *text == name && (*object == 0 || *object == self.object);
        self.names.list(space::SIGNALS).find(is_it).map_or(0, |(signal, ..)| signal)
    }

    fn record(&mut self, seq: u8, id: u8, payload: &[u8], text: &[u8], out: &mut FrontEndOutput) {
        // What the host of this plugin would get.
        let mut unused = Batch::default();
        self.last = id;
        let channels = self.channels.unwrap_or(0);
        let is_binary = channels & BINARY != 0 || channels & TEXT != 0 && id == id::INFO;
        if is_binary && id != id::EMPTY {
            let payload = if id == id::INFO { self.info_in_form(payload) } else { payload.into() };
            out.packets.push([&[seq, id], &*payload].concat());
        }
        match id {
            id::INFO => self.target_info(payload, text),
            id::EMPTY | id::ENUM_DICT | id::SIG_DICT..=id::USR_DICT => {
                if let Some(naming) = NamingRecord::of(&self.config, id, payload) {
                    self.names.enter_record(naming, self.config.version, &mut Output::new(&mut unused, false));
                }
            }
            _ => {}
        }
    }

    fn target_info(&mut self, payload: &[u8], text: &[u8]) {
        let Some(info) = TargetInfo::parse(payload, self.config.style) else { return };
        let mut unused = Batch::default();
        let mut out = Output::new(&mut unused, false);
        if info.reset || text.windows(10).any(|word| word == b"discarded)") {
            self.names.clear(&mut out);
        }
        if info.reset {
            self.object = 0;
        }
        self.config.sizes = info.sizes.legal(self.config.sizes);
        self.config.version = info.version;
        let fitting = self.dic.as_ref().filter(|dic| !dic.is_empty() && dic.other_build(&info).is_none());
        if let Some(dic) = fitting {
            dic.key_sizes().for_each(|(space, _)| self.names.clear_one(&mut out, space));
            dic.names().for_each(|naming| self.names.enter(&naming, &mut out));
        }
    }

    /// The payload of a target info in the form that the front end reads.
    fn info_in_form<'a>(&self, payload: &'a [u8]) -> Cow<'a, [u8]> {
        let info = TargetInfo::parse(payload, Style::Native);
        match (self.info_form, info, payload) {
            (InfoForm::Before8, Some(info), [_, _, _, _, _, common @ ..]) if payload.len() == 18 => {
                let word = info.version | u16::from(info.big_endian) << 15;
                let reset = if info.reset { 0xFF } else { 0 };
                [&[reset], &word.to_le_bytes()[..], common].concat().into()
            }
            (InfoForm::Since8, Some(info), [_, _, _, common @ ..]) if payload.len() == 16 => {
                let flags = 0b0110 | u8::from(info.reset) << 6 | u8::from(info.big_endian) << 7;
                [&[flags], &(!u32::from(info.version)).to_le_bytes()[..], common].concat().into()
            }
            _ => payload.into(),
        }
    }
}

fn name(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_till(|byte| byte == 0).parse(input)
}

fn unknown(what: &str, name: &[u8]) -> String {
    format!("   <F-END> ERROR    {what} Dictionary not found for Name={}", String::from_utf8_lossy(name))
}

/// Passes a frame on, with the host's own number.
fn raw(id: u8, payload: &[u8], out: &mut FrontEndOutput) {
    let mut line = match (id, payload) {
        (rx::INFO, []) => return out.commands.push("info".into()),
        (rx::RESET, []) => return out.commands.push("reset!".into()),
        (rx::TICK, [rate]) => return out.commands.push(format!("tick {rate}")),
        (rx::TEST_SETUP, []) => return out.commands.push("test setup".into()),
        (rx::TEST_TEARDOWN, []) => return out.commands.push("test teardown".into()),
        (rx::TEST_CONTINUE, []) => return out.commands.push("test continue".into()),
        _ => format!("raw {id} "),
    };
    payload.iter().for_each(|byte| _ = write!(line, "{byte:02x}"));
    out.commands.push(line);
}
