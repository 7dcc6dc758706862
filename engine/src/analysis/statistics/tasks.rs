//! Tasks by state.

use spytui_plugin_api::Verb as V;

use super::{
    measure::Measure as M,
    moments::{Book, Here, OpenInterval},
};
use crate::replay::{Change, Doing, Entities, Id, Seen, Slots, Stamp};

/// What a task does, and its start.
#[derive(Debug, Clone, Copy, Default)]
struct Task {
    state: Option<(Doing, Stamp)>,
    /// When it last became active.
    active: Option<Stamp>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Tasks(Slots<Task>);

impl Tasks {
    /// Applies the changes caused by a scheduler activity.
    pub(super) fn changed(&mut self, seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
        let Seen { activity, changes, .. } = *seen;
        for change in changes {
            let Change::Task { task, state, late } = *change else { continue };
            let is_implied = activity.verb == V::RUN && state.doing == Doing::Ready && state.cause.is_none() && !late;
            // A task that keeps running is switched in again.
            if is_implied && changes.iter().any(|other| is_run_of(other, task)) {
                continue;
            }
            let slot = self.0.of(task);
            let is_known = slot.state.is_some_and(|(_, begin)| !begin.is_cut(&here.stamp));
            // It may have changed since its state was reported.
            if (late || state.cause.is_none()) && !is_known {
                continue;
            }
            if activity.verb == V::IDLE && slot.state.is_some_and(|(before, _)| before == Doing::Ready) {
                // It only seemed ready; when it blocked is unknown.
                *slot = Task::default();
                continue;
            }
            self.enters(task, state.doing, here, activity.core, entities, book);
        }
    }

    pub(super) fn open(&self) -> impl Iterator<Item = OpenInterval> {
        self.0.iter().flat_map(|(id, task)| {
            let state = task.state.and_then(|(doing, begin)| Some((measure(doing)?, begin)));
            let active = task.active.map(|begin| (M::Activation, begin));
            let open =
                move |(measure, begin)| OpenInterval { measure, object: Some(id), signal: None, core: None, begin };
            state.into_iter().chain(active).map(open)
        })
    }

    fn enters(&mut self, task: Id, doing: Doing, here: &Here, core: u16, entities: &Entities, book: &mut Book) {
        let slot = self.0.of(task);
        let subject = here.subject(Some(entities.key(task)), None, core);
        if let Some((before, begin)) = slot.state {
            if before == doing && (doing != Doing::Running || !begin.is_cut(&here.stamp)) {
                return;
            }
            if let Some(measure) = measure(before) {
                book.ends(measure, begin, here, &subject);
            }
        }
        // After a loss, it may already have been in that state, or have run.
        let cut = slot.state.map(|(_, before)| before).filter(|before| before.is_cut(&here.stamp));
        let begin = cut.filter(|_| doing != Doing::Running).unwrap_or(here.stamp);
        slot.state = Some((doing, begin));
        if let Some(measure) = measure(doing) {
            book.count(measure).begun += 1;
        }
        match doing {
            Doing::Ready if slot.active.is_none() => {
                slot.active = Some(begin);
                book.count(M::Activation).begun += 1;
            }
            Doing::Running if cut.is_some() => slot.active = slot.active.or(cut),
            Doing::Ready | Doing::Running => {}
            _ => {
                if let Some(begin) = slot.active.take() {
                    book.ends(M::Activation, begin, here, &subject);
                }
            }
        }
    }
}

fn is_run_of(change: &Change, of: Id) -> bool {
    matches!(change, Change::Task { task, state, .. } if *task == of && state.doing == Doing::Running)
}

fn measure(doing: Doing) -> Option<M> {
    match doing {
        Doing::Running => Some(M::Run),
        Doing::Ready => Some(M::Ready),
        Doing::Blocked => Some(M::Blocked),
        _ => None,
    }
}
