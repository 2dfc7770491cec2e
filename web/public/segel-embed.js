/*! segel-embed.js 1: shows a document of Segel in a frame. See docs/embedding.md. */
(function () {
  "use strict";
  var version = 1;

  function open(options) {
    var address = new URL(options.address);
    var origin = address.origin;
    var frame = document.createElement("iframe");
    var closed = false;
    if (options.language) address.searchParams.set("language", options.language);
    frame.title = options.title || "Segel";
    frame.referrerPolicy = "no-referrer";
    frame.style.cssText = "display:block;width:100%;border:0;height:" + (options.minHeight || 480) + "px";

    function post(type) {
      if (frame.contentWindow) frame.contentWindow.postMessage({ segel: version, type: type }, origin);
    }

    function remove() {
      if (closed) return;
      closed = true;
      window.removeEventListener("message", receive);
      frame.remove();
    }

    function receive(message) {
      // Only the frame, and only while it shows a page of Segel.
      if (message.source !== frame.contentWindow || message.origin !== origin) return;
      var event = message.data;
      if (!event || event.segel !== version || typeof event.type !== "string") return;
      if (event.type === "resize" && event.height > 0) {
        var most = Math.max(options.minHeight || 480, window.innerHeight); // what the page keeps at its lower edge stays in view
        frame.style.height = Math.min(most, Math.max(options.minHeight || 480, Math.ceil(event.height))) + "px";
      }
      if (event.type === "closed") remove();
      if (options.onEvent) options.onEvent(event);
    }

    window.addEventListener("message", receive);
    frame.addEventListener("load", function () { post("hello"); });
    frame.src = address.href;
    options.container.appendChild(frame);
    return {
      frame: frame,
      close: function () {
        post("close");
        setTimeout(remove, 500); // the page answers sooner, unless it has gone
      },
    };
  }

  window.SegelEmbed = { version: version, open: open };
})();
