import { afterAll, beforeAll, expect, test } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";

import { read, sealed, send } from "./contract";
import { complete, mailbox, makePDF, stage, violations, type Mailbox, type Stage } from "./harness";

let box: Mailbox, s: Stage;
let owner: Page;
beforeAll(async () => {
  box = await mailbox();
  s = await stage({ env: { ...box.env, SEGEL_LOG_LEVEL: "debug" } });
  s.user("Pemilik Satu", "o@example.test");
  s.user("Penanda Dua", "s@example.test");
  owner = await s.login("o@example.test");
});
afterAll(async () => {
  await s.close();
  await box.close();
});

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: "en" };
const dua = { name: "Penanda Dua", email: "s@example.test" };

/** The link in a mail. */
const linkIn = (mail: { text: string }) => /https?:\S+/.exec(mail.text)![0];
const codeIn = (mail: { text: string }) => /\b\d{6}\b/.exec(mail.text)![0];

test("a guest signs by mail alone, with a code from their mailbox, and the next person is invited", async () => {
  const contract = await send(owner, "Sewa Ruko", [dua, { name: "Budi Tamu", email: "budi@example.test", guest: true }], 0);
  await box.mailTo("s@example.test", 1);
  const member = await s.login("s@example.test");
  await member.goto(linkIn(await box.mailTo("s@example.test", 1)));
  await member.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: contract.id } });
  const invitation = await box.mailTo("budi@example.test", 1);
  expect(invitation.subject).toContain("Sewa Ruko");

  const context = await s.browser.newContext(phone);
  const guest = await context.newPage();
  await guest.goto(linkIn(invitation));
  await guest.locator("[data-page='1'] canvas, [data-page='1'] img").first().waitFor();
  await guest.getByRole("region", { name: "What you need to do" }).getByRole("button", { name: "Sign", exact: true }).tap();
  const sheet = guest.getByRole("dialog");
  await sheet.getByText("b***@example.test", { exact: false }).first().waitFor();
  await read(guest);
  expect(await sheet.getByRole("button", { name: "Sign", exact: true }).isDisabled()).toBe(true);
  await sheet.getByRole("button", { name: "Send me the code" }).tap();
  const code = codeIn(await box.mailTo("budi@example.test", 2));
  await sheet.getByLabel("Code of six digits").fill(code === "000000" ? "000001" : "000000");
  await sheet.getByRole("button", { name: "Confirm", exact: true }).tap();
  await sheet.getByText("Tries left: 4", { exact: false }).waitFor();
  expect(await violations(guest)).toEqual([]);
  await sheet.getByLabel("Code of six digits").fill(code);
  await sheet.getByRole("button", { name: "Confirm", exact: true }).tap();
  await sheet.getByLabel("Code of six digits").waitFor({ state: "detached" });
  await sheet.getByRole("button", { name: "Sign", exact: true }).tap();
  await guest.getByRole("heading", { name: "You have signed" }).waitFor();
  await sealed(owner, contract.id);
  const completed = await box.mailTo("budi@example.test", 3);
  expect(completed.subject).toContain("Sewa Ruko");
  await guest.goto(linkIn(completed));
  await guest.getByRole("button", { name: "Download" }).waitFor();
  await context.close();
  // The log has the request, and neither the link nor the code.
  expect(s.log()).toContain("guest-verify-docs");
  expect(s.log()).not.toContain(linkIn(invitation).split("#")[1]);
  expect(s.log()).not.toMatch(new RegExp(`\\b${code}\\b`));

  await owner.goto(`${s.url}/document/${contract.id}`);
  const messages = owner.getByRole("list", { name: "Messages" }).last();
  await messages.getByText("Invitation to sign: Sent", { exact: false }).waitFor();
  const certificate = owner.waitForEvent("download");
  await owner.getByRole("link", { name: "Evidence certificate" }).click();
  const file = await certificate;
  expect(file.suggestedFilename()).toContain("Sewa Ruko");
  const content = readFileSync(await file.path());
  for (const part of ["%PDF-", "pdfaid:part", "evidence.json", "audit-proof.json"]) expect(content.includes(part)).toBe(true);
  const trail = await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/audit-trail/${contract.id}`, { headers: { "accept-language": "en" } })).text();
  expect(trail).toContain("the mailbox budi@example.test was verified with a code");
});

test("a message is kept when the owner goes back in the browser while they write it", async () => {
  const draft = await owner.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, {
    data: { document_title: "Sewa Ruko", document_base64: makePDF(1).toString("base64"), guest: { name: "Wulan", email: "wulan@example.test", role: "signer" } },
  });
  const { document_id: id } = (await draft.json()).response.data as { document_id: number };
  await owner.goto(`${s.url}/new?document=${id}&step=people`);
  const review = owner.getByRole("navigation", { name: "Steps" }).getByRole("link", { name: "Send" }), message = owner.getByLabel("Your message");
  await review.click();
  await message.pressSequentially("Mohon ditandatangani.");
  await owner.goBack();
  await owner.getByRole("combobox", { name: "Add a member of the organisation" }).or(owner.getByRole("textbox", { name: "Add a member of the organisation" })).waitFor();
  await review.click();
  await expect.poll(() => message.inputValue()).toBe("Mohon ditandatangani.");
});

test("the owner writes a message and demands a code before reading, and corrects an address", async () => {
  const draft = await owner.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, {
    data: { document_title: "Kuasa", document_base64: makePDF(1).toString("base64"), guest: { name: "Dian", email: "diann@example.test", role: "signer" } },
  });
  const { document_id: id } = (await draft.json()).response.data as { document_id: number };
  const { signer } = (await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/signers/${id}`)).json()).data as { signer: { user_id: string }[] };
  await owner.request.post(`${s.url}/v1/econtract/web/sign/placement-docs`, { data: { document_id: id, signers: [{ type: "sign", page: 1, user: { userid: signer[0]!.user_id }, emet: { llx: 50, lly: 100, urx: 200, ury: 170 } }] } });
  await owner.goto(`${s.url}/new?document=${id}&step=review`);
  await owner.getByLabel("Your message").fill("Mohon ditandatangani\nminggu ini.");
  await owner.getByRole("combobox", { name: "Code that is sent to guests" }).click();
  await owner.getByRole("option", { name: "Before reading and before signing" }).click();
  await owner.getByRole("listbox").waitFor({ state: "hidden" }); // it fades out
  await owner.getByLabel("First after (days)").fill("3");
  await owner.getByRole("checkbox", { name: "Show people only part of the e-mail addresses and phone numbers of others" }).check();
  expect(await violations(owner)).toEqual([]);
  await owner.getByRole("button", { name: "Send", exact: true }).click();
  await owner.waitForURL(`**/document/${id}`);
  const { delivery } = (await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/detail/${id}`)).json()).data;
  expect(delivery).toEqual({ message: "Mohon ditandatangani\nminggu ini.", guest_code: "read", messages: true, delegation: false, attach: false, hide_addresses: true, remind: { after: 3, every: 0, before: 0 } });
  const wrong = await box.mailTo("diann@example.test", 1);
  expect(wrong.text).toContain("minggu ini.");

  await owner.getByRole("button", { name: "Correct the guest" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill("dian@example.test");
  expect(await violations(owner)).toEqual([]);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  const context = await s.browser.newContext({ locale: "en" });
  const guest = await context.newPage();
  await guest.goto(linkIn(wrong));
  await guest.getByText("revoked this link", { exact: false }).waitFor();
  await guest.goto("about:blank");
  await guest.goto(linkIn(await box.mailTo("dian@example.test", 1)));
  await guest.getByRole("heading", { name: "Confirm your e-mail address" }).waitFor();
  expect(await guest.locator("[data-page]").count()).toBe(0);
  await guest.getByRole("button", { name: "Send me the code" }).click();
  await guest.getByLabel("Code of six digits").fill(codeIn(await box.mailTo("dian@example.test", 2)));
  await guest.keyboard.press("Enter");
  await guest.locator("[data-page='1'] canvas, [data-page='1'] img").first().waitFor();
  await read(guest);
  await guest.getByRole("button", { name: "Sign", exact: true }).click();
  await guest.getByRole("heading", { name: "You have signed" }).waitFor();
  await context.close();
});

test.runIf(complete)("without a mail server an operator reads a kept message and passes its link on", async () => {
  const alone = await stage();
  try {
    alone.user("Operator", "a@example.test", "admin");
    const admin = await alone.login("a@example.test");
    await send(admin, "Tanpa Surat", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }], 0);
    await admin.goto(`${alone.url}/admin?tab=mail`);
    await admin.getByText("No mail server is configured.", { exact: false }).waitFor();
    await admin.getByRole("button", { name: "Read the message" }).click();
    const link = (await admin.locator("[data-mailed-link]").textContent())!;
    expect(await violations(admin)).toEqual([]);
    const context = await alone.browser.newContext({ locale: "en" });
    const guest = await context.newPage();
    await guest.goto(link);
    await read(guest);
    await guest.getByRole("button", { name: "Sign", exact: true }).click();
    await guest.getByRole("heading", { name: "You have signed" }).waitFor();
    await context.close();
  } finally {
    await alone.close();
  }
});

test.runIf(complete)("every mail can be read on a phone, in light and dark, in both languages", async () => {
  const folder = path.resolve(import.meta.dirname, "../../internal/notify/compose/testdata"), wrong: string[] = [];
  const mails = readdirSync(folder).filter((name) => name.endsWith(".html"));
  expect(mails.length).toBeGreaterThan(20);
  const page = await (await s.browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
  const kinds = [...new Set(mails.map((name) => name.slice(0, name.indexOf("."))))];
  for (const name of mails) {
    const id = name.includes(".id.");
    // The languages differ in words alone: each has one of the schemes, and outside the complete run each mail has one of the languages.
    const look = id === (kinds.indexOf(name.slice(0, name.indexOf("."))) % 2 === 0);
    await page.setContent(readFileSync(path.join(folder, name), "utf8"));
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      if ((colorScheme === "dark") === id && (complete || look)) wrong.push(...(await violations(page)).filter((v) => !reader.test(v)).map((v) => `${name}, ${colorScheme}: ${v}`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > 360) wrong.push(`${name}, ${colorScheme}: ${wide} pixels wide`);
    }
  }
  expect(wrong).toEqual([]);
  await page.context().close();
});

/** What concerns the page that shows a mail, which is the reader's program. */
const reader = /^(landmark|region|page-has-heading|bypass)/;
