import { Select, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { teams } from "../api/account";
import { verbs, type Detail } from "../api/documents";
import { useText } from "../text";
import { Trouble } from "./trouble";

/** TeamOf says with which team a document is shared. Its owner chooses the team among theirs. */
export function TeamOf({ document: d }: { document: Detail }) {
  const t = useText();
  const queries = useQueryClient();
  const own = useQuery({ ...teams, enabled: d.is_owner }).data ?? [];
  const share = useMutation({
    mutationFn: (team: string) => verbs.share(d.id, team),
    onSuccess: () => queries.invalidateQueries(),
  });
  if (!d.is_owner) return d.team ? <Text size="sm">{t("share.sharedWith", { name: d.team.name })}</Text> : null;
  if (own.length === 0 && !d.team) return null;
  const all = d.team && !own.some((x) => x.id === d.team?.id) ? [d.team, ...own] : own; // they may have left it
  return (
    <Stack gap="xs">
      <Select label={t("share.ofDocument")} description={t("share.hint")} allowDeselect={false} disabled={share.isPending} value={d.team?.id ?? ""} onChange={(v) => { if (v !== null && v !== (d.team?.id ?? "")) share.mutate(v); }}
        data={[{ value: "", label: t("share.notShared") }, ...all.map((x) => ({ value: x.id, label: x.name }))]} />
      {share.isError && <Trouble error={share.error} />}
    </Stack>
  );
}
