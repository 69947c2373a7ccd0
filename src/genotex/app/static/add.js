// Uploads: files that are too large are refused before they are sent, and sending is shown.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const most = Number(document.querySelector(".add").dataset.most);
  const message = document.getElementById("message");
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
