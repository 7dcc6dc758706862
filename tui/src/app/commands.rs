//! What the commands of the command line do.

use std::{path::Path, sync::Arc};

use spytui_engine::{
    export::stats,
    list::{Direction, RowSource, find_shape},
    plugin::{Decoder, Options},
    present::clock::grouped,
    query::Expr,
};

use super::{auto_baud::AutoBaud, guess::Guessing, places::Spot, source::Feed, state::App};
use crate::{
    action::{Call, Filter, Where},
    app_log::{self, Level},
    cli::links::{default_recording, recordings},
};

impl App {
    /// Carries a command out.
    pub fn call(&mut self, call: Call) {
        match call {
            Call::Proto { name, options } => self.switch_decoder(&name, &options),
            Call::Set(pairs) => self.set(pairs),
            Call::Open(spec) => self.open_link(spec),
            Call::Show(source) => self.show_named(&source),
            Call::Baud(rate) => self.baud(rate),
            Call::Record(path) => self.record(path.as_deref()),
            Call::RecordStop => self.record_stop(),
            Call::Write { path, range, expr } => self.write_rows(&path, range, expr),
            Call::ExportPerfetto(path) => self.export_perfetto(&path),
            Call::Filter(filter) => self.filter(filter),
            Call::FilterSave(name) => {
                let expr = self.list.filter.expr().to_string();
                self.say(format!("@{name} = {expr}"));
                self.saved_filters.insert(name, expr);
            }
            Call::Find(expr) => {
                let text = expr.to_string();
                self.search = Some(super::state::Search { expr: expr.clone(), text });
                self.start_find(expr, Direction::Forward);
            }
            Call::Goto(place) => self.goto(&place),
            Call::Mark { name, note } => self.add_mark(name, note.unwrap_or_default()),
            Call::DictSave(path) => self.dict_save(&path),
            Call::DictLoad(path) => self.dict_load(&path),
            Call::DictClear => self.dict_clear(),
            Call::Name { space, key, name } => self.name(&space, key, &name),
            Call::PluginList => self.plugin_list(),
            Call::PluginLoad(path) => self.plugin_load(&path),
            Call::PluginReload(name) => self.plugin_reload(name.as_deref()),
            Call::PluginEnable(name) => self.plugin_use(&name, true),
            Call::PluginDisable(name) => self.plugin_use(&name, false),
            Call::Stats => self.own_stats(),
            Call::Help(word) => self.help = Some((0, word.unwrap_or_default())),
            Call::Quit => self.quit = Some(0),
            Call::WriteQuit(path) => self.write_and_quit(&path),
        }
    }

    /// Switches the decoder; the log is decoded again.
    fn switch_decoder(&mut self, name: &str, pairs: &[(String, String)]) {
        if name == "auto" {
            return self.guess_decoder();
        }
        let decoder = match self.registry.find(name) {
            Ok(decoder) => decoder,
            Err(error) => return self.fail(error.to_string()),
        };
        let texts: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let options = match Options::parse(&decoder.info, &texts) {
            Ok(options) => options,
            Err(error) => return self.fail(error.to_string()),
        };
        self.decode_with(decoder, options);
    }

    /// Decodes everything again with another decoder.
    pub(super) fn decode_with(&mut self, decoder: Arc<Decoder>, options: Options) {
        let title = decoder.info.title.to_string();
        self.source_mut().guessing = Guessing::default();
        match self.switch(&decoder, &options) {
            Ok(()) => self.say(format!("{title}: decoding {} B again", grouped(self.source().log().len()))),
            Err(fault) => self.fail(fault.to_string()),
        }
    }

    fn set(&mut self, pairs: Vec<(String, Option<String>)>) {
        if pairs.is_empty() {
            return self.list_settings();
        }
        let mut options = Vec::new();
        for (name, value) in pairs {
            match value {
                None => {
                    let shown = self.setting(&name);
                    self.say(shown);
                }
                Some(value) if self.decoded.decoder.info.option(&name).is_some() => options.push((name, value)),
                Some(value) => self.set_own(&name, &value),
            }
        }
        if !options.is_empty() {
            self.set_options(&options);
        }
    }

