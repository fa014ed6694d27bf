// The list of views, and the choice of those that fit a type. docs/spy-web.md describes how to write one.

import balance from './balance.js';
import image from './image.js';
import laser from './laser.js';
import latency from './latency.js';
import pose from './pose.js';

const fields = { id: 'fields', title: 'Fields', about: 'The fields of the newest message', fits: () => 0.3 };
const all = [laser, image, balance, pose, fields, latency];

/** Loads each view of the directory once. */
export async function load(names, failed) {
  for (const name of names) {
    const id = `own:${name}`;
    if (all.some((view) => view.id === id)) continue;
    try {
      const { default: view } = await import(`/own/${encodeURIComponent(name)}`);
      if (typeof view?.fits !== 'function' || typeof view.open !== 'function') throw Error('not a view: it must export fits(type) and open(place, context)');
      all.push({ ...view, id, title: view.title || name });
    } catch (error) {
      failed(name, error.message);
    }
  }
}

/** The views that fit a type, best first. For an unknown type, those that fit every channel. */
export function fitting(type) {
  const fit = (view) => {
    try {
      return view === fields || view.plain || type ? Number(view.fits(type)) || 0 : 0;
    } catch {
      return 0;
    }
  };
  const scored = all.map((view) => [fit(view), view]).filter(([score]) => score > 0);
  return scored.sort((a, b) => b[0] - a[0]).map(([, view]) => view);
}

/** The field with one of these names: `find(type, 'ranges', 'scan')`. */
export function find(type, ...names) {
  for (const name of names) {
    const field = type.fields.find((one) => one.name.toLowerCase() === name);
    if (field) return field;
  }
  return null;
}
