//! What is asked of a diagram.

use super::form::Form;
use crate::{analysis::lifelines::Chosen, query::Expr};

/// What a diagram shows, and how.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub form: Form,
    /// The lifelines; `None` = all, the most used first.
    pub lifelines: Option<Chosen>,
    /// Which rows it is made from. Those that report losses are always shown, where something is shown around them.
    pub filter: Expr,
    /// When events are taken from queues is shown, too.
    pub taken: bool,
}
