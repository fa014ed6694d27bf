// Reads or writes an interval log with HdrHistogram's JavaScript package: `node logs.cjs read|write FILE`. Says what it saw of
// each interval: tag, start, count, largest, 99th percentile.
const fs = require("node:fs");
const hdr = require("hdr-histogram-js");

const [word, file] = process.argv.slice(2);
if (word === "read") {
  const reader = new hdr.HistogramLogReader(fs.readFileSync(file, "utf8"), 64);
  for (let h = reader.nextIntervalHistogram(); h !== null; h = reader.nextIntervalHistogram()) {
    const tag = h.tag === "NO TAG" ? null : h.tag;
    console.log(`${tag} ${Math.round(h.startTimeStampMsec)} ${h.totalCount} ${h.getValueAtPercentile(100)} ${h.getValueAtPercentile(99)}`);
  }
} else {
  const lines = [];
  const writer = new hdr.HistogramLogWriter((text) => lines.push(text));
  writer.outputLogFormatVersion();
  writer.outputStartTime(1700000000000);
  writer.outputLegend();
  for (const tag of [undefined, "raw"]) {
    const h = hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: 3600000000000, numberOfSignificantValueDigits: 3 });
    for (let n = 1; n <= 1000; n += 1) {
      h.recordValue(n * 1000000);
    }
    h.startTimeStampMsec = 1700000005000;
    h.endTimeStampMsec = 1700000010000;
    if (tag !== undefined) {
      h.tag = tag;
    }
    writer.outputIntervalHistogram(h);
    console.log(`${h.getValueAtPercentile(100)} ${h.getValueAtPercentile(99)}`);
  }
  fs.writeFileSync(file, lines.join(""));
}
