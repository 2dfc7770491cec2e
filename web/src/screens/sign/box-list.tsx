import { Text } from "@mantine/core";

import type { Placement } from "../../api/documents";
import { useText } from "../../text";
import { Fold } from "../../ui/fold";
import { pageRanges } from "../../ui/page-ranges";
import { colourOf, groupsOf } from "./boxes";
import classes from "./sign.module.css";

/** BoxList says in words what Marks draws: whose boxes there are, of what kind, on which pages. */
export function BoxList({ boxes }: { boxes: Placement[] }) {
  const t = useText();
  if (boxes.length === 0) return null;
  return (
    <div className={classes.boxList}>
      <Fold title={t("sign.boxes", { count: boxes.length })}>
        <ul className={classes.boxes} data-boxes>
          {groupsOf(boxes).map((g) => (
            <li key={`${g.person} ${g.type}`} style={{ "--person": colourOf(boxes, g.person) } as React.CSSProperties}>
              <Text span size="sm">{t(g.filled ? "sign.boxesOfFilled" : "sign.boxesOf", { name: g.name, kind: t(`place.${g.type}`), count: g.pages.length, pages: pageRanges(g.pages) })}</Text>
            </li>
          ))}
        </ul>
      </Fold>
    </div>
  );
}
