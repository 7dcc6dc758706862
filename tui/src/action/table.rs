//! The actions that keys start: one table with name, meaning, and where each is valid.

/// Where keys are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The record list, with its details.
    Records,
    /// The dictionary.
    Dictionary,
    /// The counters.
    Counters,
    /// The log.
    Log,
}

impl Place {
    /// All of them.
    pub const ALL: [Place; 4] = [Place::Records, Place::Dictionary, Place::Counters, Place::Log];

    /// Its table in `keys.toml`, and its name.
    pub fn name(self) -> &'static str {
        match self {
            Place::Records => "records",
            Place::Dictionary => "dictionary",
            Place::Counters => "counters",
            Place::Log => "log",
        }
    }
}

/// Where an action is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Valid {
    /// In every pane.
    Everywhere,
    /// In the record list.
    Records,
    /// In the dictionary.
    Dictionary,
}

/// One action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionEntry {
    /// What it is.
    pub act: Action,
    /// Its name in `keys.toml`.
    pub name: &'static str,
    /// What it does, in a few words.
    pub doc: &'static str,
    /// Where it is valid.
    pub valid: Valid,
}

macro_rules! actions {
    ($($act:ident $name:literal $valid:ident $doc:literal,)*) => {
        /// What a key starts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $doc] $act,)*
        }

        /// Every action, in the order of the help.
        pub const ACTIONS: &[ActionEntry] =
            &[$(ActionEntry { act: Action::$act, name: $name, doc: $doc, valid: Valid::$valid },)*];
    };
}

actions! {
    Up "up" Everywhere "up",
    Down "down" Everywhere "down",
    HalfUp "half-up" Everywhere "half a page up",
    HalfDown "half-down" Everywhere "half a page down",
    PageUp "page-up" Everywhere "page up",
    PageDown "page-down" Everywhere "page down",
    Top "top" Everywhere "to the top",
    Follow "follow" Everywhere "to the bottom, and follow",
    Hold "hold" Everywhere "hold or follow",
    Left "left" Everywhere "sideways to the left",
    Right "right" Everywhere "sideways to the right",
    PaneRecords "pane-records" Everywhere "records",
    PaneDictionary "pane-dictionary" Everywhere "dictionary",
    PaneCounters "pane-counters" Everywhere "counters",
    PaneLog "pane-log" Everywhere "log",
    PaneNext "pane-next" Everywhere "next pane",
    PanePrevious "pane-previous" Everywhere "previous pane",
    SourceNext "source-next" Everywhere "next source",
    SourcePrevious "source-previous" Everywhere "previous source",
    SortNext "sort-next" Dictionary "sort by the next column",
    SortReverse "sort-reverse" Dictionary "sort the other way round",
    Zoom "zoom" Everywhere "this pane alone, and back",
    Details "details" Records "details on or off",
    Open "open" Everywhere "all details; in lists filter by it or go to it",
    Search "search" Everywhere "search",
    SearchNext "search-next" Everywhere "next match",
    SearchPrevious "search-previous" Everywhere "previous match",
    EditFilter "filter" Everywhere "edit the display filter",
    HideKind "hide-kind" Records "hide this kind",
    HideGroup "hide-group" Records "hide this group",
    HideObject "hide-object" Records "hide this object",
    HideSignal "hide-signal" Records "hide this signal",
    HideCore "hide-core" Records "hide this core",
    OnlyKind "only-kind" Records "only this kind",
    OnlyGroup "only-group" Records "only this group",
    OnlyObject "only-object" Records "only this object",
    OnlySignal "only-signal" Records "only this signal",
    OnlyCore "only-core" Records "only this core",
    AllRows "all-rows" Records "all rows, and back to the filter",
    Fold "fold" Records "show repeats, fold equal neighbours",
    LossNext "loss-next" Records "next loss",
    LossPrevious "loss-previous" Records "previous loss",
    ErrorNext "error-next" Records "next error",
    ErrorPrevious "error-previous" Records "previous error",
    WarningNext "warning-next" Records "next warning or reset",
    WarningPrevious "warning-previous" Records "previous warning or reset",
    ObjectNext "object-next" Records "same object, next",
    ObjectPrevious "object-previous" Records "same object, previous",
    Back "back" Everywhere "back to where I was",
    Forward "forward" Everywhere "forward again",
    Mark "mark" Records "mark this row, or take the mark away",
    MarkNote "mark-note" Records "mark this row with a note",
    MarkNext "mark-next" Records "next mark",
    MarkPrevious "mark-previous" Records "previous mark",
    MarkList "mark-list" Records "list of marks",
    TimeColumn "time-column" Records "time column: ticks, seconds, difference, since mark, host",
    Measure "measure" Records "measure from here",
    Select "select" Records "select rows",
    Copy "copy" Everywhere "copy the rows",
    CopyDetails "copy-details" Records "copy the details",
    Command "command" Everywhere "command line",
    Help "help" Everywhere "keys and help",
    ChooseDecoder "decoder" Everywhere "choose the decoder",
    Close "close" Everywhere "close; at last ask to quit",
    Redraw "redraw" Everywhere "draw the screen again",
    Suspend "suspend" Everywhere "suspend",
    Interrupt "interrupt" Everywhere "interrupt; twice in a second quits",
}

impl Action {
    /// The action called `name`.
    pub fn named(name: &str) -> Option<Action> {
        ACTIONS.iter().find(|entry| entry.name == name).map(|entry| entry.act)
    }

    /// Its row of the table.
    pub fn entry(self) -> &'static ActionEntry {
        // The table is made from the same list as the type, so every action is in it, in order.
        &ACTIONS[self as usize]
    }

    /// Whether it is valid there.
    pub fn valid_in(self, place: Place) -> bool {
        match self.entry().valid {
            Valid::Everywhere => true,
            Valid::Records => place == Place::Records,
            Valid::Dictionary => place == Place::Dictionary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_names_are_unique() {
        for entry in ACTIONS {
            assert_eq!(entry.act.entry(), entry);
            assert_eq!(Action::named(entry.name), Some(entry.act));
            assert!(entry.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        }
    }
}
