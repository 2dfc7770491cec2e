import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { en, languages } from "./texts";
import { guestLink, send, type Sent } from "./contract";
import { complete, makePDF, stage, type Stage } from "./harness";

const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" };
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };

let s: Stage, open: Sent, mine: Sent, draft: number, link: string;
beforeAll(async () => {
  s = await stage();
  s.user(satu.name, satu.email, "admin");
  s.user(dua.name, dua.email);
  const owner = await s.login(satu.email);
  open = await send(owner, "Perjanjian Sewa Ruko", [dua, budi], 0);
  mine = await send(owner, "Surat Kuasa", [satu], 0);
  link = await guestLink(owner, open, budi.email);
  const kept = await owner.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, {
    data: {
      document_title: "Draf Perjanjian", filename: "draf.pdf", document_base64: makePDF(2).toString("base64"), guest: [],
      signer: [{ id: open.people.get(dua.email), ...dua, role: "signer", number: 1 }],
    },
  });
  draft = (await kept.json()).response.data.document_id;
  await owner.context().close();
});
afterAll(() => s.close());

/** The screens of a person with an account, with what the tab says of each. */
const screens = (w: typeof en): [string, string][] => [
  ["/inbox", w.nav.inbox],
  ["/sent", w.nav.sent],
  ["/drafts", w.nav.drafts],
  ["/sign-many", w.many.title],
  [`/document/${open.id}`, "Perjanjian Sewa Ruko"],
  [`/document/${mine.id}/sign`, w.tab.sign.replace("{{title}}", "Surat Kuasa")],
  ["/new", `${w.new.file}: ${w.new.title}`],
  [`/new?document=${draft}&step=people`, `${w.new.people}: Draf Perjanjian`],
  [`/new?document=${draft}&step=place`, `${w.new.place}: Draf Perjanjian`],
  [`/new?document=${draft}&step=review`, `${w.new.review}: Draf Perjanjian`],
  ["/password", w.password.title],
  ...(["people", "quota", "log"] as const).map((tab): [string, string] => [`/admin?tab=${tab}`, `${w.admin[tab]} – ${w.nav.admin}`]),
];

const title = (screen: string) => new RegExp(`^(\\(\\d+\\) )?${screen.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")} – Segel$`);

test.each(languages("id"))("each screen names itself in the title of the tab, %s", async (locale, w) => {
  const page = await s.login(satu.email, { locale });
  const told = new Set<string>();
  for (const [path, screen] of screens(w)) {
    await page.goto(s.url + path);
    await expect.poll(() => page.title(), { message: path }).toMatch(title(screen));
    told.add((await page.title()).replace(/^\(\d+\) /, ""));
  }
  expect(told.size).toBe(screens(w).length);
  await page.goto(`${s.url}/nothing/here`);
  await expect.poll(() => page.title()).toBe(`${w.problem.notFound} – Segel`);
  await page.goto(`${s.url}/verify`);
  await expect.poll(() => page.title()).toBe(`${w.verify.title} – Segel`);
  await page.context().close();
  const visitor = await (await s.browser.newContext({ locale })).newPage();
  await visitor.goto(`${s.url}/login`);
  await expect.poll(() => visitor.title()).toBe(`${w.login.title} – Segel`);
  await visitor.goto(link);
  await expect.poll(() => visitor.title()).toBe(`${w.tab.sign.replace("{{title}}", "Perjanjian Sewa Ruko")} – Segel`);
  await visitor.context().close();
});

