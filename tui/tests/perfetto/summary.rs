//! The content of a trace, track by track, read back from its packets, in the form of the expected summaries.

use std::collections::{BTreeMap, HashMap};

use prost::Message;
use serde_json::{Map, Value, json};
use spytui_engine::export::perfetto::proto::{EventType, Trace, TrackDescriptor, TrackEvent, Unit};

/// A track with its events in time order.
pub(crate) struct Track {
    /// Name of the track, after the names of its parents.
    pub(crate) path: String,
    /// Descriptor of the track.
    pub(crate) about: TrackDescriptor,
    /// Time and event.
    pub(crate) events: Vec<(u64, TrackEvent)>,
}

/// All tracks of a trace, in order of their descriptors.
pub(crate) fn tracks(bytes: &[u8]) -> Vec<Track> {
    let trace = Trace::decode(bytes).expect("a trace");
    let mut tracks: Vec<Track> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for packet in trace.packet {
        if let Some(about) = packet.track_descriptor {
            let parent = about.parent_uuid.map(|p| format!("{} / ", tracks[places[&p]].path));
            let name = about.process.as_ref().map_or(about.name(), |p| p.process_name());
            let path = format!("{}{name}", parent.unwrap_or_default());
            assert!(places.insert(about.uuid(), tracks.len()).is_none(), "{path}: two tracks of one number");
            tracks.push(Track { path, about, events: Vec::new() });
        } else if let Some(event) = packet.track_event {
            assert_ne!(packet.trusted_packet_sequence_id.unwrap_or(0), 0, "an event of no sequence");
            tracks[places[&event.track_uuid()]].events.push((packet.timestamp.expect("a time"), event));
        }
    }
    tracks.iter_mut().for_each(|t| t.events.sort_by_key(|e| e.0));
    tracks
}

impl Track {
    pub(crate) fn names(&self) -> BTreeMap<&str, u64> {
        let mut names = BTreeMap::new();
        for (_, event) in &self.events {
            if matches!(event.r#type(), EventType::SliceBegin | EventType::Instant) {
                *names.entry(event.name()).or_default() += 1;
            }
        }
        names
    }

    pub(crate) fn count(&self, kind: EventType) -> usize {
        self.events.iter().filter(|(_, e)| e.r#type() == kind).count()
    }

    /// The values of a counter.
    pub(crate) fn values(&self) -> Vec<i64> {
        self.events.iter().filter_map(|(_, e)| e.counter_value).collect()
    }

    /// The summary of the track.
    pub(crate) fn summary(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let mut put = |key: &str, value: Value| drop(all.insert(key.to_owned(), value));
        put("path", json!(self.path));
        match (&self.about.process, &self.about.counter) {
            (Some(process), _) => {
                put("kind", json!("process"));
                put("pid", json!(process.pid()));
            }
            (_, Some(counter)) => {
                put("kind", json!("counter"));
                put("unit", json!(if counter.unit() == Unit::Count { "count" } else { "unspecified" }));
                counter.unit_name.iter().for_each(|unit| put("unit_name", json!(unit)));
            }
            _ => put("kind", json!("event")),
        }
        let kinds = [
            ("slice_begin", EventType::SliceBegin),
            ("slice_end", EventType::SliceEnd),
            ("instant", EventType::Instant),
            ("counter", EventType::Counter),
        ];
        for (key, kind) in kinds {
            let count = self.count(kind);
            if count > 0 {
                put(key, json!(count));
            }
        }
        if let (Some(first), Some(last)) = (self.events.first(), self.events.last()) {
            put("first_ts", json!(first.0));
            put("last_ts", json!(last.0));
        }
        all.append(&mut self.depth());
        all.append(&mut self.content());
        all
    }

    /// Nesting of slices.
    fn depth(&self) -> Map<String, Value> {
        let (mut open, mut most, mut unmatched) = (0, 0, 0);
        for (_, event) in &self.events {
            match event.r#type() {
                EventType::SliceBegin => {
                    open += 1;
                    most = open.max(most);
                }
                EventType::SliceEnd if open > 0 => open -= 1,
                EventType::SliceEnd => unmatched += 1,
                _ => {}
            }
        }
        let value = json!({ "max_depth": most, "open_at_end": open, "unmatched_ends": unmatched });
        let any = self.count(EventType::SliceBegin) + self.count(EventType::SliceEnd) > 0;
        value.as_object().filter(|_| any).cloned().unwrap_or_default()
    }

    /// Names and values. The texts of some tracks differ between tools.
    fn content(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let names = self.names();
        let free = self.path == "Tracing Errors" || self.path.ends_with("Trace Events");
        if !(names.is_empty() || free) {
            all.insert("distinct_names".to_owned(), json!(names.len()));
            // Summaries contain the forty most frequent.
            let mut list: Vec<_> = names.into_iter().collect();
            list.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            list.truncate(40);
            let list: Map<String, Value> = list.into_iter().map(|(n, count)| (n.to_owned(), json!(count))).collect();
            all.insert("names".to_owned(), Value::Object(list));
        }
        let values = self.values();
        if let (Some(min), Some(max), Some(last)) = (values.iter().min(), values.iter().max(), values.last()) {
            let value = json!({ "min": min, "max": max, "last": last });
            all.extend(value.as_object().cloned().unwrap_or_default());
        }
        all
    }
}
