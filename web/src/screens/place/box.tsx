import { IconAlertTriangle } from "@tabler/icons-react";
import { useDrag } from "@use-gesture/react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";

import { useText } from "../../text";
import { dragOptions, moveToPage, pageAt, useEditor } from "./context";
import { move, pull, type Box, type Handle, type Size } from "./geometry";
import { boxAfterKey } from "./keys";
import type { Placed } from "./placements";
import classes from "./place.module.css";
import { snap, type Guide } from "./snap";
import { overlaps, describeProblems, type PageText } from "./warn";

interface Props {
  placed: Placed;
  size: Size;
  scale: number;
  text: PageText;
  guide: (guides: Guide[]) => void;
}

/** The distance, in pixels of the screen, within which a box snaps to a line. */
const snapDistance = 6;

/** PlacedBox is one box on a page: dragged, resized by its corners, or moved by keys while it has the focus. */
export function PlacedBox({ placed: p, size, scale, text, guide }: Props) {
  const t = useText();
  const editor = useEditor();
  const { state, dispatch } = editor;
  const element = useRef<HTMLDivElement>(null);
  const stopDrag = useRef<() => void>(undefined);
  const [live, setLive] = useState<Box>();
  const box = live ?? p.box;
  const who = editor.assignees.find((a) => a.id === p.person);
  const selected = state.selected === p.key;
  const over = overlaps({ ...p, box }, state.placed, text.legible);
  const refused = editor.refused.get(p.key);
  const name = t("place.box", { kind: t(`place.${p.kind}`), name: who?.name ?? "", page: p.page, left: Math.round(box.x), bottom: Math.round(box.y) });
  const problem = describeProblems(t, editor, live ? { ...p, box } : p, over);

  const problemId = `problem-${p.key}`;
  const wantsFocus = typeof state.focus === "object" && state.focus.box === p.key;
  useEffect(() => {
    if (!wantsFocus) return;
    dispatch({ type: "focused" });
    element.current?.focus({ preventScroll: true });
    element.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [wantsFocus, dispatch]);

  const drag = useDrag(({ args, event, xy, initial, intentional, last, canceled, altKey, cancel, memo: from = p.box as Box }) => {
    event.stopPropagation(); // a handle is part of its box
    stopDrag.current = last ? undefined : cancel;
    if (!intentional) {
      dispatch({ type: "select", key: p.key });
      element.current?.focus({ preventScroll: true });
      return from;
    }
    const handle = args[0] as Handle | undefined;
    const dx = (xy[0] - initial[0]) / scale, dy = (initial[1] - xy[1]) / scale;
    let next = handle ? pull(from, handle, dx, dy, p.kind, size) : move(from, dx, dy, p.kind, size), guides: Guide[] = [];
    if (!handle && !altKey) {
      const others = state.placed.filter((o) => o.page === p.page && o.key !== p.key).map((o) => o.box);
      const snapped = snap(next, others, text.lines, size, snapDistance / scale);
      next = move(snapped.box, 0, 0, p.kind, size);
      guides = snapped.guides;
    }
    guide(last ? [] : guides);
    setLive(last ? undefined : next);
    if (!last || canceled || event.type === "pointercancel") return from;
    const target = handle ? undefined : Number(pageAt(...xy)?.dataset.page);
    if (target && target !== p.page) moveToPage(editor, p.key, target);
    else dispatch({ type: "change", key: p.key, to: { box: next }, announce: true });
    return from;
  }, dragOptions(3)); // a resting finger moves a little
  const pressKey = (e: KeyboardEvent) => {
    if (e.target !== e.currentTarget) return;
    const next = boxAfterKey(e, p.box, p.kind, size);
    if (next) dispatch({ type: "change", key: p.key, to: { box: next }, name: `keys ${p.key}`, announce: true });
    else if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "d") dispatch({ type: "duplicate", key: p.key, size });
    else if (e.key === "Delete" || e.key === "Backspace") dispatch({ type: "remove", key: p.key });
    else if (e.key === "PageDown") moveToPage(editor, p.key, p.page + 1);
    else if (e.key === "PageUp") moveToPage(editor, p.key, p.page - 1);
    else if (e.key === "Enter") editor.focusNumbers();
    else if (e.key === "Escape") {
      if (stopDrag.current) stopDrag.current();
      else dispatch({ type: "select", key: undefined });
    } else return;
    e.preventDefault();
  };

  const width = box.w * scale, height = box.h * scale;
  // Four handles would cover a small box and leave no area to drag it by.
  const handles: Handle[] = width > 80 && height > 56 ? ["nw", "ne", "sw", "se"] : ["se"];
  return (
    <div ref={element} role="application" aria-roledescription={t("place.movable")} aria-label={name} aria-describedby={problem ? `place-keys ${problemId}` : "place-keys"} tabIndex={0} className={classes.box} data-box={p.key} data-kind={p.kind} data-selected={selected} data-wrong={refused !== undefined}
      style={{ left: box.x * scale, top: (size.height - box.y - box.h) * scale, width, height, "--person": who?.colour ?? "#555" } as React.CSSProperties}
      onFocus={() => dispatch({ type: "select", key: p.key })} onKeyDown={pressKey} {...drag()}>
      <span className={classes.label} aria-hidden>{t(`place.${p.kind}`)}<br />{who?.name}</span>
      {problem && <span id={problemId} hidden>{problem}</span>}
      {problem && <span className={classes.alarm} title={problem}><IconAlertTriangle size={14} role="img" aria-label={problem} /></span>}
      {selected && handles.map((h) => (
        <span key={h} aria-hidden className={classes.handle} data-handle={h} {...drag(h)} />
      ))}
    </div>
  );
}
