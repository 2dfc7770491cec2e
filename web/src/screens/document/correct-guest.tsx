import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { useAccount } from "../../api/account";
import { Problem } from "../../api/client";
import { verbs, type Person } from "../../api/documents";
import { useText } from "../../text";
import { ChannelSelect } from "../../ui/channel";
import { Dialog } from "../../ui/dialog";
import { Trouble } from "../../ui/trouble";

/** CorrectGuest changes the name, the address and the phone number of a guest who has not acted yet. A new address is invited. */
export function CorrectGuest({ document: id, person: p }: { document: number; person: Person }) {
  const t = useText();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button size="compact-sm" variant="default" style={{ alignSelf: "flex-start" }} onClick={open}>{t("document.correctGuest")}</Button>
      <Dialog opened={opened} onClose={close} title={t("document.correctGuest")}><Form document={id} person={p} close={close} /></Dialog>
    </>
  );
}

function Form({ document: id, person: p, close }: { document: number; person: Person; close: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState(p.name);
  const [email, setEmail] = useState(p.email ?? "");
  const [phone, setPhone] = useState(p.phone ?? "");
  const [channel, setChannel] = useState(p.channel);
  const offersPhones = useAccount()?.channels.some((c) => c !== "mail") ?? false;
  const correct = useMutation({
    mutationFn: () => verbs.correctGuest(id, p.user_id, { name, email, phone, ...(channel !== p.channel ? { channel } : {}) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["document", id] });
      close();
    },
  });
  const wrong = (field: string) => (correct.error instanceof Problem ? correct.error.fields.find((f) => f.field === field)?.msg : undefined);
  return (
    <form noValidate onSubmit={(e) => { e.preventDefault(); correct.mutate(); }}>
      <Stack>
        <Text size="sm">{t("document.correctGuestLead")}</Text>
        <TextInput label={t("new.guestName")} value={name} onChange={(e) => setName(e.currentTarget.value)} error={wrong("name")} data-autofocus />
        <TextInput label={t("login.email")} type="email" value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={wrong("email")} />
        <TextInput label={t("new.phone")} type="tel" value={phone} onChange={(e) => setPhone(e.currentTarget.value)} error={wrong("phone")} />
        {(offersPhones || p.channel !== "mail") && <ChannelSelect value={channel} change={setChannel} error={wrong("channel")} />}
        {correct.isError && <Trouble error={correct.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("close")}</Button>
          <Button type="submit" loading={correct.isPending}>{t("document.correctGuestSave")}</Button>
        </Group>
      </Stack>
    </form>
  );
}
