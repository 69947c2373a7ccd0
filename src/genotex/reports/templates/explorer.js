function unpackGenes(data) {
  "use strict";
  var packed = Uint8Array.from(atob(data.block), function (character) { return character.charCodeAt(0); });
  var stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer().then(function (buffer) {
    var all = new Uint8Array(buffer), n = data.genes, from = data.symbols;
    var found = { symbols: new TextDecoder().decode(all.subarray(0, from)).split("\n") };
    Object.keys(data.columns).forEach(function (name) {
      var low = data.columns[name][0], step = data.columns[name][1], level = 0;
      var column = found[name] = new Float64Array(n);
      for (var g = 0; g < n; g += 1) {
        var folded = all[from + g] + 256 * all[from + n + g] + 65536 * all[from + 2 * n + g] + 16777216 * all[from + 3 * n + g];
        level += folded % 2 ? -(folded + 1) / 2 : folded / 2;
        column[g] = level ? low + (level - 1) * step : NaN;
      }
      from += 4 * n;
    });
    found.values = all.subarray(from);
    return found;
  });
}

function exploreGenes(data, genes) {
  "use strict";
  function part(name) { return document.getElementById("explorer-" + name); }
  var MOST = 30, current = 0, picked = [];
  var upper = genes.symbols.map(function (symbol) { return symbol.toUpperCase(); });
  var box = document.getElementById("explorer"), input = part("symbol");

  function signed(value) {
    return isNaN(value) ? "" : (value < 0 ? "\u2212" : "+") + Math.abs(value).toFixed(2);
  }

  function chance(column, gene) {
    if (!column || isNaN(column[gene])) return "";
    var log = column[gene], p = Math.pow(10, -log);
    if (log > 300) return "<1e-300";
    if (p >= 0.001) return p >= 0.01 ? p.toFixed(3) : p.toFixed(4);
    return p.toExponential(1).replace(/e-(\d)$/, "e-0$1");
  }

  var columns = [
    ["Gene", function (g) { return genes.symbols[g]; }],
    [data.change, function (g) { return genes.effect ? signed(genes.effect[g]) : ""; }],
    ["mean", function (g) { return isNaN(genes.mean[g]) ? "" : genes.mean[g].toFixed(2); }, genes.mean],
    [data.ranking + "p", function (g) { return chance(genes.p, g); }, genes.p],
    [data.ranking + "q", function (g) { return chance(genes.q, g); }, genes.q],
    ["rank", function (g) { return (g + 1).toLocaleString("en"); }, true]
  ].filter(function (column) { return column.length < 3 || column[2]; });

  function make(name, attributes, text) {
    var node = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.keys(attributes).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function cell(tag, text) {
    var node = document.createElement(tag);
    node.textContent = text;
    return node;
  }

  function points(gene) {
    var list = [], n = genes.symbols.length, low = genes.low ? genes.low[gene] : NaN;
    if (isNaN(low)) return list;
    var step = (genes.high[gene] - low) / (data.levels - 1);
    if (data.samples) {
      data.samples.forEach(function (name, s) {
        var level = genes.values[s * n + gene];
        if (level) list.push({ group: data.place[s], y: low + (level - 1) * step, name: name, x: data.x && data.x[s] });
      });
      return list;
    }
    data.groups.forEach(function (group, k) {
      for (var level = 0; level < data.levels; level += 1) {
        var count = genes.values[(k * data.levels + level) * n + gene];
        for (var c = 0; c < count; c += 1) {
          // Within a level the places are unknown: spread evenly.
          list.push({ group: k, y: low + (level + (c + 0.5) / count - 0.5) * step, name: "" });
        }
      }
    });
    return list;
  }

  function ticks(low, high, many) {
    var rough = (high - low) / many || 1, power = Math.pow(10, Math.floor(Math.log10(rough)));
    var step = [1, 2, 5, 10].find(function (f) { return f * power >= rough; }) * power, all = [];
    for (var t = Math.ceil(low / step); t * step <= high + step * 1e-6; t += 1) all.push(+(t * step).toPrecision(8));
    return all;
  }

  function strip(gene) {
    var list = points(gene), drawing = part("drawing");
    drawing.textContent = "";
    if (!list.length) {
      part("caption").textContent = "Expression of this gene is not in the table that was analysed.";
      return;
    }
    var W = 420, H = 300, left = 44, bottom = H - 52, right = W - 8;
    var ys = list.map(function (p) { return p.y; });
    var low = Math.min.apply(null, ys), high = Math.max.apply(null, ys), margin = (high - low || 1) * 0.06;
    low -= margin; high += margin;
    function y(value) { return bottom - (bottom - 10) * (value - low) / (high - low); }
    var many = data.groups.length, room = (right - left) / many;
    var svg = make("svg", { viewBox: "0 0 " + W + " " + H, role: "img", "aria-label": "Expression of " + genes.symbols[gene] + " in each sample" });
    ticks(low, high, 5).forEach(function (t) {
      svg.appendChild(make("line", { "class": "grid", x1: left, x2: right, y1: y(t), y2: y(t) }));
      svg.appendChild(make("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, String(t).replace("-", "\u2212")));
    });
    var xs = list.map(function (p) { return p.x; });
    var first = Math.min.apply(null, xs), last = Math.max.apply(null, xs);
    function x(p, i) {
      if (data.x) return left + 12 + (right - left - 24) * (last > first ? (p.x - first) / (last - first) : 0.5);
      return left + room * (p.group + 0.5) + ((i * 0.618034) % 1 - 0.5) * Math.min(room * 0.6, 90);
    }
    list.forEach(function (p, i) {
      var dot = make("circle", { cx: x(p, i).toFixed(1), cy: y(p.y).toFixed(1), r: list.length > 150 ? 2.2 : 3.2, fill: data.groups[p.group][1], "fill-opacity": 0.75 });
      if (p.name) dot.appendChild(make("title", {}, p.name + ": " + p.y.toFixed(2)));
      svg.appendChild(dot);
    });
    if (data.x) {
      ticks(first, last, 6).forEach(function (t) {
        svg.appendChild(make("text", { x: x({ x: t }), y: bottom + 18, "text-anchor": "middle" }, String(t).replace("-", "\u2212")));
      });
      svg.appendChild(make("text", { x: (left + right) / 2, y: bottom + 38, "text-anchor": "middle" }, data.level));
    } else {
      data.groups.forEach(function (group, k) {
        var inside = list.filter(function (p) { return p.group === k; }).map(function (p) { return p.y; });
        inside.sort(function (a, b) { return a - b; });
        var centre = left + room * (k + 0.5), half = Math.min(room * 0.35, 54), n = inside.length;
        if (n) {
          var middle = (inside[Math.floor((n - 1) / 2)] + inside[Math.ceil((n - 1) / 2)]) / 2;
          svg.appendChild(make("line", { "class": "median", x1: centre - half, x2: centre + half, y1: y(middle), y2: y(middle) }));
        }
        var letters = Math.max(4, Math.floor(room / 7)), label = group[0];
        if (label.length > letters) label = label.slice(0, letters - 1) + "\u2026";
        var name = make("text", { x: centre, y: bottom + 18, "text-anchor": "middle" }, label);
        name.appendChild(make("title", {}, group[0]));
        svg.appendChild(name);
        svg.appendChild(make("text", { "class": "faint", x: centre, y: bottom + 35, "text-anchor": "middle" }, "n = " + group[2]));
      });
    }
    drawing.appendChild(svg);
    var kind = data.samples ? "Each point is a sample" : "One point for each sample, placed to the nearest of " + data.levels + " levels";
    part("caption").textContent = kind + (data.x ? "." : "; the line is the group\u2019s median.") + " Values as they were analysed.";
  }

  function choose(gene) {
    current = gene;
    part("title").textContent = genes.symbols[gene];
    part("numbers").textContent = columns.slice(1).map(function (column) {
      return column[0] + " " + (column[1](gene) || "\u2013");
    }).join(" \u00b7 ");
    strip(gene);
    Array.prototype.forEach.call(part("found").rows, function (row, i) {
      row.classList.toggle("chosen", picked[i] === gene);
    });
    if (scatter) scatter.mark(gene);
  }

  function find() {
    var wanted = input.value.trim().toUpperCase(), exact = -1, shown = 0;
    picked = [];
    upper.forEach(function (symbol, g) {
      if (symbol.indexOf(wanted) < 0) return;
      shown += 1;
      if (symbol === wanted) exact = g;
      if (picked.length < MOST) picked.push(g);
    });
    if (exact >= 0 && picked[0] !== exact) {
      picked = [exact].concat(picked.filter(function (g) { return g !== exact; })).slice(0, MOST);
    }
    var body = part("found");
    body.textContent = "";
    picked.forEach(function (g) {
      var row = body.insertRow();
      var head = cell("th", ""), button = cell("button", genes.symbols[g]);
      button.type = "button";
      head.scope = "row";
      head.appendChild(button);
      row.appendChild(head);
      columns.slice(1).forEach(function (column) { row.appendChild(cell("td", column[1](g))); });
      if (genes.meaning[g]) row.className = "sig";
      button.addEventListener("click", function () { choose(g); });
    });
    part("count").textContent = shown.toLocaleString("en") + (shown === 1 ? " gene" : " genes") +
      (shown > MOST ? ", first " + MOST + " shown" : "");
    if (picked.length) choose(wanted ? picked[0] : current);
  }

  columns.forEach(function (column) { part("head").appendChild(cell("th", column[0])).scope = "col"; });
  input.addEventListener("input", find);
  part("form").addEventListener("submit", function (event) { event.preventDefault(); });
  box.hidden = false;
  var scatter = genes.effect && (genes.p || genes.mean) ? plotGenes(data, genes, choose, ticks) : null;
  find();
  box.dataset.ready = "yes";
}
