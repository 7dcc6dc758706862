//! The filter language: which rows to show, find or write.
//!
//! ```text
//! text ──parse──▶ Expr ──matches(Subject)──▶ bool
//!                  │ └─decide(Subject, Needs)──▶ yes, no, or not without more facts
//!                  └─Display──▶ text that parses to the same Expr
//! ```
//!
//! It depends on neither store nor decoder: the properties of a row come from [`Subject`], each only on demand.

mod absent;
mod ast;
mod date;
mod doubt;
mod error;
mod eval;
mod field;
mod name;
mod needs;
mod number;
mod parse;
mod pattern;
mod scan;
mod search;
mod severity;
mod subject;
mod vocabulary;

#[cfg(test)]
mod properties;

pub use absent::{Absent, absent};
pub use ast::{Expr, Op, Property, Test, Value};
pub use date::date;
pub use doubt::{Doubt, doubts};
pub use error::QueryError;
pub use field::field_name;
pub use name::Name;
pub use needs::Needs;
pub use number::{Number, NumberUnit};
pub use parse::parse;
pub use pattern::Pattern;
pub use search::{plain, search};
pub use severity::{SEVERITIES, severity_named};
pub use subject::{Fact, Num, Quantity, Subject};
pub use vocabulary::{TickRate, Vocabulary};
