import { Alert, Anchor } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { useText } from "../../text";
import { useEditor } from "./context";

/** ProblemList lists what the service refused, until it is corrected. Each line leads to its box. It is in the panel, which is always visible. */
export function ProblemList({ whole }: { whole: string[] }) {
  const t = useText();
  const { state, dispatch, assignees, refused } = useEditor();
  const wrong = state.placed.filter((p) => refused.has(p.key));
  if (wrong.length + whole.length === 0) return null;
  return (
    <Alert role="alert" color="red" variant="light" p="xs" icon={<IconAlertTriangle aria-hidden />} title={t("place.refused", { count: wrong.length + whole.length })} data-refused>
      <ul style={{ margin: 0, paddingInlineStart: "1.2em", maxHeight: "9rem", overflowY: "auto" }} tabIndex={wrong.length > 4 ? 0 : undefined}>
        {whole.map((msg) => <li key={msg}>{msg}</li>)}
        {wrong.map((p) => (
          <li key={p.key}>
            <Anchor component="button" type="button" size="sm" c="inherit" underline="always" ta="start" onClick={() => dispatch({ type: "goToBox", key: p.key })}>
              {t("place.refusedBox", { kind: t(`place.${p.kind}`), name: assignees.find((a) => a.id === p.person)?.name ?? "", page: p.page, why: refused.get(p.key) })}
            </Anchor>
          </li>
        ))}
      </ul>
    </Alert>
  );
}
