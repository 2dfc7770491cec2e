import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";

import { en, languages } from "./texts";
import { guestLink, read, sealed, send } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";

// What a signer sees before it is their turn, while they read, and after they signed, in both languages, on a desk, on a phone
// and at a magnification of 400 %.

let s: Stage, owner: Page;
const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" };
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, reducedMotion: "reduce" } as const;

beforeAll(async () => {
  s = await stage();
  s.user(satu.name, satu.email);
  s.user(dua.name, dua.email);
  owner = await s.login(satu.email);
});
afterAll(() => s.close());

interface Order {
  who: { name: string; email: string; guest?: boolean }[];
  /** Pages of the boxes of the first signer; all others sign on page 1. */
  boxes?: number[];
  stamps?: number;
}

/** Sends a contract of six pages. */
async function sent(title: string, { who, boxes = [4], stamps = 0 }: Order) {
  const post = async (verb: string, data: object) => {
    const answer = await owner.request.post(`${s.url}/v1/econtract/web/sign/${verb}`, { data });
    expect(answer.status(), await answer.text()).toBe(200);
    return (await answer.json()).response.data;
  };
  const members = (await (await owner.request.get(`${s.url}/v1/auth/list_user?page=1&limit=50`)).json()).data.user as { id: string; email: string }[];
  const person = (w: Order["who"][number], number: number) => ({ ...(w.guest ? {} : { id: members.find((m) => m.email === w.email)!.id }), name: w.name, email: w.email, role: "signer", number });
  const { document_id: document } = await post("upload-docs-base64", {
    document_title: title, filename: `${title}.pdf`, document_base64: makePDF(6).toString("base64"), parallel: 0,
    signer: who.flatMap((w, i) => (w.guest ? [] : [person(w, i + 1)])), guest: who.flatMap((w, i) => (w.guest ? [person(w, i + 1)] : [])),
  });
  const { signer } = (await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/signers/${document}`)).json()).data as { signer: { user_id: string; email: string }[] };
  const box = (llx: number) => ({ llx, lly: 100, urx: llx + 150, ury: 170 });
  await post("placement-docs", { document_id: document, signers: [
    ...boxes.map((page) => ({ type: "sign", page, user: { userid: signer[0]!.user_id }, sign: box(50) })),
    ...signer.slice(1).map((p, i) => ({ type: "sign", page: 1, user: { userid: p.user_id }, sign: box(50 + 160 * (i + 1)) })),
    ...Array.from({ length: stamps }, () => ({ type: "emet", page: 6, user: { userid: signer[0]!.user_id }, emet: { llx: 300, lly: 300, urx: 380, ury: 380 } })),
  ] });
  await post("finalize-docs", { document_id: document });
  return { id: document as number, people: new Map(signer.map((p) => [p.email, p.user_id])) };
}

const firstPage = (page: Page) => page.locator("[data-page='1'] canvas").waitFor();
const card = (page: Page, w: typeof en) => page.getByRole("region", { name: w.sign.asked });
const state = (page: Page, w: typeof en) => page.getByRole("region", { name: w.steps.title });
const signButton = (at: Locator, w: typeof en) => at.getByRole("button", { name: w.document.sign, exact: true });
const confirm = (page: Page, w: typeof en) => page.getByRole("checkbox", { name: w.sign.haveRead }).check();
const fill = (text: string, values: Record<string, string | number>) => text.replace(/\{\{(\w+)\}\}/g, (_, k: string) => String(values[k]));
const atPage = (page: Page, n: number) => page.locator(`[data-page='${n}']`).evaluate((e) => e.scrollIntoView());
const focused = (page: Page) => page.evaluate(() => ({ tag: document.activeElement?.tagName, text: document.activeElement?.textContent }));

/** Slows the line down: 200 ms of latency, 50 KB/s. */
async function throttle(page: Page): Promise<void> {
  const line = await page.context().newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", { offline: false, latency: 200, downloadThroughput: 50_000, uploadThroughput: 50_000 });
}

for (const [language, w] of languages("en")) {
  test(`after signing on a slow line the signer reads that they have signed and who is next, at the same place on the same pages, ${language}`, async () => {
    const contract = await sent(`Sewa Gudang ${language}`, { who: [dua, satu] });
    const page = await s.login(dua.email, { locale: language });
    await page.goto(`${s.url}/document/${contract.id}/sign`);
    await firstPage(page);
    await page.getByText(fill(w.sign.from, { name: satu.name, organisation: "Segel" }), { exact: false }).waitFor();
    await page.getByText(fill(w.sign.as, { name: dua.name })).first().waitFor();
    await atPage(page, 4);
    await page.locator("[data-page='4'] canvas").waitFor();
    await confirm(page, w);
    await throttle(page);
    await page.evaluate(() => document.querySelectorAll<HTMLElement>("[data-page]").forEach((p) => { p.dataset.before = "true"; }));
    const before = await page.evaluate(() => window.scrollY);
    expect(before).toBeGreaterThan(1000);
    const fetched: string[] = [];
    page.on("request", (r) => { if (r.url().includes("/document/preview/")) fetched.push(r.method()); });
    await signButton(card(page, w), w).click();
    const said = state(page, w);
    await said.getByRole("heading", { name: w.sign.signed }).waitFor();
    expect(await focused(page)).toEqual({ tag: "H2", text: w.sign.signed });
    await said.getByText(fill(w.sign.next, { who: satu.name })).waitFor();
    await said.getByText(w.sign.downloadLater).waitFor();
    await page.getByRole("img", { name: fill(w.sign.boxFilled, { kind: w.place.sign, name: dua.name, page: 4 }) }).waitFor();
    expect(await page.locator("[data-step]").count()).toBe(0);
    expect(await page.evaluate(() => window.scrollY)).toBe(before);
    expect(await page.locator("[data-page][data-before=true]").count()).toBe(6);
    expect(fetched).toEqual([]);
    expect(await focused(page)).toEqual({ tag: "H2", text: w.sign.signed });
    expect(await violations(page)).toEqual([]);

    // The signed document comes when it is asked for, at the same place.
    const revision = () => page.locator("[data-revision]").getAttribute("data-revision"), read = await revision();
    await said.getByRole("button", { name: w.sign.showNewest }).click();
    await expect.poll(revision).not.toBe(read);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(before);
    expect(fetched).not.toEqual([]);
    expect(await said.getByRole("button", { name: w.sign.showNewest }).count()).toBe(0);

    // The next signature completes the document, of which the page learns by itself.
    await owner.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: contract.id } });
    await said.getByRole("link", { name: w.document.download }).waitFor();
    await said.getByRole("heading", { name: w.sign.signed }).waitFor();
    await page.context().close();
  });

  test.runIf(complete)(`before their turn a signer sees whose turn it is, the sender, the organisation and their own name, ${language}`, async () => {
    const contract = await sent(`Sewa Ruko ${language}`, { who: [dua, budi] });
    const page = await (await s.browser.newContext({ ...phone, locale: language })).newPage();
    await page.goto(await guestLink(owner, contract, budi.email));
    await firstPage(page);
    const said = state(page, w);
    await said.getByRole("heading", { name: w.sign.notYourTurn }).waitFor();
    await said.getByText(fill(w.sign.before_one, { who: dua.name })).waitFor();
    await page.getByText(fill(w.sign.from, { name: satu.name, organisation: "Segel" }), { exact: false }).waitFor();
    await page.getByText(fill(w.sign.as, { name: budi.name })).waitFor();
    expect(await page.locator("[data-step]").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

    const signer = await s.login(dua.email, { locale: language });
    await signer.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: contract.id } });
    await signer.context().close();
    await signButton(card(page, w), w).tap();
    await confirm(page, w);
    await signButton(page.getByRole("dialog"), w).tap();
    await said.getByRole("heading", { name: w.sign.signed }).waitFor();
    await expect.poll(() => focused(page)).toEqual({ tag: "H2", text: w.sign.signed });
    await said.getByRole("button", { name: w.document.download }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });
}

for (const [language, w] of languages("id")) {
  test(`a signer declines before it is their turn, on a phone and on a desk, ${language}`, async () => {
    const reason = "Harga pada Pasal 3 belum sesuai.";
    const byPhone = await sent(`Sewa Kios ${language}`, { who: [dua, budi] });
    const guest = await (await s.browser.newContext({ ...phone, locale: language })).newPage();
    await guest.goto(await guestLink(owner, byPhone, budi.email));
    await firstPage(guest);
    await state(guest, w).getByRole("heading", { name: w.sign.notYourTurn }).waitFor();
    await state(guest, w).getByRole("button", { name: w.sign.decline }).tap();
    const sheet = guest.getByRole("dialog", { name: w.sign.decline });
    await sheet.getByRole("button", { name: w.sign.decline, exact: true }).tap();
    await sheet.getByText(w.sign.needReason).waitFor();
    expect(await violations(guest)).toEqual([]);
    await sheet.getByRole("textbox").fill(reason);
    await sheet.getByRole("button", { name: w.sign.decline, exact: true }).tap();
    await state(guest, w).getByRole("heading", { name: w.sign.declined }).waitFor();
    expect(await guest.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await guest.context().close();

    const onDesk = await sent(`Sewa Lapak ${language}`, { who: [budi, dua] });
    const page = await s.login(dua.email, { locale: language });
    await page.goto(`${s.url}/document/${onDesk.id}/sign`);
    await firstPage(page);
    await state(page, w).getByRole("button", { name: w.sign.decline }).click();
    await state(page, w).getByRole("button", { name: w.sign.back }).click(); // they think again
    await state(page, w).getByRole("button", { name: w.sign.decline }).click();
    await page.getByRole("textbox", { name: w.document.reason }).fill(reason);
    await state(page, w).getByRole("button", { name: w.sign.decline }).click();
    await state(page, w).getByRole("heading", { name: w.sign.declined }).waitFor();
    await expect.poll(() => focused(page)).toEqual({ tag: "H2", text: w.sign.declined });
    await page.context().close();
    for (const { id: document } of [byPhone, onDesk]) {
      const answer = await owner.request.get(`${s.url}/v1/econtract/web_app/document/detail/${document}`);
      expect(((await answer.json()) as { data: { status: string } }).data.status).toBe("rejected");
    }
  });
}

test("when another person signs while the pages are read, nothing disappears or moves, and the newest revision is signed", async () => {
  const contract = await send(owner, "Serentak", [dua, satu], 0, makePDF(6), 1);
  const page = await s.login(dua.email);
  await page.goto(`${s.url}/document/${contract.id}/sign`);
  await firstPage(page);
  await confirm(page, en);
  await atPage(page, 1);
  const box = page.getByRole("img", { name: fill(en.sign.boxFilled, { kind: en.place.sign, name: satu.name, page: 1 }) });
  const revision = () => page.locator("[data-revision]").getAttribute("data-revision"), read = await revision();
  // In each frame: whether the first page is drawn, and the place on the page.
  const before = await page.evaluate(() => {
    const seen = { gone: 0, frames: 0, places: new Set<number>() };
    Object.assign(window, { seen });
    const look = () => {
      seen.frames++;
      if (!(document.querySelector<HTMLCanvasElement>("[data-page='1'] canvas")?.width)) seen.gone++;
      seen.places.add(window.scrollY);
      requestAnimationFrame(look);
    };
    look();
    return window.scrollY;
  });
  const refused: number[] = [];
  page.on("response", (r) => { if (r.url().endsWith("/sign-docs")) refused.push(r.status()); });
  await owner.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: contract.id } });
  await box.waitFor();
  await expect.poll(revision).not.toBe(read);
  await expect.poll(() => signButton(card(page, en), en).isEnabled()).toBe(true);
  const seen = await page.evaluate(() => {
    const { gone, frames, places } = (window as unknown as { seen: { gone: number; frames: number; places: Set<number> } }).seen;
    return { gone, frames, places: [...places] };
  });
  expect(seen.frames).toBeGreaterThan(1);
  expect(seen).toMatchObject({ gone: 0, places: [before] });
  expect(await page.getByRole("checkbox", { name: en.sign.haveRead }).isChecked()).toBe(true);
  await signButton(card(page, en), en).click();
  await state(page, en).getByRole("heading", { name: en.sign.signed }).waitFor();
  expect(refused).toEqual([200]);
  await page.context().close();
});

test("after signing on a phone the page stays at its place, and a reload still says that the guest has signed", async () => {
  const contract = await sent("Surat Kuasa", { who: [budi, satu] });
  const page = await (await s.browser.newContext({ ...phone, locale: "en" })).newPage();
  await page.goto(await guestLink(owner, contract, budi.email));
  await firstPage(page);
  await atPage(page, 3);
  await page.locator("[data-page='3'] canvas").waitFor();
  const before = await page.evaluate(() => window.scrollY);
  await signButton(card(page, en), en).tap();
  await read(page);
  await signButton(page.getByRole("dialog"), en).tap();
  await state(page, en).getByText(fill(en.sign.next, { who: satu.name })).waitFor();
  await state(page, en).getByText(en.sign.downloadByLink).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.evaluate(() => window.scrollY)).toBe(before);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.reload();
  await state(page, en).getByRole("heading", { name: en.sign.signed }).waitFor();
  await page.context().close();
});

test("showing the place leads to each box that was not shown yet, one after the other", async () => {
  const contract = await sent("Enam Halaman", { who: [dua], boxes: [2, 4, 6] });
  const page = await s.login(dua.email, { ...phone, locale: "en" });
  await page.goto(`${s.url}/document/${contract.id}/sign`);
  await firstPage(page);
  const next = card(page, en).getByRole("button", { name: en.sign.showNext });
  const inSight = (n: number) => expect.poll(() => page.locator(`[data-mark='${n}']`).evaluate((e) => { const r = e.getBoundingClientRect(); return r.top > 56 && r.bottom < window.innerHeight; })).toBe(true);
  await next.tap();
  await inSight(2);
  await card(page, en).getByText(fill(en.sign.shownPlace, { number: 1, count: 3, page: 2 })).waitFor();
  // The signer scrolls to another by themselves: it counts as shown.
  await page.locator("[data-mark='4']").evaluate((e) => e.scrollIntoView({ block: "center" }));
  await page.locator("[data-page='4'] canvas").waitFor();
  await expect.poll(() => page.locator("[data-page-number]").getAttribute("data-page-number")).toBe("4");
  await next.tap();
  await inSight(6);
  await card(page, en).getByText(fill(en.sign.shownPlace, { number: 3, count: 3, page: 6 })).waitFor();
  await next.tap();
  await inSight(2);
  await page.context().close();
});

test.runIf(complete)("on a phone the signer sees the number of the page, jumps to another, and zooms in", async () => {
  const contract = await sent("Dibaca di Ponsel", { who: [dua] });
  const page = await s.login(dua.email, { ...phone, locale: "en" });
  await page.goto(`${s.url}/document/${contract.id}/sign`);
  await firstPage(page);
  const number = page.getByRole("textbox", { name: en.place.goTo });
  await expect.poll(() => number.inputValue()).toBe("1");
  await page.getByText("/ 6", { exact: true }).waitFor();
  await atPage(page, 3);
  await expect.poll(() => number.inputValue()).toBe("3");
  await number.tap();
  await number.fill("5");
  await number.press("Enter");
  await page.locator("[data-page='5'] canvas").waitFor();
  await expect.poll(() => number.inputValue()).toBe("5");
  const tools = (await page.getByRole("group", { name: en.sign.tools }).boundingBox())!;
  expect(tools.y).toBeLessThan(80); // it stays at the top
  expect((await page.locator("[data-page='5']").boundingBox())!.y).toBeGreaterThanOrEqual(tools.y + tools.height - 1);

  const wide = (await page.locator("[data-page='5']").boundingBox())!.width;
  for (let i = 0; i < 2; i++) await page.getByRole("button", { name: en.place.larger }).tap();
  await page.getByText("150%").waitFor();
  await expect.poll(async () => (await page.locator("[data-page='5']").boundingBox())!.width / wide).toBeGreaterThan(1.45);
  await expect.poll(() => number.inputValue()).toBe("5");
  // All of the page can be reached by scrolling the pages, not the window.
  const pages = page.getByRole("group", { name: en.sign.pages });
  expect(await pages.evaluate((e) => e.scrollWidth > e.clientWidth + 100)).toBe(true);
  await pages.evaluate((e) => { e.scrollLeft = 0; });
  expect((await page.locator("[data-page='5']").boundingBox())!.x).toBeGreaterThanOrEqual(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await violations(page)).toEqual([]);
  while (await page.getByRole("button", { name: en.place.smaller }).isEnabled()) await page.getByRole("button", { name: en.place.smaller }).tap();
  await page.getByText("50%").waitFor();
  await page.context().close();
});

test.runIf(complete)("at a magnification of 400 % the signing card does not cover the page", async () => {
  const contract = await sent("Diperbesar", { who: [dua] });
  const page = await s.login(dua.email, { locale: "en", viewport: { width: 320, height: 256 } }); // 1280 by 1024 at 400 %
  await page.goto(`${s.url}/document/${contract.id}/sign`);
  await firstPage(page);
  const covered = (at: Locator) => at.evaluate((e) => {
    const r = e.getBoundingClientRect();
    return [...document.querySelectorAll("[data-page]")].some((p) => { const q = p.getBoundingClientRect(); return Math.min(r.bottom, q.bottom, window.innerHeight) - Math.max(r.top, q.top, 0) > 1; });
  });
  for (const n of [1, 3, 6]) {
    await atPage(page, n);
    expect(await covered(card(page, en))).toBe(false);
    expect(await covered(page.getByRole("group", { name: en.sign.tools }))).toBe(false);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(await violations(page)).toEqual([]);
  await signButton(card(page, en), en).click();
  await page.getByRole("dialog").getByText(en.sign.reachedEnd).waitFor();
  await signButton(page.getByRole("dialog"), en).click();
  await state(page, en).getByRole("heading", { name: en.sign.signed }).waitFor();
  await expect.poll(() => focused(page)).toEqual({ tag: "H2", text: en.sign.signed });
  const heading = (await state(page, en).getByRole("heading", { name: en.sign.signed }).boundingBox())!;
  expect(heading.y).toBeGreaterThanOrEqual(0);
  expect(heading.y + heading.height).toBeLessThanOrEqual(256);
  expect(await covered(state(page, en))).toBe(false);
  await sealed(page, contract.id);
  await page.context().close();
});
