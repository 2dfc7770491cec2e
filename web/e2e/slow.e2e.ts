import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { guestLink, send } from "./contract";
import { stage, type Stage } from "./harness";

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

test("on a slow line a guest sees the first page at once and can sign soon", async () => {
  const owner = await s.enter("o@example.test");
  const sent = await send(owner, "Sewa Kantor", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }]);
  const link = await guestLink(owner, sent, "budi@example.test");
  const { page, bytes } = await phone();
  const began = Date.now();
  await page.goto(link, { waitUntil: "commit" });
  await page.locator("[data-picture='1']").waitFor();
  const shown = { seconds: (Date.now() - began) / 1000, kB: bytes() / 1000 };
  await page.getByRole("button", { name: "Sign", exact: true }).waitFor();
  const ready = { seconds: (Date.now() - began) / 1000, kB: bytes() / 1000 };
  console.log({ shown, ready });
  await page.context().close();
});
