import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page, Request } from "playwright-core";

import { guestLink, read, send } from "./contract";
import { freePort, makePDF, stage, violations, type Stage } from "./harness";

let s: Stage;
const folder = mkdtempSync(path.join(tmpdir(), "segel-states-"));
const scan = path.join(folder, "pindaian.pdf"), huge = path.join(folder, "raksasa.pdf");
beforeAll(async () => {
  s = await stage({ env: { SEGEL_MAX_FILE: "12MiB" } });
  s.user("Pemilik Satu", "o@example.test");
  writeFileSync(scan, makePDF(3, 9e6));
  writeFileSync(huge, makePDF(3, 13e6));
});
afterAll(async () => {
  await s.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A line to the service that can be cut, and that counts the bytes that were sent. */
async function line() {
  const target = Number(new URL(s.url).port), port = await freePort();
  const open = new Set<Socket>();
  let sent = 0, up = true, cutAt = Infinity;
  const server = createServer((near) => {
    if (!up) return near.destroy();
    const far = connect(target, "127.0.0.1");
    open.add(near);
    near.on("data", (d: Buffer) => {
      sent += d.length;
      if (sent >= cutAt) cut();
    });
    for (const [a, b] of [[near, far], [far, near]] as const) {
      a.pipe(b);
      a.on("error", () => b.destroy()).on("close", () => { b.destroy(); open.delete(near); });
    }
  });
  const cut = () => {
    [up, cutAt] = [false, Infinity];
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    sent: () => sent,
    /** Cuts the line once so many more bytes were sent. */
    cutAfter: (bytes: number) => { [sent, cutAt] = [0, bytes]; },
    restore: () => { [sent, up] = [0, true]; },
    close: () => { cut(); server.close(); },
  };
}

/** Sends no more than so many bytes a second. */
async function throttle(page: Page, bytes: number): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytes });
}

const keysOf = (page: Page, verb: string) => {
  const keys: (string | undefined)[] = [];
  page.on("request", (r: Request) => { if (r.url().endsWith(verb)) keys.push(r.headers()["idempotency-key"]); });
  return keys;
};

const signatures = async (page: Page, id: number) => {
  const trail = (await (await page.request.get(`${s.url}/v1/econtract/web_app/document/audit-trail/${id}`)).json()) as { data: { type: string }[] };
  return trail.data.filter((e) => e.type === "signed").length;
};

test("offline, a banner says so, a signature says at its button that it was not made, and is made once afterwards", async () => {
  const owner = await s.login("o@example.test");
  const sent = await send(owner, "Sewa Luring", [{ name: "Budi Tamu", email: "budi@example.test", guest: true }], 0);
  const page = await (await s.browser.newContext({ locale: "en", viewport: { width: 360, height: 740 } })).newPage();
  const keys = keysOf(page, "sign-docs");
  await page.goto(await guestLink(owner, sent, "budi@example.test"));
  await page.getByRole("button", { name: "Sign", exact: true }).click();
  await read(page);
  await page.context().setOffline(true);
  const banner = page.getByText("You are offline; what you typed is kept.");
  await banner.waitFor();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Sign", exact: true }).click();
  await sheet.getByRole("alert").getByText("Nothing was sent, and what you entered is kept.").waitFor();
  expect(await page.getByRole("checkbox", { name: "I have read the document" }).isChecked()).toBe(true);
  expect(keys).toEqual([]);
  expect(await violations(page)).toEqual([]);
  await page.context().setOffline(false);
  await banner.waitFor({ state: "detached" });
  // The answer to the first request is lost on its way: the same key is sent again, and there is one signature.
  let lost = false;
  await page.route("**/sign-docs", async (route) => {
    if (lost) return route.continue();
    lost = true;
    await route.fetch();
    await route.abort();
  });
  await sheet.getByRole("button", { name: "Sign", exact: true }).click();
  await page.getByText("You have signed").first().waitFor();
  await expect.poll(() => keys.length).toBeGreaterThan(1);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(await signatures(owner, sent.id)).toBe(1);
  await page.context().close();
  await owner.context().close();
});

