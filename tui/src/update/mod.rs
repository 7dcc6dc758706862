//! Handling of messages: `update(&mut Model, Message) -> Effects`.
//!
//! | module | what is in it |
//! |---|---|
//! | `keys` | keys: to the command line, to the help, or to actions |
//! | `command_line` | the line being typed: preview, completions, Enter |

mod command_line;
mod keys;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use ratatui::layout::Rect;

use crate::{
    input::PaneId,
    model::{
        Effects, Message, Model, baud_scan, decoder, filter, line_search, links, names,
        panes::{self, with_pane},
        prompt,
        screen::{self, Layout, LayoutRequest},
        search,
    },
};

/// Applies a message to the model; returns the effects to carry out.
#[must_use]
pub fn update(model: &mut Model, message: Message) -> Effects {
    match message {
        Message::Key(key, at) => {
            model.now = at;
            keys::key(model, key);
        }
        Message::Mouse(event) => keys::mouse(model, event),
        Message::Paste(text) => command_line::paste(model, &text),
        Message::Quit(code) => model.quit = Some(code),
        Message::Tick(now) => tick(model, now),
        Message::Work => work(model),
        Message::Frame(size) => prepare(model, size),
        Message::Drawn(figures) => model.screen.figures = figures,
        Message::Status(statuses) => links::take_status(model, statuses),
        Message::Link(source, event) => links::link_event(model, source, event),
        Message::Opened { source, peer } => links::add(model, *source, peer),
        Message::Closed(closed) => links::remove(model, &closed),
        Message::LookedUp(found) => command_line::take_lookup(model, found),
        Message::Done(text) => model.say(text),
        Message::Saved { said, paths } => saved(model, &said, &paths),
        Message::Failed(text) => model.fail(text),
        Message::Refused(text) => command_line::take_refusal(model, text),
        Message::Copied { what, places } => copied(model, &what, &places),
        Message::Logged(lines) => model.prompt.add_log(lines),
        Message::Sizes { decoding, found, pattern } => links::take_sizes(model, &decoding, found, pattern),
        Message::Likely { found, empty, asked_by_user: true, .. } => links::take_decoder(model, found, empty),
        Message::Likely { decoding, found, .. } => links::take_likely(model, &decoding, found),
        Message::DictionaryFile(path) => names::use_dictionary_file(model, &path),
        Message::Formats(formats) => decoder::take_formats(model, formats),
        Message::PluginChanged(path) => decoder::offer_reload(model, &path),
        Message::Registry { registry, loaded, id } => decoder::take_registry(model, registry, loaded.as_deref(), &id),
    }
    model.take_effects()
}

/// Ends the program; the final message lists what was saved and what was not.
fn saved(model: &mut Model, said: &str, paths: &[PathBuf]) {
    let lost = match model.marks() {
        0 => String::new(),
        1 => "; the mark is not kept".to_owned(),
        marks => format!("; the {marks} marks are not kept"),
    };
    let quoted = |path: String| if path.contains(char::is_whitespace) { format!("'{path}'") } else { path };
    let paths: Vec<String> = paths.iter().map(|path| quoted(path.display().to_string())).collect();
    model.last_words = Some(format!("{said}; spytui {} opens it{lost}\n", paths.join(" ")));
    model.quit = Some(0);
}

fn copied(model: &mut Model, what: &str, places: &[String]) {
    let nowhere = ["nowhere: copy.osc52, copy.tmux and copy.file are off".to_owned()];
    let text = format!("copied {what} to {}", if places.is_empty() { &nowhere } else { places }.join(", "));
    model.say(text);
}

/// Follows the sources: other decodings, detection, rates; and does some background work.
fn tick(model: &mut Model, now: Instant) {
    model.now = now;
    links::follow_decoding(model);
    links::follow_autodetect(model);
    baud_scan::follow(model, now);
    names::follow_refused(model);
    command_line::follow(model);
    for source in &mut model.links.sources {
        source.sample(now);
    }
    work(model);
}

