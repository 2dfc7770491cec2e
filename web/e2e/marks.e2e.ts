import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { guestLink, read, send } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";

// What is drawn over the pages: everyone sees all boxes before signing, and what a picture becomes.

let s: Stage, owner: Page;
const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" };
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };

beforeAll(async () => {
  s = await stage();
  s.user(satu.name, satu.email);
  s.user(dua.name, dua.email);
  owner = await s.login(satu.email);
});
afterAll(() => s.close());

/** A PNG that the browser draws: a grey background, with or without a line. */
const photo = async (page: Page, line: boolean) =>
  Buffer.from(
    await page.evaluate(async (line) => {
      const c = document.createElement("canvas");
      c.width = 600;
      c.height = 300;
      const g = c.getContext("2d")!;
      g.fillStyle = "#b0b0b0";
      g.fillRect(0, 0, c.width, c.height);
      g.strokeStyle = "#c02040";
      g.lineWidth = 12;
      g.beginPath();
      if (line) g.bezierCurveTo(100, 250, 300, -100, 500, 200);
      g.stroke();
      return c.toDataURL("image/png").split(",")[1]!;
    }, line),
    "base64",
  );

const panel = (page: Page) => page.getByRole("region", { name: "What you need to do" });

async function opened(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator("[data-page='1'] canvas").waitFor();
}

test("everyone sees the boxes of all people before signing: whose each is, of what kind, on which page", async () => {
  const contract = await send(owner, "Sewa Ruko", [dua, satu, budi]);
  const page = await s.enter(dua.email);
  await opened(page, `${s.url}/document/${contract.id}/sign`);
  const first = page.locator("[data-page='1']"), second = page.locator("[data-page='2']");
  await first.getByRole("img", { name: "Signature of Pemilik Satu, page 1", exact: true }).waitFor();
  await first.getByRole("img", { name: "Signature of Budi Tamu, page 1", exact: true }).waitFor();
  await first.getByText("Sign here").waitFor(); // mine
  await second.getByRole("img", { name: "Duty stamp of Penanda Dua, page 2", exact: true }).waitFor();
  // They are where they were placed, and the text below is readable.
  const sheet = (await first.boundingBox())!, box = (await first.getByRole("img", { name: /Budi Tamu/ }).boundingBox())!;
  expect((box.x - sheet.x) / sheet.width).toBeCloseTo(390 / 595, 1);
  expect((sheet.y + sheet.height - box.y) / sheet.height).toBeCloseTo(170 / 842, 1);
  await page.getByRole("button", { name: "Boxes of all people on the pages: 4" }).click();
  await page.locator("[data-boxes]").getByText("Budi Tamu: Signature, page 1").waitFor();
  await page.locator("[data-boxes]").getByText("Penanda Dua: Duty stamp, page 2").waitFor();
  expect(await violations(page)).toEqual([]);

  await read(page);
  await panel(page).getByRole("button", { name: "Sign", exact: true }).click();
  await first.getByRole("img", { name: "Signature of Penanda Dua, page 1, signed" }).waitFor();
  await page.context().close();

  // A guest sees the same, also on a phone.
  const guest = await (await s.browser.newContext({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: "en", reducedMotion: "reduce" })).newPage();
  await opened(guest, await guestLink(owner, contract, budi.email));
  await guest.getByRole("img", { name: "Signature of Pemilik Satu, page 1", exact: true }).waitFor();
  await guest.getByRole("img", { name: "Signature of Penanda Dua, page 1, signed" }).waitFor();
  await guest.getByRole("button", { name: /^Boxes of all people/ }).tap();
  await guest.locator("[data-boxes]").getByText("Pemilik Satu: Signature, page 1").waitFor();
  expect(await violations(guest)).toEqual([]);
  expect(await guest.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await guest.context().close();
});

test("the preview of a picture shows what it becomes, and a picture without a signature is refused with advice", async () => {
  const contract = await send(owner, "Surat Kuasa", [budi], 0);
  const page = await (await s.browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en" })).newPage();
  await opened(page, await guestLink(owner, contract, budi.email));
  await panel(page).getByText("Upload", { exact: true }).click();
  const choose = (line: boolean) => photo(page, line).then((buffer) => page.setInputFiles("input[type=file]", { name: "foto.png", mimeType: "image/png", buffer }));
  await choose(false);
  await panel(page).getByText(/Use a picture of your signature in dark ink on a light background/).waitFor();
  await choose(true);
  const preview = panel(page).getByRole("img", { name: "Your signature" });
  await preview.waitFor();
  await panel(page).getByText(/one dark colour on a transparent background/).waitFor();
  const seen = await preview.evaluate(async (img: HTMLImageElement) => {
    await img.decode();
    const c = document.createElement("canvas");
    c.width = img.naturalWidth;
    c.height = img.naturalHeight;
    const g = c.getContext("2d")!;
    g.drawImage(img, 0, 0);
    const p = g.getImageData(0, 0, c.width, c.height).data;
    const inked = new Set<string>();
    let covered = 0;
    for (let i = 0; i < p.length; i += 4) {
      if (p[i + 3]! > 0) covered++;
      if (p[i + 3]! === 255) inked.add(`${p[i]} ${p[i + 1]} ${p[i + 2]}`);
    }
    return { colours: [...inked], covered: covered / (p.length / 4) };
  });
  expect(seen.colours).toEqual(["22 33 54"]);
  expect(seen.covered).toBeGreaterThan(0);
  expect(seen.covered).toBeLessThanOrEqual(0.4);
  expect(await violations(page)).toEqual([]);
  await read(page);
  await panel(page).getByRole("button", { name: "Sign", exact: true }).click();
  await page.getByRole("img", { name: "Signature of Budi Tamu, page 1, signed" }).waitFor();
  await page.context().close();
});

test.runIf(complete)("a box that covers too much of a page shows the refusal beside it", async () => {
  const page = await s.login(satu.email);
  await page.goto(`${s.url}/new`);
  await page.setInputFiles("input[type=file]", { name: "Perjanjian.pdf", mimeType: "application/pdf", buffer: makePDF(1) });
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.waitForURL("**step=people**");
  await page.getByRole("checkbox", { name: "I sign too" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.locator("[data-page='1'] canvas").waitFor();
  await page.locator("[data-tool=paraf]:enabled").focus();
  await page.keyboard.press("Enter");
  await page.locator("[data-box]").waitFor();
  const field = async (name: string, value: string) => {
    await page.getByRole("textbox", { name, exact: true }).fill(value);
    await page.keyboard.press("Tab");
  };
  await field("Left (pt)", "0");
  await field("Bottom (pt)", "0");
  await field("Width (pt)", "595");
  await field("Height (pt)", "842");
  const refusal = page.getByText(/cover at most 25 % of a page; with this box they cover 100 % of page 1/).first();
  await refusal.waitFor();
  await page.locator("[data-box][data-wrong=true]").waitFor();
  expect(await violations(page)).toEqual([]);
  await field("Height (pt)", "200");
  await refusal.waitFor({ state: "detached" });
  await page.waitForSelector("[data-saved=true]");
  await page.context().close();
});
