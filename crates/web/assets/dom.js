// Helpers that create elements. Text from channels is always set as text, never parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg';

/** An element with attributes (on* are listeners, `class`, `title`, …) and children: elements or text. */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for SVG elements. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return element;
}

/** Sets a text if it differs, which is much cheaper than always setting it. */
export function text(element, words) {
  if (element.shown !== words) {
    element.shown = words;
    element.textContent = words;
  }
}

/** Calls `draw` once in the next frame, however often it was requested. */
export function framed(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/** A canvas with the resolution of the screen; `draw(context, width, height)` uses CSS pixels. */
export function canvas(parent, draw) {
  const element = h('canvas');
  parent.append(element);
  // The size from the observer: reading it in each frame would force a layout.
  let [width, height] = [0, 0];
  const again = framed(() => {
    const ratio = window.devicePixelRatio || 1;
    const [w, hh] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (!w || !hh) return;
    if (element.width !== w || element.height !== hh) [element.width, element.height] = [w, hh];
    element.style.width = `${width}px`;
    element.style.height = `${height}px`;
    const context = element.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  });
  const observer = new ResizeObserver(([{ contentRect }]) => {
    [width, height] = [contentRect.width, contentRect.height];
    again();
  });
  observer.observe(parent);
  document.addEventListener('theme', again);
  const close = () => {
    observer.disconnect();
    document.removeEventListener('theme', again);
    element.remove();
  };
  return { element, again, close };
}

const colours = new Map();
document.addEventListener('theme', () => colours.clear());

/** A color of the theme, such as `--accent`. Cached, because reading it forces a style computation. */
export function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colours.get(name);
}

/** Offers a file for download. */
export function save(name, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type: 'text/csv' });
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Shows a note in the corner for a while. */
export function note(words, bad = false) {
  const place = document.getElementById('notes');
  if ([...place.children].some((line) => line.textContent === words)) return;
  const line = h('div', { class: bad ? 'bad' : '' }, words);
  place.append(line);
  while (place.children.length > 4) place.firstChild.remove();
  setTimeout(() => line.remove(), 6000);
}
