(function () {
  "use strict";
  var table = document.getElementById("gene-table");
  var form = document.getElementById("gene-filter");
  if (!table || !form) return;
  var rows = sortable(table);
  var symbol = document.getElementById("filter-symbol");
  var direction = document.getElementById("filter-direction");
  var significant = document.getElementById("filter-significant");
  var replicating = document.getElementById("filter-replicating");
  var count = document.getElementById("filter-count");

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
