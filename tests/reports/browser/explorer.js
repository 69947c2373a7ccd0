// Draws both plots, clicks where it is told, and searches; returns what is then on the page.
const scatter = document.getElementById("explorer-scatter"), buttons = {};
["volcano", "ma"].forEach((name) => {
  const button = buttons[name] = make("button");
  button.dataset.plot = name;
  scatter.appendChild(button);
});
const data = JSON.parse(given.data), part = (name) => document.getElementById("explorer-" + name);
const { unpackGenes, exploreGenes } = new Function(source + "; return { unpackGenes, exploreGenes };")();
return unpackGenes(data).then((genes) => {
  exploreGenes(data, genes);
  const canvas = part("canvas"), plots = {};
  for (const name of ["volcano", "ma"]) {
    canvas.pen.drawn.dots = [];
    canvas.pen.drawn.texts = [];
    buttons[name].fire("click");
    plots[name] = { dots: canvas.pen.drawn.dots.slice(), texts: canvas.pen.drawn.texts.slice() };
  }
  const opened = given.clicks.map(([x, y]) => {
    canvas.fire("click", { clientX: x, clientY: y });
    return part("title").textContent;
  });
  const found = given.search.map((text) => {
    part("symbol").value = text;
    part("symbol").fire("input");
    const svg = part("drawing").children[0];
    return {
      title: part("title").textContent, count: part("count").textContent, numbers: part("numbers").textContent,
      head: part("head").children.slice(0, 6).map((c) => c.textContent),
      rows: part("found").rows.map((row) => row.cells.map((c) => c.textContent)),
      bold: part("found").rows.map((row) => row.classes.has("sig")),
      dots: svg.children.filter((c) => c.name === "circle").map((c) => ({ ...c.attributes, title: c.textContent })),
      groups: svg.children.filter((c) => c.name === "text" && c.children.length).map((c) => ({ ...c.attributes, text: c.children[0].textContent })),
      counts: svg.children.filter((c) => c.attributes["class"] === "faint").map((c) => c.textContent),
    };
  });
  return { plots, opened, found };
});
