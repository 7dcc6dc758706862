//! Labels of a decoder's kinds and groups, and the widths of its columns; computed once, because every row needs them.

use std::sync::OnceLock;

use spytui_plugin_api::{
    info::{Info, space as host_space},
    row::{NONE, Row, RowFlags, RowKind},
};

use super::words::{group_tag, kind_name, last_part, object_space, tag_of, wire_id};

/// Kinds on a page.
const PAGE: u16 = 256;

/// Labels of the kinds that have the same high byte, each computed when a row first has it.
type Page = Box<[OnceLock<Kind>]>;

/// Labels of a decoder.
#[derive(Debug, Clone)]
pub struct Labels {
    /// By the high byte of the kind, then the low one: kinds may be any numbers, and rows have few of them.
    pages: Box<[OnceLock<Page>]>,
    groups: Vec<Box<str>>,
    /// Width of the group column.
    pub group_width: usize,
    /// Width of the kind column.
    pub kind_width: usize,
    /// Width of its longest word that the decoder knows, at most 18; not less than `kind_width`.
    pub longest_kind: usize,
    /// Minimum width of the object column.
    pub object_width: usize,
}

/// Labels of a kind.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Full name.
    pub name: Box<str>,
    /// Kind word of the list, unless the target gave a name.
    pub tag: Box<str>,
    /// Kind word of the range of kinds that it belongs to; empty where the decoder declares none.
    pub family: Box<str>,
    /// The last part of its name, if it is a word for it.
    pub last: Box<str>,
    /// The target's number; see [`Kind::id_of`].
    pub id: u16,
    /// The decoder does not declare it: only this stream has it.
    pub own: bool,
    /// It has no name in the decoder.
    pub nameless: bool,
    /// Space of its objects.
    pub object: u16,
    /// Space of its second entities.
    pub item: u16,
    /// The names of its objects are per core.
    pub per_core: bool,
    /// Its records bring a kind word of their own.
    pub own_word: bool,
}

/// Width of the kind column at most.
const LONGEST: usize = 18;

impl Kind {
    fn new(info: &Info, kind: RowKind) -> Kind {
        let object = object_space(info, kind);
        let name = kind_name(info, kind);
        let spec = info.kind(kind);
        Kind {
            own: spec.is_none() && !kind.is_note(),
            nameless: spec.is_none_or(|spec| spec.name.is_empty()),
            last: last_part(info, &name).into(),
            name: name.into(),
            tag: tag_of(info, kind).into(),
            family: spec.map_or("", |spec| spec.tag()).into(),
            id: wire_id(info, kind),
            object,
            item: spec.map_or(NONE, |spec| spec.item_space),
            per_core: info.space(object).is_some_and(|s| s.scope_space == host_space::CORES),
            own_word: spec.is_some_and(|spec| spec.own_word),
        }
    }

    /// The target's number of a row's kind: of a kind that only this stream has, the row says it.
    #[inline]
    pub fn id_of(&self, row: &Row) -> u64 {
        if self.own && row.has(RowFlags::HAS_ITEM) { row.item } else { self.id.into() }
    }
}

impl Labels {
    /// Computes the labels of a decoder.
    pub fn new(info: &Info) -> Labels {
        let longest = info.kinds.iter().map(|kind| kind.tag().chars().count()).max().unwrap_or(0);
        let or_usual = |own: u8, usual: usize| if own == 0 { usual } else { own.into() };
        Labels {
            pages: empty(),
            groups: (0..=u8::MAX).map(|group| group_tag(info, group).into()).collect(),
            group_width: info.groups.iter().map(|g| g.tag.chars().count()).max().unwrap_or(2),
            kind_width: or_usual(info.kind_width, 8),
            longest_kind: longest.clamp(or_usual(info.kind_width, 8), LONGEST),
            object_width: or_usual(info.object_width, 9),
        }
    }

    /// The labels of a kind.
    pub fn kind(&self, info: &Info, kind: RowKind) -> &Kind {
        let page = self.pages[usize::from(kind.0 / PAGE)].get_or_init(empty);
        page[usize::from(kind.0 % PAGE)].get_or_init(|| Kind::new(info, kind))
    }

    /// Name of a group.
    pub fn group(&self, group: u8) -> &str {
        self.groups.get(usize::from(group)).map_or("", |name| name)
    }
}

fn empty<T>() -> Box<[OnceLock<T>]> {
    (0..PAGE).map(|_| OnceLock::new()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::info::KindInfo;

    #[test]
    fn every_kind_is_called_as_the_decoder_says() {
        let described = |first: u16, last: u16, name: &str| KindInfo {
            last: RowKind(last),
            ..KindInfo::new(RowKind(first), name, 1)
        };
        let mut kinds = vec![described(6, 6, "TRAN"), described(100, 3000, "USER"), described(150, 160, "HIDDEN")];
        kinds[1] = KindInfo { tag: "user".into(), base: RowKind(120), wire_id: 7, ..kinds[1].clone() };
        let info = Info { kinds: kinds.into(), ..Info::default() };
        let labels = Labels::new(&info);
        let notes = [0xFF00, RowKind::RESYNC.0, RowKind::LINK.0, u16::MAX];
        for kind in [0, 6, 7, 100, 155, 1023, 1024, 2999, 4000, 60_000].into_iter().chain(notes).map(RowKind) {
            let called = labels.kind(&info, kind);
            assert_eq!(*called.name, *kind_name(&info, kind));
            assert_eq!(*called.tag, *tag_of(&info, kind));
            assert_eq!(called.id, wire_id(&info, kind));
        }
        assert_eq!(&*labels.kind(&info, RowKind(155)).tag, "user+35");
    }

    #[test]
    fn labels_of_any_kind_are_computed_once() {
        let kinds = [KindInfo::new(RowKind(50_000), "HIGH", 1)];
        let info = Info { kinds: kinds.into_iter().collect(), ..Info::default() };
        let labels = Labels::new(&info);
        for kind in [0, 4095, 4096, 50_000, 60_000, RowKind::LINK.0, u16::MAX].map(RowKind) {
            let first: *const Kind = labels.kind(&info, kind);
            assert!(std::ptr::eq(first, labels.kind(&info, kind)), "{}", kind.0);
        }
    }
}
