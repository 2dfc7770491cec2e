import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import en from "../src/text/en.json";
import id from "../src/text/id.json";
import { checker, type Check } from "./axe";
import { guestLink, sealed, send, type Sent } from "./contract";
import { office, paper, stage, type Office, type Stage } from "./harness";

const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" }, tiga = { name: "Anggota Tiga", email: "m@example.test" };
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };

let desk: Office, s: Stage;
let done: Sent, open: Sent, failed: Sent, ended: Sent, waits: Sent, invited: Sent, file: Buffer, serial: string, link: string;

beforeAll(async () => {
  desk = await office();
  s = await stage({ env: desk.env });
  s.user(satu.name, satu.email, "admin");
  s.user(dua.name, dua.email);
  s.user(tiga.name, tiga.email);
  const owner = await s.enter(satu.email);
  const sign = (one: Sent) => owner.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: one.id } });
  done = await send(owner, "Perjanjian Kerja", [satu]);
  await sign(done);
  file = await sealed(owner, done.id);
  serial = (await (await owner.request.get(`${s.url}/v1/admin/serials`)).json()).data.serials[0].serial;
  await owner.request.post(`${s.url}/v1/admin/reconciliation`);
  await desk.faults({ call: "docSigningZ", fault: "error", code: "83" });
  failed = await send(owner, "Sewa Gudang", [satu]);
  await sign(failed);
  open = await send(owner, "Perjanjian Sewa Ruko", [dua, satu, budi]);
  await send(owner, "Surat Pernyataan", [satu, dua]);
  ended = await send(owner, "Sewa yang Batal", [budi], 0);
  await owner.request.post(`${s.url}/v1/econtract/web/sign/cancel-docs`, { data: { document_id: ended.id } });
  waits = await send(owner, "Sewa yang Menunggu", [satu, dua], 0);
  invited = await send(owner, "Surat Kuasa Khusus", [budi], 0);
  link = await guestLink(owner, invited, budi.email);
  await owner.goto(`${s.url}/document/${failed.id}`);
  await owner.getByText(en.state.failed, { exact: true }).waitFor({ timeout: 30_000 });
  await owner.context().close();
});
afterAll(async () => {
  await s.close();
  await desk.close();
});

/** Visits some screens in one language and checks each state. */
type Walk = (page: Page, check: Check, w: typeof en) => Promise<void>;

const firstPage = (page: Page) => page.locator("[data-page='1'] canvas").waitFor();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const anybody: Walk = async (page, check, w) => {
  await page.goto(`${s.url}/login`);
  await button(page, w.login.submit).waitFor();
  await check("login");
  await page.getByRole("button", { name: w.app.language }).click();
  await page.getByRole("menuitem").first().waitFor();
  await check("login, languages");
  await page.keyboard.press("Escape");
  await button(page, w.login.submit).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("login, incomplete");
  await page.fill("[name=email]", satu.email);
  await page.fill("[name=password]", "salah sekali");
  await button(page, w.login.submit).click();
  await page.getByRole("alert").waitFor();
  await check("login, refused");
  await page.goto(`${s.url}/tidak-ada`);
  await page.getByRole("heading").waitFor();
  await check("no such page");
  await page.goto(`${s.url}/verify`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await check("verify, no file");
  await page.goto(`${s.url}/verify?serial=${serial}`);
  await page.locator("[data-serial] dl").waitFor();
  await check("verify, serial");
  for (const [what, bytes] of [["good", file], ["tampered", tampered(file)]] as const) {
    await page.setInputFiles("input[type=file]", { name: `${what}.pdf`, mimeType: "application/pdf", buffer: bytes });
    await page.locator("[data-digest]").waitFor();
    await page.locator("main form button[type=submit]").click();
    await page.locator("[data-verdict]").waitFor();
    await page.locator("[data-signature] button[aria-expanded]").first().click();
    await check(`verify, ${what}`);
  }
  await page.goto(`${s.url}/guest`);
  await page.getByText(w.guest.noLink).waitFor();
  await check("guest without a link");
  await page.goto("about:blank"); // the link differs only by its fragment
  await page.goto(link);
  await firstPage(page);
  await check("guest");
  await page.goto(`${s.url}/docs#place`);
  await page.locator("details[open] button").waitFor();
  await check("interface");
};

const lists: Walk = async (page, check, w) => {
  await page.goto(`${s.url}/sent`);
  await page.locator("[data-document]").first().waitFor();
  await check("sent");
  const drag = (type: string) => page.evaluate((t) => {
    const data = new DataTransfer();
    data.items.add(new File(["%PDF"], "Kontrak.pdf", { type: "application/pdf" }));
    window.dispatchEvent(new DragEvent(t, { dataTransfer: data, cancelable: true }));
  }, type);
  await drag("dragover");
  await page.getByText(w.list.drop).waitFor();
  await check("sent, a file over it");
  await drag("dragleave");
  await page.getByRole("button", { name: w.app.account }).click();
  await page.getByRole("menuitem").first().waitFor();
  await check("sent, account");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: w.list.period }).click();
  await page.getByRole("option").first().waitFor();
  await check("sent, periods");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 360, height: 800 });
  await button(page, w.app.menu).click();
  await page.getByRole("link", { name: w.nav.verify }).waitFor();
  await check("sent, menu");

  await page.goto(`${s.url}/password`);
  await button(page, w.password.submit).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("password, incomplete");
};

