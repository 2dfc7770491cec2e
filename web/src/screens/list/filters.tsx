import { Badge, Group, ScrollArea, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";

import { count, periods, states, type Box, type Search, type State } from "../../api/documents";
import { useText } from "../../text";

/** Filters shows the tabs of states with their numbers, the period and the search. The address holds their values. */
export function Filters({ box, search, change }: { box: Box; search: Search; change: (to: Partial<Search>) => void }) {
  const t = useText();
  const [text, setText] = useState(search.search);
  const settle = useDebouncedCallback((s: string) => change({ search: s }), 300);
  const shown: (State | undefined)[] = [undefined, ...states.filter((s) => box === "out" || s !== "draft")];
  const counts = useQueries({ queries: shown.map((s) => count(box, s)) });
  return (
    <Group align="flex-end" gap="sm">
      <ScrollArea type="auto" w="100%" offsetScrollbars="x">
        <SegmentedControl aria-label={t("list.status")} value={search.status ?? "all"} onChange={(v) => change({ status: v === "all" ? undefined : (v as State) })}
          data={shown.map((s, i) => ({ value: s ?? "all", label: <Tab name={s ? t(`state.${s}`) : t("list.all")} count={counts[i]?.data} /> }))} />
      </ScrollArea>
      <TextInput style={{ flex: "1 1 14rem" }} type="search" aria-label={t("list.search")} placeholder={t("list.search")} leftSection={<IconSearch size={16} aria-hidden />} value={text}
        onChange={(e) => { setText(e.currentTarget.value); settle(e.currentTarget.value); }} />
      <Select w={150} aria-label={t("list.period")} allowDeselect={false} value={search.periode} onChange={(v) => change({ periode: v as Search["periode"] })}
        data={periods.map((p) => ({ value: p, label: t(p === "all" ? "list.anytime" : `list.${p}`) }))} />
    </Group>
  );
}

function Tab({ name, count }: { name: string; count: number | undefined }) {
  return (
    <Group gap={6} wrap="nowrap" component="span">
      {name}
      {count !== undefined && <Badge size="sm" variant="default" component="span" style={{ flexShrink: 0 }}>{count}</Badge>}
    </Group>
  );
}
