//! What the states, values and spans of application records are of: tracks, in spaces of the host's own.

use std::collections::HashMap;

use spytui_formats::{
    Layout,
    layout::{FieldType, LayoutField, Meaning, Texts},
};
use spytui_plugin_api::{
    Activity, ActivityFlags, Field, FieldInfo, FieldMeans, Verb,
    render::Tag,
    simple::{Value, scaled},
};

use super::typed::{Typed, with_name};
use crate::query::Name;

/// Space of the tracks. Those of decoders begin at [`spytui_plugin_api::info::space::OWN`].
pub const TRACKS: u16 = 8;
/// Space of the states on tracks.
pub const STATES: u16 = 9;

/// Key of a state: track and number.
pub(super) fn state_key(track: u64, state: Value) -> u64 {
    track << 32 | state.bits() & 0xFFFF_FFFF
}

/// The tracks of all formatters of a decoder.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    list: Vec<Track>,
    /// Those of spans, by name.
    spans: HashMap<String, u64>,
}

#[derive(Debug)]
struct Track {
    title: String,
    of: Of,
}

/// What is on a track.
#[derive(Debug)]
enum Of {
    Spans,
    /// States or values of a field that a line names.
    Line(LayoutField),
    /// Those of a plugin's field.
    Plugin(FieldInfo),
}

impl Tracks {
    /// Adds the tracks of a record's line, one for each of its meanings. Spans of the same name share one.
    pub(super) fn add(&mut self, record: &str, layout: &Layout) -> Vec<u64> {
        let track = |meaning: &Meaning| match meaning {
            Meaning::State(field) | Meaning::Value(field) => {
                let field = layout.fields.get(*field).cloned();
                let name = field.as_ref().and_then(|field| field.name.as_deref()).unwrap_or_default();
                self.push(format!("{record} {name}"), field.map_or(Of::Spans, Of::Line))
            }
            Meaning::Begin(name) | Meaning::End(name) => match self.spans.get(name) {
                Some(known) => *known,
                None => {
                    let track = self.push(name.clone(), Of::Spans);
                    self.spans.insert(name.clone(), track);
                    track
                }
            },
        };
        layout.meanings.iter().map(track).collect()
    }

    /// Adds the tracks of a plugin's fields; `None` = a field without one.
    pub(super) fn add_fields(&mut self, formatter: &str, fields: &[FieldInfo]) -> Vec<Option<u64>> {
        let track = |field: &FieldInfo| {
            let has_track = field.means != FieldMeans::NOTHING;
            has_track.then(|| self.push(format!("{formatter} {}", field.name), Of::Plugin(field.clone())))
        };
        fields.iter().map(track).collect()
    }

    fn push(&mut self, title: String, of: Of) -> u64 {
        self.list.push(Track { title, of });
        self.list.len() as u64 - 1
    }

    fn get(&self, track: u64) -> Option<&Track> {
        self.list.get(usize::try_from(track).ok()?)
    }

    /// The name of a track or of a state on one.
    pub(super) fn name(&self, space: u16, key: u64) -> Option<String> {
        if space == TRACKS {
            return self.get(key).map(|track| track.title.clone());
        }
        let number = u64::from(key as u32);
        match &self.get(key >> 32).filter(|_| space == STATES)?.of {
            Of::Spans => None,
            Of::Line(field) => {
                let value = match field.ty {
                    FieldType::Signed(_) => Value::Signed(i64::from(key as u32 as i32)),
                    _ => Value::Unsigned(number),
                };
                let mut text = Vec::new();
                with_name(field, value, |name| name.put(value, &mut text));
                Some(String::from_utf8_lossy(&text).into_owned())
            }
            Of::Plugin(field) => {
                let word = field.words.iter().find(|own| own.number as u32 == key as u32 && !own.word.is_empty());
                Some(word.map_or_else(|| number.to_string(), |own| own.word.to_string()))
            }
        }
    }

    /// The names of all tracks, or the words of all states on them.
    pub(super) fn names(&self, name: Name) -> Vec<String> {
        let words = |track: &Track| match &track.of {
            Of::Spans => Vec::new(),
            Of::Line(field) => match field.texts.as_deref() {
                Some(Texts::Words(words)) => words.values().map(|word| word.text.clone()).collect(),
                _ => Vec::new(),
            },
            Of::Plugin(field) => field.words.iter().map(|own| own.word.to_string()).collect(),
        };
        match name {
            Name::Obj => self.list.iter().map(|track| track.title.clone()).collect(),
            Name::State => self.list.iter().flat_map(words).filter(|word| !word.is_empty()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether there are states without words of their own: bits have many, and numbers.
    pub(super) fn have_unlisted_states(&self) -> bool {
        self.list.iter().any(|track| match &track.of {
            Of::Line(field) => !matches!(field.texts.as_deref(), Some(Texts::Words(_))),
            _ => false,
        })
    }

    /// The unit of the values on a track.
    pub(super) fn unit(&self, track: u64) -> Option<&str> {
        let unit = match &self.get(track)?.of {
            Of::Spans => return None,
            Of::Line(field) => field.unit.as_str(),
            Of::Plugin(field) => field.unit.as_str(),
        };
        Some(unit).filter(|unit| !unit.is_empty())
    }
}

/// What a record means on a track; `None` if it does not have the field.
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

/// What the field of a plugin means on its track.
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

/// The track of an activity, and the state that it has from there on.
pub(super) fn keys(activity: &Activity) -> impl Iterator<Item = (u16, u64)> + use<> {
    let state = (activity.item_space == STATES).then_some((STATES, activity.item));
    std::iter::once((TRACKS, activity.sub)).chain(state)
}
