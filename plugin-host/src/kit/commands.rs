//! Rules for every encoder, checked with random commands.

use spytui_plugin_api::{
    Answer, ArgForm, ArgValue, ByteRange, Command, Dict, EncodeError, EncoderEventKind, EncoderInstance, FilterOp,
    FilterOpKind, Frames, Info, NONE, RowKind,
    info::{AnswerStage, ArgForms, ArgInfo, CommandInfo, FilterTable},
};

use super::{
    host::{Host, Names, Sample, opt_vals},
    random::Random,
};

const COMMANDS: usize = 120;
/// Maximum number of values or bytes in a list.
const LONGEST: usize = 300;

/// A command that a host could have parsed from a line.
struct Made {
    id: u16,
    values: Vec<ArgValue>,
    arena: Vec<u8>,
    filter: Vec<FilterOp>,
}

impl Made {
    fn command<'a>(&'a self, cfg: &'a [u8], seen: &'a [RowKind]) -> Command<'a> {
        Command {
            id: self.id,
            cfg: cfg.into(),
            values: self.values.as_slice().into(),
            arena: self.arena.as_slice().into(),
            filter: self.filter.as_slice().into(),
            seen: seen.into(),
        }
    }
}

/// Checks the encoder of a decoder, if any, with what the decoder learned from a sample.
pub(super) fn commands_are_encoded(sample: &Sample<'_>, host: &Host) {
    commands_are_declared(&host.info);
    let opened = host.decoder.open_encoder(&opt_vals(&sample.opts));
    let Some(encoder) = opened.unwrap_or_else(|e| panic!("{}: open_encoder: {e}", sample.name)) else {
        assert!(host.info.commands.is_empty(), "{}: commands are declared, but there is no encoder", sample.name);
        return;
    };
    let mut cfgs: Vec<&[u8]> = host.run.cfgs.values().map(Vec::as_slice).collect();
    cfgs.sort_unstable();
    for cfg in cfgs.into_iter().take(3).chain([&[][..]]) {
        let encoder = encoder.fork().unwrap_or_else(|e| panic!("{}: fork: {e}", sample.name));
        session(sample, &host.info, cfg, encoder);
    }
}

fn commands_are_declared(info: &Info) {
    for (index, command) in info.commands.iter().enumerate() {
        let others = || info.commands.iter().skip(index + 1);
        assert!(others().all(|other| other.id != command.id && other.name != command.name), "twice: {command:?}");
        let has_filter = command.args.iter().any(|arg| arg.forms.intersects(ArgForms::FILTER));
        let has_table = info.filters.iter().any(|table| table.command == command.id);
        assert_eq!(has_filter, has_table, "a filter needs a table: {command:?}");
        for arg in &command.args {
            assert!(arg.min <= arg.max, "{}: {arg:?}", command.name);
            let is_named = arg.forms.intersects(ArgForms::NAME);
            assert!(!is_named || info.space(arg.space).is_some(), "{}: no space {}", command.name, arg.space);
        }
    }
    for table in &info.filters {
        assert!(table.space == NONE || info.space(table.space).is_some(), "{}: no space {}", table.title, table.space);
        for range in table.groups.iter().flat_map(|group| &group.ranges).chain(&table.always_on) {
            assert!(range.first <= range.last, "{}: {range:?}", table.title);
        }
    }
}

