import { ActionIcon, Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMessage } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import type { Channel } from "../../api/documents";
import { useText } from "../../text";
import { ChannelSelect } from "../../ui/channel";
import { Dialog } from "../../ui/dialog";
import { draftee, international, type Draftee } from "./people";

interface Props {
  person: Draftee;
  people: Draftee[];
  change: (to: Draftee) => void;
}

/** PersonMessages changes how messages reach a member or a guest, and in which language they are. */
export function PersonMessages(props: Props) {
  const t = useText();
  const [opened, { open, close }] = useDisclosure();
  const title = t("new.messagesTo", { name: props.person.name });
  return (
    <>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={title} onClick={open}><IconMessage size={16} aria-hidden /></ActionIcon>
      <Dialog opened={opened} onClose={close} title={title}><Form {...props} close={close} /></Dialog>
    </>
  );
}

function Form({ person: p, people, change, close }: Props & { close: () => void }) {
  const t = useText();
  const [phone, setPhone] = useState(p.phone);
  const [channel, setChannel] = useState<Channel>(p.channel);
  const [language, setLanguage] = useState(p.language);
  const [tried, setTried] = useState(false);
  const offersPhones = useAccount()?.channels.some((c) => c !== "mail") ?? false;
  const wrongPhone = channel === "mail" ? undefined : phone.trim() === "" ? t("new.needPhone") : people.some((o) => o.key !== p.key && o.channel !== "mail" && o.phone === international(phone)) ? t("new.twice") : undefined;
  const wrongChannel = channel === "mail" && p.email === "" ? t("new.needEmail") : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (wrongPhone || wrongChannel) return;
    change(draftee({ ...p, phone: phone.trim(), channel, language }));
    close();
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <TextInput label={t("new.phone")} type="tel" value={phone} onChange={(e) => setPhone(e.currentTarget.value)} error={tried && wrongPhone} maxLength={50} data-autofocus />
        {(offersPhones || p.channel !== "mail") && <ChannelSelect value={channel} change={setChannel} error={tried ? wrongChannel : undefined} />}
        <NativeSelect label={t("new.messageLanguage")} value={language} onChange={(e) => setLanguage(e.currentTarget.value as Draftee["language"])} data={[{ value: "", label: t("new.messageLanguages.service") }, { value: "id", label: "Indonesia" }, { value: "en", label: "English" }]} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("close")}</Button>
          <Button type="submit">{t("new.messagesSave")}</Button>
        </Group>
      </Stack>
    </form>
  );
}