const documents: Walk = async (page, check, w) => {
  const more = async () => {
    await button(page, w.document.more).click();
    await page.getByRole("menuitem").first().waitFor();
  };
  await page.goto(`${s.url}/document/${done.id}`);
  await firstPage(page);
  await page.getByRole("button", { name: w.document.trail }).click();
  await check("document, completed");
  await page.goto(`${s.url}/document/${open.id}`);
  await firstPage(page);
  // The walk in the other language may have created the link before.
  const make = button(page, w.document.makeLink), replace = button(page, w.document.replaceLink);
  await make.or(replace).click();
  await button(page, w.copy).or(page.getByRole("dialog")).first().waitFor();
  if (await page.getByRole("dialog").count() === 0) await replace.click();
  await page.getByRole("dialog").waitFor();
  await check("document, a link is replaced");
  await page.getByRole("dialog").getByRole("button", { name: w.document.replaceLink }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await button(page, w.copy).waitFor();
  await more();
  await check("document, in progress");
  await page.getByRole("menuitem", { name: w.document.cancel }).click();
  await page.getByRole("dialog").waitFor();
  await check("document, cancel");
  await page.goto(`${s.url}/document/${ended.id}`);
  await firstPage(page);
  await button(page, w.document.correct).waitFor();
  await check("document, canceled");
  await page.goto(`${s.url}/document/${failed.id}`);
  await firstPage(page);
  await more();
  await check("document, failed");
  await page.getByRole("menuitem", { name: w.document.newSerial }).click();
  await page.getByRole("dialog").waitFor();
  await check("document, new serial");
};

const signer: Walk = async (page, check, w) => {
  await page.goto(`${s.url}/inbox`);
  await page.locator("[data-document]").first().waitFor();
  await check("inbox");
  await page.goto(`${s.url}/inbox?search=tidak-ada`);
  await button(page, w.list.clear).waitFor();
  await check("inbox, nothing found");
  await page.goto(`${s.url}/document/${waits.id}/sign`);
  await firstPage(page);
  await page.getByRole("heading", { name: w.sign.notYourTurn }).waitFor();
  await check("sign, not the turn");
  await page.goto(`${s.url}/document/${open.id}/sign`);
  await firstPage(page);
  await page.locator("section canvas[role=img]").waitFor();
  await check("sign, drawn");
  await page.locator("label").filter({ hasText: new RegExp(`^${w.sign.type}$`) }).click();
  await page.getByRole("img", { name: w.sign.preview }).waitFor();
  await check("sign, typed");
  await page.locator("label").filter({ hasText: new RegExp(`^${w.sign.upload}$`) }).click();
  await button(page, w.sign.choose).waitFor();
  await check("sign, a picture");
  await button(page, w.sign.decline).click();
  await button(page, w.sign.back).waitFor();
  await button(page, w.sign.decline).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await check("sign, declining");
};

const member: Walk = async (page, check, w) => {
  await page.goto(`${s.url}/inbox`);
  await page.getByText(w.list.empty).waitFor();
  await check("inbox, empty");
  await page.route("**/document/out?**", (route) => route.abort());
  await page.goto(`${s.url}/sent`);
  await button(page, w.problem.retry).waitFor();
  await check("sent, in trouble");
  await page.unroute("**/document/out?**");
  await page.route("**/document/out?**", () => undefined); // never answered
  await page.reload();
  await page.getByRole("status", { name: w.loading }).waitFor();
  await check("sent, loading");
};

const author: Walk = async (page, check, w) => {
  const saved = () => page.waitForSelector("[data-saved=true]");
  const next = () => button(page, w.new.next).click();
  await page.goto(`${s.url}/new`);
  await button(page, w.new.choose).waitFor();
  await check("new, no file");
  await page.setInputFiles("input[type=file]", { name: "gambar.pdf", mimeType: "application/pdf", buffer: Buffer.from("GIF89a no contract") });
  await button(page, w.new.upload).click();
  await page.getByRole("alert").first().waitFor();
  await check("new, a file that is refused");
  await page.setInputFiles("input[type=file]", { name: "Perjanjian Sewa.pdf", mimeType: "application/pdf", buffer: paper(3) });
  await button(page, w.new.upload).click();
  await page.waitForURL("**step=people**");
  await page.getByText(w.new.nobody).waitFor();
  await check("new, nobody");
  await page.getByRole("combobox", { name: w.new.member }).click();
  await page.getByRole("option").first().waitFor();
  await check("new, members");
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox", { name: w.new.meToo }).click();
  await button(page, w.new.addGuest).click();
  await button(page, w.new.add).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("new, a guest without a name");
  await page.getByRole("textbox", { name: w.new.guestName, exact: true }).fill("Budi Tamu yang Namanya Panjang Sekali");
  await page.getByRole("textbox", { name: w.login.email }).fill("budi.tamu.yang.alamatnya.panjang@contoh.example.test");
  await button(page, w.new.add).click();
  await saved();
  await check("new, people");
  await next();
  await firstPage(page);
  await check("new, nothing placed");
  await page.locator("[data-tool=sign]").click();
  await check("new, a tool in hand");
  await button(page, w.place.here.replace("{{page}}", "1")).click();
  await page.locator("[data-box]").waitFor();
  await page.locator("[data-box]").press("Escape");
  await page.locator("[data-tool=emet]").click();
  await page.locator("[class*=sheet]").first().click({ position: { x: 200, y: 120 } });
  await page.locator("[data-kind=emet]").waitFor();
  await saved();
  await check("new, a box chosen");
  await page.getByRole("combobox", { name: w.place.for }).last().click();
  await page.getByRole("option").first().waitFor();
  await check("new, whose box");
  await page.keyboard.press("Escape");
  await next();
  await page.getByRole("table").waitFor();
  await check("new, review");
  await page.getByRole("navigation", { name: w.new.steps }).getByRole("link").first().click();
  await page.getByRole("textbox", { name: w.new.name }).waitFor();
  await check("new, the file again");
  await page.getByRole("textbox", { name: w.new.name }).fill("");
  await page.locator("[aria-invalid=true]").waitFor();
  await check("new, without a title");
  await page.getByRole("link", { name: w.new.another }).click();
  await page.getByText(w.new.instead).waitFor();
  await check("new, another file");
};

const administrator: Walk = async (page, check, w) => {
  for (const tab of ["quota", "serials", "reconciliation", "stuck", "certificates", "log"] as const) {
    await page.goto(`${s.url}/admin?tab=${tab}`);
    await page.getByRole("tab", { name: w.admin[tab], selected: true }).waitFor();
    await page.waitForLoadState("networkidle");
    await check(`admin, ${tab}`);
  }
  await page.goto(`${s.url}/admin?tab=serials&only=quarantined`);
  await page.getByText(w.admin.noSerials).waitFor();
  await check("admin, no serials");
  await page.goto(`${s.url}/admin?tab=quota`);
  await button(page, w.admin.doGrant).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("admin, a grant without a reason");
  await page.goto(`${s.url}/admin`);
  await button(page, w.admin.addPerson).click();
  await button(page, w.new.add).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("admin, a person without a name");
  await page.getByRole("textbox", { name: w.new.guestName, exact: true }).fill("Orang Baru");
  await page.getByRole("textbox", { name: w.login.email }).fill(`baru-${w.nav.sent}@example.test`.toLowerCase());
  await button(page, w.new.add).click();
  await page.locator("[data-first-password]").waitFor();
  await check("admin, people");
};

const walks: [string, string | undefined, Walk][] = [
  ["a new document", satu.email, author], ["lists", satu.email, lists], ["documents", satu.email, documents], ["administration", satu.email, administrator],
  ["what anybody sees", undefined, anybody], ["signing", dua.email, signer], ["lists without documents", tiga.email, member],
];

for (const [what, email, walk] of walks) for (const [language, words] of [["id", id], ["en", en]] as const) {
  test.concurrent(`axe finds nothing wrong, light and dark, on a phone and on a desk: ${what}, ${language}`, async () => {
    const page = email ? await s.enter(email, { locale: language }) : await (await s.browser.newContext({ locale: language })).newPage();
    const wrong: string[] = [];
    await walk(page, checker(page, wrong, language), words);
    expect(wrong).toEqual([]);
    await page.context().close();
  }, 180_000);
}

function tampered(good: Buffer): Buffer {
  const bad = Buffer.from(good);
  bad.write("Pasal 7.", bad.indexOf("Pasal 1."), "latin1");
  return bad;
}
