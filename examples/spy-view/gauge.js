// A view for the spy in a browser: every number of a message as a dial.
//
// A view is one file that exports `{ title, fits(type), open(place, context) }`; docs/spy-web.md tells what they are given.

const NUMBERS = ['double', 'float', 'int8_t', 'int16_t', 'int32_t', 'byte'];
const MOST = 12;

/** The numbers of a type that are no arrays. */
const numbers = (type) => type.fields.filter((field) => NUMBERS.includes(field.type) && !field.dims.length).slice(0, MOST);

export default {
  title: 'Dials',
  about: 'Numbers as dials, from the least to the largest seen',

  /** How well it fits a type, from 0 (not at all) to 1 (made for it). Fields have 0.3. */
  fits(type) {
    return numbers(type).length ? 0.2 : 0;
  },

  /** Draws into `place`, an element. `update` is called with each newest message, at most as often as the page is drawn. */
  open(place, { type }) {
    const canvas = document.createElement('canvas');
    place.append(canvas);
    const fields = numbers(type);
    const seen = new Map();
    let value = null;

    const draw = () => {
      const colours = getComputedStyle(document.documentElement);
      const ink = (name) => colours.getPropertyValue(name).trim();
      const [width, height] = [place.clientWidth, place.clientHeight];
      const ratio = window.devicePixelRatio || 1;
      [canvas.width, canvas.height] = [width * ratio, height * ratio];
      [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
      const g = canvas.getContext('2d');
      g.scale(ratio, ratio);
      const columns = Math.ceil(Math.sqrt((fields.length * width) / Math.max(height, 1)));
      const rows = Math.ceil(fields.length / columns);
      fields.forEach((field, i) => {
        const [low, high] = seen.get(field.name);
        const part = high > low ? (value[field.name] - low) / (high - low) : 0.5;
        const [w, h] = [width / columns, height / rows];
        const [x, y] = [((i % columns) + 0.5) * w, (Math.floor(i / columns) + 0.5) * h];
        const radius = Math.max(10, Math.min(w, h) * 0.36);
        const [from, to] = [Math.PI * 0.75, Math.PI * 2.25];
        g.lineWidth = radius * 0.16;
        g.lineCap = 'round';
        for (const [end, colour] of [[to, '--line'], [from + (to - from) * part, '--accent']]) {
          g.beginPath();
          g.arc(x, y, radius, from, end);
          g.strokeStyle = ink(colour);
          g.stroke();
        }
        g.textAlign = 'center';
        g.fillStyle = ink('--text');
        g.font = `600 ${radius * 0.34}px ${ink('--sans')}`;
        g.fillText(Number(value[field.name].toPrecision(4)), x, y + radius * 0.1);
        g.fillStyle = ink('--dim');
        g.font = `${Math.max(11, radius * 0.2)}px ${ink('--sans')}`;
        g.fillText(field.unit ? `${field.name} [${field.unit}]` : field.name, x, y + radius * 0.95);
      });
    };

    let asked = 0;
    return {
      update(message) {
        value = message;
        for (const { name } of fields) {
          const [low, high] = seen.get(name) || [Infinity, -Infinity];
          seen.set(name, [Math.min(low, message[name]), Math.max(high, message[name])]);
        }
        cancelAnimationFrame(asked);
        asked = requestAnimationFrame(draw);
      },
      close() {
        cancelAnimationFrame(asked);
        canvas.remove();
      },
    };
  },
};
