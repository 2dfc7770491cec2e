import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { guestLink, sealed, send, type Sent } from "./contract";
import { stage, violations, type Stage } from "./harness";

let s: Stage;
let done: Sent, open: Sent, invited: Sent, file: Buffer, serial: string, link: string;
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };

beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
  s.user("Penanda Dua", "s@example.test");
  const owner = await s.enter("o@example.test");
  const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" };
  done = await send(owner, "Perjanjian Kerja", [satu]);
  await owner.goto(`${s.url}/document/${done.id}/sign`);
  await owner.locator("label").filter({ hasText: /^Type$/ }).click();
  await owner.getByRole("button", { name: "Sign", exact: true }).click();
  file = await sealed(owner, done.id);
  serial = /Emet(SPESIMEN[-0-9A-Z]+)/.exec(file.toString("latin1"))?.[1] ?? "SPESIMEN-0000000000001";
  open = await send(owner, "Perjanjian Sewa Ruko", [dua, satu]);
  await send(owner, "Surat Pernyataan", [satu, dua]);
  invited = await send(owner, "Surat Kuasa Khusus", [budi], 0);
  link = await guestLink(owner, invited, budi.email);
  await owner.context().close();
});
afterAll(() => s.close());

const languages = ["id", "en"] as const, schemes = ["light", "dark"] as const, widths = [360, 1280] as const;

for (const locale of languages) for (const colorScheme of schemes) for (const width of widths) {
  test(`axe finds nothing wrong: ${locale}, ${colorScheme}, ${width} wide`, async () => {
    const options = { locale, colorScheme, viewport: { width, height: 800 } };
    const found: string[] = [];
    const check = async (page: Page, what: string) => {
      found.push(...(await violations(page)).map((v) => `${what}: ${v}`));
      if ((await page.evaluate(() => document.documentElement.scrollWidth)) > width) found.push(`${what}: wider than the window`);
    };
    const anybody = await (await s.browser.newContext(options)).newPage();
    await anybody.goto(`${s.url}/login`);
    await anybody.locator("button[type=submit]").waitFor();
    await check(anybody, "login");
    await anybody.locator("button[type=submit]").click();
    await anybody.locator("[aria-invalid=true]").first().waitFor();
    await check(anybody, "login refused");
    await anybody.goto(`${s.url}/verify?serial=${serial}`);
    await anybody.locator("[data-serial] dl").waitFor();
    await check(anybody, "serial");
    for (const [what, bytes] of [["verify", file], ["verify tampered", tampered(file)]] as const) {
      await anybody.setInputFiles("input[type=file]", { name: `${what}.pdf`, mimeType: "application/pdf", buffer: bytes });
      await anybody.locator("[data-digest]").waitFor();
      await anybody.locator("main form button[type=submit]").click();
      await anybody.locator("[data-verdict]").waitFor();
      await anybody.locator("[data-signature] button[aria-expanded]").first().click();
      await check(anybody, what);
    }
    await anybody.goto(link);
    await anybody.locator("[data-page='1'] canvas").waitFor();
    await check(anybody, "guest");
    await anybody.context().close();

    const page = await s.enter("o@example.test", options);
    await page.goto(`${s.url}/sent`);
    await page.locator("[data-document]").first().waitFor();
    await check(page, "sent");
    for (const [what, id] of [["completed document", done.id], ["open document", open.id]] as const) {
      await page.goto(`${s.url}/document/${id}`);
      await page.locator("[data-page='1'] canvas").waitFor();
      await page.locator("button[aria-expanded=false]", { hasText: /History|Riwayat/ }).click();
      await check(page, what);
    }
    await page.context().close();

    const signer = await s.enter("s@example.test", options);
    await signer.locator("[data-document]").first().waitFor();
    await check(signer, "inbox");
    await signer.goto(`${s.url}/inbox?search=tidak-ada`);
    await signer.locator("main button").last().waitFor();
    await check(signer, "inbox, nothing found");
    await signer.goto(`${s.url}/document/${open.id}/sign`);
    await signer.locator("[data-page='1'] canvas").waitFor();
    await signer.locator("section canvas[role=img]").waitFor();
    await check(signer, "sign");
    await signer.getByRole("button", { name: /^(Decline|Tolak)$/ }).click();
    await check(signer, "decline");
    await signer.context().close();
    expect(found).toEqual([]);
  });
}

function tampered(good: Buffer): Buffer {
  const bad = Buffer.from(good);
  bad.write("Pasal 7.", good.indexOf("Pasal 1."), "latin1");
  return bad;
}
