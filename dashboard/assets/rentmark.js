// Keys, copying, pictures and page titles. Nothing here computes a number.
(function () {
  "use strict";

  function typing(element) {
    return element && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)
      || element.closest(".ag-root-wrapper, [role=listbox], .js-plotly-plot"));
  }

  function say(text) {
    var region = document.getElementById("said");
    if (region) { region.textContent = ""; window.setTimeout(function () { region.textContent = text; }, 30); }
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) { return; }
    var target = null;
    if (event.key === "/") {
      target = document.getElementById("search");
      if (target) { event.preventDefault(); target.focus(); }
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      target = document.querySelector(event.key === "ArrowLeft" ? "a.step-back" : "a.step-on");
      if (target) { event.preventDefault(); target.click(); }
    }
  });

  // The picture carries the marks: they are drawn in the figure, and its title stands above it.
  function picture(button) {
    var graph = document.querySelector("#" + button.dataset.graph + " .js-plotly-plot");
    if (!graph || !window.Plotly) { return; }
    var layout = JSON.parse(JSON.stringify(graph.layout));
    layout.title = { text: button.dataset.title, x: 0.01, xanchor: "left", font: { size: 14 } };
    layout.margin = Object.assign({}, layout.margin, { t: 56 });
    layout.autosize = false;
    window.Plotly.downloadImage({ data: graph.data, layout: layout, config: {} },
      { format: "png", width: 1200, height: 600, scale: 2, filename: button.dataset.file });
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest ? event.target.closest("[data-copy], [data-graph]") : null;
    if (!button) { return; }
    if (button.dataset.graph) { picture(button); return; }
    var text = button.dataset.copy === "link" ? window.location.href : button.dataset.copy;
    function copied() { say("Copied: " + text); }
    if (navigator.clipboard) { navigator.clipboard.writeText(text).then(copied, function () { say("The browser refused to copy."); }); return; }
    var area = document.createElement("textarea");
    area.value = text; document.body.appendChild(area); area.select();
    if (document.execCommand("copy")) { copied(); }
    area.remove(); button.focus();
  });

  // A changed page: its heading becomes the title of the window and, after a step by link, takes the focus.
  var first = true, shown = "", focused = null;
  document.addEventListener("focusin", function (event) {
    focused = event.target.closest("#main") ? event.target.getAttribute("href") || event.target.id || null : null;
  });

  // A page that was drawn again, because data came, leaves the focus where it was.
  function refocus(page) {
    if (!focused || document.activeElement !== document.body) { return; }
    Array.prototype.some.call(page.querySelectorAll("a[href], [id]"), function (element) {
      var same = element.getAttribute("href") === focused || element.id === focused;
      if (same) { element.focus({ preventScroll: true }); }
      return same;
    });
  }

  new MutationObserver(function () {
    var page = document.querySelector("#main > [data-page]");
    if (page && page.dataset.page === shown) { refocus(page); }
    if (!page || page.dataset.page === shown) { return; }
    shown = page.dataset.page;
    document.querySelectorAll("details.menu[open]").forEach(function (menu) { menu.open = false; });
    var heading = page.querySelector("h1");
    document.title = (heading ? heading.textContent + " · " : "") + "Rentmark";
    if (!first && heading && !typing(document.activeElement)) {
      heading.setAttribute("tabindex", "-1"); heading.focus({ preventScroll: false });
    }
    first = false;
  }).observe(document.documentElement, { childList: true, subtree: true });

  window.dash_clientside = Object.assign({}, window.dash_clientside, { rentmark: {
    // One store holds what the server needs to draw a page: address, theme and a counter of the data.
    view: function (path, search, theme, heads) {
      var asked = new URLSearchParams(search || "").get("theme");
      var chosen = asked === "light" || asked === "dark" ? asked : theme;
      if (chosen !== "light" && chosen !== "dark") {
        chosen = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      }
      document.documentElement.setAttribute("data-mantine-color-scheme", chosen);
      return [{ path: path || "/", search: search || "", theme: chosen, heads: heads || "" }, chosen];
    },
    toggle: function (clicks, view) {
      if (!clicks) { return window.dash_clientside.no_update; }
      return view && view.theme === "dark" ? "light" : "dark";
    }
  } });
}());
