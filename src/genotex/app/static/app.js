// The workbench: plots by Plotly, and what htmx does not do.
"use strict";
const element = (id) => document.getElementById(id);
const say = (text) => { element("message").textContent = text; };
const AGAIN = { "sign in": "Sign in again", load: "Load this page again" };

// Why a request was refused; after a restart of the workbench, with a link to sign in.
function refused(text, again) {
  say(text.replace(/^\d+: /, "").trim());
  if (!(again in AGAIN)) return;
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = AGAIN[again];
  link.addEventListener("click", (event) => { event.preventDefault(); location.reload(); });
  element("message").append("\n", link);
}

// What is computed for the page is asked for with its token; what is stored is only read.
async function ask(url, more, method = "GET") {
  const full = new URL(url, location.href);
  for (const [key, value] of Object.entries(more || {})) if (value) full.searchParams.set(key, value);
  const headers = method === "GET" ? {} : JSON.parse(document.body.getAttribute("hx-headers"));
  const answer = await fetch(full, { method, headers });
  if (!answer.ok) {
    refused(await answer.text(), answer.headers.get("X-Open-Again"));
    throw new Error(answer.statusText);
  }
  return answer;
}

// The values of the selects that a figure depends on, as "by:by given:condition" names them.
function choices(place) {
  const found = {};
  for (const pair of (place.dataset.with || "").split(" ").filter(Boolean)) {
    const [id, name] = pair.split(":");
    if (element(id)) found[name] = element(id).value;
  }
  return found;
}

// By keyboard: arrows go from point to point, Enter does what a click does, Escape leaves.
function walkPoints(place) {
  if (place.dataset.walks) return;
  place.dataset.walks = "yes";
  place.tabIndex = 0;
  let here = null;
  place.addEventListener("keydown", (event) => {
    const axis = { ArrowLeft: "x", ArrowRight: "x", ArrowUp: "y", ArrowDown: "y" }[event.key];
    if (event.target !== place || !place.data) return;
    if (event.key === "Escape" && here) Plotly.Fx.unhover(place);
    if (event.key === "Escape") here = null;
    if (event.key === "Enter" && here) place.emit("plotly_click", { points: [{ customdata: here.id }], event: { detail: 1 } });
    if (!axis) return;
    event.preventDefault();
    const drawn = place.data.flatMap((trace, curveNumber) => (trace.mode === "markers" && trace.customdata ? trace.customdata : []).map((id, pointNumber) => (
      { id, curveNumber, pointNumber, x: trace.x[pointNumber], y: trace.y[pointNumber], text: (trace.text || [])[pointNumber] || id, plot: `${trace.xaxis || "x"}${trace.yaxis || "y"}` })));
    if (!drawn.length) return;
    drawn.sort((a, b) => a[axis] - b[axis]);
    const at = here ? drawn.findIndex((point) => point.id === here.id) : -1, on = event.key === "ArrowRight" || event.key === "ArrowUp" ? 1 : -1;
    // The first one is the highest.
    here = at < 0 ? drawn.reduce((a, b) => (b.y > a.y ? b : a)) : drawn[Math.min(Math.max(at + on, 0), drawn.length - 1)];
    Plotly.Fx.hover(place, [here], [here.plot]);
    if (!place.spoken) {
      place.spoken = document.createElement("span");
      place.spoken.className = "sr";
      place.spoken.setAttribute("role", "status");
      place.after(place.spoken);
    }
    place.spoken.textContent = String(here.text).replace(/<[^>]*>/g, ", ");
  });
}

