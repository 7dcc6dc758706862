//! Output of frames: one write each, within the byte budget, with statistics.

use std::{
    io,
    time::{Duration, Instant},
};

use super::{capability::FrameBudget, screen::Screen, terminal_guard::Terminal};

/// Minimum time between two frames of figures.
const FIGURES: Duration = Duration::from_millis(200);
/// Retry interval for a terminal that accepts no bytes.
const HELD_UP: Duration = Duration::from_millis(10);

/// Why a frame is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// It answers a key: immediately.
    Key,
    /// Something changed: when the budget allows.
    Data,
    /// Figures and pictures changed: less often, as nobody reads them so fast.
    Figures,
}

/// Result of drawing a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    /// Written, with its number of bytes; 0 if nothing had changed.
    Now(usize),
    /// Nothing was drawn; try again after this time.
    Later(Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Bytes written in frames.
    pub bytes: u64,
    pub frames: u64,
    /// Frames skipped because the line was busy.
    pub skipped: u64,
}

/// The terminal as views use it.
pub struct Output {
    terminal: Terminal,
    screen: Screen,
    pace: FrameBudget,
    fps: u32,
    waiting: Option<Instant>,
    figures: Figures,
}

impl Output {
    /// Draws on `terminal` within a budget.
    pub fn new(terminal: Terminal, screen: Screen, budget: u32, fps: u32) -> Output {
        Output {
            terminal,
            screen,
            pace: FrameBudget::new(budget, fps),
            fps: fps.max(1),
            waiting: None,
            figures: Figures::default(),
        }
    }

    pub fn screen(&mut self) -> &mut Screen {
        &mut self.screen
    }

    pub fn terminal(&mut self) -> &mut Terminal {
        &mut self.terminal
    }

    /// Bytes written, frames drawn and skipped.
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// From now on, frames are synchronised updates.
    pub fn synchronise(&mut self) {
        self.screen.synchronised = true;
        self.terminal.set_synchronised(true);
    }

    /// Adopts the terminal's present size; true if it changed.
    pub fn resize(&mut self) -> bool {
        let (width, height) = self.terminal.size();
        let changed = (self.screen.area().width, self.screen.area().height) != (width, height);
        if changed {
            self.screen.resize(width, height);
        }
        changed
    }

    /// Redraws everything with the next frame.
    pub fn redraw(&mut self) {
        self.resize();
        self.screen.redraw();
    }

    /// Restores the terminal, stops the process, and starts over when it is continued.
    pub fn suspend(&mut self) -> io::Result<()> {
        self.terminal.suspend()?;
        self.restart();
        Ok(())
    }

    /// Restores the terminal state after the process was continued.
    pub fn resume(&mut self) -> io::Result<()> {
        self.terminal.claim_again()?;
        self.restart();
        Ok(())
    }

    fn restart(&mut self) {
        self.redraw();
        self.terminal.set_synchronised(self.screen.synchronised);
    }

    /// Draws a frame with `paint`, if it is due.
    pub fn draw(&mut self, urgency: Urgency, paint: impl FnOnce(&mut Screen)) -> io::Result<Drawn> {
        let now = Instant::now();
        let wait = match urgency {
            Urgency::Key => Duration::ZERO,
            Urgency::Data => self.pace.wait(now, Duration::ZERO),
            Urgency::Figures => self.pace.wait(now, FIGURES),
        };
        let wait = if wait.is_zero() && !self.terminal.writable() { HELD_UP } else { wait };
        if !wait.is_zero() {
            self.waiting.get_or_insert(now);
            return Ok(Drawn::Later(wait));
        }
        paint(&mut self.screen);
        let bytes = self.screen.compose();
        let count = bytes.len();
        if count > 0 {
            self.terminal.write(bytes)?;
            self.pace.spent(now, count);
            self.figures.bytes += count as u64;
            self.figures.frames += 1;
        }
        if let Some(since) = self.waiting.take() {
            self.figures.skipped += (now.duration_since(since).as_secs_f64() * f64::from(self.fps)) as u64;
        }
        Ok(Drawn::Now(count))
    }
}
