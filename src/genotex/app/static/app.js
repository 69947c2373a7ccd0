// The workbench: plots by Plotly, and what htmx does not do.
"use strict";
const COLOURS = {
  rest: "#b4bcc4", up: "#b8501f", down: "#22689b", marked: "#7b2d8b",
  case: "#b8501f", control: "#22689b", other: "#8a7a1f", unknown: "#8b95a0", level: "#1b5e83",
};
const SERIES = ["#1b5e83", "#c8742f", "#7d8f2b", "#8d4f8a", "#3f9c93", "#b23a48", "#6b7280", "#b89a1e"];
const NAMES = { rest: "not significant", up: "higher", down: "lower", marked: "highlighted" };
const CONFIG = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["toImage", "autoScale2d"] };
const FONT = { family: "system-ui, sans-serif", size: 13, color: "#1f2933" };
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
async function numbers(url, more, method = "GET") {
  const full = new URL(url, location.href);
  for (const [key, value] of Object.entries(more || {})) if (value) full.searchParams.set(key, value);
  const headers = method === "GET" ? {} : JSON.parse(document.body.getAttribute("hx-headers"));
  const answer = await fetch(full, { method, headers });
  if (!answer.ok) {
    refused(await answer.text(), answer.headers.get("X-Open-Again"));
    throw new Error(answer.statusText);
  }
  return answer.json();
}

function layout(x, y, more) {
  return Object.assign({
    font: FONT, margin: { l: 60, r: 16, t: 12, b: 48 }, hovermode: "closest", uirevision: "same",
    xaxis: { title: { text: x }, zerolinecolor: "#c3cad1", gridcolor: "#eef0f2" },
    yaxis: { title: { text: y }, zerolinecolor: "#c3cad1", gridcolor: "#eef0f2" },
    legend: { orientation: "h", y: 1.08, x: 0 }, paper_bgcolor: "#fff", plot_bgcolor: "#fff",
  }, more);
}

// Volcano, MA and p-values of all genes.
function genePlot(place) {
  const base = place.dataset.points;
  let plot = "volcano", window_ = "", asked = 0;

  const isOfGenes = () => plot === "volcano" || plot === "ma";

  function histogram(data) {
    Plotly.react(place, [
      { type: "bar", x: data.x, y: data.y, width: data.width, marker: { color: "#8fb3c9" },
        hovertemplate: "p %{x:.3f}: %{y} genes<extra></extra>" },
      { type: "scatter", mode: "lines", x: [0, 1], y: [data.expected, data.expected],
        line: { dash: "dash", color: "#56626d", width: 1 }, hoverinfo: "skip" },
    ], layout("p-value", "genes", { showlegend: false, bargap: 0, uirevision: "p" }), CONFIG);
    element("plot-note").textContent = `${data.total} p-values; without any real difference all bars reach the line.`;
  }

  // Samples on two principal components.
  function samples(data) {
    Plotly.react(place, data.groups.map((g, i) => ({
      type: "scatter", mode: "markers", name: g.name, x: g.x, y: g.y, text: g.sample,
      marker: { size: 9, color: g.level || COLOURS[g.kind] || SERIES[i % SERIES.length], showscale: Boolean(g.level), colorscale: "Viridis", colorbar: { title: { text: g.name } } },
      hovertemplate: `<b>%{text}</b><br>${g.level ? "%{marker.color}" : "%{fullData.name}"}<extra></extra>`,
    })), layout(data.x_label, data.y_label, { uirevision: "samples", showlegend: data.groups.length > 1 }), CONFIG);
    element("plot-note").textContent = `Each point is a sample; samples close to each other have similar expression over ${data.genes} genes. A split that does not follow the groups hints at a batch.`;
  }

  function scatter(data) {
    const traces = data.groups.filter((g) => g.gene.length).map((g) => ({
      type: "scatter", mode: "markers", name: NAMES[g.kind], x: g.x, y: g.y, text: g.gene, customdata: g.q,
      marker: { color: COLOURS[g.kind], size: g.kind === "marked" ? 9 : 5, opacity: g.kind === "rest" ? 0.6 : 0.85 },
      hovertemplate: "<b>%{text}</b><br>%{x:.3g}, %{y:.3g}<br>q %{customdata}<extra></extra>",
    }));
    traces.push({
      type: "scatter", mode: "text", x: data.named.map((n) => n.x), y: data.named.map((n) => n.y),
      text: data.named.map((n) => n.gene), textposition: "top center", hoverinfo: "skip", showlegend: false,
      textfont: { size: 11 },
    });
    Plotly.react(place, traces, layout(data.x_label, data.y_label, { uirevision: plot, dragmode: place.layout ? place.layout.dragmode : "zoom" }), CONFIG);
    element("plot-note").textContent = `${data.drawn} points drawn for ${data.seen} of ${data.total} genes; more appear on zooming in. Drag to zoom, double-click to reset; the lasso of the toolbar selects genes for the table; a click opens a gene.`;
  }

  async function draw() {
    const mine = ++asked;
    const data = await numbers(base, { plot, window: window_, by: plot === "samples" ? element("colour-by").value : "" });
    if (mine !== asked) return;
    ({ p: histogram, samples }[plot] || scatter)(data);
    place.dataset.ready = plot;
    if (!place.dataset.bound) bind();
  }

  function bind() {
    place.dataset.bound = "yes";
    // A double-click, which resets the view, begins with a click.
    let opening = 0;
    place.on("plotly_doubleclick", () => clearTimeout(opening));
    place.on("plotly_click", (event) => {
      const gene = event.points[0].text;
      clearTimeout(opening);
      if (!gene || !isOfGenes() || event.event.detail > 1) return;
      opening = setTimeout(() => location.assign(`${place.dataset.gene}&gene=${encodeURIComponent(gene)}`), 350);
    });
    place.on("plotly_relayout", (event) => {
      if (!isOfGenes()) return;
      const reset = event["xaxis.autorange"] || event["yaxis.autorange"];
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
      element("colour").hidden = plot !== "samples";
      Plotly.purge(place); delete place.dataset.bound;
      draw();
    });
  }
  for (const button of document.querySelectorAll("[data-image]")) {
    button.addEventListener("click", () => Plotly.downloadImage(place, { format: button.dataset.image, filename: plot, width: 900, height: 640, scale: 2 }));
  }
  element("colour-by").addEventListener("change", draw);
  document.body.addEventListener("marked", draw);
  draw();
}

