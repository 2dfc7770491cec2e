/** The address under which the service is seen, without a slash at its end: "https://example.com/segel". */
export const base = new URL("./", document.baseURI).href.replace(/\/$/, "");

/** Its path alone, as the router wants it: "/" or "/segel". */
export const basePath = new URL(document.baseURI).pathname.replace(/(.)\/$/, "$1");
