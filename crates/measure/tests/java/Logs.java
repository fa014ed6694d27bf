import java.io.FileNotFoundException;
import java.io.PrintStream;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

/** Reads or writes an interval log with HdrHistogram's own library, and tells what is in it. */
public final class Logs {
    private Logs() {}

    /** `read FILE`, `write FILE` or `percentiles FILE`: unscaled, and in FILE.ms in milliseconds, in FILE.csv with commas. */
    public static void main(String[] args) throws FileNotFoundException {
        if (args[0].equals("read")) {
            read(args[1]);
        } else if (args[0].equals("percentiles")) {
            percentiles(args[1]);
        } else {
            write(args[1]);
        }
    }

    private static void read(String file) throws FileNotFoundException {
        HistogramLogReader reader = new HistogramLogReader(file);
        for (EncodableHistogram one; (one = reader.nextIntervalHistogram()) != null;) {
            Histogram h = (Histogram) one;
            System.out.println(h.getTag() + " " + h.getStartTimeStamp() + " " + h.getTotalCount() + " "
                    + h.getMaxValue() + " " + h.getValueAtPercentile(99));
        }
    }

    private static void percentiles(String file) throws FileNotFoundException {
        Histogram h = new Histogram(3600000000000L, 3);
        for (int n = 1; n <= 1000; n++) {
            h.recordValue(n * 1234L);
        }
        try (PrintStream plain = new PrintStream(file); PrintStream ms = new PrintStream(file + ".ms");
                PrintStream commas = new PrintStream(file + ".csv")) {
            h.outputPercentileDistribution(plain, 1.0);
            h.outputPercentileDistribution(ms, 1000000.0);
            h.outputPercentileDistribution(commas, 5, 1.0, true);
        }
        System.out.println(h.getMaxValue() + " " + h.getValueAtPercentile(50));
    }

    private static void write(String file) throws FileNotFoundException {
        HistogramLogWriter log = new HistogramLogWriter(file);
        log.outputLogFormatVersion();
        log.outputStartTime(1700000000000L);
        log.outputLegend();
        for (String tag : new String[] {null, "raw"}) {
            Histogram h = new Histogram(3600000000000L, 3);
            for (int n = 1; n <= 1000; n++) {
                h.recordValue(n * 1000000L);
            }
            h.setTag(tag);
            h.setStartTimeStamp(1700000005000L);
            h.setEndTimeStamp(1700000010000L);
            log.outputIntervalHistogram(h);
            System.out.println(h.getMaxValue() + " " + h.getValueAtPercentile(99));
        }
        log.close();
    }
}
