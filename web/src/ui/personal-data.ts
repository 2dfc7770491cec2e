import { personalData } from "../api/sessions";
import { fileName, keepFile } from "./file-name";

/** Has the browser keep what is stored about the caller, or for an administrator about a person. */
export async function keepPersonalData(person?: string): Promise<void> {
  const { archive, disposition } = await personalData(person);
  keepFile(archive, fileName(disposition) ?? "segel-data.zip");
}
