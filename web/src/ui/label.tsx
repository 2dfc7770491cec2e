import { Badge, Group } from "@mantine/core";
import { IconFolder } from "@tabler/icons-react";

import type { Filed } from "../api/filing";
import { useText } from "../text";
import { labelColours } from "./colours";

/** Filing shows the labels of a document and the folder in which I have it. */
export function Filing({ of: { labels = [], folder } }: { of: Pick<Filed, "labels" | "folder"> }) {
  const t = useText();
  return (
    <>
      {labels.length > 0 && (
        <Group component="ul" gap={4} p={0} m={0} miw={0} style={{ listStyle: "none" }} aria-label={t("filing.labels")}>
          {labels.map((l) => <li key={l.id} style={{ minWidth: 0 }}><LabelBadge name={l.name} colour={l.colour} /></li>)}
        </Group>
      )}
      {folder && <Badge variant="default" tt="none" leftSection={<IconFolder size={12} aria-label={t("filing.folder")} />}>{folder.name}</Badge>}
    </>
  );
}

export function LabelBadge({ name, colour }: { name: string; colour: keyof typeof labelColours }) {
  return <Badge tt="none" color={labelColours[colour]} title={name}>{name}</Badge>;
}