// Asks for a figure and draws it, with its note below; `more` goes with the question.
async function showFigure(place, more = {}) {
  const asked = { ...choices(place), ...more }, mine = place.asked = (place.asked || 0) + 1;
  const figure = await (await ask(place.dataset.figure, asked, place.dataset.method)).json();
  if (mine !== place.asked) return null;
  place.hidden = !figure.rows;
  if (place.dataset.note) element(place.dataset.note).textContent = figure.note;
  if (figure.rows) {
    const genes = figure.key === "heatmap" ? Math.max(...figure.rows.flat().map((panel) => (panel.y.ticks || []).length)) : 0;
    const tall = genes > 25 ? 160 + 16 * genes : 0;
    if (tall || place.style.height) place.style.height = tall ? `${tall}px` : "";
    const high = Number(place.dataset.line) ? { height: 110 + place.dataset.line * figure.rows[0][0].y.ticks.length } : tall ? { height: tall } : {};
    walkPoints(place);
    await drawFigure(place, figure, { ...high, ...(place.layout ? { dragmode: place.layout.dragmode } : {}) });
  }
  if (figure.rows && place.dataset.open && !place.dataset.opens) {
    place.dataset.opens = "yes";
    place.on("plotly_click", (event) => {
      const there = new URL(place.dataset.open, location.href), id = event.points[0].customdata;
      if (!id) return;
      there.searchParams.set(place.dataset.name || "gene", id);
      if (element("given") && element("given").value) there.searchParams.set("condition", element("given").value);
      location.assign(there);
    });
  }
  place.dataset.ready = Object.values(asked).find(Boolean) || "yes";
  return figure;
}

// Volcano, MA and all other figures of the genes of an analysis.
function genePlot(place) {
  let plot = "volcano", window_ = "";
  const isOfGenes = () => plot === "volcano" || plot === "ma";
  const cuts = () => ["cut-q", "cut-change"].map(element).filter(Boolean);
  const question = () => ({ plot, window: window_, by: isOfGenes() || plot === "histogram" ? "" : element("colour-by").value });
  place.question = question;

  async function draw() {
    const figure = await showFigure(place, question());
    if (!figure) return;
    if (element("hits")) element("hits").textContent = figure.hits;
    if (isOfGenes()) element("plot-note").textContent = `${figure.note} ${figure.drawn} points drawn for ${figure.seen} of ${figure.total} genes; more appear on zooming in. Drag to zoom, double-click to reset; the lasso of the toolbar selects genes for the table; a click opens a gene.`;
    place.dataset.ready = plot;
    if (!place.dataset.bound && figure.rows) bind();
  }

  function bind() {
    place.dataset.bound = "yes";
    // A double-click, which resets the view, begins with a click.
    let opening = 0, whole = false;
    place.on("plotly_doubleclick", () => {
      clearTimeout(opening);
      // The view goes back to the axes of the figure, which a relayout then reports as a range.
      whole = true;
      setTimeout(() => { whole = false; }, 500);
    });
    place.on("plotly_click", (event) => {
      const gene = event.points[0].customdata;
      clearTimeout(opening);
      if (!gene || !isOfGenes() || event.event.detail > 1) return;
      opening = setTimeout(() => location.assign(`${place.dataset.gene}&gene=${encodeURIComponent(gene)}`), 350);
    });
    place.on("plotly_relayout", (event) => {
      if (!isOfGenes()) return;
      const reset = whole || event["xaxis.autorange"] || event["yaxis.autorange"];
      if (!reset && !("xaxis.range[0]" in event) && !("yaxis.range[0]" in event)) return;
      const view = place._fullLayout;
      window_ = reset ? "" : [...view.xaxis.range, ...view.yaxis.range].map((v) => v.toPrecision(6)).join(",");
      draw();
    });
    place.on("plotly_selected", (event) => {
      if (!event || !isOfGenes()) return;
      let x, y;
      if (event.lassoPoints) ({ x, y } = event.lassoPoints);
      else if (event.range) {
        const [a, b] = event.range.x, [c, d] = event.range.y;
        x = [a, b, b, a]; y = [c, c, d, d];
      } else return;
      const step = Math.ceil(x.length / 300);
      const corners = x.map((v, i) => [v, y[i]]).filter((_, i) => i % step === 0);
      setLasso(corners.flat().map((v) => v.toPrecision(6)).join(","), plot);
    });
  }

  for (const button of document.querySelectorAll("[data-plot]")) {
    button.addEventListener("click", () => {
      document.querySelectorAll("[data-plot]").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
      plot = button.dataset.plot; window_ = "";
      element("colour").hidden = isOfGenes() || plot === "histogram";
      Plotly.purge(place); delete place.dataset.bound;
      draw();
    });
  }
  element("colour-by").addEventListener("change", draw);
  for (const cut of cuts()) cut.addEventListener("change", () => {
    htmx.trigger("#query", "lasso");
    const zip = new URL(element("zip").href);
    for (const each of cuts()) zip.searchParams.set(each.name, each.value);
    element("zip").href = zip;
    draw();
  });
  document.body.addEventListener("marked", draw);
  draw();
}

