import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { send, sealed } from "./contract";
import { complete, makePDF, password, stage, violations, type Stage } from "./harness";
import { en, id } from "./texts";

const root = path.resolve(import.meta.dirname, "../..");
const example = readFileSync(path.join(root, "docs/examples/embedding/index.html"), "utf8");
/** The documented hash of segel-embed.js: Chromium refuses the script if it is another one. */
const integrity = /sha384-[\w+/=]{64}/.exec(readFileSync(path.join(root, "docs/embedding.md"), "utf8"))![0];

/** A server of a page of an organisation. Another port is another origin. */
interface Host {
  origin: string;
  html: string;
  server: Server;
}

async function host(): Promise<Host> {
  const h: Host = { origin: "", html: "", server: createServer((_, answer) => answer.setHeader("content-type", "text/html; charset=utf-8").end(h.html)) };
  await new Promise<void>((listens) => h.server.listen(0, "127.0.0.1", listens));
  h.origin = `http://127.0.0.1:${(h.server.address() as AddressInfo).port}`;
  return h;
}

let s: Stage, owner: Page, listed: Host, unlisted: Host;
beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test", "admin");
  s.user("Siti Rahma", "siti@example.test");
  [owner, listed, unlisted] = [await s.enter("o@example.test"), await host(), await host()];
});
afterAll(async () => {
  for (const h of [listed, unlisted]) {
    h?.server.closeAllConnections();
    h?.server.close();
  }
  await s.close();
});

async function ask(document: number, purpose: string, user?: string): Promise<string> {
  const answer = await owner.request.post(`${s.url}/v1/econtract/web/sign/embed-docs`, { data: { document_id: document, purpose, ...(user ? { user_id: user } : {}) } });
  if (!answer.ok()) throw new Error(await answer.text());
  return ((await answer.json()) as { response: { data: { url: string } } }).response.data.url;
}

/** Opens the example page with an address, and returns it with the frame. */
async function show(h: Host, address: string, locale = "en", width = 1280): Promise<{ page: Page; frame: Frame }> {
  h.html = example.replaceAll("{segel}", s.url).replaceAll("{integrity}", integrity).replaceAll("{address}", address);
  const context = await s.browser.newContext({ locale, viewport: { width, height: 800 } });
  const page = await context.newPage();
  await page.goto(h.origin);
  await page.locator("iframe").waitFor();
  return { page, frame: await (await page.locator("iframe").elementHandle())!.contentFrame() as Frame };
}

const told = (page: Page, type: string) => page.locator(`#events li[data-type="${type}"]`).first().waitFor();

/** Requires that the frame stored nothing in the browser, and ends the page. */
async function leavesNothing(page: Page, frame: Frame): Promise<void> {
  expect(await page.context().cookies()).toEqual([]);
  expect(await frame.evaluate(async () => [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length, document.cookie])).toEqual([0, 0, 0, ""]);
  await page.context().close();
}

async function read(frame: Frame, w: typeof en): Promise<void> {
  await frame.locator("[data-page='1'] canvas, [data-page='1'] img").first().waitFor();
  await frame.getByRole("checkbox", { name: w.sign.haveRead }).check();
  await frame.locator("[data-consent]").getByRole("checkbox").check();
}

test("an admin lists the origins", async () => {
  await owner.goto(`${s.url}/admin?tab=embedding`);
  await owner.getByLabel("Origins").fill("https://erp.contoh.id/path");
  await owner.getByRole("button", { name: "Save origins" }).click();
  await owner.getByText("An origin must be written as", { exact: false }).waitFor();
  await owner.getByLabel("Origins").fill(listed.origin);
  expect(await violations(owner)).toEqual([]);
  await owner.getByRole("button", { name: "Save origins" }).click();
  await owner.getByText("The origins are saved.").waitFor();
});

test("a guest signs in a frame of another origin, and the address works once", async () => {
  const d = await send(owner, "Sewa Ruko", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }], 0);
  const address = await ask(d.id, "sign", d.people.get("budi@example.test"));
  const { page, frame } = await show(listed, address);
  await told(page, "ready");
  await read(frame, en);
  expect(await violations(page)).toEqual([]); // axe looks into frames too
  // From a button of the outer page, the keyboard leads into the frame.
  await page.locator("#before").focus();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("IFRAME");
  expect(await frame.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
  await frame.getByRole("button", { name: en.document.sign, exact: true }).click();
  await frame.getByRole("heading", { name: en.sign.signed }).waitFor();
  for (const type of ["viewed", "signed", "resize"]) await told(page, type);
  expect(frame.url()).not.toContain("sgl_ea_");

  await page.reload();
  await page.getByText("expired: embed.address_used").waitFor();
  const again = await (await page.locator("iframe").elementHandle())!.contentFrame() as Frame;
  await again.getByText("This address was opened before", { exact: false }).waitFor();
  await leavesNothing(page, again);
  await sealed(owner, d.id);
});

