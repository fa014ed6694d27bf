// The player: a timeline with the density of each channel, marks, bookmarks, and the choice and names of played channels.

import { canvas, colour, h, text } from './dom.js';
import * as as from './format.js';

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100];
const ROWS = 8;

export class Player {
  constructor(place, net) {
    Object.assign(this, { place, net, about: null, state: null, dragging: null, mark: null });
    net.on('hello', (hello) => hello.player && this.build(hello.player));
    net.on('player', (state) => this.take(state));
    document.addEventListener('keydown', (event) => this.key(event));
  }

  build(about) {
    this.about = about;
    for (const track of about.tracks) {
      // A few very dense bins must not make all others pale.
      const usual = track.bins.filter((n) => n).sort((a, b) => a - b);
      track.peak = usual[Math.floor(usual.length * 0.95)] || 1;
    }
    const button = (words, title, act, kind = '') => h('button', { class: kind, title, onclick: act }, words);
    const say = (what, more) => () => this.net.player(what, more);
    this.now = h('span', { class: 'now' }, '0:00.0');
    this.run = button('Play', 'Play or pause (space)', () => this.toggle(), 'play');
    this.speed = h('select', { title: 'Speed', onchange: () => this.net.player('speed', { to: Number(this.speed.value) }) },
      SPEEDS.map((s) => h('option', { value: s, selected: s === 1 }, `${s} ×`)), h('option', { value: 0 }, 'no limit'));
    this.only = h('select', { title: 'Step through messages of this channel' }, h('option', { value: '' }, 'any channel'),
      about.tracks.map((track) => h('option', { value: track.channel }, track.channel)));
    this.repeat = button('A–B', 'Repeat from A to B, or stop repeating (\\)', () => this.loop());
    this.jump = h('select', { title: 'Go to a bookmark', onchange: () => this.leap() }, h('option', { value: '' }, 'Bookmarks'));
    this.trouble = h('span', { class: 'files' });
    const only = () => (this.only.value ? { channel: this.only.value } : {});
    const bar = h('div', { class: 'bar' }, this.run, this.now, h('span', { class: 'of' }, `/ ${as.clock(about.length)}`),
      button('◂ Step', 'One message back (←)', () => this.net.player('step', { back: true, ...only() })),
      button('Step ▸', 'One message forward (→)', () => this.net.player('step', { back: false, ...only() })), this.only, this.speed,
      button('A [', 'Start of the loop ([)', () => this.setMark('a')), button('] B', 'End of the loop (])', () => this.setMark('b')), this.repeat,
      button('Bookmark', 'Set a bookmark here (b)', () => this.bookmark()), this.jump,
      button('Channels', 'Choose and rename the played channels', () => { this.list.hidden = !this.list.hidden; }),
      h('div', { class: 'grow' }), this.trouble, h('span', { class: 'files', title: `into ${about.into}` }, about.files.join(', ')));
    this.time = h('div', { class: 'time' });
    this.list = h('div', { class: 'tracks', hidden: true });
    this.place.replaceChildren(bar, this.time, this.list);
    this.place.hidden = false;
    this.boxes = about.tracks.map((track) => this.track(track));
    this.list.append(...this.boxes.map((box) => box.element));
    const rows = Math.min(ROWS, about.tracks.length);
    this.time.style.setProperty('--height', `${24 + rows * 14 + 8}px`);
    this.drawing = canvas(this.time, (g, width, height) => this.draw(g, width, height));
    this.time.onpointerdown = (event) => {
      this.time.setPointerCapture(event.pointerId);
      this.dragging = true;
      this.drag(event);
    };
    this.time.onpointermove = (event) => this.dragging && this.drag(event);
    this.time.onpointerup = () => { this.dragging = null; };
  }

  track(about) {
    const box = h('input', { type: 'checkbox', checked: true });
    const name = h('input', { class: 'name', placeholder: about.channel, title: 'Publish it under this name', maxlength: 63 });
    const tell = () => this.net.player('track', { channel: about.channel, on: box.checked, name: name.value.trim() });
    box.onchange = name.onchange = tell;
    const element = h('div', { class: 'track' }, box, h('span', { class: 'was', title: about.channel }, about.channel),
      h('span', { class: 'many' }, as.count(about.messages)), name);
    return { element, box, name };
  }

  take(state) {
    this.state = state;
    if (!this.about) return;
    text(this.now, as.clock(state.at));
    text(this.run, state.playing ? 'Pause' : 'Play');
    text(this.trouble, state.trouble || '');
    const known = [...SPEEDS, 0];
    if (document.activeElement !== this.speed) this.speed.value = known.reduce((a, b) => (Math.abs(b - state.speed) < Math.abs(a - state.speed) ? b : a));
    this.repeat.classList.toggle('on', !!state.repeat);
    const marks = JSON.stringify(state.bookmarks);
    if (marks !== this.marks) {
      this.marks = marks;
      this.jump.replaceChildren(h('option', { value: '' }, `Bookmarks${state.bookmarks.length ? ` (${state.bookmarks.length})` : ''}`),
        ...state.bookmarks.map((one) => h('option', { value: one.at }, `${as.clock(one.at)}  ${one.name}`)));
    }
    state.tracks.forEach((track, i) => {
      const box = this.boxes[i];
      if (!box || box.element.contains(document.activeElement)) return;
      box.box.checked = track.on;
      box.name.value = track.name;
    });
    this.drawing.again();
  }

