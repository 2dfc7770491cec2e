import { ActionIcon, Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconArrowBackUp, IconArrowForwardUp, IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { memo, useCallback, useEffect, useMemo, useReducer, useRef, useState, type KeyboardEvent } from "react";

import { draftPeople, draftPlacements } from "../../api/draft";
import type { Detail, Person } from "../../api/documents";
import type { Schemas } from "../../api/client";
import { address } from "../../api/files";
import { linesOf, type PDFDocumentProxy, type PDFPageProxy } from "../../pdf/engine";
import { Pages } from "../../pdf/pages";
import { listedSize, readPages } from "../../pdf/pictures";
import { useFile } from "../../pdf/use-file";
import { useText } from "../../text";
import { ConflictNotice } from "../../ui/conflict";
import { ContinueButton } from "../../ui/continue-button";
import { Loading } from "../../ui/loading";
import { pageRanges } from "../../ui/page-ranges";
import { Saved } from "../../ui/saved";
import { Trouble } from "../../ui/trouble";
import { listAssignees } from "./assignees";
import { EditorContext, pointOn, useEditor, type Editor } from "./context";
import { canRedo, canUndo, canZoomIn, canZoomOut, newEditorState, reduceEditor, type Announcement } from "./editor";
import { PlaceForAll, type ForAll } from "./for-all";
import type { Kind, Size } from "./geometry";
import { GoTo } from "./go-to";
import { PageLayer } from "./page-layer";
import { Panel } from "./panel";
import classes from "./place.module.css";
import { fromService, groupByPage, placeForEach, type Placed, type Target } from "./placements";
import { ProblemList } from "./problem-list";
import { useSavedPlacements } from "./saved-placements";
import { Thumbs } from "./thumbs";
import { Tools } from "./tools";
import { describeProblems, overlaps, readable, textBoxes } from "./warn";

/** The size that is assumed until a page is loaded. */
const a4: Size = { width: 595, height: 842 };

/** Of documents with at most so many pages, the text of each is read before boxes are placed for all signers. */
const readableText = 60;

const StablePages = memo(Pages);
const overlay = (number: number, size: Size, scale: number, page: PDFPageProxy | undefined) => <PageLayer number={number} size={size} scale={scale} page={page} />;

/** Place lets the owner place boxes on the pages of a draft. Each change is saved at once. */
export function Place({ document: d, box, finish }: { document: Detail; box?: number | undefined; finish?: (() => void) | undefined }) {
  const people = useQuery(draftPeople(d.id)), placed = useQuery(draftPlacements(d.id));
  const error = people.error ?? placed.error;
  if (error) return <Trouble error={error} retry={() => { void people.refetch(); void placed.refetch(); }} />;
  if (!people.isFetchedAfterMount || !placed.isFetchedAfterMount) return <Loading />;
  return <PlacementEditor document={d} people={people.data?.signer ?? []} known={placed.data!} box={box} finish={finish} reload={() => void people.refetch()} />;
}

interface EditorProps {
  document: Detail;
  people: Person[];
  known: Schemas["PlacementsData"];
  /** The index of the box that takes the focus first. */
  box: number | undefined;
  /** What follows when all is saved; undefined: the review of the draft. */
  finish: (() => void) | undefined;
  /** Reads the people again. */
  reload: () => void;
}

function PlacementEditor({ document: d, people, known, box, finish, reload }: EditorProps) {
  const t = useText();
  const go = useNavigate();
  const file = useFile({ url: address.preview(d.id) }, String(d.id));
  const assignees = useMemo(() => listAssignees(people, d.owner), [people, d.owner]);
  const [first] = useState(() => ({ version: known.version, value: fromService(known.placements) }));
  const [state, dispatch] = useReducer(reduceEditor, undefined, () => newEditorState(first.value, assignees.find((a) => a.signs)?.id ?? d.owner.user_id));
  const { saver, versioned, refused, refusedWhole, warned } = useSavedPlacements(d.id, state.placed, first, known.warnings ?? []);
  const list = useQuery({ queryKey: ["document", d.id, "pages"], queryFn: ({ signal }) => readPages(d.id, signal), staleTime: Infinity, retry: false }).data;
  const said = useAnnouncement(state.announcement);
  const [folded, fold] = useDisclosure();
  const panel = useRef<HTMLElement>(null);
  const { placed, page: current } = state, pages = file.document?.numPages ?? 0;

  const withSize = useCallback((page: number, then: (size: Size) => void) => {
    if (page < 1 || page > pages) return;
    const known = state.sizes.get(page) ?? (list && listedSize(list, page));
    if (known) return then({ width: known.width, height: known.height });
    void file.document!.getPage(page).then((p) => {
      const { width, height } = p.getViewport({ scale: 1 });
      then({ width, height });
    });
  }, [file.document, pages, state.sizes, list]);
  const editor: Editor = {
    state, dispatch, assignees, refused, warned, withSize,
    focusNumbers: () => panel.current?.querySelector<HTMLElement>("section input[inputmode=decimal]")?.focus(),
  };
  useEffect(() => {
    if (state.focus !== "tools") return;
    dispatch({ type: "focused" });
    panel.current?.querySelector<HTMLElement>("[data-tool]:enabled")?.focus();
  }, [state.focus]);

  const add = (kind: Kind) => withSize(current, (size) => dispatch({ type: "place", kind, page: current, size }));
  const drop = (kind: Kind, element: HTMLElement, x: number, y: number) => {
    const page = Number(element.dataset.page);
    withSize(page, (size) => dispatch({ type: "place", kind, page, size, at: pointOn(element, size, x, y) }));
  };
  const showPage = useCallback((page: number) => {
    const element = document.querySelector(`[data-page="${page}"]`);
    if (!element) return;
    // At the top, a low page would not be the one in view, which is in the middle of the window.
    element.scrollIntoView({ block: element.clientHeight < window.innerHeight * 0.7 ? "center" : "start" });
    dispatch({ type: "showPage", page });
  }, []);
  const wanted = typeof state.focus === "object" ? placed.find((p) => p.key === (state.focus as { box: string }).box) : undefined;
  useEffect(() => {
    // Boxes of pages far away are not rendered. The box takes the focus when it is.
    if (wanted && !document.querySelector(`[data-box="${wanted.key}"]`)) showPage(wanted.page);
  }, [wanted, showPage]);
  const opened = file.document !== undefined;
  useEffect(() => {
    const at = box === undefined ? undefined : first.value[box];
    if (opened && at) dispatch({ type: "goToBox", key: at.key });
  }, [opened, box, first]);
  const signers = assignees.filter((a) => a.signs);
  const [forAll, setForAll] = useState(false), [placing, setPlacing] = useState(false);
  const placeForAll = async ({ initials, signatures }: ForAll) => {
    setPlacing(true);
    try {
      const target = (page: number) => readTarget(file.document!, page, pages <= readableText || page === signatures, (then) => withSize(page, then));
      const who = signers.map((a) => a.id);
      const signed = signatures === undefined ? [] : placeForEach(placed, "sign", who, [await target(signatures)]);
      const all = [...placed, ...signed.map((b, i) => ({ ...b, key: `new${i}` }))];
      const marked = initials ? placeForEach(all, "paraf", who, await Promise.all(Array.from({ length: pages }, (_, i) => target(i + 1)))) : [];
      dispatch({ type: "placeAll", boxes: [...signed, ...marked] });
      setForAll(false);
    } finally {
      setPlacing(false);
    }
  };
  const pressKey = (e: KeyboardEvent) => {
    if (!(e.ctrlKey || e.metaKey) || (e.target as HTMLElement).closest("input")) return;
    const type = e.key.toLowerCase() === "z" ? (e.shiftKey ? "redo" : "undo") : e.key.toLowerCase() === "y" ? "redo" : undefined;
    if (!type) return;
    e.preventDefault();
    dispatch({ type });
  };
  const showVisible = useCallback((page: number) => dispatch({ type: "showPage", page }), []);
  const selected = placed.find((p) => p.key === state.selected);
  const byPage = useMemo(() => groupByPage(placed), [placed]);
  return (
    <EditorContext value={editor}>
      <Group justify="space-between">
        <Group gap="xs">
          {pages > 0 && <GoTo page={current} total={pages} go={showPage} />}
          <ActionIcon variant="default" size="lg" aria-label={t("place.undo")} disabled={!canUndo(state)} onClick={() => dispatch({ type: "undo" })}><IconArrowBackUp size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.redo")} disabled={!canRedo(state)} onClick={() => dispatch({ type: "redo" })}><IconArrowForwardUp size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.smaller")} disabled={!canZoomOut(state)} onClick={() => dispatch({ type: "zoom", by: -0.25 })}><IconZoomOut size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.larger")} disabled={!canZoomIn(state)} onClick={() => dispatch({ type: "zoom", by: 0.25 })}><IconZoomIn size={18} aria-hidden /></ActionIcon>
        </Group>
        {!versioned.conflict && <Saved saver={saver} />}
      </Group>
      <ConflictNotice saver={saver} versioned={versioned} hint={t("conflict.undo")} load={(theirs) => { dispatch({ type: "load", placed: theirs }); reload(); }} />
      <VisuallyHidden role="status" data-said>{said}</VisuallyHidden>
      <VisuallyHidden id="place-keys">{t("place.keys")}</VisuallyHidden>
      <div className={classes.desk} onKeyDown={pressKey}>
        {file.document && <Thumbs document={file.document} current={current} boxes={byPage} who={assignees.find((a) => a.id === state.person)} go={showPage} />}
        <aside ref={panel} className={classes.panel} data-panel aria-label={t("place.tools")}>
          <Stack gap="sm">
            <ProblemList whole={refusedWhole} />
            <Button className={classes.fold} variant="subtle" color="gray" size="compact-sm" fullWidth aria-expanded={!folded} onClick={fold.toggle}>{t(folded ? "place.unfold" : "place.fold")}</Button>
            <div className={folded ? classes.folded : undefined}>
              <Stack gap="sm">
                <div className={selected ? classes.narrowHidden : undefined}><Tools who={assignees.find((a) => a.id === state.person)} add={add} drop={drop} ready={pages > 0} placeForAll={() => setForAll(true)} /></div>
                {selected && <SelectedBox placed={selected} document={file.document} />}
                <Group justify="space-between" wrap="nowrap" className={classes.foot}>
                  <Text size="sm" c="dimmed">{`${t("place.boxes", { count: placed.filter((p) => p.kind !== "emet").length })}, ${t("place.stamps", { count: placed.filter((p) => p.kind === "emet").length })}`}</Text>
                  <ContinueButton saver={saver} label={finish && t("embed.done")} go={finish ?? (() => void go({ to: "/new", search: { document: d.id, step: "review" } }))} />
                </Group>
              </Stack>
            </div>
          </Stack>
        </aside>
        <div className={classes.pages}><StablePages file={file} overlay={overlay} overlayNearby sizes={list} onVisible={showVisible} zoom={state.zoom} /></div>
      </div>
      <PlaceForAll opened={forAll} close={() => setForAll(false)} signers={signers} pages={pages} place={(all) => void placeForAll(all)} busy={placing} />
    </EditorContext>
  );
}

