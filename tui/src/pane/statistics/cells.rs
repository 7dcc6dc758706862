//! Which columns of a table fit, and how wide they are.

use spytui_engine::{
    analysis::statistics::{Figure, Sort, StatisticsRow, StatisticsTable},
    trace::list::row_list::number_text,
};

use crate::term::width;

/// Least width of a name where there is little room.
const LEAST_NAME: usize = 8;
/// A name that needs more gives way before a figure does.
const USUAL_NAME: usize = 16;
/// Width of a figure where there is room, so that columns stand apart.
const USUAL_FIGURE: usize = 8;
/// Figures that are left out first where there is little room.
const LEFT_OUT: [Figure; 6] =
    [Figure::BytesPerSecond, Figure::PerSecond, Figure::P99, Figure::Min, Figure::P95, Figure::Total];

/// A table as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cells {
    /// Width of each name.
    pub(super) names: Vec<usize>,
    /// The figures shown, with their widths.
    pub(super) figures: Vec<(Figure, usize)>,
}

/// The text of a figure.
pub(super) fn text(table: &StatisticsTable, row: &StatisticsRow, figure: Figure, several: bool) -> String {
    if figure != Figure::At {
        return figure.text(row, table.unit);
    }
    let extreme = row.extreme(table.measure);
    extreme.map_or_else(String::new, |end| number_text(several.then_some(end.at.source), end.at.n))
}

impl Cells {
    /// For so many cells.
    pub(super) fn of(table: &StatisticsTable, room: usize, several: bool) -> Cells {
        let wanted: Vec<usize> = (0..table.by.iter().count()).map(|column| name_width(table, column)).collect();
        let figures = Figure::shown(table.measure).iter().filter_map(|figure| {
            let texts = table.rows.iter().map(|row| width(&text(table, row, *figure, several)));
            let widest = texts.max().filter(|widest| *widest > 0)?;
            Some((*figure, widest.max(width(figure.heading(table.measure)))))
        });
        let mut figures: Vec<(Figure, usize)> = figures.collect();
        let taken = |figures: &[(Figure, usize)]| figures.iter().map(|figure| figure.1 + 1).sum::<usize>();
        let least: usize = wanted.iter().map(|width| (*width).min(USUAL_NAME) + 1).sum();
        for figure in LEFT_OUT {
            if taken(&figures) + least > room {
                figures.retain(|shown| shown.0 != figure);
            }
        }
        let mut spare = room.saturating_sub(taken(&figures) + wanted.len());
        let mut names: Vec<usize> = wanted.iter().map(|width| (*width).min(LEAST_NAME)).collect();
        spare = spare.saturating_sub(names.iter().sum());
        for most in [USUAL_NAME, usize::MAX] {
            for (name, wanted) in names.iter_mut().zip(&wanted) {
                let more = (*wanted).min(most).saturating_sub(*name).min(spare);
                *name += more;
                spare -= more;
            }
        }
        for figure in &mut figures {
            let more = USUAL_FIGURE.saturating_sub(figure.1).min(spare);
            figure.1 += more;
            spare -= more;
        }
        Cells { names, figures }
    }
}

/// What rows are sorted by with the column whose heading is so many cells from the left.
pub(super) fn sort_at(table: &StatisticsTable, room: usize, several: bool, x: usize) -> Option<Sort> {
    let cells = Cells::of(table, room, several);
    let names = table.by.iter().map(Sort::Name).zip(cells.names);
    let figures = cells.figures.into_iter().map(|(figure, width)| (Sort::Figure(figure), width));
    let mut end = 0;
    let found = names.chain(figures).find_map(|(sort, width)| {
        end += width + 1;
        (x < end).then_some(sort)
    });
    found.filter(|sort| *sort != Sort::Figure(Figure::At))
}

fn name_width(table: &StatisticsTable, column: usize) -> usize {
    let heading = table.by.iter().nth(column).map_or(0, |column| width(column.word()));
    let names = table.rows.iter().filter_map(|row| row.names.get(column)).map(|name| width(name));
    names.max().unwrap_or(0).max(heading)
}