function setLasso(text, plot) {
  element("lasso").value = text;
  element("lasso-plot").value = plot;
  element("unlasso").hidden = !text;
  htmx.trigger("#query", "lasso");
}

// Saves a figure as a file that is drawn anew for print.
async function saveFigure(place, format, sizes) {
  const asked = { ...choices(place), ...(place.question ? place.question() : {}), format };
  for (const size of sizes) if (size.value) asked[size.dataset.size] = size.dataset.size === "width" ? size.value / 25.4 : size.value;
  const answer = await ask(place.dataset.figure, asked, place.dataset.method);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = /filename="(.+)"/.exec(answer.headers.get("Content-Disposition"))[1];
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The first page: entries without the text, and headings without entries, are hidden.
function narrow(text) {
  const whole = (list) => list.closest("form") || list;
  const wanted = text.trim().toLowerCase();
  let shown = 0;
  for (const row of document.querySelectorAll("ul.series li, table.home tbody tr")) {
    const list = row.closest("ul.series");
    const heading = list && whole(list).previousElementSibling;
    const words = `${row.textContent} ${heading ? heading.textContent : ""}`.toLowerCase();
    row.hidden = !words.includes(wanted);
    if (!row.hidden) shown += 1;
  }
  for (const list of document.querySelectorAll("ul.series")) {
    const empty = !list.querySelector("li:not([hidden])");
    whole(list).hidden = empty;
    const heading = whole(list).previousElementSibling;
    if (heading && heading.tagName === "H3") heading.hidden = empty;
  }
  element("narrowed").textContent = wanted ? `${shown} shown` : "";
}

document.addEventListener("DOMContentLoaded", () => {
  if (element("narrow")) {
    element("narrow").addEventListener("input", (event) => narrow(event.target.value));
    element("narrow").form.addEventListener("submit", (event) => event.preventDefault());
  }
  document.body.addEventListener("htmx:responseError", (event) => {
    const { xhr } = event.detail;
    refused(xhr.responseText, xhr.getResponseHeader("X-Open-Again"));
  });
  document.body.addEventListener("htmx:sendError", () => say("The workbench does not answer. Is its window still open? If it was closed, start it again and load this page."));
  if (element("plot")) {
    genePlot(element("plot"));
    element("unlasso").addEventListener("click", () => setLasso("", "volcano"));
  }
  for (const place of document.querySelectorAll(".plot[data-figure]:not([data-own])")) {
    showFigure(place);
    for (const pair of (place.dataset.with || "").split(" ").filter(Boolean)) {
      const select = element(pair.split(":")[0]);
      if (select) select.addEventListener("change", () => showFigure(place));
    }
  }
  bindSaves();
  for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copyText(button));
});

// Copies a text, and shows what was copied; where the browser refuses, it can be selected.
async function copyText(button) {
  const text = await (await ask(button.dataset.copy)).text(), shown = element("copied");
  shown.textContent = text;
  shown.hidden = false;
  try { await navigator.clipboard.writeText(text.trim()); say("Copied."); } catch { say("Select the text to copy it."); }
  setTimeout(() => say(""), 4000);
}

function bindSaves() {
  for (const button of document.querySelectorAll("[data-save]")) {
    if (button.dataset.bound) continue;
    button.dataset.bound = "yes";
    button.addEventListener("click", () => {
      for (const id of button.dataset.of.split(" ")) {
        const place = element(id);
        if (place.dataset.ready && place.dataset.ready !== "absent" && place.offsetParent) saveFigure(place, button.dataset.save, button.parentElement.querySelectorAll("[data-size]"));
      }
    });
  }
}