test("while the service restarts, reads say so at their place and continue by themselves, and an action is carried out", async () => {
  const owner = await s.login("o@example.test");
  const sent = await send(owner, "Sewa Mulai Ulang", [{ name: "Pemilik Satu", email: "o@example.test" }], 0);
  await owner.goto(`${s.url}/document/${sent.id}/sign`);
  await read(owner);
  const other = await owner.context().newPage();
  await other.goto(`${s.url}/inbox`);
  await other.getByRole("heading", { level: 1 }).waitFor();
  await s.stop();
  await other.getByRole("link", { name: "Sent", exact: true }).click();
  await other.getByRole("main").getByText("We keep trying; you do not need to do anything.").first().waitFor();
  await other.getByText("The service does not answer at the moment.").waitFor();
  expect(await violations(other)).toEqual([]);
  await owner.getByRole("button", { name: "Sign", exact: true }).click();
  await s.start();
  await other.getByText("Sewa Mulai Ulang").first().waitFor();
  await other.getByText("The service does not answer at the moment.").waitFor({ state: "detached" });
  await owner.getByText("You have signed").first().waitFor();
  expect(await signatures(owner, sent.id)).toBe(1);
  // A finished file is called by its title.
  await owner.goto(`${s.url}/document/${sent.id}`);
  const [file] = await Promise.all([owner.waitForEvent("download"), owner.getByRole("link", { name: "Download", exact: true }).click()]);
  expect(file.suggestedFilename()).toBe("Sewa Mulai Ulang-signed.pdf");
  await owner.context().close();
});

test("an upload continues after a cut and after a reload, without sending again what arrived", async () => {
  const wire = await line();
  const owner = await s.login("o@example.test");
  await owner.goto(`${wire.url}/new`);
  const choose = async () => {
    await owner.locator("input[type=file]").setInputFiles(scan);
    await owner.getByLabel("Title of the document").waitFor();
    await owner.getByRole("button", { name: "Upload and continue" }).click();
  };
  await owner.locator("input[type=file]").waitFor({ state: "attached" });
  await throttle(owner, 3e6);
  wire.cutAfter(3.5e6);
  await choose();
  await owner.getByText("The connection was cut.").waitFor();
  expect(await owner.getByText(/^\d.* of 9 MB/).textContent()).toBeTruthy();
  expect(await violations(owner)).toEqual([]);
  const stored = Number(await owner.locator("[data-sent]").getAttribute("data-sent"));
  expect(stored).toBeGreaterThanOrEqual(2 << 20);
  wire.restore();
  // Some more arrives, and the page is closed.
  await owner.waitForFunction((at) => Number(document.querySelector("[data-sent]")?.getAttribute("data-sent")) > at, stored + 2.5e6);
  await owner.reload();
  wire.restore();
  await owner.locator("input[type=file]").waitFor({ state: "attached" });
  await throttle(owner, -1);
  await choose();
  await owner.getByRole("heading", { name: "Who takes part?" }).or(owner.getByText("Signing order from top to bottom.")).first().waitFor();
  expect(wire.sent()).toBeLessThan(9e6 - stored - (2 << 20) + 1e6);
  const list = (await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/out?page=1&limit=50`)).json()) as { data: { documents: { document_title: string; id: number }[] } };
  const made = list.data.documents.filter((d) => d.document_title === "pindaian");
  expect(made.length).toBe(1);
  const original = await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/original/${made[0]!.id}`)).body();
  expect(original.equals(makePDF(3, 9e6))).toBe(true);
  await owner.context().close();
  wire.close();
});

test("the limit is named before a file is chosen, and a larger file is refused before a byte is sent", async () => {
  for (const [at, limit] of [["/new", "At most 13 MB and 2,000 pages"], ["/verify", "At most 13 MB"]] as const) {
    const owner = await s.login("o@example.test", { viewport: { width: 360, height: 740 } });
    await owner.goto(s.url + at);
    await owner.getByText(limit, { exact: true }).waitFor();
    const sent: string[] = [];
    owner.on("request", (r) => { if (r.method() !== "GET") sent.push(r.url()); });
    await owner.locator("input[type=file]").setInputFiles(huge);
    await owner.getByRole("alert").getByText("“raksasa.pdf” is 13.0 MB; the limit is 12.6 MB.").waitFor();
    expect(sent).toEqual([]);
    expect(await violations(owner)).toEqual([]);
    await owner.context().close();
  }
});
