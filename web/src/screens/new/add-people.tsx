import { Autocomplete, Button, Group, NativeSelect, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { IconSearch, IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent, type RefObject } from "react";

import { useAccount } from "../../api/account";
import type { Channel } from "../../api/documents";
import { directory, formerGuests } from "../../api/draft";
import { useText } from "../../text";
import { ChannelSelect } from "../../ui/channel";
import { addLeftGuest, draftee, taken, wrongGuest, type Draftee, type TypedGuest } from "./people";

interface Props {
  people: Draftee[];
  add: (p: Draftee) => void;
  /** Gets a function that adds a guest who was typed but not added. It returns false if that is wrong, and shows why. */
  left?: RefObject<(() => boolean) | undefined>;
}

/** Tells a former guest from the members of the same list. */
const guestKey = (email: string) => `guest ${email.toLowerCase()}`;

/** AddPeople finds members of the organisation, and adds guests by name and e-mail. */
export function AddPeople({ people, add, left }: Props) {
  const t = useText();
  const [search, setSearch] = useState("");
  const [settled] = useDebouncedValue(search, 200);
  const found = useQuery(directory(settled.trim()));
  // Guests are offered once something is typed: the list of members stays short and is what most look for.
  const former = useQuery({ ...formerGuests(settled.trim()), enabled: settled.trim() !== "" });
  const guests = (settled.trim() !== "" && former.data) || [];
  const [asGuest, { toggle, close }] = useDisclosure();
  const choose = (id: string | null) => {
    const u = found.data?.find((x) => x.id === id);
    const g = former.data?.find((x) => guestKey(x.email) === id);
    if (u) add(draftee({ id: u.id, name: u.name, email: u.email }));
    else if (g) add(draftee({ guest: true, name: g.name, email: g.email, phone: g.phone ?? "" }));
    setSearch("");
  };
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <Select style={{ flex: "1 1 16rem" }} label={t("new.member")} placeholder={t("new.memberHint")} leftSection={<IconSearch size={16} aria-hidden />} searchable value={null} onChange={choose}
          searchValue={search} onSearchChange={setSearch} filter={({ options }) => options} nothingFoundMessage={found.isError ? t("problem.network") : found.isFetching ? t("loading") : t("new.noMember")}
          data={[
            ...(found.data ?? []).map((u) => ({ value: u.id, label: `${u.name} (${u.email})`, disabled: people.some((p) => p.id === u.id) || taken(people, u.email) })),
            ...(guests.length > 0 ? [{ group: t("new.formerGuests"), items: guests.map((g) => ({ value: guestKey(g.email), label: `${g.name} (${g.email})`, disabled: taken(people, g.email) })) }] : []),
          ]} />
        <Button variant="default" leftSection={<IconUserPlus size={16} aria-hidden />} aria-expanded={asGuest} onClick={toggle}>{t("new.addGuest")}</Button>
      </Group>
      {asGuest && <Guest people={people} add={add} left={left} close={close} />}
    </Stack>
  );
}

function Guest({ people, add, left, close }: Props & { close: () => void }) {
  const t = useText();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [phone, setPhone] = useState("");
  const [language, setLanguage] = useState("");
  const [chosen, setChannel] = useState<Channel>("mail");
  const offersPhones = useAccount()?.channels.some((c) => c !== "mail") ?? false;
  const channel = phone.trim() === "" ? "mail" : chosen;
  const [tried, setTried] = useState(false);
  const [settled] = useDebouncedValue(name, 200);
  const former = useQuery(formerGuests(settled.trim()));
  const offered = (former.data ?? []).filter((g) => !taken(people, g.email));
  // Choosing one changes the text of the field to the label of the option, and then the name is set.
  const labels = new Set(offered.map((g) => `${g.name} (${g.email})`));
  const changeName = (text: string) => { if (!labels.has(text)) setName(text); };
  const choose = (key: string) => {
    const g = offered.find((x) => guestKey(x.email) === key);
    if (!g) return;
    setName(g.name);
    setEmail(g.email);
    setPhone(g.phone ?? "");
  };
  const typed: TypedGuest = { name, email, phone, channel, language: language === "id" || language === "en" ? language : "" };
  const wrong = wrongGuest(typed, people);
  const addGuest = (g: TypedGuest) => {
    add(draftee({ ...g, guest: true, name: g.name.trim(), email: g.email.trim(), phone: g.phone.trim() }));
    setChannel("mail");
    setName("");
    setEmail("");
    setPhone("");
    setLanguage("");
    setTried(false);
    close();
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (!wrong) addGuest(typed);
  };
  useEffect(() => {
    if (!left) return;
    left.current = () => {
      const fine = addLeftGuest(typed, people, addGuest);
      setTried(!fine);
      return fine;
    };
    return () => { left.current = undefined; };
  });
  return (
    <Stack component="form" gap="sm" onSubmit={submit} {...{ noValidate: true }} aria-label={t("new.addGuest")}>
      <Group align="flex-start" gap="sm">
        <Autocomplete style={{ flex: "1 1 12rem" }} label={t("new.guestName")} required autoFocus value={name} onChange={changeName} onOptionSubmit={choose} error={tried && wrong?.name && t(wrong.name)} maxLength={255} limit={8} filter={({ options }) => options}
          data={offered.map((g) => ({ value: guestKey(g.email), label: `${g.name} (${g.email})` }))} />
        <TextInput style={{ flex: "1 1 14rem" }} type="email" label={t("login.email")} required={channel === "mail"} value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={tried && wrong?.email && t(wrong.email)} maxLength={254} />
        <TextInput style={{ flex: "1 1 10rem" }} type="tel" label={t("new.phone")} value={phone} onChange={(e) => setPhone(e.currentTarget.value)} error={tried && wrong?.phone && t(wrong.phone)} maxLength={50} />
        {offersPhones && phone.trim() !== "" && <ChannelSelect value={channel} change={setChannel} />}
        <NativeSelect style={{ flex: "0 1 10rem" }} label={t("new.messageLanguage")} value={language} onChange={(e) => setLanguage(e.currentTarget.value)} data={[{ value: "", label: t("new.messageLanguages.service") }, { value: "id", label: "Indonesia" }, { value: "en", label: "English" }]} />
      </Group>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">{t("new.guestHint")}</Text>
        <Button type="submit">{t("new.add")}</Button>
      </Group>
    </Stack>
  );
}
