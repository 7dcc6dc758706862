//! The reference host's sequence file, byte for byte: a lane for each object, arrows between them. The lanes of a line
//! depend on names, and the number of lines on all lines before, so both are decided while receiving ([`Diagram`]).

use spytui_plugin_api::{Output, TextWriter, batch::AttachmentId};

use super::names::HostNames;
use crate::{
    layout::{Layout, NO_FIELD, Values, id, private_attachment},
    record::Record,
    text::Context,
};

/// Column of the first lane, and distance of lanes.
const FIRST: usize = 19;
const LANE: usize = 20;
/// How far publish and tick lines run beyond the last lane.
const BEYOND: usize = 7;
/// Lines between two headers.
const LINES: u32 = 97;
/// Maximum length of a signal in an arrow, and where there is more room.
const SIGNAL: usize = 15;
const LONG_SIGNAL: usize = 16;
/// The lane of all objects that have none of their own.
const OTHERS: &str = "?";
/// No lane.
const NOWHERE: u8 = u8::MAX;

/// The lanes of a sequence file, and how far it is.
#[derive(Clone, Debug)]
pub(super) struct Diagram {
    /// The objects of the lanes, from left to right.
    objects: Vec<String>,
    lines: u32,
}

impl Diagram {
    pub(super) fn new(objects: Vec<String>) -> Diagram {
        Diagram { objects, lines: 0 }
    }

    /// The lines before the first header.
    pub(super) fn prolog(&self) -> String {
        format!("-g {}\n\n", self.objects.join(","))
    }

    /// Attaches the lanes of a record that is drawn, and a header if one is due.
    pub(super) fn line(&mut self, layout: &Layout, values: &Values<'_>, names: &HostNames, out: &mut Output<'_>) {
        let Some((from, to)) = self.lanes(layout, values, names) else { return };
        if self.lines.is_multiple_of(LINES) {
            out.attachment_bytes(AttachmentId::TEXT, self.header().as_bytes());
        }
        self.lines = self.lines.wrapping_add(1);
        let lanes = [from, to, self.objects.len() as u8, self.others().unwrap_or(NOWHERE), 0, 0, 0, 0];
        out.attachment(private_attachment::LANES, u64::from_le_bytes(lanes), 0);
    }

    /// From which lane to which a record is drawn; `None` = not at all.
    fn lanes(&self, layout: &Layout, values: &Values<'_>, names: &HostNames) -> Option<(u8, u8)> {
        let own = |field: &str| match values.number(layout.place(field)) {
            0 => self.lane(b"NULL"),
            object => self.lane(names.object(object)?),
        };
        let any = |field: &str| own(field).or_else(|| self.others());
        match layout.id {
            id::POST | id::POST_ATTEMPT => {
                let (from, to) = (any("sdr")?, any("obj")?);
                (from != to || Some(from) != self.others()).then_some((from, to))
            }
            id::PUBLISH => any("sdr").map(|lane| (lane, lane)),
            // Before 6.2, these ids had other meanings.
            id::DEFER | id::RECALL | id::RECALL_ATTEMPT if layout.place("que") == NO_FIELD => None,
            id::TRAN | id::POST_LIFO | id::DEFER | id::RECALL | id::RECALL_ATTEMPT => {
                own("obj").map(|lane| (lane, lane))
            }
            id::TICK => Some((0, 0)),
            _ => None,
        }
    }

    /// The lane of an object in the list.
    fn lane(&self, name: &[u8]) -> Option<u8> {
        self.objects.iter().position(|object| object.as_bytes() == name).map(|lane| lane as u8)
    }

    fn others(&self) -> Option<u8> {
        self.lane(OTHERS.as_bytes())
    }

    /// Three lines with a box for each lane.
    fn header(&self) -> String {
        let row = |cell: &dyn Fn(&str) -> String| {
            let cells: Vec<String> = self.objects.iter().map(|object| cell(object)).collect();
            format!("{:11}{}\n", "", cells.join("   "))
        };
        let edge = row(&|_| "+-------+-------+".to_owned());
        format!("{edge}{}{edge}", row(&|object| format!("|{object:^15.15}|")))
    }
}

