import { ActionIcon, Button, Group, NumberInput, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconArrowBackUp, IconArrowForwardUp, IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState, type KeyboardEvent } from "react";

import { Problem } from "../../api/client";
import { draftPeople, draftPlacements, savePlacements, type Warning } from "../../api/draft";
import type { Detail, Person, Placement } from "../../api/documents";
import { address } from "../../api/files";
import type { PDFDocumentProxy, PDFPageProxy } from "../../pdf/engine";
import { Pages } from "../../pdf/pages";
import { useFile } from "../../pdf/use-file";
import { useText } from "../../text";
import { ContinueButton } from "../../ui/continue-button";
import { Loading } from "../../ui/loading";
import { Saved } from "../../ui/saved";
import { useSaver } from "../../ui/saver";
import { Trouble } from "../../ui/trouble";
import { listAssignees } from "./assignees";
import { EditorContext, pointOn, useEditor, type Editor } from "./context";
import { canRedo, canUndo, canZoomIn, canZoomOut, newEditorState, reduceEditor, type Announcement } from "./editor";
import type { Kind, Size } from "./geometry";
import { PageLayer } from "./page-layer";
import { Panel } from "./panel";
import classes from "./place.module.css";
import { fromService, toService, type Placed } from "./placements";
import { Thumbs } from "./thumbs";
import { Tools } from "./tools";
import { describeProblems, overlaps, warningsOf } from "./warn";

/** The size that is assumed until a page is loaded. */
const a4: Size = { width: 595, height: 842 };

const StablePages = memo(Pages);
const overlay = (number: number, size: Size, scale: number, page: PDFPageProxy | undefined) => <PageLayer number={number} size={size} scale={scale} page={page} />;

/** Place lets the owner place boxes on the pages of a draft. Each change is saved at once. */
export function Place({ document: d }: { document: Detail }) {
  const people = useQuery(draftPeople(d.id)), placed = useQuery(draftPlacements(d.id));
  const error = people.error ?? placed.error;
  if (error) return <Trouble error={error} retry={() => { void people.refetch(); void placed.refetch(); }} />;
  if (!people.isFetchedAfterMount || !placed.isFetchedAfterMount) return <Loading />;
  return <PlacementEditor document={d} people={people.data ?? []} known={placed.data?.placements ?? []} warnings={placed.data?.warnings ?? []} />;
}

