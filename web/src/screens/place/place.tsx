import { ActionIcon, Button, Group, NumberInput, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconArrowBackUp, IconArrowForwardUp, IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { memo, useCallback, useLayoutEffect, useMemo, useReducer, useRef, useState, type KeyboardEvent } from "react";

import { Problem } from "../../api/client";
import { draftPeople, draftPlacements, savePlacements, type Warning } from "../../api/draft";
import type { Detail, Person, Placement } from "../../api/documents";
import { address } from "../../api/files";
import type { PDFPageProxy } from "../../pdf/engine";
import { Pages } from "../../pdf/pages";
import { useFile } from "../../pdf/use-file";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Saved } from "../../ui/saved";
import { useSaver } from "../../ui/saver";
import { Trouble } from "../../ui/trouble";
import { DeskContext, pointOn, type Desk } from "./desk";
import { around, beside, fit, free, type Box, type Kind, type Size } from "./geometry";
import { handsOf } from "./hands";
import { change as changeOne, copyTo, fromService, newKey, step, toService, type Placed } from "./model";
import { Panel } from "./panel";
import classes from "./place.module.css";
import { Sheet } from "./sheet";
import { Thumbs } from "./thumbs";
import { Tools } from "./tools";
import { overlaps, troubleOf, warningsOf } from "./warn";

const StablePages = memo(Pages);
const overlay = (number: number, size: Size, scale: number, page: PDFPageProxy | undefined) => <Sheet number={number} size={size} scale={scale} page={page} />;

/** Place is where boxes are put on the pages of a draft. What is changed is saved at once. */
export function Place({ document: d }: { document: Detail }) {
  const people = useQuery(draftPeople(d.id)), placed = useQuery(draftPlacements(d.id));
  const error = people.error ?? placed.error;
  if (error) return <Trouble error={error} retry={() => { void people.refetch(); void placed.refetch(); }} />;
  if (!people.isFetchedAfterMount || !placed.isFetchedAfterMount) return <Loading />;
  return <Editor document={d} people={people.data ?? []} known={placed.data?.placements ?? []} warnings={placed.data?.warnings ?? []} />;
}

