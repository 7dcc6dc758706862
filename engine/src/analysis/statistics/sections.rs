//! Interrupts, critical sections, locks and spans.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, NONE, Verb as V};

use super::{
    measure::Measure as M,
    moments::{Book, Here, OpenInterval},
};
use crate::replay::{Entities, Id, Key, Operands, Seen, Stamp};

/// Maximum number of open sections.
const MOST: usize = 1 << 14;
/// Maximum nesting depth of a section.
const DEEPEST: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Section {
    measure: M,
    /// The owner of the section.
    object: Option<Id>,
    core: u16,
}

/// How an activity changes a section.
struct Edge {
    section: Section,
    begins: bool,
    /// How nested beginnings are counted.
    nested: Nested,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nested {
    Outermost,
    Each,
    /// Nesting is impossible: the previous end was not seen.
    Never,
}

/// All open sections with their beginnings, innermost last.
#[derive(Debug, Clone, Default)]
pub(super) struct Sections(FxHashMap<Section, Vec<Stamp>>);

impl Sections {
    /// After a reset nothing is open.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    pub(super) fn activity(&mut self, seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
        let Seen { activity, who, .. } = *seen;
        let Some(Edge { section, begins, nested }) = edge(activity, who) else { return };
        if begins {
            return self.begin(section, nested, here, book);
        }
        let Some(open) = self.0.get_mut(&section) else { return };
        let Some(begin) = open.pop() else { return };
        if nested == Nested::Outermost && !open.is_empty() && !begin.is_cut(&here.stamp) {
            return;
        }
        let object = section.object.map(|object| entities.key(object));
        let subject = here.subject(object, signal(activity, here, entities), activity.core);
        book.ends(section.measure, begin, here, &subject);
    }

    /// The outermost beginning of each section.
    pub(super) fn open(&self) -> impl Iterator<Item = OpenInterval> {
        let open = |(section, open): (&Section, &Vec<Stamp>)| {
            let Section { measure, object, core } = *section;
            let core = Some(core).filter(|core| *core != NONE);
            open.first().map(|begin| OpenInterval { measure, object, signal: None, core, begin: *begin })
        };
        self.0.iter().filter_map(open)
    }

    fn begin(&mut self, section: Section, nested: Nested, here: &Here, book: &mut Book) {
        if self.0.len() >= MOST {
            self.0.retain(|_, open| !open.is_empty());
            if self.0.len() >= MOST {
                self.0.clear();
            }
        }
        let open = self.0.entry(section).or_default();
        if open.last().is_some_and(|begin| begin.is_cut(&here.stamp)) {
            open.clear();
            book.count(section.measure).cut += 1;
        }
        if nested == Nested::Never {
            open.clear();
        }
        if open.is_empty() || nested == Nested::Each {
            book.count(section.measure).begun += 1;
        }
        if open.len() < DEEPEST {
            open.push(here.stamp);
        }
    }
}

/// The signal of an end record, or its second key.
fn signal(activity: &Activity, here: &Here, entities: &Entities) -> Option<Key> {
    let named = activity.item_space != NONE;
    let own = named.then(|| entities.named(activity, activity.item_space, activity.item));
    own.or(here.item.filter(|_| activity.verb == V::END))
}

fn edge(activity: &Activity, who: Operands) -> Option<Edge> {
    let Activity { verb, core, flags, .. } = *activity;
    let (measure, object, begins, nested) = match (verb, who.sub, who.obj) {
        (V::ISR_IN | V::ISR_OUT, Some(isr), _) => (M::Interrupt, Some(isr), verb == V::ISR_IN, Nested::Never),
        (V::CRIT_IN | V::CRIT_OUT, ..) => (M::Critical, None, verb == V::CRIT_IN, Nested::Outermost),
        (V::SCHED_LOCK | V::SCHED_UNLOCK, ..) => (M::Locked, None, verb == V::SCHED_LOCK, Nested::Outermost),
        (V::TAKE | V::GIVE, _, Some(lock)) if !flags.contains(F::FAILED) => {
            (M::Held, Some(lock), verb == V::TAKE, Nested::Outermost)
        }
        (V::BEGIN | V::END, Some(of), _) => {
            let nested = if flags.contains(F::APART) { Nested::Never } else { Nested::Each };
            (M::Span, Some(of), verb == V::BEGIN, nested)
        }
        _ => return None,
    };
    // A thread may leave a section on another core, and so may the task that holds a lock.
    let core = if flags.contains(F::APART) || measure == M::Held { NONE } else { core };
    Some(Edge { section: Section { measure, object, core }, begins, nested })
}
