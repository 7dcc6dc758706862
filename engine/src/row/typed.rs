//! The fields of an application record, read by the layout of its line, and the tracks of states, values and spans, in
//! the host's own spaces.

use spytui_formats::{
    Layout,
    layout::{FieldType, LayoutField, Mark, Meaning, Texts},
};
use spytui_plugin_api::{Activity, ActivityFlags, Field, FieldInfo, FieldMeans, Severity, Verb, render::Tag};
use spytui_plugin_layer::{FieldName, Record as Reading, Value, named, scaled};

use crate::query::Name;

const BITS: usize = 64;

/// The application bytes of a record with their layout.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) bytes: &'a [u8],
    pub(crate) is_big_endian: bool,
}

impl<'a> Typed<'a> {
    /// The bytes of each field, as far as available.
    pub(super) fn pieces(self) -> impl Iterator<Item = (&'a LayoutField, &'a [u8])> {
        let mut rest = self.bytes;
        self.layout.fields.iter().map_while(move |field| {
            let piece;
            (piece, rest) = rest.split_at_checked(extent(field.ty, rest))?;
            Some((field, piece))
        })
    }

    pub(super) fn number(self, field: &LayoutField, piece: &[u8]) -> Option<Value> {
        let is_big_endian = field.is_big_endian.unwrap_or(self.is_big_endian);
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        let number = if is_big_endian { piece.iter().fold(0, push) } else { piece.iter().rev().fold(0, push) };
        match field.ty {
            FieldType::Unsigned(_) | FieldType::Hex(_) => Some(Value::Unsigned(number)),
            FieldType::Signed(size) => {
                let unused = BITS.saturating_sub(8 * size);
                Some(Value::Signed((number << unused) as i64 >> unused))
            }
            FieldType::Float(4) => Some(Value::Single(f32::from_bits(number as u32))),
            FieldType::Float(_) => Some(Value::Float(f64::from_bits(number))),
            FieldType::Text(_) | FieldType::Bytes(_) => None,
        }
    }

    pub(crate) fn number_at(self, index: usize) -> Option<Value> {
        let (field, piece) = self.pieces().nth(index)?;
        self.number(field, piece)
    }

    /// The severity of the record, from its words.
    pub(crate) fn severity(self) -> Option<Severity> {
        let mark = |(field, piece): (&LayoutField, &[u8])| {
            let texts = field.texts.as_ref().filter(|texts| texts.has_marks())?;
            texts.mark(self.number(field, piece)?.bits())
        };
        self.pieces().filter_map(mark).max().map(|mark| match mark {
            Mark::Warning => Severity::WARNING,
            Mark::Error => Severity::ERROR,
        })
    }

    /// Reads the record field by field; `None` if it is shorter than its fields.
    pub(super) fn read(self, reading: &mut Reading<'_>) -> Option<()> {
        for field in &self.layout.fields {
            let size = extent(field.ty, reading.remaining());
            let Some(name) = field.name.as_deref() else {
                reading.take(size)?;
                continue;
            };
            match field.ty {
                FieldType::Text(_) => reading.text_of(name, size)?,
                FieldType::Bytes(_) => reading.bytes(name, size)?,
                _ => {
                    let piece = reading.take(size)?;
                    let value = self.number(field, piece)?;
                    with_name(field, value, |name| reading.number_of(name, value, size));
                }
            }
        }
        Some(())
    }
}

/// How many of the remaining bytes a field takes; more than `rest` if it does not fit.
fn extent(ty: FieldType, rest: &[u8]) -> usize {
    let to_zero = || rest.iter().position(|byte| *byte == 0).map_or(rest.len(), |zero| zero + 1);
    ty.size().unwrap_or_else(|| if ty == FieldType::Text(None) { to_zero() } else { rest.len() })
}