/// Encodes several commands, interleaved with answers and events.
fn session(sample: &Sample<'_>, info: &Info, cfg: &[u8], mut encoder: EncoderInstance) {
    let mut random = Random::new(cfg.len() as u64 + 11);
    let names = Names::new(info);
    let seen: Vec<RowKind> = info.kinds.iter().map(|kind| kind.first).take(40).collect();
    for _ in 0..COMMANDS {
        let Some(command) = info.commands.get(random.below(info.commands.len())) else { return };
        let made = make(info, command, &mut random);
        let reported = made.command(cfg, &seen);
        let name = || format!("{}: {} {:?} {:?}", sample.name, command.name, made.values, made.filter);
        let fork = |encoder: &EncoderInstance| encoder.fork().unwrap_or_else(|e| panic!("{}: fork: {e}", name()));
        let run = |encoder: &mut EncoderInstance| {
            let mut out = Frames::default();
            match encoder.encode(&reported, &Dict::new(&names), &mut out) {
                Ok(()) => Ok(out),
                Err(EncodeError::Refused(refusal)) => Err(refusal),
                Err(EncodeError::Fault(fault)) => panic!("{}: {fault}", name()),
            }
        };
        let filter = |encoder: &mut EncoderInstance| {
            let states = encoder.filter().unwrap_or_else(|e| panic!("{}: filter: {e}", name()));
            for state in &states {
                let is_declared = info.filters.iter().any(|table| table.id == state.table);
                assert!(is_declared, "{}: a state of no table: {state:?}", name());
                assert!(state.first <= state.last, "{}: {state:?}", name());
            }
            states
        };
        // Changes to a fork must not affect the original.
        let known = filter(&mut encoder);
        let (mut first, mut other) = (fork(&encoder), fork(&encoder));
        let on_first = run(&mut first);
        assert!(on_first == run(&mut other), "{}: two forks encode it differently", name());
        disturb(&mut first, &mut random);
        assert!(known == filter(&mut encoder), "{}: a fork changes what is known", name());
        let frames = run(&mut encoder);
        assert!(on_first == frames, "{}: after a fork it is encoded differently", name());
        match frames {
            Ok(frames) => answer(&mut encoder, &frames, &mut random, &name),
            Err(refusal) => {
                assert!(!refusal.message.is_empty(), "{}: refused without a word", name());
                assert!(known == filter(&mut encoder), "{}: refused, but it changes what is known", name());
            }
        }
        if random.below(20) == 0 {
            disturb(&mut encoder, &mut random);
        }
    }
}

/// Checks that frames are contiguous in their bytes, and answers some of them.
fn answer(encoder: &mut EncoderInstance, frames: &Frames, random: &mut Random, name: &dyn Fn() -> String) {
    const ALL: u8 = AnswerStage::ACCEPTED.bit() | AnswerStage::DONE.bit() | AnswerStage::DATA.bit();
    assert!(!frames.frames.is_empty(), "{}: no frame", name());
    let mut end = 0;
    for frame in &frames.frames {
        let ByteRange { off, len } = frame.bytes;
        assert!(off == end && len > 0, "{}: bytes of frames: {frame:?} behind {end}", name());
        assert_eq!(frame.awaited & !ALL, 0, "{}: {frame:?} awaits what is no answer", name());
        assert!(frame.awaited == 0 || frame.timeout_ms > 0, "{}: {frame:?} does not wait", name());
        end = off + len;
        let answer = Answer {
            token: frame.token,
            stage: AnswerStage(random.below(6) as u8),
            item: random.number() >> random.below(64),
            value: random.number() >> random.below(64),
        };
        encoder.answer(&answer).unwrap_or_else(|e| panic!("{}: answer {answer:?}: {e}", name()));
    }
    assert_eq!(end as usize, frames.bytes.len(), "{}: bytes outside frames", name());
}

/// Sends unsolicited answers and events.
fn disturb(encoder: &mut EncoderInstance, random: &mut Random) {
    let kinds = [
        EncoderEventKind::CONNECTED,
        EncoderEventKind::RESET,
        EncoderEventKind::TIMED_OUT,
        EncoderEventKind::SENT_IN_PART,
    ];
    let (kind, token) = (kinds[random.below(kinds.len())], random.number());
    encoder.event(kind, token).unwrap_or_else(|e| panic!("event {kind:?} of {token}: {e}"));
    let answer = Answer { token: random.number() & 0xFF, stage: AnswerStage::ACCEPTED, ..Answer::default() };
    encoder.answer(&answer).unwrap_or_else(|e| panic!("answer {answer:?}: {e}"));
}

