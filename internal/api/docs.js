"use strict";
// Puts a button beside each example that copies it. Without this file the page tells the same.
for (const code of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    button.textContent = (await copy(code)) ? "Copied" : "Selected";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  code.previousElementSibling.before(button); // beside its heading
}

// Where the connection is not encrypted there is no clipboard: the text is selected, and copied if the browser still can.
async function copy(code) {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(code.textContent).then(() => true, () => select(code));
  }
  return select(code);
}

function select(code) {
  getSelection().selectAllChildren(code);
  return document.execCommand("copy");
}

// A link to one operation opens it.
function open() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) {
    named.open = true;
    named.scrollIntoView();
  }
}
addEventListener("hashchange", open);
open();
