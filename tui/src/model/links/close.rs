//! Closing sources. What is left moves up, so everything that has the number of a source is renumbered.

use super::{Links, show, show::list_named};
use crate::model::{Effect, Model};

/// Closes the sources of a list, by its number or name; without a word those shown.
pub fn close(model: &mut Model, word: Option<&str>) {
    let list = match word.map(|word| list_named(model, word)) {
        None => model.links.scope.clone(),
        Some(Ok(list)) => list,
        Some(Err(error)) => return model.fail(error),
    };
    if list.len() >= model.links.sources.len() {
        return model.fail("nothing would be left; :q quits");
    }
    model.ask_for(Effect::Close(list));
}

/// Removes sources that were closed: sorted, none of them twice.
pub fn remove(model: &mut Model, closed: &[usize]) {
    let names: Vec<String> = closed.iter().filter_map(|&i| Some(model.links.sources.get(i)?.name())).collect();
    let is_left = |list: &Vec<usize>| !list.iter().any(|source| closed.contains(source));
    if !is_left(&model.links.scope) {
        let lists = model.links.lists();
        let at = model.links.list_shown();
        let before = lists.iter().take(at).rev().find(|list| is_left(list));
        let next = before.or_else(|| lists.iter().skip(at).find(|list| is_left(list))).cloned();
        // Nothing closes the last source. Of a target of which a part is left, the rest is shown.
        let rest = || (0..model.links.sources.len()).filter(|source| !closed.contains(source)).take(1).collect();
        let next = next.unwrap_or_else(rest);
        show(model, next);
    }
    let links: &mut Links = &mut model.links;
    links.scope.iter_mut().for_each(|source| *source = renumbered(*source, closed));
    let views = std::mem::take(&mut links.saved_views).into_iter().filter(|(list, _)| is_left(list));
    links.saved_views =
        views.map(|(list, view)| (list.into_iter().map(|source| renumbered(source, closed)).collect(), view)).collect();
    for &source in closed.iter().rev() {
        links.sources.remove(source);
    }
    let scan = model.jobs.baud_scan.take().filter(|scan| !closed.contains(&scan.source));
    if let Some(mut scan) = scan {
        scan.source = renumbered(scan.source, closed);
        model.jobs.baud_scan = Some(scan);
    }
    model.say(format!("{} closed", names.join(", ")));
}

/// Number of a source after others were closed.
pub fn renumbered(source: usize, closed: &[usize]) -> usize {
    source - closed.iter().filter(|one| **one < source).count()
}
