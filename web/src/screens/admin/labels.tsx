import { Button, Group, Paper, Radio, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { addLabel, adminLabels, deleteLabel, setLabel } from "../../api/admin";
import { Problem } from "../../api/client";
import type { Label, LabelColour } from "../../api/filing";
import { useText } from "../../text";
import { labelColours } from "../../ui/colours";
import { Dialog } from "../../ui/dialog";
import { LabelBadge } from "../../ui/label";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import { Line, type SectionProps } from "./lines";

type Open = { what: "change" | "delete"; label: Label };

/** Labels lists the words that an organisation has for its documents. */
export function Labels({ search }: SectionProps) {
  const t = useText();
  const queries = useQueryClient();
  const found = useQuery(adminLabels(search.organisation));
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const settle = () => void queries.invalidateQueries();
  const add = useMutation({ mutationFn: (to: Settings) => addLabel(to, search.organisation), onSuccess: () => { settle(); setAdding(false); } });
  const change = useMutation({ mutationFn: (to: Settings) => setLabel(open!.label.id, to), onSuccess: () => { settle(); close(); } });
  const remove = useMutation({ mutationFn: () => deleteLabel(open!.label.id), onSuccess: () => { settle(); close(); } });
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: "1 1 16rem" }}>
          <Title order={2} size="h5">{t("labels.title")}</Title>
          <Text size="sm" c="dimmed">{t("labels.lead")}</Text>
        </div>
        {!adding && <Button variant="default" onClick={() => { add.reset(); setAdding(true); }}>{t("labels.add")}</Button>}
      </Group>
      {adding && <Paper withBorder p="md"><Form name={t("labels.add")} settings={{ name: "", colour: "teal" }} error={add.error} pending={add.isPending} submit={add.mutate} close={() => setAdding(false)} /></Paper>}
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data?.labels.length === 0 && <Text c="dimmed" role="status">{t("labels.none")}</Text>}
      <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>
        {found.data?.labels.map((l) => (
          <Line key={l.id} title={<LabelBadge name={l.name} colour={l.colour} />} end={(
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => { change.reset(); setOpen({ what: "change", label: l }); }} aria-label={t("labels.changeOf", { name: l.name })}>{t("labels.change")}</Button>
              <Button size="xs" variant="subtle" color="red" onClick={() => { remove.reset(); setOpen({ what: "delete", label: l }); }} aria-label={t("labels.deleteOf", { name: l.name })}>{t("labels.delete")}</Button>
            </Group>
          )} />
        ))}
      </Stack>
      <Dialog opened={open?.what === "change"} onClose={close} title={t("labels.change")}>
        {open && <Form name={t("labels.save")} settings={open.label} error={change.error} pending={change.isPending} submit={change.mutate} close={close} />}
      </Dialog>
      <Dialog opened={open?.what === "delete"} onClose={close} title={t("labels.delete")}>
        {open && (
          <Stack>
            <Text size="sm">{t("labels.deleteAsk", { name: open.label.name })}</Text>
            {remove.isError && <Trouble error={remove.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>{t("close")}</Button>
              <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()} data-autofocus>{t("labels.delete")}</Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    </Stack>
  );
}

type Settings = Pick<Label, "name" | "colour">;

interface FormProps {
  /** What the form does, on its button. */
  name: string;
  settings: Settings;
  error: Error | null;
  pending: boolean;
  submit: (to: Settings) => void;
  close: () => void;
}

function Form({ name, settings, error, pending, submit, close }: FormProps) {
  const t = useText();
  const [to, setTo] = useState<Settings>({ name: settings.name, colour: settings.colour });
  const problem = error instanceof Problem ? error : undefined;
  const wrong = problem && (problem.of("name") ?? (problem.reason === "label.exists" ? problem.message : undefined));
  const send = (e: FormEvent) => {
    e.preventDefault();
    submit(to);
  };
  return (
    <Stack gap="sm" component="form" onSubmit={send} {...{ noValidate: true }} aria-label={name}>
      <TextInput label={t("labels.name")} required autoFocus value={to.name} onChange={(e) => setTo({ ...to, name: e.currentTarget.value })} error={wrong} maxLength={40} />
      <Radio.Group label={t("labels.colour")} value={to.colour} onChange={(v) => setTo({ ...to, colour: v as LabelColour })}>
        <Group gap="sm" mt={6}>
          {Object.keys(labelColours).map((c) => <Radio key={c} value={c} label={<LabelBadge name={t(`labels.colours.${c as LabelColour}`)} colour={c as LabelColour} />} />)}
        </Group>
      </Radio.Group>
      {error && !wrong && <Trouble error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>{t("close")}</Button>
        <Button type="submit" loading={pending}>{name}</Button>
      </Group>
    </Stack>
  );
}
