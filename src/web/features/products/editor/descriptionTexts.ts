import { t } from "@lingui/core/macro"
import { number } from "../../../shared/data/format.ts"

/** Texts of the description editor. */
export const descriptionTexts = {
  hint: t`Text or HTML, saved as entered.`,
  bold: t`Bold`,
  italic: t`Italic`,
  heading: (level: number) => t`Heading ${number(level)}`,
  bulletList: t`Bulleted list`,
  orderedList: t`Numbered list`,
  quote: t`Quote`,
  link: t`Link`,
  linkAddress: t`Link address`,
  linkPlaceholder: t`https://`,
  applyLink: t`Apply link`,
  removeLink: t`Remove link`,
  formatting: t`Text formatting`,
  editSource: t`Edit source`,
  editText: t`Edit formatted text`,
  unknown: t`This HTML has parts that the text editor does not know. Edit its source, so that none is lost.`,
  loading: t`Loading editor`,
  failed: t`The text editor could not be loaded. Edit the source, or reload the page.`
} as const
