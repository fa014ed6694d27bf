// Numbers for people. Unknown values are a dash, never 0.

export const NONE = '–';

const known = (n) => n !== null && n !== undefined && Number.isFinite(n);

/** Three digits. */
export function digits(n) {
  if (!known(n)) return NONE;
  const size = Math.abs(n);
  if (size === 0) return '0';
  return size >= 100 ? n.toFixed(0) : size >= 10 ? n.toFixed(1) : size >= 0.01 ? n.toFixed(2) : n.toExponential(1);
}

export function count(n) {
  return known(n) ? Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, '\u2009') : NONE;
}

/** A count in a few characters: `1.23 M`. */
export function short(n) {
  if (!known(n) || n < 100000) return count(n);
  for (const [size, unit] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) if (n >= size) return `${digits(n / size)} ${unit}`;
  return NONE;
}

/** A value with useful precision, for the newest value of a plot. */
export function value(n) {
  if (!known(n)) return NONE;
  const size = Math.abs(n);
  return size !== 0 && (size < 1e-4 || size >= 1e9) ? n.toExponential(4) : Number(n.toPrecision(6)).toString();
}

/** A power of ten of microseconds, for an axis: `10 µs`. */
export function decade(us) {
  for (const [size, unit] of [[1e6, 's'], [1e3, 'ms'], [1, 'µs']]) if (us >= size) return `${Number((us / size).toPrecision(3))} ${unit}`;
  return `${Number((us * 1e3).toPrecision(3))} ns`;
}

export function hertz(n) {
  if (!known(n)) return NONE;
  return n === 0 ? '0' : n >= 10000 ? `${digits(n / 1000)} k` : digits(n);
}

export function hz(n) {
  return known(n) && n >= 10000 ? `${digits(n / 1000)} kHz` : `${hertz(n)} Hz`;
}

export function bytes(n) {
  if (!known(n)) return NONE;
  for (const unit of ['B', 'kB', 'MB', 'GB']) {
    if (n < 1000 || unit === 'GB') return `${unit === 'B' ? Math.round(n) : digits(n)} ${unit}`;
    n /= 1000;
  }
  return NONE;
}

/** Seconds in the unit that fits. */
export function seconds(n) {
  if (!known(n)) return NONE;
  const size = Math.abs(n);
  if (size === 0) return '0';
  if (size < 1e-3) return `${digits(n * 1e6)} µs`;
  if (size < 1) return `${digits(n * 1e3)} ms`;
  if (size < 120) return `${digits(n)} s`;
  return size < 7200 ? `${digits(n / 60)} min` : `${digits(n / 3600)} h`;
}

export const micros = (n) => (known(n) ? seconds(n / 1e6) : NONE);

/** A position in a log: hours, minutes, seconds. */
export function clock(s, fraction = 1) {
  const sign = s < 0 ? '−' : '';
  s = Math.abs(s);
  const [hours, minutes] = [Math.floor(s / 3600), Math.floor(s / 60) % 60];
  const rest = (s % 60).toFixed(fraction).padStart(fraction ? 3 + fraction : 2, '0');
  return `${sign}${hours ? `${hours}:${String(minutes).padStart(2, '0')}` : minutes}:${rest}`;
}

/** The name of a publisher or subscriber. */
export function peer(p) {
  return p.process || (p.pid ? `pid ${p.pid}` : p.sender ? `sender ${p.sender}` : '?');
}

export function peerInFull(p) {
  const parts = [p.process, p.pid && `pid ${p.pid}`, p.user && `user ${p.user}`, p.host && `on ${p.host}`, p.sender];
  return parts.filter(Boolean).join(', ');
}
