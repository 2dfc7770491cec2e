import { ActionIcon, Group, NumberInput, Select, Stack, Text, Title } from "@mantine/core";
import { IconCopyPlus, IconFocus2, IconTrash } from "@tabler/icons-react";
import type { KeyboardEvent } from "react";

import { useLanguage, useText } from "../../text";
import { moveToPage, useEditor } from "./context";
import { CopyTo } from "./copy-to";
import { fit, millimetres, stampMax, stampMin, type Box, type Size } from "./geometry";
import type { Placed } from "./placements";
import classes from "./place.module.css";

interface Props {
  placed: Placed;
  size: Size;
  pages: number;
  /** Copies the box to pages. */
  copy: (pages: number[]) => void;
  /** Moves the focus back to the box. */
  focusBox: () => void;
  warning: string;
}

/** Panel shows the position and size of the selected box in points, to be changed by typing. */
export function Panel({ placed: p, size, pages, copy, focusBox, warning }: Props) {
  const t = useText(), language = useLanguage();
  const editor = useEditor();
  const set = (to: Partial<Box>) => {
    const wanted = { ...p.box, ...to };
    if (p.kind === "emet" && to.w !== undefined) wanted.h = to.w;
    editor.dispatch({ type: "change", key: p.key, to: { box: fit(wanted, p.kind, size) }, name: `typed ${p.key} ${Object.keys(to).join()}` });
  };
  const mm = (v: number) => millimetres(v).toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const assignees = editor.assignees.filter((a) => a.signs || p.kind === "emet" || a.id === p.person);
  const escape = (e: KeyboardEvent) => { if (e.key === "Escape") focusBox(); };
  return (
    <Stack gap="xs" component="section" aria-label={t("place.chosen")} onKeyDown={escape}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <div>
          <Title order={2} size="h6">{t(`place.${p.kind}`)}</Title>
          <Text size="xs" c="dimmed">{p.kind === "emet" ? t("place.side", { mm: mm(p.box.w) }) : t("place.sides", { w: mm(p.box.w), h: mm(p.box.h) })}</Text>
        </div>
        <Group gap={4} wrap="nowrap">
          <ActionIcon variant="default" size="lg" aria-label={t("place.back")} title={t("place.back")} onClick={focusBox}><IconFocus2 size={16} aria-hidden /></ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("place.double")} title={t("place.double")} onClick={() => editor.dispatch({ type: "duplicate", key: p.key, size })}><IconCopyPlus size={16} aria-hidden /></ActionIcon>
          <ActionIcon variant="light" color="red" size="lg" aria-label={t("place.delete")} title={t("place.delete")} onClick={() => editor.dispatch({ type: "remove", key: p.key })}><IconTrash size={16} aria-hidden /></ActionIcon>
        </Group>
      </Group>
      {warning && <Text size="sm" role="status" className={classes.warning}>{warning}</Text>}
      <Select label={t("place.for")} size="xs" allowDeselect={false} value={p.person} onChange={(person) => person && editor.dispatch({ type: "change", key: p.key, to: { person } })} data={assignees.map((a) => ({ value: a.id, label: a.name }))} />
      <div className={classes.numbers}>
        <Number label={t("place.left")} value={p.box.x} max={size.width - p.box.w} set={(x) => set({ x })} first />
        <Number label={t("place.bottom")} value={p.box.y} max={size.height - p.box.h} set={(y) => set({ y })} />
        <Number label={t(p.kind === "emet" ? "place.sidePoints" : "place.width")} value={p.box.w} min={p.kind === "emet" ? stampMin : 20} max={p.kind === "emet" ? stampMax : size.width} set={(w) => set({ w })} />
        {p.kind !== "emet" && <Number label={t("place.height")} value={p.box.h} min={12} max={size.height} set={(h) => set({ h })} />}
        {pages > 1 && <Number label={t("place.page")} value={p.page} min={1} max={pages} set={(n) => moveToPage(editor, p.key, n)} whole />}
      </div>
      {pages > 1 && <CopyTo key={p.key} placed={p} pages={pages} copy={copy} />}
    </Stack>
  );
}

function Number({ label, value, min = 0, max, set, first, whole }: { label: string; value: number; min?: number; max: number; set: (v: number) => void; first?: boolean; whole?: boolean }) {
  return (
    <NumberInput size="xs" label={label} value={value} min={min} max={Math.max(min, max)} step={1} decimalScale={whole ? 0 : 2} inputMode="decimal" clampBehavior="blur" data-first={first}
      onChange={(v) => { if (typeof v === "number" && v !== value && v >= min && v <= Math.max(min, max)) set(v); }} />
  );
}
