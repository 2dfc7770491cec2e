import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { complete, makePDF, password, stage, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
  s.user("Ayu Lestari", "ayu@example.test");
});
afterAll(() => s.close());

const saved = (page: Page) => page.waitForSelector("[data-saved=true]");
const idOf = (page: Page) => Number(new URL(page.url()).searchParams.get("document"));
const stored = async (page: Page, id = idOf(page)) =>
  (await (await page.request.get(`${s.url}/v1/econtract/web_app/document/placements/${id}`)).json()).data as { version: number; placements: { type: string; page: number; name: string; box: { llx: number; lly: number; urx: number; ury: number } }[] };

/** Opens the placement of a new draft that the members, by their names, sign. */
async function place(page: Page, file: Buffer, ...who: string[]): Promise<void> {
  await page.goto(`${s.url}/new`);
  await page.setInputFiles("input[type=file]", { name: "Perjanjian Sewa.pdf", mimeType: "application/pdf", buffer: file });
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.waitForURL("**step=people**");
  for (const name of who) {
    await page.getByRole("combobox", { name: "Add a member" }).click();
    await page.getByRole("option", { name: new RegExp(name) }).click();
    await page.getByRole("button", { name: `Remove ${name}` }).waitFor();
  }
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**step=place**");
  await page.locator("[data-page='1'] canvas").first().waitFor();
}

/** Adds a box on the page in view by keyboard. */
async function add(page: Page, kind: "sign" | "paraf" | "emet"): Promise<void> {
  const before = await page.locator("[data-box]").count();
  await page.locator(`[data-tool=${kind}]:enabled`).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("[data-box]").count()).toBe(before + 1);
  await page.waitForFunction(() => document.activeElement?.hasAttribute("data-box"));
}

