// Without a page, as in unit tests, addresses are those of a service at the root.
const here = typeof document === "undefined" ? "http://localhost/" : document.baseURI;

/** The address of the service without a trailing slash, such as "https://example.com/segel". */
export const base = new URL("./", here).href.replace(/\/$/, "");

/** Its path, as the router expects it: "/" or "/segel". */
export const basePath = new URL(here).pathname.replace(/(.)\/$/, "$1");