/// Passes the field's name with its unit, scale, number format and words.
pub(super) fn with_name<T>(field: &LayoutField, value: Value, pass: impl FnOnce(FieldName<'_>) -> T) -> T {
    let name = named(field.name.as_deref().unwrap_or_default()).unit(&field.unit);
    let name = field.scale.map_or(name, |scale| name.scale(scale));
    let name = if matches!(field.ty, FieldType::Hex(_)) { name.hex() } else { name };
    match field.texts.as_deref() {
        None => pass(name),
        Some(Texts::Words(words)) => {
            let number = value.bits();
            // `!number` is never the value, so the field has no word but still belongs to an enumeration.
            let word = words.get(&number).map_or((!number, ""), |word| (number, word.text.as_str()));
            pass(name.words(&[word]))
        }
        Some(Texts::Bits(bits)) => {
            let mut words = [(0, ""); BITS];
            words.iter_mut().zip(bits).for_each(|(place, (bit, word))| *place = (*bit, word.text.as_str()));
            pass(name.bits(words.get(..bits.len()).unwrap_or(&words)))
        }
    }
}

pub(super) fn without_zeros(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

/// Space of the tracks. Those of decoders begin at [`spytui_plugin_api::info::space::OWN`].
pub const TRACKS: u16 = 8;
pub const STATES: u16 = 9;

/// Key of a state: track and number.
fn state_key(track: u64, state: Value) -> u64 {
    track << 32 | state.bits() & 0xFFFF_FFFF
}

#[derive(Debug, Default)]
pub struct FormatTracks {
    list: Vec<Track>,
}

#[derive(Debug)]
struct Track {
    title: String,
    of: TrackKind,
}

#[derive(Debug)]
enum TrackKind {
    Spans,
    /// States or values of a line's field.
    Line(LayoutField),
    /// States or values of a plugin's field.
    Plugin(FieldInfo),
}

impl FormatTracks {
    /// Adds the tracks of a record's line, one per meaning. Spans with the same name share one.
    pub(super) fn add(&mut self, record: &str, layout: &Layout) -> Vec<u64> {
        let track = |meaning: &Meaning| match meaning {
            Meaning::State(field) | Meaning::Value(field) => {
                let field = layout.fields.get(*field).cloned();
                let name = field.as_ref().and_then(|field| field.name.as_deref()).unwrap_or_default();
                self.push(format!("{record} {name}"), field.map_or(TrackKind::Spans, TrackKind::Line))
            }
            Meaning::Begin(name) | Meaning::End(name) => {
                let is_it = |track: &Track| matches!(track.of, TrackKind::Spans) && track.title == *name;
                let known = self.list.iter().position(is_it).map(|at| at as u64);
                known.unwrap_or_else(|| self.push(name.clone(), TrackKind::Spans))
            }
        };
        layout.meanings.iter().map(track).collect()
    }

    /// Adds the tracks of a plugin's fields; `None` = a field without one.
    pub(super) fn add_fields(&mut self, formatter: &str, fields: &[FieldInfo]) -> Vec<Option<u64>> {
        let track = |field: &FieldInfo| {
            let has_track = field.means != FieldMeans::NOTHING;
            has_track.then(|| self.push(format!("{formatter} {}", field.name), TrackKind::Plugin(field.clone())))
        };
        fields.iter().map(track).collect()
    }

    fn push(&mut self, title: String, of: TrackKind) -> u64 {
        self.list.push(Track { title, of });
        self.list.len() as u64 - 1
    }

    fn get(&self, track: u64) -> Option<&Track> {
        self.list.get(usize::try_from(track).ok()?)
    }

    /// The name of a track or of a state on one.
    pub fn name(&self, space: u16, key: u64) -> Option<String> {
        if space == TRACKS {
            return self.get(key).map(|track| track.title.clone());
        }
        let number = u64::from(key as u32);
        match &self.get(key >> 32).filter(|_| space == STATES)?.of {
            TrackKind::Spans => None,
            TrackKind::Line(field) => {
                let value = match field.ty {
                    FieldType::Signed(_) => Value::Signed(i64::from(key as u32 as i32)),
                    _ => Value::Unsigned(number),
                };
                let mut text = Vec::new();
                with_name(field, value, |name| name.put(value, &mut text));
                Some(String::from_utf8_lossy(&text).into_owned())
            }
            TrackKind::Plugin(field) => {
                let word = field.words.iter().find(|own| own.number as u32 == key as u32 && !own.word.is_empty());
                Some(word.map_or_else(|| number.to_string(), |own| own.word.to_string()))
            }
        }
    }

    /// The names of all tracks, or the words of all their states.
    pub(super) fn names(&self, name: Name) -> Vec<String> {
        let words = |track: &Track| match &track.of {
            TrackKind::Spans => Vec::new(),
            TrackKind::Line(field) => match field.texts.as_deref() {
                Some(Texts::Words(words)) => words.values().map(|word| word.text.clone()).collect(),
                _ => Vec::new(),
            },
            TrackKind::Plugin(field) => field.words.iter().map(|own| own.word.to_string()).collect(),
        };
        match name {
            Name::Obj => self.list.iter().map(|track| track.title.clone()).collect(),
            Name::State => self.list.iter().flat_map(words).filter(|word| !word.is_empty()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether there are states without their own words, as with bits and numbers.
    pub(super) fn have_unlisted_states(&self) -> bool {
        self.list.iter().any(|track| match &track.of {
            TrackKind::Line(field) => !matches!(field.texts.as_deref(), Some(Texts::Words(_))),
            _ => false,
        })
    }

    pub fn unit(&self, track: u64) -> Option<&str> {
        let unit = match &self.get(track)?.of {
            TrackKind::Spans => return None,
            TrackKind::Line(field) => field.unit.as_str(),
            TrackKind::Plugin(field) => field.unit.as_str(),
        };
        Some(unit).filter(|unit| !unit.is_empty())
    }
}

/// The activity of a record on a track; `None` if it lacks the field.
pub(super) fn activity(meaning: &Meaning, track: u64, typed: Typed<'_>) -> Option<Activity> {
    let of = |verb| Activity::new(verb).sub(TRACKS, track);
    Some(match meaning {
        Meaning::Begin(_) => of(Verb::BEGIN),
        Meaning::End(_) => of(Verb::END),
        Meaning::State(field) => of(Verb::REST).item(STATES, state_key(track, typed.number_at(*field)?)),
        Meaning::Value(field) => {
            let scale = typed.layout.fields.get(*field).and_then(|field| field.scale);
            let (bits, flags) = match scaled(typed.number_at(*field)?, scale) {
                Value::Unsigned(number) => (number, ActivityFlags::empty()),
                Value::Signed(number) => (number as u64, ActivityFlags::SIGNED),
                value => (value.as_float().to_bits(), ActivityFlags::FLOAT),
            };
            of(Verb::VALUE).val(bits).with(flags)
        }
    })
}

pub(super) fn activity_of(means: FieldMeans, track: u64, field: &Field) -> Option<Activity> {
    let of = |verb| Activity::new(verb).sub(TRACKS, track);
    let flags = match field.tag {
        Tag::SIGNED => ActivityFlags::SIGNED,
        Tag::F64 => ActivityFlags::FLOAT,
        _ => ActivityFlags::empty(),
    };
    match means {
        FieldMeans::STATE => Some(of(Verb::REST).item(STATES, state_key(track, Value::Unsigned(field.num)))),
        FieldMeans::VALUE => Some(of(Verb::VALUE).val(field.num).with(flags)),
        _ => None,
    }
}

/// The track of an activity, and its state from then on.
pub(super) fn keys(activity: &Activity) -> impl Iterator<Item = (u16, u64)> + use<> {
    let state = (activity.item_space == STATES).then_some((STATES, activity.item));
    std::iter::once((TRACKS, activity.sub)).chain(state)
}
