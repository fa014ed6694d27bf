// Poses and paths, seen from above: the current position, the past ones, and the planned path.

import { canvas, colour } from '../dom.js';
import { digits } from '../format.js';

const MOST = 5000;
const POSITIONS = ['position', 'pos', 'translation', 'xyz'];
const TURNS = ['orientation', 'quat', 'rotation', 'quaternion'];
const HEADINGS = ['theta', 'yaw', 'heading', 'psi'];
const INNER = ['pose', 'transform'];
const PATHS = ['poses', 'path', 'waypoints', 'points', 'trajectory'];

const number = (type) => ['double', 'float'].includes(type);
const field = (type, names) => type?.fields?.find((f) => names.includes(f.name));

/** Whether a type contains a position. */
function isPose(type) {
  const x = field(type, ['x']);
  const y = field(type, ['y']);
  if (x && y && number(x.type) && number(y.type)) return x.dims.length === y.dims.length && x.dims.length < 2;
  const position = field(type, POSITIONS);
  if (position && number(position.type) && position.dims.length === 1) return true;
  if (position?.fields && !position.dims.length) return isPose(position);
  const inner = field(type, INNER);
  return !!inner && !inner.dims.length && isPose(inner);
}

/** [x, y, heading or null] of a value. */
function pose(value) {
  for (const name of INNER) if (value[name] && !Array.isArray(value[name])) return pose(value[name]);
  const position = POSITIONS.map((name) => value[name]).find(Boolean);
  const at = position ? [position.x ?? position[0], position.y ?? position[1]] : [value.x, value.y];
  let heading = HEADINGS.map((name) => value[name]).find((one) => typeof one === 'number') ?? null;
  const turn = TURNS.map((name) => value[name]).find(Boolean);
  if (turn) {
    // LCM's convention for arrays is w first; with field names the order is clear.
    const [w, x, y, z] = turn.w === undefined ? [turn[0], turn[1], turn[2], turn[3]] : [turn.w, turn.x, turn.y, turn.z];
    heading = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  }
  return [...at, heading];
}

/** The path in a value: [[x, y, heading], …], or null. */
function path(value) {
  if (value.x?.length !== undefined && value.y?.length !== undefined) return Array.from(value.x, (x, i) => [x, value.y[i], null]);
  const list = PATHS.map((name) => value[name]).find(Array.isArray);
  return list ? list.map((one) => pose(one)) : null;
}

export default {
  id: 'pose',
  title: 'Map',
  about: 'Poses and paths, seen from above',

  fits(type) {
    const list = field(type, PATHS);
    if (list?.fields && list.dims.length === 1 && isPose(list)) return 0.9;
    return isPose(type) ? 0.8 : 0;
  },

  open(place) {
    let trail = [];
    let way = null;
    let usual = 0.1;
    const drawing = canvas(place, (g, width, height) => {
      const all = [...trail, ...(way || [])].filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
      if (!all.length) return;
      let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
      for (const [x, y] of all) {
        [x0, x1] = [Math.min(x0, x), Math.max(x1, x)];
        [y0, y1] = [Math.min(y0, y), Math.max(y1, y)];
      }
      const room = 1.15;
      const scale = Math.min(width / Math.max((x1 - x0) * room, 1), height / Math.max((y1 - y0) * room, 1));
      const [mx, my] = [(x0 + x1) / 2, (y0 + y1) / 2];
      const at = (x, y) => [width / 2 + (x - mx) * scale, height / 2 - (y - my) * scale];
      const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000].find((m) => m * scale > 70) || 1e4;
      g.strokeStyle = colour('--grid');
      g.fillStyle = colour('--dim');
      g.font = `11px ${colour('--sans')}`;
      const [left, right] = [mx - width / 2 / scale, mx + width / 2 / scale];
      const [low, high] = [my - height / 2 / scale, my + height / 2 / scale];
      g.beginPath();
      for (let x = Math.ceil(left / step) * step; x < right; x += step) {
        g.moveTo(at(x, 0)[0], 0);
        g.lineTo(at(x, 0)[0], height);
      }
      for (let y = Math.ceil(low / step) * step; y < high; y += step) {
        g.moveTo(0, at(0, y)[1]);
        g.lineTo(width, at(0, y)[1]);
      }
      g.stroke();
      // Numbers are drawn over the lines; they must not overlap in the corner, or be cut at the edge.
      const figure = (words, x, y) => {
        g.strokeStyle = colour('--panel');
        g.lineWidth = 4;
        g.strokeText(words, x, y);
        g.lineWidth = 1;
        g.fillText(words, x, y);
      };
      for (let x = Math.ceil(left / step) * step; x < right; x += step) {
        const [words, place] = [digits(x), at(x, 0)[0] + 3];
        if (place > 46 && place + g.measureText(words).width < width - 4) figure(words, place, height - 6);
      }
      for (let y = Math.ceil(low / step) * step; y < high; y += step) {
        const place = at(0, y)[1] - 3;
        if (place > 14 && place < height - 20) figure(digits(y), 4, place);
      }
      const line = (points, stroke, thick) => {
        g.beginPath();
        points.forEach(([x, y, , jump], i) => (i && !jump ? g.lineTo(...at(x, y)) : g.moveTo(...at(x, y))));
        [g.strokeStyle, g.lineWidth, g.lineJoin] = [stroke, thick, 'round'];
        g.stroke();
        g.lineWidth = 1;
      };
      if (way) line(way, colour('--c2'), 3);
      line(trail, colour('--accent'), 2);
      const last = trail[trail.length - 1];
      if (!last) return;
      const [px, py] = at(last[0], last[1]);
      g.save();
      g.translate(px, py);
      g.fillStyle = colour('--warm');
      g.beginPath();
      if (last[2] === null) g.arc(0, 0, 6, 0, Math.PI * 2);
      else {
        g.rotate(-last[2]);
        g.moveTo(13, 0);
        g.lineTo(-8, 7.5);
        g.lineTo(-4, 0);
        g.lineTo(-8, -7.5);
      }
      g.fill();
      g.restore();
      g.fillStyle = colour('--text');
      const heading = last[2] === null ? '' : `   ${digits((last[2] * 180) / Math.PI)}°`;
      g.fillText(`${last[0].toFixed(2)}, ${last[1].toFixed(2)}${heading}`, 58, 20);
    });
    place.ondblclick = () => { trail = []; drawing.again(); };
    return {
      update(value) {
        way = path(value);
        if (!way) {
          const here = pose(value);
          const last = trail[trail.length - 1];
          const moved = last ? Math.hypot(here[0] - last[0], here[1] - last[1]) : 0;
          // Far more than any movement before: a jump, as after a seek in a log.
          here.push(moved > 0.5 && moved > 8 * usual);
          if (!here[3]) usual = Math.max(usual * 0.98, moved);
          if (!last || moved > 0.005 || here[2] !== last[2]) trail.push(here);
          if (trail.length > MOST) trail.splice(0, MOST / 10);
        }
        drawing.again();
      },
      close: drawing.close,
    };
  },
};
