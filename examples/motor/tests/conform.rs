//! The rules of the plugin API, and the text of a record.

use motor::Motor;
use spytui_plugin_host::kit::{conform_formatter, format};
use spytui_plugin_layer::formatter;

/// What `QS_MEM` writes: the length, then the packed struct.
const PAYLOAD: &[u8] = &[9, 0x4D, 0x30, 0xF6, 1, 0b1000_0010, 0, 0, 0xC0, 0x3F];

#[test]
fn the_rules_of_the_plugin_api_hold() {
    conform_formatter(formatter::<Motor>(), "USER+5", PAYLOAD);
}

#[test]
fn numbers_have_units_and_words() {
    let text = |payload| format(formatter::<Motor>(), "USER+5", payload).map_err(|fault| fault.to_string());
    let expected = "rpm 1236.5 rpm  temp -10 °C  mode run  flags hot+limit  amps 1.5 A";
    assert_eq!(text(PAYLOAD), Ok(Some(expected.to_owned())));
    assert_eq!(text(&PAYLOAD[..4]), Err("the 4 bytes of USER+5 do not fit".to_owned()));
    assert_eq!(format(formatter::<Motor>(), "USER+6", PAYLOAD), Ok(None));
}
