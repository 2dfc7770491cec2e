import { afterAll, beforeAll, test } from "vitest";
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";

import { guestLink, sealed, send, type Sent } from "./contract";
import { office, paper, stage, type Office, type Stage } from "./harness";

// Takes docs/screens anew: `make screens`.
const folder = path.resolve(import.meta.dirname, "../../docs/screens");
const satu = { name: "Siti Rahma", email: "siti@contoh.test" }, dua = { name: "Andi Wijaya", email: "andi@contoh.test" };
const budi = { name: "Budi Santoso", email: "budi@mitra.test", guest: true };

let desk: Office, s: Stage, done: Sent, open: Sent, failed: Sent, invited: Sent, file: Buffer, serial: string, link: string;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  desk = await office();
  s = await stage({ env: desk.env });
  s.user(satu.name, satu.email, "admin");
  s.user(dua.name, dua.email);
  const owner = await s.enter(satu.email);
  const sign = (id: number) => owner.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: id } });
  done = await send(owner, "Perjanjian Kerja Sama Distribusi", [satu]);
  await sign(done.id);
  file = await sealed(owner, done.id);
  serial = (await (await owner.request.get(`${s.url}/v1/admin/serials`)).json()).data.serials[0].serial;
  await owner.request.post(`${s.url}/v1/admin/reconciliation`);
  await desk.faults({ call: "docSigningZ", fault: "error", code: "83" });
  failed = await send(owner, "Sewa Ruko Jalan Merdeka 17", [satu]);
  await sign(failed.id);
  open = await send(owner, "Jual Beli Mesin Cetak", [dua, satu, budi]);
  invited = await send(owner, "Surat Kuasa Khusus", [budi], 0);
  link = await guestLink(owner, invited, budi.email);
  await owner.context().close();
});
afterAll(async () => {
  await s.close();
  await desk.close();
});

const drawn = (page: Page) => page.locator("[data-page='1'] canvas").waitFor();

/** Goes through all screens with one look, and takes a picture of each. */
async function shoot(look: string, options: BrowserContextOptions, only?: string[]): Promise<void> {
  const fixed = { ...options, timezoneId: "Asia/Jakarta", reducedMotion: "reduce" as const };
  const take = async (page: Page, name: string) => {
    if (only && !only.includes(name)) return;
    await page.waitForTimeout(400); // fonts, pictures of people; a stream of events never ends
    await page.screenshot({ path: path.join(folder, `${name}-${look}.png`), caret: "initial" });
  };
  const anybody = await (await s.browser.newContext(fixed)).newPage();
  await anybody.goto(`${s.url}/login`);
  await anybody.locator("[name=email]").waitFor();
  await take(anybody, "login");
  await anybody.goto(`${s.url}/verify?serial=${serial}`);
  await anybody.locator("[data-serial] dl").waitFor();
  await take(anybody, "serial");
  const bad = Buffer.from(file);
  bad.write("Pasal 7.", bad.indexOf("Pasal 1."), "latin1");
  for (const [name, bytes] of [["verify", file], ["tampered", bad]] as const) {
    await anybody.goto(`${s.url}/verify`);
    await anybody.setInputFiles("input[type=file]", { name: "perjanjian.pdf", mimeType: "application/pdf", buffer: bytes });
    await anybody.locator("[data-digest]").waitFor();
    await anybody.locator("main form button[type=submit]").click();
    await anybody.locator("[data-verdict]").waitFor();
    await take(anybody, name);
  }
  await anybody.goto(link);
  await drawn(anybody);
  await take(anybody, "guest");
  await anybody.goto(`${s.url}/docs#place`);
  await anybody.locator("details[open]").waitFor();
  await take(anybody, "docs");
  await anybody.context().close();

  const page = await s.enter(satu.email, fixed);
  await page.goto(`${s.url}/sent`);
  await page.locator("[data-document]").first().waitFor();
  await take(page, "sent");
  for (const [name, id] of [["document", done.id], ["failed", failed.id]] as const) {
    await page.goto(`${s.url}/document/${id}`);
    await drawn(page);
    await take(page, name);
  }
  await page.goto(`${s.url}/new`);
  await page.locator("input[type=file]").waitFor({ state: "attached" });
  await take(page, "new");
  await page.setInputFiles("input[type=file]", { name: "Perjanjian Sewa.pdf", mimeType: "application/pdf", buffer: paper(2) });
  await page.locator("form button[type=submit]").click();
  await page.waitForURL("**step=people**");
  await page.getByRole("checkbox").first().click();
  await page.getByRole("button", { name: /Add a guest|Tambah tamu/ }).click();
  await page.locator("main form input").nth(0).fill(budi.name);
  await page.locator("main form input").nth(1).fill(budi.email);
  await page.locator("main form button[type=submit]").click();
  await page.waitForSelector("[data-saved=true]");
  await take(page, "people");
  await page.getByRole("button", { name: /^(Continue|Lanjut)$/ }).click();
  await drawn(page);
  await page.locator("[data-tool=sign]").press("Enter");
  await page.locator("[data-box]").waitFor();
  await page.locator("[data-tool=emet]").press("Enter");
  await page.waitForSelector("[data-saved=true]");
  await take(page, "place");
  const draft = new URL(page.url()).searchParams.get("document");
  await page.goto(`${s.url}/new?document=${draft}&step=review`);
  await page.getByRole("table").waitFor();
  await take(page, "review");
  await page.request.delete(`${s.url}/v1/econtract/web_app/document/${draft}`);
  for (const tab of ["people", "quota", "serials", "reconciliation", "stuck", "certificates", "log"]) {
    await page.goto(`${s.url}/admin?tab=${tab}`);
    await page.getByRole("tabpanel").waitFor();
    await take(page, `admin-${tab}`);
  }
  await page.goto(`${s.url}/password`);
  await page.locator("main form").waitFor();
  await take(page, "password");
  await page.context().close();

  const signer = await s.enter(dua.email, fixed);
  await signer.locator("[data-document]").first().waitFor();
  await take(signer, "inbox");
  await signer.goto(`${s.url}/document/${open.id}/sign`);
  await drawn(signer);
  await signer.locator("section canvas[role=img]").waitFor();
  await take(signer, "sign");
  await signer.context().close();
}

const phone = { viewport: { width: 360, height: 740 } }, wide = { viewport: { width: 1280, height: 800 } };
for (const locale of ["id", "en"] as const) {
  test(`${locale}, phone`, () => shoot(`${locale}-phone`, { locale, ...phone }), 180_000);
  test(`${locale}, desk`, () => shoot(`${locale}-desk`, { locale, ...wide }), 180_000);
}
test("dark", () => shoot("id-desk-dark", { locale: "id", colorScheme: "dark", ...wide }, ["inbox", "document", "place", "verify", "admin-quota"]), 180_000);