/// Writes the line of a record, if it is drawn.
pub(super) fn record(ctx: &Context<'_, '_>, frame: &[u8], out: &mut TextWriter<'_>) {
    let Some(lanes) = ctx.row.attachment(private_attachment::LANES) else { return };
    let [from, to, count, others, ..] = lanes.a.to_le_bytes();
    let [_, id, payload @ .., _] = frame else { return };
    let Record::Predefined(layout, values) = Record::parse(&ctx.config, *id, payload) else { return };
    let lanes = Lanes { count: count.into(), others: others.into() };
    let (from, to) = (column(from.into()), column(to.into()));
    let signal = |most| {
        let (signal, scope) = (values.number(layout.sig), values.number(layout.scope));
        let mut name = TextWriter::text_of(|text| ctx.signal(text, signal, scope, 0));
        name.truncate(most);
        name
    };
    let mut line = Line(format!("{:010}", values.number(0)).into_bytes());
    match *id {
        id::TICK => line.tick(lanes, values.number(layout.place("rate")), values.number(layout.place("ctr"))),
        id::POST => line.post(lanes, (from, to), [b'*', b'-'], &signal(SIGNAL)),
        id::POST_ATTEMPT => line.post(lanes, (from, to), [b'A', b'~'], &signal(SIGNAL)),
        id::PUBLISH => line.publish(lanes, from, &signal(LONG_SIGNAL)),
        id::POST_LIFO => line.over(lanes, from, &[b"*<=", &signal(LONG_SIGNAL)[..], b"]"].concat()),
        id::TRAN => {
            let state = TextWriter::text_of(|text| ctx.function(text, values.number(layout.place("target"))));
            line.centred(lanes, from, &[b"<", own_part(&state), b">"].concat());
        }
        id::DEFER => line.centred(lanes, from, b"(Defer)"),
        id::RECALL => line.centred(lanes, from, b"(RCall)"),
        _ => line.centred(lanes, from, b"(RCallA)"),
    }
    out.put(&line.0);
    out.end_line();
}

fn column(lane: usize) -> usize {
    FIRST + LANE * lane
}

/// The part of a state's name behind that of its object: behind the first `_` or `::`.
fn own_part(name: &[u8]) -> &[u8] {
    let separator = (0..name.len()).find_map(|at| match &name[at..] {
        [b'_', rest @ ..] | [b':', b':', rest @ ..] => Some(rest),
        _ => None,
    });
    separator.unwrap_or(name)
}

#[derive(Clone, Copy)]
struct Lanes {
    count: usize,
    /// The lane `?`.
    others: usize,
}

impl Lanes {
    fn columns(self) -> impl Iterator<Item = (usize, u8)> {
        (0..self.count).map(move |lane| (column(lane), if lane == self.others { b'/' } else { b'|' }))
    }

    fn end(self) -> usize {
        column(self.count.saturating_sub(1)) + 1
    }
}

/// A line by columns; what is drawn later covers what is there.
struct Line(Vec<u8>);

impl Line {
    fn put(&mut self, at: usize, text: &[u8]) {
        if self.0.len() < at + text.len() {
            self.0.resize(at + text.len(), b' ');
        }
        self.0[at..at + text.len()].copy_from_slice(text);
    }

    fn lanes(&mut self, lanes: Lanes) {
        lanes.columns().for_each(|(at, sign)| self.put(at, &[sign]));
    }

    /// Draws text on a lane.
    fn over(&mut self, lanes: Lanes, at: usize, text: &[u8]) {
        self.lanes(lanes);
        self.put(at, text);
    }

    fn centred(&mut self, lanes: Lanes, at: usize, text: &[u8]) {
        self.over(lanes, at.saturating_sub((text.len() - 1) / 2), text);
    }

    fn post(&mut self, lanes: Lanes, (from, to): (usize, usize), [mark, dash]: [u8; 2], signal: &[u8]) {
        if from == to {
            return self.over(lanes, from, &[&[mark, b'<', b'-'], signal, b"]"].concat());
        }
        self.lanes(lanes);
        let (first, last) = (from.min(to) + 1, from.max(to));
        self.put(first, &vec![dash; last - first]);
        lanes.columns().filter(|(at, _)| (first..last).contains(at)).for_each(|(at, _)| self.put(at, b"+"));
        if from < to {
            self.put(to - 1, b">");
            self.put(from + 3, signal);
        } else {
            self.put(to + 1, b"<");
            self.put(from.saturating_sub(2 + signal.len()), signal);
        }
        lanes.columns().filter(|(_, sign)| *sign == b'/').for_each(|(at, _)| self.put(at, b"/"));
        self.put(from, &[mark]);
    }

    fn publish(&mut self, lanes: Lanes, from: usize, signal: &[u8]) {
        self.put(10, &b" .".repeat((lanes.end() + BEYOND - 10) / 2));
        self.put(self.0.len(), &vec![b' '; (lanes.end() + BEYOND).saturating_sub(self.0.len())]);
        self.lanes(lanes);
        let is_last = from + 1 == lanes.end();
        self.put(if is_last { from.saturating_sub(2 + signal.len()) } else { from + 3 }, signal);
        self.put(from, b"*");
    }

    fn tick(&mut self, lanes: Lanes, rate: u64, counter: u64) {
        self.0 = format!("##########  Tick<{rate}> Ctr={counter:010}").into_bytes();
        let end = lanes.end() + BEYOND;
        (34..end).step_by(2).for_each(|at| self.put(at, b"'"));
        let shown = lanes.columns().filter(|(at, sign)| *at > FIRST || *sign == b'/');
        shown.for_each(|(at, sign)| self.put(at, &[sign]));
    }
}
