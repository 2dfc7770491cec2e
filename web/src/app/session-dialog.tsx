import { lazy, Suspense, useEffect, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";

import { account, type Account } from "../api/account";
import { base } from "../api/base";
import { session } from "../api/session";
import type { Ended } from "./login-again";

const loadLoginAgain = () => import("./login-again").then((m) => ({ default: m.LoginAgain }));
const LoginAgain = lazy(loadLoginAgain);

/** After how many milliseconds the dialog is loaded although nothing needs it yet: when a session ends, the service may be another release, which does not have this file. */
const loadAhead = 60_000;

/** SessionDialog lets a member whose login has ended log in again over the screen on which they work. */
export function SessionDialog() {
  const queries = useQueryClient();
  const [ended, setEnded] = useState<Ended>();
  useEffect(() => session.onEnded(async () => {
    const who = queries.getQueryData(account.queryKey);
    if (!who) return false;
    if (await isLoggedIn(who)) return true; // in another tab, meanwhile
    const again = await new Promise<boolean>((done) => setEnded({ who, done }));
    setEnded(undefined);
    return again;
  }), [queries]);
  useEffect(() => {
    if (!ended) return;
    const look = () => void isLoggedIn(ended.who).then((again) => { if (again) ended.done(true); });
    window.addEventListener("focus", look);
    return () => window.removeEventListener("focus", look);
  }, [ended]);
  useEffect(() => {
    const timer = setTimeout(() => void loadLoginAgain().catch(() => undefined), loadAhead);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{ended && <LoginAgain ended={ended} />}</Suspense>;
}

/** Asks the service itself: a request of the app would wait for this dialog. */
async function isLoggedIn(who: Account): Promise<boolean> {
  const answer = await fetch(`${base}/v1/auth/me`, { credentials: "same-origin" }).catch(() => undefined);
  return answer?.ok === true && ((await answer.json()) as { data: Account }).data.id === who.id;
}
