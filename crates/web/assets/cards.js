// Cards: one for each opened channel, with its fields and the views that fit its type, cards with plots, and the graph.

import { h, text } from './dom.js';
import * as as from './format.js';
import { keyOf } from './net.js';
import { Plot } from './plot.js';
import { TreeView } from './tree.js';
import graph from './views/graph.js';
import { fitting } from './views/index.js';

export class Cards {
  constructor(place, net) {
    Object.assign(this, { place, net, boot: 0, all: [], toggled: new Map(), plots: [], graphed: null, changed: () => {} });
    net.shows(() => ({
      open: this.shown(),
      plots: this.plots.flatMap((plot) => plot.series.map(({ domain, channel, path }) => ({ domain, channel, path }))),
      graph: !!this.graphed,
      hz: this.all.length || this.plots.length ? 20 : 10,
    }));
    // Cards that are scrolled out of sight are not requested.
    this.sight = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) target.card.seen = isIntersecting;
      net.show();
    });
    for (const op of ['row', 'shape', 'tree', 'value']) {
      net.on(op, (frame) => this.all.forEach((card) => card.key === keyOf(frame) && card[op](frame)));
    }
    net.on('points', (frame) => {
      for (const part of frame.series) part.t = part.t.map((t) => t + this.boot);
      this.plots.forEach((plot) => plot.take(frame));
    });
    net.on('graph', (frame) => this.graphed?.view.update(frame));
  }

  keys() {
    return this.all.map((card) => (card.last ? keyOf(card.last) : card.key));
  }
  any() {
    return this.all.length > 0 || this.plots.length > 0 || !!this.graphed;
  }

  /** The list of all cards for the server: each channel once. */
  shown() {
    const open = new Map();
    for (const card of this.all) {
      const one = card.shows();
      const { tree, value, timing, toggled } = open.get(card.key) || one;
      open.set(card.key, {
        ...one, tree: tree || one.tree, value: value || one.value, timing: timing || one.timing,
        toggled: toggled.length ? toggled : one.toggled,
      });
    }
    return [...open.values()];
  }

  /** Opens a channel, or closes all its cards if it is open. */
  open({ domain, channel }) {
    const key = keyOf({ domain, channel });
    // A channel named in the address without its domain is the same.
    const there = this.all.filter((card) => card.key === key || (card.last && keyOf(card.last) === key));
    if (there.length) there.forEach((card) => card.close());
    else this.add({ domain, channel });
  }
  /** Adds a card; several cards of one channel can show different views. */
  add({ domain, channel }, view, last = false) {
    const card = new Card(this, { domain, channel }, view);
    if (last) this.all.push(card);
    else this.all.unshift(card);
    this.place[last ? 'append' : 'prepend'](card.element);
    this.changed();
  }
  chooseAgain() {
    this.all.forEach((card) => card.choose());
  }
  /** The toggled nodes of a channel's tree, shared by all its cards. */
  toggledOf(key) {
    if (!this.toggled.has(key)) this.toggled.set(key, new Set());
    return this.toggled.get(key);
  }

  /** Adds a number to the last plot, or removes it; with Shift, creates a new plot for it. */
  plot(channel, node, event) {
    const key = keyOf(channel);
    let plot = this.plots.find((one) => one.has(key, node.path));
    if (!plot || event.shiftKey) plot = event.shiftKey ? null : this.plots[this.plots.length - 1];
    if (!plot) {
      plot = new Plot(this.net, (gone) => {
        this.plots = this.plots.filter((one) => one !== gone);
        gone.element.remove();
        this.changed();
      });
      this.plots.push(plot);
      this.place.append(plot.element);
    }
    plot.toggle(channel, node.path, node.unit);
    this.changed();
  }
  plotted(channel, path) {
    return this.plots.some((plot) => plot.has(keyOf(channel), path));
  }

  /** Shows or hides the graph of publishers and subscribers. */
  graph() {
    if (this.graphed) {
      this.graphed.view.close();
      this.graphed.element.remove();
      this.graphed = null;
    } else {
      const body = h('div', { class: 'body' });
      const element = h('article', { class: 'card large' }, h('div', { class: 'top' }, h('h2', {}, 'Publishers and subscribers'),
        h('span', { class: 'sub' }, 'publishers  →  channels  →  subscribers'), h('div', { class: 'grow' }),
        h('button', { class: 'bare', title: 'Close', 'aria-label': 'Close', onclick: () => this.graph() }, '✕')), body);
      this.place.prepend(element);
      this.graphed = { element, view: graph.open(body) };
    }
    document.getElementById('graph').classList.toggle('on', !!this.graphed);
    this.changed();
  }
}

