// Timing of a channel: rate and jitter as numbers, latencies as a percentile curve and as a heat map over time. Fits every channel; needs
// no type.

import { canvas, colour, h, text } from '../dom.js';
import * as as from '../format.js';
import { Latencies, SECONDS, at } from './latencies.js';

const LINES = [[0.5, 'p50', '--text'], [0.99, 'p99', '--warm']];
const MARKS = [[0, '0'], [0.5, '50 %'], [0.9, '90'], [0.99, '99'], [0.999, '99.9'], [0.9999, '99.99'], [0.99999, '99.999 %']];
const MEANINGS = [
  'Messages per second, over the last 2 s', 'Mean time between messages of one publisher', 'Standard deviation of the period',
  'Over shm://: messages that subscribers skipped or were too slow for. On a network: lost before they arrived here',
  'Messages that the spy dropped because it was too slow', 'Latency, median', 'Latency, 99th percentile', 'Latency, 99.9th percentile', 'Highest latency',
  'Messages whose latency was measured',
];
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 14, 26, 26];

/** Whole powers of ten around all buckets, as exponents of microseconds. */
function reach(...all) {
  const ends = all.filter((one) => one.total).flatMap((one) => [one.buckets[0][0], one.buckets[one.buckets.length - 1][0]]);
  const low = Math.floor(Math.log10(Math.max(Math.min(...ends) / 1e3, 0.01)));
  return [low, Math.max(low + 1, Math.ceil(Math.log10(Math.max(...ends) / 1e3)))];
}

/** Draws the lines and labels of the latency axis. Returns a function from microseconds to the position on it. */
function axis(g, width, height, [low, high]) {
  const y = (us) => height - BOTTOM - ((Math.log10(Math.max(us, 10 ** low)) - low) / (high - low)) * (height - BOTTOM - TOP);
  const every = Math.max(1, Math.ceil((14 * (high - low)) / Math.max(height - BOTTOM - TOP, 14)));
  g.textAlign = 'right';
  g.beginPath();
  for (let e = low; e <= high; e++) {
    g.moveTo(LEFT, y(10 ** e));
    g.lineTo(width - RIGHT, y(10 ** e));
    // A label takes 14 pixels. If there are too many, some are left out, evenly.
    if ((e - low) % every === 0) g.fillText(as.decade(10 ** e), LEFT - 7, y(10 ** e) + 4);
  }
  g.stroke();
  g.textAlign = 'left';
  return y;
}

function begin(g) {
  g.font = `11px ${colour('--sans')}`;
  g.strokeStyle = colour('--grid');
  g.fillStyle = colour('--dim');
  g.lineWidth = 1;
}

/** Latency over log 1 / (1 - p): each additional nine takes the same distance. */
function curve(g, width, height, all) {
  begin(g);
  const [ever, lately] = [all.ever(), all.lately()];
  if (!ever.total) return;
  const y = axis(g, width, height, reach(ever));
  // With n messages, the highest percentile is 1 - 1/n.
  const nines = Math.min(6, Math.max(2, Math.log10(ever.total)));
  const x = (p) => LEFT + (Math.min(-Math.log10(1 - p), nines) / nines) * (width - LEFT - RIGHT);
  let free = LEFT - 20;
  for (const [p, words] of MARKS) {
    if (-Math.log10(1 - p) > nines) break;
    g.beginPath();
    g.moveTo(x(p), TOP);
    g.lineTo(x(p), height - BOTTOM);
    g.stroke();
    // Labels must not overlap, or cross the edge.
    const wide = g.measureText(words).width;
    const left = Math.min(x(p) - wide / 2, width - wide - 2);
    if (left < free) continue;
    g.fillText(words, left, height - 9);
    free = left + wide + 8;
  }
  g.textAlign = 'left';
  for (const [one, ink, wide] of [[ever, '--dim', 1.5], [lately, '--accent', 2.5]]) {
    g.beginPath();
    let sum = 0;
    for (const [ns, n] of one.buckets) {
      g.lineTo(x(sum / one.total), y(ns / 1e3));
      sum += n;
      g.lineTo(sum < one.total ? x(sum / one.total) : x(1 - 0.5 / one.total), y(ns / 1e3));
    }
    [g.strokeStyle, g.lineWidth] = [colour(ink), wide];
    g.stroke();
  }
  g.fillStyle = colour('--accent');
  g.fillText(`last ${all.last()} s`, LEFT + 4, 16);
  const beside = g.measureText(`last ${all.last()} s`).width;
  g.fillStyle = colour('--dim');
  g.fillText(`all ${as.count(ever.total)}`, LEFT + beside + 16, 16);
}

