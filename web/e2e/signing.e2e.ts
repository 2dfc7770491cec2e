import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { guestLink, read, send } from "./contract";
import { complete, office, stage, violations, type Office, type Stage } from "./harness";

// What can go wrong while signing on a phone. The service can be ended and started again.

let desk: Office, s: Stage, owner: Page;
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: "en", reducedMotion: "reduce" } as const;
const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" };
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };

beforeAll(async () => {
  desk = await office();
  s = await stage({ env: desk.env });
  for (const { name, email } of [satu, dua]) s.user(name, email);
  owner = await enter(satu.email);
});
afterAll(async () => {
  await s.close();
  await desk.close();
});

const enter = (email: string) => s.enter(email, phone);

const foot = (page: Page) => page.getByRole("region", { name: "What you need to do" });
const sheet = (page: Page) => page.getByRole("dialog");
const spinning = (page: Page) => page.getByRole("status", { name: "Loading" }).count();

async function opened(page: Page, id: number): Promise<void> {
  await page.goto(`${s.url}/document/${id}/sign`);
  await page.locator("[data-page='1'] canvas").waitFor();
}

test("everyone gets the sheet, and declining without a reason shows the error beside its field", async () => {
  const contract = await send(owner, "Sewa Gudang", [dua], 0);
  const page = await enter(dua.email);
  await opened(page, contract.id);
  await foot(page).getByRole("button", { name: "Sign", exact: true }).tap();
  await sheet(page).getByRole("img", { name: "Area to draw a signature in" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await sheet(page).waitFor({ state: "hidden" });
  await foot(page).getByRole("button", { name: "Decline" }).tap();
  await sheet(page).getByRole("button", { name: "Decline" }).tap();
  await sheet(page).getByText("Give the reason.").waitFor();
  expect(await violations(page)).toEqual([]);
  await sheet(page).getByRole("textbox", { name: "Reason" }).fill("Harga belum sesuai");
  await sheet(page).getByRole("button", { name: "Decline" }).tap();
  await foot(page).waitFor({ state: "detached" });
  await sheet(page).waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "You have declined" }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("You have declined");
  await page.getByText(/Harga belum sesuai/).first().waitFor();
  await owner.goto(`${s.url}/document/${contract.id}`);
  await owner.getByRole("listitem").filter({ hasText: dua.name }).getByText(/^Declined /).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.context().close();
});

test.runIf(complete)("an unfinished drawn signature survives closing the sheet and turning a tablet", async () => {
  const contract = await send(owner, "Tablet Diputar", [dua], 0);
  const page = await enter(dua.email);
  await opened(page, contract.id);
  const area = page.getByRole("img", { name: "Area to draw a signature in" });
  const inked = () => area.evaluate((c: HTMLCanvasElement) => c.width > 0 && c.getContext("2d")!.getImageData(0, 0, c.width, c.height).data.some((v) => v > 0));
  await foot(page).getByRole("button", { name: "Sign", exact: true }).tap();
  await area.waitFor();
  await page.waitForFunction(() => document.getAnimations().every((a) => a.playState !== "running"));
  expect(await inked()).toBe(false);
  const { x, y, width, height } = (await area.boundingBox())!;
  await page.mouse.move(x + 20, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + 20, { steps: 5 });
  await page.mouse.move(x + width - 20, y + height / 2, { steps: 5 });
  await page.mouse.up();
  await expect.poll(inked).toBe(true);
  await page.keyboard.press("Escape");
  await sheet(page).waitFor({ state: "detached" });
  await foot(page).getByRole("button", { name: "Sign", exact: true }).tap();
  await expect.poll(inked).toBe(true);
  await page.setViewportSize({ width: 1100, height: 740 });
  await sheet(page).waitFor({ state: "detached" });
  await expect.poll(inked).toBe(true);
  const side = page.getByRole("region", { name: "What you need to do" });
  await read(page);
  const sent = page.waitForRequest("**/sign/sign-docs");
  await side.getByRole("button", { name: "Sign", exact: true }).click();
  expect(((await sent).postDataJSON() as { specimen?: string }).specimen).toMatch(/^iVBOR/);
  await page.context().close();
});

test("a signer with an open sheet sees at once that the document was canceled", async () => {
  const contract = await send(owner, "Batal Sementara", [dua], 0);
  const page = await enter(dua.email);
  await opened(page, contract.id);
  await foot(page).getByRole("button", { name: "Sign", exact: true }).tap();
  await sheet(page).waitFor();
  const answer = await owner.request.post(`${s.url}/v1/econtract/web/sign/cancel-docs`, { data: { document_id: contract.id, reason: "Salah berkas" } });
  expect(answer.status()).toBe(200);
  await page.getByText(/Salah berkas/).first().waitFor();
  await expect.poll(async () => (await sheet(page).count()) + (await foot(page).count()) + (await spinning(page))).toBe(0);
  await page.context().close();
});

test("a guest's link that was replaced or is invalid says what to do", async () => {
  const contract = await send(owner, "Surat Kuasa", [budi], 0);
  const first = await guestLink(owner, contract, budi.email);
  await guestLink(owner, contract, budi.email);
  const page = await (await s.browser.newContext(phone)).newPage();
  for (const link of [first, `${s.url}/guest#tidak-ada`]) {
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("alert").getByText(/(ask|contact) the owner/i).waitFor();
    expect(await spinning(page)).toBe(0);
  }
  await page.goto("about:blank");
  await page.goto(`${s.url}/guest`);
  await page.getByText("Open this page with the link you received.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});

test("an owner revokes a guest's link, and is warned that a new one replaces it", async () => {
  const contract = await send(owner, "Surat Tugas", [budi], 0);
  const link = await guestLink(owner, contract, budi.email);
  const page = await owner.context().newPage();
  await page.goto(`${s.url}/document/${contract.id}`);
  await page.getByText(/new link replaces the former one|Tautan baru menggantikan/).waitFor();
  await page.getByRole("button", { name: /^(Revoke the link|Cabut tautan)$/ }).click();
  await page.getByText(/no longer works|tidak dapat digunakan lagi/).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.close();
  const guest = await (await s.browser.newContext(phone)).newPage();
  await guest.goto(link);
  await guest.getByRole("alert").getByText(/(ask|contact) the owner/i).waitFor();
  await guest.context().close();
});

test("a guest on a desk reads pages as wide as a member does", async () => {
  const contract = await send(owner, "Surat Kuasa Lebar", [budi], 0);
  const page = await (await s.browser.newContext({ locale: "en", viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(await guestLink(owner, contract, budi.email));
  await page.locator("[data-page='1'] canvas").waitFor();
  expect((await page.locator("[data-page='1']").boundingBox())!.width).toBeGreaterThan(600);
  await page.getByRole("region", { name: "What you need to do" }).getByRole("button", { name: "Sign", exact: true }).waitFor();
  await page.context().close();
});

test.runIf(complete)("while the service is away the page says so, and goes on by itself once it is back", async () => {
  const contract = await send(owner, "Layanan Pergi", [dua, satu]);
  const page = await enter(dua.email);
  await opened(page, contract.id);
  await foot(page).getByRole("button", { name: "Sign", exact: true }).tap();
  await read(page);
  await sheet(page).getByRole("button", { name: "Sign", exact: true }).tap();
  await page.getByText(`Next: ${satu.name}.`).waitFor();
  await s.stop();
  const away = page.getByText("The connection to the service was lost.");
  await away.waitFor();
  await expect.poll(() => spinning(page)).toBe(0);
  await s.start();
  await away.waitFor({ state: "detached" });
  const answer = await owner.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: contract.id } });
  expect(answer.status()).toBe(200);
  await page.getByRole("link", { name: "Download" }).waitFor();
  await page.context().close();
});
