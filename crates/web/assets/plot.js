// Plots: several numbers per plot, an axis for each unit, pause, zoom by wheel or by dragging, CSV and PNG.

import uPlot from './vendor/uPlot.esm.js';
import { colour, framed, h, save, text } from './dom.js';
import * as as from './format.js';
import { keyOf } from './net.js';

const MOST = 20000;
const SPANS = [[5, '5 s'], [15, '15 s'], [60, '1 min'], [300, '5 min'], [1e9, 'all']];

/** The time of day, with milliseconds if they matter. */
function time(t, apart) {
  const words = new Date(t * 1000).toLocaleTimeString('en-GB');
  return apart < 1 ? `${words}.${String(Math.floor((t % 1) * 1000)).padStart(3, '0')}` : words;
}

/** Names and unit of a line, as in a CSV file. */
const named = (one) => `${one.channel}:${one.path}${one.unit ? ` [${one.unit}]` : ''}`;

export class Plot {
  constructor(net, close) {
    this.net = net;
    this.series = [];
    this.span = 15;
    this.paused = false;
    this.at = null;
    this.draw = framed(() => this.paint());
    this.title = h('h2', {}, 'Plot');
    this.button = h('button', { title: 'Pause or continue', onclick: () => this.pause() }, 'Pause');
    this.choice = h('select', { title: 'Time shown', 'aria-label': 'Time shown', onchange: () => this.follow(Number(this.choice.value)) },
      SPANS.map(([s, name]) => h('option', { value: s, selected: s === this.span }, name)));
    this.empty = h('div', { class: 'waiting' }, 'No values yet: no messages, or they have no such number.');
    this.legend = h('div', { class: 'legend' });
    this.place = h('div', { class: 'plot' }, this.empty);
    this.element = h('article', { class: 'card plotted' },
      h('div', { class: 'top' }, this.title, h('div', { class: 'grow' }), h('div', { class: 'tools' }, this.choice, this.button,
        h('button', { title: 'Save all values that the page has as CSV', onclick: () => this.csv() }, 'CSV'),
        h('button', { title: 'Save the picture', onclick: () => this.png() }, 'PNG')),
        h('button', { class: 'bare larger', title: 'Enlarge or restore', 'aria-label': 'Larger', onclick: () => this.element.classList.toggle('large') }, '⤢'),
        h('button', { class: 'bare', title: 'Close', 'aria-label': 'Close', onclick: () => { this.dispose(); close(this); } }, '✕')),
      this.legend, h('div', { class: 'body' }, this.place));
    this.observer = new ResizeObserver(() => this.rebuild());
    this.observer.observe(this.place);
    this.rethemed = () => this.rebuild();
    document.addEventListener('theme', this.rethemed);
  }

  dispose() {
    this.observer.disconnect();
    document.removeEventListener('theme', this.rethemed);
    this.chart?.destroy();
  }
  has(key, path) {
    return this.series.some((one) => one.key === key && one.path === path);
  }
  toggle(channel, path, unit) {
    const key = keyOf(channel);
    const there = this.series.findIndex((one) => one.key === key && one.path === path);
    if (there >= 0) this.series.splice(there, 1);
    else this.series.push({ key, domain: channel.domain, channel: channel.channel, path, unit, t: [], v: [] });
    this.title.textContent = this.title.title = this.series.map((one) => `${one.channel}:${one.path}`).join(', ') || 'Plot';
    this.rebuild();
  }

  take(frame) {
    for (const part of frame.series) {
      for (const one of this.series) {
        if (one.path !== part.path || one.channel !== part.channel || (one.domain && one.domain !== part.domain)) continue;
        if (part.reset) [one.t, one.v] = [[], []];
        one.t.push(...part.t);
        one.v.push(...part.v);
        if (one.t.length > MOST * 1.2) {
          one.t.splice(0, one.t.length - MOST);
          one.v.splice(0, one.v.length - MOST);
        }
        if (part.unit && !one.unit) {
          one.unit = part.unit;
          this.rebuild();
        }
      }
    }
    if (!this.paused) this.draw();
  }

  pause(on = !this.paused) {
    this.paused = on;
    this.button.textContent = on ? 'Continue' : 'Pause';
    this.button.classList.toggle('on', on);
    if (!on) this.draw();
  }
  follow(span) {
    this.span = span;
    this.pause(false);
  }

  data(from = -Infinity) {
    const tables = this.series.map((one) => {
      let first = 0;
      if (from > -Infinity) for (first = one.t.length; first > 0 && one.t[first - 1] >= from; ) first--;
      return [one.t.slice(first), one.v.slice(first)];
    });
    return tables.length ? uPlot.join(tables) : [[]];
  }

