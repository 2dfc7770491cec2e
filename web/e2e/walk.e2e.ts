import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { guestLink, read, sealed, send } from "./contract";
import { complete, makePDF, stage, type Stage } from "./harness";

let s: Stage;
let owner: Page;
beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
  s.user("Penanda Dua", "s@example.test");
  owner = await s.login("o@example.test");
});
afterAll(() => s.close());

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const dua = { name: "Penanda Dua", email: "s@example.test" }, tamu = { name: "Budi Tamu", email: "budi@example.test", guest: true };

/** Draws a signature with a finger. */
async function draw(page: Page): Promise<void> {
  const area = page.getByRole("img", { name: "Area to draw a signature in" });
  await area.scrollIntoViewIfNeeded();
  await page.waitForTimeout(300); // the sheet has opened
  const r = (await area.boundingBox())!;
  const finger = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", at?: readonly [number, number]) => finger.send("Input.dispatchTouchEvent", { type, touchPoints: at ? [{ x: r.x + at[0], y: r.y + at[1] }] : [] });
  await touch("touchStart", [30, 110]);
  for (const at of [[45, 70], [60, 30], [75, 75], [90, 120], [110, 80], [130, 40], [170, 110], [240, 60]] as const) await touch("touchMove", at);
  await touch("touchEnd");
}

/** Opens the sheet at the bottom of a small window, and returns it. */
async function sheet(page: Page, by: "Sign" | "Decline" = "Sign") {
  await page.getByRole("region", { name: "What you need to do" }).getByRole("button", { name: by, exact: true }).tap();
  return page.getByRole("dialog");
}

test("a member reads and signs on a phone, and sees the document stamped and sealed", async () => {
  const contract = await send(owner, "Sewa Gudang", [dua]);
  const page = await s.enter("s@example.test", phone);
  await page.locator(`[data-document="${contract.id}"]`).getByRole("link", { name: "Sewa Gudang", exact: true }).click();
  await page.waitForURL(`**/document/${contract.id}`);
  await page.getByRole("link", { name: "Sign", exact: true }).click();
  await page.locator("[data-page='1'] canvas").waitFor();
  // The pages are readable; the bar at the bottom says what to do, and leads to the box.
  const foot = (await page.getByRole("region", { name: "What you need to do" }).boundingBox())!;
  expect(foot.height).toBeLessThan(200);
  await page.getByRole("button", { name: "Show the place" }).tap();
  await page.locator("[data-mark]").tap();
  await draw(page);
  await read(page);
  await page.getByRole("dialog").getByRole("button", { name: "Sign", exact: true }).tap();
  await page.getByRole("link", { name: "Download" }).waitFor();
  await page.getByRole("heading", { name: "You have signed" }).waitFor();
  await page.getByRole("link", { name: "Document details" }).click();
  const steps = page.getByRole("list", { name: "Progress" });
  for (const step of ["Signed", "Stamped", "Sealed"]) await steps.getByText(step, { exact: false }).first().waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  await (await download).cancel();
  // The list shows who has signed, also on a phone.
  await page.goto(`${s.url}/inbox?status=all`);
  await page.locator(`[data-document="${contract.id}"]`).getByRole("img", { name: "Penanda Dua has signed" }).filter({ visible: true }).waitFor();
  // The drawn picture was saved for the next time.
  await expect.poll(async () => (await page.request.get(`${s.url}/v1/auth/specimen`)).status()).toBe(200);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.context().close();
});

