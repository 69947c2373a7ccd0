// Draws declared figures by Plotly. Meaning, colour and shape come with the figure; this file only maps kinds of marks.
"use strict";
const INK = "#1f2933", QUIET = "#5b6770", ZERO = "#c3cad1", GRID = "#eef0f2";
// Nothing is sent anywhere: Plotly's own button would upload a figure to its cloud.
const CONFIG = { displaylogo: false, responsive: true, showSendToCloud: false, plotlyServerURL: "", modeBarButtonsToRemove: ["toImage", "autoScale2d"] };
const HOVER = "%{text}<extra></extra>";

const scaleOf = (scale) => scale.colours.map((colour, i) => [i / (scale.colours.length - 1), colour]);
const barOf = (scale) => ({ title: { text: scale.label }, thickness: 12, len: 0.8 });
// Text of the data is shown, never read as markup.
const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");

function pointTrace(s) {
  const many = s.x.length, edge = s.ringed || s.hollow;
  const colour = s.levels || (s.hollow ? s.hollow.map((open) => (open ? "#fff" : s.colour)) : s.colour);
  const marker = {
    color: colour, symbol: s.shape, opacity: s.meaning === "rest" ? 0.6 : 0.9,
    size: s.sizes ? s.sizes.map((size) => 1.35 * size) : s.meaning === "rest" ? 5 : 1.35 * s.size,
    line: { color: edge ? Array.from({ length: many }, (_, i) => (s.ringed && s.ringed[i] ? INK : s.hollow ? s.colour : "#fff")) : "#fff",
      width: edge ? Array.from({ length: many }, (_, i) => ((s.ringed && s.ringed[i]) || s.hollow ? 2 : 0.5)) : s.meaning === "rest" ? 0 : 0.5 },
  };
  if (s.levels) Object.assign(marker, { colorscale: scaleOf(s.scale), showscale: s.scale.bar, colorbar: barOf(s.scale) });
  return { type: "scatter", mode: "markers", x: s.x, y: s.y, marker };
}

// Plotly draws shapes and not thousands of traces; a null ends a stroke.
function strokes(s) {
  const ends = s.low.flatMap((low, i) => [low, s.high[i], null]), at = (s.upright ? s.x : s.y).flatMap((v) => [v, v, null]);
  return { type: "scatter", mode: "lines", x: s.upright ? at : ends, y: s.upright ? ends : at, hoverinfo: "skip", line: { color: s.colour, width: 1.6 } };
}

const KINDS = {
  points: (s) => [pointTrace(s)],
  strip: (s) => [{ type: "box", x: s.x, y: s.y, boxpoints: "all", jitter: 0.5, pointpos: 0, width: 2 * s.reach, marker: { color: s.colour, size: 6, symbol: s.shape }, line: { color: s.colour, width: 1.2 }, fillcolor: "rgba(0,0,0,0)" }],
  line: (s) => [{ type: "scatter", mode: "lines", x: s.x, y: s.y, connectgaps: false, hovertemplate: s.texts ? HOVER : undefined, hoverinfo: s.meaning === "guide" || s.meaning === "tree" ? "skip" : undefined, line: { color: s.colour, width: s.meaning === "guide" || s.meaning === "tree" ? 1 : 2, shape: s.step ? "hv" : "linear", dash: s.dashed ? "dash" : "solid" } }],
  curves: (s) => s.y.map((y, i) => ({ type: "scatter", mode: "lines", x: s.x, y, showlegend: i === 0 && Boolean(s.label), opacity: s.ringed && s.ringed[i] ? 1 : 0.6, line: { color: s.colour, width: s.ringed && s.ringed[i] ? 2.4 : 1 }, hovertemplate: `${plain((s.texts || [])[i] || s.label)}<extra></extra>` })),
  band: (s) => [
    { type: "scatter", mode: "lines", x: s.x, y: s.low, line: { width: 0, shape: s.step ? "hv" : "linear" }, hoverinfo: "skip", showlegend: false },
    { type: "scatter", mode: "lines", x: s.x, y: s.high, line: { width: 0, shape: s.step ? "hv" : "linear" }, fill: "tonexty", fillcolor: `${s.colour}22`, hoverinfo: "skip", showlegend: false }],
  bars: (s) => [{ type: "bar", x: s.x.map((x) => x + s.size / 2), y: s.y.map((y, i) => y - (s.low ? s.low[i] : 0)), base: s.low, width: s.size, textposition: "none", marker: { color: s.colour, line: { color: "#fff", width: 0.8 } } }],
  intervals: (s) => [strokes(s)],
  diamonds: (s) => [{ ...strokes(s), showlegend: false }, { type: "scatter", mode: "markers", x: s.x, y: s.y, marker: { symbol: "diamond", size: 12, color: s.colour } }],
  cells: (s) => [s.colours
    ? { type: "heatmap", x: s.x, z: s.y, zmin: -0.5, zmax: s.colours.length - 0.5, showscale: false, hoverinfo: "skip", colorscale: s.colours.flatMap((c, i) => [[i / s.colours.length, c], [(i + 1) / s.colours.length, c]]) }
    : { type: "heatmap", z: s.y, zmin: s.scale.low, zmax: s.scale.high, colorscale: scaleOf(s.scale), showscale: s.scale.bar, colorbar: barOf(s.scale), xgap: s.y.length > 60 ? 0 : 1, ygap: s.y.length > 60 ? 0 : 1,
        text: s.texts && s.texts.map((a) => s.ids.map((b) => `${plain(a)}<br>${plain(b)}`)), hovertemplate: `%{text}<br>${plain(s.scale.label)} %{z:.3g}<extra></extra>` }],
  boxes: (s) => [0].map(() => { const q = (k) => s.y.map((row) => row[k]); return { type: "box", x: s.x, lowerfence: q(0), q1: q(1), median: q(2), q3: q(3), upperfence: q(4), line: { width: 1, color: s.colour }, marker: { color: s.colour } }; }),
};

