//! The title of the list: filter and hidden rows, search, what is left out, following or held.

use spytui_engine::{list::RowSource, present::clock::grouped};

use crate::{
    model::{Model, list::Collapse},
    term::cut_middle,
};

/// Makes the title again; once for every frame, as it counts the rows since the last one.
pub fn refresh(model: &mut Model) {
    let list = &model.list;
    let page = &list.page;
    let mut parts = Vec::new();
    if !page.filter.is_everything() {
        // Rows that the filter has not looked at yet.
        let more = if page.filter.looked_at() < list.rows.len() { "+" } else { "" };
        let expr = page.filter.expr().to_string();
        let room = usize::from(model.screen.size.0).saturating_sub(52).max(12);
        let expr = cut_middle(&expr, room, "…");
        parts.push(format!("filter {expr}  hides {}{more}", grouped(page.filter.hidden())));
    }
    if let Some(search) = &model.jobs.last_search {
        parts.push(format!("/{}", cut_middle(&search.text, 24, "…")));
    }
    parts.extend(list.redundant_text());
    if page.collapse == Collapse::Equal {
        parts.push("folded".to_owned());
    }
    parts.extend(not_shown(model));
    parts.push(match page.follow {
        true => "follow".to_owned(),
        false if model.links.is_over() => position(model),
        false => format!("held +{}", grouped(list.rows.len().saturating_sub(page.held_at.max(1)))),
    });
    if page.unfinished {
        parts.push("searching…".to_owned());
    }
    let title = parts.join(" · ");
    model.screen.rows_before = model.list.rows.len();
    model.screen.list_title = title;
}

/// `1 of 40 rows shown` while more rows than a page come with each frame.
fn not_shown(model: &Model) -> Option<String> {
    let before = model.screen.rows_before;
    let came = model.list.rows.len().saturating_sub(before);
    let of = came / model.screen.list_height() as u64;
    let live = model.list.page.follow && !model.links.is_over();
    (live && before > 0 && of > 1).then(|| format!("1 of {} rows shown", grouped(of)))
}

fn position(model: &Model) -> String {
    let len = model.list.rows.len().max(1);
    format!("{} %", (model.list.page.cursor + 1) * 100 / len)
}