    /// Sets options of the decoder, all at once: some make sense only together.
    fn set_options(&mut self, pairs: &[(String, String)]) {
        let decoder = self.decoded.decoder.clone();
        let mut options = self.decoded.options.clone();
        for (name, value) in pairs {
            if let Err(error) = options.set(&decoder.info, name, value) {
                return self.fail(error.to_string());
            }
        }
        pairs.iter().for_each(|(name, _)| self.source_mut().guessing.told(name));
        let words: Vec<String> = pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        match self.switch(&decoder, &options) {
            Ok(()) => self.say(format!("{}: decoding again", words.join(", "))),
            Err(fault) => self.fail(fault.to_string()),
        }
    }

    fn set_own(&mut self, name: &str, value: &str) {
        let on = matches!(value, "on" | "1" | "yes" | "true");
        match name {
            "dtr" | "rts" => match &self.source().feed {
                Feed::Link(link) => {
                    if name == "dtr" {
                        link.set_dtr(on)
                    } else {
                        link.set_rts(on)
                    }
                    self.say(format!("{name} {}", if on { "on" } else { "off" }));
                }
                Feed::Demo(_) | Feed::Peer(_) => self.fail("this source has no serial line"),
            },
            "theme" => match crate::term::Theme::named(value, &|_| None) {
                Ok(theme) => self.look.theme = theme,
                Err(error) => self.fail(error.to_string()),
            },
            "mouse" => self.effects.push(super::effect::Effect::Mouse(on)),
            "short-names" => self.list.short = on,
            _ => {
                let options = self.decoded.decoder.info.options.iter().map(|o| o.key.to_string());
                let known: Vec<String> = options.chain(OWN.map(str::to_owned)).collect();
                let hint = crate::hint::did_you_mean(name, known.iter().map(String::as_str));
                self.fail(format!("unknown setting \"{name}\"{hint}"));
            }
        }
    }

    fn setting(&self, name: &str) -> String {
        let info = &self.decoded.decoder.info;
        let told = || self.told_by_target().into_iter().find(|(key, _)| key == name).map(|(_, value)| value);
        match (self.decoded.options.get(name), info.option(name)) {
            (_, None) if OWN.contains(&name) => format!("{name} = {}", self.own_setting(name)),
            (_, None) => format!("unknown setting \"{name}\""),
            (set, Some(spec)) => match (told(), set) {
                (Some(value), _) => format!("{name} = {value} (told by the target): {}", spec.help),
                (None, Some(value)) => format!("{name} = {value} (set): {}", spec.help),
                (None, None) if spec.default.is_empty() => format!("{name} is not set: {}", spec.help),
                (None, None) => format!("{name} = {} (default): {}", spec.default, spec.help),
            },
        }
    }

    fn own_setting(&self, name: &str) -> String {
        match name {
            "short-names" => if self.list.short { "on" } else { "off" }.to_owned(),
            _ => self.config.get(&format!("ui.{name}")).map_or(String::new(), |(value, _)| value.to_string()),
        }
    }

    /// Options that the newest reset record of the target tells.
    fn told_by_target(&self) -> Vec<(String, String)> {
        let newest = self.decoded.read().resets.back().copied().and_then(|row| self.rows.place(0, row));
        let details = newest.and_then(|row| super::details::details(&self.rows, row));
        details.into_iter().flat_map(|d| d.fields).map(|f| (f.name, f.value)).collect()
    }

    fn list_settings(&mut self) {
        let keys: Vec<String> = self.decoded.decoder.info.options.iter().map(|o| o.key.to_string()).collect();
        for key in &keys {
            let text = self.setting(key);
            app_log::note(Level::Info, "set", &text);
        }
        self.pane = super::state::Pane::Log;
        self.log.cursor = usize::MAX / 2;
        self.say(format!("{} settings of {} in the log", keys.len(), self.decoded.decoder.info.id));
    }