/// Adds new rows to the list and filters some; the main loop asks for more while there is time.
fn work(model: &mut Model) {
    let grown = model.list.grow(model.now);
    if grown.rebuilt {
        model.panes.forget_rows();
    }
    let list = &mut model.list;
    let more = list.page.filter.work(&list.rows, 1, model.now);
    let counting = panes::work(model) | filter::work(model, !more) | search::work(model);
    model.jobs.unfinished = counting | more | grown.more;
}

/// Time until something on the screen may change by itself.
pub fn sleep(model: &Model) -> Duration {
    let live = !model.links.is_over() || !model.is_all_there();
    let busy = model.jobs.baud_scan.is_some() || model.list.waits || model.links.first().autodetect.is_busy();
    match (busy, live) {
        (true, _) => Duration::from_millis(50),
        (false, true) => Duration::from_millis(500),
        (false, false) => Duration::from_secs(3600),
    }
}

/// Limit for repeating the layout because a pane needs more lines.
const ROUNDS: usize = 3;

fn prepare(model: &mut Model, size: (u16, u16)) {
    model.screen.size = size;
    command_line::catch_up(model);
    let before = others_shown(model);
    lay_out(model);
    // Newly shown panes have work to do, even if nothing else happens.
    model.jobs.unfinished |= others_shown(model).into_iter().zip(before).any(|(is, was)| is && !was);
    screen::refresh_header(model, model.now);
    screen::refresh_list_title(model);
    if let (Some(pane), Some((_, area))) = (model.panes.beside(), model.screen.layout.pane) {
        prepare_pane(model, pane, area);
        if line_search::look_again(model) {
            prepare_pane(model, pane, area);
        }
    }
    if let (Some(pane), Some((_, area))) = (model.panes.strip(), model.screen.layout.strip) {
        prepare_pane(model, pane, area);
    }
    prompt::refresh(model);
    model.screen.diagnosis = links::diagnosis(model);
}

/// Whether there is a pane beside or instead of the list, and a strip.
fn others_shown(model: &Model) -> [bool; 2] {
    let layout = &model.screen.layout;
    [layout.pane.is_some(), layout.strip.is_some()]
}

/// Lays out the screen and prepares the page and the pane under the list, which may need more lines.
fn lay_out(model: &mut Model) {
    for _ in 0..ROUNDS {
        let wanted = lines_wanted(model);
        let request = LayoutRequest {
            pane: !model.panes.is_list_in_front(),
            stays: model.settings.config.on("ui.beside") && model.panes.beside().is_some(),
            strip: model.settings.config.on("ui.strip") && model.panes.strip().is_some(),
            details: model.panes.details_open,
            details_all: wanted,
            zoom: model.panes.zoom,
            stacked: is_stacked(model),
            heading: model.settings.config.on("ui.heading"),
        };
        model.screen.layout = Layout::new(model.screen.size, request);
        let layout = model.screen.layout;
        if layout.list_area.height > 0 {
            model.list.fill_page(usize::from(layout.list_area.height), model.now);
        }
        let below = model.panes.below().map(|pane| pane.keys().id);
        if let (Some((_, area)), Some(pane)) = (layout.details, below) {
            prepare_pane(model, pane, area);
        }
        // More lines for the details may move the list, but not to another row.
        if lines_wanted(model) == wanted {
            return;
        }
    }
}

/// With a pane beside the list, every scrolled line costs its whole width.
fn is_stacked(model: &Model) -> bool {
    match model.settings.config.text("ui.layout") {
        "stacked" => true,
        "side" => false,
        _ => model.screen.slow_line,
    }
}

fn lines_wanted(model: &Model) -> Option<u16> {
    model.panes.below().and_then(|pane| pane.lines_wanted(model))
}

fn prepare_pane(model: &mut Model, id: PaneId, area: Rect) {
    with_pane(model, id, |pane, model| pane.prepare(model, area.width, area.height));
}
