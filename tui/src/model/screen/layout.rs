//! Distribution of the screen's lines.

use ratatui::layout::Rect;

/// Smallest size of the screen.
pub const LEAST: (u16, u16) = (40, 8);
/// The list keeps so many columns beside a pane.
const LIST: u16 = 77;
/// A pane beside the list has so many; where it can't, it is below the list.
const PANE: u16 = 60;
/// Columns of a screen on which a pane stays beside the list.
const WIDE: u16 = 160;
/// Lines of a screen that has room for a pane below the list.
const BELOW: u16 = 30;
/// Lines of a screen that has room for the list with details below it.
const DETAILED: u16 = 18;
/// Lines of a screen that has room for headings.
const HEADED: u16 = 20;

/// Areas of the parts of the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Layout {
    /// Header lines: 2, or 1 on a low screen.
    pub headers: u16,
    /// Title of the list.
    pub list_rule: Option<u16>,
    /// Headings of the list's columns.
    pub heading: Option<u16>,
    /// Lines of the pane in front.
    pub(in crate::model) front: usize,
    /// Place of the list.
    pub list_area: Rect,
    /// Title and lines of the details.
    pub details: Option<(u16, Rect)>,
    /// Title and lines of the strip.
    pub strip: Option<(u16, Rect)>,
    /// Title and place of another pane.
    pub pane: Option<(u16, Rect)>,
    /// The pane is beside the list.
    pub beside: bool,
    /// Column of the line between them.
    pub divider: u16,
    /// Tab line.
    pub tabs: Option<u16>,
    /// Command and message line.
    pub prompt: u16,
}

/// Inputs of the layout.
#[derive(Debug, Clone, Copy)]
pub struct LayoutRequest {
    /// A pane other than the record list is in front.
    pub pane: bool,
    /// One stays beside the list while that is in front, where there is room.
    pub stays: bool,
    /// A strip is in every view.
    pub strip: bool,
    /// Details are open.
    pub details: bool,
    /// Lines for the complete details, if requested.
    pub details_all: Option<u16>,
    /// The pane in front fills the screen.
    pub zoom: bool,
    /// No pane is beside the list.
    pub stacked: bool,
    /// The list has headings.
    pub heading: bool,
}

impl Layout {
    /// For a screen of this size. Below 80x20 the details go first, then the side pane, the second header line and
    /// the tab line.
    pub fn new((width, height): (u16, u16), request: LayoutRequest) -> Layout {
        let mut layout = Layout { prompt: height.saturating_sub(1), ..Layout::default() };
        layout.headers = if height >= 14 { 2 } else { 1 };
        let tabs = height >= 12;
        layout.tabs = tabs.then(|| height.saturating_sub(2));
        let top = layout.headers;
        let mut bottom = height.saturating_sub(1 + u16::from(tabs));
        let stays = !request.pane && request.stays && width >= WIDE;
        let beside = (request.pane && width > LIST + PANE || stays) && !request.zoom && !request.stacked;
        let below = request.pane && !beside && !request.zoom && height >= BELOW;
        if request.pane && !beside {
            bottom = layout.place_strip((width, height), bottom, request);
        }
        if request.pane && !beside && !below {
            let lines = bottom.saturating_sub(top + 1);
            layout.pane = Some((top, Rect::new(0, top + 1, width, lines)));
            layout.front = usize::from(lines);
            return layout;
        }
        let list_bottom = if below {
            let lines = (bottom - top) * 6 / 10;
            layout.pane = Some((bottom - lines, Rect::new(0, bottom - lines + 1, width, lines - 1)));
            bottom - lines
        } else {
            let details = Layout::details(height, bottom.saturating_sub(top), request);
            if details > 0 {
                let y = bottom - details - 1;
                layout.details = Some((y, Rect::new(0, y + 1, width, details)));
            }
            let above = layout.details.map_or(bottom, |(y, _)| y);
            layout.place_strip((width, height), above, request)
        };
        let list_width = if beside { (width * 6 / 10).min(width - PANE - 1).max(LIST) } else { width };
        layout.list_rule = Some(top);
        layout.heading = (request.heading && height >= HEADED).then_some(top + 1);
        let first = top + 1 + u16::from(layout.heading.is_some());
        // A blank before the line between list and pane.
        let inner = list_width - u16::from(beside);
        layout.list_area = Rect::new(0, first, inner, list_bottom.saturating_sub(first));
        if beside {
            let x = list_width + 1;
            (layout.beside, layout.divider) = (true, list_width);
            layout.pane = Some((top, Rect::new(x, top + 1, width - x, list_bottom.saturating_sub(top + 1))));
        }
        let front = layout.pane.filter(|_| request.pane).map_or(layout.list_area, |(_, area)| area);
        layout.front = usize::from(front.height);
        layout
    }

    /// Places the strip above a line; the line above which the rest goes.
    fn place_strip(&mut self, (width, height): (u16, u16), bottom: u16, request: LayoutRequest) -> u16 {
        let lines = match height {
            _ if !request.strip => return bottom,
            ..HEADED => return bottom,
            HEADED..30 => 3,
            30..45 => 5,
            _ => 7,
        };
        let y = bottom.saturating_sub(lines + 1);
        self.strip = Some((y, Rect::new(0, y + 1, width, lines)));
        y
    }

