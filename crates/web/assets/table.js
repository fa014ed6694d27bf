// The table of channels. Only visible rows exist, and only those are requested.

import { framed, h, svg, text } from './dom.js';
import * as as from './format.js';
import { keyOf } from './net.js';

const HEIGHT = 32;
const HISTORY = 40;

const COLUMNS = [
  ['channel', 'Channel', 'wide', (r) => r.channel],
  ['type', 'Type', 'type', (r) => r.type_name || (r.fingerprint ? `? ${r.fingerprint.slice(0, 8)}` : as.NONE)],
  ['publishers', 'Publishers', 'who', (r) => r.publishers.map(as.peer).join(', ') || as.NONE],
  ['rate', 'Rate', 'n rate', (r) => as.hertz(r.rate_hz), 'Messages per second, over the last 2 s'],
  ['jitter', 'Jitter', 'n jitter', (r) => as.seconds(r.jitter_s), 'Standard deviation of the time between messages'],
  ['bandwidth', 'Bandwidth', 'n bandwidth', (r) => `${as.bytes(r.bytes_per_s)}/s`],
  ['size', 'Size', 'n size', (r) => as.bytes(r.size), 'Size of the newest message'],
  ['age', 'Age', 'n age', (r) => as.seconds(r.age_s), 'Time since the newest message was published'],
  ['p50', 'p50', 'n p50', (r) => as.micros(r.latency_us?.p50), 'Latency from publication to reception, median'],
  ['p99', 'p99', 'n p99', (r) => as.micros(r.latency_us?.p99), 'Latency from publication to reception, 99th percentile'],
  ['count', 'Count', 'n count', (r) => as.count(r.count)],
  ['missed', 'Missed', 'n missed', (r) => (r.missed == null ? as.NONE : as.short(r.missed)), 'Over shm://: messages that subscribers skipped because they read only the newest, or that were overwritten before they read them. On a network: messages lost before they arrived here (red)'],
  ['dropped', 'Dropped', 'n dropped', (r) => as.short(r.dropped + r.undecodable), 'Messages that the spy dropped because it was too slow, or could not decode'],
];

export class Table {
  constructor(place, net, open) {
    this.place = place;
    this.net = net;
    this.open = open;
    this.sort = 'channel';
    this.down = false;
    this.filter = '';
    this.rows = [];
    this.first = 0;
    this.total = 0;
    this.lines = [];
    this.rates = new Map();
    this.selected = new Set();
    this.heads = COLUMNS.map(([id, name, kind, , title]) =>
      h('button', { class: `cell ${kind}`, title: title || name, onclick: () => this.by(id) }, name));
    this.space = h('div', { class: 'space' });
    this.scroller = h('div', { class: 'scroller', tabindex: '-1', onscroll: () => this.moved() }, this.space);
    this.empty = h('div', { class: 'empty' }, 'Waiting for messages …');
    place.append(h('div', { class: 'row head' }, this.heads), this.scroller, this.empty);
    this.draw = framed(() => this.paint());
    new ResizeObserver(() => this.moved()).observe(this.scroller);
    net.shows(() => ({ rows: { sort: this.sort, down: this.down, filter: this.filter, ...this.range() } }));
    net.on('rows', (frame) => this.take(frame));
    this.mark();
  }

  range() {
    const [top, height] = [this.scroller.scrollTop, this.scroller.clientHeight];
    const from = Math.max(0, Math.floor(top / HEIGHT) - 4);
    return { from, to: Math.min(from + 256, Math.ceil((top + height) / HEIGHT) + 4) };
  }
  by(id) {
    this.down = this.sort === id ? !this.down : !['channel', 'type', 'publishers'].includes(id);
    this.sort = id;
    this.mark();
    this.net.show();
  }
  find(words) {
    this.filter = words.slice(0, 200);
    this.scroller.scrollTop = 0;
    this.net.show();
  }
  mark() {
    this.heads.forEach((head, i) => {
      head.classList.toggle('sorted', COLUMNS[i][0] === this.sort);
      head.classList.toggle('down', this.down);
    });
  }
  moved() {
    this.net.show();
    this.draw();
  }

  take(frame) {
    [this.rows, this.first, this.total] = [frame.rows, frame.from, frame.shown];
    for (const row of frame.rows) {
      const key = keyOf(row);
      const rates = this.rates.get(key) || [];
      rates.push(row.rate_hz);
      if (rates.length > HISTORY) rates.shift();
      this.rates.delete(key);
      this.rates.set(key, rates);
    }
    // Removes the least recently seen.
    for (const key of this.rates.keys()) {
      if (this.rates.size <= 1024) break;
      this.rates.delete(key);
    }
    this.empty.hidden = frame.shown > 0;
    text(this.empty, frame.total ? 'No channel matches the filter.' : 'Waiting for messages …');
    this.draw();
  }

  paint() {
    if (this.shown !== this.total) this.place.style.setProperty('--rows', (this.shown = this.total));
    this.space.style.height = `${this.total * HEIGHT}px`;
    while (this.lines.length < this.rows.length) this.lines.push(this.line());
    this.lines.forEach((line, i) => {
      const row = this.rows[i];
      line.element.hidden = !row;
      if (row) this.fill(line, row, (this.first + i) * HEIGHT);
    });
  }

  line() {
    const cells = COLUMNS.map(([, , kind]) => h('div', { class: `cell ${kind}` }));
    const words = cells.map((cell) => cell.appendChild(h('span')));
    const spark = svg('polyline');
    cells[3].prepend(svg('svg', { viewBox: '0 0 60 20', preserveAspectRatio: 'none' }, spark));
    const line = { words, cells, spark };
    const open = (event) => this.open(line.row, event);
    line.element = h('div', { class: 'row', onclick: open, onkeydown: (event) => this.key(event, line), role: 'button', tabindex: '0' }, cells);
    this.space.append(line.element);
    return line;
  }

  /** Enter and the space bar open a channel; arrows go to the next row. */
  key(event, line) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) {
      const next = this.lines[this.lines.indexOf(line) + step];
      if (next && !next.element.hidden) {
        next.element.focus({ preventScroll: true });
        next.element.scrollIntoView({ block: 'nearest' });
      }
    } else if (event.key === 'Enter' || event.key === ' ') this.open(line.row, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  fill(line, row, top) {
    line.row = row;
    const { element, words, cells } = line;
    if (line.top !== top) element.style.transform = `translateY(${(line.top = top)}px)`;
    COLUMNS.forEach(([, , , show], i) => text(words[i], show(row)));
    const state = `row${row.stale ? ' stale' : ''}${row.mismatch ? ' mismatch' : ''}${row.missed && !row.missed_by_subscribers ? ' missing' : ''}` +
      `${row.dropped + row.undecodable ? ' dropping' : ''}${this.selected.has(keyOf(row)) ? ' open' : ''}`;
    if (line.state !== state) {
      element.className = line.state = state;
      element.setAttribute('aria-expanded', this.selected.has(keyOf(row)));
    }
    const title = row.mismatch || `${row.channel}\n${row.domain}\n${row.fingerprint || ''}`;
    if (line.title !== title) cells[0].title = cells[1].title = line.title = title;
    const who = row.publishers.map(as.peerInFull).join('\n');
    if (line.who !== who) cells[2].title = line.who = who;
    const rates = this.rates.get(keyOf(row)) || [];
    const most = Math.max(...rates, 1e-9);
    const points = rates.map((r, x) => `${((x + HISTORY - rates.length) * 60) / (HISTORY - 1)},${19 - (r / most) * 17}`).join(' ');
    if (line.points !== points) line.spark.setAttribute('points', (line.points = points));
  }
}
