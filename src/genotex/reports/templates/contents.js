(function () {
  "use strict";
  var nav = document.querySelector("nav.contents");
  if (!nav || !window.IntersectionObserver) return;
  var links = Array.prototype.slice.call(nav.querySelectorAll("a[href^='#']"));
  var inside = Object.create(null);
  var watch = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) { inside[entry.target.id] = entry.isIntersecting; });
    var first = links.find(function (link) { return inside[link.hash.slice(1)]; });
    if (!first) return;
    links.forEach(function (link) {
      if (link === first) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    // Only the list moves, never the page.
    if (nav.scrollWidth > nav.clientWidth) nav.scrollLeft = first.offsetLeft - nav.clientWidth / 3;
  }, { rootMargin: "-15% 0px -70% 0px" });
  links.forEach(function (link) {
    var section = document.getElementById(link.hash.slice(1));
    if (section) watch.observe(section);
  });
})();
(function () {
  "use strict";
  var copy = document.getElementById("copy-methods");
  if (!copy) return;
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
