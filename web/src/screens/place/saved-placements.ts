import { useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useMemo, useRef, useState } from "react";

import { Problem } from "../../api/client";
import { embed } from "../../api/embed";
import { draftPlacements, savePlacements, type Warning } from "../../api/draft";
import { useSaver } from "../../ui/saver";
import { Versioned, type Stored } from "../../ui/versioned";
import { fromService, samePlacings, toService, type Placed } from "./placements";
import { warningsOf } from "./warn";

/** What the service refused, of the boxes as they were sent. */
interface Refusal {
  /** By the key of the box. */
  boxes: Map<string, string>;
  /** What is wrong with all of them together. */
  whole: string[];
}

const nothingRefused: Refusal = { boxes: new Map(), whole: [] };

/** Sorts the errors of a refused save by box. */
export function refusalOf(sent: Placed[], fields: { field: string; msg: string }[]): Refusal {
  const boxes = new Map<string, string>(), whole: string[] = [];
  for (const f of fields) {
    const box = sent[Number(/^signers\[(\d+)\]/.exec(f.field)?.[1])];
    if (box) boxes.set(box.key, [boxes.get(box.key), f.msg].filter(Boolean).join(" "));
    else whole.push(f.msg);
  }
  return { boxes, whole };
}

/**
 * Saves the boxes whenever they change. A refusal stays until the service accepts a later change: its errors can be corrected one after
 * the other.
 */
export function useSavedPlacements(document: number, placed: Placed[], first: Stored<Placed[]>, firstWarnings: Warning[]) {
  const queries = useQueryClient();
  const [warned, setWarned] = useState(() => warningsOf(first.value, firstWarnings));
  const [refusal, setRefusal] = useState(nothingRefused);
  const [versioned] = useState(() => new Versioned<Placed[]>(first, {
    save: async (all, from) => {
      const { version, warnings } = await savePlacements(document, toService(all), from);
      setWarned(warningsOf(all, warnings));
      return version;
    },
    read: async () => {
      const now = await queries.fetchQuery({ ...draftPlacements(document), staleTime: 0 });
      return { version: now.version, value: fromService(now.placements) };
    },
    same: (a, b) => samePlacings(toService(a), toService(b)),
  }));
  const saver = useSaver(async (all: Placed[]) => {
    try {
      await versioned.send(all);
      setRefusal(nothingRefused);
      embed.post("saved");
    } catch (error) {
      if (error instanceof Problem && error.fields.length > 0) setRefusal(refusalOf(all, error.fields));
      throw error;
    }
    void queries.invalidateQueries({ queryKey: ["document", document], refetchType: "none" }); // this screen shows none of it
  });
  const sent = useRef(placed);
  // A layout effect runs before the change is painted, so the screen never shows it together with "saved".
  useLayoutEffect(() => {
    if (sent.current !== placed) saver.change((sent.current = placed));
  }, [placed, saver]);
  const refused = useMemo(() => new Map([...refusal.boxes].filter(([key]) => placed.some((p) => p.key === key))), [refusal, placed]);
  return { saver, versioned, refused, refusedWhole: refusal.whole, warned };
}
