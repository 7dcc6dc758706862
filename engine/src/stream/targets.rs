//! Several independent targets with one sink.

use std::{io, sync::Arc, time::Duration};

use crossbeam_channel::Receiver;
use spytui_plugin_api::Fault;

use super::{inputs::LogInputs, pipeline::Pipeline, sink::Sink};
use crate::log::RawLog;

/// Independent targets.
#[derive(Debug, Default)]
pub struct Targets {
    list: Vec<TargetFlow>,
}

#[derive(Debug)]
struct TargetFlow {
    pipeline: Pipeline,
    inputs: LogInputs,
}

impl Targets {
    /// Adds a target with the logs of its sources. With two or more targets, rows name their source.
    pub fn add(&mut self, pipeline: Pipeline, logs: &[Arc<RawLog>]) {
        self.list.push(TargetFlow { pipeline, inputs: LogInputs::new(logs) });
        if self.list.len() > 1 {
            self.list.iter_mut().for_each(|flow| flow.pipeline.set_apart());
        }
    }

    /// The targets, in the order added.
    pub fn iter(&self) -> impl Iterator<Item = &Pipeline> {
        self.list.iter().map(|flow| &flow.pipeline)
    }

    /// The first decoder fault.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.iter().find_map(Pipeline::fault)
    }

    /// Whether all targets have ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.iter().all(Pipeline::is_over)
    }

    pub(super) fn holds_back(&self) -> bool {
        self.iter().any(Pipeline::holds_back)
    }

    pub(super) fn wakes(&self) -> impl Iterator<Item = &Receiver<()>> {
        self.list.iter().flat_map(|flow| &flow.inputs.wakes)
    }

    /// Gives each target a turn; returns `false` if there is nothing to do.
    pub(super) fn turn(&mut self, sink: &mut impl Sink, patience: Option<Duration>) -> io::Result<bool> {
        let mut any = false;
        for flow in self.list.iter_mut().filter(|flow| !flow.pipeline.is_over()) {
            any |= flow.inputs.turn(&mut flow.pipeline, sink, patience)?;
        }
        Ok(any)
    }

    /// Ends the logs that still receive.
    pub(super) fn end_logs(&self) {
        self.list.iter().for_each(|flow| flow.inputs.end_logs());
    }

    /// Whether everything that was received is decoded.
    pub(super) fn are_drained(&self) -> bool {
        self.list.iter().all(|flow| flow.pipeline.is_over() || flow.inputs.are_drained())
    }

    /// Ends all sources where their decoders are now; returns the number of received bytes that are not decoded.
    pub(super) fn close(&mut self, sink: &mut impl Sink) -> io::Result<u64> {
        let mut left = 0;
        for flow in self.list.iter_mut().filter(|flow| !flow.pipeline.is_over()) {
            left += flow.inputs.close(&mut flow.pipeline, sink)?;
        }
        Ok(left)
    }
}
