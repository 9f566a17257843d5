import { SuccessNote } from "./components/forms.tsx";

/** The success note for `done`, which only selects a sentence: addresses cannot bring texts. */
export const DoneNote = ({ query, sentences }: { query: string; sentences: Sentences }) => (
  <DoneWord word={new URLSearchParams(query).get("done")} sentences={sentences} />
);

export type Sentences = Readonly<Record<string, string>>;

export const DoneWord = ({ word, sentences }: { word: string | null; sentences: Sentences }) =>
  word !== null && Object.hasOwn(sentences, word)
    ? <SuccessNote>{sentences[word]}</SuccessNote>
    : null;
