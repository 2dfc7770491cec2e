import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { complete, makePDF, stage, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
  s.user("Penanda Dua", "s@example.test");
});
afterAll(() => s.close());

const file = (pages: number) => ({ name: "Perjanjian Sewa.pdf", mimeType: "application/pdf", buffer: makePDF(pages) });
const saved = (page: Page) => page.waitForSelector("[data-saved=true]");

async function draft(page: Page, pages: number): Promise<void> {
  await page.goto(`${s.url}/new`);
  await page.setInputFiles("input[type=file]", file(pages));
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.waitForURL("**step=people**");
}

/** The boxes that the service has stored for the draft on the page. */
const boxes = (page: Page) => page.evaluate(async () => {
  const id = new URL(location.href).searchParams.get("document");
  const answer = await fetch(`v1/econtract/web_app/document/placements/${id}`);
  return (await answer.json()).data.placements as { type: string; page: number; box: { llx: number; lly: number; urx: number; ury: number } }[];
});

test("a contract is created and sent by keyboard alone, and placements are announced", async () => {
  const page = await s.login("o@example.test");
  await draft(page, 3);
  await page.getByRole("combobox", { name: "Add a member" }).focus();
  await page.keyboard.type("Dua");
  await page.waitForFunction(() => document.querySelectorAll("[role=option]").length === 1); // what matches; before, all members are offered
  await page.getByRole("option", { name: /Penanda Dua/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove Penanda Dua" }).waitFor();
  await page.getByRole("checkbox", { name: "I sign too" }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Move Pemilik Satu up" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Pemilik Satu is now 1 of 2").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Continue" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**step=place**");

  await page.locator("[data-tool=sign]:enabled").focus();
  await page.keyboard.press("Enter");
  const box = page.locator("[data-box]");
  await box.waitFor();
  await page.waitForFunction(() => document.activeElement?.hasAttribute("data-box"));
  await saved(page);
  const before = (await boxes(page))[0]!.box;
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Alt+Shift+ArrowRight");
  const said = page.locator("[data-said]");
  await expect.poll(() => said.textContent()).toContain(`${Math.round(before.llx) - 1} points from left, ${Math.round(before.lly) + 10} from bottom`);
  await page.keyboard.press("PageDown");
  await expect.poll(() => said.textContent()).toContain("Page 2");
  await expect.poll(async () => (await boxes(page))[0]).toMatchObject({ type: "sign", page: 2, box: { llx: before.llx - 1, lly: before.lly + 10, urx: before.urx + 9, ury: before.ury + 10 } });

  // Numbers can be typed, and a button leads back to the box.
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("72");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.hasAttribute("data-box"));
  await expect.poll(async () => (await boxes(page))[0]!.box.llx).toBe(72);

  // A stamp is square; removed by Delete, brought back by Control-Z.
  await page.locator("[data-tool=emet]").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => box.count()).toBe(2);
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-kind") === "emet");
  await page.keyboard.press("Control+D");
  await expect.poll(() => box.count()).toBe(3);
  await page.keyboard.press("Delete");
  await expect.poll(() => box.count()).toBe(2);
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-kind") === "emet");
  await page.keyboard.press("Delete");
  await expect.poll(() => box.count()).toBe(1);
  await page.keyboard.press("Control+Z");
  await expect.poll(async () => (await boxes(page)).map((b) => b.type)).toEqual(["sign", "emet"]);
  await saved(page); // the button takes no key while the request is running

  await page.getByRole("button", { name: "Continue" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**step=review**");
  await page.getByRole("button", { name: "Send", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/document/**");
  await page.getByText("Pemilik Satu").first().waitFor();
  await page.context().close();
});

test("leaving and coming back loses nothing", async () => {
  const page = await s.login("o@example.test");
  await draft(page, 2);
  await page.getByRole("button", { name: "Add a guest" }).click();
  await page.getByRole("combobox", { name: "Name", exact: true }).fill("Budi Tamu");
  await page.getByRole("textbox", { name: "E-mail" }).fill("budi@example.test");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("link", { name: "Sent" }).click(); // at once, before anything was saved
  await page.waitForURL("**/sent**");
  await page.goBack();
  await page.getByText("budi@example.test").waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**step=place**");
  const first = page.locator("[data-page='1']");
  await first.locator("canvas").waitFor();
  await page.locator("[data-tool=paraf]").click();
  await first.locator("[class*=sheet]").click({ position: { x: 200, y: 500 } });
  await page.locator("[data-box]").waitFor();
  await page.getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => page.locator("[data-box]").count()).toBe(2);
  await saved(page);
  await page.reload();
  await expect.poll(() => page.locator("[data-box]").count()).toBe(2);
  expect((await boxes(page)).map((b) => [b.type, b.page])).toEqual([["paraf", 1], ["paraf", 2]]);
  await page.context().close();
});

test("a click on Continue counts although a change is being saved when it ends", async () => {
  const page = await s.login("o@example.test");
  await draft(page, 1);
  await page.getByRole("link", { name: /File/ }).click();
  const title = page.getByRole("textbox", { name: "Title" });
  await title.waitFor();
  const button = await page.getByRole("button", { name: "Continue" }).boundingBox();
  let release = () => {};
  const released = new Promise<void>((done) => { release = done; });
  await page.route("**/v1/**", async (route) => {
    if (route.request().method() !== "GET") await released;
    await route.continue();
  });
  await page.mouse.move(button!.x + button!.width / 2, button!.y + button!.height / 2);
  await title.fill("Sewa Kantor");
  await Promise.all([page.waitForRequest((r) => r.method() !== "GET"), page.mouse.down()]);
  await page.mouse.up();
  release();
  await page.waitForURL("**step=people**");
  await page.getByText("Sewa Kantor").waitFor();
});

test("title and deadline of a draft are changed, and another file takes its place", async () => {
  const page = await s.login("s@example.test");
  await draft(page, 1);
  await page.getByRole("checkbox", { name: "I sign too" }).click();
  await saved(page);
  const former = Number(new URL(page.url()).searchParams.get("document"));
  await page.getByRole("navigation", { name: "Steps" }).getByRole("link", { name: /File/ }).click();
  await page.getByRole("textbox", { name: "Title of the document" }).fill("");
  await page.getByText("Not saved yet.").waitFor();
  expect(await page.getByRole("textbox", { name: "Title of the document" }).getAttribute("aria-invalid")).toBe("true");
  await page.getByRole("textbox", { name: "Title of the document" }).fill("Sewa Ruko 2031");
  await page.locator("input[type=datetime-local]").fill("2031-01-31T17:00");
  await saved(page);
  await page.reload();
  await page.getByRole("heading", { name: "File" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Title of the document" }).inputValue()).toBe("Sewa Ruko 2031");
  expect(await page.locator("input[type=datetime-local]").inputValue()).toBe("2031-01-31T17:00");

  await page.getByRole("link", { name: "Choose another file" }).click();
  await page.getByText("replaces the draft").waitFor();
  await page.setInputFiles("input[type=file]", { name: "Lampiran.pdf", mimeType: "application/pdf", buffer: makePDF(2) });
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.waitForURL("**step=people**");
  await expect.poll(() => page.getByRole("checkbox", { name: "I sign too" }).isChecked()).toBe(true); // the participants were kept
  expect(Number(new URL(page.url()).searchParams.get("document"))).not.toBe(former);
  expect((await page.request.get(`${s.url}/v1/econtract/web_app/document/detail/${former}`)).status()).toBe(404);
  await page.context().close();
});

test.runIf(complete)("a box is dragged by a finger on a phone, from the tools to the page and on it", async () => {
  const page = await s.login("o@example.test", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await draft(page, 1);
  await page.getByRole("checkbox", { name: "I sign too" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**step=place**");
  await page.locator("[data-page='1'] canvas").waitFor();
  await page.locator("[data-tool=emet]").tap();
  await page.locator("[class*=sheet]").tap({ position: { x: 150, y: 60 } });
  const box = page.locator("[data-box]");
  await box.waitFor();
  await saved(page);
  const before = (await boxes(page))[0]!.box;
  const r = (await box.boundingBox())!;
  const touch = await page.context().newCDPSession(page);
  const at = (x: number, y: number) => [{ x: r.x + x, y: r.y + y }];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(10, 10) });
  for (let i = 1; i <= 5; i++) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(10 - i * 10, 10) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await expect.poll(async () => (await boxes(page))[0]!.box.llx).toBeLessThan(before.llx - 40);
  await page.context().close();
});

test("a dragged box snaps to the text, stays on the page it is dropped on, and can be resized", async () => {
  const page = await s.login("o@example.test");
  await draft(page, 1);
  await page.getByRole("checkbox", { name: "I sign too" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  const sheet = page.locator("[class*=sheet]");
  await page.locator("[data-page='1'] canvas").waitFor();
  const tool = (await page.locator("[data-tool=sign]").boundingBox())!, on = (await sheet.boundingBox())!;
  await page.mouse.move(tool.x + 20, tool.y + 10);
  await page.mouse.down();
  await page.mouse.move(on.x + 300, on.y + 330, { steps: 5 });
  await page.mouse.up();
  const box = page.locator("[data-box]");
  await box.waitFor();
  await page.getByText(/This box covers text on page 1/).first().waitFor();
  const r = (await box.boundingBox())!, perPoint = on.width / 595;
  // The text begins 72 points from the left; the left edge is dropped 3 pixels beside it.
  const dx = on.x + 72 * perPoint + 3 - r.x;
  await page.mouse.move(r.x + 60, r.y + 20);
  await page.mouse.down();
  await page.mouse.move(r.x + 60 + dx, r.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await boxes(page))[0]!.box.llx).toBeCloseTo(72, 0);
  const handle = (await page.locator("[data-handle=se]").boundingBox())!;
  await page.mouse.move(handle.x + 14, handle.y + 14);
  await page.mouse.down();
  await page.mouse.move(handle.x + 14 + 20 * perPoint, handle.y + 14, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => { const { llx, urx } = (await boxes(page))[0]!.box; return Math.round(urx - llx); }).toBe(170);

  // Escape ends a drag and leaves the box where it was.
  const still = (await box.boundingBox())!;
  await page.mouse.move(still.x + 60, still.y + 20);
  await page.mouse.down();
  await page.mouse.move(still.x + 160, still.y + 60, { steps: 4 });
  await expect.poll(async () => (await box.boundingBox())!.x).toBeGreaterThan(still.x + 50);
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await box.boundingBox())!.x).toBeCloseTo(still.x, 0);
  await page.mouse.up();
  await saved(page);
  expect((await boxes(page))[0]!.box.llx).toBeCloseTo(72, 0);

  // The service reads the text itself and names it.
  await page.locator("[data-tool=emet]").click();
  await sheet.click({ position: { x: 130 * perPoint, y: 90 * perPoint } });
  const warning = page.getByText(/This box covers text on page 1: “Pasal/).first();
  await warning.waitFor();
  await saved(page);

  // The warning is shown again before sending, also to an owner who comes back later, and the warnings of the answer
  // stay visible.
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**step=review**");
  await warning.waitFor();
  await page.reload();
  await warning.waitFor();
  await page.getByRole("link", { name: "Change the placement" }).click();
  for (const words of ["Pasal 11. Perjanjian", "Pasal 1. Perjanjian"]) await page.getByRole("img", { name: `This box covers text on page 1: “${words}` }).waitFor(); // for the signature and the stamp, before any change
  await page.goBack();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL("**/document/**");
  const told = page.locator("[data-told]");
  await told.getByText("The document has been sent for signing").waitFor();
  await told.getByText(/This box covers text on page 1/).first().waitFor();
  await told.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => told.count()).toBe(0);
  await page.context().close();
});

test("a file that is dropped on the inbox starts a document", async () => {
  const page = await s.enter("s@example.test");
  await page.getByText("Nothing is waiting for your signature.").or(page.locator("[data-document]")).first().waitFor();
  await page.evaluate((bytes) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], "Kontrak.pdf", { type: "application/pdf" }));
    window.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, [...makePDF(1)]);
  await page.waitForURL("**/new**");
  expect(await page.getByRole("textbox", { name: "Title of the document" }).inputValue()).toBe("Kontrak");
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.waitForURL("**step=people**");
  await page.context().close();
});

test("a refused file shows the reason beside it", async () => {
  const page = await s.login("o@example.test");
  await page.goto(`${s.url}/new`);
  await page.setInputFiles("input[type=file]", { name: "gambar.pdf", mimeType: "application/pdf", buffer: Buffer.from("GIF89a no contract") });
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.getByRole("alert").first().waitFor();
  expect(new URL(page.url()).searchParams.get("document")).toBeNull();
  await page.context().close();
});
