import { afterEach, expect, test, vi } from "vitest";

import { session } from "./session";

vi.mock("./guest", () => ({ guest: { token: () => tokenOfGuest } }));
let tokenOfGuest: string | undefined;
let remove = (): void => undefined;
afterEach(() => { remove(); tokenOfGuest = undefined; });

/** A service that refuses requests until a user has logged in. */
function refusing() {
  const of = { loggedIn: false, asked: 0, sent: 0 };
  const request = async () => { of.sent++; return { status: of.loggedIn ? 200 : 401 }; };
  return { of, request };
}

test("requests that are refused wait for one login together, and are sent again after it", async () => {
  const { of, request } = refusing();
  let logIn: (again: boolean) => void = () => undefined;
  remove = session.onEnded(() => { of.asked++; return new Promise((done) => { logIn = done; }); });
  const answers = Promise.all([session.send(request), session.send(request)]);
  await vi.waitFor(() => expect(of.asked).toBe(1));
  of.loggedIn = true;
  logIn(true);
  expect((await answers).map((a) => a.status)).toEqual([200, 200]);
  expect(of).toMatchObject({ asked: 1, sent: 4 });
});

test("who does not log in again gets the refusal, and the next refusal asks again", async () => {
  const { of, request } = refusing();
  remove = session.onEnded(async () => { of.asked++; return false; });
  expect((await session.send(request)).status).toBe(401);
  expect((await session.send(request)).status).toBe(401);
  expect(of).toMatchObject({ asked: 2, sent: 2 });
});

test("a guest, and a screen without a login, get the refusal at once", async () => {
  const { of, request } = refusing();
  expect((await session.send(request)).status).toBe(401);
  remove = session.onEnded(async () => { of.asked++; return true; });
  tokenOfGuest = "token";
  expect((await session.send(request)).status).toBe(401);
  expect(of).toMatchObject({ asked: 0, sent: 2 });
});
