const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Escaped markup. Only {@link html} creates it, so text cannot enter a page unescaped. */
export type Html = Markup

type Part = string | Html | ReadonlyArray<Html> | undefined

const textOf = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Markup) return part.text
  if (typeof part === "string") return part.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "")
  return part.map(({ text }) => text).join("")
}

/**
 * Makes markup and escapes every interpolated text. Safe between tags and in double-quoted attributes. Not safe in styles
 * and URLs, where escaping is not enough.
 */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Markup(String.raw({ raw: texts }, ...parts.map(textOf)))
