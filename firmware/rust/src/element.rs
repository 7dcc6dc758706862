//! What user records consist of. Each element begins with its format: a type, and how wide hosts show it.

use crate::frame::Frame;

/// A part of a user record. A type of the program implements it by its parts:
///
/// ```
/// use spytui_target::{Element, Frame, Shown};
///
/// struct Point(i16, i16);
///
/// impl Element for Point {
///     fn put(&self, frame: &mut Frame<'_>) {
///         (Shown(5, self.0), Shown(5, self.1)).put(frame);
///     }
/// }
/// ```
pub trait Element {
    /// Appends it to a record. The lock is held, so a record in here is refused and counted as dropped.
    fn put(&self, frame: &mut Frame<'_>);
}

/// A user record, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserRecord(pub(crate) u8);

impl UserRecord {
    /// With the total of drops.
    pub(crate) const DROPS: Self = UserRecord(123);
    /// With the cause of a reset.
    pub(crate) const RESET: Self = UserRecord(122);

    /// User record `number`, 0 to 21; the tracer and hosts use those above.
    ///
    /// # Panics
    ///
    /// If the number is above 21; in a constant, this is an error of the compiler.
    pub const fn new(number: u8) -> Self {
        assert!(number < 22, "user records are 0 to 21");
        UserRecord(100 + number)
    }
}

/// An object by its address or any other number: a state machine, queue, pool, lock. 0 means no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obj(pub usize);

impl Obj {
    /// No object.
    pub const NONE: Self = Obj(0);

    /// By the address of a value that stays where it is, as a `static` does, and has a size: those without may share one.
    pub fn of<T: ?Sized>(value: &T) -> Self {
        Obj(core::ptr::from_ref(value).cast::<()>() as usize)
    }

    pub(crate) fn to_le_bytes(self) -> [u8; size_of::<usize>()] {
        self.0.to_le_bytes()
    }
}

/// A function or state by its address, or any other number that is unique among functions and states. 0 means no function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fun(pub usize);

impl Fun {
    /// By the address of a function: `Fun::of(lamp_on as *const ())`. Functions with the same code may have the same address.
    pub fn of(function: *const ()) -> Self {
        Fun(function as usize)
    }

    pub(crate) fn to_le_bytes(self) -> [u8; size_of::<usize>()] {
        self.0.to_le_bytes()
    }
}

/// A signal; `obj` is its scope, [`Obj::NONE`] for signals of all objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sig {
    /// The number of the signal.
    pub sig: u16,
    /// The object whose signal it is.
    pub obj: Obj,
}

/// A value of an enumeration, which hosts show by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The enumeration, 0 to 7.
    pub group: u8,
    /// The value.
    pub value: u8,
}

/// A number and how it is shown: integers with a minimum width in characters (0 to 14, `i8` to 7; with 64 bits it is
/// `2 * (width + 1)` characters), floats with a number of digits after the point (0 to 15).
#[derive(Clone, Copy, Debug)]
pub struct Shown<T>(pub u8, pub T);

/// An unsigned integer, shown in hexadecimal.
#[derive(Clone, Copy, Debug)]
pub struct Hex<T>(pub T);

/// A number in hexadecimal with that number of digits, 0 to 15.
#[derive(Clone, Copy, Debug)]
pub struct Hex32(pub u8, pub u32);

/// Numbers with their type, the width if none is given, the maximum width, and `Hex` if they have it.
macro_rules! numbers {
    ($($number:ident $kind:literal $width:literal $most:literal $($hex:ident)?;)*) => {$(
        impl Element for $number {
            fn put(&self, frame: &mut Frame<'_>) {
                Shown($width, *self).put(frame);
            }
        }
        impl Element for Shown<$number> {
            fn put(&self, frame: &mut Frame<'_>) {
                frame.put_element($kind, self.0 & $most, &self.1.to_le_bytes());
            }
        }
        $(impl Element for $hex<$number> {
            fn put(&self, frame: &mut Frame<'_>) {
                frame.put_element($kind, 15, &self.0.to_le_bytes());
            }
        })?
    )*};
}
numbers! {
    i8 0 0 7;
    u8 1 0 15 Hex;
    i16 2 0 15;
    u16 3 0 15 Hex;
    i32 4 0 15;
    u32 5 0 15 Hex;
    f32 6 6 15;
    f64 7 6 15;
    i64 13 0 15;
    u64 14 0 15 Hex;
}

impl Element for Hex32 {
    fn put(&self, frame: &mut Frame<'_>) {
        frame.put_element(15, self.0, &self.1.to_le_bytes());
    }
}

impl Element for Enum {
    fn put(&self, frame: &mut Frame<'_>) {
        frame.put_element(0, 8 | (self.group & 7), &[self.value]);
    }
}

/// A text, up to its first NUL if it has one.
impl Element for str {
    fn put(&self, frame: &mut Frame<'_>) {
        frame.put_element(8, 0, &[]);
        Text(self).put(frame);
    }
}

/// Bytes, shown in hexadecimal: the first 255.
impl Element for [u8] {
    fn put(&self, frame: &mut Frame<'_>) {
        let count = u8::try_from(self.len()).unwrap_or(u8::MAX);
        frame.put_element(9, 0, &[count]);
        frame.put(self.get(..count.into()).unwrap_or_default());
    }
}

impl<const N: usize> Element for [u8; N] {
    fn put(&self, frame: &mut Frame<'_>) {
        self.as_slice().put(frame);
    }
}

impl Element for Sig {
    fn put(&self, frame: &mut Frame<'_>) {
        frame.put_element(10, 0, &self.sig.to_le_bytes());
        frame.put(&self.obj.to_le_bytes());
    }
}

impl Element for Obj {
    fn put(&self, frame: &mut Frame<'_>) {
        frame.put_element(11, 0, &self.to_le_bytes());
    }
}

impl Element for Fun {
    fn put(&self, frame: &mut Frame<'_>) {
        frame.put_element(12, 0, &self.to_le_bytes());
    }
}

impl<T: Element + ?Sized> Element for &T {
    fn put(&self, frame: &mut Frame<'_>) {
        (**self).put(frame);
    }
}

/// A record without elements.
impl Element for () {
    fn put(&self, _: &mut Frame<'_>) {}
}

/// Elements one after the other.
macro_rules! tuples {
    ($($first:ident $($rest:ident)*)?) => {$(
        impl<$first: Element, $($rest: Element),*> Element for ($first, $($rest,)*) {
            #[allow(non_snake_case, reason = "types and values have the same names")]
            fn put(&self, frame: &mut Frame<'_>) {
                let ($first, $($rest,)*) = self;
                $first.put(frame);
                $($rest.put(frame);)*
            }
        }
        tuples!($($rest)*);
    )?};
}
tuples!(A B C D E F G H I J K L);

/// Bytes without a format, as in predefined records.
pub(crate) struct Raw<'a>(pub(crate) &'a [u8]);

impl Element for Raw<'_> {
    fn put(&self, frame: &mut Frame<'_>) {
        frame.put(self.0);
    }
}

/// A text and its NUL, without a format.
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl Element for Text<'_> {
    fn put(&self, frame: &mut Frame<'_>) {
        frame.put(self.0.as_bytes().split(|&byte| byte == 0).next().unwrap_or_default());
        frame.put(&[0]);
    }
}