function PlacementEditor({ document: d, people, known, warnings }: { document: Detail; people: Person[]; known: Placement[]; warnings: Warning[] }) {
  const t = useText();
  const go = useNavigate();
  const file = useFile({ url: address.preview(d.id) }, String(d.id));
  const assignees = useMemo(() => listAssignees(people, d.owner), [people, d.owner]);
  const [state, dispatch] = useReducer(reduceEditor, undefined, () => newEditorState(fromService(known), assignees.find((a) => a.signs)?.id ?? d.owner.user_id));
  const { saver, refused, warned } = useSavedPlacements(d.id, state.placed, warnings);
  const said = useAnnouncement(state.announcement);
  const [folded, fold] = useDisclosure();
  const panel = useRef<HTMLElement>(null);
  const { placed, page: current } = state, pages = file.document?.numPages ?? 0;

  const withSize = useCallback((page: number, then: (size: Size) => void) => {
    if (page < 1 || page > pages) return;
    const known = state.sizes.get(page);
    if (known && known.width > 0) return then(known);
    void file.document!.getPage(page).then((p) => {
      const { width, height } = p.getViewport({ scale: 1 });
      then({ width, height });
    });
  }, [file.document, pages, state.sizes]);
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
  const showPage = (page: number) => document.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ block: "start" });
  const pressKey = (e: KeyboardEvent) => {
    if (!(e.ctrlKey || e.metaKey) || (e.target as HTMLElement).closest("input")) return;
    const type = e.key.toLowerCase() === "z" ? (e.shiftKey ? "redo" : "undo") : e.key.toLowerCase() === "y" ? "redo" : undefined;
    if (!type) return;
    e.preventDefault();
    dispatch({ type });
  };
  const showVisible = useCallback((page: number) => dispatch({ type: "showPage", page }), []);
  const selected = placed.find((p) => p.key === state.selected);
  return (
    <EditorContext value={editor}>
      <Group justify="space-between">
        <Group gap="xs">
          {pages > 0 && <NumberInput size="xs" w={92} hideControls aria-label={t("place.goTo")} suffix={` / ${pages}`} min={1} max={pages} value={current} onChange={(v) => typeof v === "number" && v >= 1 && v <= pages && v !== current && showPage(v)} />}
          <ActionIcon variant="default" size="lg" aria-label={t("place.undo")} disabled={!canUndo(state)} onClick={() => dispatch({ type: "undo" })}><IconArrowBackUp size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.redo")} disabled={!canRedo(state)} onClick={() => dispatch({ type: "redo" })}><IconArrowForwardUp size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.smaller")} disabled={!canZoomOut(state)} onClick={() => dispatch({ type: "zoom", by: -0.25 })}><IconZoomOut size={18} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.larger")} disabled={!canZoomIn(state)} onClick={() => dispatch({ type: "zoom", by: 0.25 })}><IconZoomIn size={18} aria-hidden /></ActionIcon>
        </Group>
        <Saved saver={saver} also={saver.error instanceof Problem ? saver.error.of("signers") : undefined} />
      </Group>
      <VisuallyHidden role="status" data-said>{said}</VisuallyHidden>
      <VisuallyHidden id="place-keys">{t("place.keys")}</VisuallyHidden>
      <div className={classes.desk} onKeyDown={pressKey}>
        {file.document && <Thumbs document={file.document} current={current} count={(n) => placed.filter((p) => p.page === n).length} go={showPage} />}
        <aside ref={panel} className={classes.panel} data-panel aria-label={t("place.tools")}>
          <Stack gap="sm">
            <Button className={classes.fold} variant="subtle" color="gray" size="compact-sm" fullWidth aria-expanded={!folded} onClick={fold.toggle}>{t(folded ? "place.unfold" : "place.fold")}</Button>
            <div className={folded ? classes.folded : undefined}>
              <Stack gap="sm">
                <div className={selected ? classes.narrowHidden : undefined}><Tools who={assignees.find((a) => a.id === state.person)} add={add} drop={drop} ready={pages > 0} /></div>
                {selected && <SelectedBox placed={selected} document={file.document} />}
                <Group justify="space-between" wrap="nowrap" className={classes.foot}>
                  <Text size="sm" c="dimmed">{`${t("place.boxes", { count: placed.filter((p) => p.kind !== "emet").length })}, ${t("place.stamps", { count: placed.filter((p) => p.kind === "emet").length })}`}</Text>
                  <ContinueButton saver={saver} go={() => void go({ to: "/new", search: { document: d.id, step: "review" } })} />
                </Group>
              </Stack>
            </div>
          </Stack>
        </aside>
        <div className={classes.pages}><StablePages file={file} overlay={overlay} onVisible={showVisible} zoom={state.zoom} /></div>
      </div>
    </EditorContext>
  );
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

/** Saves the boxes whenever they change. Returns what the service refuses, by the key of the box, and what it warns of. */
function useSavedPlacements(document: number, placed: Placed[], first: Warning[]) {
  const queries = useQueryClient();
  const [warned, setWarned] = useState(() => warningsOf(placed, first));
  const saver = useSaver(async (all: Placed[]) => {
    setWarned(warningsOf(all, await savePlacements(document, toService(all))));
    void queries.invalidateQueries({ queryKey: ["document", document], refetchType: "none" }); // this screen shows none of it
  });
  const sent = useRef(placed);
  // A layout effect runs before the change is painted, so the screen never shows it together with "saved".
  useLayoutEffect(() => {
    if (sent.current !== placed) saver.change((sent.current = placed));
  }, [placed, saver]);
  const refused = useMemo(() => {
    const fields = saver.error instanceof Problem ? saver.error.fields : [];
    return new Map(fields.flatMap((f) => {
      const i = /^signers\[(\d+)\]/.exec(f.field)?.[1];
      return i !== undefined && placed[Number(i)] ? [[placed[Number(i)]!.key, f.msg] as const] : [];
    }));
  }, [saver.error, placed]);
  return { saver, refused, warned };
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
      case "copied": return say(t("place.copied", { count: a.count }));
    }
  }, [a, say, t]);
  return said;
}
