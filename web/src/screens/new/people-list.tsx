import { ActionIcon, Badge, Checkbox, Group, Paper, Select, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconGripVertical, IconTrash } from "@tabler/icons-react";
import { useRef, useState, type PointerEvent } from "react";

import { useText } from "../../text";
import { personColours } from "../../ui/colours";
import classes from "./new.module.css";
import { actsAs, groups, join, joined, numbers, reorder, settle, withRole, type Draftee } from "./people";
import { FillRole } from "./roles";
import { PersonMessages } from "./person-messages";

interface Props {
  people: Draftee[];
  parallel: boolean;
  /** The problems of the person at a position in the list. */
  wrong: (i: number) => string | undefined;
  change: (people: Draftee[]) => void;
}

/** PeopleList orders people, by dragging or by buttons, and says what each will do. */
export function PeopleList({ people, parallel, wrong, change }: Props) {
  const t = useText();
  const list = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<string>();
  const [said, say] = useState("");
  const set = (key: string, to: Partial<Draftee>) => change(people.map((p) => (p.key === key ? { ...p, ...to } : p)));
  const go = (from: number, to: number) => {
    if (to < 0 || to >= people.length) return;
    change(reorder(people, from, to));
    say(t("new.moved", { name: people[from]!.name, place: to + 1, total: people.length }));
  };
  const drag = (e: PointerEvent) => {
    const from = people.findIndex((p) => p.key === dragged);
    const rows = [...(list.current?.querySelectorAll("[data-person]") ?? [])].map((r) => r.getBoundingClientRect());
    const to = rows.findIndex((r) => e.clientY < r.bottom);
    if (from < 0 || to < 0 || to === from) return;
    // A tall row that swapped with a small one must not swap back under the same finger.
    const beyond = to > from ? e.clientY > rows[to]!.bottom - rows[from]!.height / 2 : e.clientY < rows[to]!.top + rows[from]!.height / 2;
    if (beyond) go(from, to);
  };
  if (people.length === 0) return <Text c="dimmed" ta="center" py="md">{t("new.nobody")}</Text>;
  const number = numbers(people);
  return (
    <>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      <Stack component="ol" ref={list} gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-label={t("document.people")}>
        {people.map((p, i) => (
          <Paper component="li" key={p.key} withBorder p="xs" data-person={p.key} className={dragged === p.key ? classes.dragged : undefined}>
            <Group gap="sm" justify="space-between">
              <Group gap="xs" wrap="nowrap" miw={0} style={{ flex: "1 1 14rem" }}>
                <ActionIcon variant="subtle" color="gray" size="lg" className={classes.grip} aria-hidden tabIndex={-1}
                  onPointerDown={(e) => { e.currentTarget.setPointerCapture(e.pointerId); setDragged(p.key); }} onPointerMove={(e) => dragged && drag(e)} onPointerUp={() => setDragged(undefined)} onPointerCancel={() => setDragged(undefined)}>
                  <IconGripVertical size={18} aria-hidden />
                </ActionIcon>
                <Badge circle size="lg" color={personColours[i % personColours.length]!} style={{ flex: "none" }} aria-hidden={parallel}>{parallel ? "" : number[i]}</Badge>
                <div style={{ minWidth: 0 }}>
                  <Group gap={6}><Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>{p.name}</Text>{p.placeholder ? <Badge size="xs" variant="light">{t("template.open")}</Badge> : p.guest && <Badge size="xs" variant="default">{t("document.guest")}</Badge>}</Group>
                  <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{[p.email, p.phone, p.channel !== "mail" && t(`notice.channels.${p.channel}`), p.language && (p.language === "id" ? "Indonesia" : "English")].filter(Boolean).join(" · ")}</Text>
                  {wrong(i) && <Text size="sm" c="var(--mantine-color-error)" role="alert">{wrong(i)}</Text>}
                </div>
              </Group>
              <Group gap={4}>
                <Select size="xs" w={150} aria-label={t("new.role", { name: p.name })} allowDeselect={false} value={p.role} onChange={(v) => change(withRole(people, i, v as Draftee["role"]))}
                  data={actsAs.map((value) => ({ value, label: t(`document.actsAs.${value}`) }))} />
                {p.placeholder
                  ? <FillRole role={p} people={people} change={(to) => change(people.map((o) => (o.key === p.key ? to : o)))} />
                  : <PersonMessages person={p} people={people} change={(to) => change(people.map((o) => (o.key === p.key ? to : o)))} />}
                <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("new.up", { name: p.name })} aria-disabled={i === 0} onClick={() => go(i, i - 1)}><IconArrowUp size={16} aria-hidden /></ActionIcon>
                <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("new.down", { name: p.name })} aria-disabled={i === people.length - 1} onClick={() => go(i, i + 1)}><IconArrowDown size={16} aria-hidden /></ActionIcon>
                <ActionIcon variant="subtle" color="red" size="lg" aria-label={t("new.remove", { name: p.name })} onClick={() => { change(settle(people.filter((x) => x.key !== p.key))); say(t("new.removed", { name: p.name })); }}><IconTrash size={16} aria-hidden /></ActionIcon>
              </Group>
            </Group>
            {i > 0 && groups(p.role) && groups(people[i - 1]!.role) && <Checkbox mt={10} ml={42} size="xs" label={t("new.anyOf", { name: people[i - 1]!.name })} checked={joined(people, i)} onChange={(e) => change(join(people, i, e.currentTarget.checked))} />}
            {i > 0 && !parallel && !joined(people, i) && <Checkbox mt={10} ml={42} size="xs" label={t("new.together", { name: people[i - 1]!.name })} checked={p.together} onChange={(e) => set(p.key, { together: e.currentTarget.checked })} />}
          </Paper>
        ))}
      </Stack>
    </>
  );
}
