import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { IconSearch, IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { directory } from "../../api/draft";
import { useText } from "../../text";
import { draftee, looksLikeEmail, taken, type Draftee } from "./people";

interface Props {
  people: Draftee[];
  add: (p: Draftee) => void;
}

/** AddPeople finds members of the organisation, and adds guests by name and e-mail. */
export function AddPeople({ people, add }: Props) {
  const t = useText();
  const [search, setSearch] = useState("");
  const [settled] = useDebouncedValue(search, 200);
  const found = useQuery(directory(settled.trim()));
  const [asGuest, { toggle, close }] = useDisclosure();
  const choose = (id: string | null) => {
    const u = found.data?.find((x) => x.id === id);
    if (u) add(draftee({ id: u.id, name: u.name, email: u.email }));
    setSearch("");
  };
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <Select style={{ flex: "1 1 16rem" }} label={t("new.member")} placeholder={t("new.memberHint")} leftSection={<IconSearch size={16} aria-hidden />} searchable value={null} onChange={choose}
          searchValue={search} onSearchChange={setSearch} filter={({ options }) => options} nothingFoundMessage={found.isError ? t("problem.network") : found.isFetching ? t("loading") : t("new.noMember")}
          data={(found.data ?? []).map((u) => ({ value: u.id, label: `${u.name} (${u.email})`, disabled: people.some((p) => p.id === u.id) || taken(people, u.email) }))} />
        <Button variant="default" leftSection={<IconUserPlus size={16} aria-hidden />} aria-expanded={asGuest} onClick={toggle}>{t("new.addGuest")}</Button>
      </Group>
      {asGuest && <Guest people={people} add={add} close={close} />}
    </Stack>
  );
}

function Guest({ people, add, close }: Props & { close: () => void }) {
  const t = useText();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [phone, setPhone] = useState("");
  const [tried, setTried] = useState(false);
  const wrongName = name.trim() === "" ? t("new.needName") : undefined;
  const wrongEmail = !looksLikeEmail(email) ? t("new.needEmail") : taken(people, email) ? t("new.twice") : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (wrongName || wrongEmail) return;
    add(draftee({ guest: true, name: name.trim(), email: email.trim(), phone: phone.trim() }));
    setName("");
    setEmail("");
    setPhone("");
    setTried(false);
    close();
  };
  return (
    <Stack component="form" gap="sm" onSubmit={submit} {...{ noValidate: true }} aria-label={t("new.addGuest")}>
      <Group align="flex-start" gap="sm">
        <TextInput style={{ flex: "1 1 12rem" }} label={t("new.guestName")} required autoFocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={tried && wrongName} maxLength={255} />
        <TextInput style={{ flex: "1 1 14rem" }} type="email" label={t("login.email")} required value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={tried && wrongEmail} maxLength={254} />
        <TextInput style={{ flex: "1 1 10rem" }} type="tel" label={t("new.phone")} value={phone} onChange={(e) => setPhone(e.currentTarget.value)} maxLength={50} />
      </Group>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">{t("new.guestHint")}</Text>
        <Button type="submit">{t("new.add")}</Button>
      </Group>
    </Stack>
  );
}
