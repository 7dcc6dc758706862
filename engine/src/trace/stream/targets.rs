//! Several independent targets with one sink.

use std::{
    io,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use spytui_plugin_api::Fault;

use super::{inputs::LogInputs, pipeline::Pipeline, sink::Sink, start::TargetStart};
use crate::{io::log::RawLog, store::Counters};

/// Independent targets.
#[derive(Debug, Default)]
pub struct Targets {
    list: Vec<TargetFlow>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct TargetFlow {
    start: TargetStart,
    /// `None` until the start of its streams was looked at.
    pipeline: Option<Pipeline>,
    inputs: LogInputs,
}

impl Targets {
    /// Adds a target. With two or more targets, rows name their source.
    pub fn add(&mut self, start: TargetStart) {
        let inputs = LogInputs::new(start.logs());
        self.list.push(TargetFlow { start, pipeline: None, inputs });
        if self.list.len() > 1 {
            self.list.iter_mut().filter_map(|flow| flow.pipeline.as_mut()).for_each(Pipeline::set_apart);
        }
    }

    /// The targets that are being decoded, in the order added; all of them at the end of a run.
    pub fn iter(&self) -> impl Iterator<Item = &Pipeline> {
        self.list.iter().filter_map(|flow| flow.pipeline.as_ref())
    }

    /// The log and counters of each source, in the order added; no counters while the start of its streams is looked at.
    pub fn sources(&self) -> impl Iterator<Item = (&RawLog, Option<&Counters>)> {
        self.list.iter().flat_map(|flow| {
            let counters = |at| flow.pipeline.as_ref().and_then(|pipeline| pipeline.counters(at));
            flow.start.logs().iter().enumerate().map(move |(at, log)| (log.as_ref(), counters(at)))
        })
    }

    /// The first decoder fault.
    pub fn fault(&self) -> Option<&Fault> {
        self.iter().find_map(Pipeline::fault)
    }

    /// Messages for the user since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Whether all targets have ended.
    pub fn is_over(&self) -> bool {
        self.list.iter().all(TargetFlow::is_over)
    }

    pub(super) fn holds_back(&self) -> bool {
        self.iter().any(Pipeline::holds_back)
    }

    pub(super) fn wakes(&self) -> impl Iterator<Item = &Receiver<()>> {
        self.list.iter().flat_map(|flow| &flow.inputs.wakes)
    }

    /// Gives each target a turn; returns `false` if there is nothing to do.
    pub(super) fn turn(&mut self, sink: &mut impl Sink, patience: Option<Duration>) -> io::Result<bool> {
        let apart = self.list.len() > 1;
        let mut any = false;
        for flow in self.list.iter_mut().filter(|flow| !flow.is_over()) {
            let mut notes = Vec::new();
            any |= flow.turn(apart, sink, patience, &mut notes)?;
            self.notes.extend(notes.into_iter().map(|note| flow.named(note, apart)));
        }
        Ok(any)
    }

    /// Ends the logs that still receive.
    pub(super) fn end_logs(&self) {
        self.list.iter().for_each(|flow| flow.inputs.end_logs());
    }

    /// Whether everything that was received is decoded.
    pub(super) fn are_drained(&self) -> bool {
        self.list.iter().all(|flow| flow.is_over() || (flow.pipeline.is_some() && flow.inputs.are_drained()))
    }

    /// Ends all sources where their decoders are now; returns the number of received bytes that are not decoded.
    pub(super) fn close(&mut self, sink: &mut impl Sink) -> io::Result<u64> {
        let apart = self.list.len() > 1;
        let mut left = 0;
        for flow in self.list.iter_mut().filter(|flow| !flow.is_over()) {
            let mut notes = Vec::new();
            let pipeline = match &mut flow.pipeline {
                Some(pipeline) => pipeline,
                None => flow.pipeline.insert(flow.start.open_now(&mut notes)?),
            };
            left += flow.inputs.close(pipeline, sink)?;
            self.notes.extend(notes.into_iter().map(|note| flow.named(note, apart)));
        }
        Ok(left)
    }
}

impl TargetFlow {
    fn is_over(&self) -> bool {
        self.pipeline.as_ref().is_some_and(Pipeline::is_over)
    }

    /// A note with the name of the target, if there are others.
    fn named(&self, note: String, apart: bool) -> String {
        if apart { format!("{}: {note}", self.start.name()) } else { note }
    }

    fn turn(
        &mut self,
        apart: bool,
        sink: &mut impl Sink,
        patience: Option<Duration>,
        notes: &mut Vec<String>,
    ) -> io::Result<bool> {
        let now = Instant::now();
        let Some(pipeline) = &mut self.pipeline else {
            self.pipeline = self.start.open(now, notes)?;
            if let (Some(pipeline), true) = (&mut self.pipeline, apart) {
                pipeline.set_apart();
            }
            return Ok(self.pipeline.is_some());
        };
        if let Some(options) = self.start.look_again(now, notes) {
            self.inputs.set_options(&options);
        }
        self.inputs.turn(pipeline, sink, patience)
    }
}
