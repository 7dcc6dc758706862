//! Panes, and the one in front.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::Model;
use crate::input::{Action, PaneId, PaneKeys, RECORDS};

/// A part of the screen with its own state, keys and drawing.
///
/// A pane is a folder below `pane/` and one line in the list there. It draws into its area with ratatui widgets.
pub trait Pane {
    fn keys(&self) -> &'static PaneKeys;

    fn dock(&self) -> Dock {
        Dock::Front
    }

    /// Whether it can be about several targets.
    fn is_of_all(&self) -> bool {
        false
    }

    /// Whether it stays beside the list in front, if there is much room.
    fn stays_beside(&self) -> bool {
        false
    }

    /// Handles one of its own actions, or a common one such as moving or opening.
    fn handle(&mut self, action: Action, model: &mut Model);

    /// Help for an action while a key that begins it is pressed.
    fn offer(&self, _action: Action, _model: &Model) -> ActionOffer {
        ActionOffer::Usual
    }

    /// Closes what is open inside it; `false` = nothing is.
    fn leave(&mut self) -> bool {
        false
    }

    /// Whether it shows the same as the strip, which is then hidden.
    fn replaces_strip(&self) -> bool {
        false
    }

    /// Continues work on all rows while it is in front; `true` = there is more to do.
    fn work(&mut self, _model: &mut Model) -> bool {
        false
    }

    /// The line under the cursor, if `/` searches its lines; `None` = it searches the records.
    fn line(&self) -> Option<usize> {
        None
    }

    /// All lines of the pane as text, for a search.
    fn line_texts(&self, _model: &Model) -> Vec<String> {
        Vec::new()
    }

    fn go_to_line(&mut self, _line: usize) {}

    fn click(&mut self, _at: Position, _model: &mut Model) {}

    /// Called when it comes to the front.
    fn shown(&mut self) {}

    /// The rows that it shows are gone.
    fn forget_rows(&mut self) {}

    /// Approximate memory that grows with the rows, bytes.
    fn memory(&self) -> usize {
        0
    }

    /// Prepares the contents for an area of this size.
    fn prepare(&mut self, _model: &Model, _width: u16, _height: u16) {}

    /// Lines needed to show everything; `None` if the default is enough.
    fn lines_wanted(&self, _model: &Model) -> Option<u16> {
        None
    }

    /// Draws its title into the first line of the area, and its contents below.
    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer);
}

