import { Button, Group, Paper, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import type { Selection } from "../../api/admin";
import type { Schemas } from "../../api/client";
import { useLanguage, useText } from "../../text";
import { AnchorLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { usePageWithin } from "../../ui/page-within";
import { Paging } from "../../ui/paging";
import { useSearchText } from "../../ui/search-text";
import { Trouble } from "../../ui/trouble";
import { isFiltered, type AdminSearch } from "./flow";

export interface SectionProps {
  /** The address. */
  search: AdminSearch;
  /** What it selects, with times instead of days. */
  selection: Selection;
  change: (to: Partial<AdminSearch>) => void;
  /** Removes all filters. */
  clear: () => void;
}

/** Formats a time for people. */
export function useWhen(): (iso: string | null | undefined) => string {
  const language = useLanguage();
  return (iso) => (iso ? new Date(iso).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "");
}

interface LinesProps<T, D extends { pagination: Schemas["Pagination"] }> extends SectionProps {
  of: UseQueryResult<D>;
  items: (data: D) => T[];
  empty: string;
  children: (item: T, i: number) => ReactNode;
}

/** Lines is one page of a list: the filter, and its lines, a spinner, an empty state or an error. */
export function Lines<T, D extends { pagination: Schemas["Pagination"] }>({ of, items, empty, search, change, clear, selection, children }: LinesProps<T, D>) {
  const t = useText();
  usePageWithin(selection.page, of, (page) => change({ page }));
  if (of.isPending) return <Loading />;
  if (of.isError) return <Trouble error={of.error} retry={() => void of.refetch()} />;
  const all = items(of.data), { total_data, total_page } = of.data.pagination;
  if (all.length === 0) {
    return (
      <Stack py="md" align="center" gap="xs">
        <Text c="dimmed" role="status">{isFiltered(search) ? t("admin.nothingFound") : empty}</Text>
        {isFiltered(search) && <Button size="xs" variant="default" onClick={clear}>{t("list.clear")}</Button>}
      </Stack>
    );
  }
  return (
    <Stack gap="sm">
      <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }} aria-busy={of.isPlaceholderData}>{all.map(children)}</Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">{t("admin.total", { count: total_data })}</Text>
        {total_page > 1 && <Paging page={selection.page} total={total_page} change={(page) => change({ page })} />}
      </Group>
    </Stack>
  );
}

/** Line is one entry: its title, its facts, and at its end a word or a button. */
export function Line({ title, badge, end, children }: { title: ReactNode; badge?: ReactNode; end?: ReactNode; children?: ReactNode }) {
  return (
    <Paper component="li" withBorder px="sm" py="xs">
      <Group justify="space-between" gap="sm">
        <Stack gap={2} style={{ flex: "1 1 14rem", minWidth: 0 }}>
          <Group gap="xs"><Text fw={600} size="sm" style={{ overflowWrap: "anywhere" }}>{title}</Text>{badge}</Group>
          {children}
        </Stack>
        {end}
      </Group>
    </Paper>
  );
}

/** Facts lists short facts, without those that are unknown. */
export function Facts({ of }: { of: ReactNode[] }) {
  const known = of.filter((x) => x !== "" && x !== null && x !== undefined && x !== false);
  return <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: "anywhere" }}>{known.map((x, i) => <span key={i}>{i > 0 && " · "}{x}</span>)}</Text>;
}

/** About names a document: with a link if the caller may open it, in a list of theirs or because they may read its record; a deleted one by its number only. */
export function About({ document: d, opens = false }: { document: Schemas["DocumentOut"] | null; opens?: boolean }) {
  if (!d) return null;
  if (!d.document_title) return <>#{d.id}</>;
  return d.may_open || opens ? <AnchorLink underline="always" c="inherit" to="/document/$id" params={{ id: String(d.id) }} inherit>{d.document_title}</AnchorLink> : <>{d.document_title}</>;
}

/** Filtering is the row of a list's filters. */
export function Filtering({ children }: { children: ReactNode }) {
  return <Group gap="sm" align="flex-end">{children}</Group>;
}

/** Only filters a list by one word of the service. */
export function Only({ label, by = "only", words, search, change }: SectionProps & { label: string; by?: "only" | "step"; words: { value: string; label: string }[] }) {
  const t = useText();
  return <Select {...wide} label={label} searchable={words.length > 10} allowDeselect={false} value={search[by] ?? ""} onChange={(v) => change({ [by]: v || undefined })} data={[{ value: "", label: t("list.all") }, ...words]} />;
}

const wide = { style: { flex: "1 1 11rem" }, maw: { base: "100%", xs: 260 }, miw: 0 } as const;

/** Find filters a list by a text, once nothing was typed for a moment. */
export function Find({ label, by = "find", search, change }: SectionProps & { label: string; by?: "find" | "person" | "document" }) {
  const [text, setText] = useSearchText(String(search[by] ?? ""), (s) => change({ [by]: by === "document" ? Number(s) || undefined : s || undefined }));
  return (
    <TextInput {...wide} type="search" label={label} leftSection={<IconSearch size={16} aria-hidden />} value={text} inputMode={by === "document" ? "numeric" : by === "person" ? "email" : "search"}
      onChange={(e) => setText(by === "document" ? e.currentTarget.value.replace(/\D/g, "").slice(0, 15) : e.currentTarget.value)} />
  );
}

/** Period filters a list by its first and last day. */
export function Period({ search, change }: SectionProps) {
  const t = useText();
  const day = (which: "from" | "until") => (
    <TextInput style={{ flex: "1 1 9rem" }} maw={{ base: "100%", xs: 180 }} type="date" label={t(which === "from" ? "admin.firstDay" : "admin.lastDay")} value={search[which] ?? ""}
      onChange={(e) => change({ [which]: e.currentTarget.value || undefined })} />
  );
  return <>{day("from")}{day("until")}</>;
}