function setLasso(text, plot) {
  element("lasso").value = text;
  element("lasso-plot").value = plot;
  element("unlasso").hidden = !text;
  htmx.trigger("#query", "lasso");
}

// One gene: samples by group, and the effect in every cohort.
async function geneValues(place) {
  const data = await numbers(place.dataset.values, { by: element("by").value });
  const traces = data.groups.map((g) => {
    const colour = COLOURS[g.kind];
    const symbol = g.compared.map((yes) => (yes ? "circle" : "circle-open"));
    const common = { name: g.name, y: g.values, text: g.sample, marker: { color: colour, size: 7, symbol },
      hovertemplate: "<b>%{text}</b><br>%{y:.2f}<extra></extra>" };
    if (data.numeric) return { ...common, type: "scatter", mode: "markers", x: g.x };
    return { ...common, type: "box", x: g.x || g.values.map(() => g.name), boxpoints: "all", jitter: 0.5, pointpos: 0,
      marker: { color: colour, size: 6 }, line: { color: colour, width: 1.2 }, fillcolor: "rgba(0,0,0,0)" };
  });
  const more = { showlegend: data.groups.length > 1 && (data.numeric || Boolean(data.by)), boxmode: data.by ? "group" : "overlay", uirevision: data.by };
  await Plotly.react(place, traces, layout(data.x_label, "log2 expression", more), CONFIG);
  place.dataset.ready = data.by || "groups";
}

async function geneForest(place) {
  const data = await numbers(place.dataset.forest);
  const rows = [...data.rows].reverse();
  await Plotly.react(place, [{
    type: "scatter", mode: "markers", x: rows.map((r) => r.effect), y: rows.map((r) => r.name), text: rows.map((r) => r.text),
    marker: { size: 11, symbol: rows.map((r) => (r.cohort ? "square" : "diamond")), color: rows.map((r) => (r.cohort ? COLOURS.level : r.effect > 0 ? COLOURS.up : COLOURS.down)) },
    error_x: { type: "data", symmetric: false, array: rows.map((r) => r.high - r.effect), arrayminus: rows.map((r) => r.effect - r.low), color: "#56626d", thickness: 1.4 },
    hovertemplate: "<b>%{y}</b><br>%{text}<extra></extra>",
  }], layout(data.label, "", { showlegend: false, height: 130 + 34 * rows.length, margin: { l: 150, r: 16, t: 12, b: 48 },
    shapes: [{ type: "line", x0: 0, x1: 0, y0: 0, y1: 1, yref: "paper", line: { color: "#9aa5b1", width: 1 } }] }), CONFIG);
  place.dataset.ready = "yes";
}

// The first page: entries without the text, and headings without entries, are hidden.
function narrow(text) {
  const wanted = text.trim().toLowerCase();
  let shown = 0;
  for (const row of document.querySelectorAll("ul.series li, table.home tbody tr")) {
    const list = row.closest("ul.series");
    const heading = list && list.previousElementSibling;
    const words = `${row.textContent} ${heading ? heading.textContent : ""}`.toLowerCase();
    row.hidden = !words.includes(wanted);
    if (!row.hidden) shown += 1;
  }
  for (const list of document.querySelectorAll("ul.series")) {
    const empty = !list.querySelector("li:not([hidden])");
    list.hidden = empty;
    const heading = list.previousElementSibling;
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
  document.body.addEventListener("htmx:sendError", () => say("The workbench does not answer; is 'genotex serve' still running?"));
  if (element("plot")) {
    genePlot(element("plot"));
    element("unlasso").addEventListener("click", () => setLasso("", "volcano"));
  }
  if (element("values")) {
    geneValues(element("values"));
    element("by").addEventListener("change", () => geneValues(element("values")));
  }
  if (element("forest")) geneForest(element("forest"));
});
