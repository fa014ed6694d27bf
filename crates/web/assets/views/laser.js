// A planar laser scan, drawn around the scanner. Forward is up.

import { canvas, colour } from '../dom.js';
import { digits } from '../format.js';

const RANGES = ['ranges', 'range', 'distances', 'scan'];
const STARTS = ['rad0', 'angle_min', 'start_angle', 'min_angle'];
const STEPS = ['radstep', 'angle_increment', 'angle_step', 'resolution', 'increment'];

const named = (value, names) => names.map((name) => value[name]).find((one) => one !== undefined && one !== null);

export default {
  id: 'laser',
  title: 'Scan',
  about: 'A planar laser scan',

  fits(type) {
    const has = (names, array) => type.fields.some((f) => names.includes(f.name) && (f.dims.length === 1) === array);
    return has(RANGES, true) && has(STARTS, false) && has(STEPS, false) ? 1 : 0;
  },

  open(place) {
    let value = null;
    let reach = 1;
    let zoom = 1;
    const drawing = canvas(place, (g, width, height) => {
      if (!value) return;
      const ranges = named(value, RANGES);
      const [start, step] = [named(value, STARTS), named(value, STEPS)];
      const least = value.range_min ?? 0;
      // A range at the maximum is not an echo, and does not affect the scale.
      const all = Float64Array.from(ranges).filter((r) => r > least && r < (value.range_max ?? 80)).sort();
      const wanted = Math.max(1, (all[Math.floor(all.length * 0.97)] ?? 1) * 1.08);
      reach += (wanted - reach) * (wanted > reach ? 0.3 : 0.04);
      // A half circle needs no space behind the scanner.
      const behind = Math.max(Math.abs(start), Math.abs(start + step * (ranges.length - 1))) > 2;
      const radius = Math.min(width / 2 - 14, behind ? height / 2 - 14 : height - 50);
      const scale = (zoom * radius) / reach;
      const [cx, cy] = [width / 2, behind ? height / 2 : Math.min(height - 34, (height + radius) / 2)];
      const at = (r, a) => [cx - Math.sin(a) * r * scale, cy - Math.cos(a) * r * scale];

      g.lineWidth = 1;
      g.strokeStyle = colour('--grid');
      g.fillStyle = colour('--dim');
      g.font = `11px ${colour('--sans')}`;
      const round = [0.5, 1, 2, 5, 10, 20, 50].find((m) => m * scale > 64) || 100;
      for (let r = round; r * scale < Math.hypot(width, height); r += round) {
        g.beginPath();
        g.arc(cx, cy, r * scale, 0, Math.PI * 2);
        g.stroke();
        g.fillText(`${r} m`, cx + 4, cy - r * scale - 3);
      }
      for (let a = 0; a < 360; a += 30) {
        g.beginPath();
        g.moveTo(cx, cy);
        g.lineTo(...at(reach * 3, (a * Math.PI) / 180));
        g.stroke();
      }

      g.fillStyle = colour('--accent-soft');
      g.beginPath();
      g.moveTo(cx, cy);
      const far = Math.hypot(width, height) / scale;
      for (let i = 0; i < ranges.length; i++) g.lineTo(...at(Number.isFinite(ranges[i]) ? Math.min(ranges[i], far) : 0, start + i * step));
      g.closePath();
      g.fill();
      const tints = value.intensities?.length === ranges.length ? value.intensities : null;
      const strongest = tints ? tints.reduce((a, b) => Math.max(a, b), 1e-9) : 1;
      g.fillStyle = colour('--accent');
      for (let i = 0; i < ranges.length; i++) {
        if (!(ranges[i] > least) || ranges[i] > far) continue;
        const [x, y] = at(ranges[i], start + i * step);
        if (tints) g.globalAlpha = 0.35 + 0.65 * (tints[i] / strongest);
        g.fillRect(x - 1.5, y - 1.5, 3, 3);
      }
      g.globalAlpha = 1;
      g.fillStyle = colour('--warm');
      g.beginPath();
      g.moveTo(cx, cy - 9);
      g.lineTo(cx + 6, cy + 6);
      g.lineTo(cx - 6, cy + 6);
      g.fill();
      g.fillStyle = colour('--dim');
      const near = all.length ? `, nearest ${digits(all[0])} m` : '';
      g.fillText(`${ranges.length} beams, ${digits((Math.abs(step) * (ranges.length - 1) * 180) / Math.PI)}°${near}`, 12, height - 10);
    });
    place.onwheel = (event) => {
      event.preventDefault();
      zoom = Math.min(20, Math.max(0.2, zoom * (event.deltaY > 0 ? 0.88 : 1.14)));
      drawing.again();
    };
    place.ondblclick = () => { zoom = 1; drawing.again(); };
    return {
      update(newest) { value = newest; drawing.again(); },
      close: drawing.close,
    };
  },
};