/// Help for an action in the present situation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionOffer {
    Usual,
    Words(String),
    Nothing,
    /// Not possible, with the reason.
    Refused(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dock {
    /// Replaces the list, or is beside it if there is room.
    Front,
    Below,
    /// A strip of a few lines in every view, if enabled.
    Strip,
}

pub struct Panes {
    front: PaneId,
    /// Several targets are shown, so that only panes about all of them can be.
    is_joint: bool,
    /// The pane in front fills the screen.
    pub zoom: bool,
    /// The pane below the list is open.
    pub details_open: bool,
    /// The details pane shows everything, in as many lines as needed.
    pub details_large: bool,
    /// Maximum total memory for rows in panes that are not shown, bytes.
    pub left_memory: usize,
    // A pane is removed while it handles something.
    all: Vec<Option<Box<dyn Pane>>>,
    ids: Vec<&'static PaneKeys>,
}

impl Panes {
    /// Shows or hides the details; on a low screen they replace all rows except the one under the cursor.
    pub fn toggle_details(&mut self, is_low: bool) {
        if is_low {
            let are_shown = self.details_open && self.details_large;
            (self.details_open, self.details_large) = (true, !are_shown);
        } else {
            self.details_open = !self.details_open;
        }
    }

    /// Puts the record list in front.
    pub fn new(panes: Vec<Box<dyn Pane>>) -> Panes {
        let ids = panes.iter().map(|pane| pane.keys()).collect();
        let all = panes.into_iter().map(Some).collect();
        let (zoom, details_open, details_large) = (false, true, false);
        Panes { front: RECORDS, is_joint: false, zoom, details_open, details_large, left_memory: LEFT, all, ids }
    }

    pub fn front(&self) -> PaneId {
        self.front
    }

    /// The pane that replaces the list or is beside it, if any: the one in front, or one that stays.
    pub fn beside(&self) -> Option<PaneId> {
        if !self.is_list_in_front() {
            return Some(self.front);
        }
        self.all.iter().flatten().find(|pane| pane.stays_beside() && self.has(&***pane)).map(|pane| pane.keys().id)
    }

    /// `true` if the record list receives keys.
    pub fn is_list_in_front(&self) -> bool {
        self.front == RECORDS
    }

    /// Panes with a tab: id and title.
    pub fn tabs(&self) -> impl Iterator<Item = (PaneId, &'static str)> {
        let shown = self.ids.iter().filter(|keys| self.get(keys.id).is_none_or(|pane| self.has(pane)));
        shown.filter_map(|keys| Some((keys.id, keys.tab.filter(|tab| !tab.is_empty())?)))
    }

    pub fn get(&self, id: PaneId) -> Option<&dyn Pane> {
        self.all[self.index(id)?].as_deref()
    }

    pub fn below(&self) -> Option<&dyn Pane> {
        self.all.iter().flatten().find(|pane| pane.dock() == Dock::Below).map(|pane| &**pane)
    }

    /// The pane that is a strip, unless the one in front shows the same.
    pub fn strip(&self) -> Option<PaneId> {
        if self.get(self.front).is_some_and(|pane| pane.replaces_strip()) {
            return None;
        }
        self.all
            .iter()
            .flatten()
            .find(|pane| pane.dock() == Dock::Strip && self.has(&***pane))
            .map(|pane| pane.keys().id)
    }

    /// Brings a pane to the front. `false` = it is about one target, and several are shown.
    pub fn show(&mut self, id: PaneId) -> bool {
        if self.get(id).is_some_and(|pane| !self.has(pane)) {
            return false;
        }
        self.front = id;
        if let Some(pane) = self.index(id).and_then(|at| self.all[at].as_mut()) {
            pane.shown();
        }
        true
    }

    fn has(&self, pane: &dyn Pane) -> bool {
        !self.is_joint || pane.is_of_all()
    }

    /// Leaves a pane about one target if several are shown.
    pub fn follow_targets(&mut self, is_joint: bool) {
        self.is_joint = is_joint;
        if self.get(self.front).is_some_and(|pane| !self.has(pane)) {
            self.show(RECORDS);
        }
    }

    /// Brings the next or previous pane to the front.
    pub fn turn(&mut self, by: i64) {
        let tabs: Vec<PaneId> = self.tabs().map(|(id, _)| id).collect();
        let at = tabs.iter().position(|id| *id == self.front).unwrap_or(0) as i64;
        self.show(tabs[(at + by).rem_euclid(tabs.len() as i64) as usize]);
    }

    /// The rows of the panes are gone.
    pub fn forget_rows(&mut self) {
        self.all.iter_mut().flatten().for_each(|pane| pane.forget_rows());
    }

    /// Hidden panes that keep much memory for rows forget them; they are read again when shown.
    fn free_left(&mut self, shown: &[Option<PaneId>]) {
        let mut left: Vec<_> =
            self.all.iter_mut().flatten().filter(|pane| !shown.contains(&Some(pane.keys().id))).collect();
        left.sort_by_key(|pane| pane.memory());
        let mut kept = 0;
        for pane in left {
            kept += pane.memory();
            if kept > self.left_memory {
                pane.forget_rows();
            }
        }
    }

    fn index(&self, id: PaneId) -> Option<usize> {
        self.ids.iter().position(|keys| keys.id == id)
    }
}

/// The default of [`Panes::left_memory`].
const LEFT: usize = 32 << 20;

/// Continues the work of the panes shown; `true` = there is more to do.
pub fn work(model: &mut Model) -> bool {
    let front = model.panes.front();
    let other = model.panes.beside().filter(|beside| *beside != front && model.screen.layout.pane.is_some());
    let strip = model.panes.strip().filter(|_| model.screen.layout.strip.is_some());
    model.panes.free_left(&[Some(front), other, strip]);
    let others = [other, strip].into_iter().flatten();
    let more = others.fold(false, |more, other| with_pane(model, other, |pane, model| pane.work(model)) | more);
    with_pane(model, front, |pane, model| pane.work(model)) | more
}

/// Brings a pane to the front, or says why not.
pub fn show(model: &mut Model, id: PaneId) {
    if !model.panes.show(id) {
        model.fail("this pane is about one target; ( and ) choose one");
    }
}

/// Calls `work` with a pane and the rest of the model.
pub fn with_pane<T: Default>(model: &mut Model, id: PaneId, work: impl FnOnce(&mut dyn Pane, &mut Model) -> T) -> T {
    let Some(at) = model.panes.index(id) else { return T::default() };
    let Some(mut pane) = model.panes.all[at].take() else { return T::default() };
    let outcome = work(&mut *pane, model);
    model.panes.all[at] = Some(pane);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Keeps(&'static PaneKeys, usize);

    impl Pane for Keeps {
        fn keys(&self) -> &'static PaneKeys {
            self.0
        }

        fn handle(&mut self, _action: Action, _model: &mut Model) {}

        fn forget_rows(&mut self) {
            self.1 = 0;
        }

        fn memory(&self) -> usize {
            self.1
        }

        fn prepare(&mut self, _model: &Model, _width: u16, _height: u16) {}

        fn draw(&self, _model: &Model, _area: Rect, _buffer: &mut Buffer) {}
    }

    #[test]
    fn panes_that_were_left_keep_no_more_than_a_budget() {
        const fn keys(id: &'static str) -> PaneKeys {
            PaneKeys { id: PaneId(id), title: "", tab: None, actions: &[], hints: &[], signs: "" }
        }
        static KEYS: [PaneKeys; 4] = [keys("a"), keys("b"), keys("c"), keys("d")];
        let pane = |(keys, memory)| Box::new(Keeps(keys, memory)) as Box<dyn Pane>;
        let mut panes = Panes::new(KEYS.iter().zip([90, 20, 500, 10]).map(pane).collect());
        let kept = |panes: &Panes| panes.all.iter().flatten().map(|pane| pane.memory()).collect::<Vec<_>>();
        panes.left_memory = 30;
        panes.free_left(&[Some(PaneId("c")), None]);
        assert_eq!(kept(&panes), [0, 20, 500, 10]);
        panes.left_memory = 29;
        panes.free_left(&[]);
        assert_eq!(kept(&panes), [0, 0, 0, 10]);
    }
}
