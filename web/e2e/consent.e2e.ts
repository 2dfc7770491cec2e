import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { guestLink, read, send } from "./contract";
import { stage, violations, type Stage } from "./harness";
import { en } from "./texts";

// The consent text: written by an administrator, accepted before the first signature, and not asked for again.

let s: Stage, owner: Page, member: Page;
const dua = { name: "Penanda Dua", email: "s@example.test" };
const budi = { name: "Budi Tamu", email: "budi@tamu.test", guest: true };

beforeAll(async () => {
  s = await stage({ consents: true });
  s.user("Pemilik Satu", "o@example.test");
  s.user(dua.name, dua.email);
  s.user("Admin", "a@example.test", "admin");
  [owner, member] = [await s.enter("o@example.test"), await s.enter(dua.email)];
});
afterAll(() => s.close());

const side = (page: Page) => page.getByRole("region", { name: en.sign.asked });
const sign = (page: Page) => side(page).getByRole("button", { name: "Sign", exact: true });
const accepts = (page: Page) => page.getByRole("checkbox", { name: en.consent.accept });
const signed = (page: Page) => page.getByRole("heading", { name: en.sign.signed }).waitFor();

/** What the audit trail of a document says about its last signature. */
async function signature(id: number): Promise<string> {
  const answer = await owner.request.get(`${s.url}/v1/econtract/web_app/document/audit-trail/${id}`, { headers: { "Accept-Language": "en" } });
  const { data } = (await answer.json()) as { data: { type: string; description: string }[] };
  return data.filter((e) => e.type === "signed").at(-1)!.description;
}

test("a member accepts the text with their first signature, and is not asked with the next ones", async () => {
  const first = await send(owner, "Pertama", [dua], 0), second = await send(owner, "Kedua", [dua], 0);
  await member.goto(`${s.url}/document/${first.id}/sign`);
  await read(member);
  expect(await sign(member).isDisabled()).toBe(true);
  await member.getByText(en.consent.read, { exact: true }).click();
  await member.getByRole("region", { name: en.consent.title }).getByText("Consent to sign electronically").waitFor();
  expect(await violations(member)).toEqual([]);
  await accepts(member).check();
  await sign(member).click();
  await signed(member);
  expect(await signature(first.id)).toContain("accepted consent text segel-1");

  await member.goto(`${s.url}/document/${second.id}/sign`);
  await read(member);
  await side(member).getByText("You accepted this consent text on").waitFor();
  expect(await accepts(member).count()).toBe(0);
  await sign(member).click();
  await signed(member);
  expect(await signature(second.id)).toContain(`accepted consent text segel-1 before, with document ${first.id}`);
});

test("an administrator writes another text, and a guest and the member accept that one", async () => {
  const admin = await s.login("a@example.test");
  await admin.goto(`${s.url}/admin?tab=consent`);
  await admin.getByRole("textbox", { name: en.consentText.indonesian }).fill("Saya setuju.");
  await admin.getByRole("textbox", { name: en.consentText.english }).fill("  I agree to it all. ");
  await admin.getByRole("checkbox", { name: en.consentText.required }).check();
  await admin.getByRole("button", { name: en.consentText.save, exact: true }).click();
  await admin.getByRole("status").getByText(en.consentText.saved).waitFor();
  await admin.locator("[data-version='1']").waitFor();
  expect(await violations(admin)).toEqual([]);
  await admin.context().close();

  const sent = await send(owner, "Ketiga", [dua, budi], 0, undefined, 1);
  const program = await member.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: sent.id } });
  expect(((await program.json()) as { error: { code: string } }).error.code).toBe("consent.required");
  for (const page of [await (await s.browser.newContext({ locale: "en" })).newPage(), member]) {
    await page.goto(page === member ? `${s.url}/document/${sent.id}/sign` : await guestLink(owner, sent, budi.email));
    await read(page);
    await page.getByText(en.consent.read, { exact: true }).click();
    await page.getByRole("region", { name: en.consent.title }).getByText("I agree to it all.", { exact: true }).waitFor();
    await accepts(page).check();
    await sign(page).click();
    await signed(page);
    expect(await signature(sent.id)).toContain("accepted consent text 1");
  }
});

test("a text that changes while a signer reads is shown before anything is signed", async () => {
  const sent = await send(owner, "Keempat", [dua], 0);
  await member.goto(`${s.url}/document/${sent.id}/sign`);
  await read(member);
  await side(member).getByText("You accepted this consent text on").waitFor();
  const admin = await s.login("a@example.test");
  const set = await admin.request.put(`${s.url}/v1/admin/consent`, { data: { id: "Saya sangat setuju.", en: "I agree to more." } });
  expect(set.status()).toBe(200);
  await admin.context().close();
  await sign(member).click();
  await side(member).getByRole("alert").waitFor();
  await accepts(member).waitFor();
  await member.getByText(en.consent.read, { exact: true }).click();
  await member.getByText("I agree to more.", { exact: true }).waitFor();
  await accepts(member).check();
  await sign(member).click();
  await signed(member);
  expect(await signature(sent.id)).toContain("accepted consent text 2");
});
