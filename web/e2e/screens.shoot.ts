import { afterAll, beforeAll, test } from "vitest";
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";

import { makePDF } from "./harness";
import { kept, titles, writeIndex, type Picture } from "./screens.index";
import { budi, dua, satu, scene, tiga, type Scene } from "./screens.scene";

// Takes the pictures of docs/screens: `make screens`.
const folder = path.resolve(import.meta.dirname, "../../docs/screens"), others = path.resolve(import.meta.dirname, "../../build/screens");
/** If set, only these pictures: names separated by spaces. */
const chosen = process.env.SEGEL_SCREENS?.split(" ");
let s: Scene, url: string;

beforeAll(async () => {
  for (const f of [folder, others]) mkdirSync(f, { recursive: true });
  s = await scene();
  url = s.service.url;
});
afterAll(async () => {
  await s.close();
  writeIndex(folder);
  writeIndex(others);
});

const drawn = (page: Page) => page.locator("[data-page='1'] canvas").first().waitFor();

/** One combination of language, window size and colours. */
class Look {
  constructor(readonly name: string, readonly options: BrowserContextOptions, readonly only?: Picture[]) {}

  wants = (...names: Picture[]) => names.some((n) => (this.only?.includes(n) ?? true) && (chosen?.includes(n) ?? true));
  narrow = () => this.options.viewport!.width < 992;
  fresh = async () => (await s.service.browser.newContext({ ...this.options, timezoneId: "Asia/Jakarta", reducedMotion: "reduce" })).newPage();
  enter = (email: string) => s.service.enter(email, { ...this.options, timezoneId: "Asia/Jakarta", reducedMotion: "reduce" });

  /** Takes a picture of the window, or of the whole page. */
  async take(page: Page, name: Picture, whole = false): Promise<void> {
    if (!this.wants(name)) return;
    if (whole) await page.setViewportSize({ width: this.options.viewport!.width, height: await page.evaluate(() => document.documentElement.scrollHeight) });
    const typeface = () => [...document.fonts].some((f) => f.family.includes("Plus Jakarta Sans") && f.status === "loaded");
    if (name !== "docs") await page.waitForFunction(typeface, undefined, { timeout: 20_000 }); // a guest's page loads it after the document
    await page.waitForTimeout(whole ? 1500 : 400); // wait for pages and avatars; the network is never idle because of the stream of events
    const file = `${name}-${this.name}`;
    await page.screenshot({ path: path.join(kept.has(file) ? folder : others, `${file}.png`), caret: "initial" });
    if (whole) await page.setViewportSize(this.options.viewport!);
  }
}

async function entering(look: Look): Promise<void> {
  const page = await look.fresh();
  await page.goto(`${url}/login`);
  await page.locator("[name=email]").waitFor();
  await look.take(page, "login");
  await page.fill("[name=email]", s.first.email);
  await page.fill("[name=password]", s.first.password);
  await page.click("button[type=submit]");
  await page.locator("[name=again]").waitFor();
  await look.take(page, "password-first");
  await page.goto(`${url}/docs#place`);
  await page.locator("details[open]").waitFor();
  await look.take(page, "docs");
  await page.context().close();
}

async function verifying(look: Look): Promise<void> {
  const page = await look.fresh();
  await page.goto(`${url}/verify`);
  await page.locator("input[type=file]").first().waitFor({ state: "attached" });
  await look.take(page, "verify");
  for (const [name, serial] of [["serial", s.serial], ["serial-unknown", "SPESIMEN-0000000000000"]] as const) {
    await page.goto(`${url}/verify?serial=${serial}`);
    await page.locator("[data-serial] dl, [data-serial] [role=status]").first().waitFor();
    await look.take(page, name);
  }
  for (const [name, bytes] of Object.entries(s.files)) {
    await page.goto(`${url}/verify`);
    await page.setInputFiles("input[type=file]", { name: "perjanjian.pdf", mimeType: "application/pdf", buffer: bytes });
    const digest = await page.locator("[data-digest]").textContent();
    if (name === "trusted") {
      await page.locator("main form input[type=text], main form input:not([type])").first().fill(digest!.toUpperCase());
      await page.locator("[data-same=true]").waitFor();
      await look.take(page, "verify-digest");
    }
    await page.locator("main form button[type=submit]").click();
    await page.locator("[data-verdict]").waitFor();
    await page.waitForTimeout(1500); // pages are being compared
    await look.take(page, `verify-${name}` as Picture, true);
  }
  await page.context().close();
}

