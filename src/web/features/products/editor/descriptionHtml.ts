/* HTML of descriptions. The text editor has elements for the most common parts only. */

/** Elements of the text editor. */
const KNOWN = new Set(["P", "H2", "H3", "UL", "OL", "LI", "BLOCKQUOTE", "STRONG", "B", "EM", "I", "A", "BR"])

/** Parts that a parser moves or drops: comments, and the frame of a document. */
const FRAME = /<!|<\?|<\/?(?:html|head|body|frameset)\b/i

/** Addresses that the text editor keeps. */
const ADDRESS = /^(?:https?:|mailto:|tel:|[/#])/i

/** Parses without running scripts or loading images. */
const bodyOf = (html: string) => new DOMParser().parseFromString(`<!doctype html><body>${html}`, "text/html").body

const isKnown = (element: Element) =>
  KNOWN.has(element.tagName) &&
  [...element.attributes].every(({ name, value }) => element.tagName === "A" && name === "href" && ADDRESS.test(value))

/** True if the text editor loses no part of a description. */
export const isEditable = (html: string): boolean =>
  !FRAME.test(html) && [...bodyOf(html).querySelectorAll("*")].every(isKnown)

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** HTML for the text editor. Line breaks of a plain text become paragraphs. */
export const editorHtml = (description: string): string => {
  const body = bodyOf(description)
  if (body.children.length > 0) return description
  return body.textContent
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.split("\n").map(escaped).join("<br>")}</p>`)
    .join("")
}

/** Nodes of an editable description. Its links are inactive. */
export const previewNodes = (description: string): ReadonlyArray<Node> => {
  const body = bodyOf(editorHtml(description))
  for (const link of body.querySelectorAll("a")) link.removeAttribute("href")
  return [...body.childNodes]
}

/** HTML of the text editor without the paragraph of list items that have only one. An empty text has no HTML. */
export const cleanHtml = (html: string): string =>
  html === "<p></p>"
    ? ""
    : html.replaceAll(/<li><p>((?:(?!<\/?(?:p|h\d|ul|ol|li|blockquote)>).)*)<\/p><\/li>/gs, "<li>$1</li>")
