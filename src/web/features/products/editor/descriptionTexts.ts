import { number } from "../../../shared/data/format.ts"

/** Texts of the description editor. */
export const descriptionTexts = {
  hint: "Text or HTML, saved as entered.",
  bold: "Bold",
  italic: "Italic",
  heading: (level: number) => `Heading ${number(level)}`,
  bulletList: "Bulleted list",
  orderedList: "Numbered list",
  quote: "Quote",
  link: "Link",
  linkAddress: "Link address",
  linkPlaceholder: "https://",
  applyLink: "Apply link",
  removeLink: "Remove link",
  formatting: "Text formatting",
  editSource: "Edit source",
  editText: "Edit formatted text",
  unknown: "This HTML has parts that the text editor does not know. Edit its source, so that none is lost.",
  loading: "Loading editor",
  failed: "The text editor could not be loaded. Edit the source, or reload the page."
} as const
