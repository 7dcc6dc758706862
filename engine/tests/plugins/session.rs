//! A decoder that panics in mid-stream costs itself: the session goes on, every byte is accounted for.