class Card {
  constructor(cards, channel, view) {
    Object.assign(this, { cards, channel, wanted: view, key: keyOf(channel), active: null, last: null, type: null, seen: true });
    this.toggled = cards.toggledOf(this.key);
    this.sub = h('span', { class: 'sub' });
    this.tabs = h('div', { class: 'tabs' });
    this.rate = h('span', { class: 'sub rate' });
    this.body = h('div', { class: 'body' });
    this.element = h('article', { class: 'card', 'data-channel': channel.channel },
      h('div', { class: 'top' }, h('h2', { title: channel.channel }, channel.channel), this.sub, h('div', { class: 'grow' }), this.rate, this.tabs,
        h('button', { class: 'bare larger', title: 'Enlarge or restore', 'aria-label': 'Larger', onclick: () => this.element.classList.toggle('large') }, '⤢'),
        h('button', { class: 'bare', title: 'Close', 'aria-label': 'Close', onclick: () => this.close() }, '✕')), this.body);
    this.element.card = this;
    cards.sight.observe(this.element);
    this.views = fitting(null);
    this.use(this.views.find((one) => one.id === view) || this.views[0]);
  }

  close() {
    this.shown?.close?.();
    this.cards.sight.unobserve(this.element);
    this.element.remove();
    this.cards.all = this.cards.all.filter((card) => card !== this);
    this.cards.changed();
  }

  /** The entry of this card for the server. */
  shows() {
    const { seen, active: { id, plain } } = this;
    const tree = seen && id === 'fields';
    return { ...this.channel, tree, value: seen && !tree && !plain, timing: seen && !!plain, toggled: tree ? [...this.toggled] : [] };
  }

  /** Views that fit the type. The best is used, unless the user has chosen one. */
  choose() {
    this.views = fitting(this.type);
    const chosen = this.views.find((one) => one.id === this.wanted);
    const best = chosen || (this.wanted ? this.active : this.views[0]);
    if (best.id !== this.active.id) this.use(best);
    else this.draw();
  }

  use(view) {
    this.shown?.close?.();
    this.body.replaceChildren();
    this.active = view;
    if (view.id === 'fields') {
      const tree = new TreeView(this.body, {
        toggle: (path) => {
          if (!this.toggled.delete(path)) this.toggled.add(path);
          this.cards.net.show();
        },
        plot: (node, event) => this.cards.plot(this.last || this.channel, node, event),
        plotted: (path) => this.cards.plotted(this.last || this.channel, path) || this.cards.plotted(this.channel, path),
      });
      this.shown = { update: (frame) => tree.update(frame.tree, frame.now) };
    } else {
      const place = h('div', { class: 'view' });
      this.body.append(place);
      try {
        this.shown = view.open(place, { type: this.type, channel: this.channel.channel });
      } catch (error) {
        this.fail(error);
      }
    }
    this.draw();
    this.cards.net.show();
  }

  fail(error) {
    this.shown = null;
    this.body.replaceChildren(h('div', { class: 'waiting' }, `This view failed: ${error.message || error}`));
  }

  draw() {
    const tab = (view) => h('button', {
      class: view.id === this.active.id ? 'on' : '', title: view.about || view.title, 'data-view': view.id,
      onclick: () => { this.wanted = view.id; this.use(view); },
    }, view.title);
    this.tabs.replaceChildren(...this.views.map(tab));
  }

  row(frame) {
    if (!frame.row) return;
    this.last = frame.row;
    const { type_name: type, fingerprint } = frame.row;
    text(this.sub, type || (fingerprint ? 'unknown type' : ''));
    this.sub.title = type || fingerprint || '';
    text(this.rate, as.hz(frame.row.rate_hz));
    if (this.active.plain) this.update(frame.row, frame.latencies);
  }
  shape(frame) {
    this.type = frame.type;
    this.choose();
  }
  tree(frame) {
    if (this.active.id === 'fields') this.update(frame);
  }
  value(frame) {
    if (this.active.id !== 'fields' && !this.active.plain) this.update(frame.value, this.last);
  }
  update(...what) {
    try {
      this.shown?.update?.(...what);
    } catch (error) {
      this.fail(error);
    }
  }
}
