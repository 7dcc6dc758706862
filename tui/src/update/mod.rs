//! Handling of messages: `update(&mut Model, Message) -> Effects`. `command_line` has the line being typed: preview,
//! completions, Enter.

mod command_line;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use spytui_engine::{io::link::LinkState, trace::list::Direction};

use crate::{
    config::SettingOrigin,
    input::{Action, HelpLine, INCIDENT, KeyMeaning, KeyPress, OBJECTS, PaneId, PromptKind, RECORDS, Where},
    model::{
        Effect, Effects, Message, Model, RowSelection, baud_scan, decoder, filter, incident, jump, line_search, links,
        names,
        panes::{self, with_pane},
        prompt::{self, Help, PromptQuestion, help_lines},
        resume,
        screen::{self, LayoutRequest, ScreenLayout, tab_line},
        search, target, triggers,
    },
};

/// Applies a message to the model; returns the effects to carry out.
#[must_use]
pub fn update(model: &mut Model, message: Message) -> Effects {
    match message {
        Message::Key(key, at) => {
            model.now = at;
            links::follow_cursor(model);
            take_key(model, key);
        }
        Message::Mouse(event) => mouse(model, event),
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
        Message::Resumed(scope, resumed) => resume::resume(model, &scope, *resumed),
        Message::LookedUp(found) => {
            model.prompt.looked_up = Some(found);
            command_line::refresh(model);
        }
        Message::Done(text) => model.say(text),
        Message::Saved { said, paths } => saved(model, &said, &paths),
        Message::Failed(text) => model.fail(text),
        Message::Refused(text) => command_line::take_refusal(model, text),
        Message::SetTrigger(rule, expr) => triggers::set(model, rule, expr, true),
        Message::Triggered { id, source, news } => triggers::take(model, id, source, news),
        Message::Copied { what, places } => copied(model, &what, &places),
        Message::Logged(lines) => model.prompt.add_log(lines),
        Message::Sizes { decoding, found, pattern } => links::take_sizes(model, &decoding, found, pattern),
        Message::Likely { found, empty, asked_by_user: true, .. } => links::take_decoder(model, found, empty),
        Message::Likely { decoding, found, .. } => links::take_likely(model, &decoding, found),
        Message::Compared { decodings, path, mut lines, first } => {
            // Another source may be shown by now, and a filter may hide the row.
            let is_shown = matches!((&*decodings, &*model.list.rows.parts), ([of], [shown]) if Arc::ptr_eq(of, shown));
            if let Some(record) = first.filter(|_| is_shown)
                && let Ok(row) = jump::row_of(model, &Where::Row(record))
                && jump::to_row(model, row)
            {
                lines.insert(0, HelpLine::new(format!("Esc goes to #{record}, the first difference."), ""));
            }
            let title = format!("Compared with {}", path.display());
            model.prompt.help = Some(Help { page: Some((title, lines)), ..Help::default() });
        }
        Message::DictionaryFile(path) => names::use_dictionary_file(model, &path),
        Message::Formats(formats) => decoder::take_formats(model, formats),
        Message::PluginChanged(path) => {
            let file = decoder::file_name(&path);
            model.say(format!("{file} was rebuilt: :plugin reload {file} loads it"));
        }
        Message::Registry { registry, loaded, id } => decoder::take_registry(model, registry, loaded.as_deref(), &id),
    }
    std::mem::take(&mut model.effects)
}

/// Ends the program; the final message lists what was saved.
fn saved(model: &mut Model, said: &str, paths: &[PathBuf]) {
    let quoted = |path: String| if path.contains(char::is_whitespace) { format!("'{path}'") } else { path };
    let paths: Vec<String> = paths.iter().map(|path| quoted(path.display().to_string())).collect();
    model.last_words = Some(format!("{said}; spytui {} opens it\n", paths.join(" ")));
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
    triggers::follow(model);
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
    links::follow_cursor(model);
    let list = &mut model.list;
    let more = list.page.filter.work(&list.rows, 1, model.now);
    let counting = panes::work(model) | filter::work(model, !more) | search::work(model);
    model.jobs.unfinished = counting | more | grown.more;
}

