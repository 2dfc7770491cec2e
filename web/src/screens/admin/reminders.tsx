import { Button, Group, NumberInput, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { adminReminders, setReminders, type AdminReminders } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import type { SectionProps } from "./lines";

/** Reminders sets the schedule that new documents of the organisation begin with. */
export function Reminders({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(adminReminders(search.organisation));
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("reminderSchedule.title")}</Title>
        <Text size="sm" c="dimmed">{t("reminderSchedule.lead")}</Text>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Form key={found.data.organisation.id} stored={found.data} />}
    </Stack>
  );
}

const labels = { after: "new.remindAfter", every: "new.remindEvery", before: "new.remindBefore" } as const;
const moments = ["after", "every", "before"] as const;

function Form({ stored }: { stored: AdminReminders }) {
  const t = useText();
  const queries = useQueryClient();
  const [remind, setRemind] = useState(stored.remind);
  const changed = moments.some((at) => remind[at] !== stored.remind[at]);
  const save = useMutation({
    mutationFn: () => setReminders(stored.organisation.id, remind),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["admin", "reminders"] }),
  });
  const problem = save.error instanceof Problem ? save.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("reminderSchedule.title")}>
      <Stack gap="md">
        <Group align="flex-start" gap="sm">
          {moments.map((at) => (
            <NumberInput key={at} style={{ flex: "1 1 8rem" }} label={t(labels[at])} description={t("new.remindHint")} min={0} max={365} clampBehavior="strict" allowDecimal={false} allowNegative={false}
              value={remind[at]} onChange={(v) => setRemind({ ...remind, [at]: Number(v) || 0 })} error={problem?.of(`remind.${at}`)} />
          ))}
        </Group>
        {save.isError && !moments.some((at) => problem?.of(`remind.${at}`)) && <Trouble error={save.error} />}
        <Group justify="flex-end" gap="sm">
          <Text size="sm" role="status">{save.isSuccess && !changed && t("reminderSchedule.saved")}</Text>
          <Button type="submit" loading={save.isPending} disabled={!changed}>{t("reminderSchedule.save")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
