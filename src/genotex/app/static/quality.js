// The quality page: samples as points, boxes, curves and a heatmap, coloured by a column.
"use strict";
const LEVEL_COLOURS = ["#1b5e83", "#c8742f", "#7d8f2b", "#8d4f8a", "#3f9c93", "#b23a48", "#b89a1e", "#5b6bb0", "#2f7d4f", "#a0522d", "#6b7280", "#d17ba6"];
// app.js, which has the colours, is loaded after this file.
const groupColours = () => ({ case: COLOURS.case, control: COLOURS.control, "healthy control": COLOURS.control, "other disease": COLOURS.other, "other control": COLOURS.other, unknown: COLOURS.unknown, "not recorded": COLOURS.rest, other: COLOURS.unknown });
const SCALE = [[0, "#c9d8e3"], [0.5, "#4f88ab"], [1, "#12354b"]];
const NOTES = {
  pca: "Principal components of the genes that vary most.",
  mds: "Samples that correlate are near each other (classical scaling of 1 - correlation).",
  correlation: "Correlation of each two samples, those alike next to each other.",
  box: "5, 25, 50, 75 and 95 % of the values of each sample, as they are analysed.",
  density: "Distribution of the values of each sample, as they are analysed.",
  distance: "Distance of each sample from its group; above the dashed line it varies four times as much as the others or more.",
  sex: "XIST is expressed by women only, genes of the Y chromosome by men only; ringed samples are not what is recorded.",
};

// One trace for each level of the column, or one with a colour scale.
function qualityTraces(data, draw) {
  const { numeric, values, levels } = data.colours;
  const all = data.sample.map((_, i) => i);
  if (numeric) return draw(all, data.by, null);
  return levels.flatMap((level, k) => draw(all.filter((i) => values[i] === level), level, (data.by === "group" && groupColours()[level]) || LEVEL_COLOURS[k % LEVEL_COLOURS.length]));
}

function qualityPoints(data) {
  const pick = (list, rows) => rows.map((i) => list[i]);
  const traces = qualityTraces(data, (rows, name, colour) => [{
    type: "scatter", mode: "markers", name, x: pick(data.x, rows), y: pick(data.y, rows), text: pick(data.sample, rows), customdata: pick(data.colours.values, rows),
    marker: {
      size: 8, color: colour || pick(data.colours.values, rows), colorscale: SCALE, showscale: !colour, colorbar: { title: { text: data.by }, thickness: 12 },
      line: { width: rows.map((i) => (data.ringed[i] ? 2.2 : 0.6)), color: rows.map((i) => (data.ringed[i] ? "#1f2933" : "#fff")) },
    },
    hovertemplate: "<b>%{text}</b><br>%{customdata}<extra></extra>",
  }]);
  const shapes = data.line ? [{ type: "line", x0: 0, x1: 1, xref: "paper", y0: data.line, y1: data.line, line: { color: "#56626d", width: 1, dash: "dash" } }] : [];
  return [traces, layout(data.x_label, data.y_label, { shapes, showlegend: !data.colours.numeric })];
}

function qualityBoxes(data, label) {
  const traces = qualityTraces(data, (rows, name, colour) => {
    const q = (k) => rows.map((i) => data.quantiles[i][k]);
    return [{ type: "box", name, x: rows.map((i) => data.sample[i]), lowerfence: q(0), q1: q(1), median: q(2), q3: q(3), upperfence: q(4), line: { width: 1, color: colour || COLOURS.level }, marker: { color: colour || COLOURS.level } }];
  });
  const many = data.sample.length > 60;
  return [traces, layout("", label || "log2 expression", { showlegend: !data.colours.numeric, boxmode: "overlay", margin: { l: 60, r: 16, t: 12, b: many ? 24 : 90 },
    xaxis: { showticklabels: !many, ticks: "", categoryorder: "trace", tickangle: -60, tickfont: { size: 10 }, automargin: false } })];
}

function qualityCurves(data, label) {
  const seen = new Set();
  const traces = qualityTraces(data, (rows, name, colour) => rows.map((i) => {
    const first = !seen.has(name);
    seen.add(name);
    return { type: "scatter", mode: "lines", name, legendgroup: name, showlegend: first && Boolean(colour), x: data.x, y: data.curves[i], opacity: data.ringed[i] ? 1 : 0.6,
      line: { width: data.ringed[i] ? 2.4 : 1, color: colour || COLOURS.level }, hovertemplate: `${data.sample[i].replace(/[<&]/g, " ")}<extra></extra>` };
  }));
  return [traces, layout(label || "log2 expression", "density")];
}

