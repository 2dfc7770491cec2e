import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { checker } from "./axe";
import { read, send } from "./contract";
import { mailbox, stage, type Mailbox, type Stage } from "./harness";
import { en, languages } from "./texts";

let box: Mailbox, s: Stage;
let owner: Page;
beforeAll(async () => {
  box = await mailbox();
  s = await stage({ env: { ...box.env, SEGEL_GUEST_ACCOUNTS: "true" } });
  s.user("Pemilik Satu", "o@example.test");
  owner = await s.login("o@example.test");
});
afterAll(async () => {
  await s.close();
  await box.close();
});

const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };
const secret = "lampu-taman-biru-42";
const linkIn = (mail: { text: string }) => /https?:\S+/.exec(mail.text)![0];
const codeIn = (mail: { text: string }) => /\b\d{6}\b/.exec(mail.text)![0];

/** Checks a state in English, in the complete run also in Indonesian, in the looks of the run, and ends in English on a phone. Shown waits for it. */
async function checkLanguages(page: Page, what: string, shown: (w: typeof en) => Promise<void>): Promise<void> {
  const wrong: string[] = [];
  for (const [language, w] of [...languages("en")].reverse()) {
    await page.evaluate((l) => localStorage.setItem("segel.language", l), language);
    await page.reload();
    await shown(w);
    await checker(page, wrong, language)(what);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  expect(wrong).toEqual([]);
}

test("a guest creates an account after the code and opens an earlier document from its inbox", async () => {
  const earlier = await send(owner, "Sewa Ruko", [budi], 0);
  await send(owner, "Kuasa Jual", [budi], 0);
  const context = await s.browser.newContext({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: "en" });
  const guest = await context.newPage();
  let invitation = await box.mailTo("budi@example.test", 1);
  let mails = 2;
  await box.mailTo("budi@example.test", mails);
  if (!invitation.subject.includes("Kuasa Jual")) invitation = await box.mailTo("budi@example.test", 2);
  await guest.goto(linkIn(invitation));
  await guest.locator("[data-page='1'] canvas, [data-page='1'] img").first().waitFor();
  expect(await guest.getByRole("heading", { name: "Keep your documents together" }).count()).toBe(0);
  await guest.getByRole("region", { name: "What you need to do" }).getByRole("button", { name: "Sign", exact: true }).tap();
  const sheet = guest.getByRole("dialog");
  await read(guest);
  await sheet.getByRole("button", { name: "Send me the code" }).tap();
  await sheet.getByLabel("Code of six digits").fill(codeIn(await box.mailTo("budi@example.test", ++mails)));
  await sheet.getByRole("button", { name: "Confirm", exact: true }).tap();
  await sheet.getByLabel("Code of six digits").waitFor({ state: "detached" });
  await sheet.getByRole("button", { name: "Sign", exact: true }).tap();
  await guest.getByRole("heading", { name: "You have signed" }).waitFor();

  await guest.getByRole("region", { name: en.offer.title }).waitFor();
  await checkLanguages(guest, "offer of an account", (w) => guest.getByRole("region", { name: w.offer.title }).waitFor());
  const offer = guest.getByRole("region", { name: "Keep your documents together" });
  await offer.getByText("budi@example.test", { exact: false }).waitFor();
  await offer.getByLabel("Password of the account").fill("password1234");
  await offer.getByLabel("Repeat the password").fill("password1234");
  await offer.getByRole("button", { name: "Create an account" }).tap();
  await offer.locator("[role=alert], .mantine-PasswordInput-error").first().waitFor();
  await offer.getByLabel("Password of the account").fill(secret);
  await offer.getByLabel("Repeat the password").fill(secret);
  await offer.getByRole("button", { name: "Create an account" }).tap();
  await offer.getByText("The account has been created", { exact: false }).waitFor();
  await offer.getByRole("link", { name: "Log in" }).tap();

  await guest.getByLabel("E-mail").fill("budi@example.test");
  await guest.locator("input[name='password']").fill(secret);
  await guest.getByRole("button", { name: "Log in", exact: true }).tap();
  const row = guest.locator(`[data-document="${earlier.id}"]`);
  await row.waitFor();
  await checkLanguages(guest, "inbox of a mailbox", () => row.waitFor());
  const [opened] = await Promise.all([context.waitForEvent("page"), row.getByRole("link", { name: "Sign", exact: false }).last().tap()]);
  await opened.getByRole("region", { name: "What you need to do" }).getByRole("button", { name: "Sign", exact: true }).waitFor();
  expect(new URL(opened.url()).pathname).toBe("/guest");
  await opened.close();
  await guest.reload(); // the account is still logged in
  await row.waitFor();
  await context.close();
});
