// The rent page: a file too large is refused before anything is sent, and the choices stand in the address.
(function () {
  "use strict";
  var LIMIT = 20 * 1024 * 1024;

  function told(text) {
    var place = document.getElementById("hedge-told");
    if (place) { place.textContent = text; }
  }

  function size(bytes) {
    return bytes >= 1073741824 ? (bytes / 1073741824).toFixed(1) + " GB" : Math.round(bytes / 1048576) + " MB";
  }

  function check(event, files) {
    if (!event.target.closest || !event.target.closest("#hedge-upload") || !files || !files.length) { return; }
    var file = files[0], refused = "";
    if (!/\.(csv|parquet)$/i.test(file.name)) {
      refused = file.name + " is no .csv or .parquet file; save the rent as one of them. Nothing was sent.";
    } else if (file.size > LIMIT) {
      refused = file.name + " is " + size(file.size) + "; the limit is 20 MB. Nothing was sent.";
    }
    if (refused) { event.stopImmediatePropagation(); event.preventDefault(); }
    told(refused);
  }

  // The file input of an upload has no name of its own for a screen reader.
  new MutationObserver(function () {
    document.querySelectorAll(".upload input[type=file]:not([aria-label])").forEach(function (input) {
      input.setAttribute("aria-label", input.closest(".upload").textContent);
    });
  }).observe(document.documentElement, { childList: true, subtree: true });

  document.addEventListener("change", function (event) { check(event, event.target.files); }, true);
  document.addEventListener("drop", function (event) {
    check(event, event.dataTransfer && event.dataTransfer.files);
  }, true);

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    hedge: {
      // Written without a navigation, so that the page, and the file on it, stay.
      remember: function (benchmark, contract, role, method) {
        var query = new URLSearchParams(window.location.search);
        [["benchmark", benchmark], ["contract", contract], ["role", role], ["method", method]].forEach(function (pair) {
          if (pair[1]) { query.set(pair[0], pair[1]); } else { query.delete(pair[0]); }
        });
        var text = query.toString();
        window.history.replaceState(window.history.state, "", window.location.pathname + (text ? "?" + text : ""));
        return window.dash_clientside.no_update;
      }
    }
  });
})();
