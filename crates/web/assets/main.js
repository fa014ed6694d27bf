// Assembles the page.

import { Cards } from './cards.js';
import { h, note, text } from './dom.js';
import * as as from './format.js';
import { Net, keyOf } from './net.js';
import { Player } from './player.js';
import { Table } from './table.js';
import { load } from './views/index.js';

const $ = (id) => document.getElementById(id);

// ---- light and dark
const THEMES = ['', 'light', 'dark'];
const wanted = new URLSearchParams(location.hash.slice(1));
function theme(name) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  try { localStorage.setItem('theme', name); } catch { /* not stored */ }
  text($('theme'), { '': 'Theme', light: 'Light', dark: 'Dark' }[name]);
  document.dispatchEvent(new Event('theme'));
}
let kept = '';
try { kept = localStorage.getItem('theme') || ''; } catch { /* the system's theme */ }
theme(THEMES.includes(wanted.get('theme')) ? wanted.get('theme') : kept);
$('theme').onclick = () => theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || '') + 1) % 3]);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.dispatchEvent(new Event('theme')));

// ---- the parts Removes a token from the address: the cookie has it now.
history.replaceState(null, '', location.pathname + location.hash);
const net = new Net();
const cards = new Cards($('cards'), net);
const table = new Table($('table'), net, (row) => cards.open(row));
new Player($('player'), net);
cards.changed = () => {
  table.selected = new Set(cards.keys());
  document.body.classList.toggle('carded', cards.any());
  table.draw();
  net.show();
};

net.on('hello', async (hello) => {
  $('link').className = 'up';
  text($('link').lastChild, 'live');
  text($('domains'), hello.domains.join('  '));
  $('domains').title = `Watched: ${hello.domains.join(', ')}`;
  keys(!!hello.player);
  document.title = `Saltus spy · ${hello.domains.join(' ')}`;
  cards.boot = hello.boot;
  await load(hello.views, (name, error) => note(`${name}: ${error}`, true));
  cards.chooseAgain();
});
net.on('closed', ({ reason }) => {
  $('link').className = 'down';
  text($('link').lastChild, reason || 'connection lost, reconnecting');
});
net.on('rows', (frame) => {
  const some = frame.shown < frame.total ? `${as.count(frame.shown)} of ` : '';
  text($('totals'), `${some}${as.count(frame.total)} channels · ${as.hertz(frame.rate_hz)} msg/s · ${as.bytes(frame.bytes_per_s)}/s`);
});

// ---- controls and keys
$('filter').oninput = () => table.find($('filter').value);
$('graph').onclick = () => cards.graph();
$('wall').onclick = () => document.body.classList.toggle('wall');
const PAGE = [
  [['/'], 'go to the filter; Esc leaves it'], [['Tab'], 'next row, field or button'], [['↑', '↓'], 'previous or next row'],
  [['Enter'], 'open or close the channel; fold or unfold a field'], [['g'], 'graph of publishers and subscribers'],
  [['w'], 'cards alone'], [['t'], 'light, dark, or as the system'], [['?'], 'these keys'],
];
const PLAYER = [
  [['Space'], 'play or pause'], [['←', '→'], 'one message back or forward'], [['↑', '↓'], '10 s back or forward'], [['+', '-'], 'twice or half the speed'],
  [['[', ']'], 'first and last moment of a loop'], [['\\'], 'end the loop'], [['b'], 'set a bookmark'],
];
/** Fills the dialog with the keys. */
function keys(player) {
  const list = (title, all) => [h('h2', {}, title), h('dl', {}, all.map(([names, words]) =>
    [h('dt', {}, names.map((name) => h('kbd', {}, name))), h('dd', {}, words)]))];
  $('keys').replaceChildren(...list('Keys', PAGE), ...(player ? list('Player', PLAYER) : []),
    h('form', { method: 'dialog' }, h('button', {}, 'Close')));
}
keys(false);
$('help').onclick = () => ($('keys').open ? $('keys').close() : $('keys').showModal());
$('keys').onclick = (event) => event.target === $('keys') && $('keys').close();
document.addEventListener('keydown', (event) => {
  if ($('keys').open) {
    if (event.key === '?') $('keys').close();
    return;
  }
  const typing = event.target.matches('input, select, textarea');
  if (typing) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = { '/': () => $('filter').focus(), '?': $('help').onclick, g: $('graph').onclick, w: $('wall').onclick, t: $('theme').onclick }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// ---- the address: #open=POSE@fields,POSE@latency,SCAN&plot=POSE:x,POSE:y&filter=…&wall&graph&theme=dark
for (const name of (wanted.get('open') || '').split(',').filter(Boolean)) {
  const at = name.lastIndexOf('@');
  const [channel, view] = at > 0 ? [name.slice(0, at), name.slice(at + 1)] : [name];
  cards.add({ domain: '', channel }, view, true);
}
for (const name of (wanted.get('plot') || '').split(',').filter(Boolean)) {
  const at = name.indexOf(':');
  cards.plot({ domain: '', channel: name.slice(0, at) }, { path: name.slice(at + 1) }, {});
}
if (wanted.has('graph')) cards.graph();
if (wanted.has('wall')) document.body.classList.add('wall');
if (wanted.has('filter')) table.find(($('filter').value = wanted.get('filter')));
export { cards, keyOf, net, table };
