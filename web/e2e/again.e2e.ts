import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { en, languages } from "./texts";
import { guestLink, read, sealed, send } from "./contract";
import { stage, violations, type Stage } from "./harness";

// What an owner does with a document that ended, and with the link of a guest; and what the holder of a former link reads.

let s: Stage, owner: Page;
const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" };
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };

beforeAll(async () => {
  s = await stage();
  s.user(satu.name, satu.email);
  s.user(dua.name, dua.email);
  owner = await s.enter(satu.email);
});
afterAll(() => s.close());

const fill = (text: string, values: Record<string, string>) => text.replace(/\{\{(\w+)\}\}/g, (_, k: string) => values[k]!);
const post = async (page: Page, verb: string, data: object) => {
  const answer = await page.request.post(`${s.url}/v1/econtract/web/sign/${verb}`, { data });
  expect(answer.status(), await answer.text()).toBe(200);
};

async function throttle(page: Page): Promise<void> {
  const line = await page.context().newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", { offline: false, latency: 200, downloadThroughput: 100_000, uploadThroughput: 100_000 });
}

for (const [language, w] of languages("id")) {
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  test(`an owner corrects a declined document and sends it again, on a slow line, ${language}`, async () => {
    const title = `Sewa Ditolak ${language}`;
    const contract = await send(owner, title, [dua, budi]);
    const signer = await s.login(dua.email);
    await post(signer, "reject-docs", { document_id: contract.id, reason: "Harga salah" });
    const page = await s.enter(satu.email, { locale: language, reducedMotion: "reduce" });
    await throttle(page);
    await page.goto(`${s.url}/document/${contract.id}`);
    let copies = 0;
    page.on("request", (r) => { if (r.url().endsWith("/sign/copy-docs")) copies++; });
    await button(page, w.document.correct).click();
    await page.waitForURL(/step=people/);
    const copy = Number(new URL(page.url()).searchParams.get("document"));
    expect(copy).toBeGreaterThan(contract.id);
    expect(copies).toBe(1);
    await page.getByText(fill(w.document.copied, { title })).waitFor();
    await page.getByRole("combobox", { name: w.new.member }).waitFor();
    for (const name of [dua.name, budi.name]) await page.getByRole("main").getByText(name).filter({ visible: true }).first().waitFor(); // the list of members names them too, while it is closed
    expect(await violations(page)).toEqual([]);
    await button(page, w.new.next).click();
    await page.waitForURL(/step=place/);
    await page.locator("[data-box]").first().waitFor();
    expect(await page.locator("[data-box]").count()).toBe(3); // two signatures and a stamp
    await page.goto(`${s.url}/new?document=${copy}&step=review`);
    await button(page, w.new.finalize).click();
    await page.waitForURL(`**/document/${copy}`);
    await page.context().close();
    await post(signer, "sign-docs", { document_id: copy });
    await signer.context().close();
  });

  test(`an owner uses a completed document again, ${language}`, async () => {
    const title = `Sewa Selesai ${language}`;
    const contract = await send(owner, title, [dua]);
    const signer = await s.login(dua.email);
    await post(signer, "sign-docs", { document_id: contract.id });
    await sealed(signer, contract.id);
    await signer.goto(`${s.url}/document/${contract.id}`);
    await button(signer, en.document.more).click();
    await signer.getByRole("menuitem", { name: en.document.original }).waitFor();
    expect(await signer.getByRole("menuitem", { name: en.document.useAgain }).count()).toBe(0); // not theirs
    await signer.context().close();
    const page = await s.login(satu.email, { locale: language, reducedMotion: "reduce" });
    await page.goto(`${s.url}/document/${contract.id}`);
    await button(page, w.document.more).click();
    await page.getByRole("menuitem", { name: w.document.useAgain }).click();
    await page.waitForURL(/step=people/);
    const copy = new URL(page.url()).searchParams.get("document");
    const of = async (id: string | number) => (await (await page.request.get(`${s.url}/v1/econtract/web_app/document/detail/${id}`)).json()).data as { status: string; serial_number: string[]; placements: unknown[] };
    expect((await of(contract.id)).serial_number).toHaveLength(1);
    const draft = await of(copy!);
    expect([draft.status, draft.serial_number.length, draft.placements.length]).toEqual(["draft", 0, 2]);
    await page.context().close();
  });

  test(`a new link says before it is created that the former one stops working, and the guest with the former one reads why, ${language}`, async () => {
    const contract = await send(owner, `Surat Kuasa ${language}`, [budi, dua], 0);
    const page = await s.login(satu.email, { locale: language, reducedMotion: "reduce" });
    await page.goto(`${s.url}/document/${contract.id}`);
    const row = page.getByRole("listitem").filter({ hasText: budi.name });
    const shown = row.getByRole("link", { name: /#/ });
    expect(await row.getByRole("button", { name: w.document.revokeLink }).count()).toBe(0); // there is none
    await row.getByRole("button", { name: w.document.makeLink }).click();
    const first = (await shown.textContent())!;

    // The guest reads the document while the owner replaces their link.
    const guest = await (await s.browser.newContext({ locale: language, reducedMotion: "reduce" })).newPage();
    await throttle(guest);
    await guest.goto(first);
    await guest.locator("[data-page='1'] canvas").waitFor();
    let made = 0;
    page.on("request", (r) => { if (r.url().endsWith("/sign/guest-link-docs")) made++; });
    await row.getByRole("button", { name: w.document.replaceLink }).click();
    await page.getByRole("dialog").getByText(fill(w.document.replaceLinkLead, { name: budi.name })).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(made).toBe(0);
    expect(await shown.textContent()).toBe(first);
    await row.getByRole("button", { name: w.document.replaceLink }).click();
    await page.getByRole("dialog").getByRole("button", { name: w.document.replaceLink }).click();
    await expect.poll(() => shown.textContent()).not.toBe(first);
    expect(made).toBe(1);
    const second = (await shown.textContent())!;

    const replaced = language === "en" ? /^This link was replaced by a newer one\./ : /^Tautan ini sudah digantikan oleh tautan yang lebih baru\./;
    const revoked = language === "en" ? /^The owner of the document revoked this link\./ : /^Tautan ini sudah dicabut oleh pemilik dokumen\./;
    await guest.getByRole("alert").getByText(replaced).waitFor(); // by itself
    expect(await guest.getByText("401").count()).toBe(0);
    expect(await violations(guest)).toEqual([]);
    await guest.reload(); // the page no longer knows the link
    await guest.getByRole("alert").getByText(w.guest.ended).waitFor();
    expect(await guest.getByText("401").count()).toBe(0);
    expect(await violations(guest)).toEqual([]);
    for (const [link, says] of [[first, replaced], [second, undefined]] as const) {
      await guest.goto("about:blank");
      await guest.goto(link);
      if (says) await guest.getByRole("alert").getByText(says).waitFor();
      else await guest.locator("[data-page='1'] canvas").waitFor();
    }
    await row.getByRole("button", { name: w.document.revokeLink }).click();
    await row.getByText(w.document.linkRevoked).waitFor();
    await row.getByRole("button", { name: w.document.makeLink }).waitFor();
    await guest.goto("about:blank");
    await guest.goto(second);
    await guest.getByRole("alert").getByText(revoked).waitFor();
    expect(await guest.getByText(`Surat Kuasa ${language}`).count()).toBe(0);
    await guest.context().close();
    await page.context().close();
  });
}

test("a guest whose token expired goes on reading and signs, because the page remembers the link", async () => {
  const contract = await send(owner, "Sesi Berakhir", [budi], 0);
  const guest = await (await s.browser.newContext({ locale: "en" })).newPage();
  await guest.goto(await guestLink(owner, contract, budi.email));
  await guest.locator("[data-page='1'] canvas").waitFor();
  // The service ends the session of this token alone.
  const token = await guest.evaluate(() => (JSON.parse(sessionStorage.getItem("segel.guest")!) as { token: string }).token);
  expect((await guest.request.post(`${s.url}/v1/auth/logout`, { data: {}, headers: { "x-access-token": token } })).status()).toBe(200);
  await read(guest);
  await guest.getByRole("button", { name: "Sign", exact: true }).click();
  await guest.locator("[data-page='1'] canvas").waitFor();
  await expect.poll(() => guest.evaluate(() => (JSON.parse(sessionStorage.getItem("segel.guest") ?? "{}") as { token?: string }).token)).not.toBe(token);
  await read(guest);
  await guest.getByRole("button", { name: "Sign", exact: true }).click();
  await guest.getByRole("heading", { name: en.sign.signed }).waitFor();
  await guest.context().close();
});
