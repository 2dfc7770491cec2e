import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { IconRosetteDiscountCheck, IconSignature, IconUsersGroup, IconWriting } from "@tabler/icons-react";
import { useDrag } from "@use-gesture/react";
import { useRef, useState } from "react";

import { useText } from "../../text";
import { pageRanges } from "../../ui/page-ranges";
import type { Assignee } from "./assignees";
import { dragOptions, pageAt, useEditor } from "./context";
import type { Kind } from "./geometry";
import classes from "./place.module.css";

const icons = { sign: IconSignature, paraf: IconWriting, emet: IconRosetteDiscountCheck } as const;
const kinds: Kind[] = ["sign", "paraf", "emet"];

interface Props {
  who: Assignee | undefined;
  /** Adds a box in free space on the page in view. */
  add: (kind: Kind) => void;
  drop: (kind: Kind, page: HTMLElement, clientX: number, clientY: number) => void;
  /** The pages are loaded. */
  ready: boolean;
  /** Opens the dialog that places boxes for all signers. */
  placeForAll: () => void;
}

/** Tools places boxes: by dragging onto a page, by a click here and one on the page, or by keyboard in free space. */
export function Tools({ who, add, drop, ready, placeForAll }: Props) {
  const t = useText();
  const { state, dispatch, assignees } = useEditor();
  const [ghost, setGhost] = useState<{ kind: Kind; x: number; y: number }>();
  const dragged = useRef(false);
  const drag = useDrag(({ args, event, xy: [x, y], intentional, last, canceled }) => {
    const kind = args[0] as Kind;
    dragged.current = intentional;
    setGhost(intentional && !last ? { kind, x, y } : undefined);
    const target = intentional && last && !canceled && event.type !== "pointercancel" ? pageAt(x, y) : undefined;
    if (target) drop(kind, target, x, y);
  }, dragOptions(6));
  const mine = new Set(state.placed.filter((p) => p.person === who?.id).map((p) => p.page));
  return (
    <Stack gap="xs">
      {assignees.some((a) => a.signs) && <Button variant="light" size="sm" leftSection={<IconUsersGroup size={18} aria-hidden />} disabled={!ready} onClick={placeForAll}>{t("place.forAll")}</Button>}
      <Select label={t("place.for")} allowDeselect={false} value={who?.id ?? null} onChange={(id) => id && dispatch({ type: "choosePerson", person: id })} data={assignees.map((a) => ({ value: a.id, label: a.signs ? a.name : t("place.stampsOnly", { name: a.name }) }))}
        leftSection={<span className={classes.dot} style={{ background: who?.colour }} aria-hidden />} />
      {who && mine.size > 0 && <Text size="xs" c="dimmed" data-pages-of={who.id}>{t("place.pagesOf", { name: who.name, pages: pageRanges([...mine]), count: mine.size })}</Text>}
      <div className={classes.kinds} role="group" aria-label={t("place.kinds")}>
        {kinds.map((kind) => {
          const Icon = icons[kind];
          return (
            <Button key={kind} variant={state.armed === kind ? "filled" : "default"} size="sm" px="xs" leftSection={<Icon size={18} aria-hidden />} disabled={!ready || !who || (kind !== "emet" && !who.signs)} aria-pressed={state.armed === kind} className={classes.tool} data-tool={kind}
              {...drag(kind)}
              onClick={(e) => {
                if (dragged.current && e.detail !== 0) return;
                if (e.detail === 0) add(kind); // a key, not a pointer
                else dispatch({ type: "arm", kind: state.armed === kind ? undefined : kind });
              }}>
              {t(`place.${kind}`)}
            </Button>
          );
        })}
      </div>
      {state.armed ? (
        <Group gap="xs" justify="space-between" role="status">
          <Text size="sm">{t("place.clickPage")}</Text>
          <Button size="xs" variant="light" onClick={() => add(state.armed!)}>{t("place.here", { page: state.page })}</Button>
        </Group>
      ) : state.selected === undefined && <Text size="xs" c="dimmed">{t("place.hint")}</Text>}
      {ghost && <div className={classes.ghost} aria-hidden style={{ left: ghost.x, top: ghost.y, "--person": who?.colour } as React.CSSProperties}>{t(`place.${ghost.kind}`)}</div>}
    </Stack>
  );
}
