import { afterAll, beforeAll, expect, test } from "vitest";

import { complete, makePDF, stage, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
});
afterAll(() => s.close());

test("2,000 pages scroll without freezing: only those in sight are drawn, and the file is fetched by ranges", async () => {
  const page = await s.login("o@example.test");
  const size = 20_000_000;
  const sent = await page.request.post(`${s.url}/v1/econtract/web/sign/upload-docs`, { multipart: { document: { name: "panjang.pdf", mimeType: "application/pdf", buffer: makePDF(2000, size) } } });
  const { document_id } = (await sent.json()).response.data;

  let fetched = 0;
  page.on("response", (r) => {
    if (!r.url().includes("/document/preview/") || r.request().method() !== "GET") return;
    expect([200, 206]).toContain(r.status());
    if (r.status() === 206) fetched += Number(r.headers()["content-length"]);
  });
  await page.addInitScript(() => {
    const w = window as unknown as { longest: number };
    w.longest = 0;
    new PerformanceObserver((l) => { for (const e of l.getEntries()) w.longest = Math.max(w.longest, e.duration); }).observe({ type: "longtask" });
  });
  await page.goto(`${s.url}/document/${document_id}`);
  await page.locator("[data-page='1'] canvas").waitFor();
  expect(await page.locator("[data-page]").count()).toBe(2000);
  const drawn = () => page.locator("[data-page] canvas").count();
  expect(await drawn()).toBeLessThan(8);

  await page.evaluate(() => ((window as unknown as { longest: number }).longest = 0));
  await page.mouse.move(400, 600);
  for (let i = 0; i < 30; i++) {
    await page.mouse.wheel(0, 900);
    await page.waitForTimeout(30);
  }
  expect(await drawn()).toBeLessThan(8);
  for (const n of [1000, 2000, 1500]) {
    await page.evaluate((p) => document.querySelector(`[data-page="${p}"]`)!.scrollIntoView(), n);
    await page.locator(`[data-page='${n}'] canvas`).waitFor();
    await page.locator(`[data-page='${n}']`).getByText(`Pasal 1. Perjanjian halaman ${n}.`).waitFor();
    await expect.poll(drawn).toBeLessThan(8);
  }
  // Drawing all pages would take many seconds. Below this bound, a busy machine cannot be distinguished from a slow app.
  expect(await page.evaluate(() => (window as unknown as { longest: number }).longest)).toBeLessThan(2000);
  expect(fetched).toBeGreaterThan(0);
  expect(fetched).toBeLessThan(size / 3);
  await page.context().close();
});

test.runIf(complete)("a list of 2,000 pages without a tree above them is read in few requests", async () => {
  const page = await s.login("o@example.test");
  const sent = await page.request.post(`${s.url}/v1/econtract/web/sign/upload-docs`, { multipart: { document: { name: "rata.pdf", mimeType: "application/pdf", buffer: makePDF(2000, 20_000_000, 2000) } } });
  let requests = 0;
  page.on("response", (r) => { if (r.status() === 206) requests++; });
  await page.goto(`${s.url}/document/${(await sent.json()).response.data.document_id}`);
  for (const n of [1, 2000, 1000]) {
    await page.locator(`[data-page='${n}']`).evaluate((p) => p.scrollIntoView());
    await page.locator(`[data-page='${n}']`).getByText(`Pasal 1. Perjanjian halaman ${n}.`).waitFor();
  }
  expect(requests).toBeLessThan(40);
  await page.context().close();
});
