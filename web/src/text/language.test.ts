import i18next from "i18next";
import { afterAll, expect, test, vi } from "vitest";

const english = vi.hoisted(() => {
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((done) => { arrive = done; });
  return { arrive: () => arrive(), arrived };
});
vi.mock("./en.json", async () => {
  await english.arrived;
  return { default: { close: "Close" } };
});
vi.stubGlobal("document", { documentElement: { lang: "" }, baseURI: "http://segel.test/" });
vi.stubGlobal("navigator", { language: "id-ID" });
afterAll(() => vi.unstubAllGlobals());

test("the language that was chosen last is shown, even if one before it arrives later", async () => {
  const { setLanguage } = await import(".");
  const first = setLanguage("en");
  await setLanguage("id");
  english.arrive();
  await first;
  expect(i18next.language).toBe("id");
  await setLanguage("en");
  expect(i18next.language).toBe("en");
});
