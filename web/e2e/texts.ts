import adminEN from "../src/text/admin.en.json";
import adminID from "../src/text/admin.id.json";
import allEN from "../src/text/en.json";
import allID from "../src/text/id.json";

/** The sentences of the web app. */
export const en = { ...allEN, ...adminEN };
export const id = { ...allID, ...adminID };
