//! `-` and `+` with a capital: put a change of the target's filter for rows like the one under the cursor into the command
//! line. Nothing is sent.

use spytui_engine::device::filter_word::{About, of_row};
use spytui_plugin_api::Row;

use crate::{
    input::{Action, PromptKind, RECORDS},
    model::{Model, links::WayBack, panes::Offer},
};

/// The actions: what each is about, and the sign of the change.
const ALL: [(Action, About, char); 8] = [
    (Action::MaskKind, About::Kind, '-'),
    (Action::MaskGroup, About::Group, '-'),
    (Action::MaskObject, About::Object, '-'),
    (Action::MaskSignal, About::Signal, '-'),
    (Action::AskKind, About::Kind, '='),
    (Action::AskGroup, About::Group, '='),
    (Action::AskObject, About::Object, '='),
    (Action::AskSignal, About::Signal, '='),
];

fn change(action: Action) -> Option<(About, char)> {
    ALL.iter().find(|own| own.0 == action).map(|&(_, about, sign)| (about, sign))
}

/// The command of a filter, and the word in it, for something that the cursor row has; or why there is none.
fn of_cursor_row(model: &Model, about: About) -> Result<(String, String), String> {
    let (rows, cursor) = (&model.list.rows, model.list.page.cursor());
    let here = rows.row(cursor).filter(Row::is_record);
    let row = here.ok_or_else(|| "only records can be masked on the target".to_owned())?;
    let decoding = rows.source(rows.locate(cursor).map_or(0, |(source, _)| source));
    of_row(&decoding.decoder.info, &decoding.read().dictionary, &row, about)
}

/// Fills the command line, if the action does that; `false` if it does not.
pub(super) fn apply(model: &mut Model, action: Action) -> bool {
    let Some((about, sign)) = change(action) else { return false };
    match of_cursor_row(model, about) {
        Ok((command, word)) => {
            let text = format!("target {command} {sign}{word}");
            let line = model.prompt.open(PromptKind::Command, &text);
            line.filled = Some(text);
        }
        Err(why) => model.say(why),
    }
    true
}

/// Help for an action, in one place for all with the same sign: `K G O on the target`; `None` for other actions.
pub(super) fn offer(model: &Model, action: Action) -> Option<Offer> {
    let (_, sign) = change(action)?;
    // A file has no target.
    let is_two_way = model.links.shown().any(|source| source.status.way_back != WayBack::Never);
    let fits = |own: &(Action, About, char)| is_two_way && own.2 == sign && of_cursor_row(model, own.1).is_ok();
    let mut usable = ALL.into_iter().filter(fits).map(|own| own.0);
    if usable.next() != Some(action) {
        return Some(Offer::Nothing);
    }
    let keymap = &model.settings.keymap;
    let key = |action: Action| {
        keymap.keys(RECORDS, action).first().and_then(|keys| keys.split(' ').next_back().map(str::to_owned))
    };
    let keys: Vec<String> = usable.filter_map(key).chain(["on the target".to_owned()]).collect();
    Some(Offer::Words(keys.join(" ")))
}
