// How a channel does: rate and jitter in numbers, latency percentiles over time. It fits every channel, and needs no type.

import { canvas, colour, h, text } from '../dom.js';
import * as as from '../format.js';

const MOST = 600;
const LINES = [['max', '--c6'], ['p999', '--c1'], ['p99', '--c2'], ['p50', '--c0']];
const NAMES = { p50: 'p50', p99: 'p99', p999: 'p99.9', max: 'max' };

export default {
  id: 'latency',
  title: 'Timing',
  about: 'Rate, jitter, latency percentiles, losses',
  /** It is given rows of the table instead of messages. */
  plain: true,
  fits: () => 0.1,

  open(place) {
    const fact = (name) => {
      const value = h('b');
      return [h('div', {}, value, name), value];
    };
    const names = ['Rate', 'Period', 'Jitter', 'p50', 'p99', 'p99.9', 'max', 'Measured', 'Missed', 'Dropped'];
    const facts = names.map(fact);
    const drawn = h('div', { class: 'drawn' });
    place.append(h('div', { class: 'facts' }, facts.map(([element]) => element)), drawn);
    place.style.overflow = 'auto';
    const history = [];
    let rates = [];
    const drawing = canvas(drawn, (g, width, height) => {
      g.font = `11px ${colour('--sans')}`;
      const values = history.filter(Boolean).flatMap((one) => [one.max, one.p50]).filter((v) => v > 0);
      const [left, bottom, top] = [56, height - 20, 14];
      if (!values.length) return rate(g, width, height);
      const low = Math.floor(Math.log10(Math.max(Math.min(...values), 0.1)));
      const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
      const y = (us) => bottom - ((Math.log10(Math.max(us, 10 ** low)) - low) / (high - low)) * (bottom - top);
      const x = (i) => left + ((i + MOST - history.length) / (MOST - 1)) * (width - left - 66);
      g.strokeStyle = colour('--grid');
      g.fillStyle = colour('--dim');
      for (let e = low; e <= high; e++) {
        g.beginPath();
        g.moveTo(left, y(10 ** e));
        g.lineTo(width - 66, y(10 ** e));
        g.stroke();
        g.fillText(as.micros(10 ** e), 8, y(10 ** e) + 4);
      }
      for (const [name, ink] of LINES) {
        g.beginPath();
        let pen = false;
        history.forEach((one, i) => {
          if (!one) return (pen = false);
          if (pen) g.lineTo(x(i), y(one[name]));
          else g.moveTo(x(i), y(one[name]));
          pen = true;
        });
        [g.strokeStyle, g.lineWidth] = [colour(ink), 1.75];
        g.stroke();
        g.lineWidth = 1;
        const last = history[history.length - 1];
        g.fillStyle = colour(ink);
        if (last) g.fillText(NAMES[name], width - 60, Math.max(top, y(last[name]) + 4));
      }
    });
    // Where no latency is known, the rate.
    const rate = (g, width, height) => {
      const most = Math.max(...rates, 1e-9) * 1.15;
      g.beginPath();
      rates.forEach((r, i) => g.lineTo(56 + ((i + MOST - rates.length) / (MOST - 1)) * (width - 70), height - 22 - (r / most) * (height - 50)));
      [g.strokeStyle, g.lineWidth] = [colour('--accent'), 2];
      g.stroke();
      g.fillStyle = colour('--dim');
      g.fillText('messages a second', 56, 16);
      g.fillText(as.digits(most / 1.15), 10, 40);
      g.fillText('0', 10, height - 18);
      g.fillText('No latency: publication times are unknown, or nobody subscribes, or it is nothing', 56, height - 6);
    };
    return {
      update(row) {
        const latency = row.latency_us;
        const words = [
          `${as.hertz(row.rate_hz)} Hz`, as.seconds(row.period_s), as.seconds(row.jitter_s), as.micros(latency?.p50), as.micros(latency?.p99),
          as.micros(latency?.p999), as.micros(latency?.max), as.count(latency?.count), row.missed == null ? as.NONE : as.count(row.missed), as.count(row.dropped),
        ];
        facts.forEach(([, value], i) => text(value, words[i]));
        history.push(latency);
        rates.push(row.rate_hz);
        if (history.length > MOST) [history.shift(), rates.shift()];
        drawing.again();
      },
      close: drawing.close,
    };
  },
};
