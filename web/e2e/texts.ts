import adminEN from "../src/text/admin.en.json";
import adminID from "../src/text/admin.id.json";
import allEN from "../src/text/en.json";
import allID from "../src/text/id.json";
import { complete } from "./harness";

/** The sentences of the web app. */
export const en = { ...allEN, ...adminEN };
export const id = { ...allID, ...adminID };

/** Each language with its sentences; outside the complete run only one, for tests whose subject is the same in both. */
export const languages = (one: "en" | "id") => ([["en", en], ["id", id]] as const).filter(([language]) => complete || language === one);
