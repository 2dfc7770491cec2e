import "./app/mantine";
import "./app/app.css";

import { createRoot } from "react-dom/client";

import { App } from "./app/app";
import { loadText } from "./text";

/**
 * The page has the style sheets after the outline of the screen, so that they do not hold it back. The order of style sheets decides between
 * rules of the same weight: these have to come before what the app adds to the page and to its head.
 */
const stylesFirst = () => Promise.all([...document.body.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].map((late) => new Promise<void>((done) => {
  const first = late.cloneNode() as HTMLLinkElement; // from the cache; the other one stays until it is there
  first.onload = first.onerror = () => { late.remove(); done(); };
  document.head.append(first);
})));

void Promise.all([loadText(), stylesFirst()]).then(() => createRoot(document.getElementById("root")!).render(<App />));
