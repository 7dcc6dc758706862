//! Encodes commands as frames and tracks the target's filters: the global and the local one as bit masks, and active
//! objects switched by address.

use std::collections::{BTreeMap, VecDeque};

use spytui_hdlc::{FLAG, stuff, sum};
use spytui_plugin_api::{
    Answer, ArgForm, Command, DecoderOptions, Dict, Encoder, EncoderEventKind, Fault, FilterOp, FilterOpKind,
    FilterState, Frame, Frames, NONE, Refusal, Verdict, info::AnswerStage,
};

use super::{
    EVENT_POOL, IDS, LAST_RECORD, MACHINES, OBJECTS, RAW, RECORDS, TO, assumed, awaited, ids_of, records_of, rx,
};
use crate::{
    config::{Config, VERSION},
    layout::COMMANDS,
};

/// How long a target may take to answer, in ms.
const TIMEOUT_MS: u32 = 1000;
/// Maximum number of bytes in the target's buffer before the answer.
const BEHIND: u32 = 4096;
/// Highest id of an active object.
const LAST_PRIORITY: u64 = 64;
/// First version in which the local filter is a mask of object ids and active objects are filtered by address.
const MASKED_OBJECTS: u16 = 690;
/// Kind of object that receives posted events.
const ACTIVE_OBJECT: u8 = 1;
/// `TO` value for the current active object.
const CURRENT: u8 = 253;

/// Encodes commands as frames of the QS receive channel.
#[derive(Clone, Debug, Default)]
pub struct QsEncoder {
    seq: u8,
    version: Option<u16>,
    records: KnownFilter,
    ids: KnownFilter,
    objects: ObjectFilter,
    /// The current state machine or active object, which is the scope of signals.
    object: Option<u64>,
    cut: Option<Cut>,
    /// Records that the last global filter switches off without naming them.
    assumed_off: String,
}

/// State of a frame that was sent only in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// The target is waiting for the rest.
    OnTheLine,
    /// The frame was terminated. The target may report it as damaged, more than once.
    Ended,
}

type Encoded = Result<(), Refusal>;

struct Payload<'a> {
    config: &'a Config,
    bytes: Vec<u8>,
}

impl Payload<'_> {
    fn int(&mut self, value: u64, size: u8) {
        self.bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(size.min(8))]);
    }

    fn object(&mut self, address: u64) {
        self.int(address, self.config.sizes.obj);
    }
}

impl Encoder for QsEncoder {
    fn open(opts: &DecoderOptions<'_>) -> Result<QsEncoder, Fault> {
        Ok(QsEncoder { version: VERSION.given(opts)?, ..QsEncoder::default() })
    }

    fn set_options(&mut self, opts: &DecoderOptions<'_>) -> Result<(), Fault> {
        self.version = VERSION.given(opts)?;
        Ok(())
    }

    fn encode(&mut self, command: &Command<'_>, _: &Dict<'_>, out: &mut Frames) -> Encoded {
        let mut config = Config::from_blob(command.cfg.as_slice());
        if let Some(version) = self.version.filter(|_| !config.is_version_known) {
            (config.version, config.is_version_known) = (version, true);
        } else if !config.is_version_known && [rx::GLOBAL_FILTER, rx::LOCAL_FILTER].map(u16::from).contains(&command.id)
        {
            out.remark("the target's version is not known: assumed 7.x");
            out.is_early = true;
        }
        // A refused command must not change anything.
        let mut next = self.clone();
        next.command(command, &config, out)?;
        *self = next;
        Ok(())
    }

    fn event(&mut self, kind: EncoderEventKind, token: u64) {
        match kind {
            EncoderEventKind::CONNECTED | EncoderEventKind::RESET => {
                *self = QsEncoder { version: self.version, ..QsEncoder::default() };
            }
            EncoderEventKind::TIMED_OUT => self.doubt(token),
            EncoderEventKind::SENT_IN_PART => {
                self.doubt(token);
                self.cut = Some(Cut::OnTheLine);
            }
            _ => {}
        }
    }

