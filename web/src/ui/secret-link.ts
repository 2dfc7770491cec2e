import { useEffect, useState } from "react";

/** The secret of a mailed link. It is taken out of the address at once, so that it does not stay in the history. */
export function useSecretLink(): string {
  const [link] = useState(() => window.location.hash.slice(1));
  useEffect(() => window.history.replaceState(window.history.state, "", window.location.pathname), []);
  return link;
}