test("a guest signs by their link, which opens nothing else", async () => {
  const contract = await send(owner, "Surat Kuasa", [tamu], 0);
  const context = await s.browser.newContext({ locale: "en", ...phone });
  const page = await context.newPage();
  await page.goto(await guestLink(owner, contract, tamu.email));
  await page.getByRole("heading", { name: "Surat Kuasa" }).waitFor();
  expect(new URL(page.url()).hash).toBe("");
  const asked = await sheet(page);
  await asked.locator("label").filter({ hasText: /^Type$/ }).tap();
  await asked.getByRole("img", { name: "Your signature" }).waitFor();
  expect(await asked.getByRole("checkbox", { name: "Save it for next time" }).count()).toBe(0); // a guest has no account to save it in
  await read(page);
  await asked.getByRole("button", { name: "Sign", exact: true }).tap();
  await page.getByRole("button", { name: "Download" }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("Surat Kuasa-signed.pdf");
  await page.goto(`${s.url}/inbox`);
  await page.waitForURL("**/guest");
  await page.getByRole("heading", { name: "Surat Kuasa" }).waitFor();
  await context.close();
});

test("a signer declines with a reason, and the document ends for everyone", async () => {
  const contract = await send(owner, "Perjanjian Batal", [dua]);
  const page = await s.login("s@example.test");
  await page.goto(`${s.url}/document/${contract.id}/sign`);
  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByText("Give the reason.").waitFor();
  await page.getByRole("textbox", { name: "Reason" }).fill("Harga belum sesuai");
  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByText(/Declined/).first().waitFor();
  await owner.goto(`${s.url}/document/${contract.id}`);
  await owner.getByText(/Declined/).first().waitFor();
  await page.context().close();
});

test("anyone can verify: the file itself, a copy that was tampered with, and a stamp by its serial", async () => {
  const contract = await send(owner, "Jual Beli", [{ name: "Pemilik Satu", email: "o@example.test" }]);
  await owner.goto(`${s.url}/document/${contract.id}/sign`);
  await owner.locator("label").filter({ hasText: /^Type$/ }).click();
  await owner.getByRole("img", { name: "Your signature" }).waitFor();
  await read(owner);
  await owner.getByRole("button", { name: "Sign", exact: true }).click();
  const good = await sealed(owner, contract.id);

  const context = await s.browser.newContext({ locale: "en" });
  const page = await context.newPage();
  let asked = 0;
  page.on("request", (r) => { if (r.url().endsWith("/v1/verify")) asked++; });
  await page.goto(`${s.url}/verify`);
  await page.setInputFiles("input[type=file]", { name: "jual-beli.pdf", mimeType: "application/pdf", buffer: good });
  const digest = (await page.locator("[data-digest]").textContent())!;
  await page.getByRole("textbox", { name: /hash you know/ }).fill(digest.toUpperCase() + "  jual-beli.pdf");
  await page.getByText("Identical to the last byte.").waitFor();
  expect(asked).toBe(0);
  await page.getByRole("button", { name: "Verify" }).click();
  await page.locator("[data-verdict^=intact]").waitFor();
  expect(await page.locator("[data-signature]:not([data-tone=good])").count()).toBe(0);
  const serial = (await page.locator("[data-stamp]").getAttribute("data-stamp"))!;
  expect(serial).toMatch(/^SPESIMEN/);
  await page.getByText("SPECIMEN", { exact: true }).first().waitFor();

  const bad = Buffer.from(good);
  const text = bad.indexOf("Pasal 1.");
  expect(text).toBeGreaterThan(0);
  bad.write("Pasal 7.", text, "latin1");
  await page.setInputFiles("input[type=file]", { name: "jual-beli.pdf", mimeType: "application/pdf", buffer: bad });
  await page.getByRole("textbox", { name: /hash you know/ }).fill(digest);
  await page.getByText("Different: this is another file.").waitFor();
  await page.getByRole("button", { name: "Verify" }).click();
  await page.locator("[data-verdict='changed after signing'][data-tone=bad]").waitFor();
  expect(await page.locator("[data-tone=good]").count()).toBe(0);

  await page.goto(`${s.url}/verify?serial=${serial}`);
  await page.locator("[data-serial]").getByText("Specimens of this service").waitFor();
  await page.goto(`${s.url}/verify?serial=SPESIMEN-9999999999999`);
  await page.locator("[data-serial]").getByRole("status").waitFor();
  await context.close();
});

test.runIf(complete)("a user who prefers reduced motion gets none", async () => {
  const contract = await send(owner, "Tanpa Gerak", [dua]);
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const page = await s.enter("s@example.test", { reducedMotion });
    const moving = () => page.evaluate(() => document.getAnimations().filter((a) => Number(a.effect?.getComputedTiming().duration) > 1).map((a) => (a.effect as KeyframeEffect).target?.className ?? "?"));
    const seen: string[] = [];
    const look = async () => { for (let i = 0; i < 5; i++) seen.push(...(await moving())); };
    await page.route("**/document/detail/**", async (r) => { await new Promise((done) => setTimeout(done, 400)); await r.continue(); });
    await page.goto(`${s.url}/document/${contract.id}`);
    await page.getByRole("status", { name: "Loading" }).first().waitFor();
    await look();
    await page.getByRole("button", { name: "More actions" }).click();
    await look();
    await page.keyboard.press("Escape");
    await page.goto(`${s.url}/new`);
    await page.setInputFiles("input[type=file]", { name: "a.pdf", mimeType: "application/pdf", buffer: makePDF(1) });
    await look();
    if (reducedMotion === "reduce") expect(seen).toEqual([]);
    else expect(seen).not.toEqual([]); // or there was nothing to see
    await page.context().close();
  }
});

test("the inbox comes with at most 222 kB of script and 19 kB of style sheets, and without the code for PDF", async () => {
  const page = await (await s.browser.newContext({ storageState: await owner.context().storageState() })).newPage();
  const sent: Promise<[type: string, url: string, bytes: number]>[] = [];
  page.on("requestfinished", (r) => { if (["script", "stylesheet"].includes(r.resourceType())) sent.push(r.sizes().then((z) => [r.resourceType(), r.url(), z.responseBodySize])); });
  await page.goto(`${s.url}/inbox`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  const all = await Promise.all(sent);
  expect(all.filter(([, url]) => /pdf/.test(url))).toEqual([]);
  for (const [type, most, least] of [["script", 222_000, 50_000], ["stylesheet", 19_000, 1_000]] as const) {
    const whole = all.filter(([of]) => of === type).reduce((sum, [, , bytes]) => sum + bytes, 0);
    expect(whole, type).toBeLessThan(most); // as the service sends them
    expect(whole, type).toBeGreaterThan(least); // or nothing was counted
  }
  await page.context().close();
});
