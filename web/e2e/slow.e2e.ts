import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { guestLink, send } from "./contract";
import { complete, makePDF, stage, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage({ env: { SEGEL_PAGE_PICTURES: "poppler" } });
  s.user("Pemilik Satu", "o@example.test");
});
afterAll(() => s.close());

/** A phone on a line of 400 kbit/s with round trips of 400 ms, and how many bytes have arrived. */
async function phone(): Promise<{ page: Page; bytes: () => number }> {
  const page = await (await s.browser.newContext({ locale: "en", viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true })).newPage();
  const line = await page.context().newCDPSession(page);
  let bytes = 0;
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 });
  line.on("Network.loadingFinished", (e) => { bytes += e.encodedDataLength; });
  return { page, bytes: () => bytes };
}

/** Waits for the first page of a guest's document, then for the button that signs. */
async function openLink(link: string) {
  const { page, bytes } = await phone();
  const began = Date.now(), now = () => ({ seconds: (Date.now() - began) / 1000, kB: bytes() / 1000 });
  await page.goto(link, { waitUntil: "commit" });
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>("[data-early], [data-picture='1']")?.naturalWidth);
  const shown = now();
  await page.locator("[data-picture='1']").waitFor();
  await page.getByRole("button", { name: "Sign", exact: true }).waitFor();
  const ready = now();
  console.log({ shown, ready });
  return { page, shown, ready };
}

test("on a slow line a guest sees the first page at once and can sign soon", async () => {
  const owner = await s.login("o@example.test");
  const sent = await send(owner, "Sewa Kantor", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }]);
  const { page, shown, ready } = await openLink(await guestLink(owner, sent, "budi@example.test"));
  expect(shown.seconds).toBeLessThan(5);
  expect(shown.kB).toBeLessThan(150);
  expect(ready.kB).toBeLessThan(350);
  // The picture is that of the file: when it has arrived, it takes the place of the picture.
  await page.locator("[data-page='1'] canvas").waitFor();
  await page.locator("[data-picture='1']").waitFor({ state: "detached" });
  await page.context().close();
});

/** When something was first drawn, and when the first script had arrived, in milliseconds after the request. */
const paints = (page: Page) => page.evaluate(() => ({
  drawn: performance.getEntriesByName("first-contentful-paint")[0]!.startTime,
  script: Math.min(...(performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter((r) => r.name.includes(".js")).map((r) => r.responseEnd)),
}));

/** Where the sign of the app stands, in the outline or in the app. */
const place = async (page: Page, within: string) => (await page.locator(`${within} svg[viewBox="0 0 32 32"]`).first().boundingBox())!;

test.runIf(complete)("on a slow line the outline of the screen is drawn before a script arrives, where the app draws it", async () => {
  const member = await s.login("o@example.test"), state = await member.context().storageState();
  for (const [path, width, ready] of [["login", 360, "form"], ["inbox", 360, "#main"], ["inbox", 1280, "#main"]] as const) {
    const colorScheme = width === 360 ? "dark" : "light";
    const context = await s.browser.newContext({ locale: "id", colorScheme, viewport: { width, height: 800 }, ...(path === "inbox" ? { storageState: state } : {}) });
    const page = await context.newPage(), line = await context.newCDPSession(page);
    await line.send("Network.enable");
    await line.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 });
    await page.goto(`${s.url}/${path}`, { waitUntil: "commit" });
    await page.locator("#early").waitFor();
    const outline = await place(page, "#early");
    const background = await page.locator("#early").evaluate((e) => getComputedStyle(e).getPropertyValue("--bone"));
    expect(background).toBe(colorScheme === "dark" ? "#303030" : "#edf0f2");
    await page.waitForFunction(() => performance.getEntriesByType("resource").some((r) => r.name.includes(".js")));
    await line.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }); // the rest need not be slow
    await page.locator(ready).waitFor();
    // The style sheets that came after the outline are before those of the app, which replace some of their rules.
    expect(await page.evaluate(() => [document.body.querySelectorAll("link[rel=stylesheet]").length, getComputedStyle(document.body).fontFamily.startsWith('"Plus Jakarta Sans"')])).toEqual([0, true]);
    const { drawn, script } = await paints(page), app = await place(page, "#root");
    console.log(path, width, { drawn, script, outline, app });
    expect(drawn).toBeLessThan(script);
    expect(drawn).toBeLessThan(2500);
    expect(Math.abs(outline.x - app.x)).toBeLessThanOrEqual(1);
    expect(Math.abs(outline.y - app.y)).toBeLessThanOrEqual(path === "inbox" ? 1 : 8); // the login page is in the middle of the window
    await context.close();
  }
  await member.context().close();
});

test.runIf(complete)("on a slow line the first page of a scan of 26 MB appears within 8 seconds, and the file waits to be asked for", async () => {
  const owner = await s.login("o@example.test");
  const sent = await send(owner, "Pindaian", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }], 0, makePDF(3, 26e6));
  const { page, shown, ready } = await openLink(await guestLink(owner, sent, "budi@example.test"));
  expect(shown.seconds).toBeLessThan(8);
  expect(ready.kB).toBeLessThan(350);
  await page.getByRole("button", { name: "Load the file itself (26 MB)" }).waitFor();
  await page.context().close();
});
