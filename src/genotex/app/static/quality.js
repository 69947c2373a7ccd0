// The quality of samples: one plot at a time, and the same of the values before processing.
"use strict";
function qualityPlots() {
  const place = element("quality"), before = element("before"), by = element("colour-by");
  if (!place || place.question || !place.dataset.figure) return;
  bindSaves();
  let plot = "pca", drawn = "";
  place.question = () => ({ plot, by: by.value });
  if (before) before.question = place.question;

  // The file is read when its values are asked for.
  async function drawBefore() {
    delete before.dataset.ready;
    element("before-note").textContent = "Reading the file ...";
    Plotly.purge(before);
    const figure = await showFigure(before, before.question());
    if (figure) before.dataset.ready = figure.rows ? `${plot} ${figure.by}` : "absent";
  }

  async function draw() {
    const both = Boolean(before) && ["box", "density"].includes(plot);
    for (const id of ["before-side", "after-title"]) if (element(id)) element(id).hidden = !both;
    element("sides").className = both ? "sides" : "";
    if (plot !== drawn) { Plotly.purge(place); delete place.dataset.linked; }
    drawn = plot;
    const figure = await showFigure(place, place.question());
    if (!figure) return;
    place.dataset.ready = `${plot} ${figure.by}`;
    if (globalThis.linkSamples) globalThis.linkSamples(place);
    if (both) drawBefore();
  }
  for (const button of document.querySelectorAll("[data-quality]")) {
    button.addEventListener("click", () => {
      document.querySelectorAll("[data-quality]").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
      plot = button.dataset.quality;
      draw();
    });
  }
  by.addEventListener("change", draw);
  document.body.addEventListener("sheet", draw);
  // The checks say which samples are conspicuous, and measure what two of the plots show.
  document.body.addEventListener("judged", () => {
    const there = element("verdict").dataset.plots.split(" ");
    for (const button of document.querySelectorAll("[data-quality]")) button.disabled = !there.includes(button.dataset.quality);
    draw();
  });
  draw();
}
document.addEventListener("DOMContentLoaded", () => {
  qualityPlots();
  document.body.addEventListener("htmx:afterSettle", qualityPlots);
});
