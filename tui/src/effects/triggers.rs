//! Triggers on the screen: for each source a watch of each of them.

use crossbeam_channel::Sender;
use spytui_engine::query::Expr;

use super::{Edge, LinkPort};
use crate::{
    model::Message,
    recording::Destination,
    trigger::TriggerRule,
    watching::{TriggerPlace, TriggerWatch},
};

pub(super) struct SetTrigger {
    pub(super) id: u64,
    pub(super) rule: TriggerRule,
    pub(super) expr: Expr,
    pub(super) destination: Destination,
}

impl Edge {
    /// Sets a trigger on all sources, for rows from now on or for all.
    pub(super) fn set_trigger(&mut self, trigger: SetTrigger, all: bool) -> Vec<Message> {
        let failed = self.ports.iter_mut().filter_map(|port| port.watch_rows(&trigger, all, &self.wake).err());
        let failed = failed.map(Message::Failed).collect();
        self.triggers.push(trigger);
        failed
    }

    pub(super) fn remove_trigger(&mut self, id: u64) {
        self.triggers.retain(|trigger| trigger.id != id);
        self.ports.iter_mut().for_each(|port| port.triggers.retain(|(of, _)| *of != id));
    }

    /// Sets all triggers on a source again, after it was opened or its decoder changed.
    pub(super) fn watch_source(&mut self, port: usize, all: bool) {
        let Some(port) = self.ports.get_mut(port) else { return };
        port.triggers.clear();
        for trigger in &self.triggers {
            // Its decoder was opened just before.
            let _ = port.watch_rows(trigger, all, &self.wake);
        }
    }

    pub(super) fn trigger_news(&self) -> impl Iterator<Item = Message> {
        self.ports.iter().enumerate().flat_map(|(source, port)| {
            let news = move |(id, watch): &(u64, TriggerWatch)| {
                let news = watch.take_news();
                (!news.is_empty()).then_some(Message::Triggered { id: *id, source, news })
            };
            port.triggers.iter().filter_map(news)
        })
    }
}

impl LinkPort {
    fn watch_rows(&mut self, trigger: &SetTrigger, all: bool, wake: &Sender<()>) -> Result<(), String> {
        let (subject, (chosen, source)) = (self.to_record(), self.chosen());
        let from = if all { 0 } else { subject.log.len() };
        let destination = trigger.destination.clone();
        let place = TriggerPlace { subject, chosen, source, from, destination, shows_output: false };
        let watch = TriggerWatch::start(&trigger.rule, trigger.expr.clone(), place, wake.clone())?;
        self.triggers.push((trigger.id, watch));
        Ok(())
    }
}
