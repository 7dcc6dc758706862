//! Distribution of the screen's lines.

use ratatui::layout::Rect;

/// Smallest size of the screen.
pub const LEAST: (u16, u16) = (40, 8);
/// Minimum width for a pane beside the list.
const BESIDE: u16 = 120;
/// The list keeps so many columns beside a pane.
const LIST: u16 = 77;

/// Areas of the parts of the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Layout {
    /// Header lines: 2, or 1 on a low screen.
    pub headers: u16,
    /// Title of the list.
    pub list_rule: Option<u16>,
    /// Lines of the list.
    pub list: usize,
    /// Place of the list.
    pub list_area: Rect,
    /// Title and lines of the details.
    pub details: Option<(u16, Rect)>,
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
    /// Details are open.
    pub details: bool,
    /// Lines for the complete details, if requested.
    pub details_all: Option<u16>,
    /// The pane in front fills the screen.
    pub zoom: bool,
    /// No pane is beside the list.
    pub stacked: bool,
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
        let bottom = height.saturating_sub(1 + u16::from(tabs));
        let beside = request.pane && width >= BESIDE && !request.zoom && !request.stacked;
        if request.pane && !beside {
            layout.pane = Some((top, Rect::new(0, top + 1, width, bottom.saturating_sub(top + 1))));
            layout.list = usize::from(bottom.saturating_sub(top + 1));
            return layout;
        }
        let details = if request.details && height >= 18 && (request.pane || !request.zoom) {
            // The same for every record, so that the list stands still.
            let usual = match height {
                ..30 => 4,
                30..45 => 5,
                _ => 6,
            };
            request.details_all.map_or(usual, |all| all.clamp(usual, (bottom - top) / 2))
        } else {
            0
        };
        let list_bottom = if details > 0 { bottom - details - 1 } else { bottom };
        let list_width = if beside { (width * 6 / 10).max(LIST) } else { width };
        layout.list_rule = Some(top);
        // A blank before the line between list and pane.
        let inner = list_width - u16::from(beside);
        layout.list_area = Rect::new(0, top + 1, inner, list_bottom.saturating_sub(top + 1));
        layout.list = usize::from(layout.list_area.height);
        if beside {
            let x = list_width + 1;
            (layout.beside, layout.divider) = (true, list_width);
            layout.pane = Some((top, Rect::new(x, top + 1, width - x, list_bottom.saturating_sub(top + 1))));
        }
        if details > 0 {
            layout.details = Some((list_bottom, Rect::new(0, list_bottom + 1, width, details)));
        }
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_screen_is_given_once() {
        for (width, height) in [(80, 24), (200, 50), (120, 40), (60, 12), (40, 8), (80, 17)] {
            for pane in [false, true] {
                let layout = Layout::new(
                    (width, height),
                    LayoutRequest { pane, details: true, details_all: None, zoom: false, stacked: false },
                );
                let list = if layout.list_area.height > 0 { layout.list_area.height + 1 } else { 0 };
                let pane_lines = if layout.beside { 0 } else { layout.pane.map_or(0, |(_, r)| r.height + 1) };
                let details = layout.details.map_or(0, |(_, r)| r.height + 1);
                let sum = layout.headers + list + pane_lines + details + u16::from(layout.tabs.is_some()) + 1;
                assert_eq!(sum, height, "{width}x{height} {pane}");
            }
        }
    }
}
