//! Things in words, with the names that rows of a list have.

use super::RowList;
use crate::{
    analysis::objects::Wording,
    replay::Key,
    store::{Dictionary, Names, View},
};

/// Calls `word` with the names that a row of the list sees.
pub fn worded<T>(list: &RowList, row: u64, short: bool, word: impl FnOnce(&Wording<'_>) -> T) -> T {
    let (source, number) = list.locate(row).unwrap_or((0, row));
    let states = list.read_all();
    let related: Vec<_> = list.related().iter().map(|part| part.read()).collect();
    let others: Vec<&Dictionary> = states
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != source)
        .map(|(_, state)| &*state.dictionary)
        .chain(related.iter().map(|state| &*state.dictionary))
        .collect();
    let (dictionary, view) = (&states[source].dictionary, View::Effective);
    let names = Names { dictionary, others: &others, row: number, rows: &[], view, short };
    let decoder = &list.source(source).decoder;
    let of_formats = |key: Key| decoder.formatting.track_name(key.space, key.key);
    word(&Wording { info: &decoder.info, names: &names, of_formats: &of_formats })
}