  toggle() {
    this.net.player(this.state?.playing ? 'pause' : 'play');
  }
  bookmark() {
    const name = prompt('Name of the bookmark', `at ${as.clock(this.state?.at || 0)}`);
    if (name) this.net.player('bookmark', { name });
  }
  leap() {
    if (this.jump.value) this.net.player('seek', { to: Number(this.jump.value) });
    this.jump.value = '';
  }
  setMark(which) {
    const at = this.state?.at || 0;
    if (which === 'a') this.mark = at;
    else this.net.player('repeat', { from: this.mark ?? 0, to: at });
    if (which === 'b') this.mark = null;
    this.drawing.again();
  }
  loop() {
    if (this.state?.repeat) this.net.player('repeat', { from: null, to: null });
    else this.net.player('repeat', { from: this.mark ?? 0, to: this.about.length });
  }

  key(event) {
    const button = event.key === ' ' && event.target.matches('button');
    if (!this.about || button || document.querySelector('dialog[open]') || event.target.matches('input, select, textarea') || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.state?.at || 0;
    const act = {
      ' ': () => this.toggle(),
      ArrowLeft: () => this.net.player('step', { back: true }),
      ArrowRight: () => this.net.player('step', { back: false }),
      ArrowUp: () => this.net.player('seek', { to: at + 10 }),
      ArrowDown: () => this.net.player('seek', { to: Math.max(0, at - 10) }),
      '+': () => this.net.player('speed', { to: Math.min(100, this.state.speed * 2) }),
      '-': () => this.net.player('speed', { to: Math.max(0.01, this.state.speed / 2) }),
      '[': () => this.setMark('a'),
      ']': () => this.setMark('b'),
      '\\': () => this.net.player('repeat', { from: null, to: null }),
      b: () => this.bookmark(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  drag(event) {
    const box = this.time.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    this.wanted = part * this.about.length;
    // One request at a time, and at most one per frame.
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = null;
      this.net.player('seek', { to: this.wanted });
    });
  }

  draw(g, width, height) {
    const { about, state } = this;
    const length = about.length || 1;
    const x = (t) => (t / length) * width;
    g.font = `11px ${colour('--sans')}`;
    // Seconds along the top.
    const step = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 14400, 86400].find((s) => x(s) > 74) || 604800;
    g.strokeStyle = colour('--grid');
    g.fillStyle = colour('--dim');
    g.beginPath();
    for (let t = 0; t <= length; t += step) {
      g.moveTo(x(t), 0);
      g.lineTo(x(t), height);
      g.fillText(as.clock(t, step < 1 ? 1 : 0), x(t) + 4, 14);
    }
    g.stroke();
    // A line for each of the channels with the most messages; darker is more.
    const most = about.tracks.map((track, i) => ({ ...track, i })).sort((a, b) => b.messages - a.messages).slice(0, ROWS);
    most.sort((a, b) => a.i - b.i).forEach((track, row) => {
      const top = 24 + row * 14;
      const on = state?.tracks[track.i]?.on ?? true;
      g.fillStyle = on ? colour(`--c${track.i % 8}`) : colour('--dim');
      const wide = width / track.bins.length;
      track.bins.forEach((n, i) => {
        if (!n) return;
        g.globalAlpha = (on ? 0.25 : 0.1) + (on ? 0.75 : 0.15) * Math.min(1, n / track.peak);
        g.fillRect(i * wide, top, Math.max(1, wide + 0.3), 11);
      });
      g.globalAlpha = 1;
      const words = state?.tracks[track.i]?.name || track.channel;
      g.fillStyle = colour('--panel');
      g.globalAlpha = 0.82;
      g.fillRect(6, top - 1, g.measureText(words).width + 8, 13);
      g.globalAlpha = 1;
      g.fillStyle = colour(on ? '--text' : '--dim');
      g.fillText(words, 10, top + 9.5);
    });
    if (!state) return;
    const part = state.repeat || (this.mark !== null ? [this.mark, this.mark] : null);
    if (part) {
      g.fillStyle = colour('--accent-soft');
      g.fillRect(x(part[0]), 0, x(part[1]) - x(part[0]), height);
      g.fillStyle = colour('--accent');
      part.forEach((t, i) => {
        g.fillRect(x(t) - 1, 0, 2, height);
        g.fillText(i ? 'B' : 'A', x(t) + (i ? -12 : 5), height - 5);
      });
    }
    g.fillStyle = colour('--c3');
    for (const one of state.bookmarks) {
      g.beginPath();
      g.moveTo(x(one.at), height);
      g.lineTo(x(one.at) - 6, height - 11);
      g.lineTo(x(one.at) + 6, height - 11);
      g.fill();
    }
    g.fillStyle = colour('--warm');
    g.fillRect(x(state.at) - 1, 0, 2.5, height);
    g.beginPath();
    g.arc(x(state.at), 5, 5, 0, Math.PI * 2);
    g.fill();
  }
}
