//! The actions that keys start: those of the program, and those of panes.

/// A pane, by the name of its table in `keys.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId(pub &'static str);

pub const RECORDS: PaneId = PaneId("records");

pub const LOG: PaneId = PaneId("log");

/// Shows what is sent to the target.
pub const TARGET: PaneId = PaneId("target");

/// Actions and title of a pane.
#[derive(Debug, PartialEq, Eq)]
pub struct PaneKeys {
    pub id: PaneId,
    /// Its name in the help.
    pub title: &'static str,
    /// Its title in the tab line; `None` for a part of another pane, which can't be brought to the front.
    pub tab: Option<&'static str>,
    pub actions: &'static [PaneAction],
    /// Keys shown in the last line while it is in front.
    pub hints: &'static [Hint],
}

impl PaneKeys {
    /// The front pane in which its actions are valid.
    pub fn taken_in(&self) -> PaneId {
        if self.tab.is_some() { self.id } else { RECORDS }
    }
}

/// Actions with a description of a word or two.
#[derive(Debug, PartialEq, Eq)]
pub struct Hint(pub &'static [Action], pub &'static str);

#[derive(Debug, PartialEq, Eq)]
pub struct PaneAction {
    /// Name in `keys.toml`.
    pub name: &'static str,
    pub doc: &'static str,
    /// Name of the action that it follows in the help.
    pub listed_after: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionEntry {
    pub action: Action,
    /// Name in `keys.toml`.
    pub name: String,
    pub doc: &'static str,
    /// The pane in which it is valid; `None` = in every pane.
    pub valid: Option<PaneId>,
    pub heading: &'static str,
}

macro_rules! actions {
    ($($action:ident $name:literal $valid:expr, $doc:literal;)*) => {
        /// An action that keys start.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $doc] $action,)*
            ShowPane(PaneId),
            /// An action of a pane, by name.
            OfPane(PaneId, &'static str),
        }

        /// Every action of the program itself, in the order of the help.
        const ACTIONS: &[(Action, &str, &str, Option<PaneId>)] = &[$((Action::$action, $name, $doc, $valid),)*];
    };
}

const EVERYWHERE: Option<PaneId> = None;
const IN_RECORDS: Option<PaneId> = Some(RECORDS);
/// The help lists the panes before this action.
const PANES_BEFORE: &str = "pane-next";
/// Headings of the help, each with its first action.
const HEADINGS: [(&str, &str); 7] = [
    ("up", "Move"),
    ("search", "Find"),
    ("back", "Places"),
    ("pane-next", "Panes"),
    ("filter", "Rows"),
    ("time-column", "Time and copies"),
    ("help", "Program"),
];

actions! {
    Up "up" EVERYWHERE, "up";
    Down "down" EVERYWHERE, "down";
    HalfUp "half-up" EVERYWHERE, "half a page up";
    HalfDown "half-down" EVERYWHERE, "half a page down";
    PageUp "page-up" EVERYWHERE, "page up";
    PageDown "page-down" EVERYWHERE, "page down";
    Top "top" EVERYWHERE, "to the top";
    Follow "follow" EVERYWHERE, "to the bottom, and follow";
    Hold "hold" EVERYWHERE, "hold or follow";
    Left "left" EVERYWHERE, "sideways to the left";
    Right "right" EVERYWHERE, "sideways to the right";
    Search "search" EVERYWHERE, "search";
    SearchNext "search-next" EVERYWHERE, "next match";
    SearchPrevious "search-previous" EVERYWHERE, "previous match";
    LossNext "loss-next" IN_RECORDS, "next loss";
    LossPrevious "loss-previous" IN_RECORDS, "previous loss";
    ErrorNext "error-next" IN_RECORDS, "next error";
    ErrorPrevious "error-previous" IN_RECORDS, "previous error";
    WarningNext "warning-next" IN_RECORDS, "next row with ! or reset";
    WarningPrevious "warning-previous" IN_RECORDS, "previous row with ! or reset";
    ObjectNext "object-next" IN_RECORDS, "same object, next";
    ObjectPrevious "object-previous" IN_RECORDS, "same object, previous";
    Cause "cause" IN_RECORDS, "to the cause of this row";
    Effect "effect" IN_RECORDS, "to what follows from this row";
    Back "back" EVERYWHERE, "back to where I was";
    Forward "forward" EVERYWHERE, "forward again";
    Mark "mark" IN_RECORDS, "mark this row, or take the mark away";
    MarkNote "mark-note" IN_RECORDS, "mark this row with a note";
    MarkNext "mark-next" IN_RECORDS, "next mark";
    MarkPrevious "mark-previous" IN_RECORDS, "previous mark";
    MarkList "mark-list" IN_RECORDS, "list of marks";
    PaneNext "pane-next" EVERYWHERE, "next pane";
    PanePrevious "pane-previous" EVERYWHERE, "previous pane";
    SourceNext "source-next" EVERYWHERE, "next source";
    SourcePrevious "source-previous" EVERYWHERE, "previous source";
    Zoom "zoom" EVERYWHERE, "this pane alone, and back";
    Strip "strip" EVERYWHERE, "strip of the timeline on or off";
    Open "open" EVERYWHERE, "all details; in lists filter by it or go to it";
    EditFilter "filter" EVERYWHERE, "edit the display filter";
    HideKind "hide-kind" IN_RECORDS, "hide this kind";
    HideGroup "hide-group" IN_RECORDS, "hide this group";
    HideObject "hide-object" IN_RECORDS, "hide this object";
    HideSignal "hide-signal" IN_RECORDS, "hide this signal";
    HideCore "hide-core" IN_RECORDS, "hide this core";
    MaskKind "mask-kind" IN_RECORDS, "switch this kind off at the target";
    MaskGroup "mask-group" IN_RECORDS, "switch this group off at the target";
    MaskObject "mask-object" IN_RECORDS, "switch this object off at the target";
    MaskSignal "mask-signal" IN_RECORDS, "switch this signal off at the target";
    OnlyKind "only-kind" IN_RECORDS, "only this kind";
    OnlyGroup "only-group" IN_RECORDS, "only this group";
    OnlyObject "only-object" IN_RECORDS, "only this object";
    OnlySignal "only-signal" IN_RECORDS, "only this signal";
    OnlyCore "only-core" IN_RECORDS, "only this core";
    AskKind "ask-kind" IN_RECORDS, "only this kind from the target";
    AskGroup "ask-group" IN_RECORDS, "only this group from the target";
    AskObject "ask-object" IN_RECORDS, "only this object from the target";
    AskSignal "ask-signal" IN_RECORDS, "only this signal from the target";
    AllRows "all-rows" IN_RECORDS, "all rows, and back to the filter";
    Fold "fold" IN_RECORDS, "show repeats, fold equal neighbours";
    TimeColumn "time-column" IN_RECORDS, "time column: ticks, seconds, Δ, since mark, host";
    Measure "measure" IN_RECORDS, "measure from here";
    Select "select" IN_RECORDS, "select rows";
    Copy "copy" EVERYWHERE, "copy the rows";
    Advise "advise" EVERYWHERE, "propose a filter for the target that fits the link";
    Help "help" EVERYWHERE, "keys and help";
    ChooseDecoder "decoder" EVERYWHERE, "choose the decoder";
    Command "command" EVERYWHERE, "command line";
    Close "close" EVERYWHERE, "close; at last ask to quit";
    Leave "leave" EVERYWHERE, "close what is open";
    Redraw "redraw" EVERYWHERE, "draw the screen again";
    Suspend "suspend" EVERYWHERE, "suspend";
    Interrupt "interrupt" EVERYWHERE, "interrupt; twice in a second quits";
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionCatalog {
    entries: Vec<ActionEntry>,
    panes: Vec<PaneId>,
}

impl ActionCatalog {
    /// The actions of the program and of these panes.
    pub fn new(panes: &[&'static PaneKeys]) -> ActionCatalog {
        let mut entries = Vec::new();
        let mut heading = "";
        for &(action, name, doc, valid) in ACTIONS {
            if let Some((_, own)) = HEADINGS.iter().find(|(first, _)| *first == name) {
                heading = own;
            }
            if name == PANES_BEFORE {
                let shown = panes.iter().filter(|pane| pane.tab.is_some());
                entries.extend(shown.map(|pane| ActionEntry {
                    action: Action::ShowPane(pane.id),
                    name: format!("pane-{}", pane.id.0),
                    doc: pane.title,
                    valid: None,
                    heading,
                }));
            }
            entries.push(ActionEntry { action, name: name.to_owned(), doc, valid, heading });
            for pane in panes {
                entries.extend(
                    pane.actions.iter().filter(|own| own.listed_after == name).map(|own| of_pane(pane, own, heading)),
                );
            }
        }
        let panes = panes.iter().filter(|pane| pane.tab.is_some()).map(|pane| pane.id).collect();
        ActionCatalog { entries, panes }
    }

    /// In the order of the help.
    pub fn entries(&self) -> &[ActionEntry] {
        &self.entries
    }

    pub fn panes(&self) -> &[PaneId] {
        &self.panes
    }

    pub fn named(&self, name: &str) -> Option<&ActionEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    pub fn entry(&self, action: Action) -> Option<&ActionEntry> {
        self.entries.iter().find(|entry| entry.action == action)
    }

    /// `true` if the action is valid in a pane.
    pub fn is_valid(&self, action: Action, pane: PaneId) -> bool {
        self.entry(action).is_some_and(|entry| entry.valid_in(pane))
    }
}

impl ActionEntry {
    /// `true` if it is valid in a pane.
    pub fn valid_in(&self, pane: PaneId) -> bool {
        self.valid.is_none_or(|own| own == pane)
    }
}

fn of_pane(pane: &PaneKeys, own: &'static PaneAction, heading: &'static str) -> ActionEntry {
    let action = Action::OfPane(pane.id, own.name);
    ActionEntry { action, name: own.name.to_owned(), doc: own.doc, valid: Some(pane.taken_in()), heading }
}
