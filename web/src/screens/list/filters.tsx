import { ActionIcon, Group, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconFolder, IconFolderCog, IconSearch, IconTag, IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";

import { contacts, counts, orders, periods, states, type Box, type Search, type Tab } from "../../api/documents";
import { folders, labels } from "../../api/filing";
import { useText } from "../../text";
import { Count } from "../../ui/count";
import { useSearchText } from "../../ui/search-text";
import { Sideways } from "../../ui/sideways";

const FoldersDialog = lazy(() => import("../../ui/filing").then((m) => ({ default: m.FoldersDialog })));

/** The tabs of a list; the first one is shown at first. */
export const tabsOf = (box: Box, team = false): Tab[] => {
  const some = states.filter((s) => team || s !== "draft");
  return box === "in" ? ["waiting", "all", ...some] : ["all", "waiting", ...some];
};

interface Props {
  box: Box;
  tab: Tab;
  search: Search;
  /** Whether I may rename and delete the folders of the list. */
  manages: boolean;
  change: (to: Partial<Search>) => void;
}

/** Filters shows the tabs with their numbers, the search, the person, the period and the order. The address holds their values. */
export function Filters({ box, tab, search, manages, change }: Props) {
  const t = useText();
  const [text, setText] = useSearchText(search.search, (s) => change({ search: s }));
  const found = useQuery(counts(box, search)).data;
  const tabs = tabsOf(box, search.team !== undefined);
  const count = (of: Tab) => (of === "all" ? found?.total_data : of === "waiting" ? found?.waiting : found?.status.find((s) => s.value === of)?.total);
  return (
    <Group align="flex-end" gap="sm">
      <Sideways>
        <SegmentedControl aria-label={t("list.status")} value={tab} onChange={(v) => change({ status: v === tabs[0] ? undefined : (v as Tab) })}
          data={tabs.map((s) => ({ value: s, label: <Label name={t(s === "all" || s === "waiting" ? `list.${s}` : `state.${s}`)} count={count(s)} more={found?.total_limited ?? false} /> }))} />
      </Sideways>
      <TextInput style={{ flex: "1 1 12rem" }} type="search" aria-label={t("list.search")} placeholder={t("list.search")} leftSection={<IconSearch size={16} aria-hidden />} value={text}
        onChange={(e) => setText(e.currentTarget.value)} />
      <Person person={search.person} change={change} />
      <Where search={search} manages={manages} change={change} />
      <Select style={{ flex: "1 1 8rem" }} maw={{ sm: 150 }} aria-label={t("list.period")} allowDeselect={false} value={search.periode} onChange={(v) => change({ periode: v as Search["periode"] })}
        data={periods.map((p) => ({ value: p, label: t(p === "all" ? "list.anytime" : `list.${p}`) }))} />
      <Select style={{ flex: "1 1 8rem" }} maw={{ sm: 170 }} aria-label={t("list.sort")} allowDeselect={false} value={search.sort} onChange={(v) => change({ sort: v as Search["sort"] })}
        data={orders.map((o) => ({ value: o, label: t(`list.sortBy.${o}`) }))} />
    </Group>
  );
}

function Label({ name, count, more }: { name: string; count: number | undefined; more: boolean }) {
  return (
    <Group gap={6} wrap="nowrap" component="span">
      {name}
      {count !== undefined && <Count variant="default" count={count} more={more} />}
    </Group>
  );
}

/** Person chooses a person of my documents, or any other by their e-mail. */
function Person({ person, change }: { person: string; change: Props["change"] }) {
  const t = useText();
  const [text, setText] = useState("");
  const [part] = useDebouncedValue(text, 200);
  const typed = text.trim().toLowerCase();
  const all = useQuery(contacts(part === person ? "" : part)).data ?? [];
  const options = all.map((p) => ({ value: p.email, label: `${p.name} (${p.email})` }));
  for (const other of [person, /^[^\s@]+@[^\s@]+$/.test(typed) ? typed : ""]) {
    if (other && !options.some((o) => o.value === other)) options.push({ value: other, label: other });
  }
  return (
    <Select style={{ flex: "1 1 12rem" }} aria-label={t("list.person")} placeholder={t("list.person")} leftSection={<IconUser size={16} aria-hidden />} searchable clearable clearButtonProps={{ "aria-label": t("list.anyone") }}
      value={person || null} onChange={(v) => change({ person: v ?? "" })} onSearchChange={setText} data={options} nothingFoundMessage={t("list.nobody")}
      filter={({ options: o }) => o} />
  );
}

/** Where chooses a label of my organisation and a folder of mine or of the team, once there are any. */
function Where({ search, manages, change }: Omit<Props, "box" | "tab">) {
  const t = useText();
  const [managing, setManaging] = useState(false);
  const tags = useQuery(labels).data ?? [], places = useQuery(folders(search.team)).data ?? [];
  const select = { style: { flex: "1 1 9rem" }, maw: { sm: 190 }, clearable: true } as const;
  const options = (all: readonly { id: string; name: string }[]) => all.map((x) => ({ value: x.id, label: x.name }));
  return (
    <>
      {(tags.length > 0 || search.label) && (
        <Select {...select} aria-label={t("filing.label")} placeholder={t("filing.label")} leftSection={<IconTag size={16} aria-hidden />} searchable={tags.length > 10} clearButtonProps={{ "aria-label": t("filing.anyLabel") }}
          value={search.label ?? null} onChange={(v) => change({ label: v ?? undefined })} data={options(tags)} />
      )}
      {(places.length > 0 || search.folder) && (
        <Group gap={4} wrap="nowrap" style={select.style} maw={{ sm: 230 }}>
          <Select style={{ flex: 1 }} clearable aria-label={t("filing.folder")} placeholder={t("filing.folder")} leftSection={<IconFolder size={16} aria-hidden />} searchable={places.length > 10} clearButtonProps={{ "aria-label": t("filing.anyFolder") }}
            value={search.folder ?? null} onChange={(v) => change({ folder: v ?? undefined })} data={options(places)} />
          {manages && <ActionIcon variant="default" size={36} aria-label={t("filing.folders")} onClick={() => setManaging(true)}><IconFolderCog size={16} aria-hidden /></ActionIcon>}
        </Group>
      )}
      {managing && <Suspense><FoldersDialog team={search.team} close={() => setManaging(false)} deleted={(id) => { if (id === search.folder) change({ folder: undefined }); }} /></Suspense>}
    </>
  );
}
