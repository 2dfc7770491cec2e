import { IconAlertTriangle } from "@tabler/icons-react";
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";

import { useText } from "../../text";
import { hand, pageAt, useDesk } from "./desk";
import { move, pull, type Box, type Handle, type Size } from "./geometry";
import { press } from "./keys";
import type { Placed } from "./model";
import classes from "./place.module.css";
import { snap, type Guide } from "./snap";
import { overlaps, troubleOf, type PageText } from "./warn";

interface Props {
  placed: Placed;
  size: Size;
  scale: number;
  text: PageText;
  guide: (guides: Guide[]) => void;
}

interface Drag {
  handle: Handle | undefined;
  x: number;
  y: number;
  from: Box;
  moved: boolean;
}

/** How near, in pixels of the screen, a box has to come to be drawn to a line. */
const reach = 6;

/** PlacedBox is one box on a page: dragged and pulled by its corners, or moved by keys while it has the focus. */
export function PlacedBox({ placed: p, size, scale, text, guide }: Props) {
  const t = useText();
  const desk = useDesk();
  const element = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag>(undefined);
  const [live, setLive] = useState<Box>();
  const box = live ?? p.box;
  const who = hand(desk, p.person);
  const selected = desk.selected === p.key;
  const over = overlaps({ ...p, box }, desk.placed, text.legible);
  const wrong = desk.wrong.get(p.key);
  const name = t("place.box", { kind: t(`place.${p.kind}`), name: who?.name ?? "", page: p.page, left: Math.round(box.x), bottom: Math.round(box.y) });
  const trouble = troubleOf(t, desk, live ? { ...p, box } : p, over);

  useEffect(() => {
    if (desk.wanted.current !== p.key) return;
    desk.wanted.current = undefined;
    element.current?.focus({ preventScroll: true });
    element.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [desk.wanted, p.key, p.page, selected]);

  const start = (e: PointerEvent<HTMLElement>, handle?: Handle) => {
    if (e.button !== 0) return;
    e.stopPropagation();
    e.currentTarget.setPointerCapture(e.pointerId);
    drag.current = { handle, x: e.clientX, y: e.clientY, from: p.box, moved: false };
    desk.select(p.key);
    element.current?.focus({ preventScroll: true });
  };
  const follow = (e: PointerEvent<HTMLElement>) => {
    const d = drag.current;
    if (!d) return;
    const px = e.clientX - d.x, py = e.clientY - d.y;
    if (!d.moved && Math.hypot(px, py) < 3) return; // a finger that rests trembles
    d.moved = true;
    const dx = px / scale, dy = -py / scale;
    if (d.handle) return setLive(pull(d.from, d.handle, dx, dy, p.kind, size));
    const moved = move(d.from, dx, dy, p.kind, size);
    if (e.altKey) {
      guide([]);
      return setLive(moved);
    }
    const others = desk.placed.filter((o) => o.page === p.page && o.key !== p.key).map((o) => o.box);
    const snapped = snap(moved, others, text.lines, size, reach / scale);
    guide(snapped.guides);
    setLive(move(snapped.box, 0, 0, p.kind, size));
  };
  const end = (e: PointerEvent<HTMLElement>, keep: boolean) => {
    const d = drag.current;
    drag.current = undefined;
    guide([]);
    setLive(undefined);
    if (!d?.moved || !live || !keep) return;
    const target = d.handle ? undefined : Number(pageAt(e.clientX, e.clientY)?.dataset.page);
    if (target && target !== p.page) return desk.turn(p.key, target);
    desk.change(p.key, { box: live });
    desk.say({ ...p, box: live });
  };
  const key = (e: KeyboardEvent) => {
    if (e.target !== e.currentTarget) return;
    const next = press(e, p.box, p.kind, size);
    if (next) {
      desk.change(p.key, { box: next }, `keys ${p.key}`);
      desk.say({ ...p, box: next });
    } else if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "d") desk.double(p.key);
    else if (e.key === "Delete" || e.key === "Backspace") desk.remove(p.key);
    else if (e.key === "PageDown") desk.turn(p.key, p.page + 1);
    else if (e.key === "PageUp") desk.turn(p.key, p.page - 1);
    else if (e.key === "Enter") desk.inspect();
    else if (e.key === "Escape") {
      if (drag.current) end(e as unknown as PointerEvent<HTMLElement>, false);
      else desk.select(undefined);
    } else return;
    e.preventDefault();
  };

  const width = box.w * scale, height = box.h * scale;
  // On a small box four handles would leave nothing to hold it by.
  const handles: Handle[] = width > 80 && height > 56 ? ["nw", "ne", "sw", "se"] : ["se"];
  return (
    <div ref={element} role="application" aria-roledescription={t("place.movable")} aria-label={name} aria-describedby="place-keys" tabIndex={0} className={classes.box} data-box={p.key} data-kind={p.kind} data-selected={selected} data-wrong={wrong !== undefined}
      style={{ left: box.x * scale, top: (size.height - box.y - box.h) * scale, width, height, "--person": who?.colour ?? "#555" } as React.CSSProperties}
      onFocus={() => desk.select(p.key)} onKeyDown={key} onPointerDown={(e) => start(e)} onPointerMove={follow} onPointerUp={(e) => end(e, true)} onPointerCancel={(e) => end(e, false)}>
      <span className={classes.label} aria-hidden>{t(`place.${p.kind}`)}<br />{who?.name}</span>
      {trouble && <span className={classes.alarm} title={trouble}><IconAlertTriangle size={14} role="img" aria-label={trouble} /></span>}
      {selected && handles.map((h) => (
        <span key={h} aria-hidden className={classes.handle} data-handle={h} onPointerDown={(e) => start(e, h)} onPointerMove={follow} onPointerUp={(e) => { e.stopPropagation(); end(e, true); }} onPointerCancel={(e) => end(e, false)} />
      ))}
    </div>
  );
}
