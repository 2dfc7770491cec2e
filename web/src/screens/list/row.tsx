import { Anchor, Badge, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";

import { useAccount } from "../../api/account";
import { waitsFor, type Box, type ListItem } from "../../api/documents";
import { address } from "../../api/files";
import { useLanguage, useText } from "../../text";
import { Filing } from "../../ui/label";
import { AnchorLink, ButtonLink } from "../../ui/links";
import { People } from "../../ui/people";
import { StateBadge } from "../../ui/state";
import classes from "./list.module.css";
import { SelectBox } from "./select-box";

interface Props {
  document: ListItem;
  box: Box;
  selected: boolean;
  select: (on: boolean) => void;
}

/** Row is one document: a link to it, and one button that leads straight to what the caller can do now. */
export function Row({ document: d, box, selected, select }: Props) {
  const t = useText();
  const language = useLanguage();
  const go = useNavigate();
  const me = useAccount()?.id;
  const params = { id: String(d.id) };
  // A tab of its own is the guest's: its requests are not those of the account.
  const asGuest = { href: address.asGuest(d.id), target: "_blank", rel: "noopener" };
  const look = { size: "xs", variant: waitsFor(d, me) ? "filled" : "light", "aria-label": `${d.button_text}: ${d.document_title}`, className: classes.above! } as const;
  const created = new Date(d.owner.created_at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const due = d.expired ? new Date(String(d.expired)).toLocaleDateString(language, { dateStyle: "medium" }) : undefined;
  // The avatars are above the link, for their names; the keyboard has the link.
  const people = <div className={classes.above} onClick={() => d.as_guest ? void window.open(asGuest.href, asGuest.target, asGuest.rel) : void go({ to: "/document/$id", params })}><People people={d.data_signer} /></div>;
  return (
    <Paper component="li" withBorder p="sm" className={classes.row} data-document={d.id}>
      <Group wrap="nowrap" gap="sm" align="center">
        <span className={classes.above}>{!d.as_guest && <SelectBox checked={selected} change={select} name={t("list.select", { title: d.document_title })} />}</span>
        <Group justify="space-between" wrap="nowrap" gap="md" align="center" style={{ flex: 1, minWidth: 0 }}>
          <Stack gap={4} miw={0} style={{ flex: 1 }}>
            <Text lineClamp={2} title={d.document_title} style={{ overflowWrap: "anywhere" }}>{d.as_guest ? <Anchor fw={600} {...asGuest} className={classes.open!} underline="never">{d.document_title}</Anchor>
              : <AnchorLink fw={600} to="/document/$id" params={params} className={classes.open!} underline="never">{d.document_title}</AnchorLink>}</Text>
            <Group gap="xs">
              <StateBadge state={d.status} />
              {d.removed && <Badge variant="outline" color="gray">{t("list.removed")}</Badge>}
              {d.specimen && <Badge variant="outline" color="yellow.9">{t("list.specimen")}</Badge>}
              <Text size="xs" c="dimmed">{box === "in" ? t("list.from", { name: d.owner.name }) + " · " : ""}{created}</Text>
              {due && d.status === "processing" && <Text size="xs" c={d.is_expired === "1" ? "red" : "dimmed"}>{d.is_expired === "1" ? t("list.expired") : t("list.deadline", { when: due })}</Text>}
              <Filing of={d} />
            </Group>
            <div className="mantine-hidden-from-sm">{people}</div>
          </Stack>
          <Group wrap="nowrap" gap="sm">
            <div className="mantine-visible-from-sm">{people}</div>
            {d.as_guest ? <Button component="a" {...asGuest} {...look}>{d.button_text}</Button>
              : waitsFor(d, me) ? <ButtonLink to="/document/$id/sign" params={params} hash="box" {...look}>{d.button_text}</ButtonLink>
              : d.status === "completed" && !d.removed ? <Button component="a" href={address.download(d.id)} {...look}>{d.button_text}</Button>
                : <ButtonLink to="/document/$id" params={params} {...look}>{d.button_text}</ButtonLink>}
          </Group>
        </Group>
      </Group>
    </Paper>
  );
}
