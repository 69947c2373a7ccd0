(function () {
  "use strict";
  var table = document.getElementById("gene-table");
  var form = document.getElementById("gene-filter");
  if (!table || !form) return;
  var body = table.tBodies[0];
  var rows = Array.prototype.slice.call(body.rows);
  var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
  var symbol = document.getElementById("filter-symbol");
  var direction = document.getElementById("filter-direction");
  var significant = document.getElementById("filter-significant");
  var replicating = document.getElementById("filter-replicating");
  var count = document.getElementById("filter-count");

  function value(row, column) {
    var text = row.cells[column].textContent.trim();
    if (column === 0) return text;
    if (text.charAt(0) === "<") return 0;
    var number = parseFloat(text.replace("\u2212", "-").replace("+", ""));
    return isNaN(number) ? text || null : number;
  }

  function sort(column) {
    var head = heads[column];
    var up = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    var order = rows.map(function (row, rank) { return [value(row, column), rank, row]; });
    order.sort(function (a, b) {
      if (a[0] === b[0]) return a[1] - b[1];
      if (a[0] === null) return 1;
      if (b[0] === null) return -1;
      var less = typeof a[0] === "string" ? a[0].localeCompare(b[0]) : a[0] - b[0];
      return up ? less : -less;
    });
    var all = document.createDocumentFragment();
    order.forEach(function (item) { all.appendChild(item[2]); });
    body.appendChild(all);
  }

  function filter() {
    var wanted = symbol.value.trim().toUpperCase();
    var shown = 0;
    rows.forEach(function (row) {
      var fits = row.cells[0].textContent.toUpperCase().indexOf(wanted) >= 0 &&
        (!direction.value || row.classList.contains(direction.value)) &&
        (!significant.checked || row.classList.contains("sig")) &&
        (!replicating || !replicating.checked || row.classList.contains("rep"));
      row.hidden = !fits;
      if (fits) shown += 1;
    });
    count.textContent = shown.toLocaleString("en") + (shown === 1 ? " gene shown" : " genes shown");
  }

  heads.forEach(function (head, column) {
    head.firstElementChild.addEventListener("click", function () { sort(column); });
  });
  form.addEventListener("input", filter);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.hidden = false;
  filter();

  var copy = document.getElementById("copy-methods");
  copy.hidden = false;
  copy.addEventListener("click", function () {
    var range = document.createRange();
    range.selectNodeContents(document.getElementById("methods-text"));
    var selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    copy.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
  });
})();