    fn answer(&mut self, answer: &Answer) -> Verdict {
        if self.cut == Some(Cut::Ended) {
            if answer.stage == AnswerStage::REFUSED && is_damage(answer.value) {
                let reason = "the target discarded the frame that was sent in part".into();
                return Verdict { stage: AnswerStage::PROGRESS, reason };
            }
            self.cut = None;
        }
        let is_ids = answer.token as u8 == rx::LOCAL_FILTER && (self.ids.sent.is_some() || self.ids.late.is_some());
        match answer.stage {
            AnswerStage::ACCEPTED => self.known(answer.token).into_iter().for_each(KnownFilter::acknowledge),
            AnswerStage::REFUSED => self.known(answer.token).into_iter().for_each(KnownFilter::keep),
            _ => {}
        }
        match (answer.token as u8, answer.stage) {
            (rx::LOCAL_FILTER, AnswerStage::ACCEPTED) if is_ids => {
                self.objects.known.clear();
                self.objects.is_switched = false;
            }
            (rx::AO_FILTER, AnswerStage::ACCEPTED) => self.objects.acknowledge(),
            (rx::AO_FILTER, AnswerStage::REFUSED) => self.objects.keep(),
            _ => {}
        }
        let reason = match answer.stage {
            AnswerStage::ACCEPTED if answer.token as u8 == rx::GLOBAL_FILTER => self.assumed_off.as_str(),
            AnswerStage::REFUSED => why_refused(answer),
            AnswerStage::PROGRESS => "the sequence number was not expected; the target continues with it",
            _ => "",
        };
        Verdict { stage: answer.stage, reason: reason.into() }
    }

    fn filter(&self, out: &mut Vec<FilterState>) {
        self.records.states(RECORDS, (0, LAST_RECORD), out);
        // The ids of objects switched by address are unknown.
        let first = if self.objects.is_switched { LAST_PRIORITY + 1 } else { 1 };
        self.ids.states(IDS, (first, 127), out);
        self.objects.states(OBJECTS, out);
    }
}

impl QsEncoder {
    /// Notes that a frame may or may not have been executed.
    fn doubt(&mut self, token: u64) {
        self.known(token).into_iter().for_each(KnownFilter::doubt);
        self.objects.doubt();
    }

    fn known(&mut self, token: u64) -> Option<&mut KnownFilter> {
        match token as u8 {
            rx::GLOBAL_FILTER => Some(&mut self.records),
            rx::LOCAL_FILTER => Some(&mut self.ids),
            _ => None,
        }
    }

    fn command(&mut self, command: &Command<'_>, config: &Config, out: &mut Frames) -> Encoded {
        if command.id == RAW {
            self.raw(command.number(0) as u8, command.bytes(1), config, out);
            return Ok(());
        }
        let id = command.id as u8;
        let mut payload = Payload { config, bytes: Vec::new() };
        match id {
            rx::INFO | rx::RESET | rx::TEST_SETUP | rx::TEST_TEARDOWN | rx::TEST_CONTINUE => {}
            rx::COMMAND => {
                payload.int(command.number(0), 1);
                (1..=3).for_each(|arg| payload.int(command.number(arg), 4));
            }
            rx::TICK => payload.int(command.number(0), 1),
            rx::QUERY => {
                object_kind(command, config, out)?;
                payload.int(command.number(0), 1);
            }
            rx::PEEK => memory(command, command.number(2), &mut payload),
            rx::POKE => poke(command, &mut payload)?,
            rx::FILL => fill(command, &mut payload)?,
            rx::TEST_PROBE => {
                payload.int(command.number(1), 4);
                fits(command.number(0), config.sizes.fun, 0)?;
                payload.int(command.number(0), config.sizes.fun);
            }
            rx::CURRENT_OBJECT => {
                object_kind(command, config, out)?;
                let (kind, object) = (command.number(0), command.number(1));
                fits(object, config.sizes.obj, 1)?;
                payload.int(kind, 1);
                payload.object(object);
                if MACHINES.contains(&kind) {
                    self.object = Some(object);
                }
            }
            rx::GLOBAL_FILTER => return self.global(command, config, out),
            rx::LOCAL_FILTER => return self.local(command, config, out),
            rx::EVENT => return self.send_event(command, config, out),
            _ => return Err(Refusal::new(0, "unknown command")),
        }
        self.frame(id, &payload.bytes, out);
        Ok(())
    }