    /// Whether a screen of so many lines has no room for details below the list, other than in place of it.
    pub fn is_low(height: u16) -> bool {
        height < DETAILED
    }

    /// Lines of the details; 0 = none.
    fn details(height: u16, room: u16, request: LayoutRequest) -> u16 {
        if !request.details || (request.zoom && !request.pane) {
            return 0;
        }
        if Layout::is_low(height) {
            // The list keeps its title and the row under the cursor.
            return request.details_all.map_or(0, |_| room.saturating_sub(3));
        }
        // The same for every record, so that the list stands still.
        let usual = match height {
            ..30 => 4,
            30..45 => 5,
            _ => 6,
        };
        request.details_all.map_or(usual, |all| all.clamp(usual, room / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout((width, height): (u16, u16), pane: bool) -> Layout {
        let request = LayoutRequest {
            pane,
            stays: false,
            strip: false,
            details: true,
            details_all: None,
            zoom: false,
            stacked: false,
            heading: true,
        };
        Layout::new((width, height), request)
    }

    #[test]
    fn every_line_of_the_screen_is_given_once() {
        for (width, height) in [(80, 24), (200, 50), (120, 40), (120, 36), (60, 12), (40, 8), (80, 17)] {
            for pane in [false, true] {
                let layout = layout((width, height), pane);
                let list = layout.list_rule.map_or(0, |_| layout.list_area.height + 1);
                let pane_lines = if layout.beside { 0 } else { layout.pane.map_or(0, |(_, r)| r.height + 1) };
                let parts = [layout.heading.is_some(), layout.tabs.is_some(), true].map(u16::from);
                let details = layout.details.map_or(0, |(_, r)| r.height + 1);
                let sum = layout.headers + list + pane_lines + details + parts.iter().sum::<u16>();
                assert_eq!(sum, height, "{width}x{height} {pane}");
            }
        }
    }

    #[test]
    fn large_details_leave_a_low_screen_one_row_of_the_list() {
        for height in LEAST.1..DETAILED {
            let request = LayoutRequest {
                pane: false,
                stays: false,
                strip: false,
                details: true,
                details_all: None,
                zoom: false,
                stacked: false,
                heading: true,
            };
            assert_eq!(Layout::new((40, height), request).details, None, "{height}");
            let layout = Layout::new((40, height), LayoutRequest { details_all: Some(2), ..request });
            assert_eq!(layout.list_area.height, 1, "{height}");
            assert!(layout.details.unwrap().1.height >= 3, "{height}");
        }
    }

    #[test]
    fn on_a_wide_screen_a_pane_stays_beside_the_list() {
        let request = |zoom, stacked| LayoutRequest {
            pane: false,
            stays: true,
            strip: false,
            details: true,
            details_all: None,
            zoom,
            stacked,
            heading: true,
        };
        for (width, is_beside) in [(159, false), (160, true), (200, true)] {
            assert_eq!(Layout::new((width, 50), request(false, false)).beside, is_beside, "{width}");
        }
        for (zoom, stacked) in [(true, false), (false, true)] {
            assert_eq!(Layout::new((200, 50), request(zoom, stacked)).pane, None);
        }
        let layout = Layout::new((200, 50), request(false, false));
        assert_eq!(layout.front, usize::from(layout.list_area.height));
    }

    #[test]
    fn a_strip_is_above_the_details_or_below_the_pane() {
        for (width, height) in [(80, 24), (200, 50), (120, 36), (80, 19)] {
            for pane in [false, true] {
                let request = LayoutRequest {
                    pane,
                    stays: false,
                    strip: true,
                    details: true,
                    details_all: None,
                    zoom: false,
                    stacked: false,
                    heading: true,
                };
                let layout = Layout::new((width, height), request);
                let Some((y, lines)) = layout.strip else {
                    assert!(height < HEADED);
                    continue;
                };
                let below = layout.details.map_or(height - 2, |details| details.0);
                assert_eq!((lines.y, lines.bottom()), (y + 1, below), "{width}x{height} {pane}");
                let above = if layout.list_rule.is_some() {
                    layout.list_area.bottom()
                } else {
                    layout.pane.unwrap().1.bottom()
                };
                assert!(above <= y && layout.list_area.height >= 4 || layout.list_rule.is_none(), "{layout:?}");
            }
        }
    }

    #[test]
    fn a_pane_has_60_columns_or_is_below_the_list() {
        for width in 80..=220 {
            let layout = layout((width, 36), true);
            let (_, area) = layout.pane.unwrap();
            assert!(area.width >= PANE, "{width}");
            assert_eq!(layout.beside, width >= 138, "{width}");
            assert!(layout.list_area.height >= 8 && layout.list_area.width >= LIST - 1, "{width}");
        }
        // As before where there is no room for both.
        assert_eq!(layout((120, 24), true).list_rule, None);
    }
}
