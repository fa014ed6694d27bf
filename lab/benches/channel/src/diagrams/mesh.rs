//! What both kinds of diagrams have.

/// The grid and the labels of a chart.
macro_rules! mesh {
    ($chart:expr, $x:expr, $label:expr $(, $more:ident($($argument:expr)?))*) => {
        $chart
            .configure_mesh()
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .label_style(style(13))
            .axis_desc_style(style(13))
            .x_desc($x)
            .x_label_formatter(&$label)
            $(.$more($($argument)?))*
            .draw()?
    };
}
