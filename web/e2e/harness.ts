import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHTTPServer, request as ask, type Server } from "node:http";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

export const binary = process.env.SEGEL_BIN ?? path.resolve(import.meta.dirname, "../../build/segel");

const shell = "/usr/bin/chromium-headless-shell";

/** Chromium's engine without its windows takes a third less time than the whole browser. */
export const browserPath = process.env.CHROMIUM ?? (existsSync(shell) ? shell : "/usr/bin/chromium");

/** Whether every variant of a test runs, or one that represents them. */
export const complete = process.env.SEGEL_E2E === "all";

/** How long a step may take, in milliseconds. A step takes a second or less; on a machine that does other work it takes much longer, and a test must not fail for it. */
const stepTimeout = 120_000;

export const password = "kata sandi uji";

export interface StageOptions {
  /** Leaves the checkbox of the consent text to the test. Otherwise it is checked as soon as it is in the way. */
  consents?: boolean;
  /** Further settings, as environment variables. */
  env?: Record<string, string>;
  /** Serve it below this path, as "/segel", behind a proxy that strips it. */
  prefix?: string;
  /** The host of its public address, 127.0.0.1 if missing. Browsers offer passkeys under "localhost", not under an IP address. */
  host?: string;
  /** For requests whose path ends so, the proxy cuts the connection after the service has answered the first. */
  lose?: string;
}

