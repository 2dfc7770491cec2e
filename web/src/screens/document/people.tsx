import { Avatar, Badge, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { groupOf, people, trail, type Detail, type Person } from "../../api/documents";
import { useLanguage, useText } from "../../text";
import { CorrectGuest } from "./correct-guest";
import { declinedBy } from "./declined";
import { GuestLink } from "./guest-link";

/** People lists the participants, in the order in which they act, with what each did and when. */
export function People({ document: d }: { document: Detail }) {
  const t = useText();
  const found = useQuery(people(d.id));
  // Only the owner, members of the team and auditors, who take no part, may read the history.
  const history = useQuery({ ...trail(d.id), enabled: d.status === "rejected" && (d.is_owner || !d.participant || d.team !== undefined) }).data ?? [];
  const all = found.data ?? [], declined = declinedBy(all, history);
  if (all.length === 0) return null;
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h5">{t("document.people")}</Title>
      <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
        {all.map((p) => <One key={p.user_id} person={p} group={groupOf(all, p).map((o) => o.name)} document={d} declinedAt={declined?.person === p.user_id ? declined.at : null} />)}
      </Stack>
    </Stack>
  );
}

/** Messages says what became of the newest message of each kind to a person. */
function Messages({ of }: { of: Person["mail"] }) {
  const t = useText();
  const language = useLanguage();
  return (
    <Stack component="ul" gap={2} my={4} mx={0} p={0} style={{ listStyle: "none" }} aria-label={t("document.messages")}>
      {of.map((m) => (
        <Text component="li" key={m.kind} size="xs" c={m.status === "failed" ? "red" : "dimmed"} style={{ overflowWrap: "anywhere" }}>
          {m.channel !== "mail" && `${t(`notice.channels.${m.channel}`)}: `}
          {t("document.message", { kind: t(`notice.kinds.${m.kind}`), state: t(`notice.states.${m.status}`), when: new Date(m.done_at ?? m.ordered_at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) })}
          {m.problem && m.status !== "dropped" && `. ${m.problem}`}
        </Text>
      ))}
    </Stack>
  );
}

function One({ person: p, group, document: d, declinedAt }: { person: Person; group: string[]; document: Detail; declinedAt: string | null }) {
  const t = useText();
  const language = useLanguage();
  const when = (s: string | null) => (s ? new Date(s).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "");
  // A participant who declined has acted; the steps show the reason.
  const ended = ["rejected", "canceled", "expired"].includes(d.status);
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
      <Avatar src={p.avatar} alt="" size="sm" />
      <div style={{ minWidth: 0 }}>
        <Group gap={6}>
          <Text size="sm" fw={600}>{p.name}</Text>
          {p.is_guest && <Badge size="xs" variant="default">{t("document.guest")}</Badge>}
          {p.acts_as !== "signer" && <Badge size="xs" variant="default">{t(`document.actsAs.${p.acts_as}`)}</Badge>}
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{(p.channel === "mail" ? p.email : p.phone) ?? p.phone ?? ""}</Text>
        <Text size="xs">
          {p.acted_for ? t("document.actedFor", { name: p.acted_for }) : p.delegated_to ? t("document.delegatedTo", { name: p.delegated_to.name, when: when(p.delegated_to.at) }) : p.signing_status ? t("document.signedAt", { when: when(p.signed_at) }) : p.acts_as === "approver" && p.signed_at ? t("document.approvedAt", { when: when(p.signed_at) }) : declinedAt ? t("document.declinedAt", { when: when(declinedAt) }) : p.viewed_at ? t("document.viewedAt", { when: when(p.viewed_at) }) : p.is_signing ? t(p.acts_as === "approver" ? "document.turnToApprove" : "document.turn") : ended ? null : t("document.waiting")}
        </Text>
        {group.length > 1 && <Text size="xs" c="dimmed">{t("document.anyOf", { names: group.join(", ") })}</Text>}
        {p.delegated_from && <Text size="xs" c="dimmed">{t("document.delegatedFrom", { name: p.delegated_from.name })}</Text>}
        {p.mail.length > 0 && <Messages of={p.mail} />}
        {p.is_guest && (d.is_owner || d.may_manage) && d.status === "processing" && !p.status && <CorrectGuest document={d.id} person={p} />}
        {p.is_guest && d.is_owner && d.status !== "draft" && <GuestLink document={d.id} person={p} ended={ended} />}
      </div>
    </Group>
  );
}
