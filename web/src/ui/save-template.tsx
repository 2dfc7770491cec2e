import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { people, type Detail } from "../api/documents";
import { saveTemplate } from "../api/templates";
import { useText } from "../text";
import { Dialog } from "./dialog";
import { Loading } from "./loading";
import { Trouble } from "./trouble";

/** SaveTemplate saves a document as a template, with roles in place of some of its people. */
export function SaveTemplate({ document: d, close }: { document: Detail; close: () => void }) {
  const t = useText();
  return <Dialog opened onClose={close} title={t("template.save")}><Form document={d} close={close} /></Dialog>;
}

function Form({ document: d, close }: { document: Detail; close: () => void }) {
  const t = useText();
  const go = useNavigate();
  const queries = useQueryClient();
  const found = useQuery({ ...people(d.id), staleTime: 0 });
  const [title, setTitle] = useState(d.document_title);
  const [roles, setRoles] = useState<ReadonlyMap<string, string>>(new Map());
  const [tried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: () => saveTemplate(d.id, title.trim(), [...roles].map(([user_id, name]) => ({ user_id, name: name.trim() }))),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["documents"] });
      void go({ to: "/templates", search: { page: 1, search: "" }, state: { told: { msg: t("template.saved", { title: title.trim() }), notes: [] } } });
    },
  });
  const set = (id: string, name: string | undefined) => {
    const next = new Map(roles);
    if (name === undefined) next.delete(id);
    else next.set(id, name);
    setRoles(next);
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if ([...roles.values()].every((name) => name.trim() !== "")) save.mutate();
  };
  if (found.isPending) return <Loading />;
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <Text size="sm">{t("template.saveLead")}</Text>
        <TextInput label={t("template.title")} required value={title} onChange={(e) => setTitle(e.currentTarget.value)} maxLength={255} data-autofocus />
        {found.data.filter((p) => !p.placeholder).map((p) => (
          <Stack key={p.user_id} gap={6}>
            <Checkbox label={t("template.asRole", { name: p.name })} checked={roles.has(p.user_id)} onChange={(e) => set(p.user_id, e.currentTarget.checked ? "" : undefined)} />
            {roles.has(p.user_id) && <TextInput ml={30} label={t("template.role", { name: p.name })} placeholder={t("template.roleHint")} required value={roles.get(p.user_id)} onChange={(e) => set(p.user_id, e.currentTarget.value)} error={tried && roles.get(p.user_id)!.trim() === "" && t("template.needRole")} maxLength={255} />}
          </Stack>
        ))}
        {save.isError && <Trouble error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("close")}</Button>
          <Button type="submit" loading={save.isPending}>{t("template.save")}</Button>
        </Group>
      </Stack>
    </form>
  );
}