function Editor({ document: d, people, known, warnings }: { document: Detail; people: Person[]; known: Placement[]; warnings: Warning[] }) {
  const t = useText();
  const go = useNavigate();
  const queries = useQueryClient();
  const file = useFile({ url: address.preview(d.id) }, String(d.id));
  const hands = useMemo(() => handsOf(people, d.owner), [people, d.owner]);
  const [person, setPerson] = useState(() => hands.find((h) => h.signs)?.id ?? d.owner.user_id);
  const [history, turn] = useReducer(step, undefined, () => ({ past: [], now: fromService(known), future: [], name: "" }));
  const [selected, select] = useState<string>();
  const [armed, arm] = useState<Kind>();
  const [current, setCurrent] = useState(1);
  const [zoom, setZoom] = useState(1);
  const [said, setSaid] = useState("");
  const [warned, setWarned] = useState(() => warningsOf(history.now, warnings));
  const [texts, setTexts] = useState(new Map<number, Box[]>());
  const [folded, fold] = useDisclosure();
  const sizes = useRef(new Map<number, Size>());
  const panel = useRef<HTMLElement>(null);
  const wanted = useRef<string>(undefined);
  const placed = history.now;
  const pages = file.document?.numPages ?? 0;

  const saver = useSaver(async (all: Placed[]) => {
    setWarned(warningsOf(all, await savePlacements(d.id, toService(all))));
    void queries.invalidateQueries({ queryKey: ["document", d.id], refetchType: "none" }); // nothing of it is shown here
  });
  const sent = useRef(placed);
  // Before it is painted: what shows a change must not say that all is saved.
  useLayoutEffect(() => {
    if (sent.current !== placed) saver.change((sent.current = placed));
  }, [placed, saver]);

  const speak = useDebouncedCallback(setSaid, 250);
  const wrong = useMemo(() => {
    const fields = saver.error instanceof Problem ? saver.error.fields : [];
    return new Map(fields.flatMap((f) => {
      const i = /^signers\[(\d+)\]/.exec(f.field)?.[1];
      return i !== undefined && placed[Number(i)] ? [[placed[Number(i)]!.key, f.msg] as const] : [];
    }));
  }, [saver.error, placed]);

  const sizeOf = useCallback(async (page: number): Promise<Size> => {
    const learnt = sizes.current.get(page);
    if (learnt && learnt.width > 0) return learnt;
    const { width, height } = (await file.document!.getPage(page)).getViewport({ scale: 1 });
    return { width, height };
  }, [file.document]);
  const learn = useCallback((page: number, size: Size) => void sizes.current.set(page, size), []);
  const read = useCallback((page: number, text: Box[]) => setTexts((all) => new Map(all).set(page, text)), []);
  const describe = (p: Placed) => t("place.at", { page: p.page, left: Math.round(p.box.x), bottom: Math.round(p.box.y), width: Math.round(p.box.w), height: Math.round(p.box.h) });
  const change = (to: Placed[], name?: string) => turn({ do: "change", to, ...(name ? { name } : {}) });
  const insert = (p: Placed) => {
    change([...placed, p]);
    select((wanted.current = p.key));
    arm(undefined);
    speak(`${t("place.added")} ${describe(p)}`);
  };
  const desk: Desk = {
    placed, hands, selected, wanted, armed, wrong, warned, select, arm, learn, read,
    say: (p) => speak(describe(p)),
    change: (key, to, name) => change(changeOne(placed, key, to), name),
    remove: (key) => {
      const i = placed.findIndex((p) => p.key === key), rest = placed.filter((p) => p.key !== key);
      change(rest);
      select((wanted.current = rest[Math.min(i, rest.length - 1)]?.key));
      if (rest.length === 0) panel.current?.querySelector<HTMLElement>("[data-tool]:enabled")?.focus();
      speak(t("place.deleted"));
    },
    double: (key) => {
      const p = placed.find((x) => x.key === key);
      if (p) void sizeOf(p.page).then((size) => insert({ ...p, key: newKey(), box: beside(p.box, p.kind, size, placed.filter((x) => x.page === p.page).map((x) => x.box)) }));
    },
    put: (kind, page, size, x, y) => insert({ key: newKey(), page, kind, person, box: around(kind, x, y, size) }),
    turn: (key, page) => {
      const p = placed.find((x) => x.key === key);
      if (!p || page < 1 || page > pages) return;
      void sizeOf(page).then((size) => {
        const there = { ...p, page, box: fit(p.box, p.kind, size) };
        if (document.activeElement?.getAttribute("data-box") === key) wanted.current = key;
        change(changeOne(placed, key, there));
        speak(describe(there));
      });
    },
    inspect: () => panel.current?.querySelector<HTMLElement>("section input[inputmode=decimal]")?.focus(),
  };
  const add = (kind: Kind) => void sizeOf(current).then((size) => insert({ key: newKey(), page: current, kind, person, box: free(kind, size, placed.filter((p) => p.page === current).map((p) => p.box)) }));
  const drop = (kind: Kind, element: HTMLElement, x: number, y: number) => {
    const page = Number(element.dataset.page);
    void sizeOf(page).then((size) => {
      const at = pointOn(element, size, x, y);
      desk.put(kind, page, size, at.x, at.y);
    });
  };
  const show = (page: number) => document.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ block: "start" });
  const one = placed.find((p) => p.key === selected);
  const copy = (to: number[]) => one && void Promise.all(to.filter((n) => n !== one.page).map(async (page) => ({ page, size: await sizeOf(page) }))).then((all) => {
    const next = copyTo(placed, one, all);
    change(next);
    speak(t("place.copied", { count: next.length - placed.length }));
  });
  const keys = (e: KeyboardEvent) => {
    if (!(e.ctrlKey || e.metaKey) || (e.target as HTMLElement).closest("input")) return;
    const what = e.key.toLowerCase() === "z" ? (e.shiftKey ? "redo" : "undo") : e.key.toLowerCase() === "y" ? "redo" : undefined;
    if (!what) return;
    e.preventDefault();
    turn({ do: what });
  };
  const next = async () => {
    if (await saver.flush()) void go({ to: "/new", search: { document: d.id, step: "review" } as never });
  };
  return (
    <DeskContext value={desk}>
      <Group justify="space-between">
        <Group gap="xs">
          {pages > 0 && <NumberInput size="xs" w={92} hideControls aria-label={t("place.goTo")} suffix={` / ${pages}`} min={1} max={pages} value={current} onChange={(v) => typeof v === "number" && v >= 1 && v <= pages && v !== current && show(v)} />}
          <ActionIcon variant="default" size="lg" aria-label={t("place.undo")} disabled={history.past.length === 0} onClick={() => turn({ do: "undo" })}><IconArrowBackUp size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.redo")} disabled={history.future.length === 0} onClick={() => turn({ do: "redo" })}><IconArrowForwardUp size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.smaller")} disabled={zoom <= 0.5} onClick={() => setZoom(zoom - 0.25)}><IconZoomOut size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.larger")} disabled={zoom >= 3} onClick={() => setZoom(zoom + 0.25)}><IconZoomIn size={18} aria-hidden /></ActionIcon>
        </Group>
        <Saved saver={saver} also={saver.error instanceof Problem ? saver.error.of("signers") : undefined} />
      </Group>
      <VisuallyHidden role="status" data-said>{said}</VisuallyHidden>
      <VisuallyHidden id="place-keys">{t("place.keys")}</VisuallyHidden>
      <div className={classes.desk} onKeyDown={keys}>
        {file.document && <Thumbs document={file.document} current={current} count={(n) => placed.filter((p) => p.page === n).length} go={show} />}
        <aside ref={panel} className={classes.panel} data-panel aria-label={t("place.tools")}>
          <Stack gap="sm">
            <Button className={classes.fold} variant="subtle" color="gray" size="compact-sm" fullWidth aria-expanded={!folded} onClick={fold.toggle}>{t(folded ? "place.unfold" : "place.fold")}</Button>
            <div className={folded ? classes.folded : undefined}>
              <Stack gap="sm">
                <div className={one ? classes.narrowHidden : undefined}><Tools who={hands.find((h) => h.id === person)} choose={setPerson} add={add} drop={drop} page={current} ready={pages > 0} /></div>
                {one && <Chosen one={one} desk={desk} sizes={sizes.current} text={texts.get(one.page) ?? []} pages={pages} copy={copy} />}
                <Group justify="space-between" wrap="nowrap" className={classes.foot}>
                  <Text size="sm" c="dimmed">{`${t("place.boxes", { count: placed.filter((p) => p.kind !== "emet").length })}, ${t("place.stamps", { count: placed.filter((p) => p.kind === "emet").length })}`}</Text>
                  <Button loading={saver.state === "saving"} onClick={() => void next()}>{t("new.next")}</Button>
                </Group>
              </Stack>
            </div>
          </Stack>
        </aside>
        <div className={classes.pages}><StablePages file={file} overlay={overlay} onVisible={setCurrent} zoom={zoom} /></div>
      </div>
    </DeskContext>
  );
}

function Chosen({ one, desk, sizes, text, pages, copy }: { one: Placed; desk: Desk; sizes: Map<number, Size>; text: Box[]; pages: number; copy: (to: number[]) => void }) {
  const t = useText();
  const over = overlaps(one, desk.placed, text);
  const warning = troubleOf(t, desk, one, over);
  const size = sizes.get(one.page) ?? { width: 595, height: 842 };
  const box = () => document.querySelector<HTMLElement>(`[data-box="${one.key}"]`);
  return <Panel placed={one} size={size} pages={pages} copy={copy} back={() => box()?.focus()} warning={warning} />;
}