/** A service on a temporary folder, with contexts of a browser. */
export interface Stage {
  url: string;
  browser: Pick<Browser, "newContext">;
  /** Everything the service printed. */
  log: () => string;
  /** Runs the binary on the folder of the service. */
  segel: (...args: string[]) => string;
  /** Creates a member of the organisation. */
  user: (name: string, email: string, role?: "member" | "sender" | "admin" | "auditor") => void;
  /** Opens the inbox of a user who is logged in. */
  enter: (email: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Opens a page of a user who is logged in, without the app: for a test that goes elsewhere first, or only sends requests. */
  login: (email: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Ends the process of the service. */
  stop: () => Promise<void>;
  /** Starts it again on the same folder and port. */
  start: () => Promise<void>;
  close: () => Promise<void>;
}

/** Has every page of a context accept the consent text before its first signature, as its signers do once. */
function acceptConsent(context: BrowserContext) {
  context.on("page", (page) => {
    const asked = page.locator("[data-consent]").getByRole("checkbox", { checked: false });
    void page.addLocatorHandler(asked, (box) => box.check());
  });
}

let launched: Promise<Browser> | undefined;

/** The browser of the process, which runs several files one after the other. It ends with the process. Contexts share nothing. */
function launchOnce(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  return launched;
}

export async function stage({ env, prefix = "", host = "127.0.0.1", lose = "", consents = false }: StageOptions = {}): Promise<Stage> {
  const folder = mkdtempSync(path.join(tmpdir(), "segel-e2e-"));
  const data = path.join(folder, "data"), secret = path.join(folder, "password");
  writeFileSync(secret, password + "\n", { mode: 0o600 });
  const port = await freePort(), outside = prefix === "" ? port : await freePort();
  const url = `http://${host}:${outside}${prefix}`;
  const serve = async () => {
    const process = run(["serve", "--data", data, "--listen", `127.0.0.1:${port}`], { SEGEL_VERIFICATIONS_PER_MINUTE: "0", SEGEL_CONVERT: "off", SEGEL_PUBLIC_URL: url, ...env });
    await answers(`http://127.0.0.1:${port}/readyz`, process);
    return process;
  };
  let service = await serve();
  const proxy = prefix === "" ? undefined : await stripping(prefix, outside, port, lose);
  const shared = await launchOnce(), contexts = new Set<BrowserContext>();
  // Animations are drawn in the complete run only: 7 % of the processor time is theirs.
  const browser: Stage["browser"] = {
    newContext: async (options) => {
      const context = await shared.newContext({ reducedMotion: complete ? "no-preference" : "reduce", ...options });
      contexts.add(context.on("close", () => contexts.delete(context)));
      context.setDefaultTimeout(stepTimeout);
      if (!consents) acceptConsent(context);
      return context;
    },
  };
  const segel = (verb: string, ...rest: string[]) => execFileSync(binary, [...verb.split(" "), "--data", data, ...rest], { encoding: "utf8", env: plainEnv });
  if (env?.["SEGEL_STAMP_OFFICE"]) endow(data);
  const open = async (email: string, path: string, options?: BrowserContextOptions) => {
    const context = await browser.newContext({ locale: "en", viewport: { width: 1280, height: 800 }, ...options });
    const answer = await context.request.post(`${url}/v1/auth/session`, { data: { email, password } });
    if (!answer.ok()) throw new Error(`log in as ${email}: ${answer.status()} ${await answer.text()}`);
    const page = await context.newPage();
    await page.goto(`${url}/${path}`);
    return page;
  };
  return {
    url, browser, log: () => service.log(), segel: segel as Stage["segel"],
    user: (name, email, role = "sender") => void segel("user add", "--email", email, "--name", name, "--role", role, "--password-file", secret),
    login: (email, options) => open(email, "readyz", options),
    enter: async (email, options) => {
      const page = await open(email, "inbox", options);
      await page.getByRole("heading", { level: 1 }).waitFor();
      return page;
    },
    stop: () => service.end(),
    start: async () => { service = await serve(); },
    close: async () => {
      await Promise.all([...contexts].map((context) => context.close()));
      proxy?.closeAllConnections();
      proxy?.close();
      await service.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The login that the first start of a service created. */
export function firstLogin(s: Stage): { email: string; password: string } {
  const [, email, file] = /first login: (\S+), password in (.+)/.exec(s.log())!;
  return { email: email!, password: readFileSync(file!, "utf8").split("\n")[0]! };
}

/** Grants the first organisation quota: with a stamp office other than the sandbox it starts with none. */
export function endow(data: string): void {
  for (const unit of ["emet", "base"]) execFileSync(binary, ["quota", "add", "--data", data, "--org", "Segel", "--unit", unit, "--count", "1000", "--reason", "e2e"], { env: plainEnv });
}

/** A stamp office with its own process and the stamp office's protocol, whose faults can be set while it runs; see docs/emeterai.md. */
export interface Office {
  /** Environment that makes a service use it. */
  env: Record<string, string>;
  faults: (...rules: { call: string; fault: string; code?: string; at?: number[] }[]) => Promise<void>;
  close: () => Promise<void>;
}

export async function office(): Promise<Office> {
  const folder = mkdtempSync(path.join(tmpdir(), "segel-office-"));
  const url = `http://127.0.0.1:${await freePort()}`;
  const data = path.join(folder, "data"), trust = path.join(folder, "trust");
  const desk = run(["office", "--listen", url.slice("http://".length), "--data", data, "--control"]);
  await answers(`${url}/control/faults`, desk);
  // Its stamps come from another authority, which a service must be configured to trust.
  mkdirSync(path.join(trust, "stamping"), { recursive: true });
  writeFileSync(path.join(trust, "stamping", "office.pem"), execFileSync(binary, ["authority", "export", "--data", data], { env: plainEnv }));
  return {
    env: { SEGEL_TRUST_DIR: trust, SEGEL_STAMP_OFFICE: "cloud", SEGEL_STAMP_LOGIN_URL: url, SEGEL_STAMP_USER: "user@office.test", SEGEL_STAMP_PASSWORD: "specimen", SEGEL_STAMP_NETWORKS: "127.0.0.0/8", SEGEL_STAMP_SETTLE: "1ms" },
    faults: async (...rules) => {
      const answer = await fetch(`${url}/control/faults`, { method: "PUT", body: JSON.stringify({ rules }) });
      if (!answer.ok) throw new Error(`faults: ${answer.status} ${await answer.text()}`);
    },
    close: async () => {
      await desk.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A mail server with STARTTLS, and the mails that it accepted. */
export interface Mailbox {
  /** Environment that makes a service use it. */
  env: Record<string, string>;
  /** Waits for mail number n to an address, counted from 1. */
  mailTo: (address: string, n: number) => Promise<{ subject: string; text: string }>;
  close: () => Promise<void>;
}

export async function mailbox(): Promise<Mailbox> {
  const folder = mkdtempSync(path.join(tmpdir(), "segel-mailbox-"));
  const server = run(["-folder", folder], {}, path.resolve(import.meta.dirname, "../../build/mailbox"));
  for (const until = Date.now() + 20_000; !server.log().includes("/mails"); await new Promise((r) => setTimeout(r, 50))) {
    if (server.ended() || Date.now() > until) throw new Error(`the mail server did not start: ${server.log()}`);
  }
  const [address, list] = server.log().trim().split(" ") as [string, string];
  return {
    env: {
      SEGEL_MAIL_SERVERS: `smtp://localhost:${address.split(":")[1]}`, SEGEL_MAIL_FROM: "segel@example.test", SEGEL_MAIL_LANGUAGE: "en", SEGEL_OUTBOUND_PRIVATE: "127.0.0.0/8,::1/128",
      SSL_CERT_FILE: path.join(folder, "certificate.pem"),
    },
    mailTo: async (to, n) => {
      for (const until = Date.now() + 30_000; Date.now() < until; await new Promise((r) => setTimeout(r, 100))) {
        const mails = ((await (await fetch(list)).json()) as { to: string; subject: string; text: string }[]).filter((m) => m.to === to);
        if (mails.length >= n) return mails[n - 1]!;
      }
      throw new Error(`${to} did not get mail number ${n}`);
    },
    close: async () => {
      await server.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Process {
  log: () => string;
  ended: () => boolean;
  end: () => Promise<void>;
}

/** The environment without variables of Segel: some are of tests, with which the program does not start. */
const plainEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEGEL_")));

/** Starts the binary, or another program. The caller ends it. */
export function run(args: string[], env: Record<string, string> = {}, program = binary): Process {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...plainEnv, ...env } });
  let log = "";
  child.stdout.on("data", (d: Buffer) => (log += d));
  child.stderr.on("data", (d: Buffer) => (log += d));
  return {
    log: () => log,
    ended: () => child.exitCode !== null,
    end: () => new Promise((resolve) => {
      if (child.exitCode !== null) return resolve();
      child.once("exit", () => resolve());
      child.kill("SIGINT");
    }),
  };
}

/** A reverse proxy that strips a prefix and answers nothing outside it. */
function stripping(prefix: string, outside: number, inside: number, lose: string): Promise<Server> {
  let lost = lose === "";
  const server = createHTTPServer((request, response) => {
    if (!request.url?.startsWith(`${prefix}/`)) {
      response.writeHead(404).end("not below the prefix");
      return;
    }
    const onward = ask({ host: "127.0.0.1", port: inside, method: request.method, path: request.url.slice(prefix.length), headers: request.headers }, (answer) => {
      if (!lost && request.url?.endsWith(lose)) {
        lost = true;
        // Headers without a body: after an empty reply a browser would repeat the request by itself.
        response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
        answer.resume().once("end", () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  return new Promise((resolve, reject) => server.once("error", reject).listen(outside, "127.0.0.1", () => resolve(server)));
}

/**
 * A PDF of A4 pages with some lines of text each, of at least so many bytes. Page tree nodes have 50 pages, as in long
 * files of common writers, so that a reader of one page need not read all; or another number.
 */
export function makePDF(pages: number, bytes = 0, perNode = 50): Buffer {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  const nodes: { object: number; kids: string[] }[] = [];
  for (let i = 1; i <= pages; i++) {
    const lines = Array.from({ length: 12 }, (_, l) => `BT /F1 12 Tf 72 ${760 - l * 24} Td (Pasal ${l + 1}. Perjanjian halaman ${i}.) Tj ET`).join("\n").padEnd(Math.ceil(bytes / pages));
    if ((i - 1) % perNode === 0) nodes.push({ object: objects.push(""), kids: [] });
    const node = nodes.at(-1)!;
    const n = objects.push(`<< /Type /Page /Parent ${node.object} 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${objects.length + 2} 0 R >>`);
    objects.push(`<< /Length ${lines.length} >>\nstream\n${lines}\nendstream`);
    node.kids.push(`${n} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Kids [${nodes.map((n) => `${n.object} 0 R`).join(" ")}] /Count ${pages} >>`;
  for (const { object, kids } of nodes) objects[object - 1] = `<< /Type /Pages /Parent 2 0 R /Kids [${kids.join(" ")}] /Count ${kids.length} >>`;
  let text = "%PDF-1.7\n";
  const at = objects.map((o, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${o}\nendobj\n`;
    return offset;
  });
  const xref = text.length;
  text += `xref\n0 ${at.length + 1}\n0000000000 65535 f \n${at.map((o) => `${String(o).padStart(10, "0")} 00000 n \n`).join("")}trailer\n<< /Size ${at.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong with a page by WCAG 2.2 AA and best practices, one line each, once its animations have ended. The canvas on which pdf.js measures letters is not content. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async () => {
    // A dialog that opens has no contrast yet.
    await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity).map((a) => a.finished));
    const run = (window as unknown as { axe: { run: (where: object, o: object) => Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }> } }).axe.run;
    const found = await run({ exclude: [".hiddenCanvasElement"] }, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}: ${n.failureSummary}`));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const s = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = s.address() as AddressInfo;
      s.close(() => resolve(port));
    });
  });
}

/** Waits until an address answers without an error. */
export async function answers(url: string, from: Process): Promise<void> {
  const until = Date.now() + 30_000;
  while (!from.ended() && Date.now() < until) {
    if (await fetch(url).then((r) => r.status < 500, () => false)) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(`${url} does not answer:\n${from.log()}`);
}
