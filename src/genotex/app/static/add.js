// Uploads: files that are too large are refused before they are sent, and sending is shown.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const most = Number(document.querySelector(".add").dataset.most);
  const message = document.getElementById("message");
  const drop = document.getElementById("drop");
  // Files of a series are named so; of two tables the larger one is the expression.
  const ofSeries = /series_matrix|_family\.soft|^gpl\d|^gse\d/i;
  function give(input, files) {
    const held = new DataTransfer();
    for (const file of files) held.items.add(file);
    input.files = held.files;
  }
  function take(files) {
    const series = files.some((file) => ofSeries.test(file.name));
    const form = document.getElementById(series ? "send-series" : "send-tables");
    if (series) give(form.elements.files, files);
    else {
      const [expression, samples] = [...files].sort((a, b) => b.size - a.size);
      give(form.elements.expression, [expression]);
      if (samples) give(form.elements.samples, [samples]);
    }
    htmx.trigger(form, "submit");
  }
  if (drop) {
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      const files = [...event.dataTransfer.files];
      if (files.length) take(files);
    });
  }
  document.body.addEventListener("htmx:beforeRequest", (event) => {
    const files = [...event.detail.elt.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files]);
    if (!files.length) return;
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (size > most) {
      event.preventDefault();
      message.textContent = `These files have ${Math.ceil(size / 1048576)} MiB; at most ${most / 1048576} MiB can be sent.`;
    } else {
      message.textContent = "Sending and reading the files ...";
    }
  });
  document.body.addEventListener("htmx:xhr:progress", (event) => {
    const { loaded, total } = event.detail;
    if (total && loaded < total) message.textContent = `Sent ${Math.floor((100 * loaded) / total)} %`;
  });
  document.body.addEventListener("htmx:afterOnLoad", (event) => {
    if (event.detail.successful && event.detail.target && event.detail.target.id === "added") {
      message.textContent = "";
      event.detail.target.scrollIntoView({ block: "nearest" });
    }
  });
});
