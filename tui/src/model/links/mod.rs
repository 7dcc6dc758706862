//! The sources: links that are open, and which of them are shown. All sources of a target are one list, merged by
//! time; each can be shown by itself too. Each list keeps its own cursor, filter and marks.

mod autodetect;
mod close;
mod diagnosis;
mod show;
mod source;
mod status;

use std::{collections::HashMap, sync::Arc};

use spytui_engine::{
    open::{Options, Registry},
    store::rows::BUDGET,
    trace::list::{RowList, row_list::MOST_SOURCES},
    trace::session::Decoding,
};

pub use autodetect::{Autodetect, ask_decoders, follow as follow_autodetect, take_decoder, take_likely, take_sizes};
pub use close::{close, remove, renumbered};
pub use diagnosis::diagnosis;
pub use show::{add, list_word, open, open_peer, show, show_named, take_rows, turn};
pub use source::{Rate, Source, SourceOrigin, SourceStatus, WayBack};
pub use status::{follow_decoding, link_event, take_status};

use super::{DecodeRequest, list::List};

/// All sources and decoders.
pub struct Links {
    /// All decoders.
    pub registry: Arc<Registry>,
    pub sources: Vec<Source>,
    /// Indices of the sources shown, as one list.
    pub scope: Vec<usize>,
    /// Lists that are not shown, in the state in which the user left them.
    pub(in crate::model) saved_views: HashMap<Vec<usize>, List>,
    /// Memory for the rows of a source, bytes.
    pub memory: usize,
}

impl Links {
    /// These sources; the first target is shown.
    pub fn new(registry: Arc<Registry>, sources: Vec<Source>) -> Links {
        let scope = whole_target(&sources, 0);
        Links { registry, sources, scope, saved_views: HashMap::new(), memory: BUDGET }
    }

    /// The source shown; of several the first.
    pub fn first(&self) -> &Source {
        &self.sources[self.scope[0]]
    }

    /// The source shown; of several the first.
    pub fn first_mut(&mut self) -> &mut Source {
        &mut self.sources[self.scope[0]]
    }

    pub fn shown(&self) -> impl DoubleEndedIterator<Item = &Source> + Clone {
        self.scope.iter().map(|&source| &self.sources[source])
    }

    /// The decodings of the sources shown.
    pub fn decodings(&self) -> Vec<Arc<Decoding>> {
        self.shown().map(|source| source.decoding().clone()).collect()
    }

    /// Their rows as one list; other sources of the target name things too.
    pub fn rows(&self) -> RowList {
        RowList::new(self.decodings()).with_related(self.related())
    }

    /// `true` if the list is of the decodings shown, with the names of the others of the target.
    pub fn are_in(&self, rows: &RowList) -> bool {
        rows.is_of(&self.decodings()) && rows.has_related(&self.related())
    }

    /// The decodings of the sources of the target that are not shown.
    fn related(&self) -> Vec<Arc<Decoding>> {
        let hidden = self.target_shown().into_iter().filter(|source| !self.scope.contains(source));
        hidden.map(|source| self.sources[source].decoding().clone()).collect()
    }

    /// `true` if all sources shown have ended.
    pub fn is_over(&self) -> bool {
        self.shown().all(|source| source.status.state.is_over())
    }

    /// The sources of the target that is shown.
    pub fn target_shown(&self) -> Vec<usize> {
        whole_target(&self.sources, self.scope[0])
    }

    /// The lists that can be shown: each target as one list, then each of its sources alone.
    pub fn lists(&self) -> Vec<Vec<usize>> {
        let mut lists: Vec<Vec<usize>> = Vec::new();
        for source in 0..self.sources.len() {
            let all = whole_target(&self.sources, source);
            if all.first() == Some(&source) {
                let alone = all.iter().filter(|_| all.len() > 1).map(|&i| vec![i]);
                lists.extend([all.clone()].into_iter().chain(alone));
            }
        }
        lists
    }

    /// Index of the list shown in [`Links::lists`].
    pub fn list_shown(&self) -> usize {
        self.lists().iter().position(|list| *list == self.scope).unwrap_or(0)
    }

    /// Name of a list: that of its source, or the number of sources.
    pub fn list_name(&self, list: &[usize]) -> String {
        match list {
            [one] => self.sources[*one].name(),
            all => format!("all {} of the target", all.len()),
        }
    }

    /// `true` if the recording of a source has failed.
    pub fn has_recording_failed(&self) -> bool {
        let failed = |source: &Source| source.status.recording.as_ref().is_some_and(|r| r.failure().is_some());
        self.sources.iter().any(failed)
    }

    /// Which of all sources a list is: `source 1 of 2`, `all sources`.
    pub fn list_place(&self, list: &[usize]) -> String {
        match list {
            [one] => format!("source {} of {}", one + 1, self.sources.len()),
            _ => "all sources".to_owned(),
        }
    }

    /// A free target number.
    pub fn free_target(&self) -> usize {
        self.sources.iter().map(|s| s.target + 1).max().unwrap_or(0)
    }

    /// The request for another source of a target: with the current decoder.
    pub fn decode_request(&self, target: usize, decoding: &Decoding) -> DecodeRequest {
        let source = self.sources.iter().filter(|s| s.target == target).count() as u16;
        let (decoder, options): (_, Options) = (decoding.decoder.clone(), decoding.options.clone());
        DecodeRequest { decoder, options, target, source, memory: self.memory }
    }
}

/// The sources of the target of a source.
pub fn whole_target(sources: &[Source], source: usize) -> Vec<usize> {
    let target = sources.get(source).map(|s| s.target);
    let all = (0..sources.len()).filter(|&i| sources.get(i).map(|s| s.target) == target);
    all.take(MOST_SOURCES).collect()
}
