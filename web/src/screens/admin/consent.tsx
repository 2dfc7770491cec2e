import { Alert, Button, Checkbox, Group, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { adminConsent, setConsent, type AdminConsent } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import type { SectionProps } from "./lines";

/** Consent sets the text that people accept before they first sign a document of the organisation, and whether every signature requires it. */
export function Consent({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(adminConsent(search.organisation));
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("consentText.title")}</Title>
        <Text size="sm" c="dimmed">{t("consentText.lead")}</Text>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Form key={found.data.organisation.id} stored={found.data} />}
    </Stack>
  );
}

function Form({ stored }: { stored: AdminConsent }) {
  const t = useText();
  const queries = useQueryClient();
  const [id, setID] = useState(stored.texts.id.text);
  const [en, setEN] = useState(stored.texts.en.text);
  const [required, setRequired] = useState(stored.required);
  const changed = id !== stored.texts.id.text || en !== stored.texts.en.text;
  const onSuccess = async (now: AdminConsent) => {
    await queries.invalidateQueries({ queryKey: ["admin", "consent"] });
    setID(now.texts.id.text);
    setEN(now.texts.en.text);
    setRequired(now.required);
  };
  const save = useMutation({ mutationFn: () => setConsent(stored.organisation.id, { required, ...(changed ? { id, en } : {}) }), onSuccess });
  const remove = useMutation({ mutationFn: () => setConsent(stored.organisation.id, { id: "", en: "" }), onSuccess });
  const problem = save.error instanceof Problem ? save.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("consentText.title")}>
      <Stack gap="md">
        <Text size="sm" data-version={stored.version}>{t(stored.own ? "consentText.own" : "consentText.ofService", { version: stored.version })}</Text>
        <Textarea label={t("consentText.indonesian")} lang="id" required autosize minRows={6} maxRows={20} value={id} onChange={(e) => setID(e.currentTarget.value)} error={problem?.of("id")} />
        <Textarea label={t("consentText.english")} lang="en" required autosize minRows={6} maxRows={20} value={en} onChange={(e) => setEN(e.currentTarget.value)} error={problem?.of("en")} />
        {changed && <Alert variant="light" color="yellow" role="status">{t("consentText.newVersion")}</Alert>}
        <Checkbox checked={required} onChange={(e) => setRequired(e.currentTarget.checked)} label={t("consentText.required")} description={t("consentText.requiredHint")} />
        {problem && !problem.of("id") && !problem.of("en") && <Trouble error={problem} />}
        {remove.isError && <Trouble error={remove.error} />}
        <Group justify="space-between">
          <Button variant="subtle" color="red" disabled={!stored.own} loading={remove.isPending} onClick={() => remove.mutate()}>{t("consentText.remove")}</Button>
          <Group gap="sm">
            <Text size="sm" role="status">{save.isSuccess && !changed && required === stored.required && t("consentText.saved")}</Text>
            <Button type="submit" loading={save.isPending} disabled={!changed && required === stored.required}>{t("consentText.save")}</Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
}
