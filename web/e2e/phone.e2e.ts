import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { read, sealed } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";
import { en } from "./texts";

interface Text { to: string; text: string }

const texts: Text[] = [];
let provider: Server, s: Stage;
let owner: Page;
beforeAll(async () => {
  provider = createServer((request, response) => {
    let body = "";
    request.on("data", (d: Buffer) => (body += d));
    request.on("end", () => {
      texts.push(JSON.parse(body) as Text);
      response.end("{}");
    });
  });
  await new Promise<void>((ready) => provider.listen(0, "127.0.0.1", ready));
  s = await stage({ env: {
    SEGEL_PHONE_WHATSAPP_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/send`, SEGEL_PHONE_WHATSAPP_BODY: '{"to": {{json .Number}}, "text": {{json .Text}}}',
    SEGEL_OUTBOUND_PRIVATE: "127.0.0.0/8", SEGEL_MAIL_LANGUAGE: "en",
  } });
  s.user("Pemilik Satu", "o@example.test");
  s.user("Dewi Lestari", "dewi@example.test");
  owner = await s.login("o@example.test");
});
afterAll(async () => {
  await s.close();
  provider.closeAllConnections();
  provider.close();
});

/** Waits for message number n to a phone number, counted from 1. */
async function textTo(to: string, n: number): Promise<string> {
  await expect.poll(() => texts.filter((m) => m.to === to).length).toBeGreaterThanOrEqual(n);
  return texts.filter((m) => m.to === to)[n - 1]!.text;
}

test.runIf(complete)("a guest without a mailbox is added in the web app, and signs by WhatsApp", async () => {
  await owner.goto(`${s.url}/new`);
  await owner.setInputFiles("input[type=file]", { name: "Sewa Kios.pdf", mimeType: "application/pdf", buffer: makePDF(1) });
  await owner.getByRole("button", { name: "Upload and continue" }).click();
  await owner.waitForURL("**step=people**");
  await owner.getByRole("button", { name: "Add a guest" }).click();
  await owner.getByRole("combobox", { name: "Name", exact: true }).fill("Budi Tamu");
  await owner.getByRole("textbox", { name: "Phone" }).fill("0812 3456 789");
  expect(await owner.getByLabel("Messages and codes by").locator("option").allTextContents()).toEqual(["E-mail", "WhatsApp"]);
  await owner.getByLabel("Messages and codes by").selectOption("whatsapp");
  expect(await violations(owner)).toEqual([]);
  await owner.getByRole("button", { name: "Add", exact: true }).click();
  await owner.getByText("+628123456789 · WhatsApp").waitFor();
  // A member is reached by WhatsApp too.
  await owner.getByRole("combobox", { name: en.new.member }).fill("Dewi");
  await owner.getByRole("option", { name: /Dewi Lestari/ }).click();
  await owner.getByRole("combobox", { name: "Role of Dewi Lestari" }).click();
  await owner.getByRole("option", { name: en.document.actsAs.viewer }).click();
  await owner.getByRole("button", { name: "Messages to Dewi Lestari" }).click();
  const messages = owner.getByRole("dialog");
  await messages.getByLabel("Messages and codes by").selectOption("whatsapp");
  await messages.getByRole("button", { name: en.new.messagesSave }).click();
  await messages.getByText(en.new.needPhone).waitFor();
  await messages.getByRole("textbox", { name: "Phone" }).fill("0813 1111 111");
  await messages.getByLabel(en.new.messageLanguage).selectOption("id");
  expect(await violations(owner)).toEqual([]);
  await messages.getByRole("button", { name: en.new.messagesSave }).click();
  await owner.getByText("dewi@example.test · +628131111111 · WhatsApp · Indonesia").waitFor();
  await owner.waitForSelector("[data-saved=true]");
  const id = Number(/document=(\d+)/.exec(owner.url())![1]);
  await owner.request.post(`${s.url}/v1/econtract/web/sign/finalize-docs`, { data: { document_id: id } });

  const context = await s.browser.newContext({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: "en" });
  const guest = await context.newPage();
  await guest.goto(/https?:\S+/.exec(await textTo("+628123456789", 1))![0]);
  await guest.locator("[data-page='1'] canvas, [data-page='1'] img").first().waitFor();
  await guest.getByRole("region", { name: "What you need to do" }).getByRole("button", { name: "Sign", exact: true }).tap();
  const sheet = guest.getByRole("dialog");
  await sheet.getByRole("heading", { name: "Confirm your phone number" }).waitFor();
  await sheet.getByText("+62***789", { exact: false }).first().waitFor();
  await read(guest);
  await sheet.getByRole("button", { name: "Send me the code" }).tap();
  await sheet.getByLabel("Code of six digits").fill(/: (\d{6})/.exec(await textTo("+628123456789", 2))![1]!);
  await sheet.getByRole("button", { name: "Confirm", exact: true }).tap();
  await sheet.getByLabel("Code of six digits").waitFor({ state: "detached" });
  await sheet.getByRole("button", { name: "Sign", exact: true }).tap();
  await guest.getByRole("heading", { name: "You have signed" }).waitFor();
  await sealed(owner, id);
  await context.close();
  expect(await textTo("+628131111111", 1)).toContain("dokumen");

  await owner.goto(`${s.url}/document/${id}`);
  await owner.getByRole("list", { name: "Messages" }).getByText("WhatsApp: Invitation to sign: Sent", { exact: false }).first().waitFor();
  const trail = await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/audit-trail/${id}`, { headers: { "accept-language": "en" } })).text();
  expect(trail).toContain("the phone number +628123456789 was verified with a code by WhatsApp");
});