/** As a guest, and as a signer. */
async function signing(look: Look): Promise<void> {
  const invited = await look.fresh();
  await invited.goto(s.stale);
  await invited.getByRole("alert").waitFor();
  await look.take(invited, "guest-invalid");
  await invited.goto("about:blank");
  await invited.goto(s.link);
  await drawn(invited);
  await look.take(invited, "guest");
  const sheet = async (page: Page, which: "last" | "first") => { if (look.narrow()) await page.locator("main section button")[which]().click(); };
  if (look.narrow()) {
    await sheet(invited, "last");
    await invited.locator("canvas[role=img]").waitFor();
    await look.take(invited, "guest-sheet");
  }
  await invited.context().close();

  const page = await look.enter(dua.email);
  await page.locator("[data-document]").first().waitFor();
  await look.take(page, "inbox");
  await page.goto(`${url}/document/${s.open.id}/sign`);
  await drawn(page);
  await look.take(page, "sign");
  await sheet(page, "last");
  await page.locator("canvas[role=img]").waitFor();
  await scribble(page);
  await look.take(page, "sign-draw");
  for (const [n, name] of [[1, "sign-type"], [2, "sign-upload"]] as const) {
    await page.locator(".mantine-SegmentedControl-label").nth(n).click();
    await look.take(page, name);
  }
  await page.getByRole("button", { name: /^(Decline|Tolak)$/ }).last().click();
  await page.locator("textarea").first().waitFor();
  await look.take(page, "sign-decline");
  if (look.wants("sign-done")) {
    await page.goto(`${url}/inbox`);
    const next = page.locator("[data-document]").filter({ hasText: "Berita Acara" }).first();
    const id = await next.getAttribute("data-document");
    await page.request.post(`${url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: Number(id) } });
    await page.goto(`${url}/document/${id}/sign`);
    await drawn(page);
    await page.getByRole("heading", { name: /^(You have signed|Anda telah menandatangani)$/ }).waitFor();
    await look.take(page, "sign-done");
  }
  await page.context().close();
}

async function scribble(page: Page): Promise<void> {
  await page.waitForTimeout(300);
  const r = (await page.locator("canvas[role=img]").boundingBox())!;
  await page.mouse.move(r.x + 40, r.y + 110);
  await page.mouse.down();
  for (const [x, y] of [[62, 38], [80, 120], [104, 50], [120, 96], [150, 70], [168, 104], [205, 64], [262, 92]] as const) await page.mouse.move(r.x + x, r.y + y, { steps: 6 });
  await page.mouse.up();
}

/** As the owner and admin. */
async function owning(look: Look): Promise<void> {
  const page = await look.enter(satu.email);
  const hooks = (await (await page.request.get(`${url}/v1/admin/webhooks`)).json()).data.webhooks as unknown[];
  if (look.wants("admin-webhooks") && hooks.length === 0) await page.request.post(`${url}/v1/admin/webhooks`, { data: { url: "https://arsip.contoh.test/segel", description: "Arsip", types: ["document.completed"] } });
  await page.goto(`${url}/sent`);
  await page.locator("[data-document]").first().waitFor();
  await look.take(page, "sent");
  await page.goto(`${url}/templates`);
  await page.locator("[data-template]").waitFor();
  await look.take(page, "templates");
  for (const [name, id] of [["document", s.done.id], ["document-open", s.open.id], ["document-waiting", s.waiting.id], ["declined", s.declined.id], ["failed", s.failed.id]] as const) {
    await page.goto(`${url}/document/${id}`);
    await drawn(page);
    await look.take(page, name);
  }
  await page.getByRole("button", { name: /More actions|Tindakan lain/ }).click();
  await page.getByRole("menuitem").nth(1).click();
  await page.getByRole("dialog").waitFor();
  await look.take(page, "failed-restamp");
  await authoring(look, page);
  for (const tab of ["people", "quota", "serials", "reconciliation", "stuck", "certificates", "consent", "webhooks", "log"] as const) {
    await page.goto(`${url}/admin?tab=${tab}`);
    await page.getByRole("tabpanel").waitFor();
    await look.take(page, `admin-${tab}`);
  }
  await page.goto(`${url}/password`);
  await page.locator("main form").waitFor();
  await look.take(page, "password");
  await page.context().close();
}

async function authoring(look: Look, page: Page): Promise<void> {
  await page.goto(`${url}/new`);
  await page.locator("input[type=file]").waitFor({ state: "attached" });
  await look.take(page, "new");
  await page.setInputFiles("input[type=file]", { name: "Perjanjian Sewa.pdf", mimeType: "application/pdf", buffer: makePDF(2) });
  await page.locator("form button[type=submit]").click();
  await page.waitForURL("**step=people**");
  await page.getByRole("checkbox").first().click();
  await page.getByRole("button", { name: /Add a guest|Tambah tamu/ }).click();
  await page.locator("main form input").nth(0).fill(budi.name);
  await page.locator("main form input").nth(1).fill(budi.email);
  await page.locator("main form button[type=submit]").click();
  await page.waitForSelector("[data-saved=true]");
  await look.take(page, "people");
  await page.getByRole("button", { name: /^(Continue|Lanjut)$/ }).click();
  await drawn(page);
  await page.locator("[data-tool=sign]").press("Enter");
  await page.locator("[data-box]").waitFor();
  await page.locator("[data-tool=emet]").press("Enter");
  await page.waitForSelector("[data-saved=true]");
  await look.take(page, "place");
  const draft = new URL(page.url()).searchParams.get("document");
  await page.goto(`${url}/new?document=${draft}&step=review`);
  await page.getByRole("table").waitFor();
  await look.take(page, "review");
  await page.request.delete(`${url}/v1/econtract/web_app/document/${draft}`);
}

/** The empty states of a list. */
async function lists(look: Look): Promise<void> {
  if (!look.wants("inbox-empty", "inbox-nothing", "inbox-loading", "inbox-error")) return;
  const page = await look.enter(tiga.email);
  await page.locator("main a[href*=new]").last().waitFor();
  await look.take(page, "inbox-empty");
  await page.goto(`${url}/inbox?search=sewa+gudang`);
  await page.locator("main button").last().waitFor();
  await look.take(page, "inbox-nothing");
  await page.route("**/document/data?*", () => undefined); // never answered
  await page.goto(`${url}/inbox`);
  await page.locator("main [role=status][aria-label]").first().waitFor();
  await look.take(page, "inbox-loading");
  await page.unroute("**/document/data?*");
  await page.route("**/document/data?*", (r) => r.fulfill({ status: 500, json: {} }));
  await page.goto(`${url}/inbox`);
  await page.getByRole("alert").waitFor({ timeout: 60_000 });
  await look.take(page, "inbox-error");
  await page.context().close();
}

async function shoot(look: Look): Promise<void> {
  const within = (what: RegExp) => look.wants(...(Object.keys(titles) as Picture[]).filter((n) => what.test(n)));
  if (within(/^(login|password-first|docs)$/)) await entering(look);
  if (within(/^(verify|serial)/)) await verifying(look);
  if (within(/^(guest|sign|inbox$)/)) await signing(look);
  if (within(/^(sent|templates|document|declined|failed|new|people|place|review|admin|password$)/)) await owning(look);
  await lists(look);
}

const phone = { viewport: { width: 360, height: 740 } }, wide = { viewport: { width: 1280, height: 800 } };
for (const locale of ["id", "en"] as const) {
  test(`${locale}, phone`, () => shoot(new Look(`${locale}-phone`, { locale, ...phone })), 300_000);
  test(`${locale}, desk`, () => shoot(new Look(`${locale}-desk`, { locale, ...wide })), 300_000);
}
const dark: Picture[] = ["inbox", "document", "place", "admin-quota", "verify-trusted", "verify-tampered", "sign", "sign-draw", "document-waiting"];
test("dark, desk", () => shoot(new Look("id-desk-dark", { locale: "id", colorScheme: "dark", ...wide }, dark)), 300_000);
test("dark, phone", () => shoot(new Look("id-phone-dark", { locale: "id", colorScheme: "dark", ...phone }, dark)), 300_000);
