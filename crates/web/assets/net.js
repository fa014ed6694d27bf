// The connection: sends the list of displayed parts, and receives frames to draw.
//
// The list is always sent completely (see docs/spy-web.md), so that a new connection restores the page.

import { framed, note } from './dom.js';

const KINDS = {
  i8: Int8Array, u8: Uint8Array, i16: Int16Array, i32: Int32Array, f32: Float32Array, f64: Float64Array,
};

export class Net {
  /** Each of `parts` returns a piece of the list of displayed parts. */
  constructor() {
    this.listeners = new Map();
    this.parts = [];
    this.waiting = 200;
    this.show = framed(() => this.tell());
    // Animation frames stop while the page is hidden, so a change of visibility is sent immediately, with the pending acknowledgment.
    document.addEventListener('visibilitychange', () => {
      this.tell();
      if (document.hidden) this.owed?.();
    });
    this.connect();
  }

  /** Calls `f` for each frame of this kind. */
  on(op, f) {
    this.listeners.set(op, [...(this.listeners.get(op) || []), f]);
  }
  emit(op, frame, blob) {
    for (const f of this.listeners.get(op) || []) f(frame, blob);
  }
  /** `part()` returns fields of the list of displayed parts. */
  shows(part) {
    this.parts.push(part);
  }

  connect() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.waiting = 200;
      this.last = null;
      this.values = 0;
      this.tell();
    };
    socket.onmessage = (event) => this.take(event.data);
    socket.onclose = (event) => {
      this.emit('closed', event);
      setTimeout(() => this.connect(), (this.waiting = Math.min(this.waiting * 2, 5000)));
    };
  }

  take(data) {
    if (typeof data === 'string') {
      const frame = JSON.parse(data);
      if (frame.op !== 'turn') return this.hear(frame);
      frame.said.forEach((one) => this.hear(one));
      this.values = frame.values;
      return this.took();
    }
    const length = new DataView(data).getUint32(0, true);
    const frame = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    const start = Math.ceil((4 + length) / 8) * 8;
    frame.value = revive(frame.value, data, start);
    this.emit(frame.op, frame);
    this.values -= 1;
    this.took();
  }
  hear(frame) {
    if (frame.op === 'error') note(frame.text, true);
    this.emit(frame.op, frame);
  }
  /** Acknowledges a turn after it is received and drawn. Only then does the server make the next, so the page never shows old data. */
  took() {
    if (this.values) return;
    const { socket } = this;
    const say = () => {
      if (this.owed !== say) return; // already sent when the page was hidden
      this.owed = null;
      if (socket.readyState === WebSocket.OPEN) socket.send('{"op":"took"}');
    };
    this.owed = say;
    if (document.hidden) say();
    else requestAnimationFrame(say);
  }

  tell() {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const show = Object.assign({ op: 'show' }, ...this.parts.map((part) => part()));
    // A hidden page requests only plots.
    if (document.hidden) Object.assign(show, { hz: 1, rows: undefined, graph: false, open: [] });
    const words = JSON.stringify(show);
    if (words !== this.last) this.socket.send((this.last = words));
  }

  /** Sends a command to the player. */
  player(what, more = {}) {
    if (this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({ op: 'player', do: what, ...more }));
    }
  }
}

/** Long arrays arrive as bytes after the text: `{"$": "f32", "at": 0, "n": 181, "shape": [181]}`. */
function revive(value, data, start) {
  if (value === null || typeof value !== 'object') return value;
  if (typeof value.$ === 'string' && KINDS[value.$]) {
    const array = new KINDS[value.$](data, start + value.at, value.n);
    array.shape = value.shape;
    return array;
  }
  for (const key of Object.keys(value)) value[key] = revive(value[key], data, start);
  return value;
}

/** A channel is identified by its name and its domain. */
export const keyOf = (one) => `${one.domain} ${one.channel}`;
