import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUserCheck, IconUserQuestion } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";

import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { AddPeople } from "./add-people";
import { draftee, type Draftee } from "./people";

/** FillRole names a person for a role, who takes its place in the list and its boxes. */
export function FillRole({ role, people, change }: { role: Draftee; people: Draftee[]; change: (to: Draftee) => void }) {
  const t = useText();
  const [opened, { open, close }] = useDisclosure();
  const fill = (p: Draftee) => {
    change({ ...p, role: role.role, together: role.together, group: role.group, fills: role.id });
    close();
  };
  return (
    <>
      <Button size="compact-sm" variant="light" leftSection={<IconUserCheck size={16} aria-hidden />} aria-label={t("template.fillOf", { name: role.name })} onClick={open}>{t("template.fill")}</Button>
      <Dialog opened={opened} onClose={close} title={t("template.fillOf", { name: role.name })}>
        <Stack>
          <Text size="sm">{t("template.fillLead")}</Text>
          <AddPeople people={people} add={fill} />
        </Stack>
      </Dialog>
    </>
  );
}

/** AddRole adds a role that a person is to fill. */
export function AddRole({ people, add }: { people: Draftee[]; add: (p: Draftee) => void }) {
  const t = useText();
  const [opened, { open, close }] = useDisclosure();
  const [name, setName] = useState("");
  const [tried, setTried] = useState(false);
  const role = draftee({ name: name.trim(), guest: true, placeholder: true });
  const wrong = role.name === "" ? t("template.needRole") : people.some((p) => p.key === role.key) ? t("template.roleTaken") : undefined;
  const leave = () => { setName(""); setTried(false); close(); };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (wrong) return;
    add(role);
    leave();
  };
  return (
    <>
      <Button size="compact-sm" variant="subtle" style={{ alignSelf: "flex-start" }} leftSection={<IconUserQuestion size={16} aria-hidden />} onClick={open}>{t("template.addRole")}</Button>
      <Dialog opened={opened} onClose={leave} title={t("template.addRole")}>
        <form noValidate onSubmit={submit}>
          <Stack>
            <Text size="sm">{t("template.roleLead")}</Text>
            <TextInput label={t("template.roleName")} placeholder={t("template.roleHint")} required value={name} onChange={(e) => setName(e.currentTarget.value)} error={tried && wrong} maxLength={255} data-autofocus />
            <Group justify="flex-end">
              <Button variant="default" onClick={leave}>{t("close")}</Button>
              <Button type="submit">{t("template.add")}</Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
