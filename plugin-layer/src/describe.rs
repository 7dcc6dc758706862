//! Builds a protocol's description from what its author declares and from reading frames of zeros.

use spytui_plugin_api::{
    Class, FieldInfo, Info, KeyFormat, NONE, RString, RowKind,
    info::{DropTotals, GroupInfo, KindInfo, SpaceInfo, space},
};

use crate::{
    Kind, Means, Protocol,
    clock::COUNTER_BITS,
    protocol::MAX_JUNK,
    record::{Content, Found, Record, Show, Shown},
};

/// Kind of records of undeclared kinds.
pub(super) const UNKNOWN: RowKind = RowKind(0xFEFF);

/// Length of the frames tried, and the offsets tried for the kind number.
pub(super) const TRIED: usize = 64;
const PLACES: usize = 16;

pub(super) fn space_id(index: usize) -> u16 {
    space::OWN.saturating_add(u16::try_from(index).unwrap_or(NONE))
}

pub(super) fn kind<P: Protocol>(id: u16) -> Option<(&'static Kind, u8)> {
    let at = P::KINDS.iter().position(|kind| kind.id == id)?;
    let kind = &P::KINDS[at];
    let group = groups(P::KINDS).position(|group| group == kind.group)?;
    Some((kind, group as u8))
}

/// Groups in the order in which kinds name them.
fn groups(kinds: &'static [Kind]) -> impl Iterator<Item = &'static str> {
    let is_first = |at: usize| !kinds[..at].iter().any(|before| before.group == kinds[at].group);
    (0..kinds.len()).filter(move |at| is_first(*at)).map(|at| kinds[at].group)
}

/// The group of records of undeclared kinds.
pub(super) fn unknown_group<P: Protocol>() -> u8 {
    groups(P::KINDS).count() as u8
}

pub(super) fn info<P: Protocol>() -> Info {
    let learned: Vec<Learned> = P::KINDS.iter().map(learn::<P>).collect();
    let kinds = P::KINDS.iter().zip(&learned).map(|(kind, learned)| kind_info::<P>(kind, learned));
    let unknown = KindInfo {
        fields: ["id", "bytes"].map(RString::from).into_iter().collect(),
        ..KindInfo::new(UNKNOWN, "UNKNOWN", unknown_group::<P>())
    };
    let group_infos = groups(P::KINDS).chain(["??"]).zip(0..).map(|(tag, id)| GroupInfo::new(id, tag, tag));
    let spaces = P::SPACES.iter().enumerate().map(|(at, space)| {
        let is_big = matches!(space.class, Class::OBJECT | Class::FUNCTION);
        let format = if is_big { KeyFormat::LARGE_HEX } else { KeyFormat::DECIMAL };
        SpaceInfo::new(space_id(at), space.name, space.name, space.class, format)
    });
    let drops = P::KINDS.iter().any(|kind| kind.means == Means::Drop);
    Info {
        id: P::ID.into(),
        title: P::TITLE.into(),
        kinds: kinds.chain([unknown]).collect(),
        groups: group_infos.collect(),
        spaces: spaces.collect(),
        max_pending: P::MAX_FRAME as u64 + MAX_JUNK as u64,
        has_checksum: P::CHECK_BITS > 0,
        sequence_bits: learned.iter().map(|learned| learned.sequence_bits).max().unwrap_or(0) as u8,
        options: learned.iter().any(|learned| learned.is_stamped).then(|| COUNTER_BITS.spec()).into_iter().collect(),
        drop_totals: if drops { DropTotals::PER_SOURCE } else { DropTotals::NONE },
        ..Info::default()
    }
}

/// What reading frames reveals about a kind.
#[derive(Default)]
pub(super) struct Learned {
    pub(super) fields: Vec<FieldInfo>,
    obj_space: Option<usize>,
    item_space: Option<usize>,
    spaces: Vec<usize>,
    sequence_bits: u32,
    is_stamped: bool,
}

impl Show for Learned {
    fn field(&mut self, field: Shown<'_>) {
        if !self.has(field.named.name) {
            self.fields.push((*field.named).into());
        }
        if let Content::Key(key) | Content::NamedKey(key) = field.content {
            self.spaces.push(key.space);
        }
    }
}

/// Reads frames of zeros with the kind's number at each possible offset.
fn learn<P: Protocol>(kind: &Kind) -> Learned {
    let mut learned = Learned {
        fields: kind.fields.iter().map(|name| FieldInfo::from(*name)).collect(),
        spaces: kind.spaces.to_vec(),
        ..Learned::default()
    };
    let [low, high] = kind.id.to_le_bytes();
    for place in 0..PLACES {
        for number in [[low, high], [high, low]] {
            let mut frame = [0; TRIED];
            frame[place..place + 2].copy_from_slice(&number);
            let mut one = Learned::default();
            let mut record = Record::new(&frame, 0, Some(&mut one));
            let _ = P::read(&frame, &mut record);
            let found = std::mem::take(&mut record.found);
            if found.kind == Some(kind.id) {
                learned.add(one, &found);
            }
        }
    }
    learned
}

impl Learned {
    fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|known| known.name == field)
    }

    fn add(&mut self, one: Learned, found: &Found) {
        let new: Vec<_> = one.fields.into_iter().filter(|field| !self.has(&field.name)).collect();
        self.fields.extend(new);
        self.spaces.extend(one.spaces);
        self.obj_space = self.obj_space.or(found.object.map(|key| key.space));
        self.item_space = self.item_space.or(found.keys[0].map(|key| key.space));
        self.sequence_bits = self.sequence_bits.max(found.sequence.map_or(0, |(_, bits)| bits));
        self.is_stamped |= found.stamp.is_some();
    }
}

fn kind_info<P: Protocol>(kind: &Kind, learned: &Learned) -> KindInfo {
    let id = |space: Option<usize>| space.map_or(NONE, space_id);
    let mut spaces: Vec<u16> = learned.spaces.iter().copied().map(space_id).collect();
    // A record may name a key of any space.
    if kind.means == Means::Name {
        spaces.extend((0..P::SPACES.len()).map(space_id));
    }
    spaces.sort_unstable();
    spaces.dedup();
    KindInfo {
        severity: kind.severity,
        obj_space: id(learned.obj_space),
        item_space: id(learned.item_space),
        fields: learned.fields.iter().map(|field| field.name.clone()).collect(),
        spaces: spaces.into_iter().collect(),
        ..KindInfo::new(RowKind(kind.id), kind.name, self::kind::<P>(kind.id).map_or(0, |(_, group)| group))
    }
}
