import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { tabs } from "../src/screens/admin/flow";
import { en, id } from "./texts";
import { checker, type Check } from "./axe";
import { guestLink, sealed, send, type Sent } from "./contract";
import { complete, mailbox, office, makePDF, password, stage, type Mailbox, type Office, type Stage } from "./harness";

const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" }, tiga = { name: "Anggota Tiga", email: "m@example.test" };
/** Has no documents either: walks in both languages run at once, and each makes a draft of its owner. */
const empat = { name: "Anggota Empat", email: "m4@example.test" };
const periksa = { name: "Pemeriksa Lima", email: "a@example.test" };
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };

let desk: Office, s: Stage;
/** A service with a mail server: guests get codes there. */
let box: Mailbox, mailing: Stage;
let done: Sent, open: Sent, failed: Sent, ended: Sent, waits: Sent, invited: Sent, file: Buffer, serial: string, link: string;

beforeAll(async () => {
  desk = await office();
  s = await stage({ env: { ...desk.env, SEGEL_OUTBOUND_PRIVATE: "127.0.0.0/8", SEGEL_ORGANISATION_PRIVATE_NETWORKS: "127.0.0.0/8" } });
  s.user(satu.name, satu.email, "admin");
  s.user(dua.name, dua.email);
  s.user(tiga.name, tiga.email);
  s.user(empat.name, empat.email);
  s.user(periksa.name, periksa.email, "auditor");
  const owner = await s.login(satu.email);
  await owner.request.put(`${s.url}/v1/admin/branding`, { data: { colour: "#5b2a86" } });
  await owner.request.post(`${s.url}/v1/admin/labels`, { data: { name: "Sewa", colour: "yellow" } });
  await owner.request.put(`${s.url}/v1/econtract/web_app/document/folders`, { data: { name: "Kantor Bandung" } });
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
  await owner.getByText(en.state.failed, { exact: true }).waitFor();
  await owner.context().close();
  box = await mailbox();
  mailing = await stage({ env: box.env });
  mailing.user(satu.name, satu.email, "admin");
});
afterAll(async () => {
  await mailing.close();
  await box.close();
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
  await page.goto(`${s.url}/verify?document=1207`);
  await page.getByText(w.verify.scannedHint).waitFor();
  await check("verify, a scanned code");
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
  const owner = await s.login(satu.email), former = await guestLink(owner, await send(owner, `Tautan Lama ${w.nav.sent}`, [budi], 0), budi.email);
  const { id: replaced, people } = await send(owner, `Tautan Baru ${w.nav.sent}`, [budi], 0);
  const stale = await guestLink(owner, { id: replaced, people }, budi.email);
  await guestLink(owner, { id: replaced, people }, budi.email);
  await owner.context().close();
  await page.goto("about:blank");
  await page.goto(stale);
  await page.getByRole("alert").waitFor();
  await check("guest, a link that was replaced");
  await page.goto("about:blank");
  await page.goto(former);
  await firstPage(page);
  await page.getByText(w.consent.read, { exact: true }).first().click();
  await check("guest, the consent text");
  await page.goto(`${s.url}/docs#place`);
  await page.locator("details[open] button").waitFor();
  await check("interface");
};

/** What a guest is asked, and what they read after they answered. */
const answering: Walk = async (page, check, w) => {
  const owner = await s.login(satu.email), language = w.nav.sent;
  const open = async (of: Stage, by: Page, one: Sent, email = budi.email) => {
    await page.goto("about:blank");
    await page.goto(await guestLink(by, one, email));
    await page.getByRole("heading", { level: 1 }).waitFor();
    if (of === s) await firstPage(page);
  };
  const asked = () => page.getByRole("region", { name: w.sign.asked });
  const state = () => page.getByRole("region", { name: w.steps.title });
  const agree = async () => {
    await page.getByRole("checkbox", { name: w.sign.haveRead }).check();
    await page.waitForFunction(() => [...document.querySelectorAll("button")].some((b) => !b.disabled && b.getAttribute("aria-describedby")));
  };
  await open(s, owner, await send(owner, `Dialihkan ${language}`, [budi], 0, undefined, 1, { delegation: 1 }));
  await button(page, w.sign.delegate).click();
  await page.getByRole("textbox", { name: w.new.guestName }).fill("Agus Salim");
  await page.getByRole("textbox", { name: w.login.email }).fill("tanpa-alamat");
  await button(page, w.sign.delegateDo).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await check("sign, passing it on");
  await page.getByRole("textbox", { name: w.login.email }).fill("agus@example.test");
  await button(page, w.sign.delegateDo).click();
  await state().getByRole("heading", { name: w.sign.delegated.replace("{{name}}", "Agus Salim") }).waitFor();
  await check("sign, passed on");

  await open(s, owner, await send(owner, `Ditandatangani ${language}`, [budi, dua], 0, undefined, 1));
  await agree();
  await asked().getByRole("button", { name: w.document.sign, exact: true }).click();
  await state().getByRole("heading", { name: w.sign.signed }).waitFor();
  await check("sign, signed");

  await open(s, owner, await send(owner, `Ditolak ${language}`, [dua, budi], 0));
  await state().getByRole("button", { name: w.sign.decline }).click();
  await state().getByRole("button", { name: w.sign.decline }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await check("sign, declining before the turn");
  await page.getByRole("textbox", { name: w.document.reason }).fill("Harga belum sesuai.");
  await state().getByRole("button", { name: w.sign.decline }).click();
  await state().getByRole("heading", { name: w.sign.declined }).waitFor();
  await check("sign, declined");

  // Approvers, and a group of whom any one acts.
  await open(s, owner, await send(owner, `Disetujui ${language}`, [{ ...budi, role: "approver", group: 1 }, { ...dua, role: "approver", group: 1 }, satu], 0));
  await asked().getByText(w.sign.approval).waitFor();
  await check("approve, one of a group");
  await asked().getByRole("button", { name: w.sign.decline }).click();
  await page.getByText(w.sign.declineGroup).waitFor();
  await check("approve, declining for a group");
  await button(page, w.sign.back).click();
  await agree();
  await asked().getByRole("button", { name: w.document.approve, exact: true }).click();
  await state().getByRole("heading", { name: w.sign.approved }).waitFor();
  await check("approve, approved");
  const shared = await send(owner, `Kelompok ${language}`, [{ ...budi, group: 1 }, { ...satu, group: 1 }, dua], 0);
  await owner.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: shared.id } });
  await open(s, owner, shared);
  await state().getByRole("heading", { name: w.sign.actedFor.replace("{{name}}", satu.name) }).waitFor();
  await check("sign, another of the group signed");
  await owner.context().close();

  // A code from the mailbox, before reading and before signing.
  const sender = await mailing.login(satu.email), mail = `budi-${language}@example.test`.toLowerCase(), guest = { ...budi, email: mail };
  const coded = (title: string, guest_code: string) => send(sender, `${title} ${language}`, [guest], 0, undefined, 0, { guest_code });
  await open(mailing, sender, await coded("Dibaca dengan Kode", "read"), mail);
  await button(page, w.code.send).waitFor();
  await check("guest, a code before reading");
  await button(page, w.code.send).click();
  await page.getByRole("textbox", { name: w.code.label }).fill("000000");
  await button(page, w.code.confirm).click();
  await page.getByRole("alert").waitFor();
  await check("guest, a wrong code");
  await open(mailing, sender, await coded("Ditandatangani dengan Kode", "sign"), mail);
  await firstPage(page);
  await button(page, w.code.send).waitFor();
  await check("sign, a code before signing");
  await sender.context().close();
};