/// Time until something on the screen may change by itself.
pub fn sleep(model: &Model) -> Duration {
    let live = !model.links.is_over() || !model.is_all_there();
    let busy = model.jobs.baud_scan.is_some() || model.list.waits || model.links.addressed().autodetect.asked.is_some();
    // The header counts a long silence in tens of seconds.
    let is_silent = |state: &LinkState| matches!(state, LinkState::Quiet(time) if time.as_secs() >= 10);
    let is_still = model.links.sources.iter().all(|s| s.status.state.is_over() || is_silent(&s.status.state));
    match (busy, live) {
        (true, _) => Duration::from_millis(50),
        (false, true) if is_still && model.is_all_there() => Duration::from_secs(5),
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
    model.list.page.whole_texts = !search::patterns(model).is_empty();
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
        model.screen.layout = ScreenLayout::new(model.screen.size, request);
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

/// Keys at shorter intervals were not typed: a terminal without bracketed paste sends pasted text as keys.
const PASTED: Duration = Duration::from_millis(20);
const HELP_PAGE: isize = 15;

/// Handles a key. One with Alt that means nothing is an Esc followed by the key, as both send the same bytes.
fn take_key(model: &mut Model, key: KeyPress) {
    match key.behind_esc().filter(|_| !is_bound(model, key)) {
        Some(behind) => {
            press(model, KeyPress::new(KeyCode::Esc, KeyModifiers::NONE));
            press(model, behind);
        }
        None => press(model, key),
    }
}

fn is_bound(model: &Model, key: KeyPress) -> bool {
    let prompt = &model.prompt;
    let pressed = [prompt.pressed.as_slice(), &[key]].concat();
    let is_taken = prompt.question.is_some() || prompt.line.is_some() || prompt.help.is_some();
    !is_taken && !matches!(model.settings.keymap.meaning(model.panes.front(), &pressed), KeyMeaning::Nothing)
}

fn press(model: &mut Model, key: KeyPress) {
    model.prompt.touched = true;
    let before = model.prompt.last_key.replace(model.now);
    let is_pasted = before.is_some_and(|before| model.now.saturating_duration_since(before) < PASTED);
    model.prompt.just_run = None;
    if model.prompt.question.is_some() {
        return answer(model, key, is_pasted);
    }
    if model.prompt.line.is_some() {
        return command_line::key(model, key);
    }
    if model.prompt.help.is_some() {
        return help_key(model, key);
    }
    // Keys may be typed ahead of the frame that would show their row.
    if model.list.cursor_entry().is_none() {
        model.list.fill_page(model.screen.list_height(), model.now);
    }
    model.prompt.notice = None;
    model.prompt.pressed.push(key);
    match model.settings.keymap.meaning(model.panes.front(), &model.prompt.pressed) {
        KeyMeaning::Action(action) => {
            model.prompt.pressed.clear();
            act(model, action);
            command_line::choose_of_list(model);
            command_line::refresh(model);
        }
        KeyMeaning::Prefix(_) => model.jobs.unfinished |= panes::work(model),
        KeyMeaning::Nothing => nothing(model),
    }
}

fn nothing(model: &mut Model) {
    let typed: Vec<String> = std::mem::take(&mut model.prompt.pressed).iter().map(KeyPress::to_string).collect();
    if typed.last().is_none_or(|key| key != "Esc") {
        model.say(format!("{} does nothing here; ? shows the keys", typed.join(" ")));
    }
}

/// A key while a question is open: only its answers count, and only if typed.
fn answer(model: &mut Model, key: KeyPress, is_pasted: bool) {
    let Some(mut question) = model.prompt.question.take() else { return };
    if matches!((key.code(), key.control()), (KeyCode::Esc, _) | (KeyCode::Char('g' | 'c'), true)) {
        return;
    }
    let why = match (key.character(), question.confirms.clone()) {
        (Some('q' | 'y'), _) if is_pasted => "was pasted",
        (Some('y'), Some((rule, expr))) => return triggers::set(model, rule, expr, false),
        (Some('n'), Some(_)) => return,
        (Some('q' | 'y'), None) => return model.quit = Some(0),
        (Some('s'), _) if question.can_save => {
            model.prompt.open(PromptKind::Command, "wq ");
            return command_line::refresh(model);
        }
        _ => "is not an answer",
    };
    question.ignored = Some(format!("{key} {why}"));
    model.prompt.question = Some(question);
}

/// Scrolls the help up to its last line.
fn scroll_help(model: &mut Model, lines: isize) {
    let last = help_lines(model).len().saturating_sub(1);
    if let Some(help) = &mut model.prompt.help {
        help.top = help.top.saturating_add_signed(lines).min(last);
    }
}

fn help_key(model: &mut Model, key: KeyPress) {
    let Some(help) = &mut model.prompt.help else { return };
    let unfiltered = help.filter.is_empty();
    match (key.code(), key.control()) {
        (KeyCode::Esc | KeyCode::F(1), _) | (KeyCode::Char('g' | 'c'), true) => model.prompt.help = None,
        (KeyCode::Char('?'), false) if unfiltered => model.prompt.help = None,
        (KeyCode::Down | KeyCode::Enter, _) => scroll_help(model, 1),
        (KeyCode::Up, _) => scroll_help(model, -1),
        (KeyCode::PageDown, _) | (KeyCode::Char('d' | 'f'), true) => scroll_help(model, HELP_PAGE),
        (KeyCode::PageUp, _) | (KeyCode::Char('u' | 'b'), true) => scroll_help(model, -HELP_PAGE),
        (KeyCode::Char(' '), false) if unfiltered => scroll_help(model, HELP_PAGE),
        (KeyCode::Backspace, _) => {
            help.filter.pop();
            help.top = 0;
        }
        _ => {
            if let Some(c) = key.character().filter(|c| !c.is_control()) {
                help.filter.push(c);
                help.top = 0;
            }
        }
    }
}

/// Lines per step of the wheel.
const STEP: usize = 3;

fn mouse(model: &mut Model, event: MouseEvent) {
    let at = Position::new(event.column, event.row);
    match event.kind {
        MouseEventKind::ScrollUp => wheel(model, at, Action::Up),
        MouseEventKind::ScrollDown => wheel(model, at, Action::Down),
        MouseEventKind::Down(MouseButton::Left) => click(model, at),
        _ => {}
    }
}

fn wheel(model: &mut Model, at: Position, action: Action) {
    if model.prompt.help.is_some() {
        return scroll_help(model, if action == Action::Up { -(STEP as isize) } else { STEP as isize });
    }
    let pane = pane_at(model, at).unwrap_or(model.panes.front());
    for _ in 0..STEP {
        with_pane(model, pane, |pane, model| pane.handle(action, model));
    }
}

/// A click is no answer to a question, and does not leave a line being typed.
fn click(model: &mut Model, at: Position) {
    if model.prompt.line.is_some() || model.prompt.question.is_some() || model.prompt.help.is_some() {
        return;
    }
    model.prompt.notice = None;
    model.prompt.pressed.clear();
    if model.screen.layout.tabs == Some(at.y) {
        let tab = tab_line(model).tabs.into_iter().find(|tab| (tab.x..tab.end()).contains(&at.x));
        return tab.map_or((), |tab| panes::show(model, tab.pane));
    }
    let Some(pane) = pane_at(model, at) else { return };
    if pane != model.panes.front() {
        model.panes.show(pane);
    }
    with_pane(model, pane, |pane, model| pane.click(at, model));
    command_line::refresh(model);
}

/// The pane at a position, including its title.
fn pane_at(model: &Model, at: Position) -> Option<PaneId> {
    let layout = &model.screen.layout;
    if layout.pane.is_some_and(|(title, area)| area.contains(at) || (title == at.y && area.x <= at.x)) {
        return model.panes.beside();
    }
    let list = layout.list_area;
    let is_heading = layout.list_rule == Some(at.y) || layout.heading == Some(at.y);
    (list.contains(at) || is_heading && at.x < list.width).then_some(RECORDS)
}

/// Two `^c` within this time quit.
const TWICE: Duration = Duration::from_secs(1);
/// Columns per step sideways, and the maximum.
const SIDEWAYS: (usize, usize) = (8, 4096);

fn act(model: &mut Model, action: Action) {
    // Going elsewhere cancels the return.
    if action != Action::Close {
        model.list.wanted = None;
    }
    match action {
        Action::ShowPane(INCIDENT) => incident::open_near(model),
        Action::ShowPane(pane) => panes::show(model, pane),
        Action::OfPane(pane, _) => with_pane(model, pane, |pane, model| pane.handle(action, model)),
        Action::PaneNext => model.panes.turn(1),
        Action::PanePrevious => model.panes.turn(-1),
        Action::Zoom => model.panes.zoom = !model.panes.zoom,
        Action::Strip => toggle_strip(model),
        Action::SourceNext => links::turn(model, 1),
        Action::SourcePrevious => links::turn(model, -1),
        Action::Hold if model.list.page.follow => model.list.page.hold(&model.list.rows),
        Action::Hold => model.list.page.follow = true,
        Action::Step => model.ask_for(Effect::Step),
        Action::Left => model.screen.sideways = model.screen.sideways.saturating_sub(SIDEWAYS.0),
        Action::Right => model.screen.sideways = (model.screen.sideways + SIDEWAYS.0).min(SIDEWAYS.1),
        Action::Search => _ = model.prompt.open(PromptKind::Search, ""),
        Action::SearchNext => search::again(model, Direction::Forward),
        Action::SearchPrevious => search::again(model, Direction::Backward),
        Action::EditFilter => {
            let text = filter::text(model);
            model.prompt.open(PromptKind::Filter, &text);
        }
        Action::Command => _ = model.prompt.open(PromptKind::Command, ""),
        Action::ChooseDecoder => {
            let likely = model.links.addressed().autodetect.other().unwrap_or_default();
            let text = format!("proto {likely}");
            model.prompt.open(PromptKind::Command, &text);
        }
        Action::Back => jump::back(model),
        Action::Forward => jump::forward(model),
        Action::Copy => copy_rows(model),
        Action::Advise => target::fill(model, None),
        Action::Help => model.prompt.help = Some(Help::default()),
        Action::Close => {
            if !close(model) {
                ask_to_quit(model);
            }
        }
        Action::Leave => {
            if !close(model) && !search::hide(model) {
                model.say("nothing is open; q or :q quits");
            }
        }
        Action::Redraw => model.ask_for(Effect::Redraw),
        Action::Suspend => model.ask_for(Effect::Suspend),
        Action::Interrupt => interrupt(model),
        _ => {
            let front = model.panes.front();
            with_pane(model, front, |pane, model| pane.handle(action, model));
        }
    }
}

/// Copies the selected rows, or the cursor row, as the list shows them.
fn copy_rows(model: &mut Model) {
    let range = model.list.selection();
    model.list.selected_from = None;
    let (rows, page) = (model.list.rows.clone(), &model.list.page);
    let (collapse, expr) = (page.collapse, page.filter.expr().clone());
    model.ask_for(Effect::CopyRows(RowSelection { rows, range, expr }, collapse));
}

/// Closes what is open, one thing at a time; `false` if nothing is.
fn close(model: &mut Model) -> bool {
    if model.list.selected_from.take().is_some() || model.prompt.notice.take().is_some() {
        return true;
    }
    if model.panes.zoom {
        model.panes.zoom = false;
        return true;
    }
    if model.panes.front() == OBJECTS && model.list.compared.take().is_some() {
        return true;
    }
    let front = model.panes.front();
    if with_pane(model, front, |pane, _| pane.leave()) {
        return true;
    }
    let other_pane = !model.panes.is_list_in_front();
    if other_pane {
        model.panes.show(RECORDS);
    }
    other_pane
}

fn ask_to_quit(model: &mut Model) {
    let recording = model.links.addressed().status.recording.is_some();
    let mut recordings = model.links.sources.iter().filter_map(|source| source.status.recording.as_ref());
    let is_on_disk = model.links.sources.iter().all(|source| source.log().file_path().is_some());
    model.prompt.question = Some(if recordings.any(|recording| recording.failure().is_some()) {
        PromptQuestion::new("a recording failed; quit?", "q yes · s save everything elsewhere", true)
    } else if recording {
        PromptQuestion::new("quit?", "q yes, recording stops", false)
    } else if is_on_disk {
        PromptQuestion::new("quit?", "q yes", false)
    } else {
        let marks = match model.marks() {
            0 => String::new(),
            1 => " (the mark is not saved)".to_owned(),
            _ => " (marks are not saved)".to_owned(),
        };
        PromptQuestion::new("quit?", format!("q yes · s save data{marks}"), true)
    });
}

fn interrupt(model: &mut Model) {
    if search::interrupt(model) || filter::interrupt(model) {
        return;
    }
    if model.prompt.interrupted.is_some_and(|at| model.now.duration_since(at) < TWICE) {
        model.quit = Some(130);
    }
    model.prompt.interrupted = Some(model.now);
    model.say("^c again within a second quits; :q too");
}

/// Shows or hides the timeline strip until the program ends.
fn toggle_strip(model: &mut Model) {
    let now = if model.settings.config.on("ui.strip") { "false" } else { "true" };
    if let Err(error) = model.settings.config.set("ui.strip", now, SettingOrigin::Typed) {
        model.fail(error);
    }
}
