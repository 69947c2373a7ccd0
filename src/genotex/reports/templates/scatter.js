function plotGenes(data, genes, choose, ticks) {
  "use strict";
  function part(name) { return document.getElementById("explorer-" + name); }
  var canvas = part("canvas"), pen = canvas.getContext("2d"), hint = part("hint");
  var LEFT = 46, BOTTOM = 40, TOP = 10, RIGHT = 10, NEAR = 14;
  var kinds = {}, kind, view, chosen = -1, over = -1, held = null, width = 0, height = 0;
  if (genes.p) kinds.volcano = { x: genes.effect, y: genes.p, names: [data.change, "\u2212log10 " + data.ranking + "p"] };
  if (genes.mean) kinds.ma = { x: genes.mean, y: genes.effect, names: ["mean expression", data.change] };

  function whole() {
    var box = [Infinity, -Infinity, Infinity, -Infinity];
    kind.x.forEach(function (x, g) {
      var y = kind.y[g];
      if (isNaN(x) || isNaN(y)) return;
      box = [Math.min(box[0], x), Math.max(box[1], x), Math.min(box[2], y), Math.max(box[3], y)];
    });
    var dx = (box[1] - box[0] || 1) * 0.04, dy = (box[3] - box[2] || 1) * 0.04;
    return [box[0] - dx, box[1] + dx, box[2] - dy, box[3] + dy];
  }

  function px(value) { return LEFT + (width - LEFT - RIGHT) * (value - view[0]) / (view[1] - view[0]); }
  function py(value) { return height - BOTTOM - (height - BOTTOM - TOP) * (value - view[2]) / (view[3] - view[2]); }

  function dot(g, radius) {
    pen.beginPath();
    pen.arc(px(kind.x[g]), py(kind.y[g]), radius, 0, 7);
    pen.fill();
  }

  function axes() {
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 1;
    pen.fillStyle = "#56626d";
    pen.strokeStyle = "#e8ebee";
    pen.textAlign = "center";
    ticks(view[0], view[1], width < 420 ? 4 : 6).forEach(function (t) {
      line(px(t), TOP, px(t), height - BOTTOM);
      pen.fillText(String(t).replace("-", "\u2212"), px(t), height - BOTTOM + 16);
    });
    pen.fillText(kind.names[0], (LEFT + width - RIGHT) / 2, height - 6);
    pen.textAlign = "right";
    ticks(view[2], view[3], 5).forEach(function (t) {
      line(LEFT, py(t), width - RIGHT, py(t));
      pen.fillText(String(t).replace("-", "\u2212"), LEFT - 6, py(t) + 4);
    });
    pen.save();
    pen.translate(12, (TOP + height - BOTTOM) / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(kind.names[1], 0, 0);
    pen.restore();
  }

  function line(x1, y1, x2, y2) {
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }

  function draw() {
    var sharp = window.devicePixelRatio || 1;
    width = canvas.clientWidth;
    height = Math.round(Math.min(420, width * 0.8));
    canvas.style.height = height + "px";
    canvas.width = width * sharp;
    canvas.height = height * sharp;
    pen.scale(sharp, sharp);
    axes();
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, TOP, width - LEFT - RIGHT, height - BOTTOM - TOP);
    pen.clip();
    data.meanings.forEach(function (meaning, place) {
      pen.fillStyle = meaning[1] + (place ? "bf" : "80");
      kind.x.forEach(function (x, g) {
        if (genes.meaning[g] === place && !isNaN(x) && !isNaN(kind.y[g])) dot(g, place ? 2.6 : 1.9);
      });
    });
    [over, chosen].forEach(function (g) { if (g >= 0) label(g); });
    if (held && held.box) {
      pen.strokeStyle = "#1b5e83";
      pen.strokeRect(held.x, held.y, held.box[0] - held.x, held.box[1] - held.y);
    }
    pen.restore();
  }

  function label(g) {
    pen.fillStyle = "#1f2933";
    dot(g, 4);
    var x = px(kind.x[g]), right = x > width - 110;
    pen.font = "600 13px system-ui, sans-serif";
    pen.textAlign = right ? "right" : "left";
    pen.lineWidth = 3;
    pen.strokeStyle = "#fff";
    pen.strokeText(genes.symbols[g], x + (right ? -8 : 8), py(kind.y[g]) + 4);
    pen.fillText(genes.symbols[g], x + (right ? -8 : 8), py(kind.y[g]) + 4);
  }

  function place(event) {
    var box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  function nearest(at) {
    var best = -1, least = NEAR * NEAR;
    kind.x.forEach(function (x, g) {
      var dx = px(x) - at[0], dy = py(kind.y[g]) - at[1], far = dx * dx + dy * dy;
      if (far < least) { least = far; best = g; }
    });
    return best;
  }

  function zoom(factor, at) {
    if (!factor) view = whole();
    else {
      var x = at ? view[0] + (view[1] - view[0]) * (at[0] - LEFT) / (width - LEFT - RIGHT) : (view[0] + view[1]) / 2;
      var y = at ? view[3] - (view[3] - view[2]) * (at[1] - TOP) / (height - BOTTOM - TOP) : (view[2] + view[3]) / 2;
      view = [x + (view[0] - x) * factor, x + (view[1] - x) * factor, y + (view[2] - y) * factor, y + (view[3] - y) * factor];
    }
    draw();
  }

  function show(name) {
    kind = kinds[name];
    view = whole();
    buttons("plot").forEach(function (button) {
      button.setAttribute("aria-pressed", String(button.dataset.plot === name));
    });
    canvas.dataset.plot = name;
    canvas.setAttribute("aria-label", (name === "ma" ? "MA plot" : "Volcano plot") + " of all genes; the search finds each of them");
    draw();
  }

  function buttons(name) {
    return Array.prototype.slice.call(part("scatter").querySelectorAll("[data-" + name + "]"));
  }

  canvas.addEventListener("pointerdown", function (event) {
    var at = place(event);
    if (event.pointerType === "mouse") held = { x: at[0], y: at[1], box: null };
  });
  canvas.addEventListener("pointermove", function (event) {
    var at = place(event);
    if (held && (held.box || Math.abs(at[0] - held.x) + Math.abs(at[1] - held.y) > 6)) held.box = at;
    else over = nearest(at);
    hint.textContent = over < 0 ? help : genes.symbols[over];
    canvas.style.cursor = over < 0 ? "crosshair" : "pointer";
    draw();
  });
  canvas.addEventListener("pointerleave", function () { held = null; over = -1; hint.textContent = help; draw(); });
  canvas.addEventListener("pointerup", function (event) {
    var box = held && held.box, from = held, old = view;
    held = null;
    if (!box) return;
    function x(at) { return old[0] + (old[1] - old[0]) * (at - LEFT) / (width - LEFT - RIGHT); }
    function y(at) { return old[3] - (old[3] - old[2]) * (at - TOP) / (height - BOTTOM - TOP); }
    if (Math.abs(box[0] - from.x) > 8 && Math.abs(box[1] - from.y) > 8) {
      view = [x(Math.min(from.x, box[0])), x(Math.max(from.x, box[0])), y(Math.max(from.y, box[1])), y(Math.min(from.y, box[1]))];
    }
    draw();
    event.preventDefault();
    moved = true;
  });
  canvas.addEventListener("click", function (event) {
    if (moved) { moved = false; return; }
    var gene = nearest(place(event));
    if (gene >= 0) choose(gene);
  });
  canvas.addEventListener("dblclick", function () { zoom(0); });
  canvas.addEventListener("wheel", function (event) {
    // Without a key the page scrolls, as readers expect.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, place(event));
  }, { passive: false });
  canvas.addEventListener("keydown", function (event) {
    var shift = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (shift) {
      var dx = shift[0] * (view[1] - view[0]), dy = shift[1] * (view[3] - view[2]);
      view = [view[0] + dx, view[1] + dx, view[2] + dy, view[3] + dy];
      draw();
    } else if (event.key === "+" || event.key === "-" || event.key === "0") zoom({ "+": 0.8, "-": 1.25, 0: 0 }[event.key]);
    else return;
    event.preventDefault();
  });
  var moved = false, help = "Point at a gene for its name, click for its samples. Zoom with the buttons, or drag a box with the mouse.";
  buttons("plot").forEach(function (button) {
    button.hidden = !kinds[button.dataset.plot];
    button.addEventListener("click", function () { show(button.dataset.plot); });
  });
  buttons("zoom").forEach(function (button) {
    button.addEventListener("click", function () { zoom(+button.dataset.zoom); });
  });
  window.addEventListener("resize", draw);
  hint.textContent = help;
  part("scatter").hidden = false;
  show(kinds.volcano ? "volcano" : "ma");
  return { mark: function (gene) { chosen = gene; draw(); } };
}
