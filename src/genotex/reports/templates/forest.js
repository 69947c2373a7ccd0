(function () {
  "use strict";
  var box = document.getElementById("forest");
  var source = document.getElementById("forest-data");
  if (!box || !source) return;
  var data = JSON.parse(source.textContent);
  var place = Object.create(null);
  data.genes.forEach(function (symbol, index) { place[symbol.toUpperCase()] = index; });
  var input = document.getElementById("forest-symbol");
  var hint = document.getElementById("forest-hint");
  var title = document.getElementById("forest-title");
  var drawing = document.getElementById("forest-drawing");
  var caption = document.getElementById("forest-caption");
  var HALF = 1.959964, NARROW = 600;
  // On a phone the words are above each line, not next to it.
  var WIDE_PLOT = { narrow: false, width: 760, left: 190, right: 200, line: 28, first: 14 };
  var NARROW_PLOT = { narrow: true, width: 380, left: 10, right: 10, line: 46, first: 30 };
  var plot = WIDE_PLOT, current = 0;

  function shown(value) {
    return data.r ? Math.tanh(value / 1000) : value / 1000;
  }

  function written(value) {
    return (value < 0 ? "\u2212" : "+") + Math.abs(value).toFixed(2);
  }

  function rowsOf(gene) {
    var rows = [], total = 0;
    var random = data.fixed !== null && data.fixed[0][gene] !== null;
    var tau = random ? data.tau[0][gene] : 0;
    data.cohorts.forEach(function (cohort, k) {
      var effect = data.effect[k][gene], error = data.error[k][gene];
      if (effect === null || !error) return;
      var weight = 1 / (error * error + tau * tau);
      total += weight;
      rows.push({
        label: cohort[0] + " (" + cohort[1] + ")", weight: weight,
        middle: shown(effect), low: shown(effect - HALF * error), high: shown(effect + HALF * error)
      });
    });
    rows.forEach(function (row) { row.weight /= total; });
    var wholes = [[random ? "random effects" : "fixed effect", data.whole]];
    if (random) wholes.push(["fixed effect", data.fixed]);
    wholes.forEach(function (pair) {
      rows.push({
        label: pair[0], weight: null, middle: shown(pair[1][0][gene]),
        low: shown(pair[1][1][gene]), high: shown(pair[1][2][gene])
      });
    });
    return rows;
  }

  function make(name, attributes, text) {
    var node = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.keys(attributes).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function step(width) {
    var rough = width / 6, power = Math.pow(10, Math.floor(Math.log10(rough)));
    var factor = [1, 2, 5, 10].find(function (f) { return f * power >= rough; });
    return factor * power;
  }

  function draw(gene) {
    current = gene;
    plot = box.clientWidth < NARROW ? NARROW_PLOT : WIDE_PLOT;
    var rows = rowsOf(gene);
    var low = Math.min.apply(null, [0].concat(rows.map(function (r) { return r.low; })));
    var high = Math.max.apply(null, [0].concat(rows.map(function (r) { return r.high; })));
    var margin = (high - low || 1) * 0.04;
    low -= margin; high += margin;
    var bottom = rows.length * plot.line + 8;
    var svg = make("svg", { viewBox: "0 0 " + plot.width + " " + (bottom + 44), role: "img" });
    var right = plot.width - plot.right;
    function x(value) { return plot.left + (right - plot.left) * (value - low) / (high - low); }
    svg.appendChild(make("line", { "class": "zero", x1: x(0), x2: x(0), y1: 0, y2: bottom }));
    svg.appendChild(make("line", { "class": "rule", x1: plot.left, x2: right, y1: bottom, y2: bottom }));
    var tick = step(high - low);
    for (var t = Math.ceil(low / tick); t * tick <= high; t += 1) {
      var group = make("g", { "class": "tick" });
      var at = x(t * tick);
      group.appendChild(make("line", { "class": "rule", x1: at, x2: at, y1: bottom, y2: bottom + 4 }));
      var name = String(+(t * tick).toFixed(6)).replace("-", "\u2212");
      group.appendChild(make("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, name));
      svg.appendChild(group);
    }
    svg.appendChild(make("text", {
      "class": "label", x: (plot.left + right) / 2, y: bottom + 38, "text-anchor": "middle"
    }, data.label));
    rows.forEach(function (row, i) { drawRow(svg, row, plot.first + i * plot.line, x); });
    var text = describe(gene);
    svg.setAttribute("aria-label", "Forest plot of " + data.genes[gene] + ". " + text);
    drawing.replaceChildren(svg);
    title.textContent = data.genes[gene];
    caption.textContent = text;
    input.value = data.genes[gene];
    hint.textContent = "";
  }

  function drawRow(svg, row, y, x) {
    var label = { x: plot.left - 14, y: y + 4, "text-anchor": "end" };
    var numbers = { x: plot.width - plot.right + 14, y: y + 4 };
    if (plot.narrow) {
      label = { x: plot.left, y: y - 14 };
      numbers = { x: plot.width - plot.right, y: y - 14, "text-anchor": "end" };
    }
    svg.appendChild(make("text", label, row.label));
    if (row.weight === null) {
      svg.appendChild(make("polygon", {
        "class": row.middle > 0 ? "up" : "down",
        points: [[x(row.low), y], [x(row.middle), y - 8], [x(row.high), y], [x(row.middle), y + 8]]
          .map(function (point) { return point.join(","); }).join(" ")
      }));
    } else {
      var size = 4 + 10 * Math.sqrt(row.weight);
      svg.appendChild(make("line", { "class": "range", x1: x(row.low), x2: x(row.high), y1: y, y2: y }));
      svg.appendChild(make("rect", {
        "class": "cohort", x: x(row.middle) - size / 2, y: y - size / 2, width: size, height: size
      }));
    }
    svg.appendChild(make("text", numbers,
      written(row.middle) + "  (" + written(row.low) + " to " + written(row.high) + ")"));
  }

  function describe(gene) {
    var cohorts = data.effect.filter(function (each, k) {
      return each[gene] !== null && data.error[k][gene];
    }).length;
    return "q = " + data.q[gene] + "; I\u00b2 = " + data.i2[gene] + " %; " + data.agree[gene] + " of " +
      cohorts + " cohorts agree in direction; " +
      (data.replicates.charAt(gene) === "1" ? "replicates." : "does not replicate.");
  }

  function suggest(wanted) {
    var fits = data.genes.filter(function (symbol) { return symbol.toUpperCase().indexOf(wanted) === 0; });
    hint.textContent = fits.length ? fits.length.toLocaleString("en") + (fits.length === 1 ? " gene: " : " genes: ")
      : "no gene of that name was combined";
    fits.sort(function (a, b) { return a.length - b.length || (a < b ? -1 : 1); });
    fits.slice(0, 8).forEach(function (symbol) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = symbol;
      button.addEventListener("click", function () { draw(place[symbol.toUpperCase()]); });
      hint.appendChild(button);
    });
  }

  function search(event) {
    var wanted = input.value.trim().toUpperCase();
    if (event.type === "submit") event.preventDefault();
    if (!wanted) hint.textContent = "";
    else if (wanted in place && (event.type === "submit" || input.value !== title.textContent)) {
      var typed = input.value;
      draw(place[wanted]);
      if (event.type === "input") { input.value = typed; }
    } else if (!(wanted in place)) suggest(wanted);
  }

  document.getElementById("forest-form").addEventListener("submit", search);
  input.addEventListener("input", search);
  Array.prototype.forEach.call(document.querySelectorAll("#gene-table tbody tr"), function (row) {
    var cell = row.cells[0], symbol = cell.textContent.trim(), gene = place[symbol.toUpperCase()];
    if (gene === undefined) return;
    var button = document.createElement("button");
    button.type = "button";
    button.className = "gene-link";
    button.textContent = symbol;
    cell.replaceChildren(button);
    row.addEventListener("click", function () {
      draw(gene);
      box.scrollIntoView({ block: "nearest" });
    });
  });
  window.addEventListener("resize", function () {
    if ((box.clientWidth < NARROW) !== plot.narrow) draw(current);
  });
  document.getElementById("row-hint").hidden = false;
  box.hidden = false;
  draw(place[box.dataset.first.toUpperCase()] || 0);
})();
