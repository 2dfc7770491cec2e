/** The common name of a subject as the service writes it ("CN=Siti\, Rahma,O=Segel,C=ID"), or the subject itself if it has none. */
export function commonName(subject: string): string {
  const found = /(?:^|[,+])CN=((?:\\.|[^\\,+])*)/.exec(subject)?.[1];
  return found ? found.replace(/\\(.)/g, "$1").trim() : subject;
}
