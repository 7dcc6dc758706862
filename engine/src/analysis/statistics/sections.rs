//! Interrupts, critical sections, locks and spans.

use spytui_plugin_api::{Activity, NONE, Verb as V};

use super::{
    measure::Measure as M,
    moments::{Book, Here, OpenInterval},
};
use crate::replay::{Change, Entities, Id, Key, Section, Seen, Stamp};

pub(super) fn activity(seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
    for change in seen.changes {
        match *change {
            Change::Enters { section, is_nested, .. } => {
                let (measure, _) = measured(section);
                book.count(measure).begun += u64::from(!is_nested || counts_each(measure));
            }
            Change::Leaves { section, begin, is_nested, .. } => {
                let (measure, object) = measured(section);
                if !is_nested || counts_each(measure) {
                    let object = object.map(|object| entities.key(object));
                    let subject = here.subject(object, signal(seen.activity, here, entities), seen.activity.core);
                    book.ends(measure, begin, here, &subject);
                }
            }
            _ => {}
        }
    }
}

pub(super) fn open((section, core, begin): (Section, Option<u16>, Stamp)) -> OpenInterval {
    let (measure, object) = measured(section);
    OpenInterval { measure, object, signal: None, core, begin }
}

fn measured(section: Section) -> (M, Option<Id>) {
    match section {
        Section::Isr(isr) => (M::Interrupt, Some(isr)),
        Section::Critical => (M::Critical, None),
        Section::Locked => (M::Locked, None),
        Section::Held(lock) => (M::Held, Some(lock)),
        Section::Span(of) => (M::Span, Some(of)),
    }
}

/// Of nested critical sections and locks, only the outermost one counts.
fn counts_each(measure: M) -> bool {
    matches!(measure, M::Interrupt | M::Span)
}

/// The signal of an end record, or its second key.
fn signal(activity: &Activity, here: &Here, entities: &Entities) -> Option<Key> {
    let named = activity.item_space != NONE;
    let own = named.then(|| entities.named(activity, activity.item_space, activity.item));
    own.or(here.item.filter(|_| activity.verb == V::END))
}
