import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";

import { useAccount } from "../../api/account";
import { Problem } from "../../api/client";
import { verbs, type Shown, type SignedResult } from "../../api/documents";
import { specimen as stored } from "../../api/specimen";
import type { Hand } from "../sign/hand";
import { useConsent } from "../sign/consent";
import { choosePictures, encodePictures, savePictures } from "../sign/pictures";
import type { Queued } from "./queue";

/** Why a document was not signed. */
export interface Refusal {
  code: string;
  msg: string;
  retryable: boolean;
}

/** What became of a document: signed, or why not. */
export type Result = "signed" | Refusal;

/** So many documents are signed with one request, so that progress is shown meanwhile. */
const batch = 10;

const resultOf = (r: SignedResult): Result => (r.success ? "signed" : { code: r.error?.code ?? "unknown", msg: r.msg, retryable: r.error?.retryable ?? false });

/**
 * The signer's progress through a queue: how the signatures look, which pages were shown, and what became of each document. The
 * screen holds it, so that switching between the list and reading loses nothing.
 */
export function useSigning(queue: Queued[]) {
  const queries = useQueryClient();
  const account = useAccount();
  // Members sign documents of their own organisation only, so one text covers all of them.
  const consenting = useConsent(queue[0]!.id, true);
  const [hand, setHand] = useState<Hand>();
  const [shown, setShown] = useState<ReadonlyMap<number, Shown>>(new Map());
  const [results, setResults] = useState<ReadonlyMap<number, Result>>(new Map());
  const [running, setRunning] = useState<{ total: number }>();
  const [error, setError] = useState<unknown>();
  const busy = useRef(false);
  const kept = useRef<Blob>(undefined);
  const onShown = useCallback((id: number, pages: Shown) => setShown((m) => new Map(m).set(id, pages)), []);
  const left = queue.filter((d) => !results.has(d.id));
  const record = (id: number, result: Result) => setResults((m) => new Map(m).set(id, result));

  /** What boxes for initials show unless the signer chose something else; undefined if there are none. */
  const askedInitials = async () => {
    if (!queue.some((d) => d.detail.placements.some((b) => b.user_id === account?.id && b.type === "paraf"))) return undefined;
    return { name: account?.fullname ?? "", kept: await queries.fetchQuery(stored("initials")).catch(() => null) };
  };

  /** Runs one action at a time. Afterwards other screens read their documents again; this one goes on with its list. */
  const run = async (total: number, action: (sent: Awaited<ReturnType<typeof encodePictures>>) => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setRunning({ total });
    setError(undefined);
    try {
      const pictures = await choosePictures(hand, undefined, await askedInitials());
      await action(await encodePictures(pictures));
      if (pictures.signature && kept.current !== pictures.signature) {
        kept.current = pictures.signature;
        void savePictures(pictures, hand, undefined).then(() => queries.invalidateQueries({ queryKey: ["specimen"], refetchType: "none" })); // the signer need not wait for it
      }
    } catch (e) {
      setError(e);
    } finally {
      busy.current = false;
      setRunning(undefined);
      void queries.invalidateQueries({ refetchType: "none" });
    }
  };

  /** What was shown of the revision in the list. */
  const shownOf = (d: Queued): Pick<Shown, "pages" | "pictures"> => {
    const s = shown.get(d.id);
    return s?.digest === d.digest ? s : { pages: [], pictures: [] };
  };
  const pagesShown = (d: Queued): number[] => shownOf(d).pages;

  /** Signs all that are left with one consent. After a lost answer it is called again: what was signed is reported as signed. */
  const signAll = () => run(left.length, async ({ signature, initials }) => {
    const consent = left.map((d) => ({ document_id: d.id, digest: d.digest }));
    for (let i = 0; i < left.length; i += batch) {
      const part = left.slice(i, i + batch).map((d) => ({ document_id: d.id, digest: d.digest, pages_shown: shownOf(d).pages, pictures_shown: shownOf(d).pictures }));
      const signed = await verbs.signMany(part, consent, consenting.accepted, signature, initials);
      setResults((m) => new Map([...m, ...signed.map((r) => [r.document_id, resultOf(r)] as const)]));
    }
  });

  /** Signs the revision of one document that was shown. Resolves to whether it was signed. */
  const signShown = async (id: number): Promise<boolean> => {
    const s = shown.get(id);
    if (!s || busy.current) return false;
    let signed = false;
    await run(1, async ({ signature, initials }) => {
      await verbs.sign(id, s, consenting.accepted, signature, initials).catch((e: unknown) => {
        // The revision that was shown cannot be signed any more: the newest has to be shown first.
        if (e instanceof Problem && e.reason === "document.revision_changed") setShown((m) => new Map([...m].filter(([shownID]) => shownID !== id)));
        throw e;
      });
      record(id, "signed");
      signed = true;
    });
    return signed;
  };

  return { consenting, hand, setHand, shown, onShown, pagesShown, results, left, running, error, setError, signAll, signShown };
}

export type Signing = ReturnType<typeof useSigning>;
