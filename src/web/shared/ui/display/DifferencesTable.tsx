import { useState } from "react"
import { cutText } from "../../../../domain/Text.ts"
import type { Difference } from "../../data/differences.ts"
import css from "./Display.module.css"
import { uiTexts } from "../../sharedTexts.ts"

/** Characters of a value that are visible before it is expanded. */
const PREVIEW_LENGTH = 240

const Value = ({ side, text }: { readonly side: "before" | "after"; readonly text: string }) => {
  const [isExpanded, setExpanded] = useState(false)
  if (text === "") return <span className={css["noValue"]}>{uiTexts.differences.empty}</span>
  const Side = side === "before" ? "del" : "ins"
  if (text.length <= PREVIEW_LENGTH) return <Side className={css[side]}>{text}</Side>
  return (
    <>
      <Side className={css[side]}>{isExpanded ? text : `${cutText(text, PREVIEW_LENGTH)}…`}</Side>
      <button type="button" className={css["all"]} aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
        {isExpanded ? uiTexts.differences.showLess : uiTexts.differences.showFullText}
      </button>
    </>
  )
}

interface DifferencesTableProps {
  /** Accessible name of the table. */
  readonly caption: string
  readonly differences: ReadonlyArray<Difference>
  /** Column titles. A column without a title is hidden: a new resource has no previous values. */
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** Fields that are visible before the table is expanded. With 0, the table is collapsed. */
  readonly first?: number
}

/** Compares two versions of a resource field by field. */
export const DifferencesTable = ({ after, before, caption, differences, first = 8 }: DifferencesTableProps) => {
  const [isExpanded, setExpanded] = useState(false)
  const shown = isExpanded ? differences : differences.slice(0, first)
  const all =
    first === 0
      ? uiTexts.differences.showFields(differences.length)
      : uiTexts.differences.showAllFields(differences.length)
  return (
    <div>
      {shown.length === 0 ? undefined : (
        <table className={css["changes"]} aria-label={caption}>
          <thead>
            <tr>
              <th scope="col">{uiTexts.differences.field}</th>
              {before === undefined ? undefined : <th scope="col">{before}</th>}
              {after === undefined ? undefined : <th scope="col">{after}</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map((difference) => (
              <tr key={difference.path}>
                <th scope="row">{difference.name}</th>
                {before === undefined ? undefined : (
                  <td>
                    <Value side="before" text={difference.before} />
                  </td>
                )}
                {after === undefined ? undefined : (
                  <td>
                    <Value side="after" text={difference.after} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {differences.length <= first ? undefined : (
        <button
          type="button"
          className={css["all"]}
          aria-expanded={isExpanded}
          onClick={() => setExpanded(!isExpanded)}
        >
          {isExpanded ? uiTexts.differences.showFewerFields : all}
        </button>
      )}
    </div>
  )
}
