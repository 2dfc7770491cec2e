import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { verbs, type Detail } from "../../api/documents";
import { useText } from "../../text";
import { Trouble } from "../../ui/trouble";

interface Props {
  document: Detail;
  check: NonNullable<Detail["code"]>;
}

/** Code sends a code to the mailbox or phone of the reader, a guest, and takes it. */
export function Code({ document: d, check }: Props) {
  const t = useText();
  const queries = useQueryClient();
  const [code, setCode] = useState("");
  const [tried, setTried] = useState(false);
  const order = useMutation({ mutationFn: () => verbs.orderCode(d.id), onSuccess: () => { setCode(""); prove.reset(); } });
  const prove = useMutation({ mutationFn: () => verbs.proveMailbox(d.id, code), onSuccess: () => queries.invalidateQueries({ queryKey: ["document"] }) });
  const waits = useWait(order.data);
  const phone = check.channel !== "mail";
  if (!check.delivered) return <Text size="sm" role="alert">{t(phone ? "code.notDeliveredPhone" : "code.notDelivered")}</Text>;
  const digits = code.replace(/\D/g, "");
  const bad = tried && digits.length !== 6;
  return (
    <Stack gap="sm" component="section" aria-labelledby="code-title">
      <Title order={2} size="h5" id="code-title">{t(phone ? "code.titlePhone" : "code.title")}</Title>
      <Text size="sm">{t(check.to_read ? "code.leadRead" : "code.leadSign", { address: check.address })}</Text>
      {order.isSuccess && (
        <form noValidate onSubmit={(e) => { e.preventDefault(); setTried(true); if (digits.length === 6) prove.mutate(); }}>
          <Stack gap="sm">
            <Text size="sm" role="status">{t("code.sent", { address: order.data.address })}</Text>
            <TextInput label={t("code.label")} value={code} onChange={(e) => setCode(e.currentTarget.value)} error={bad && t("code.six")} inputMode="numeric" autoComplete="one-time-code" maxLength={9} autoFocus required withAsterisk={false} styles={{ input: { letterSpacing: "0.2em" } }} />
            {prove.isError && <Trouble error={prove.error} />}
            <Group justify="space-between">
              <Button type="button" variant="subtle" disabled={waits} loading={order.isPending} onClick={() => order.mutate()}>{t("code.again")}</Button>
              <Button type="submit" loading={prove.isPending || prove.isSuccess}>{t("code.confirm")}</Button>
            </Group>
          </Stack>
        </form>
      )}
      {!order.data && <Group justify="flex-end"><Button loading={order.isPending} onClick={() => order.mutate()}>{t("code.send")}</Button></Group>}
      {order.isError && <Trouble error={order.error} />}
    </Stack>
  );
}

/** Whether the time that an answer says to wait is still running. */
function useWait(answer: { wait: number } | undefined): boolean {
  const [passed, setPassed] = useState<object>();
  useEffect(() => {
    if (answer === undefined) return;
    const later = setTimeout(() => setPassed(answer), answer.wait);
    return () => clearTimeout(later);
  }, [answer]);
  return answer !== undefined && passed !== answer;
}
