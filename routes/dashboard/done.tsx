import { Done } from "./components/forms.tsx";

/**
 * What went well, as the word in the address says by which a form led here. The sentence is ours:
 * of an address that somebody else has made up nothing is shown.
 */
export const DoneNote = ({ query, sentences }: { query: string; sentences: Sentences }) => (
  <DoneWord word={new URLSearchParams(query).get("done")} sentences={sentences} />
);

/** By their words. */
export type Sentences = Readonly<Record<string, string>>;

/** The same where the word is known already. */
export const DoneWord = ({ word, sentences }: { word: string | null; sentences: Sentences }) =>
  word !== null && Object.hasOwn(sentences, word) ? <Done>{sentences[word]}</Done> : null;
