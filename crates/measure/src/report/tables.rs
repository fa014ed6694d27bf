//! Histograms as text, for other tools.

use std::fmt::Write;

use hdrhistogram::Histogram;

/// A table `value_ns,count`, with a line for each distinct value.
pub fn csv(times: &Histogram<u64>) -> String {
    let mut text = String::from("value_ns,count\n");
    for step in times.iter_recorded() {
        let _ = writeln!(text, "{},{}", step.value_iterated_to(), step.count_at_value());
    }
    text
}

/// The percentile distribution (`.hgrm`) that HdrHistogram's plotters read, in milliseconds.
pub fn hgrm(times: &Histogram<u64>) -> String {
    let mut text =
        format!("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    let mut total = 0;
    for step in times.iter_quantiles(5) {
        total += step.count_since_last_iteration();
        let (ms, quantile) = (step.value_iterated_to() as f64 / 1e6, step.quantile_iterated_to());
        let _ = write!(text, "{ms:12.6} {quantile:14.12} {total:10}");
        let _ =
            if quantile < 1.0 { writeln!(text, " {:14.2}", 1.0 / (1.0 - quantile)) } else { writeln!(text) };
    }
    let (mean, deviation) = (times.mean() / 1e6, times.stdev() / 1e6);
    let _ = writeln!(text, "#[Mean    = {mean:12.6}, StdDeviation   = {deviation:12.6}]");
    let _ =
        writeln!(text, "#[Max     = {:12.6}, Total count    = {:12}]", times.max() as f64 / 1e6, times.len());
    let sub_buckets = 2_u64.pow((2.0 * 10_f64.powi(times.sigfig().into())).log2().ceil() as u32);
    let _ = writeln!(text, "#[Buckets = {:12}, SubBuckets     = {sub_buckets:12}]", times.buckets());
    text
}
