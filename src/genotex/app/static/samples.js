// Selection of samples in the sheet.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const sheet = document.getElementById("sheet");
  if (!sheet) return;
  const boxes = () => [...sheet.querySelectorAll("input[name=sample]")];
  const byColumn = document.getElementById("by-column"), byValue = document.getElementById("by-value");
  const versionNow = () => (sheet.querySelectorAll("[name=version]")[0] || {}).value;
  let last = null, version = versionNow();

  function show() {
    for (const box of boxes()) box.closest("tr").classList.toggle("chosen", box.checked);
    document.getElementById("selected").textContent = `${boxes().filter((box) => box.checked).length} selected`;
    mark();
  }
  // The plot shows which samples are selected; a click, a box or a lasso in it selects them.
  function mark() {
    const plot = document.getElementById("quality");
    if (!plot || !plot.data) return;
    const names = new Set(boxes().filter((box) => box.checked).map((box) => box.value));
    const points = plot.data.map((trace) => (names.size && trace.customdata ? trace.customdata.flatMap((id, i) => (names.has(id) ? [i] : [])) : null));
    Plotly.restyle(plot, { selectedpoints: points });
  }
  function choose(event, only) {
    const names = new Set(((event && event.points) || []).map((point) => point.customdata));
    if (!names.size) return;
    for (const box of boxes()) box.checked = only ? names.has(box.value) : box.checked !== names.has(box.value);
    show();
  }
  globalThis.linkSamples = (plot) => {
    if (!plot.dataset.linked) {
      plot.on("plotly_selected", (found) => choose(found, true));
      plot.on("plotly_click", (found) => choose(found, false));
    }
    plot.dataset.linked = "yes";
    mark();
  };
  const cell = (box, column) => box.closest("tr").cells[column + 1].textContent;
  function selectWhere(column, value) {
    for (const box of boxes()) if (cell(box, column) === value) box.checked = true;
    show();
  }
  function fill(select, texts, chosen) {
    select.replaceChildren(...texts.map(([text, value]) => new Option(text, value, false, value === chosen)));
  }
  function values() {
    const found = [...new Set(boxes().map((box) => cell(box, Number(byColumn.value))))].slice(0, 200).sort();
    fill(byValue, found.map((text) => [text.slice(0, 60) || "(empty)", text]), byValue.value);
  }
  function columns() {
    const names = [...sheet.querySelectorAll("thead th")].slice(1).map((th) => th.textContent);
    const chosen = byColumn.value || "1";
    fill(byColumn, names.map((name, i) => [name, String(i)]), chosen);
    values();
    show();
  }

  sheet.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (event.target.id === "select-all") {
      for (const box of boxes()) box.checked = event.target.checked;
    } else if (row) {
      const all = boxes(), box = row.querySelector("input");
      if (event.target !== box) box.checked = !box.checked;
      if (event.shiftKey && last) {
        const [a, b] = [all.indexOf(last), all.indexOf(box)].sort((x, y) => x - y);
        if (a >= 0) for (const each of all.slice(a, b + 1)) each.checked = box.checked;
        getSelection().removeAllRanges();
      }
      last = box;
    }
    show();
  });
  sheet.addEventListener("dblclick", (event) => {
    const here = event.target.closest("tbody td");
    if (here && here.cellIndex > 0) selectWhere(here.cellIndex - 1, here.textContent);
  });
  byColumn.addEventListener("change", values);
  document.getElementById("by-select").addEventListener("click", () => selectWhere(Number(byColumn.value), byValue.value));
  document.getElementById("select-none").addEventListener("click", () => {
    for (const box of boxes()) box.checked = false;
    show();
  });
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id !== "sheet") return;
    last = null;
    columns();
    if (versionNow() !== version) document.body.dispatchEvent(new Event("sheet"));
    version = versionNow();
  });
  columns();
});
