import { QueryClient } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeEach, expect, test, vi } from "vitest";

import { draftDetail, saveDelivery } from "../../api/draft";
import type { Detail } from "../../api/documents";
import type { Delivery } from "./delivery";
import { Review } from "./review";
import { TemplateMessages } from "./template-messages";

/** What each query of a draft has fetched since its screen was opened, by the last part of its key. */
const fetched = vi.hoisted(() => new Map<unknown, unknown>());
vi.mock("@tanstack/react-query", async (original) => ({
  ...await original<typeof import("@tanstack/react-query")>(),
  useQueryClient: () => undefined,
  useMutation: () => ({}),
  useQuery: ({ queryKey }: { queryKey: unknown[] }) => ({ data: fetched.get(queryKey.at(-1)), error: null, isError: false, isFetchedAfterMount: fetched.has(queryKey.at(-1)) }),
}));
vi.mock("@tanstack/react-router", async (original) => ({ ...await original<typeof import("@tanstack/react-router")>(), useNavigate: () => undefined }));
vi.mock("@mantine/core", async (original) => {
  const inner = ({ children }: { children?: React.ReactNode }) => <div>{children}</div>;
  const parts = Object.assign(inner, { Thead: inner, Tbody: inner, Tr: inner, Th: inner, Td: inner });
  return { ...await original<typeof import("@mantine/core")>(), Alert: inner, Badge: inner, Button: inner, Group: inner, Paper: inner, Stack: inner, Table: parts, Text: inner, Title: inner };
});
vi.mock("../../text", () => ({ useText: () => (key: string) => key, useLanguage: () => "en" }));
vi.mock("../../ui/conflict", () => ({ ConflictNotice: () => null }));
vi.mock("../../ui/continue-button", () => ({ ContinueButton: () => null }));
vi.mock("../../ui/saved", () => ({ Saved: () => null }));
vi.mock("../../ui/team-of", () => ({ TeamOf: () => null }));
vi.mock("../../ui/links", () => ({ AnchorLink: () => null }));
vi.mock("../../ui/loading", () => ({ Loading: () => <i>loading</i> }));
vi.mock("./accepting", () => ({ Accepting: () => null, useAccepting: () => ({ codes: [], all: true }) }));
vi.mock("./delivery", () => ({ HowReached: ({ value }: { value: Delivery }) => <p>{value.message}</p> }));

const draft = (message: string) => ({ id: 7, version: 3, expired: null, owner: { user_id: 1 }, delivery: { message } }) as unknown as Detail;

beforeEach(() => {
  fetched.clear();
  fetched.set("draft people", { signer: [{ user_id: 2, name: "Siti", is_owner: false, is_guest: false, acts_as: "viewer", order: 1 }] });
  fetched.set("draft placements", { placements: [], warnings: [] });
});

test.each([["review", Review], ["the messages of a template", TemplateMessages]])("%s waits for the message as stored, and shows it in place of the one before", (_, Screen) => {
  expect(renderToStaticMarkup(<Screen document={draft("former")} />)).toBe("<i>loading</i>");
  fetched.set("draft detail", draft("newest"));
  const shown = renderToStaticMarkup(<Screen document={draft("former")} />);
  expect(shown).toContain("<p>newest</p>");
  expect(shown).not.toContain("former");
});

test("a draft is fetched once the message that is being stored has arrived", async () => {
  let stored = "former", arrive = () => {};
  const asked: string[] = [];
  const answer = (response: object) => new Response(JSON.stringify(response), { headers: { "Content-Type": "application/json" } });
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal("fetch", async (request: Request | string) => {
    const method = request instanceof Request ? request.method : "POST";
    asked.push(method);
    if (method === "GET") return answer({ data: draft(stored) });
    await new Promise<void>((done) => { arrive = done; });
    stored = "newest";
    return answer({ response: { data: { version: 4 } } });
  });
  const saved = saveDelivery(7, draft("newest").delivery!, 3), found = new QueryClient().fetchQuery(draftDetail(7));
  await vi.waitFor(() => expect(asked).toEqual(["POST"]));
  arrive();
  expect((await found).delivery!.message).toBe("newest");
  expect(asked).toEqual(["POST", "GET"]);
  await saved;
  vi.unstubAllGlobals();
});
