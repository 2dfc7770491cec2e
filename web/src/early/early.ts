// Runs in a guest's page before the app is loaded: on a slow line, the first page of the document is read long before the app
// has arrived. The app takes what was read from here, see api/early.ts.
import type { Early } from "../api/early";

const root = document.baseURI;
const language = chosenLanguage() ?? navigator.language.slice(0, 2);

function chosenLanguage(): string | null {
  try {
    return localStorage.getItem("segel.language");
  } catch {
    return null; // the person blocks storage
  }
}

async function ask<T>(path: string, init: RequestInit, token?: string): Promise<T> {
  const answer = await fetch(new URL(path, root), {
    ...init, credentials: "same-origin", headers: { ...init.headers, "Accept-Language": language === "en" ? "en" : "id", ...(token ? { "x-access-token": token } : {}) },
  });
  if (!answer.ok) throw new Error(String(answer.status)); // the app asks again, and says what is wrong
  return (init.method === "POST" || path.includes("/pages/") ? answer.json() : answer.blob()) as Promise<T>;
}

function read(secret: string): Early {
  const guest = ask<Early["guest"] extends Promise<infer G> ? G : never>("v1/auth/guest", { method: "POST", body: JSON.stringify({ link: secret }), headers: { "Content-Type": "application/json" } });
  const pages = guest.then(({ data }) => ask<{ data: Awaited<Early["pages"]> }>(`v1/econtract/web_app/document/pages/${data.document_id}`, {}, data.token)).then(({ data }) => data);
  const picture = Promise.all([guest, pages]).then(([{ data }, list]) => {
    if (!list.pictures) throw new Error("no pictures");
    const wanted = Math.min(innerWidth - 32, 900) * Math.min(devicePixelRatio, 2);
    const width = list.widths.find((w) => w >= wanted) ?? list.widths.at(-1);
    return ask<Blob>(`v1/econtract/web_app/document/page-picture/${data.document_id}?digest=${list.digest}&page=1&width=${width}`, {}, data.token);
  });
  return { secret, guest, pages, picture };
}

async function show(picture: Promise<Blob>): Promise<void> {
  const shown = document.createElement("img");
  shown.alt = "";
  shown.dataset["early"] = "";
  const address = URL.createObjectURL(await picture);
  shown.src = address;
  await shown.decode();
  URL.revokeObjectURL(address);
  document.querySelector("#early main")?.replaceChildren(shown);
}

/** Shows whose document it is, where the name of the app stands until the app is loaded. */
function head({ organisation, colour, logo }: Awaited<Early["pages"]>["sender"]): void {
  const early = document.getElementById("early"), name = document.getElementById("early-name");
  if (!early || !name) return;
  name.textContent = organisation;
  if (colour) early.style.borderTop = `4px solid ${colour}`;
  if (!logo) return;
  const picture = document.createElement("img");
  picture.alt = "";
  picture.dataset["logo"] = "";
  picture.src = logo;
  early.querySelector("[data-mark]")?.replaceWith(picture);
}

const secret = location.hash.slice(1);
const early = secret === "" ? undefined : read(secret);
if (early) {
  window.segelEarly = early;
  early.guest.catch(() => undefined);
  early.pages.then((list) => head(list.sender), () => undefined);
}
// The app waits for the picture, so that both do not share the line, but not long: the service may be drawing it.
const timeout = new Promise((done) => setTimeout(done, 4000));
void Promise.race([early ? show(early.picture) : undefined, timeout]).catch(() => undefined).then(async () => {
  const app = document.importNode((document.getElementById("app") as HTMLTemplateElement).content, true);
  const scripts = app.querySelectorAll("script"), styles = [...app.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
  const loaded = styles.map((style) => new Promise((done) => { style.onload = style.onerror = done; }));
  scripts.forEach((script) => script.remove());
  document.head.append(app);
  await Promise.all(loaded); // otherwise the app could be drawn without its styles
  document.head.append(...scripts);
});