/** What has the focus, as its text. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

test("the focus goes to the title of a screen that the app shows in place of another one", async () => {
  const page = await s.login(satu.email, { locale: "en" });
  await page.goto(`${s.url}/sent`);
  await page.getByRole("heading", { level: 1, name: en.nav.sent }).waitFor();
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true); // of a new page, the browser tells the title
  await page.getByRole("link", { name: en.nav.drafts }).click();
  await expect.poll(() => focused(page)).toBe(en.nav.drafts);
  await page.getByRole("link", { name: en.nav.sent }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe(en.nav.sent);
  await page.getByRole("link", { name: "Perjanjian Sewa Ruko" }).first().click();
  await expect.poll(() => focused(page)).toBe("Perjanjian Sewa Ruko");
  await page.goBack();
  await expect.poll(() => focused(page)).toBe(en.nav.sent);
  await page.goto(`${s.url}/new?document=${draft}&step=people`);
  await page.getByRole("link", { name: en.new.placeShort }).click();
  await expect.poll(() => focused(page)).toBe(en.new.place);
  await page.context().close();
});

test("the focus goes to the title of the screen when the control that had it is removed", async () => {
  const page = await s.login(satu.email, { locale: "en" });
  await page.goto(`${s.url}/new?document=${draft}&step=people`);
  await page.getByRole("button", { name: en.new.remove.replace("{{name}}", dua.name) }).click();
  await expect.poll(() => focused(page)).toBe(en.new.people);
  const more = await page.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, {
    data: { document_title: "Draf Kedua", filename: "draf.pdf", document_base64: makePDF(1).toString("base64"), signer: [], guest: [] },
  });
  expect(more.ok()).toBe(true);
  await page.goto(`${s.url}/drafts`);
  await page.getByRole("button", { name: `${en.document.remove}: Draf Kedua` }).click();
  await page.getByRole("dialog").getByRole("button", { name: en.document.remove }).click();
  await page.getByRole("link", { name: "Draf Kedua" }).waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe(en.nav.drafts);
  await page.context().close();
});

test("a screen that cannot be shown names itself too, in its title and its heading", async () => {
  const page = await s.login(satu.email, { locale: "en" });
  for (const path of ["/document/999999", "/document/999999/sign", "/new?document=999999&step=people"]) {
    await page.goto(s.url + path);
    await page.getByRole("heading", { level: 1, name: en.problem.title }).waitFor();
    await expect.poll(() => page.title(), { message: path }).toMatch(title(en.problem.title));
  }
  await page.context().close();
});

test("the first key leads past the menu to the content, wherever there is something to pass", async () => {
  const page = await s.login(satu.email, { locale: "en" });
  const skip = async (path: string, target: string) => {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Tab");
    const link = page.getByRole("link", { name: en.app.skip });
    await expect.poll(() => link.evaluate((e) => e === document.activeElement), { message: path }).toBe(true);
    expect((await link.boundingBox())!.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), { message: path }).toBe(target);
  };
  await skip(`${s.url}/inbox`, "main");
  await skip(`${s.url}/document/${open.id}`, "main");
  await skip(`${s.url}/verify`, "main");
  await page.context().close();
});

/** Controls that cannot be seen when the keyboard reaches them, and what takes too much of the window. */
const hindrances = (page: Page) => page.evaluate(() => {
  const bad: string[] = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) bad.push(`the page is ${wide} pixels wide`);
  for (const e of document.querySelectorAll<HTMLElement>("body *")) {
    const position = getComputedStyle(e).position, r = e.getBoundingClientRect();
    if ((position === "fixed" || position === "sticky") && r.height > innerHeight / 2 && r.width > innerWidth / 2 && r.top < innerHeight && r.bottom > 0 && !e.closest("[role=dialog], nav, [aria-hidden=true]") && getComputedStyle(e).visibility !== "hidden" && r.right > 0 && r.left < innerWidth)
      bad.push(`${e.tagName}.${e.className} takes ${Math.round(r.height)} of ${innerHeight} pixels`);
  }
  return bad;
});

test.runIf(complete)("at a magnification of 400 % every screen can be read and used without scrolling sideways", async () => {
  const small = { locale: "en", viewport: { width: 320, height: 256 } }; // 1280 by 1024 at 400 %
  const page = await s.login(satu.email, small);
  for (const [path] of screens(en)) {
    await page.goto(s.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => hindrances(page), { message: path }).toEqual([]);
    const covered = [];
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press("Tab");
      covered.push(await page.evaluate(() => {
        const e = document.activeElement as HTMLElement, r = e.getBoundingClientRect();
        if (e === document.body || r.width === 0) return "";
        const x = Math.min(Math.max(r.left + r.width / 2, 1), innerWidth - 1), y = Math.min(Math.max(r.top + r.height / 2, 1), innerHeight - 1);
        const at = document.elementFromPoint(x, y);
        return at && (e.contains(at) || at.contains(e) || at.closest("label") !== null) ? "" : `${e.tagName} ${(e.getAttribute("aria-label") ?? e.textContent ?? "").slice(0, 40)} is covered by ${at?.tagName}.${at?.className}`;
      }));
    }
    expect(covered.filter(Boolean), path).toEqual([]);
  }
  await page.context().close();
});
