//! Triggers on the screen: for each source a watch of each of them.

use spytui_engine::query::Expr;

use super::{Edge, LinkPort};
use crate::{
    config::Config,
    model::Message,
    recording::{Destination, RecordingPlan},
    trigger::TriggerRule,
    watching::{Begin, TriggerPlace, TriggerWatch},
};

pub(super) struct SetTrigger {
    id: u64,
    rule: TriggerRule,
    expr: Expr,
    destination: Destination,
}

impl Edge {
    /// Sets a trigger on all sources, for rows from now on or for all.
    pub(super) fn set_trigger(
        &mut self,
        id: u64,
        rule: TriggerRule,
        expr: Expr,
        all: bool,
        config: &Config,
    ) -> Vec<Message> {
        let destination = RecordingPlan::new(config, None).destination;
        self.triggers.push(SetTrigger { id, rule, expr, destination });
        let (newest, begin) = (self.triggers.len() - 1, if all { Begin::Start } else { Begin::Now });
        (0..self.ports.len()).filter_map(|port| self.watch_rows(port, newest, begin)).collect()
    }

    pub(super) fn remove_trigger(&mut self, id: u64) {
        self.triggers.retain(|trigger| trigger.id != id);
        self.ports.iter_mut().for_each(|port| port.triggers.retain(|(of, _)| *of != id));
    }

    /// Sets all triggers on a source again, after it was opened or its decoder changed.
    pub(super) fn watch_source(&mut self, port: usize, begin: Begin) -> Vec<Message> {
        if let Some(port) = self.ports.get_mut(port) {
            port.triggers.clear();
        }
        (0..self.triggers.len()).filter_map(|trigger| self.watch_rows(port, trigger, begin)).collect()
    }

    fn watch_rows(&mut self, port: usize, trigger: usize, begin: Begin) -> Option<Message> {
        let (port, trigger) = (self.ports.get_mut(port)?, self.triggers.get(trigger)?);
        let (subject, (chosen, source)) = (port.to_record(), port.chosen());
        let from = match begin {
            Begin::Start => 0,
            Begin::Now => subject.log.len(),
        };
        let place = TriggerPlace {
            log: subject.log,
            chosen,
            source,
            from,
            name: subject.name,
            head: subject.head,
            destination: trigger.destination.clone(),
            shows_output: false,
        };
        match TriggerWatch::start(&trigger.rule, trigger.expr.clone(), place, self.wake.clone()) {
            Ok(watch) => {
                port.triggers.push((trigger.id, watch));
                None
            }
            Err(error) => Some(Message::Failed(error)),
        }
    }

    pub(super) fn trigger_news(&self) -> impl Iterator<Item = Message> {
        let of_port = |(source, port): (usize, &LinkPort)| {
            let news = |(id, watch): &(u64, TriggerWatch)| {
                let news = watch.take_news();
                (!news.is_empty()).then_some(Message::Triggered { id: *id, source, news })
            };
            port.triggers.iter().filter_map(news).collect::<Vec<Message>>()
        };
        self.ports.iter().enumerate().flat_map(of_port)
    }
}
