import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";

import { send } from "./contract";
import { stage, violations, type Stage } from "./harness";

let receiver: Server, s: Stage;
const got: { headers: IncomingMessage["headers"]; body: string }[] = [];
const satu = { name: "Pemilik Satu", email: "o@example.test" };
beforeAll(async () => {
  receiver = createServer((r, w) => {
    let body = "";
    r.on("data", (part: Buffer) => (body += part.toString()));
    r.on("end", () => { got.push({ headers: r.headers, body }); w.end("diterima"); });
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  s = await stage({ env: { SEGEL_ORGANISATION_PRIVATE_NETWORKS: "127.0.0.0/8", SEGEL_OUTBOUND_PORTS: String((receiver.address() as AddressInfo).port) } });
  s.user(satu.name, satu.email, "admin");
});
afterAll(async () => {
  await s.close();
  receiver.close();
});

test("an administrator adds a webhook, tests it and reads what was sent", async () => {
  const page = await s.enter(satu.email);
  await page.getByRole("link", { name: "Admin", exact: true }).click();
  await page.getByRole("tab", { name: "Webhooks" }).click();
  await page.getByText("No webhooks yet.").waitFor();
  await page.getByRole("button", { name: "Add a webhook" }).click();
  const form = page.getByRole("form", { name: "Add a webhook" });
  await form.getByRole("textbox", { name: "Address" }).fill("ftp://example.test");
  await form.getByRole("button", { name: "Add a webhook" }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await form.getByRole("textbox", { name: "Address" }).fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
  await form.getByRole("textbox", { name: "Description" }).fill("Arsip");
  await form.getByRole("checkbox", { name: "document.completed" }).check();
  await form.getByRole("button", { name: "Add a webhook" }).click();
  const secret = (await page.locator("[data-webhook-secret]").textContent())!;
  await page.getByText("Arsip").waitFor();

  await page.getByRole("button", { name: "Send a test" }).click();
  const sent = page.getByRole("dialog", { name: "Deliveries" });
  await sent.getByRole("listitem").getByText("Delivered", { exact: true }).waitFor();
  await sent.getByRole("button", { name: "Show request and response" }).click();
  await sent.getByText('"type":"webhook.test"').waitFor(); // the answer of a private host is not shown
  const { headers, body } = got[0]!;
  const signed = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64")).update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`).digest("base64");
  expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
  await sent.getByRole("button", { name: "Send again" }).click();
  await expect.poll(() => got.length).toBe(2);
  await page.keyboard.press("Escape");

  // Another address, and all events.
  await page.getByRole("button", { name: "Change", exact: true }).click();
  const change = page.getByRole("dialog", { name: "Change" });
  expect(await change.getByRole("checkbox", { name: "document.completed" }).isChecked()).toBe(true);
  await change.getByRole("textbox", { name: "Address" }).fill("http://example.com/hook"); // no private host
  await change.getByRole("button", { name: "Save" }).click();
  await change.locator("[aria-invalid=true]").first().waitFor();
  await change.getByRole("textbox", { name: "Address" }).fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/lain`);
  await change.getByRole("checkbox", { name: "All events" }).check();
  await change.getByRole("button", { name: "Save" }).click();
  await change.waitFor({ state: "detached" });
  await page.getByText("/lain").waitFor();
  await page.getByText("All events").waitFor();

  // A document is sent by then; its events are sent again since yesterday.
  const before = got.length;
  await send(page, "Kirim ulang", [satu], 0);
  await expect.poll(() => got.filter((g) => g.body.includes("document.finalized")).length).toBe(1);
  expect(got.length).toBeGreaterThan(before);
  await page.goto(`${s.url}/admin?tab=webhooks`);
  await page.getByRole("button", { name: "Deliveries" }).click();
  // Filters, and pages of what was sent.
  await expect.poll(() => sent.getByRole("listitem").count()).toBeGreaterThan(1);
  await sent.getByRole("searchbox", { name: "Document number" }).fill("999999");
  await sent.getByText("Nothing matches.").waitFor();
  await sent.getByRole("button", { name: "Clear filters" }).click();
  await sent.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Given up" }).click();
  await sent.getByText("Nothing matches.").waitFor();
  await sent.getByRole("button", { name: "Clear filters" }).click();
  await sent.getByText("document.finalized").waitFor();
  expect(await violations(page)).toEqual([]);
  await sent.getByRole("button", { name: "Send all again" }).click();
  await sent.getByText("The events since then are being sent again.").waitFor();
  await expect.poll(() => got.filter((g) => g.body.includes("document.finalized")).length).toBe(2);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "New secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
  await expect.poll(() => page.locator("[data-webhook-secret]").textContent()).not.toBe(secret);
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByText("Disabled by an admin").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No webhooks yet.").waitFor();
  await page.context().close();
});
