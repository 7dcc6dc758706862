//! Numbers of a frame.

/// A number that frames hold: an integer or a float of Rust.
///
/// ```
/// use spytui_plugin_api::simple::{Number, Value};
///
/// let number = u16::read(&[0x34, 0x12, 0xFF], false);
/// assert_eq!(number.map(Number::value), Some(Value::Unsigned(0x1234)));
/// ```
pub trait Number: Copy {
    /// Its size in bytes.
    const BYTES: usize;

    /// The number at the front of `bytes`; `None` = there are too few.
    fn read(bytes: &[u8], is_big_endian: bool) -> Option<Self>;

    /// The number with its type.
    fn value(self) -> Value;
}

/// A number with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Unsigned.
    Unsigned(u64),
    /// Signed.
    Signed(i64),
    /// A float of 32 bits, which has fewer digits.
    Single(f32),
    /// A float.
    Float(f64),
}

impl Value {
    /// As a key of a space, or the bits of flags.
    pub const fn bits(self) -> u64 {
        match self {
            Value::Unsigned(n) => n,
            Value::Signed(n) => n as u64,
            Value::Single(n) => n.to_bits() as u64,
            Value::Float(n) => n.to_bits(),
        }
    }

    /// As a float, rounded where that has fewer digits.
    pub const fn as_float(self) -> f64 {
        match self {
            Value::Unsigned(n) => n as f64,
            Value::Signed(n) => n as f64,
            Value::Single(n) => n as f64,
            Value::Float(n) => n,
        }
    }
}

macro_rules! number {
    ($($ty:ty => $variant:ident($wide:ty)),*) => {$(
        impl Number for $ty {
            const BYTES: usize = size_of::<$ty>();

            #[inline]
            fn read(bytes: &[u8], is_big_endian: bool) -> Option<Self> {
                let bytes = *bytes.first_chunk()?;
                Some(if is_big_endian { <$ty>::from_be_bytes(bytes) } else { <$ty>::from_le_bytes(bytes) })
            }

            #[inline]
            fn value(self) -> Value {
                Value::$variant(self as $wide)
            }
        }
    )*};
}

number! {
    u8 => Unsigned(u64), u16 => Unsigned(u64), u32 => Unsigned(u64), u64 => Unsigned(u64),
    i8 => Signed(i64), i16 => Signed(i64), i32 => Signed(i64), i64 => Signed(i64),
    f32 => Single(f32), f64 => Float(f64)
}