    /// Passes any frame on. One that sets a filter or the current object sets what is known of it.
    fn raw(&mut self, id: u8, payload: &[u8], config: &Config, out: &mut Frames) {
        if let Some(name) = COMMANDS.get(usize::from(id)) {
            out.remark(name);
        }
        let mask = || Some(u128::from_le_bytes(payload.get(1..)?.try_into().ok()?));
        let address = |size: u8| {
            let bytes = payload.get(1..).filter(|bytes| bytes.len() == usize::from(size))?;
            Some(bytes.iter().rev().fold(0, |address, byte| address << 8 | u64::from(*byte)))
        };
        let object = address(config.sizes.obj);
        match (id, payload.first(), object) {
            (rx::GLOBAL_FILTER, Some(16), _) => mask().into_iter().for_each(|mask| self.records.send(mask)),
            (rx::LOCAL_FILTER, Some(16), _) => mask().into_iter().for_each(|mask| self.ids.send(mask)),
            (rx::AO_FILTER, Some(removes), Some(object)) => self.objects.send(object, *removes == 0),
            (rx::CURRENT_OBJECT, Some(kind), _) if MACHINES.contains(&u64::from(*kind)) => self.object = object,
            _ => {}
        }
        self.frame(id, payload, out);
    }

    fn frame(&mut self, id: u8, payload: &[u8], out: &mut Frames) {
        self.seq = self.seq.wrapping_add(1);
        let mut plain = vec![self.seq, id];
        plain.extend_from_slice(payload);
        plain.push(!sum(&plain));
        let mut wire = Vec::with_capacity(plain.len() + 8);
        if self.cut == Some(Cut::OnTheLine) {
            wire.push(FLAG);
            self.cut = Some(Cut::Ended);
        }
        stuff(&plain, &mut wire);
        let frame = Frame {
            token: id.into(),
            awaited: awaited(id),
            timeout_ms: TIMEOUT_MS,
            behind: BEHIND,
            ..Frame::default()
        };
        out.push(frame, |bytes| bytes.extend_from_copy_slice(&wire));
    }

    /// Encodes the global filter: frames contain the whole mask, so a change needs a mask to start from.
    fn global(&mut self, command: &Command<'_>, config: &Config, out: &mut Frames) -> Encoded {
        let ops = command.filter.as_slice();
        self.assumed_off.clear();
        let mut mask = match self.records.mask {
            _ if ops.first().is_some_and(|op| op.kind == FilterOpKind::CLEAR) => 0,
            Some(mask) => {
                out.remark("changes the filter last acknowledged");
                mask
            }
            None if command.seen.is_empty() => {
                out.remark("the target's filter is unknown, with too few records yet: changes all records");
                bits(0, LAST_RECORD)
            }
            None => {
                let seen: Vec<u64> = command.seen.iter().map(|kind| u64::from(kind.0 & 0xFF)).collect();
                let assumed = assumed(&seen, config);
                match assumed.off.join(", ") {
                    off if off.is_empty() => out.remark("the target's filter is unknown: assumed all on"),
                    off => {
                        out.remark(&format!("the target's filter is unknown: {off} assumed off, the rest on"));
                        self.assumed_off = format!("{off} off, too: none of them arrived");
                    }
                }
                assumed.mask
            }
        };
        for op in ops {
            let ranges = match op.group {
                NONE => vec![(op.first, op.last)],
                group => records_of(group, config.version),
            };
            if ranges.is_empty() {
                return Err(Refusal::new(0, "this version has no such group"));
            }
            mask = change(mask, op.kind, &ranges);
        }
        mask &= bits(0, LAST_RECORD);
        self.records.send(mask);
        self.masked(rx::GLOBAL_FILTER, mask, out);
        Ok(())
    }

