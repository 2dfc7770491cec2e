import { useText } from "../text";

/** SkipLink is the first thing that Tab reaches: it leads to the content of the screen, the element with the id main. */
export function SkipLink() {
  const t = useText();
  // The router would take the address of the link for a place in its history, and leave the focus on the link.
  const skip = (e: React.MouseEvent) => {
    e.preventDefault();
    document.getElementById("main")?.focus();
  };
  return <a className="skip" href="#main" onClick={skip}>{t("app.skip")}</a>;
}
