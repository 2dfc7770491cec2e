import { Button, Group, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { embedding, setEmbedding, type Embedding as Stored } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import type { SectionProps } from "./lines";

/** Embedding lists the origins whose pages may show documents of the organisation in frames. */
export function Embedding({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(embedding(search.organisation));
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("embedding.title")}</Title>
        <Text size="sm" c="dimmed">{t("embedding.lead")}</Text>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Form key={found.data.organisation.id} stored={found.data} />}
    </Stack>
  );
}

const linesOf = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);

function Form({ stored }: { stored: Stored }) {
  const t = useText();
  const queries = useQueryClient();
  const [text, setText] = useState(stored.origins.join("\n"));
  const origins = linesOf(text);
  const save = useMutation({
    mutationFn: () => setEmbedding(stored.organisation.id, origins),
    onSuccess: (now) => {
      setText(now.origins.join("\n"));
      return queries.invalidateQueries({ queryKey: ["admin", "embedding"] });
    },
  });
  const fields = save.error instanceof Problem ? save.error.fields.filter((f) => f.field.startsWith("origins")) : [];
  const wrong = fields.map((f) => [origins[Number(/\[(\d+)\]/.exec(f.field)?.[1])], f.msg].filter(Boolean).join(": ")).join(" ");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("embedding.title")}>
      <Stack gap="md">
        {!stored.in_force && <Text size="sm">{t("embedding.notInForce")}</Text>}
        <Textarea label={t("embedding.origins")} description={t("embedding.hint")} value={text} onChange={(e) => { setText(e.currentTarget.value); save.reset(); }} error={wrong || undefined} placeholder="https://erp.contoh.id" autosize minRows={3} spellCheck={false} autoCapitalize="off" />
        {save.isError && fields.length === 0 && <Trouble error={save.error} />}
        <Group justify="flex-end" gap="sm">
          <Text size="sm" role="status">{save.isSuccess && t("embedding.saved")}</Text>
          <Button type="submit" loading={save.isPending}>{t("embedding.save")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