    fn masked(&mut self, id: u8, mask: u128, out: &mut Frames) {
        let mut payload = vec![16];
        payload.extend_from_slice(&mask.to_le_bytes());
        self.frame(id, &payload, out);
    }

    /// Encodes the local filter: a mask of object ids, then active objects one by one.
    fn local(&mut self, command: &Command<'_>, config: &Config, out: &mut Frames) -> Encoded {
        if config.version < MASKED_OBJECTS {
            return self.old_local(command, config, out);
        }
        let ops = command.filter.as_slice();
        let (of_ids, objects): (Vec<&FilterOp>, Vec<&FilterOp>) = ops.iter().partition(|op| op.table == IDS);
        if !of_ids.is_empty() {
            let mut mask = match self.ids.mask {
                _ if of_ids[0].kind == FilterOpKind::CLEAR => 0,
                Some(mask) => {
                    out.remark(match self.objects.is_switched {
                        true => "changes the filter last acknowledged, without what was switched by name since",
                        false => "changes the filter last acknowledged",
                    });
                    mask
                }
                None => {
                    out.remark("the target's filter is unknown: changes all objects");
                    bits(0, 127)
                }
            };
            for op in of_ids {
                let ranges = if op.group == NONE { vec![(op.first, op.last)] } else { ids_of(op.group) };
                mask = change(mask, op.kind, &ranges);
            }
            self.ids.send(mask);
            self.masked(rx::LOCAL_FILTER, mask, out);
        }
        for op in objects {
            if op.kind == FilterOpKind::CLEAR {
                return Err(Refusal::new(0, "objects can be added and removed only: +obj:NAME, -obj:NAME"));
            }
            let mut payload = Payload { config, bytes: vec![u8::from(op.kind == FilterOpKind::OFF)] };
            one_object(op, config)?;
            payload.object(op.first);
            self.objects.send(op.first, op.kind == FilterOpKind::ON);
            self.frame(rx::AO_FILTER, &payload.bytes, out);
        }
        Ok(())
    }

    /// Encodes the local filter before 6.9: records of one object by address, or of one active object by priority.
    fn old_local(&mut self, command: &Command<'_>, config: &Config, out: &mut Frames) -> Encoded {
        let ops = command.filter.as_slice();
        let [rest @ .., op] = ops else { return Err(Refusal::new(0, "give an object")) };
        let is_one = op.kind == FilterOpKind::ON && op.group == NONE && op.first == op.last;
        if !is_one || rest.iter().any(|op| op.kind != FilterOpKind::CLEAR) {
            return Err(Refusal::new(0, "before 6.9 a target filters by one object: =obj:NAME, or =PRIORITY"));
        }
        if op.table == OBJECTS {
            one_object(op, config)?;
            let mut payload = Payload { config, bytes: vec![ACTIVE_OBJECT] };
            payload.object(op.first);
            self.frame(rx::LOCAL_FILTER, &payload.bytes, out);
        } else {
            self.frame(rx::AO_FILTER, &[op.first as u8], out);
        }
        Ok(())
    }

    fn send_event(&mut self, command: &Command<'_>, config: &Config, out: &mut Frames) -> Encoded {
        let to = command.value(0).copied().unwrap_or_default();
        let priority = match to.form {
            ArgForm::CHOICE => TO.get(to.num as usize).map_or(0, |to| to.1),
            ArgForm::NAME => CURRENT,
            _ => to.num as u8,
        };
        let signal = self.signal(command, to.form == ArgForm::NAME)?;
        let parameters = command.bytes(2);
        let Ok(length) = u16::try_from(parameters.len()) else {
            return Err(Refusal::new(2, "at most 65 535 bytes"));
        };
        if to.form == ArgForm::NAME {
            let mut payload = Payload { config, bytes: vec![ACTIVE_OBJECT] };
            payload.object(to.num);
            self.object = Some(to.num);
            self.frame(rx::CURRENT_OBJECT, &payload.bytes, out);
        }
        let mut payload = Payload { config, bytes: vec![priority] };
        fits(signal, config.sizes.sig, 1)?;
        payload.int(signal, config.sizes.sig);
        payload.int(length.into(), 2);
        payload.bytes.extend_from_slice(parameters);
        self.frame(rx::EVENT, &payload.bytes, out);
        Ok(())
    }