/** A heat map: a column for each second, warmer for more messages; the median and the 99th percentile as lines. */
function heat(g, width, height, all) {
  begin(g);
  const columns = all.columns;
  const counted = columns.filter((one) => one.total);
  if (!counted.length) return;
  const range = reach(...counted);
  const y = axis(g, width, height, range);
  const wide = (width - LEFT - RIGHT) / SECONDS;
  const x = (i) => LEFT + (i + SECONDS - columns.length) * wide;
  const rows = Math.max(8, Math.min(48, Math.floor((height - TOP - BOTTOM) / 5)));
  const step = (range[1] - range[0]) / rows;
  const cells = columns.map((column) => {
    const cell = new Float64Array(rows);
    for (const [ns, n] of column.buckets) {
      cell[Math.min(rows - 1, Math.max(0, Math.floor((Math.log10(Math.max(ns / 1e3, 1e-3)) - range[0]) / step)))] += n;
    }
    return cell;
  });
  const most = Math.log1p(cells.reduce((max, cell) => cell.reduce((a, b) => Math.max(a, b), max), 1));
  const tall = (height - TOP - BOTTOM) / rows;
  g.fillStyle = colour('--accent');
  cells.forEach((cell, i) => cell.forEach((n, row) => {
    if (!n) return;
    g.globalAlpha = 0.12 + 0.88 * (Math.log1p(n) / most);
    g.fillRect(x(i), height - BOTTOM - (row + 1) * tall, wide + 0.4, tall + 0.4);
  }));
  g.globalAlpha = 1;
  let words = LEFT + 4;
  for (const [p, name, ink] of LINES) {
    g.beginPath();
    let pen = false;
    columns.forEach((column, i) => {
      if (!column.total) return (pen = false);
      const [left, level] = [x(i), y(at(column, p) / 1e3)];
      pen ? g.lineTo(left, level) : g.moveTo(left, level);
      g.lineTo(left + wide, level);
      pen = true;
    });
    [g.strokeStyle, g.lineWidth] = [colour(ink), 1.5];
    g.stroke();
    g.fillStyle = colour(ink);
    g.fillText(name, words, 16);
    words += g.measureText(name).width + 12;
  }
  g.fillStyle = colour('--dim');
  g.fillText('of each second', words, 16);
  const apart = width - LEFT - RIGHT > 260 ? 30 : 60;
  for (let s = 0; s <= SECONDS; s += apart) {
    g.textAlign = s === 0 ? 'right' : s === SECONDS ? 'left' : 'center';
    g.fillText(s ? `−${s} s` : 'now', LEFT + (SECONDS - s) * wide, height - 9);
  }
  g.textAlign = 'left';
}

/** The rate over time, if no latency is known. */
function rate(g, width, height, rates, most) {
  begin(g);
  const top = Math.max(...rates, 1e-9) * 1.15;
  g.beginPath();
  rates.forEach((r, i) => g.lineTo(LEFT + ((i + most - rates.length) / (most - 1)) * (width - LEFT - RIGHT), height - BOTTOM - (r / top) * (height - BOTTOM - TOP)));
  [g.strokeStyle, g.lineWidth] = [colour('--accent'), 2];
  g.stroke();
  g.textAlign = 'right';
  const highest = top / 1.15;
  for (const r of [0, highest]) {
    const y = height - BOTTOM - (r / top) * (height - BOTTOM - TOP);
    g.beginPath();
    g.moveTo(LEFT, y);
    g.lineTo(width - RIGHT, y);
    [g.strokeStyle, g.lineWidth] = [colour('--grid'), 1];
    g.stroke();
    g.fillText(as.hz(r), LEFT - 7, y + 4);
  }
  g.textAlign = 'left';
  g.fillText(`rate over ${SECONDS} s, now ${as.hz(rates[rates.length - 1])}`, LEFT, 16);
  const why = 'No latency: no subscriber, or the time of publication is unknown.';
  g.fillText(g.measureText(why).width < width - 24 ? why : 'No latency.', 12, height - 8);
}

export default {
  id: 'latency',
  title: 'Timing',
  about: 'Rate, jitter, latency percentiles, losses',
  /** This view receives rows of the table and latencies instead of messages. */
  plain: true,
  fits: () => 0.1,

  open(place) {
    place.closest('.card')?.classList.add('tall');
    const names = ['Rate', 'Period', 'Jitter', 'Missed', 'Dropped', 'p50', 'p99', 'p99.9', 'max', 'Measured'];
    const values = names.map(() => h('b'));
    const [left, right] = [h('div'), h('div')];
    const pictures = h('div', { class: 'pictures alone' }, left, right);
    place.classList.add('timing');
    place.append(h('div', { class: 'facts' }, names.map((name, i) => h('div', { title: MEANINGS[i] }, values[i], name))), pictures);
    right.hidden = true;
    const all = new Latencies();
    const rates = [];
    const most = 5 * SECONDS;
    const drawings = [
      canvas(left, (g, width, height) => (all.known ? curve(g, width, height, all) : rate(g, width, height, rates, most))),
      canvas(right, (g, width, height) => heat(g, width, height, all)),
    ];
    return {
      update(row, buckets) {
        const latency = row.latency_us;
        const words = [
          as.hz(row.rate_hz), as.seconds(row.period_s), as.seconds(row.jitter_s), row.missed == null ? as.NONE : as.short(row.missed), as.short(row.dropped),
          as.micros(latency?.p50), as.micros(latency?.p99), as.micros(latency?.p999), as.micros(latency?.max), as.short(latency?.count),
        ];
        values.forEach((value, i) => text(value, words[i]));
        rates.push(row.rate_hz);
        if (rates.length > most) rates.shift();
        if (buckets) all.take(buckets, performance.now() / 1e3);
        if (right.hidden === all.known) {
          right.hidden = !all.known;
          pictures.classList.toggle('alone', !all.known);
        }
        place.dataset.measured = all.ever().total;
        drawings.forEach((drawing) => drawing.again());
      },
      close: () => {
        place.closest('.card')?.classList.remove('tall');
        drawings.forEach((drawing) => drawing.close());
      },
    };
  },
};
