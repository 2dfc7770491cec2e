import { Button, Group, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { adminLocale, setLocale, type AdminLocale } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import type { SectionProps } from "./lines";

/** Locale sets the language and the time zone of the organisation. */
export function Locale({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(adminLocale(search.organisation));
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("locale.title")}</Title>
        <Text size="sm" c="dimmed">{t("locale.lead")}</Text>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Form key={found.data.organisation.id} stored={found.data} />}
    </Stack>
  );
}

const indonesian = ["Asia/Jakarta", "Asia/Pontianak", "Asia/Makassar", "Asia/Jayapura"];

function Form({ stored }: { stored: AdminLocale }) {
  const t = useText();
  const queries = useQueryClient();
  const [language, setLanguage] = useState(stored.language ?? "");
  const [zone, setZone] = useState(stored.time_zone);
  const changed = language !== (stored.language ?? "") || zone !== stored.time_zone;
  const save = useMutation({
    mutationFn: () => setLocale(stored.organisation.id, language === "id" || language === "en" ? language : undefined, zone),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["admin", "locale"] }),
  });
  const problem = save.error instanceof Problem ? save.error : undefined;
  const zones = [...new Set([...indonesian, stored.time_zone, ...Intl.supportedValuesOf("timeZone"), "UTC"])];
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("locale.title")}>
      <Stack gap="md">
        <Group align="flex-start" gap="sm">
          <Select style={{ flex: "1 1 14rem" }} label={t("locale.language")} description={t("locale.languageHint")} allowDeselect={false} value={language} onChange={(v) => setLanguage(v ?? "")} error={problem?.of("language")}
            data={[{ value: "", label: t("locale.service") }, { value: "id", label: "Bahasa Indonesia" }, { value: "en", label: "English" }]} />
          <Select style={{ flex: "1 1 14rem" }} label={t("locale.zone")} description={t("locale.zoneHint")} searchable allowDeselect={false} limit={100} nothingFoundMessage={t("admin.nothingFound")} value={zone} onChange={(v) => v && setZone(v)} error={problem?.of("time_zone")} data={zones} />
        </Group>
        {save.isError && !problem?.of("language") && !problem?.of("time_zone") && <Trouble error={save.error} />}
        <Group justify="flex-end" gap="sm">
          <Text size="sm" role="status">{save.isSuccess && !changed && t("locale.saved")}</Text>
          <Button type="submit" loading={save.isPending} disabled={!changed}>{t("locale.save")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
