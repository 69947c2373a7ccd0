// A page without a browser: elements that keep what scripts give them, and a canvas that notes what is drawn.
"use strict";
const fs = require("fs");
class Element {
  constructor(name) {
    Object.assign(this, { name, attributes: {}, children: [], dataset: {}, style: {}, hidden: true, value: "", checked: false, own: "", acts: {}, clientWidth: 600 });
    this.classes = new Set();
    this.classList = { contains: (c) => this.classes.has(c), toggle: (c, on) => (on ? this.classes.add(c) : this.classes.delete(c)) };
  }
  get textContent() { return this.own + this.children.map((child) => child.textContent).join(""); }
  set textContent(text) { this.own = text; this.children = []; }
  set className(names) { this.classes = new Set(names.split(" ")); }
  get rows() { return this.children; }
  get cells() { return this.children; }
  get tBodies() { return [this.children[1]]; }
  get tHead() { return this.children[0]; }
  get firstElementChild() { return this.children[0]; }
  appendChild(child) {
    for (const each of child.name === "fragment" ? child.children : [child]) {
      this.children = this.children.filter((other) => other !== each).concat([each]);
    }
    return child;
  }
  insertRow() { return this.appendChild(new Element("tr")); }
  setAttribute(key, value) { this.attributes[key] = String(value); }
  getAttribute(key) { return key in this.attributes ? this.attributes[key] : null; }
  removeAttribute(key) { delete this.attributes[key]; }
  addEventListener(kind, act) { this.acts[kind] = act; }
  fire(kind, event = {}) { this.acts[kind]({ preventDefault() {}, ...event }); }
  querySelectorAll(wanted) { return this.children.filter((child) => wanted.slice(6, -1) in child.dataset); }
  getBoundingClientRect() { return { left: 0, top: 0 }; }
  getContext() { return this.pen || (this.pen = pen()); }
}
function pen() {
  const drawn = { dots: [], texts: [], now: null };
  const kept = { drawn, arc(x, y, radius) { drawn.now = { x, y, radius }; }, fill() { if (drawn.now) drawn.dots.push({ ...drawn.now, colour: kept.fillStyle }); drawn.now = null; } };
  kept.fillText = (text, x, y) => drawn.texts.push({ text, x, y });
  return new Proxy(kept, { get: (all, key) => (key in all ? all[key] : () => {}) });
}
const named = {};
const make = (name, text) => Object.assign(new Element(name), { own: text || "" });
globalThis.document = {
  getElementById: (id) => named[id] || (named[id] = new Element(id)),
  createElement: make, createElementNS: (_, name) => make(name), createDocumentFragment: () => make("fragment"),
};
globalThis.window = new Element("window");
function row(texts, tag, classes = "") {
  const found = new Element("tr");
  found.className = classes;
  texts.forEach((text) => { const cell = make(tag); cell.appendChild(make("button", text)); found.appendChild(cell); });
  return found;
}
const { scripts, run, given } = JSON.parse(fs.readFileSync(0, "utf8"));
const source = scripts.map((path) => fs.readFileSync(path, "utf8")).join("\n");
const tools = { Element, make, row, named, given, source };
Promise.resolve(new Function(...Object.keys(tools), run)(...Object.values(tools))).then((found) => console.log(JSON.stringify(found)));
