//! The target's configuration, from options and from target info; reports conflicts between them.

use spytui_decoder_kit::RowBuilder;
use spytui_plugin_api::Output;

use super::native::{self, NativeReceiver};
use crate::{
    config::{self, Config, NEWEST_VERSION, OLDEST_VERSION, SIZES, Style, dotted},
    frame::FrameLocation,
    layout::alike,
    names,
    record::TargetInfo,
};

/// The origin of the current configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct TargetConfig {
    /// Sizes set by options, as indices into [`SIZES`].
    pub(crate) sizes: Vec<usize>,
    marked: bool,
    version: bool,
    /// The last info, of this epoch or an earlier one.
    pub(super) info: Option<TargetInfo>,
}

impl TargetConfig {
    pub(crate) fn new(sizes: Vec<usize>, version: bool) -> TargetConfig {
        TargetConfig { sizes, version, ..TargetConfig::default() }
    }

    /// Whether the sizes come from the target or from options: only then is a payload that does not fit evidence of
    /// damage.
    pub(crate) fn is_configured(&self) -> bool {
        self.info.is_some() || self.marked || !self.sizes.is_empty()
    }

    /// Applies options, as `k=v` lines.
    pub(crate) fn apply(&mut self, mut config: Config, text: &str) -> Config {
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            if key == "version" {
                let version = config::version(value);
                config.version = version.unwrap_or(config.version);
                config.is_version_known |= version.is_some();
            }
            if let Some(spec) = SIZES.iter().find(|s| s.option.key == key) {
                self.marked = true;
                let bytes = value.parse().ok().filter(|b| spec.legal(*b));
                *(spec.field)(&mut config.sizes) = bytes.unwrap_or(spec.get(config.sizes));
            }
        }
        config
    }
}

impl NativeReceiver {
    pub(super) fn info(&mut self, frame: &[u8], at: FrameLocation, out: &mut Output<'_>) {
        let payload = frame.get(2..frame.len().saturating_sub(1)).unwrap_or(&[]);
        let Some(info) = TargetInfo::parse(payload, Style::Native) else {
            let row = self.base.record(frame, at);
            return self.push(row, frame, out);
        };
        let before = self.base.config;
        let sizes = info.sizes.legal(before.sizes);
        let (version, big_endian) = (info.version, info.big_endian);
        let config = Config { version, is_version_known: true, big_endian, sizes, ..before };
        self.base.configure(out, config);
        self.base.properties(out, Some(&info));
        let refused = self.choose_dictionary(&info, out);
        native::target_info(info.reset, out);
        let mut row = self.base.record(frame, at);
        if info.reset && !self.is_aside {
            self.restart(&mut row);
        }
        self.push(row, frame, out);
        if let Some(text) = refused {
            self.base.conflict(at.pos + at.len as u64, &text, out);
        }
        self.report_conflicts(&info, &before, at.pos + at.len as u64, out);
        self.report_changes(&info, &before, at.pos + at.len as u64, out);
        self.target.info = Some(info);
    }

    /// Uses the names in the dictionary file if its build matches the info's, and drops them otherwise, because
    /// addresses mean other things in another build. Returns the reason for dropping them, once.
    fn choose_dictionary(&mut self, info: &TargetInfo, out: &mut Output<'_>) -> Option<String> {
        let dic = self.dic.clone()?;
        let other = dic.other_build(info);
        if other.is_none() == self.uses_dic {
            return None;
        }
        self.uses_dic = other.is_none();
        let Some(other) = other else {
            names::from_file(&dic, &self.base.config, out);
            names::drop_names(&mut self.line.drops, &dic);
            return None;
        };
        names::forget_file(&dic, &self.base.config, out);
        self.line.drops.forget_names();
        let since = if info.reset { "" } else { " from here on, and may be wrong above" };
        let build = info.build_id();
        Some(format!(
            "the dictionary file is of build {other}, the target of {build}: its names are not used{since}; give the one of this build"
        ))
    }

    /// Reports conflicts between info and options, and unknown versions.
    fn report_conflicts(&mut self, info: &TargetInfo, before: &Config, pos: u64, out: &mut Output<'_>) {
        for (place, spec) in SIZES.iter().enumerate() {
            let (set, came) = (spec.get(before.sizes), spec.get(info.sizes));
            let key = spec.option.key;
            if !spec.legal(came) {
                let why = format!("which is not possible: {set} is kept; check the link");
                self.base.conflict(pos, &format!("the target reports {key} {came}, {why}"), out);
            } else if set != came && self.target.info.is_none() && self.target.sizes.contains(&place) {
                self.base.overruled(pos, key, &set.to_string(), &came.to_string(), out);
            }
        }
        if self.target.info.is_none() && self.target.version && before.version / 10 != info.version / 10 {
            let (set, came) = (dotted(before.version), dotted(info.version));
            let text = format!("option version={set}, but the target is QP {came}, which is used: drop the option");
            self.base.conflict(pos, &text, out);
        }
        if !(OLDEST_VERSION..=NEWEST_VERSION).contains(&info.version) {
            let came = dotted(info.version);
            let nearest = dotted(info.version.clamp(OLDEST_VERSION, NEWEST_VERSION));
            let read = format!("read as {nearest}, records may be misread; update spytui");
            self.base.conflict(pos, &format!("the target is QP {came}; known are 5.0 to 8.1: {read}"), out);
        }
    }

    /// Reports changes by an info without reset, so that earlier records can be decoded again.
    fn report_changes(&mut self, info: &TargetInfo, before: &Config, pos: u64, out: &mut Output<'_>) {
        let now = self.base.config;
        let sizes = SIZES.iter().filter(|spec| spec.get(before.sizes) != spec.get(now.sizes));
        let mut options: Vec<(&str, String, String)> = sizes
            .map(|spec| (spec, spec.get(now.sizes).to_string()))
            .map(|(spec, size)| (spec.option.key, size.clone(), size))
            .collect();
        if !alike(before.version, now.version) {
            options.push(("version", now.version.to_string(), dotted(now.version)));
        }
        let rebuilt = self.target.info.is_some_and(|i| i.build != info.build);
        if !info.reset {
            let build = if rebuilt { " another build than before" } else { "" };
            self.base.learned(pos, &options, build, out);
        }
    }
}