test("a member proves who they are in the frame, in Indonesian on a phone", async () => {
  const d = await send(owner, "Kuasa Jual", [{ name: "Siti Rahma", email: "siti@example.test" }], 0);
  const { page, frame } = await show(listed, await ask(d.id, "sign", d.people.get("siti@example.test")), "id", 360);
  await frame.locator("[data-page='1'] canvas, [data-page='1'] img").first().waitFor();
  expect(await frame.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await frame.getByRole("button", { name: id.document.sign, exact: true }).click();
  const sheet = frame.getByRole("dialog");
  await sheet.waitFor();
  if (complete) expect(await violations(page)).toEqual([]);
  await sheet.getByRole("checkbox", { name: id.sign.haveRead }).check();
  await sheet.locator("[data-consent]").getByRole("checkbox").check();
  const go = sheet.getByRole("button", { name: id.document.sign, exact: true });
  expect(await go.isDisabled()).toBe(true);
  await sheet.locator("input[type=password]").fill("bukan kata sandi");
  await go.click();
  await sheet.getByText("Kata sandi tidak benar", { exact: false }).waitFor();
  await sheet.locator("input[type=password]").fill(password);
  await go.click();
  await frame.getByRole("heading", { name: id.sign.signed }).waitFor();
  await told(page, "signed");
  await leavesNothing(page, frame);
  const trail = await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/audit-trail/${d.id}`, { headers: { "Accept-Language": "en" } })).text();
  expect(trail).toContain(`in a page of ${listed.origin}, with an address that Pemilik Satu asked for`);
});

test("the owner places a box, and the page around hears of it", async () => {
  const upload = await owner.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, {
    data: { filename: "draf.pdf", document_base64: makePDF(1).toString("base64"), guest: [{ name: "Budi Tamu", email: "budi@example.test", role: "signer", number: 1 }] },
  });
  const { document_id } = ((await upload.json()) as { response: { data: { document_id: number } } }).response.data;
  const { page, frame } = await show(listed, await ask(document_id, "place"));
  await frame.locator("[data-page='1'] canvas").first().waitFor();
  await frame.locator("[data-tool=sign]:enabled").focus();
  await page.keyboard.press("Enter");
  await told(page, "saved");
  await frame.getByRole("button", { name: en.embed.done, exact: true }).click();
  await frame.getByRole("heading", { name: en.embed.placed }).waitFor();
  await told(page, "placed");
  const placed = await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/placements/${document_id}`)).json() as { data: { placements: unknown[] } };
  expect(placed.data.placements).toHaveLength(1);
  await leavesNothing(page, frame);
});

test("a page for reading offers no signature, and its outer page closes it", async () => {
  const d = await send(owner, "Nota", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }], 0);
  const { page, frame } = await show(listed, await ask(d.id, "view", d.people.get("budi@example.test")));
  await told(page, "viewed");
  expect(await frame.getByRole("button", { name: en.document.sign, exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await told(page, "closed");
  await page.locator("iframe").waitFor({ state: "detached" });
  await page.context().close();
});

test("a frame sends no cookies, not even in a page of the same site in a browser that has one", async () => {
  const d = await send(owner, "Surat", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }], 0);
  listed.html = example.replaceAll("{segel}", s.url).replaceAll("{integrity}", integrity).replaceAll("{address}", await ask(d.id, "view", d.people.get("budi@example.test")));
  const page = await s.login("siti@example.test"), sent: Promise<[string, boolean]>[] = [];
  expect((await page.context().cookies()).length).toBeGreaterThan(0);
  page.on("request", (r) => { if (r.url().startsWith(`${s.url}/v1/`)) sent.push(r.allHeaders().then((h) => [new URL(r.url()).pathname, "cookie" in h])); });
  await page.goto(listed.origin);
  await told(page, "viewed");
  await page.frames()[1]!.locator("[data-page='1'] canvas").first().waitFor(); // the file itself, behind the picture
  const all = await Promise.all(sent);
  for (const part of ["/pages/", "/preview/", "/events/"]) expect(all.filter(([p]) => p.includes(part)).length, part).toBeGreaterThan(0);
  expect(all.filter(([, cookie]) => cookie)).toEqual([]);
  await page.context().close();
});

test("Chromium shows the frame in no page of an origin that is not listed", async () => {
  const d = await send(owner, "Rahasia", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }], 0);
  const address = await ask(d.id, "sign", d.people.get("budi@example.test"));
  const { page } = await show(unlisted, address);
  await expect.poll(() => page.frames()[1]?.url()).toContain("chrome-error://");
  expect(await page.locator("#events li").count()).toBe(0);
  await page.context().close();
  const alone = await owner.context().newPage();
  await alone.goto(address);
  await alone.getByText(en.embed.alone).waitFor(); // not in a frame: the address is not used up
  await alone.close();
  const { page: right } = await show(listed, address);
  await told(right, "ready");
  await right.context().close();
});
