import { afterAll, beforeAll, expect, test } from "vitest";

import { guestLink, read, sealed, send } from "./contract";
import { complete, stage, violations, type Stage } from "./harness";
import { en } from "./texts";

let s: Stage;
beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
});
afterAll(() => s.close());

const satu = { name: "Pemilik Satu", email: "o@example.test" }, tamu = { name: "Budi Tamu", email: "budi@example.test", guest: true };

test("a guest keeps their drawn signature on their device only, and removes it", async () => {
  const owner = await s.login(satu.email);
  const context = await s.browser.newContext({ locale: "en", viewport: { width: 1280, height: 800 } });
  const stored: string[] = [];
  context.on("request", (r) => { if (r.url().includes("/v1/auth/specimen")) stored.push(r.method()); });
  const open = async (title: string) => {
    const page = await context.newPage();
    await page.goto(await guestLink(owner, await send(owner, title, [tamu], 0), tamu.email));
    return page;
  };
  const first = await open("Pertama");
  const area = first.getByRole("img", { name: en.sign.drawHere });
  await area.waitFor();
  const { x, y, width, height } = (await area.boundingBox())!;
  await first.mouse.move(x + 20, y + height / 2);
  await first.mouse.down();
  await first.mouse.move(x + width / 2, y + 20, { steps: 5 });
  await first.mouse.move(x + width - 20, y + height / 2, { steps: 5 });
  await first.mouse.up();
  const keep = first.getByRole("checkbox", { name: en.sign.rememberHere });
  expect(await keep.isChecked()).toBe(false);
  await keep.check();
  await read(first);
  await first.getByRole("button", { name: "Sign", exact: true }).click();
  await first.getByRole("heading", { name: en.sign.signed }).waitFor();
  await first.close();

  const second = await open("Kedua");
  await second.getByRole("radio", { name: en.sign.kept, exact: true }).waitFor({ state: "attached" });
  await second.getByRole("img", { name: en.sign.preview }).waitFor();
  await second.getByRole("button", { name: en.sign.forget }).click();
  await second.getByRole("radio", { name: en.sign.kept, exact: true }).waitFor({ state: "detached" });
  expect(await second.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith("segel.picture.")))).toEqual([]);
  expect(stored).toEqual([]);
  await context.close();
  await owner.context().close();
});

test("a guest's signature is shown as one whose identity was not verified", async () => {
  const owner = await s.login(satu.email);
  const contract = await send(owner, "Surat Kuasa", [satu, tamu], 0);
  await owner.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: contract.id } });
  const link = await guestLink(owner, contract, tamu.email);
  const opened = await (await owner.request.post(`${s.url}/v1/auth/guest`, { data: { link } })).json();
  const guest = await s.browser.newContext();
  await guest.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: contract.id }, headers: { "x-access-token": opened.data.token } });
  await guest.close();
  const file = await sealed(owner, contract.id);

  for (const [locale, button, named, member, open] of ([
    ["en", "Verify", /^not verified; named by Pemilik Satu of /, /^an account given by an administrator of .+; password$/, "No verified identity is known"],
    ["id", "Verifikasi", /^tidak diverifikasi; dicantumkan oleh Pemilik Satu dari /, /^akun yang diberikan oleh administrator .+; kata sandi$/, "Identitas belum terverifikasi"],
  ] as const).filter(([locale]) => complete || locale === "id")) {
    const context = await s.browser.newContext({ locale });
    const page = await context.newPage();
    await page.goto(`${s.url}/verify`);
    await page.setInputFiles("input[type=file]", { name: "surat-kuasa.pdf", mimeType: "application/pdf", buffer: file });
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.locator("[data-verdict^=intact][data-tone=unsure]").waitFor();
    const [first, second] = [page.locator("[data-signature]").nth(0), page.locator("[data-signature]").nth(1)];
    expect(await first.getAttribute("data-tone")).toBe("good");
    expect(await first.locator("[data-identity=attested]").textContent()).toMatch(member);
    expect(await second.getAttribute("data-tone")).toBe("unsure");
    expect(await second.locator("[data-identity=unverified]").textContent()).toMatch(named);
    await second.getByText(open, { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await context.close();
  }
  await owner.context().close();
});
