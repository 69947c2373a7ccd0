// Running sums, leaving one cohort out, concordance; and saving any figure.
"use strict";
const CONCORDANCE = { "neither": "#b4bcc4", "first only": "#22689b", "second only": "#8a7a1f", "both": "#b8501f" };

async function runningSum(place) {
  const data = await numbers(place.dataset.running);
  const line = { type: "scatter", mode: "lines", x: data.x, y: data.y, line: { color: COLOURS.level, width: 2 }, hovertemplate: "rank %{x}: %{y:.2f}<extra></extra>" };
  const strokes = { type: "scatter", mode: "markers", x: data.hits, y: data.hits.map(() => 0), yaxis: "y2", text: data.genes, customdata: data.t,
    marker: { symbol: "line-ns-open", size: 22, color: data.t.map((t) => (t > 0 ? COLOURS.up : COLOURS.down)), line: { width: 1 } },
    hovertemplate: "<b>%{text}</b><br>rank %{x}, statistic %{customdata:.2f}<extra></extra>" };
  await Plotly.react(place, [line, strokes], layout("rank: highest statistic first", "running sum", {
    showlegend: false, xaxis: { title: { text: "rank: highest statistic first" }, anchor: "y2", gridcolor: "#eef0f2", zeroline: false },
    yaxis: { title: { text: "running sum" }, domain: [0.2, 1], zerolinecolor: "#9aa5b1", gridcolor: "#eef0f2" },
    yaxis2: { domain: [0, 0.14], visible: false, range: [-1, 1], fixedrange: true },
    shapes: [{ type: "line", x0: data.peak.x, x1: data.peak.x, y0: 0, y1: data.peak.y, line: { color: "#56626d", dash: "dot", width: 1 } },
      { type: "line", x0: data.zero + 0.5, x1: data.zero + 0.5, y0: 0, y1: 1, yref: "paper", line: { color: "#c3cad1", width: 1 } }],
  }), CONFIG);
  place.dataset.ready = "yes";
}

async function concordance(place) {
  const data = await numbers(place.dataset.points, { by: element("by").value });
  const traces = data.groups.filter((g) => g.gene.length).map((g) => ({
    type: "scatter", mode: "markers", name: `${g.kind} (${g.total})`, x: g.x, y: g.y, text: g.gene,
    marker: { color: CONCORDANCE[g.kind], size: 5, opacity: g.kind === "neither" ? 0.5 : 0.85 },
    hovertemplate: "<b>%{text}</b><br>%{x:.3g}, %{y:.3g}<extra></extra>",
  }));
  const every = data.groups.flatMap((g) => [...g.x, ...g.y]);
  const low = every.reduce((a, b) => Math.min(a, b), 0), high = every.reduce((a, b) => Math.max(a, b), 0);
  traces.push({ type: "scatter", mode: "lines", x: [low, high], y: [low, high], line: { dash: "dash", color: "#56626d", width: 1 }, hoverinfo: "skip", showlegend: false });
  await Plotly.react(place, traces, layout(data.x_label, data.y_label, { uirevision: element("by").value }), CONFIG);
  if (!place.dataset.ready) place.on("plotly_click", (event) => {
    const gene = event.points[0].text;
    if (gene) location.assign(`${place.dataset.gene}&gene=${encodeURIComponent(gene)}`);
  });
  place.dataset.ready = element("by").value;
}

// Runs: cost of each problem against the score; where the cost is not known there is no point.
async function costs(place) {
  const data = await numbers(place.dataset.points, { by: element("by").value });
  const drawn = data.groups.filter((g) => g.run.length);
  const traces = drawn.map((g, i) => ({
    type: "scatter", mode: "markers+text", name: g.name, x: g.x, y: g.y, text: g.run, textposition: "middle right", textfont: { size: 11 }, cliponaxis: false,
    marker: { size: 11, color: SERIES[i % SERIES.length] },
    error_y: { type: "data", symmetric: false, array: g.up, arrayminus: g.down, color: SERIES[i % SERIES.length], thickness: 1.2 },
    hovertemplate: "<b>%{text}</b><br>$%{x:.4g} a problem<br>%{y:.3g}<extra></extra>",
  }));
  const most = Math.max(...drawn.flatMap((g) => g.x), 0) || 1;
  await Plotly.react(place, traces, layout("US dollars for each problem", data.label, { uirevision: data.label, showlegend: drawn.length > 1,
    xaxis: { title: { text: "US dollars for each problem" }, range: [-0.04 * most, 1.3 * most], gridcolor: "#eef0f2", zerolinecolor: "#c3cad1" } }), CONFIG);
  const absent = data.unknown.length ? ` Not drawn, since their cost is not fully known: ${data.unknown.join(", ")}.` : "";
  element("costs-note").textContent = `Bars are 95 % intervals. Runs that ask no model cost nothing.${absent}`;
  place.dataset.ready = element("by").value;
}

async function survivalCurves(place) {
  const data = await numbers(place.dataset.curves);
  const traces = data.curves.map((c) => ({
    type: "scatter", mode: "lines", name: c.name, x: c.x, y: c.y,
    line: { shape: "hv", width: 2, color: c.kind === "high" ? COLOURS.up : COLOURS.down },
    hovertemplate: "%{x:.3g}: %{y:.0%}<extra></extra>",
  }));
  element("curves-note").textContent = data.note;
  if (traces.length) await Plotly.react(place, traces, layout(data.x, data.y, { yaxis: { title: { text: data.y }, range: [0, 1.02], tickformat: ".0%", gridcolor: "#eef0f2" } }), CONFIG);
  else place.hidden = true;
  place.dataset.ready = "yes";
}

document.addEventListener("DOMContentLoaded", () => {
  if (element("running")) runningSum(element("running"));
  if (element("curves")) survivalCurves(element("curves"));
  if (element("without")) geneForest(element("without"));
  if (element("costs")) {
    costs(element("costs"));
    element("by").addEventListener("change", () => costs(element("costs")));
  }
  if (element("concordance")) {
    concordance(element("concordance"));
    element("by").addEventListener("change", () => concordance(element("concordance")));
  }
  for (const button of document.querySelectorAll("[data-save]")) {
    const figure = element(button.dataset.of);
    button.addEventListener("click", () => Plotly.downloadImage(figure, {
      format: button.dataset.save, filename: button.dataset.of, width: 900, height: Math.max(400, figure.clientHeight), scale: 2 }));
  }
});
