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

/** A piece of a page. Only {@link html} makes one, so that a text never stands in a page unescaped by mistake. */
export type Html = Markup

type Part = string | Html | ReadonlyArray<Html> | undefined

const textOf = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Markup) return part.text
  if (typeof part === "string") return part.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "")
  return part.map(({ text }) => text).join("")
}

/**
 * A piece of a page, of which every text is escaped: good between tags, and as the value of an attribute in double
 * quotes. There is no place for one in a style or an address, where escaping is not enough.
 */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Markup(String.raw({ raw: texts }, ...parts.map(textOf)))