    /// Finds the signal: a name means the lowest one that is global or in the scope of the event's receiver.
    fn signal(&self, command: &Command<'_>, is_named: bool) -> Result<u64, Refusal> {
        let object = if is_named { Some(command.number(0)) } else { self.object };
        let mut values = command.values(1).peekable();
        match values.peek() {
            Some(value) if value.form != ArgForm::NAME => return Ok(value.num),
            _ => {}
        }
        let matching = values.filter(|value| value.scope == 0 || Some(value.scope) == object);
        match matching.map(|value| value.num).min() {
            Some(signal) => Ok(signal),
            None if object.is_none() => {
                Err(Refusal::new(1, "the signal belongs to an object: name it, or set it with current sm+ao NAME"))
            }
            None => Err(Refusal::new(1, "the signal belongs to another object")),
        }
    }
}

fn object_kind(command: &Command<'_>, config: &Config, out: &mut Frames) -> Encoded {
    let (pool, from) = EVENT_POOL;
    if command.number(0) != pool || config.version >= from {
        return Ok(());
    }
    if config.is_version_known {
        return Err(Refusal::new(0, "unknown to this target: event pools need QP 8 or later"));
    }
    out.remark("the target's version is not known yet: before QP 8 it does not know ep");
    Ok(())
}

fn is_damage(status: u64) -> bool {
    matches!(status, 0xC1 | 0xD0)
}

fn why_refused(answer: &Answer) -> &'static str {
    let is_test = [rx::TEST_SETUP, rx::TEST_TEARDOWN, rx::TEST_PROBE, rx::TEST_CONTINUE];
    match (answer.value, answer.token as u8) {
        (value, _) if is_damage(value) => "frame damaged",
        (0xC3, frame) if is_test.contains(&frame) => "not a test build",
        (0xC3, _) => "it does not know this frame",
        (0xC5 | 0xC7, _) => "not in this state",
        (_, rx::PEEK | rx::POKE | rx::FILL) => "QS gives no reason. Is an object current? :target current ap NAME",
        (_, rx::QUERY) => "QS gives no reason. No query callback? No such object current? :target current KIND NAME",
        (_, rx::EVENT) => "QS gives no reason. Is there such an object, or a current one? :target current sm+ao NAME",
        (_, rx::AO_FILTER) => "QS gives no reason. Is it an active object?",
        _ => "QS gives no reason",
    }
}

/// Item size in bytes, by index of the choice.
fn item_size(command: &Command<'_>) -> u8 {
    1 << command.number(1).min(2)
}

fn memory(command: &Command<'_>, count: u64, payload: &mut Payload<'_>) {
    payload.int(command.number(0), 2);
    payload.int(item_size(command).into(), 1);
    payload.int(count, 1);
}

fn poke(command: &Command<'_>, payload: &mut Payload<'_>) -> Encoded {
    let size = item_size(command);
    let count = command.values(2).count() as u64;
    if count > 255 {
        return Err(Refusal::new(2, "at most 255 values"));
    }
    memory(command, count, payload);
    for value in command.values(2) {
        fits(value.num, size, 2)?;
        payload.int(value.num, size);
    }
    Ok(())
}

fn fill(command: &Command<'_>, payload: &mut Payload<'_>) -> Encoded {
    let (size, value) = (item_size(command), command.number(3));
    fits(value, size, 3)?;
    memory(command, command.number(2), payload);
    payload.int(value, size);
    Ok(())
}

/// Checks that a change of the local filter names exactly one object.
fn one_object(op: &FilterOp, config: &Config) -> Encoded {
    if op.first == 0 {
        return Err(Refusal::new(0, "there is no object at address 0"));
    }
    if op.first != op.last {
        return Err(Refusal::new(0, "objects are given one by one: +obj:NAME, -obj:NAME"));
    }
    fits(op.first, config.sizes.obj, 0)
}

