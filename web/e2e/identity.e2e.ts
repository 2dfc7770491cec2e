import { afterAll, beforeAll, expect, test } from "vitest";

import { guestLink, send } from "./contract";
import { makePDF, stage, violations, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage();
  s.user("Admin Satu", "a@example.test", "admin");
});
afterAll(() => s.close());

/** A logo of 240 by 80 pixels, drawn in a page. */
const logo = async (page: Awaited<ReturnType<Stage["enter"]>>) => Buffer.from(await page.evaluate(() => {
  const c = document.createElement("canvas");
  c.width = 240;
  c.height = 80;
  const g = c.getContext("2d")!;
  g.fillStyle = "#c2255c";
  g.fillRect(0, 0, 240, 80);
  return c.toDataURL("image/png").split(",")[1]!;
}), "base64");

test("an admin sets logo and colour with a preview, guests see both, and the name that they type is in the handwriting they choose", async () => {
  const admin = await s.login("a@example.test");
  await admin.goto(`${s.url}/admin?tab=branding`);
  const input = admin.locator("input[type=file]");
  await input.setInputFiles({ name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>") });
  await admin.getByRole("button", { name: "Save", exact: true }).click();
  await admin.getByText("SVG logos are not accepted").waitFor();
  await input.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: await logo(admin) });
  await admin.getByRole("textbox", { name: "Colour", exact: true }).fill("#5b2a86");
  expect(await admin.locator("[data-preview] [data-sender=surface]").count()).toBe(1);
  await admin.getByRole("button", { name: "Save", exact: true }).click();
  await admin.getByText("Saved.").waitFor();

  const sent = await send(admin, "Sewa Ruko", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }]);
  const link = await guestLink(admin, sent, "budi@example.test");
  const guest = await (await s.browser.newContext({ locale: "en", viewport: { width: 360, height: 740 } })).newPage();
  await guest.goto(link);
  const head = guest.locator("[data-sender=surface]");
  await head.waitFor();
  await expect.poll(() => head.locator("img").evaluate((i: HTMLImageElement) => i.naturalWidth)).toBe(240);
  expect(await head.evaluate((e) => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color])).toEqual(["rgb(91, 42, 134)", "rgb(255, 255, 255)"]);
  expect(await violations(guest)).toEqual([]);
  expect(await guest.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  await guest.locator("[data-page='1'] canvas").waitFor();
  await guest.getByRole("button", { name: "Sign", exact: true }).click();
  await guest.getByText("Type", { exact: true }).click();
  const preview = guest.getByRole("img", { name: "Your signature" });
  const seen = new Set<string>();
  for (const font of ["Flowing", "Casual", "Upright"]) {
    await guest.getByText(font, { exact: true }).click();
    await expect.poll(async () => seen.has((await preview.getAttribute("src")) ?? "")).toBe(false);
    seen.add((await preview.getAttribute("src"))!);
  }
  expect(seen.size).toBe(3);
  const families = await guest.evaluate(() => [...document.fonts].filter((f) => f.status === "loaded").map((f) => f.family));
  for (const family of ["Dancing Script", "Caveat", "Kalam"]) expect(families.join()).toContain(family);
  expect(await violations(guest)).toEqual([]);
  await guest.context().close();

  await admin.goto(`${s.url}/admin?tab=branding`);
  await admin.getByRole("button", { name: "Remove both" }).click();
  await admin.getByText("Logo and colour have been removed.").waitFor();
  await admin.context().close();
});

test("the login page says what this is and leads to verification, where a scanned code says what to do", async () => {
  const page = await (await s.browser.newContext({ locale: "en", viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(`${s.url}/login`);
  await page.getByText("Segel sends contracts for signature").waitFor();
  await page.getByRole("link", { name: "Verify a document without logging in" }).click();
  await page.getByRole("heading", { level: 1, name: "Verify a document" }).waitFor();
  await page.goto(`${s.url}/verify?document=1207`);
  await page.getByText("You scanned the code of document 1207").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.setInputFiles("input[type=file]", { name: "a.pdf", mimeType: "application/pdf", buffer: makePDF(1) });
  await page.getByText("You scanned").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate(() => [...document.fonts].some((f) => f.family.includes("Plus Jakarta Sans") && f.status === "loaded"))).toBe(true);
  await page.goto(`${s.url}/verify?document=%3Cb%3E`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await page.getByText("You scanned").count()).toBe(0);
  await page.context().close();
});
