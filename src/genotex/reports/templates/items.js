(function () {
  "use strict";
  Array.prototype.forEach.call(document.querySelectorAll(".items-filter"), function (form) {
    var rows = sortable(form.nextElementSibling.querySelector("table"));
    var search = form.querySelector("input");
    var count = form.querySelector("output");

    function filter() {
      var words = search.value.trim().toLowerCase().split(/\s+/);
      var shown = 0;
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
        if (!row.hidden) shown += 1;
      });
      count.textContent = shown.toLocaleString("en") + " of " +
        rows.length.toLocaleString("en") + " " + count.dataset.noun;
    }

    form.addEventListener("input", filter);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.hidden = false;
    filter();
  });
})();