/** A PDF whose pages have different sizes: A4, A4 turned, a small one, and A4 turned by /Rotate. */
function differentPages(): Buffer {
  const sizes = [["595 842", ""], ["842 595", ""], ["300 200", ""], ["595 842", "/Rotate 90"]];
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", `<< /Type /Pages /Kids [${sizes.map((_, i) => `${i + 3} 0 R`).join(" ")}] /Count ${sizes.length} >>`,
    ...sizes.map(([size, more]) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] ${more} /Resources << >> >>`)];
  let text = "%PDF-1.7\n";
  const at = objects.map((o, i) => { const offset = text.length; text += `${i + 1} 0 obj\n${o}\nendobj\n`; return offset; });
  const xref = text.length;
  return Buffer.from(`${text}xref\n0 ${at.length + 1}\n0000000000 65535 f \n${at.map((o) => `${String(o).padStart(10, "0")} 00000 n \n`).join("")}trailer\n<< /Size ${at.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`, "latin1");
}

test.runIf(complete)("in a document of 2,000 pages, a page number that is typed leads to the page, and boxes can be placed there", async () => {
  const page = await s.login("o@example.test");
  await place(page, makePDF(2000), "Ayu Lestari");
  const goTo = page.getByRole("textbox", { name: "Go to page" });
  await goTo.fill("1987");
  expect(await page.locator("[data-page='1'] canvas").count()).toBe(1); // digits alone do not jump
  await goTo.press("Enter");
  await page.locator("[data-page='1987'] canvas").first().waitFor();
  await page.waitForFunction(() => { const r = document.querySelector("[data-page='1987']")!.getBoundingClientRect(); return r.top < innerHeight / 2 && r.bottom > innerHeight / 2; });
  await expect.poll(() => page.locator("[data-page-number]").first().getAttribute("data-page-number")).toBe("1987");
  await add(page, "sign");
  await saved(page);
  expect((await stored(page)).placements.map((p) => p.page)).toEqual([1987]);
  expect(await page.locator("canvas").count()).toBeLessThan(40); // pages elsewhere are not drawn
  await goTo.fill("1");
  await goTo.press("Enter");
  await page.locator("[data-page='1'] canvas").first().waitFor();
  await goTo.fill("99999"); // beyond the end: the last page
  await goTo.press("Enter");
  await page.locator("[data-page='2000'] canvas").first().waitFor();
  await page.context().close();
});

test.runIf(complete)("copies on pages of other sizes and on turned pages lie on their pages, are shown, and it is told which were moved", async () => {
  const page = await s.login("o@example.test");
  await place(page, differentPages(), "Ayu Lestari");
  await add(page, "sign");
  const region = page.getByRole("region", { name: "Selected box" });
  for (const [label, value] of [["Left (pt)", "420"], ["Bottom (pt)", "760"]] as const) {
    await region.getByRole("textbox", { name: label }).fill(value);
    await region.getByRole("textbox", { name: label }).blur();
  }
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.locator("[data-copied]").getByText("Moved or scaled to fit on pages 2–4.").waitFor();
  await saved(page);
  const sizes = [[595, 842], [842, 595], [300, 200], [842, 595]];
  const { placements } = await stored(page);
  expect(placements.map((p) => p.page)).toEqual([1, 2, 3, 4]);
  for (const { page: n, box } of placements) {
    expect(Math.min(box.llx, box.lly), `page ${n}`).toBeGreaterThanOrEqual(0);
    expect(box.urx, `page ${n}`).toBeLessThanOrEqual(sizes[n - 1]![0]!);
    expect(box.ury, `page ${n}`).toBeLessThanOrEqual(sizes[n - 1]![1]!);
  }
  for (const n of [2, 3, 4]) {
    await page.getByRole("textbox", { name: "Go to page" }).fill(String(n));
    await page.keyboard.press("Enter");
    const box = page.locator(`[data-page='${n}'] [data-box]`);
    await box.waitFor();
    const [b, sheet] = [(await box.boundingBox())!, (await page.locator(`[data-page='${n}']`).boundingBox())!];
    expect(b.x >= sheet.x - 1 && b.y >= sheet.y - 1 && b.x + b.width <= sheet.x + sheet.width + 1 && b.y + b.height <= sheet.y + sheet.height + 1, `page ${n}`).toBe(true);
  }
  await page.context().close();
});

test("copying a duty stamp asks before it spends 12 of them, with the price and the quota", async () => {
  const page = await s.login("o@example.test");
  await place(page, makePDF(13), "Ayu Lestari");
  await add(page, "emet");
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("12 more stamps will be spent (12 × Rp10.000 = Rp120.000).").waitFor();
  await dialog.getByText(/13 stamps.*Quota left: \d/).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await saved(page);
  expect((await stored(page)).placements).toHaveLength(1);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await dialog.getByRole("button", { name: "Copy the duty stamp to 12 pages" }).click();
  await expect.poll(async () => (await stored(page)).placements.length).toBe(13);
  await page.context().close();
});

test("what the service refuses stays visible until it is corrected, and leads to its box", async () => {
  const page = await s.login("o@example.test");
  await place(page, makePDF(9), "Ayu Lestari");
  await add(page, "sign");
  const region = page.getByRole("region", { name: "Selected box" });
  const size = async (label: string, value: string) => { await region.getByRole("textbox", { name: label }).fill(value); await region.getByRole("textbox", { name: label }).blur(); };
  await size("Left (pt)", "0");
  await size("Bottom (pt)", "0");
  await size("Width (pt)", "590");
  await size("Height (pt)", "800");
  const list = page.locator("[data-refused]");
  await list.getByRole("button", { name: /^Page 1, Signature, Ayu Lestari: / }).waitFor();
  // Another change does not hide it, on whichever page.
  await page.getByRole("textbox", { name: "Go to page" }).fill("9");
  await page.keyboard.press("Enter");
  await page.locator("[data-page='9'] canvas").first().waitFor();
  await add(page, "paraf");
  await page.getByText("Not saved yet.").waitFor();
  await list.getByRole("button").waitFor();
  const link = list.getByRole("button");
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.closest("[data-page='1']") && document.activeElement.hasAttribute("data-box"));
  const described = await page.evaluate(() => document.activeElement!.getAttribute("aria-describedby")!.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" "));
  expect(described).toContain("%");
  await size("Height (pt)", "60");
  await size("Width (pt)", "150");
  await saved(page);
  await expect.poll(() => list.count()).toBe(0);
  expect((await stored(page)).placements).toHaveLength(2);
  await page.context().close();
});

test("two tabs notice each other, nothing is lost silently, and either version can win", async () => {
  const one = await s.login("o@example.test");
  await place(one, makePDF(2), "Ayu Lestari");
  const address = one.url(), two = await one.context().newPage();
  await two.goto(address);
  await two.locator("[data-page='1'] canvas").first().waitFor();
  await add(one, "sign");
  await saved(one);
  await add(two, "paraf");
  const told = two.locator("[data-conflict]");
  await told.waitFor();
  expect((await stored(one)).placements.map((p) => p.type)).toEqual(["sign"]); // not overwritten
  await told.getByRole("button", { name: "Load the other version" }).click();
  await two.locator("[data-kind=sign]").waitFor();
  await saved(two);
  expect((await stored(one)).placements.map((p) => p.type)).toEqual(["sign"]);
  await two.getByRole("button", { name: "Undo" }).click(); // brings mine back
  await two.locator("[data-kind=paraf]").waitFor();
  await saved(two);
  expect((await stored(one)).placements.map((p) => p.type)).toEqual(["paraf"]);
  await add(one, "emet");
  await one.locator("[data-conflict]").getByRole("button", { name: "Keep mine" }).click();
  await saved(one);
  expect((await stored(one)).placements.map((p) => p.type)).toEqual(["sign", "emet"]);

  // A change of another part of the draft is not a conflict.
  await two.goto(address.replace("step=place", "step=file"));
  await two.getByRole("textbox", { name: "Title of the document" }).fill("Sewa Ruko");
  await saved(two);
  await add(one, "paraf");
  await saved(one);
  expect(await one.locator("[data-conflict]").count()).toBe(0);
  expect((await stored(one)).placements).toHaveLength(3);
  await one.context().close();
});

test("who is logged out while they edit logs in again on the same screen, and the change is saved", async () => {
  const page = await s.login("o@example.test");
  await place(page, makePDF(2), "Ayu Lestari");
  await page.evaluate(() => { (window as unknown as { same: boolean }).same = true; });
  await page.context().clearCookies();
  await add(page, "sign");
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.waitFor();
  expect(await dialog.getByRole("textbox", { name: "E-mail" }).inputValue()).toBe("o@example.test");
  await page.keyboard.press("Escape"); // loses nothing
  await dialog.getByRole("textbox", { name: "Password" }).fill("salah sekali");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("textbox", { name: "Password" }).fill(password);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await saved(page);
  expect((await stored(page)).placements).toHaveLength(1);
  expect(await page.evaluate(() => (window as unknown as { same: boolean }).same)).toBe(true); // not reloaded
  await page.context().close();
});

test.runIf(complete)("guests who were entered before are suggested, to the member who entered them alone", async () => {
  const page = await s.login("o@example.test");
  const upload = async (title: string) => {
    await page.goto(`${s.url}/new`);
    await page.setInputFiles("input[type=file]", { name: `${title}.pdf`, mimeType: "application/pdf", buffer: makePDF(1) });
    await page.getByRole("button", { name: "Upload and continue" }).click();
    await page.waitForURL("**step=people**");
  };
  await upload("Satu");
  await page.getByRole("button", { name: "Add a guest" }).click();
  await page.getByRole("combobox", { name: "Name", exact: true }).fill("Budi Santoso");
  await page.getByRole("textbox", { name: "E-mail" }).fill("budi@example.test");
  await page.getByRole("textbox", { name: "Phone" }).fill("0811");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await saved(page);
  await upload("Dua");
  await page.getByRole("combobox", { name: "Add a member" }).fill("bud");
  await page.getByRole("option", { name: "Budi Santoso (budi@example.test)" }).click();
  await page.getByText("budi@example.test · 0811").waitFor();
  await saved(page);
  await upload("Tiga");
  await page.getByRole("button", { name: "Add a guest" }).click();
  await page.getByRole("combobox", { name: "Name", exact: true }).fill("santo");
  await page.getByRole("option", { name: "Budi Santoso (budi@example.test)" }).click();
  expect(await page.getByRole("textbox", { name: "E-mail" }).inputValue()).toBe("budi@example.test");
  expect(await page.getByRole("combobox", { name: "Name", exact: true }).inputValue()).toBe("Budi Santoso");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await saved(page);
  const other = await s.login("ayu@example.test");
  const found = await (await other.request.get(`${s.url}/v1/econtract/web_app/guests?search=budi`)).json();
  expect(found.data.guest).toEqual([]);
  await other.context().close();
  await page.context().close();
});

test.runIf(complete)("the owner previews the document as one of its signers, and pages with boxes of a person are marked", async () => {
  const page = await s.login("o@example.test");
  await place(page, makePDF(4), "Ayu Lestari", "Pemilik Satu");
  await page.getByRole("textbox", { name: "Go to page" }).fill("3");
  await page.keyboard.press("Enter");
  await page.locator("[data-page='3'] canvas").first().waitFor();
  await add(page, "sign");
  await page.getByRole("button", { name: "Page 3, 1 box, 1 of them for Ayu Lestari" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("[data-pages-of]").getByText("Ayu Lestari has boxes on page 3").waitFor();
  await page.getByRole("combobox", { name: "For" }).click();
  await page.getByRole("option", { name: "Pemilik Satu" }).click();
  await page.getByRole("button", { name: "Page 3, 1 box", exact: true }).waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**step=review**");
  await page.getByRole("button", { name: "Preview as a signer" }).click();
  const preview = page.getByRole("region", { name: "Preview as a signer" });
  await preview.getByText("You sign as Ayu Lestari.").waitFor();
  await preview.getByText("One signature, on page 3.").waitFor();
  await preview.getByRole("button", { name: "Show the place" }).click();
  await preview.locator("[data-mark='3']").waitFor();
  await preview.getByRole("combobox", { name: "Show as" }).click();
  await page.getByRole("option", { name: "Pemilik Satu" }).click();
  await preview.getByText("One signature, not visible on the pages.").waitFor();
  await expect.poll(() => preview.locator("[data-mark]").count()).toBe(0);
  await page.context().close();
});

test.runIf(complete)("initials are a picture of their own: typed from the name at first, and saved for the next time", async () => {
  const owner = await s.login("o@example.test");
  const page = await s.login("ayu@example.test");
  const send = async () => {
    await place(owner, makePDF(1), "Ayu Lestari");
    await add(owner, "sign");
    await add(owner, "paraf");
    await owner.getByRole("button", { name: "Continue" }).click();
    await owner.waitForURL("**step=review**");
    await owner.getByRole("button", { name: "Send", exact: true }).click();
    await owner.waitForURL("**/document/**");
    await page.goto(`${owner.url()}/sign`);
    await page.locator("[data-page='1'] canvas").first().waitFor();
  };
  const sent = () => page.waitForRequest((r) => r.url().endsWith("/sign-docs")).then((r) => r.postDataJSON() as { specimen?: string; initials?: string });
  const sign = async () => {
    await page.getByRole("checkbox", { name: "I have read the document" }).check();
    const request = sent();
    await page.getByRole("button", { name: "Sign", exact: true }).click();
    const body = await request;
    await page.getByRole("heading", { name: "You have signed" }).waitFor();
    return body;
  };
  await send();
  const signature = page.locator("[data-look=signature]"), initials = page.locator("[data-look=initials]");
  expect(await initials.getByRole("textbox", { name: "Your initials as text" }).inputValue()).toBe("AL");
  await initials.getByRole("img", { name: "Your initials" }).waitFor();
  await signature.locator("label").filter({ hasText: /^Type$/ }).click();
  await signature.getByRole("img", { name: "Your signature" }).waitFor();
  const first = await sign();
  expect([typeof first.specimen, typeof first.initials, first.initials === first.specimen]).toEqual(["string", "string", false]);
  await expect.poll(async () => (await page.request.get(`${s.url}/v1/auth/specimen?kind=initials`)).status()).toBe(200);
  // Both were saved, and are offered the next time.
  await send();
  await initials.locator("label").filter({ hasText: /^Saved$/ }).waitFor();
  await initials.getByRole("img", { name: "Your initials" }).waitFor();
  const again = await sign();
  expect([again.specimen, again.initials === first.initials]).toEqual([undefined, true]); // without a picture, the service shows the saved signature
  await page.context().close();
  await owner.context().close();
});
