import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { quota } from "../../api/admin";
import { useText } from "../../text";

/** OrganisationSelect lets an operator choose an organisation, or all of them. There is nothing to choose if there is only one. */
export function OrganisationSelect({ value, change, all = false }: { value: string | undefined; change: (id: string | undefined) => void; all?: boolean }) {
  const t = useText();
  const [text, setText] = useState("");
  const [find] = useDebouncedValue(text, 300);
  const first = useQuery(quota({ page: 1 }, 20)), found = useQuery(quota({ page: 1, find }, 20));
  const chosen = useQuery({ ...quota({ page: 1, organisation: value }, 1), enabled: value !== undefined });
  const known = new Map([first, found, ...(value === undefined ? [] : [chosen])].flatMap((q) => q.data?.organisations ?? []).map((o) => [o.organisation.id, o.organisation.name]));
  if ((first.data?.pagination.total_data ?? 0) < 2) return null;
  return (
    <Select style={{ flex: "1 1 12rem" }} maw={{ base: "100%", xs: 320 }} label={t("admin.organisation")} searchable allowDeselect={false} nothingFoundMessage={t("admin.nothingFound")} value={value ?? (all ? "" : null)}
      onSearchChange={setText} onChange={(v) => change(v || undefined)}
      data={[...(all ? [{ value: "", label: t("list.all") }] : []), ...[...known].map(([id, name]) => ({ value: id, label: name }))]} />
  );
}
