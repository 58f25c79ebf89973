import { useState } from "react"
import type { Difference } from "../data/differences.ts"
import { count } from "../data/format.ts"
import css from "./DifferencesTable.module.css"

/** Characters that a value is shown with before somebody asks for all of it. */
const PREVIEW_LENGTH = 240

const Value = ({ side, text }: { readonly side: "before" | "after"; readonly text: string }) => {
  const [isExpanded, setExpanded] = useState(false)
  if (text === "") return <span className={css["empty"]}>empty</span>
  const Side = side === "before" ? "del" : "ins"
  if (text.length <= PREVIEW_LENGTH) return <Side className={css[side]}>{text}</Side>
  return (
    <>
      <Side className={css[side]}>{isExpanded ? text : `${text.slice(0, PREVIEW_LENGTH).toWellFormed()}…`}</Side>
      <button type="button" className={css["all"]} aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
        {isExpanded ? "Show less" : "Show full text"}
      </button>
    </>
  )
}

interface DifferencesTableProps {
  /** What is compared, for who hears it. */
  readonly caption: string
  readonly differences: ReadonlyArray<Difference>
  /** What the sides are called. A side without a name is not shown: what is made was nothing before. */
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** How many fields are shown before somebody asks for the others; none where it is enough that there are some. */
  readonly first?: number
}

/** What differs between two forms of the same thing, field by field. */
export const DifferencesTable = ({ after, before, caption, differences, first = 8 }: DifferencesTableProps) => {
  const [isExpanded, setExpanded] = useState(false)
  const shown = isExpanded ? differences : differences.slice(0, first)
  const all = first === 0 ? `Show ${count(differences.length, "field")}` : `Show all ${differences.length} fields`
  return (
    <div>
      {shown.length === 0 ? undefined : (
        <table className={css["table"]} aria-label={caption}>
          <thead>
            <tr>
              <th scope="col">Field</th>
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
          {isExpanded ? "Show fewer fields" : all}
        </button>
      )}
    </div>
  )
}