fn fits(value: u64, size: u8, arg: u16) -> Encoded {
    let most = u64::MAX >> (64 - 8 * u32::from(size.clamp(1, 8)));
    if value <= most {
        Ok(())
    } else {
        Err(Refusal::new(arg, &format!("at most {most:#x}: the target has {size} bytes for it")))
    }
}

pub(super) fn bits(first: u64, last: u64) -> u128 {
    (first..=last.min(127)).fold(0, |mask, bit| mask | 1 << bit)
}

pub(super) fn change(mask: u128, kind: FilterOpKind, ranges: &[(u64, u64)]) -> u128 {
    let these = ranges.iter().fold(0, |mask, (first, last)| mask | bits(*first, *last));
    match kind {
        FilterOpKind::ON => mask | these,
        FilterOpKind::OFF => mask & !these,
        _ => 0,
    }
}

/// The known state of a filter that can't be read back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownFilter {
    /// Last acknowledged in this epoch.
    pub(super) mask: Option<u128>,
    /// Sent, but not acknowledged yet.
    sent: Option<u128>,
    /// Sent without a timely answer, and the state before.
    late: Option<(u128, Option<u128>)>,
}

impl KnownFilter {
    pub(super) fn send(&mut self, mask: u128) {
        (self.sent, self.late) = (Some(mask), None);
    }

    pub(super) fn acknowledge(&mut self) {
        let late = self.late.take().map(|(mask, _)| mask);
        self.mask = self.sent.take().or(late).or(self.mask);
    }

    /// Notes that the target refused the filter sent, and restores the state before.
    pub(super) fn keep(&mut self) {
        if let Some((_, before)) = self.late.take() {
            self.mask = before;
        }
        self.sent = None;
    }

    /// Notes that it is unknown whether the target took the filter sent, unless a late answer arrives.
    pub(super) fn doubt(&mut self) {
        if let Some(mask) = self.sent.take() {
            self.late = Some((mask, self.mask.take()));
        }
    }

    /// Adds the states of switches `first` to `last`, merging equal ones.
    pub(super) fn states(&self, table: u16, (first, last): (u64, u64), out: &mut Vec<FilterState>) {
        let Some(mask) = self.mask else { return };
        let is_on = |bit: u64| mask >> bit & 1 == 1;
        for bit in first..=last {
            match out.last_mut().filter(|state| state.table == table && state.is_on == is_on(bit)) {
                Some(state) => state.last = bit,
                None => out.push(FilterState { table, is_on: is_on(bit), is_known: true, first: bit, last: bit }),
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct ObjectFilter {
    /// Acknowledged since the last filter of ids, which overrides them.
    known: BTreeMap<u64, bool>,
    /// Sent, but not acknowledged yet, oldest first.
    sent: VecDeque<(u64, bool)>,
    /// Sent without a timely answer, oldest first.
    late: VecDeque<(u64, bool)>,
    /// Some were switched, or may have been, since the last filter of ids.
    is_switched: bool,
}

impl ObjectFilter {
    pub(super) fn send(&mut self, address: u64, is_on: bool) {
        self.sent.push_back((address, is_on));
        self.late.clear();
    }

    pub(super) fn acknowledge(&mut self) {
        if let Some((address, is_on)) = self.sent.pop_front().or_else(|| self.late.pop_front()) {
            self.known.insert(address, is_on);
            self.is_switched = true;
        }
    }

    pub(super) fn keep(&mut self) {
        if self.sent.pop_front().is_none() {
            self.late.pop_front();
        }
    }

    /// Notes that it is unknown whether the target took the frames sent.
    pub(super) fn doubt(&mut self) {
        for sent in std::mem::take(&mut self.sent) {
            self.known.remove(&sent.0);
            self.is_switched = true;
            self.late.push_back(sent);
        }
    }

    pub(super) fn states(&self, table: u16, out: &mut Vec<FilterState>) {
        let state = |(&first, &is_on): (&u64, &bool)| FilterState { table, is_on, is_known: true, first, last: first };
        out.extend(self.known.iter().map(state));
    }
}
