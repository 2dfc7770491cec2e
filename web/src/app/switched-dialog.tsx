import { lazy, Suspense, useEffect, useState } from "react";

import { useAccount } from "../api/account";
import { onSwitched } from "../api/switch";

// Loaded when it is needed, which is rare.
const SwitchedQuestion = lazy(() => import("./switched-question").then((m) => ({ default: m.SwitchedQuestion })));

/** SwitchedDialog covers a tab whose screen is of the former account after another tab has switched: its requests would be those of the new account. */
export function SwitchedDialog() {
  const me = useAccount();
  const [switched, setSwitched] = useState(false);
  useEffect(() => onSwitched((account) => { if (me) setSwitched(account !== me.id); }), [me]);
  return <Suspense>{switched && me && <SwitchedQuestion me={me} />}</Suspense>;
}
