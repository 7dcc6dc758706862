//! The filter language for showing, finding and writing rows.
//!
//! ```text
//! text ──parse──▶ Expr ──matches(Subject)──▶ bool
//!                  │ └─decide(Subject, Needs)──▶ yes, no, or not without more facts
//!                  └─Display──▶ text that parses to the same Expr
//! ```
//!
//! It depends on neither store nor decoder: the properties of a row come from [`QuerySubject`], each only on demand.

mod ast;
mod number;
mod parse;
mod pattern;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use ast::{
    Comparison, Expr, Fact, Name, Needs, Num, QueryProperty, QuerySubject, SEVERITIES, Test, TestValue, field_name,
};
pub use number::{NumberLiteral, NumberUnit, date};
pub use parse::{QueryError, parse, plain, search};
pub use pattern::TextPattern;
pub use vocabulary::{Absent, TickRate, Vocabulary, absent, doubt};
