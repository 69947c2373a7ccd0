// Tables that a reader sorts by a click on a header, and narrows by the form above them.
(function () {
  "use strict";
  function sortable(table) {
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);

    function value(row, column) {
      var text = row.cells[column].textContent.trim();
      if (column === 0) return text;
      if (text === "-") return null;
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
        var words = typeof a[0] === "string" || typeof b[0] === "string";
        var less = words ? String(a[0]).localeCompare(String(b[0])) : a[0] - b[0];
        return up ? less : -less;
      });
      var all = document.createDocumentFragment();
      order.forEach(function (item) { all.appendChild(item[2]); });
      body.appendChild(all);
    }

    heads.forEach(function (head, column) {
      head.firstElementChild.addEventListener("click", function () { sort(column); });
    });
    return rows;
  }

  Array.prototype.forEach.call(document.querySelectorAll("form.filter.of-table"), function (form) {
    var rows = sortable(form.nextElementSibling.querySelector("table"));
    var search = form.querySelector("input[type=search]"), count = form.querySelector("output");
    var classes = Array.prototype.slice.call(form.querySelectorAll("[name=class]"));
    var noun = count.dataset.noun;

    function filter() {
      var words = search.value.trim().toLowerCase().split(/\s+/), shown = 0;
      var wanted = classes.filter(function (each) { return each.value && (each.type !== "checkbox" || each.checked); });
      rows.forEach(function (row) {
        var text = (noun ? row : row.cells[0]).textContent.toLowerCase();
        row.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; }) ||
          !wanted.every(function (each) { return row.classList.contains(each.value); });
        if (!row.hidden) shown += 1;
      });
      count.textContent = shown.toLocaleString("en") + (noun ? " of " + rows.length.toLocaleString("en") + " " + noun
        : shown === 1 ? " gene shown" : " genes shown");
    }

    form.addEventListener("input", filter);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.hidden = false;
    filter();
  });
})();