    fn baud(&mut self, rate: Option<u32>) {
        let Feed::Link(link) = &self.source().feed else { return self.fail("this source has no serial line") };
        if link.facts().baud.is_none() {
            return self.fail("this link has no baud rate");
        }
        match rate {
            Some(rate) => {
                link.set_baud(rate);
                self.begin_anew();
                self.say(format!("{rate} baud"));
            }
            None => {
                self.auto_baud = Some(AutoBaud::start(self.source().log().len()));
                self.say("listening for a second at each usual rate; nothing is sent");
            }
        }
    }

    fn record(&mut self, path: Option<&Path>) {
        let path = path.map_or_else(default_recording, Path::to_owned);
        match self.record_sources(&path, &self.scope.clone()) {
            Ok(names) => {
                let first: u64 = self.shown_sources().map(|source| source.log().first()).sum();
                let gone = if first > 0 { format!("; the first {} B are gone", grouped(first)) } else { String::new() };
                self.say(format!("recording to {names} with everything received so far{gone}"));
            }
            Err(error) => self.fail(error),
        }
    }

    /// Starts a recording of every source; the names of the files.
    ///
    /// # Errors
    /// One of them can't be made; those before it go on.
    pub(super) fn record_all(&mut self, path: &Path) -> Result<String, String> {
        self.record_sources(path, &(0..self.sources.len()).collect::<Vec<_>>())
    }

    fn record_sources(&mut self, path: &Path, sources: &[usize]) -> Result<String, String> {
        let cores: Vec<Option<u16>> = sources.iter().map(|&source| self.sources[source].core()).collect();
        let paths = recordings(path, &cores);
        for (&source, path) in sources.iter().zip(&paths) {
            self.sources[source].record(path)?;
        }
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Ok(names.join(", "))
    }

    fn record_stop(&mut self) {
        let mut states = Vec::new();
        for source in self.scope.clone() {
            states.extend(self.sources[source].recorder.take().map(|mut recorder| recorder.stop()));
        }
        let words = states.iter().map(|state| format!("{} B in {}", grouped(state.bytes), state.path.display()));
        match words.collect::<Vec<String>>() {
            none if none.is_empty() => self.fail("nothing is being recorded"),
            words => self.say(words.join(", ")),
        }
    }

    fn write_and_quit(&mut self, path: &Path) {
        match self.record_sources(path, &self.scope.clone()).map(|_| ()) {
            Ok(()) => {
                // The recording is complete when it is stopped.
                self.record_stop();
                self.quit = Some(0);
            }
            Err(error) => self.fail(error),
        }
    }

    fn filter(&mut self, filter: Filter) {
        match filter {
            Filter::Clear => self.set_filter(Expr::everything()),
            Filter::Previous => {
                let before = self.filter_before.clone().unwrap_or_else(Expr::everything);
                self.set_filter(before);
            }
            Filter::Saved(name) => match self.saved_filters.get(&name).cloned() {
                Some(text) => self.filter_from_text(&text),
                None => self.fail(format!("@{name}: no such filter; :filter save {name} keeps the present one")),
            },
            Filter::Expr(expr) => self.set_filter(expr),
        }
    }

    /// Goes to a place.
    pub fn goto(&mut self, place: &Where) {
        match self.place_of(place) {
            Ok(row) => self.go_to_row(row),
            Err(error) => self.fail(error),
        }
    }

