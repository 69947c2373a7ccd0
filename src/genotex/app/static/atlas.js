// The map of traits: a click in a cell opens the pair.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const place = element("map");
  const given = () => (element("given") ? element("given").value : "");

  async function draw() {
    const figure = await showFigure(place, { condition: given() });
    if (!figure) return;
    if (!place.traits) place.on("plotly_click", (event) => {
      const { x, y } = event.points[0], traits = place.traits;
      if (traits[x] === undefined || x === y) return;
      const there = new URL(place.dataset.pair, location.href);
      for (const [key, value] of Object.entries({ condition: given(), trait: traits[x], other: traits[y] })) if (value) there.searchParams.set(key, value);
      htmx.ajax("GET", `${there.pathname}${there.search}`, "#pair");
    });
    place.traits = figure.traits;
    place.dataset.ready = given() || "none";
  }
  place.question = () => ({ condition: given() });
  if (element("given")) element("given").addEventListener("change", () => {
    element("pair").replaceChildren();
    draw();
  });
  draw();
});
