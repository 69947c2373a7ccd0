// Sorts and narrows a table as it is told; returns which rows are shown after each step.
const table = document.getElementById("table"), head = make("thead"), body = make("tbody"), form = make("form");
const heads = row(given.head, "th");
head.appendChild(heads);
given.rows.forEach(([texts, classes]) => body.appendChild(row(texts, "td", classes)));
table.appendChild(head);
table.appendChild(body);
const search = make("input"), count = make("output"), narrow = { direction: make("select"), significant: make("input"), replicating: make("input") };
Object.assign(narrow.significant, { type: "checkbox", value: "sig" });
Object.assign(narrow.replicating, { type: "checkbox", value: "rep" });
if (given.noun) count.dataset.noun = given.noun;
form.querySelector = (wanted) => (wanted === "output" ? count : search);
form.querySelectorAll = () => Object.values(narrow);
form.nextElementSibling = { querySelector: () => table };
document.querySelectorAll = (wanted) => (wanted === "form.filter.of-table" ? [form] : []);
new Function(source)();
return given.acts.map(([name, value]) => {
  if (name === "sort") heads.cells[value].firstElementChild.fire("click");
  else {
    if (name === "search") search.value = value;
    else if (typeof value === "boolean") narrow[name].checked = value;
    else narrow[name].value = value;
    form.fire("input");
  }
  const shown = body.rows.filter((row) => !row.hidden).map((row) => row.cells[0].textContent);
  return { shown, count: count.textContent, sorted: heads.cells.map((c) => c.getAttribute("aria-sort")) };
});
