// The atlas: the map of traits, and a gene across traits.
"use strict";
const SIMILAR = [[0, "#1c5f95"], [0.25, "#8fb8d6"], [0.5, "#f7f7f7"], [0.75, "#e2a184"], [1, "#a9441a"]];

// Similarity of all traits as cells, and the tree to their right.
async function traitMap(place) {
  const given = element("given") ? element("given").value : "";
  const data = await numbers(place.dataset.map, { condition: given });
  const count = data.names.length, narrow = place.clientWidth < 600, most = narrow ? 14 : 30;
  const short = (name) => (name.length > most ? `${name.slice(0, most - 1)}\u2026` : name);
  const ticks = { tickvals: data.names.map((_, i) => i), ticktext: data.names.map(short), zeroline: false, showgrid: false };
  const size = Math.max(9, Math.min(13, Math.floor(700 / count))), step = Math.max(size + 3, Math.min(40, Math.floor(420 / count)));
  const room = 20 + 0.6 * size * Math.min(most, Math.max(...data.names.map((name) => name.length)));
  const below = count <= (narrow ? 8 : 40);
  const traces = [{
    type: "heatmap", z: data.similarity, zmin: -1, zmax: 1, colorscale: SIMILAR, xgap: count > 60 ? 0 : 1, ygap: count > 60 ? 0 : 1,
    text: data.names.map((a) => data.names.map((b) => `${a}<br>${b}`)), hovertemplate: "%{text}<br>similarity %{z:.2f}<extra></extra>",
    colorbar: narrow ? { orientation: "h", y: 0, yref: "container", yanchor: "bottom", thickness: 12, len: 0.8 } : { title: { text: "similarity" }, thickness: 14, lenmode: "pixels", len: 220, y: 1, yanchor: "top" },
  }];
  if (!narrow) traces.push({ type: "scatter", mode: "lines", x: data.tree.height, y: data.tree.place, xaxis: "x2", line: { color: "#56626d", width: 1 }, hoverinfo: "skip", showlegend: false });
  const under = (below ? room : 16) + (narrow ? 50 : 0), height = count * step + under + 12;
  await Plotly.react(place, traces, layout("", "", {
    height, uirevision: given, showlegend: false, margin: { l: room, r: 16, t: 12, b: under },
    xaxis: { ...ticks, domain: [0, narrow ? 1 : 0.86], showticklabels: below, ticks: below ? "outside" : "", tickfont: { size }, tickangle: 90, constrain: "domain" },
    xaxis2: { domain: [0.87, 1], visible: false, fixedrange: true },
    yaxis: { ...ticks, range: [count - 0.5, -0.5], tickfont: { size } },
  }), CONFIG);
  if (!place.dataset.ready) place.on("plotly_click", (event) => {
    const { x, y } = event.points[0];
    const traits = place.traits;
    if (traits[x] === undefined || x === y) return;
    const there = new URL(place.dataset.pair, location.href);
    const chosen = element("given") ? element("given").value : "";
    for (const [key, value] of Object.entries({ condition: chosen, trait: traits[x], other: traits[y] })) if (value) there.searchParams.set(key, value);
    htmx.ajax("GET", `${there.pathname}${there.search}`, "#pair");
  });
  place.traits = data.traits;
  place.dataset.ready = given || "none";
}

// The effect of a gene in each trait, by p; hollow where it is not significant.
async function acrossTraits(place) {
  const data = await numbers(place.dataset.across, { condition: element("given") ? element("given").value : "" });
  const rows = [...data.rows].reverse(), narrow = place.clientWidth < 600, most = narrow ? 15 : 34;
  const colour = rows.map((r) => (r.effect > 0 ? COLOURS.up : COLOURS.down));
  const short = (name) => (name.length > most ? `${name.slice(0, most - 1)}\u2026` : name);
  element("across-note").textContent = data.rows.length
    ? `${data.total > data.rows.length ? `The ${data.rows.length} traits of ${data.total} with the smallest p` : "By p"}. Filled: significant; hollow: not. Bars are 95 % intervals.${data.rows.some((r) => r.measured) ? " Diamonds: measured traits (Fisher's z)." : ""} A click opens the trait.`
    : "No trait has a combined effect of this gene.";
  place.hidden = !rows.length;
  const lines = rows.map((r, i) => ({ type: "line", x0: r.low, x1: r.high, y0: i, y1: i, line: { color: colour[i], width: 1.6 } }));
  await Plotly.react(place, [{
    type: "scatter", mode: "markers", x: rows.map((r) => r.effect), y: rows.map((_, i) => i), text: rows.map((r) => `<b>${r.name}</b><br>${r.text}`),
    marker: { size: 10, color: rows.map((r, i) => (r.significant ? colour[i] : "#fff")), line: { color: colour, width: 2 }, symbol: rows.map((r) => (r.measured ? "diamond" : "circle")) },
    hovertemplate: "%{text}<extra></extra>",
  }], layout(data.label, "", {
    showlegend: false, height: 110 + 24 * rows.length, margin: { l: narrow ? 128 : 240, r: 16, t: 12, b: 48 },
    xaxis: { title: { text: data.label }, zerolinecolor: "#9aa5b1", gridcolor: "#eef0f2",
      range: span(rows) },
    yaxis: { tickvals: rows.map((_, i) => i), ticktext: rows.map((r) => short(r.name)), range: [-0.8, rows.length - 0.2], zeroline: false, showgrid: false },
    shapes: [{ type: "line", x0: 0, x1: 0, y0: 0, y1: 1, yref: "paper", line: { color: "#9aa5b1", width: 1 } }, ...lines],
  }), CONFIG);
  if (!place.dataset.ready) place.on("plotly_click", (event) => {
    const row = place.rows[event.points[0].y];
    const there = new URL(place.dataset.trait, location.href);
    there.searchParams.set("trait", row.trait);
    if (row.condition) there.searchParams.set("condition", row.condition);
    location.assign(there);
  });
  place.rows = rows;
  place.dataset.ready = "yes";
}

function span(rows) {
  const low = Math.min(0, ...rows.map((r) => r.low)), high = Math.max(0, ...rows.map((r) => r.high));
  const edge = 0.05 * (high - low || 1);
  return [low - edge, high + edge];
}

document.addEventListener("DOMContentLoaded", () => {
  for (const [name, draw] of Object.entries({ map: traitMap, across: acrossTraits })) {
    const place = element(name);
    if (!place) continue;
    draw(place);
    if (element("given")) element("given").addEventListener("change", () => {
      if (element("pair")) element("pair").replaceChildren();
      draw(place);
    });
  }
});
