//! Renders rows on another thread where plugins take part, as these may never return: the thread of the screen goes on.

use std::{ops::Range, sync::Arc};

use spytui_plugin_api::{Attachment, Dict, Rendered, Request, Row, RowIn};

use crate::{
    open::contain::{leave_behind, survives},
    row::Renderer,
    store::{Dictionary, Names, View},
};

/// Rows with all that their rendering uses: it may go on when nobody waits for it, and locks nothing.
#[derive(Debug)]
pub(super) struct Job {
    configuration: Vec<u8>,
    rows: Vec<(Row, Range<usize>, Range<usize>)>,
    raw: Vec<u8>,
    attachments: Vec<Attachment>,
    blob: Vec<u8>,
    /// Dictionaries: the rows' own, then others of the target.
    dictionaries: Vec<Arc<Dictionary>>,
    /// Their numbers in the source.
    numbers: Vec<u64>,
    /// Which names, and whether short ones.
    names: (View, bool),
}

impl Job {
    /// Rows of one source and configuration.
    pub(super) fn new(
        configuration: &[u8],
        rows: &[RowIn<'_>],
        dictionaries: Vec<Arc<Dictionary>>,
        numbers: &[u64],
        names: (View, bool),
    ) -> Arc<Job> {
        let (configuration, numbers) = (configuration.to_vec(), numbers.to_vec());
        let (rows, inputs) = (Vec::with_capacity(rows.len()), rows);
        let (raw, attachments, blob) = (Vec::new(), Vec::new(), Vec::new());
        let mut job = Job { configuration, rows, raw, attachments, blob, dictionaries, numbers, names };
        inputs.iter().for_each(|row| job.push(row));
        Arc::new(job)
    }

    fn push(&mut self, input: &RowIn<'_>) {
        let (raw, attachments) = (self.raw.len(), self.attachments.len());
        self.raw.extend_from_slice(input.raw.as_slice());
        for one in input.attachments.iter() {
            let a = if one.is_bytes { self.blob.len() as u64 } else { one.a };
            self.blob.extend_from_slice(one.bytes(input.blob.as_slice()));
            self.attachments.push(Attachment { a, ..*one });
        }
        self.rows.push((*input.row, raw..self.raw.len(), attachments..self.attachments.len()));
    }

    fn inputs(&self) -> Vec<RowIn<'_>> {
        let blob = self.blob.as_slice().into();
        let rows = self.rows.iter().map(|(row, raw, attachments)| {
            let (raw, attachments) = (&self.raw[raw.clone()], &self.attachments[attachments.clone()]);
            RowIn { row, raw: raw.into(), attachments: attachments.into(), blob }
        });
        rows.collect()
    }

    fn render(&self, renderer: &Renderer, request: Request<'_>) -> Rendered {
        let others: Vec<&Dictionary> = self.dictionaries.iter().skip(1).map(|one| &**one).collect();
        let mut out = Rendered::default();
        let Some(dictionary) = self.dictionaries.first() else { return out };
        let (view, short) = self.names;
        let names = Names { dictionary, others: &others, row: 0, rows: &self.numbers, view, short };
        renderer.render(&self.configuration, &self.inputs(), &Dict::new(&names), request, &mut out);
        out
    }
}

/// Whether rows of a renderer are to be rendered so: without a screen, the program ends with a plugin that does not return.
pub(super) fn is_for(renderer: &Renderer) -> bool {
    survives() && renderer.calls_files()
}

/// Renders rows; `None` if no plugin of a file is left that could take part, or there is no thread. What does not return
/// takes no more part.
pub(super) fn render(renderer: &Renderer, job: &Arc<Job>, request: Request<'_>) -> Option<Rendered> {
    while renderer.calls_files() {
        let (own, job, want, all_fields) = (renderer.clone(), Arc::clone(job), request.want, request.all_fields);
        let (names, spaces) = (request.names.to_vec(), request.spaces.to_vec());
        let call = move || {
            let request =
                Request { want, all_fields, names: names.as_slice().into(), spaces: spaces.as_slice().into() };
            job.render(&own, request)
        };
        match leave_behind(call) {
            Ok(rendered) => return Some(rendered),
            Err(None) => return None,
            Err(Some(call)) => renderer.leave(&call),
        }
    }
    None
}