function qualityHeatmap(data) {
  const labels = data.sample;
  const low = data.z.flatMap((row, i) => row.filter((_, k) => k !== i)).reduce((a, b) => Math.min(a, b), 1);
  const narrow = innerWidth < 700 || labels.length > 60;
  const ticks = { showticklabels: !narrow, showgrid: false, ticks: "", tickfont: { size: 9 } };
  // A strip of the column at the left of the rows.
  const strip = qualityTraces(data, (rows, name, colour) => [{
    type: "scatter", mode: "markers", name, x: rows.map(() => 0), y: rows.map((i) => labels[i]), xaxis: "x2", customdata: rows.map((i) => data.colours.values[i]),
    marker: { symbol: "square", size: labels.length > 60 ? 6 : 9, color: colour || rows.map((i) => data.colours.values[i]), colorscale: SCALE },
    hovertemplate: "<b>%{y}</b><br>%{customdata}<extra></extra>",
  }]);
  return [[{ type: "heatmap", z: data.z, x: labels, y: labels, zmin: low, zmax: 1, colorscale: SCALE, colorbar: { thickness: 12, title: { text: "r" } }, hovertemplate: "%{y}<br>%{x}<br>r = %{z:.3f}<extra></extra>" }, ...strip],
    layout("", "", { showlegend: !data.colours.numeric, margin: { l: narrow ? 16 : 110, r: 16, t: 12, b: narrow ? 16 : 110 },
      xaxis: { ...ticks, domain: [0.05, 1], tickangle: -60 }, xaxis2: { domain: [0, 0.045], range: [-1, 1], visible: false, fixedrange: true }, yaxis: { ...ticks, autorange: "reversed" } })];
}

const DISTRIBUTIONS = { box: qualityBoxes, density: qualityCurves };

document.addEventListener("DOMContentLoaded", () => {
  const place = element("quality"), before = element("before"), by = element("colour-by");
  let plot = "pca", asked = 0;

  // The values as in the file, next to those that are analysed; the file is read when they are asked for.
  async function drawBefore(mine) {
    delete before.dataset.ready;
    element("before-note").textContent = "Reading the file ...";
    Plotly.purge(before);
    const data = await numbers(before.dataset.points, { plot, by: by.value }, "POST");
    if (mine !== asked) return;
    before.hidden = !data.sample;
    element("before-note").textContent = data.note;
    if (data.sample) {
      const [traces, look] = DISTRIBUTIONS[plot](data, "value in the file, log2 scale");
      await Plotly.newPlot(before, traces, look, CONFIG);
    }
    before.dataset.ready = data.sample ? `${plot} ${data.by}` : "absent";
  }

  async function draw() {
    const mine = ++asked, both = plot in DISTRIBUTIONS;
    element("before-side").hidden = element("after-title").hidden = !both;
    element("sides").className = both ? "sides" : "";
    const data = await numbers(place.dataset.points, { plot, by: by.value });
    if (mine !== asked) return;
    const make = DISTRIBUTIONS[plot] || { correlation: qualityHeatmap }[plot] || qualityPoints;
    const [traces, look] = make(data);
    await Plotly.newPlot(place, traces, { ...look, uirevision: plot }, CONFIG);
    const part = data.sample.length < data.of ? ` ${data.sample.length} of ${data.of} samples are drawn.` : "";
    element("quality-note").textContent = NOTES[plot] + part;
    place.dataset.ready = `${plot} ${data.by}`;
    if (both && mine === asked) drawBefore(mine);
  }
  for (const button of document.querySelectorAll("[data-quality]")) {
    button.addEventListener("click", () => {
      document.querySelectorAll("[data-quality]").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
      plot = button.dataset.quality;
      draw();
    });
  }
  for (const button of document.querySelectorAll("[data-quality-image]")) {
    button.addEventListener("click", () => {
      const save = (figure, name) => Plotly.downloadImage(figure, { format: button.dataset.qualityImage, filename: name, width: 900, height: 640, scale: 2 });
      save(place, `samples-${plot}`);
      if (plot in DISTRIBUTIONS && before.dataset.ready && !before.hidden) save(before, `samples-${plot}-before`);
    });
  }
  by.addEventListener("change", draw);
  draw();
});
