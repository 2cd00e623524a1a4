/** A line of a text, without its end, and where it begins. */
export interface TextLine {
  readonly from: number;
  readonly text: string;
}

export function* textLines(text: string, lineEnd: RegExp): Generator<TextLine> {
  let from = 0;
  for (const end of text.matchAll(lineEnd)) {
    yield { from, text: text.slice(from, end.index) };
    from = end.index + end[0].length;
  }
  yield { from, text: text.slice(from) };
}
