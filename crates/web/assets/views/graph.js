// The graph: publishers on the left, channels in the middle, subscribers on the right.

import { h, svg } from '../dom.js';
import * as as from '../format.js';

const HEIGHT = 30;
const WIDTH = 1000;
const COLUMNS = { publishers: [10, 230], channels: [375, 250], subscribers: [760, 230] };

export default {
  open(place) {
    const box = h('div', { class: 'graph' });
    place.append(box);
    let last = '';
    let over = null;
    const light = (drawing, name) => {
      over = name;
      const near = new Set(name ? [name] : []);
      for (const line of drawing.querySelectorAll('path')) {
        const { from, to } = line.dataset;
        const on = !name || from === name || to === name;
        if (on && name) near.add(from).add(to);
        line.classList.toggle('dimmed', !on);
      }
      for (const node of drawing.querySelectorAll('g')) node.classList.toggle('dimmed', !!name && !near.has(node.dataset.name));
    };

    return {
      update({ channels }) {
        const words = JSON.stringify(channels.map((c) => [c.channel, c.domain, c.publishers, c.subscribers, c.stale, as.hertz(c.rate_hz)]));
        if (words === last) return;
        last = words;
        const sides = { publishers: new Map(), subscribers: new Map() };
        const lines = [];
        channels.forEach((channel, i) => {
          for (const side of ['publishers', 'subscribers']) {
            for (const peer of channel[side]) {
              const name = as.peer(peer);
              const id = `${side} ${peer.host || ''} ${peer.pid ?? name}`;
              if (!sides[side].has(id)) sides[side].set(id, { id, name, title: as.peerInFull(peer), rows: [] });
              sides[side].get(id).rows.push(i);
              lines.push([side, id, i]);
            }
          }
        });
        const rows = Math.max(channels.length, sides.publishers.size, sides.subscribers.size, 6);
        const height = rows * HEIGHT + 44;
        const places = new Map();
        const y = (i, n) => 40 + (i + 0.5) * ((height - 44) / n);
        channels.forEach((_, i) => places.set(`channel ${i}`, y(i, channels.length)));
        for (const side of ['publishers', 'subscribers']) {
          // Next to their channels, so that few lines cross.
          const middle = (peer) => peer.rows.reduce((a, b) => a + b, 0) / peer.rows.length;
          const list = [...sides[side].values()].sort((a, b) => middle(a) - middle(b));
          list.forEach((peer) => places.set(peer.id, y(middle(peer), channels.length)));
          // Separates them: down from the first, then up from the last.
          list.forEach((peer, i) => i && places.set(peer.id, Math.max(places.get(peer.id), places.get(list[i - 1].id) + HEIGHT)));
          let lowest = height - HEIGHT / 2;
          for (const peer of list.toReversed()) {
            places.set(peer.id, (lowest = Math.min(places.get(peer.id), lowest)));
            lowest -= HEIGHT;
          }
        }
        const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${height}` });
        for (const [side, [x]] of Object.entries(COLUMNS)) drawing.append(svg('text', { class: 'label', x, y: 20 }, side));
        if (!sides.subscribers.size) drawing.append(svg('text', { class: 'rate', x: WIDTH - 12, y: 60 }, 'none, or unknown'));
        for (const [side, id, i] of lines) {
          const [cx, cw] = COLUMNS.channels;
          const [px, pw] = COLUMNS[side];
          const [x1, x2] = side === 'publishers' ? [px + pw, cx] : [cx + cw, px];
          const [a, b] = [places.get(id), places.get(`channel ${i}`)];
          const [y1, y2] = side === 'publishers' ? [a, b] : [b, a];
          const middle = (x1 + x2) / 2;
          drawing.append(svg('path', {
            class: side === 'publishers' ? 'write' : 'read', d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`,
            'data-from': id, 'data-to': `channel ${i}`,
          }));
        }
        const node = (kind, name, [x, width], words, title, rate) => {
          const at = places.get(name);
          const element = svg('g', { class: kind, 'data-name': name, onmouseenter: () => light(drawing, name), onmouseleave: () => light(drawing, null) },
            svg('title', {}, title), svg('rect', { x, y: at - 11.5, width, height: 23, rx: 7 }),
            svg('text', { x: x + 10, y: at }, words.length > 26 ? `${words.slice(0, 25)}…` : words));
          if (rate) element.append(svg('text', { class: 'rate', x: x + width - 9, y: at }, rate));
          drawing.append(element);
        };
        channels.forEach((c, i) => node(`channel${c.stale ? ' stale' : ''}`, `channel ${i}`, COLUMNS.channels, c.channel, `${c.channel}\n${c.type_name || ''}\n${c.domain}`, as.hz(c.rate_hz)));
        for (const side of ['publishers', 'subscribers']) {
          for (const peer of sides[side].values()) node('process', peer.id, COLUMNS[side], peer.name, peer.title);
        }
        box.replaceChildren(drawing);
        if (over && places.has(over)) light(drawing, over);
      },
      close() { box.remove(); },
    };
  },
};
