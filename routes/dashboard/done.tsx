import { Done } from "./components/forms.tsx";

/**
 * What went well, as the word in the address says by which a form led here. The sentence is ours:
 * of an address that somebody else has made up nothing is shown.
 */
export const DoneNote = (
  { query, sentences }: { query: string; sentences: Readonly<Record<string, string>> },
) => {
  const word = new URLSearchParams(query).get("done") ?? "";
  return Object.hasOwn(sentences, word) ? <Done>{sentences[word]}</Done> : null;
};
