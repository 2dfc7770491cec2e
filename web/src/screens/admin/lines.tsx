import { Group, Paper, Select, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import type { Selection } from "../../api/admin";
import type { Schemas } from "../../api/client";
import { useLanguage, useText } from "../../text";
import { AnchorLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { Paging } from "../../ui/paging";
import { Trouble } from "../../ui/trouble";
import type { AdminSearch } from "./flow";

export interface SectionProps {
  selection: Selection;
  change: (to: Partial<AdminSearch>) => void;
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
export function Lines<T, D extends { pagination: Schemas["Pagination"] }>({ of, items, empty, change, selection, children }: LinesProps<T, D>) {
  const t = useText();
  if (of.isPending) return <Loading />;
  if (of.isError) return <Trouble error={of.error} retry={() => void of.refetch()} />;
  const all = items(of.data), { total_data, total_page } = of.data.pagination;
  if (all.length === 0) return <Text py="md" c="dimmed" ta="center">{empty}</Text>;
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

/** About links to a document; a deleted one is shown by its number only. */
export function About({ document: d }: { document: Schemas["DocumentOut"] | null }) {
  if (!d) return null;
  return d.document_title ? <AnchorLink underline="always" c="inherit" to="/document/$id" params={{ id: String(d.id) }} size="xs">{d.document_title}</AnchorLink> : <>#{d.id}</>;
}

/** Only filters a list by one word of the service. */
export function Only({ label, words, selection, change }: SectionProps & { label: string; words: { value: string; label: string }[] }) {
  const t = useText();
  return <Select w={{ base: "100%", xs: 260 }} label={label} allowDeselect={false} value={selection.only ?? ""} onChange={(v) => change({ only: v || undefined })} data={[{ value: "", label: t("list.all") }, ...words]} />;
}