fn make(info: &Info, command: &CommandInfo, random: &mut Random) -> Made {
    let mut made = Made { id: command.id, values: Vec::new(), arena: Vec::new(), filter: Vec::new() };
    for (index, arg) in (0..).zip(&command.args) {
        if arg.is_optional && random.below(3) == 0 {
            break;
        }
        if arg.forms.intersects(ArgForms::FILTER) {
            made.filter = changes(info, command, random);
            continue;
        }
        value(&mut made, index, arg, random);
    }
    made
}

fn value(made: &mut Made, index: u16, arg: &ArgInfo, random: &mut Random) {
    let one = |form, num| ArgValue { arg: index, form, num, ..ArgValue::default() };
    if arg.forms.intersects(ArgForms::BYTES | ArgForms::HEX | ArgForms::TEXT) {
        let count = random.below(LONGEST);
        let bytes = ByteRange { off: made.arena.len() as u32, len: count as u32 };
        made.arena.extend(random.bytes(count));
        made.values.push(ArgValue { bytes, ..one(ArgForm::BYTES, 0) });
    } else if arg.forms.intersects(ArgForms::NUMBERS) {
        let count = 1 + random.below(LONGEST);
        made.values.extend((0..count).map(|_| one(ArgForm::NUMBER, number(arg.min, arg.max, random))));
    } else if !arg.choices.is_empty() && (random.below(2) == 0 || !arg.forms.intersects(ArgForms::NUMBER)) {
        made.values.push(one(ArgForm::CHOICE, random.below(arg.choices.len()) as u64));
    } else if arg.forms.intersects(ArgForms::NAME) && random.below(2) == 0 {
        // A name may have several keys.
        let keys: Vec<u64> = (0..1 + random.below(3)).map(|_| any(random)).collect();
        made.values.extend(keys.iter().map(|key| ArgValue { scope: any(random), ..one(ArgForm::NAME, *key) }));
    } else {
        made.values.push(one(ArgForm::NUMBER, number(arg.min, arg.max, random)));
    }
}

/// Small and large numbers are equally likely.
fn any(random: &mut Random) -> u64 {
    random.number() >> random.below(64)
}

fn number(min: u64, max: u64, random: &mut Random) -> u64 {
    match random.below(4) {
        0 => min,
        1 => max,
        _ => any(random).clamp(min, max),
    }
}

fn changes(info: &Info, command: &CommandInfo, random: &mut Random) -> Vec<FilterOp> {
    let tables: Vec<&FilterTable> = info.filters.iter().filter(|table| table.command == command.id).collect();
    let mut ops = Vec::new();
    for place in 0..1 + random.below(6) {
        let table = tables[random.below(tables.len())];
        let op = FilterOp { table: table.id, group: NONE, ..FilterOp::default() };
        let is_alone = place == 0 && random.below(4) == 0;
        if is_alone {
            ops.push(FilterOp { kind: FilterOpKind::CLEAR, ..op });
        }
        let kind = if !is_alone && random.below(2) == 0 { FilterOpKind::OFF } else { FilterOpKind::ON };
        if !table.groups.is_empty() && random.below(2) == 0 {
            ops.push(FilterOp { kind, group: random.below(table.groups.len()) as u16, ..op });
            continue;
        }
        let ends = switches(table, random);
        ops.push(FilterOp { kind, first: ends.0.min(ends.1), last: ends.0.max(ends.1), ..op });
    }
    ops
}

/// Ends of a random range of switches, in any order; from a group if the table has no range of its own.
fn switches(table: &FilterTable, random: &mut Random) -> (u64, u64) {
    let ranges: Vec<(u64, u64)> =
        table.groups.iter().flat_map(|group| &group.ranges).map(|range| (range.first, range.last)).collect();
    let (min, max) = match ranges.get(random.below(ranges.len())) {
        Some(range) if table.min > table.max => *range,
        _ => (table.min, table.max),
    };
    (number(min, max, random), number(min, max, random))
}