/** Reads what placing boxes on a page has to respect. */
async function readTarget(file: PDFDocumentProxy, page: number, withText: boolean, sized: (then: (size: Size) => void) => void): Promise<Target> {
  const size = await new Promise<Size>(sized);
  const lines = withText ? await file.getPage(page).then(linesOf).catch(() => []) : [];
  return { page, size, text: textBoxes(readable(lines), size) };
}

/** SelectedBox connects the panel to the selected box. */
function SelectedBox({ placed: p, document: file }: { placed: Placed; document: PDFDocumentProxy | undefined }) {
  const t = useText();
  const editor = useEditor(), { state, dispatch } = editor;
  const problems = describeProblems(t, editor, p, overlaps(p, state.placed, state.texts.get(p.page) ?? []));
  const copy = async (numbers: number[]) => {
    const pages = await Promise.all(numbers.filter((n) => n !== p.page).map((page) => new Promise<{ page: number; size: Size }>((done) => editor.withSize(page, (size) => done({ page, size })))));
    dispatch({ type: "copy", key: p.key, pages });
  };
  const focusBox = () => document.querySelector<HTMLElement>(`[data-box="${p.key}"]`)?.focus();
  return <Panel placed={p} size={state.sizes.get(p.page) ?? a4} pages={file?.numPages ?? 0} copy={(n) => void copy(n)} focusBox={focusBox} warning={problems} />;
}

/** The announcement in words. It follows the last of quick changes, so that screen readers read only that one. */
function useAnnouncement(a: Announcement | undefined): string {
  const t = useText();
  const [said, setSaid] = useState("");
  const say = useDebouncedCallback(setSaid, 250);
  useEffect(() => {
    if (!a) return;
    const describe = (p: Placed) => t("place.at", { page: p.page, left: Math.round(p.box.x), bottom: Math.round(p.box.y), width: Math.round(p.box.w), height: Math.round(p.box.h) });
    switch (a.what) {
      case "placed": return say(describe(a.placed));
      case "added": return say(`${t("place.added")} ${describe(a.placed)}`);
      case "deleted": return say(t("place.deleted"));
      case "undone": return say(t("place.undone"));
      case "redone": return say(t("place.redone"));
      case "copied": return say(`${t("place.copied", { count: a.count })} ${a.moved.length > 0 ? t("place.copiedMoved", { pages: pageRanges(a.moved) }) : ""}`);
      case "placedForAll": return say(t("place.placedForAll", { count: a.count }));
    }
  }, [a, say, t]);
  return said;
}
