// Puts the page together.

import { Cards } from './cards.js';
import { note, text } from './dom.js';
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
  try { localStorage.setItem('theme', name); } catch { /* then it is not kept */ }
  text($('theme'), { '': 'Theme', light: 'Light', dark: 'Dark' }[name]);
  document.dispatchEvent(new Event('theme'));
}
let kept = '';
try { kept = localStorage.getItem('theme') || ''; } catch { /* as the system has it */ }
theme(THEMES.includes(wanted.get('theme')) ? wanted.get('theme') : kept);
$('theme').onclick = () => theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || '') + 1) % 3]);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.dispatchEvent(new Event('theme')));

// ---- the parts
// A token in the address has done its work: the cookie has it now.
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
  document.title = `Saltus spy · ${hello.domains.join(' ')}`;
  cards.boot = hello.boot;
  await load(hello.views, (name, error) => note(`${name}: ${error}`, true));
  cards.chooseAgain();
});
net.on('closed', ({ reason }) => {
  $('link').className = 'down';
  text($('link').lastChild, reason || 'connection lost, trying again');
});
net.on('rows', (frame) => {
  const some = frame.shown < frame.total ? `${as.count(frame.shown)} of ` : '';
  text($('totals'), `${some}${as.count(frame.total)} channels · ${as.hertz(frame.rate_hz)} msg/s · ${as.bytes(frame.bytes_per_s)}/s`);
});

// ---- controls and keys
$('filter').oninput = () => table.find($('filter').value);
$('graph').onclick = () => cards.graph();
$('wall').onclick = () => document.body.classList.toggle('wall');
document.addEventListener('keydown', (event) => {
  const typing = event.target.matches('input, select, textarea');
  if (typing) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = { '/': () => $('filter').focus(), g: $('graph').onclick, w: $('wall').onclick, t: $('theme').onclick }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// ---- what the address asks for: #open=POSE,SCAN&plot=POSE:x,POSE:y&filter=…&wall&graph&theme=dark
for (const name of (wanted.get('open') || '').split(',').filter(Boolean)) {
  const [channel, view] = name.split('@');
  cards.open({ domain: '', channel }, view);
}
for (const name of (wanted.get('plot') || '').split(',').filter(Boolean)) {
  const at = name.indexOf(':');
  cards.plot({ domain: '', channel: name.slice(0, at) }, { path: name.slice(at + 1) }, {});
}
if (wanted.has('graph')) cards.graph();
if (wanted.has('wall')) document.body.classList.add('wall');
if (wanted.has('filter')) table.find(($('filter').value = wanted.get('filter')));
export { cards, keyOf, net, table };
