//! Handling of messages: `update(&mut Model, Message) -> Effects`.
//!
//! | module | what is in it |
//! |---|---|
//! | `keys` | keys: to the command line, to the help, or to actions |
//! | `actions` | actions that are valid everywhere; the others go to the pane in front |
//! | `command_line` | what is typed: preview, completions, Enter |
//! | `tick` | work beside the screen |
//! | `mouse` | the mouse |
//! | `frame` | what the next frame shows |

mod actions;
mod command_line;
mod frame;
mod keys;
mod mouse;
mod tick;

pub use tick::sleep;

use std::path::PathBuf;

use crate::model::{Effects, Message, Model, decoder, formats, links, names};

/// Applies a message to the model; returns the effects to carry out.
#[must_use]
pub fn update(model: &mut Model, message: Message) -> Effects {
    match message {
        Message::Key(key, at) => {
            model.now = at;
            keys::key(model, key);
        }
        Message::Mouse(event) => mouse::mouse(model, event),
        Message::Paste(text) => command_line::paste(model, &text),
        Message::Quit(code) => model.quit = Some(code),
        Message::Tick(now) => tick::tick(model, now),
        Message::Work => tick::work(model),
        Message::Frame(size) => frame::prepare(model, size),
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
        Message::Formats(formats) => formats::take(model, formats),
        Message::PluginChanged(path) => decoder::offer_reload(model, &path),
        Message::Registry { registry, loaded, id } => decoder::take_registry(model, registry, loaded.as_deref(), &id),
    }
    model.take_effects()
}

/// Ends the program; what is said then names what was saved, and what was not.
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