    /// The row of a place.
    ///
    /// # Errors
    /// There is none; in words.
    pub fn place_of(&self, place: &Where) -> Result<u64, String> {
        let rows = &self.rows;
        let len = rows.len();
        let here = self.list.cursor;
        let next = |what: &str, fits: fn(&spytui_engine::store::Shape) -> bool| {
            find_shape(rows, Some(here), Direction::Forward, fits).ok_or_else(|| format!("no further {what}"))
        };
        if len == 0 {
            return Err("there are no rows yet".to_owned());
        }
        // Numbers and bytes that name no source are of the one under the cursor.
        let source = rows.locate(here).map_or(0, |(source, _)| source);
        match place {
            Where::Row(n) => self.nth_record(source, *n),
            Where::RowOf(source, n) => self.nth_record(usize::from(*source), *n),
            Where::First => Ok(0),
            Where::Last => Ok(len - 1),
            Where::Here => Ok(here),
            Where::Gap => next("losses", |s| s.kind.is_loss()),
            Where::Error => next("errors", |s| s.severity >= spytui_plugin_api::Severity::ERROR),
            Where::Reset => next("resets", |s| s.flags.contains(spytui_plugin_api::RowFlags::EPOCH)),
            Where::Byte(pos) => {
                self.row_at(Spot::last_at(source, *pos)).ok_or_else(|| format!("no row at byte 0x{pos:x}"))
            }
            Where::Mark(name) => {
                let mark = self.marks.get(name).ok_or_else(|| format!("'{name}: no such mark"))?;
                self.row_at(mark.spot).ok_or_else(|| format!("'{name}: its row is gone"))
            }
            Where::Ticks(ticks) => Ok(self.row_at_time(|row, _| row >= *ticks)),
            Where::Ns(ns) => {
                if !rows.clock().known() {
                    return Err("the rate of the clock is not known: go to ticks, as 327490841t".to_owned());
                }
                Ok(self.row_at_time(|time, clock| clock.ns(time).is_some_and(|t| t >= *ns)))
            }
        }
    }

    fn nth_record(&self, source: usize, n: u64) -> Result<u64, String> {
        let sources = self.rows.sources();
        if source >= sources {
            return Err(format!("source {source}: there are {sources}, numbered from 0"));
        }
        let decoded = self.rows.source(source);
        let records = decoded.read().rows.records();
        let missing = || format!("#{n}: there are {} records", grouped(records));
        let index = n.checked_sub(1).ok_or_else(|| "records are numbered from 1".to_owned())?;
        loop {
            let answer = decoded.read().rows.nth_record(index);
            match answer {
                Ok(row) => return row.and_then(|row| self.rows.place(source, row)).ok_or_else(missing),
                Err(segment) => decoded.reload(segment)?,
            }
        }
    }

    /// The first row at or after a time; times may repeat and step back, so this is the first found by halving.
    fn row_at_time(&self, reached: impl Fn(u64, spytui_engine::present::Clock) -> bool) -> u64 {
        let shared = self.rows.clock();
        let (mut low, mut high) = (0, self.rows.len());
        while low < high {
            let middle = low + (high - low) / 2;
            self.rows.ensure_loaded(middle);
            let own = self.rows.locate(middle).map(|(source, _)| self.rows.source(source).read().clock);
            let clock = own.filter(spytui_engine::present::Clock::known).unwrap_or(shared);
            match self.rows.row(middle) {
                Some(row) if !reached(row.time, clock) => low = middle + 1,
                _ => high = middle,
            }
        }
        low.min(self.rows.len().saturating_sub(1))
    }

    fn own_stats(&mut self) {
        let f = self.figures;
        let memory: usize = self.rows.read_all().iter().map(|state| state.rows.memory()).sum();
        let log: u64 = self.shown_sources().map(|source| source.log().memory()).sum();
        self.say(format!(
            "drawn {} frames, {} B, {} left out · rows {} kB, log {} kB in memory",
            grouped(f.frames),
            grouped(f.bytes),
            grouped(f.skipped),
            grouped(memory as u64 / 1024),
            grouped(log / 1024)
        ));
        let info = &self.decoded.decoder.info;
        let text = stats::text(info, &self.rows.counters(), &[]);
        text.lines().for_each(|line| app_log::note(Level::Info, "stats", line));
    }
}

/// Settings of the app itself that `:set` takes.
pub const OWN: [&str; 5] = ["dtr", "rts", "theme", "mouse", "short-names"];