  paint() {
    this.tell();
    if (!this.chart || !this.series.length) return;
    const end = Math.max(...this.series.map((one) => one.t[one.t.length - 1] ?? -Infinity));
    this.empty.hidden = end > -Infinity;
    if (end === -Infinity) return;
    this.chart.setData(this.data(this.span > 1e8 ? -Infinity : end - this.span), false);
    const start = this.span > 1e8 ? Math.min(...this.series.map((one) => one.t[0] ?? end)) : end - this.span;
    this.chart.setScale('x', { min: start, max: Math.max(end, start + 1e-6) });
  }

  /** Writes the newest values, or those under the pointer, into the legend. */
  tell() {
    this.series.forEach((one, i) => {
      if (!one.shown) return;
      const under = this.at == null ? null : this.chart?.data[i + 1]?.[this.at];
      text(one.shown, as.value(under ?? one.v[one.v.length - 1]));
    });
  }

  rebuild() {
    this.chart?.destroy();
    this.chart = this.at = null;
    this.legend.replaceChildren(...this.series.map((one, i) => {
      one.shown = h('b');
      delete one.shown.shown;
      const line = h('span', { class: 'entry', title: `${one.channel}:${one.path}` }, h('i'), h('span', { class: 'name' }, `${one.channel}:${one.path}`),
        one.shown, h('span', { class: 'unit' }, one.unit || ''));
      line.style.setProperty('--ink', `var(--c${i % 8})`);
      return line;
    }));
    this.tell();
    const { clientWidth: width, clientHeight: height } = this.place;
    if (!this.series.length || width < 50 || height < 50) return;
    // An axis for each unit: the first on the left, the others on the right.
    const units = [...new Set(this.series.map((one) => one.unit || ''))];
    const scale = (unit) => `y${units.indexOf(unit || '')}`;
    const font = `12px ${colour('--sans')}`;
    const axis = { font, labelFont: font, stroke: colour('--dim'), ticks: { stroke: colour('--grid') } };
    const grid = { stroke: colour('--grid'), width: 1 };
    const lines = this.series.map((one, i) => ({
      label: named(one), scale: scale(one.unit), stroke: colour(`--c${i % 8}`), width: 1.75, spanGaps: true, points: { show: false },
    }));
    const wide = (words) => Math.max(0, ...(words || []).map((word) => `${word ?? ''}`.length)) * 7.2 + 16;
    const sides = units.map((unit, i) => {
      const own = this.series.filter((one) => (one.unit || '') === unit);
      // With several axes, an axis of a single line has the color of that line.
      const ink = units.length > 1 && own.length === 1 ? colour(`--c${this.series.indexOf(own[0]) % 8}`) : axis.stroke;
      return {
        ...axis, scale: `y${i}`, side: i ? 1 : 3, space: 24, stroke: ink, grid: i ? { show: false } : grid,
        label: unit || null, labelSize: 20, labelGap: 0, size: (_, values) => wide(values),
        values: (_, splits) => splits.map((v) => (Math.abs(v) >= 1e6 || (v && Math.abs(v) < 1e-4) ? v.toExponential(1) : Number(v.toPrecision(6)).toString())),
      };
    });
    const zoomed = (chart) => chart.select.width > 4 && this.pause(true);
    const pointed = (chart) => {
      this.at = chart.cursor.idx ?? null;
      this.tell();
    };
    this.chart = new uPlot({
      width, height, series: [{ label: 'time' }, ...lines],
      axes: [{ ...axis, grid, space: 100, values: (_, splits) => splits.map((t) => time(t, splits[1] - splits[0])) }, ...sides],
      scales: { x: { time: true } }, padding: [10, units.length > 1 ? 0 : 18, 0, 0],
      cursor: { drag: { x: true, y: false, uni: 20 }, focus: { prox: 20 } }, legend: { show: false },
      hooks: { setSelect: [zoomed], setCursor: [pointed] },
    }, this.data(), this.place);
    this.chart.over.addEventListener('wheel', (event) => this.zoom(event), { passive: false });
    this.chart.over.addEventListener('dblclick', () => this.pause(false));
    if (this.paused) return;
    this.paint();
  }

  zoom(event) {
    event.preventDefault();
    const { chart } = this;
    this.pause(true);
    chart.setData(this.data(), false);
    const { min, max } = chart.scales.x;
    const at = chart.posToVal(event.offsetX, 'x');
    const by = event.deltaY > 0 ? 1.25 : 0.8;
    chart.setScale('x', { min: at - (at - min) * by, max: at + (max - at) * by });
  }

  csv() {
    const quoted = (words) => `"${words.replaceAll('"', '""')}"`;
    const names = this.series.map((one) => quoted(named(one)));
    const [times, ...values] = this.data();
    const lines = Array.from(times, (t, i) => [t.toFixed(6), ...values.map((v) => v[i] ?? '')].join(','));
    save('saltus-plot.csv', [['time_s', ...names].join(','), ...lines, ''].join('\n'));
  }
  png() {
    this.chart?.ctx.canvas.toBlob((blob) => save('saltus-plot.png', blob));
  }
}