// Returns the traces of one series on the axes of panel `n`.
function tracesOf(series, n = "") {
  return KINDS[series.kind](series).map((trace) => ({
    name: plain(series.label), showlegend: Boolean(series.label), xaxis: `x${n}`, yaxis: `y${n}`, legendgroup: plain(series.label),
    ...(series.texts ? { text: series.texts.map(plain), hovertemplate: HOVER } : {}), ...(series.ids ? { customdata: series.ids } : {}), ...trace,
  }));
}

function axisOf(axis, shown, small) {
  const short = (text) => (small && text.length > 16 ? `${text.slice(0, 15)}\u2026` : text);
  return {
    title: { text: plain(axis.label) }, zeroline: false, gridcolor: GRID, showgrid: shown && !axis.ticks, ticks: "", automargin: true,
    ...(axis.range && axis.log_above === null ? { range: axis.range } : axis.flipped ? { autorange: "reversed" } : {}),
    ...(axis.ticks ? { tickvals: axis.ticks.map((t) => t[0]), ticktext: axis.ticks.map((t) => plain(short(t[1]))), showticklabels: !shown || axis.ticks.length <= 60 } : {}),
  };
}

function lineOf(line, n) {
  const across = line.along === "x" ? { x0: line.at, x1: line.at, y0: 0, y1: 1, xref: `x${n}`, yref: `y${n} domain` } : { y0: line.at, y1: line.at, x0: 0, x1: 1, yref: `y${n}`, xref: `x${n} domain` };
  const looks = { zero: { color: ZERO, width: 1 }, threshold: { color: QUIET, width: 1, dash: "dash" }, edge: { color: "#fff", width: 2.5 } };
  return { type: "line", layer: line.role === "zero" ? "below" : "above", ...across, line: looks[line.role] };
}

// Returns what Plotly needs: traces and layout.
function plotOf(figure, small = false) {
  const traces = [], layout = {
    font: { family: "system-ui, sans-serif", size: 13, color: INK }, margin: { l: 60, r: 16, t: 12, b: 48 }, hovermode: "closest", barmode: "overlay", boxmode: "overlay",
    uirevision: figure.key, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 }, paper_bgcolor: "#fff", plot_bgcolor: "#fff", shapes: [], annotations: [],
  };
  const total = figure.heights.reduce((a, b) => a + b, 0);
  const named = new Set();
  let top = 1, number = 0;
  figure.rows.forEach((row, i) => {
    const high = figure.heights[i] / total, gap = i + 1 < figure.rows.length ? Math.min(figure.share_x ? 0.04 : 0.12, 0.3 * high) : 0;
    const shares = figure.widths.length ? figure.widths : row.map(() => 1 / row.length);
    let left = 0;
    row.forEach((panel, k) => {
      number += 1;
      const n = number > 1 ? number : "";
      panel.series.forEach((series) => traces.push(...tracesOf(series, n)));
      const wide = shares[k];
      layout[`xaxis${n}`] = { ...axisOf(panel.x, panel.framed, small), anchor: `y${n}`, domain: [left, left + wide - (k + 1 < row.length ? 0.05 * wide : 0)], ...(figure.share_x && n ? { matches: "x" } : {}) };
      layout[`yaxis${n}`] = { ...axisOf(panel.y, panel.framed, small), anchor: `x${n}`, domain: [Math.max(0, top - high + gap), top] };
      if (!panel.framed) for (const name of ["xaxis", "yaxis"]) Object.assign(layout[`${name}${n}`], { showgrid: false, showticklabels: Boolean(panel[name[0]].ticks) });
      layout.shapes.push(...panel.lines.map((line) => lineOf(line, n)));
      if (panel.title) layout.annotations.push({ text: `<b>${plain(panel.title)}</b>`, xref: `x${n} domain`, x: 0, xanchor: "left", yref: `y${n} domain`, y: 1, yanchor: "bottom", showarrow: false });
      for (const line of panel.lines) if (line.text) layout.annotations.push({ text: plain(line.text), xref: `x${n} domain`, x: 1, xanchor: "right", yref: `y${n}`, y: line.at, yanchor: "bottom", showarrow: false, font: { size: 11, color: QUIET } });
      traces.push(...(panel.names.length ? [{ type: "scatter", mode: "text", xaxis: `x${n}`, yaxis: `y${n}`, x: panel.names.map((name) => name.x), y: panel.names.map((name) => name.y), text: panel.names.map((name) => plain(name.text)), textposition: "top center", textfont: { size: 11 }, hoverinfo: "skip", showlegend: false, cliponaxis: false }] : []));
      left += wide;
    });
    top -= high;
  });
  for (const trace of traces) {
    if (trace.showlegend) trace.showlegend = !named.has(trace.name);
    if (trace.showlegend) named.add(trace.name);
    // On a phone the bar of a scale is below: next to the cells it would take half of their room.
    if (small && trace.colorbar) trace.colorbar = { ...trace.colorbar, orientation: "h", x: 0.5, xanchor: "center", y: -0.02, yanchor: "top", title: { ...trace.colorbar.title, side: "top" } };
  }
  layout.showlegend = traces.filter((trace) => trace.showlegend).length > 1;
  return { traces, layout };
}

// Draws a figure in a place of the page; `more` changes its layout.
function drawFigure(place, figure, more = {}) {
  const { traces, layout } = plotOf(figure, place.clientWidth < 600);
  return Plotly.react(place, traces, { ...layout, ...more }, CONFIG);
}

if (typeof module !== "undefined") module.exports = { plotOf, tracesOf };
