// A sheet of samples without a browser: rows with a box and cells; does as it is told, returns what is selected.
"use strict";
const fs = require("fs");
const { source, head, rows, acts } = JSON.parse(fs.readFileSync(0, "utf8"));
class Part {
  constructor(more = {}) { this.acts = {}; this.classList = { toggle: (name, on) => { this[name] = on; } }; Object.assign(this, { textContent: "", value: "" }, more); }
  addEventListener(kind, act) { this.acts[kind] = act; }
  replaceChildren(...options) {
    this.options = options;
    this.value = (options.find((option) => option.selected) || options[0] || { value: "" }).value;
  }
}
globalThis.Option = class { constructor(text, value, _, selected) { Object.assign(this, { text, value, selected }); } };
const boxes = rows.map((texts) => {
  const row = new Part({ closest: () => row, querySelector: () => box }), box = new Part({ checked: false, closest: () => row });
  row.cells = ["", ...texts].map((textContent, cellIndex) => new Part({ textContent, cellIndex, closest: () => row.cells[cellIndex] }));
  row.box = box;
  return box;
});
const heads = ["", ...head].map((textContent) => new Part({ textContent }));
const named = { sheet: new Part({ querySelectorAll: (wanted) => (wanted === "thead th" ? heads : boxes) }) };
const part = (id) => named[id] || (named[id] = new Part());
let begin;
globalThis.document = { getElementById: part, addEventListener: (_, act) => { begin = act; }, body: new Part() };
new Function(source)();
begin();
globalThis.getSelection = () => ({ removeAllRanges() {} });
// A click on a row, on its box (which has then changed by itself), on the box of all rows, or on None.
function click(target, shiftKey) {
  if (target === "none") part("select-none").acts.click();
  else if (typeof target === "boolean") part("sheet").acts.click({ target: { id: "select-all", checked: target, closest: () => null } });
  else if (typeof target === "string") { boxes[target].checked = !boxes[target].checked; part("sheet").acts.click({ target: boxes[target], shiftKey }); }
  else part("sheet").acts.click({ target: boxes[target].closest(), shiftKey });
}
console.log(JSON.stringify(acts.map(([what, value, index]) => {
  for (const box of boxes) box.checked = false;
  if (what === "clicks") for (const [target, shiftKey] of value) click(target, shiftKey);
  else if (what === "double-click") part("sheet").acts.dblclick({ target: boxes[value].closest().cells[index + 1] });
  else {
    const named = part("by-column").options.find((option) => option.text === what);
    part("by-column").value = named.value;
    part("by-column").acts.change();
    part("by-value").value = value;
    part("by-select").acts.click();
  }
  return {
    offered: !head.includes(what) ? null : part("by-value").options.map((option) => option.value),
    chosen: boxes.flatMap((box, i) => (box.checked ? [i] : [])), selected: part("selected").textContent,
    marked: boxes.flatMap((box, i) => (box.closest().chosen ? [i] : [])),
  };
})));
