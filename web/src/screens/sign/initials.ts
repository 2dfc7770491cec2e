/** The first letters of up to three words of a name, as the service prints them in boxes for initials. */
export const initialsOf = (name: string): string =>
  name.split(/\s+/).flatMap((word) => /^\p{L}/u.exec(word)?.[0] ?? []).slice(0, 3).join("").toUpperCase();