/** Closes a dialog with Escape. The focus returns to the button that opened it. */
async function closeDialog(page: Page, opener: string) {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => button(page, opener).evaluate((b) => b === document.activeElement)).toBe(true);
}

const lists: Walk = async (page, check, w) => {
  await page.goto(`${s.url}/sent`);
  await page.locator("[data-document]").first().waitFor();
  await check("sent");
  await page.getByRole("checkbox", { name: w.list.selectPage }).check();
  await page.getByRole("region", { name: w.list.selection }).waitFor();
  await check("sent, selected");
  await button(page, w.list.cancelMany).click();
  await page.getByRole("dialog").waitFor();
  await check("sent, canceling several");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await button(page, w.list.remindMany).click();
  await page.getByRole("dialog").waitFor();
  await check("sent, reminding of several");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  for (const name of [w.filing.setLabels, w.filing.setFolder]) {
    await button(page, name).click();
    await page.getByRole("dialog").getByRole(name === w.filing.setFolder ? "radio" : "checkbox").first().waitFor();
    await check(`sent, ${name === w.filing.setFolder ? "folder" : "labels"} of several`);
    await closeDialog(page, name);
  }
  await button(page, w.filing.folders).click();
  await page.getByRole("dialog").getByRole("textbox").first().waitFor();
  await check("sent, folders");
  await closeDialog(page, w.filing.folders);
  await button(page, w.list.clearSelection).click();
  await page.context().setOffline(true);
  await page.locator("[data-line]").waitFor();
  await check("sent, offline");
  await page.context().setOffline(false);
  await page.locator("[data-line]").waitFor({ state: "detached" });
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
  await page.goto(`${s.url}/document/${invited.id}`);
  await firstPage(page);
  await page.getByRole("list", { name: w.document.messages }).first().waitFor();
  await button(page, w.document.correctGuest).click();
  await page.getByRole("dialog").getByRole("textbox", { name: w.login.email }).fill("tanpa-alamat");
  await page.getByRole("dialog").getByRole("button", { name: w.document.correctGuestSave }).click();
  await page.getByRole("dialog").locator("[aria-invalid=true]").waitFor();
  await check("document, a guest is corrected");
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
  await page.locator(`input[aria-label="${w.list.person}"]`).click();
  await page.getByRole("option").first().waitFor();
  await check("inbox, people");
  await page.keyboard.press("Escape");
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

const several: Walk = async (page, check, w) => {
  const agree = (text: string) => page.getByRole("checkbox", { name: text });
  await page.goto(`${s.url}/sign-many`);
  await page.locator("li[data-document]").first().waitFor();
  await page.locator("section canvas[role=img]").waitFor();
  await check("several, the list");
  await page.getByRole("link", { name: w.many.readEach }).click();
  await agree(w.many.readerConsent).check();
  await page.locator("[data-ready=true]").waitFor();
  await check("several, reading");
  await button(page, w.many.keys).click();
  await page.getByRole("dialog").waitFor();
  await check("several, keys");
  await page.getByRole("dialog").getByRole("button", { name: w.close }).click();
  await page.getByRole("link", { name: w.many.toList }).click();
  const consent = page.locator("section input[type=checkbox]:not([data-consent] input)").last();
  // Neither language's walk signs: the other one needs the documents too.
  const sign = page.locator("section button[data-size=md]");
  let answer = (_: object) => Promise.resolve();
  await page.route("**/sign-many-docs", async (route) => {
    const { documents } = route.request().postDataJSON() as { documents: { document_id: number }[] };
    await new Promise<void>((go) => {
      answer = async (refusal) => {
        await route.fulfill({ contentType: "application/json", body: JSON.stringify({ code: 200, success: true, msg: "", response: { data: { consent: { documents: documents.length, digest: "" }, results: documents.map((d, i) => (i === 0 ? { document_id: d.document_id, code: 409, success: false, msg: w.sign.notYourTurn, error: refusal } : { document_id: d.document_id, code: 200, success: true, msg: "" })) } } }) });
        go();
      };
    });
  });
  await consent.check();
  await sign.click();
  await page.getByRole("progressbar").waitFor({ state: "attached" });
  await check("several, signing");
  await answer({ code: "document.revision_changed", request_id: "", retryable: false, fields: [] });
  await page.locator("[data-results]").waitFor();
  await check("several, results");
  await page.goto(`${s.url}/sign-many?ids=999999`);
  await page.getByText(w.many.noneOfThese).waitFor();
  await check("several, none");
};

const member: Walk = async (page, check, w) => {
  await page.goto(`${s.url}/inbox`);
  await page.getByText(w.list.empty).waitFor();
  await check("inbox, empty");
  await page.goto(`${s.url}/drafts`);
  await page.getByText(w.list.noDrafts).waitFor();
  await check("drafts, empty");
  const kept = await (await page.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, { data: { document_title: "Draf Perjanjian", filename: "draf.pdf", document_base64: makePDF(1).toString("base64"), signer: [], guest: [] } })).json();
  await page.reload();
  await page.getByRole("button", { name: w.document.remove }).click();
  await page.getByRole("dialog").waitFor();
  await check("drafts, deleting one");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await check("drafts");
  expect((await page.request.delete(`${s.url}/v1/econtract/web_app/document/${kept.response.data.document_id}`)).status()).toBe(200);
  await page.route("**/document/out?**", (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(`${s.url}/sent`);
  await button(page, w.problem.retry).waitFor();
  await check("sent, in trouble");
  await page.unroute("**/document/out?**");
  await page.route("**/document/out?**", () => undefined); // never answered
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor(); // before it, the screen itself is loading
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
  await page.setInputFiles("input[type=file]", { name: "Perjanjian Sewa.pdf", mimeType: "application/pdf", buffer: makePDF(3) });
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
  await page.getByRole("combobox", { name: w.new.guestName, exact: true }).fill("Budi Tamu yang Namanya Panjang Sekali");
  await page.getByRole("textbox", { name: w.login.email }).fill("budi.tamu.yang.alamatnya.panjang@contoh.example.test");
  await button(page, w.new.add).click();
  await saved();
  await check("new, people");
  await next();
  await firstPage(page);
  await check("new, nothing placed");
  await button(page, w.place.forAll).click();
  await page.getByRole("dialog").waitFor();
  await check("new, boxes for all signers");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
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
  await page.getByRole("combobox", { name: w.new.guestCode }).click();
  await page.getByRole("option").first().waitFor();
  await check("new, how people are reached");
  await page.keyboard.press("Escape");
  await button(page, w.new.previewAs).click();
  await page.getByRole("region", { name: w.new.previewAs }).locator("[data-page='1'] canvas").waitFor();
  await check("new, preview as a signer");
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

/** What goes wrong while boxes are placed. */
const editing: Walk = async (page, check, w) => {
  const saved = () => page.waitForSelector("[data-saved=true]");
  await page.goto(`${s.url}/new`);
  await page.setInputFiles("input[type=file]", { name: "Perjanjian Sewa.pdf", mimeType: "application/pdf", buffer: makePDF(3) });
  await button(page, w.new.upload).click();
  await page.waitForURL("**step=people**");
  await page.getByRole("checkbox", { name: w.new.meToo }).click();
  await saved();
  await button(page, w.new.next).click();
  await firstPage(page);
  for (const kind of ["sign", "emet"]) {
    await page.locator(`[data-tool=${kind}]`).focus();
    await page.keyboard.press("Enter");
    await page.locator(`[data-kind=${kind}]`).waitFor();
  }
  await saved();
  await button(page, w.place.copy).click();
  await page.getByRole("dialog").waitFor();
  await check("new, copying a stamp asks");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator("[data-kind=sign]").focus();
  for (const [field, value] of [[w.place.left, "0"], [w.place.bottom, "0"], [w.place.width, "590"], [w.place.height, "800"]] as const) {
    await page.getByRole("textbox", { name: field }).fill(value);
    await page.getByRole("textbox", { name: field }).blur();
  }
  await page.locator("[data-refused]").waitFor();
  await check("new, a box that is refused");
  const document_id = Number(new URL(page.url()).searchParams.get("document"));
  await page.request.post(`${s.url}/v1/econtract/web/sign/placement-docs`, { data: { document_id, signers: [] } }); // as another window does
  await button(page, w.place.undo).click();
  await button(page, w.place.undo).click();
  await page.locator("[data-conflict]").waitFor();
  await check("new, another window was faster");
  await button(page, w.conflict.keep).click();
  await saved();
  await page.context().clearCookies();
  await page.getByRole("link", { name: w.nav.sent }).click();
  await page.locator("[data-session-ended]").waitFor();
  await check("the login has ended");
};

const administrator: Walk = async (page, check, w) => {
  for (const tab of tabs.filter((_, n) => complete || n % 2 === 0)) {
    await page.goto(`${s.url}/admin?tab=${tab}`);
    await page.getByRole("tab", { name: w.admin[tab], selected: true }).waitFor();
    await page.waitForLoadState("networkidle");
    await check(`admin, ${tab}`);
  }
  await page.goto(`${s.url}/admin?tab=serials&only=quarantined`);
  await button(page, w.list.clear).waitFor();
  await check("admin, no serials found");
  await page.goto(`${s.url}/admin?tab=log&person=${satu.email}&from=2024-01-01`);
  await page.getByRole("listitem").first().waitFor();
  await check("admin, log of a person");
  await page.goto(`${s.url}/admin?tab=quota`);
  await button(page, w.admin.doGrant).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("admin, a grant without a reason");
};

/** What administrators set and read. */
const settings: Walk = async (page, check, w) => {
  await page.goto(`${s.url}/admin?tab=mail`);
  await button(page, w.admin.readMail).first().click();
  await page.locator("[data-mailed-link]").waitFor();
  await check("admin, a message is read");
  await page.goto(`${s.url}/admin?tab=consent`);
  await page.getByRole("textbox", { name: w.consentText.english }).fill("");
  await button(page, w.consentText.save).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("admin, another consent text");
  await page.goto(`${s.url}/admin?tab=reminders`);
  await page.getByRole("textbox", { name: w.new.remindAfter }).fill("3");
  await page.getByRole("button", { name: w.reminderSchedule.save, disabled: false }).waitFor();
  await check("admin, other reminders");
  await page.goto(`${s.url}/admin?tab=branding`);
  await page.getByRole("textbox", { name: w.branding.colour, exact: true }).fill("#ffe");
  await button(page, w.branding.save).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("admin, a colour that is refused");
  const hook = `http://127.0.0.1/${w.nav.sent}`.toLowerCase();
  await page.goto(`${s.url}/admin?tab=webhooks`);
  await button(page, w.webhooks.add).click();
  const form = page.getByRole("form", { name: w.webhooks.add });
  await form.getByRole("textbox", { name: w.webhooks.url }).fill("ftp://example.test");
  await form.getByRole("button", { name: w.webhooks.add }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("admin, adding a webhook");
  await form.getByRole("textbox", { name: w.webhooks.url }).fill(hook);
  await form.getByRole("button", { name: w.webhooks.add }).click();
  await page.locator("[data-webhook-secret]").waitFor();
  await check("admin, webhooks");
  const actions = page.getByRole("group", { name: w.webhooks.actions.replace("{{url}}", hook) });
  const dialog = page.getByRole("dialog"), closed = async () => {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  };
  await actions.getByRole("button", { name: w.webhooks.test }).click();
  await dialog.getByRole("button", { name: w.webhooks.more }).first().click(); // nothing listens there
  await check("admin, deliveries of a webhook");
  await closed();
  for (const [name, what] of [[w.webhooks.change, "changing"], [w.webhooks.rotate, "a new secret of"], [w.webhooks.delete, "deleting"]] as const) {
    await actions.getByRole("button", { name, exact: true }).click();
    await dialog.waitFor();
    await check(`admin, ${what} a webhook`);
    await closed();
  }
};

const accounts: Walk = async (page, check, w) => {
  await page.goto(`${s.url}/account`);
  await page.getByText(w.sessions.current, { exact: true }).waitFor();
  await check("sessions");
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
  // Only this walk uses this person; the walk in the other language changes another one.
  const email = `ubah-${w.nav.sent}@example.test`.toLowerCase();
  s.user("Orang Ubah", email);
  await page.goto(`${s.url}/admin?find=${email}`);
  const act = async (name: string) => {
    await page.locator(`[data-actions='${email}']`).click();
    await page.getByRole("menuitem", { name, exact: true }).click();
    await page.getByRole("dialog").waitFor();
  };
  const confirm = (name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  await page.locator(`[data-actions='${email}']`).click();
  await page.getByRole("menuitem").first().waitFor();
  await check("admin, actions for a person");
  await page.keyboard.press("Escape");
  await act(w.admin.rename);
  await page.getByRole("dialog").getByRole("textbox").fill("");
  await confirm(w.admin.rename);
  await page.getByRole("dialog").locator("[aria-invalid=true]").waitFor();
  await check("admin, a person is renamed");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await act(w.admin.reset);
  await check("admin, a password is reset");
  await confirm(w.admin.reset);
  await page.locator("[data-first-password]").waitFor();
  await check("admin, a password was reset");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await act(w.admin.disable);
  await check("admin, an account is disabled");
  await confirm(w.admin.disable);
  await page.getByRole("listitem").getByText(w.admin.accountStatuses.disabled, { exact: true }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await check("admin, an account was disabled");
  await act(w.admin.erase);
  await check("admin, the data of a person are erased");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await button(page, w.admin.eraseGuest).click();
  await page.getByRole("dialog").locator("input[name=guest]").fill("bukan alamat");
  await page.getByRole("dialog").getByRole("button", { name: w.admin.erase, exact: true }).click();
  await page.getByRole("dialog").locator("[aria-invalid=true]").waitFor();
  await check("admin, the data of a guest are erased");
  await page.goto(`${s.url}/admin?find=${satu.email}`);
  await page.locator(`[data-actions='${satu.email}']`).click();
  await page.getByRole("menuitem", { name: w.admin.transfer, exact: true }).click();
  await page.getByRole("dialog").getByRole("combobox").click();
  await page.getByRole("option").first().waitFor();
  await check("admin, documents are transferred");
};

/** What auditors read of a document. */
const auditor: Walk = async (page, check, w) => {
  for (const [what, one] of [["completed", done], ["canceled", ended]] as const) {
    await page.goto(`${s.url}/document/${one.id}`);
    await page.getByText(w.document.recordsOnly).waitFor();
    await page.getByRole("button", { name: w.document.trail }).click();
    await check(`document, what an auditor reads, ${what}`);
  }
};

/** Keys for programs, several organisations in one browser, and invitations. */
const memberships: Walk = async (page, check, w) => {
  const invited = `undangan-${w.nav.sent}@example.test`.toLowerCase();
  await page.request.post(`${mailing.url}/v1/auth/session`, { data: { email: satu.email, password } });
  await page.goto(`${mailing.url}/keys`);
  await button(page, w.apiKeys.add).click();
  const key = page.getByRole("form", { name: w.apiKeys.add });
  await key.getByRole("textbox", { name: w.apiKeys.networks }).fill("10.1.2.3/8");
  await key.getByRole("button", { name: w.apiKeys.add }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("keys, an incomplete one");
  await key.getByRole("textbox", { name: w.apiKeys.networks }).fill("");
  await key.getByRole("textbox", { name: w.apiKeys.name, exact: true }).fill(`ERP ${w.nav.sent}`);
  await key.getByRole("button", { name: w.apiKeys.add }).click();
  await page.locator("[data-api-key]").waitFor();
  await check("keys, a new one");

  await page.goto(`${mailing.url}/organisations`);
  await page.getByText(w.switch.current, { exact: true }).waitFor();
  await check("organisations");
  await page.locator("input[name=email]").fill("lain@example.test");
  await page.locator("input[name=password]").fill("bukan kata sandinya");
  await button(page, w.login.submit).click();
  await page.getByRole("alert").waitFor();
  await check("organisations, a login that is refused");

  await page.goto(`${mailing.url}/admin`);
  await button(page, w.invitations.invite).click();
  const form = page.getByRole("form", { name: w.invitations.invite });
  await form.getByRole("button", { name: w.invitations.submit }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await check("admin, an invitation without an address");
  await form.getByRole("textbox", { name: w.login.email }).fill(invited);
  await form.getByRole("button", { name: w.invitations.submit }).click();
  await page.getByRole("region", { name: w.invitations.open }).getByText(invited).waitFor();
  await check("admin, open invitations");
  const accepts = await (await mailing.browser.newContext({ locale: w === id ? "id" : "en" })).newPage();
  const link = /https?:\S+/.exec((await box.mailTo(invited, 1)).text)![0];
  await page.context().clearCookies();
  await page.goto(link);
  await page.locator("input[name=new]").waitFor();
  await check("invitation");
  await accepts.goto(link);
  await accepts.locator("input[name=name]").fill("Orang Undangan");
  for (const field of ["new", "again"]) await accepts.locator(`input[name=${field}]`).fill(password);
  await accepts.getByRole("button", { name: w.invitations.accept }).click();
  await accepts.getByRole("heading", { name: w.nav.inbox }).waitFor();
  await accepts.context().close();
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByRole("alert").waitFor();
  await check("invitation, accepted before");
};

const representative: [string, string | undefined, Walk][] = [
  ["a new document", satu.email, author],
  ["documents", satu.email, documents],
  ["administration", satu.email, administrator],
  ["what anybody sees", undefined, anybody],
  ["a guest's answers", undefined, answering],
  ["signing", dua.email, signer],
];
const others: typeof representative = [
  ["trouble while placing", satu.email, editing],
  ["lists", satu.email, lists],
  ["settings", satu.email, settings],
  ["accounts", satu.email, accounts],
  ["the record of a document", periksa.email, auditor],
  ["keys, organisations and invitations", undefined, memberships],
  ["signing several", dua.email, several],
  ["lists without documents", tiga.email, member],
];

const languages = [["id", id], ["en", en]] as const;

// The complete run takes all walks, each in both languages; otherwise those that represent them run, each in one.
for (const [n, [what, email, walk]] of (complete ? [...representative, ...others] : representative).entries()) for (const [language, words] of complete ? languages : [languages[n % 2]!]) {
  test.concurrent(`axe finds nothing wrong, light and dark, on a phone and on a desk: ${what}, ${language}`, async () => {
    const page = email ? await s.enter(email === tiga.email && language === "en" ? empat.email : email, { locale: language }) : await (await s.browser.newContext({ locale: language })).newPage();
    const wrong: string[] = [];
    await walk(page, checker(page, wrong, language), words);
    expect(wrong).toEqual([]);
    await page.context().close();
  });
}

function tampered(good: Buffer): Buffer {
  const bad = Buffer.from(good);
  bad.write("Pasal 7.", bad.indexOf("Pasal 1."), "latin1");
  return bad;
}
