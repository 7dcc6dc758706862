//! Keys without a dictionary entry.

use spytui_plugin_api::{Activity, Class, Info, KeyFormat, NONE};

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::{Entities, Id, Key, Moment, Slots};

/// Minimum number of used keys in a space; a reader knows fewer by heart.
const FEW: u64 = 4;

#[derive(Debug, Clone, Default)]
pub(super) struct Used(Slots<Evidence>);

impl Used {
    /// Records the operands of an activity.
    pub(super) fn apply(&mut self, entities: &mut Entities, activity: &Activity, here: Moment) {
        let operands = [
            (activity.sub_space, activity.sub),
            (activity.obj_space, activity.obj),
            (activity.item_space, activity.item),
            (activity.second_space, activity.second),
        ];
        for (space, key) in operands.into_iter().filter(|(space, _)| *space != NONE) {
            let key = entities.named(activity, space, key);
            if let Some(id) = entities.id(key) {
                self.0.of(id).add(here, 0);
            }
        }
    }

    /// Reports spaces that should have names but lack most of them; the worst key is the most used one.
    pub(super) fn found(&self, info: &Info, entities: &Entities, is_named: impl Fn(Key) -> bool, out: &mut Vec<Found>) {
        for space in &info.spaces {
            if !has_names(space.class, space.key_format) {
                continue;
            }
            let used: Vec<(Id, Evidence)> = self
                .0
                .iter()
                .filter(|(id, evidence)| evidence.count > 0 && entities.key(*id).space == space.id)
                .map(|(id, evidence)| (id, *evidence))
                .collect();
            let unnamed: Vec<&(Id, Evidence)> = used.iter().filter(|(id, _)| !is_named(entities.key(*id))).collect();
            let (count, of) = (unnamed.len() as u64, used.len() as u64);
            if count < FEW || count * 2 < of {
                continue;
            }
            let detail = Detail::Unnamed { unnamed: count, of };
            let class = Key { space: space.id, key: u64::MAX, scope: 0 };
            out.push(Found::new(Rule::NoNames, Some(class), together(&unnamed), detail));
        }
    }
}

/// The merged evidence of these keys.
fn together(keys: &[&(Id, Evidence)]) -> Evidence {
    let mut all = Evidence::default();
    for (_, evidence) in keys {
        all.join(&Evidence { count: 1, worst: evidence.first, badness: evidence.count, ..*evidence });
    }
    all
}

/// Addresses and program-defined objects need names; small numbers of tasks and interrupts don't.
fn has_names(class: Class, format: KeyFormat) -> bool {
    matches!(class, Class::OBJECT | Class::STATE | Class::SIGNAL | Class::FUNCTION)
        || (format == KeyFormat::HEX && matches!(class, Class::TASK | Class::QUEUE | Class::POOL | Class::TIMER))
}
