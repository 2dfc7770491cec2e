// Where there is no page, as in tests of logic, addresses are those of a service at the root.
const here = typeof document === "undefined" ? "http://localhost/" : document.baseURI;

/** The address under which the service is seen, without a slash at its end: "https://example.com/segel". */
export const base = new URL("./", here).href.replace(/\/$/, "");

/** Its path alone, as the router wants it: "/" or "/segel". */
export const basePath = new URL(here).pathname.replace(/(.)\/$/, "$1");
