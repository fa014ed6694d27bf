// Latencies of a channel over time, from the histograms since its first message.

/** Number of seconds that are kept. */
export const SECONDS = 120;
/** Number of seconds in the recent curve. */
const LATELY = 10;

/** Buckets, [ns, count] by time, with their sum. */
const summed = (buckets) => ({ buckets, total: buckets.reduce((sum, [, n]) => sum + n, 0) });

/** The difference between two histograms. If a bucket decreased because a subscriber exited, the whole later one. */
function between(before, after) {
  const grown = new Map(after);
  for (const [ns, n] of before) {
    const more = (grown.get(ns) || 0) - n;
    if (more < 0) return after;
    if (more) grown.set(ns, more);
    else grown.delete(ns);
  }
  return [...grown];
}

/** The latency in ns at this quantile. */
export function at({ buckets, total }, part) {
  let sum = 0;
  for (const [ns, n] of buckets) {
    sum += n;
    if (sum >= part * total) return ns;
  }
  return 0;
}

export class Latencies {
  constructor() {
    Object.assign(this, { known: false, newest: [], columns: [], counts: [] });
  }

  /** Adds the total histogram at a time in seconds. */
  take(buckets, now) {
    this.newest = buckets;
    this.known ||= buckets.length > 0;
    if (!this.counts.length) this.counts.push([now, buckets]);
    const [last, before] = this.counts[this.counts.length - 1];
    if (now - last < 1) return;
    // Seconds without a reading are empty.
    for (let gap = Math.min(Math.floor(now - last) - 1, SECONDS); gap > 0; gap--) this.columns.push(summed([]));
    this.columns.push(summed(between(before, buckets)));
    this.columns.splice(0, Math.max(0, this.columns.length - SECONDS));
    this.counts.push([now, buckets]);
    while (this.counts.length > 2 && now - this.counts[0][0] > LATELY + 0.5) this.counts.shift();
  }

  ever() {
    return summed(this.newest);
  }
  lately() {
    return this.counts.length ? summed(between(this.counts[0][1], this.newest)) : summed([]);
  }
  /** The number of seconds in `lately`. */
  last() {
    return Math.max(1, Math.min(LATELY, this.columns.length));
  }
}
