// A message as a live tree. Lines are created once; then only their texts change.

import { h, text } from './dom.js';

const FRESH_NS = 400e6;

export class TreeView {
  /** `toggle(path)` folds and unfolds; `plot(node, event)` adds a number to a plot; `plotted(path)` returns whether it is in one. */
  constructor(place, { toggle, plot, plotted }) {
    Object.assign(this, { toggle, plot, plotted });
    this.lines = new Map();
    this.error = h('div', { class: 'error', hidden: true });
    this.list = h('div');
    this.pre = h('pre');
    this.hex = h('details', {}, h('summary', {}, 'bytes'), this.pre);
    place.append(h('div', { class: 'tree' }, this.error, this.list, this.hex));
  }

  update(tree, now) {
    this.error.hidden = !tree.error;
    text(this.error, tree.error || '');
    // Without fields, shows the bytes.
    if (!this.begun && tree.hex.length && !tree.nodes.length) this.hex.open = true;
    this.begun ||= tree.hex.length > 0;
    if (this.hex.open) text(this.pre, tree.hex.join('\n'));
    const seen = new Set();
    let place = this.list.firstChild;
    const walk = (nodes, depth) => {
      for (const node of nodes) {
        seen.add(node.path);
        let line = this.lines.get(node.path);
        if (!line || line.kind !== node.kind) {
          line?.element.remove();
          if (line?.element === place) place = null;
          this.lines.set(node.path, (line = this.line(node, depth)));
        }
        if (line.element !== place) this.list.insertBefore(line.element, place);
        else place = place.nextSibling;
        this.fill(line, node, now);
        if (node.expanded) walk(node.children, depth + 1);
      }
    };
    walk(tree.nodes, 0);
    for (const [path, line] of this.lines) {
      if (seen.has(path)) continue;
      line.element.remove();
      this.lines.delete(path);
    }
  }

  line(node, depth) {
    const line = { kind: node.kind, node };
    line.name = h('span', { class: 'name' }, node.name);
    line.value = h('span', { class: 'value' });
    line.unit = h('span', { class: 'unit' }, node.unit || '');
    const parent = ['struct', 'array', 'range'].includes(node.kind);
    const parts = [line.name, line.value, line.unit];
    if (node.comment) parts.push(h('span', { class: 'say' }, node.comment));
    parts.push(h('span', { class: 'what' }, node.type));
    if (node.kind === 'number') {
      const plot = (event) => {
        event.stopPropagation();
        this.plot(line.node, event);
      };
      line.button = h('button', { title: 'Plot this number; with Shift in a new plot', onclick: plot }, 'plot');
      parts.push(line.button);
    }
    const click = (event) => {
      if (parent) this.toggle(line.node.path);
      else if (event.detail === 2 && line.button) this.plot(line.node, event);
    };
    const key = (event) => {
      if (!parent || event.target !== line.element || !['Enter', ' '].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      this.toggle(line.node.path);
    };
    line.element = h('div', { class: `node ${node.kind}`, title: [node.type, node.comment].filter(Boolean).join(': '), 'data-path': node.path, onclick: click, tabindex: parent ? '0' : null, onkeydown: key }, parts);
    line.element.style.setProperty('--depth', depth);
    line.element.classList.toggle('parent', parent);
    return line;
  }

  fill(line, node, now) {
    line.node = node;
    text(line.value, node.text);
    const fresh = node.changed != null && now - node.changed < FRESH_NS;
    if (line.fresh !== fresh) line.value.classList.toggle('fresh', (line.fresh = fresh));
    if (line.expanded !== node.expanded) line.element.classList.toggle('expanded', (line.expanded = node.expanded));
    if (line.button) {
      const on = this.plotted(node.path);
      if (line.on !== on) line.button.classList.toggle('on', (line.on = on));
    }
  }
}
