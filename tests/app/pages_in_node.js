// Scripts of the workbench without a browser: parts of a page that keep what is done to them; acts
// one after the other as it is told, and returns what was asked for, drawn and opened after each.
"use strict";
const fs = require("fs");
const { source, parts, groups, answers, acts, show } = JSON.parse(fs.readFileSync(0, "utf8"));
class Part {
  constructor(more = {}) {
    Object.assign(this, { acts: {}, dataset: {}, textContent: "", value: "", hidden: false, files: [], offsetParent: true, attributes: {}, style: {} }, more);
  }
  addEventListener(kind, act) { (this.acts[kind] = this.acts[kind] || []).push(act); }
  on(kind, act) { this.addEventListener(kind, act); }
  fire(kind, event = {}) { for (const act of this.acts[kind] || []) act({ preventDefault() { this.prevented = true; }, target: this, ...event }); }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  getAttribute(name) { return this.attributes[name] ?? null; }
  append(...more) { this.textContent += more.map((each) => each.textContent ?? each).join(""); }
  replaceChildren() { this.textContent = ""; }
  scrollIntoView() { this.seen = true; }
  querySelectorAll() { return [this]; }
  closest(wanted) { return wanted === this.list?.kind ? this.list : null; }
  querySelector() { return listed(this).find((row) => !row.hidden) || null; }
  get form() { return new Part(); }
  get parentElement() { return new Part(); }
}
const named = Object.fromEntries(Object.entries(parts).map(([id, more]) => [id, new Part(more)]));
const listed = (list) => Object.values(named).filter((each) => each.list === list);
for (const each of Object.values(named)) for (const link of ["list", "previousElementSibling"]) if (each[link]) each[link] = named[each[link]];
const all = (wanted) => (groups[wanted] || []).map((id) => named[id]);
let begin, log = {}, timers = [];
const note = (what, value) => { (log[what] = log[what] || []).push(value); };
Object.assign(globalThis, {
  document: {
    getElementById: (id) => named[id] || null, querySelectorAll: all, querySelector: (wanted) => all(wanted)[0],
    createElement: () => new Part({ click() { note("saved", this.download); } }),
    addEventListener: (_, act) => { begin = begin || []; begin.push(act); }, body: new Part({ attributes: { "hx-headers": '{"X-Token": "t"}' } }),
  },
  location: { href: "http://here/page", assign: (there) => note("opened", String(there)), reload() {} },
  setTimeout: (act) => timers.push(act), clearTimeout: (id) => { timers[id - 1] = null; },
  // What Plotly forgets with a plot: what is to be done on its events.
  Plotly: { purge: (place) => { for (const kind of Object.keys(place.acts)) if (kind.startsWith("plotly")) delete place.acts[kind]; } },
  drawFigure: (place, figure, more) => { note("drawn", [figure.key, more]); },
  htmx: { ajax: (...what) => note("ajax", what), trigger: (...what) => note("triggered", what) },
  fetch: async (url, { method, headers }) => {
    note("asked", `${method === "GET" ? "" : `${method} ${headers["X-Token"]} `}${url.pathname}?${decodeURIComponent(url.searchParams)}`);
    const found = answers[url.pathname];
    return { ok: !found.refused, text: async () => found.refused, json: async () => found, blob: async () => found, headers: { get: (name) => (found.headers || {})[name] ?? null } };
  },
});
URL.createObjectURL = () => "blob:";
process.on("unhandledRejection", () => {});
const settle = () => new Promise((done) => setImmediate(done));
(async () => {
  new Function(source)();
  const found = [];
  for (const [id, kind, event = {}, changes = {}] of [["", "begin"], ...acts]) {
    log = {};
    if (event.detail?.elt) event.detail.elt = named[event.detail.elt];
    for (const [other, more] of Object.entries(changes)) Object.assign(named[other], more);
    if (kind === "begin") begin.forEach((act) => act());
    else if (kind === "wait") { const due = timers; timers = []; due.forEach((act) => act && act()); }
    else (id ? named[id] : document.body).fire(kind, event);
    await settle(); await settle();
    found.push({ ...log, parts: Object.fromEntries(show.map((id) => [id, ((p) => ({ text: p.textContent, value: p.value, hidden: p.hidden, pressed: p.attributes["aria-pressed"], name: p.className, ready: p.dataset.ready }))(named[id])])) });
  }
  console.log(JSON.stringify(found));
})().catch((error) => { console.error(error.stack); process.exit(1); });
